import type Http from 'node:http';
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { Pieces } from './pieces.ts';
import type { Way } from './proxy.ts';
import { sharing } from './share.ts';

export interface PlainRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Keeps connections for later requests. Absent: this one gets its own connection. Keeps no process alive. */
  agent?: Http.Agent | undefined;
  /** Largest answer that is read, in bytes. Absent: the limit for all sources. */
  longest?: number | undefined;
}

export type HttpReply =
  | { status: number; headers: Http.IncomingHttpHeaders; text: string }
  | { status: 'timeout' }
  /** It broke off, or was too large. The slow path finds out which. */
  | { status: 'failed' };

/** Whether a proxy may be in use: what decides that is loaded only then. */
const mayBeProxied = (): boolean => Object.keys(process.env).some((name) => /^(https?|all)_proxy$/i.test(name));

/** How long a response on a kept connection may take to end after we have read what we want, in ms. */
const LONGEST_END = 500;

/**
 * One request with Node's own http; never throws. In a process that makes one request this is 100 ms faster than undici,
 * which makes all others. Follows no redirects. A kept connection that its server has closed meanwhile is replaced.
 * @param deadline milliseconds
 * @param enough whether the text so far is the whole answer, although the stream goes on
 */
export const exchange = async (
  asked: PlainRequest,
  deadline: number,
  enough?: (text: string) => boolean,
): Promise<HttpReply> => send(asked, mayBeProxied() ? (await import('./proxy.ts')).wayTo : undefined, deadline, enough);

const send = (
  { method = 'GET', url, headers, body, agent, longest = LONGEST_ANSWER }: PlainRequest,
  wayTo: ((url: string, kept: Http.Agent | undefined, within: number) => Way) | undefined,
  deadline: number,
  enough?: (text: string) => boolean,
): Promise<HttpReply> =>
  new Promise((resolve) => {
    // Loaded on first use: most hooks end without it.
    const http: typeof Http = url.startsWith('https:') ? require('node:https') : require('node:http');
    let request: Http.ClientRequest | undefined;
    let isGiven = false;
    let ending: NodeJS.Timeout | undefined;
    const give = (reply: HttpReply): void => {
      isGiven = true;
      clearTimeout(timer);
      clearTimeout(ending);
      request?.destroy();
      resolve(reply);
    };
    const end = Date.now() + deadline;
    const timer = setTimeout(() => give({ status: 'timeout' }), deadline);
    if (agent !== undefined) timer.unref();
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const read = (response: Http.IncomingMessage, made: Http.ClientRequest): void => {
      const { statusCode: status = 0, headers: got } = response;
      const pieces = new Pieces();
      const share = sharing(response);
      let total = 0;
      const text = () => pieces.all().toString('utf8');
      response.on('data', (chunk: Buffer) => {
        total += chunk.length;
        // While data floods in, timers do not run.
        if (Date.now() > end) return give({ status: 'timeout' });
        if (total > longest) return give({ status: 'failed' });
        if (isGiven) return;
        pieces.add(chunk);
        share();
        // Tested at the end of a line only, not with every chunk.
        if (!enough || chunk.at(-1) !== 10 || !enough(text())) return;
        if (agent === undefined) return give({ status, headers: got, text: text() });
        // Dropping the rest of the stream would lose a kept connection: give it a moment to end.
        isGiven = true;
        clearTimeout(timer);
        resolve({ status, headers: got, text: text() });
        pieces.take();
        ending = setTimeout(() => made.destroy(), LONGEST_END).unref();
      });
      // By now Node has returned a kept connection to its pool: destroying the request does not affect it.
      response.on('end', () => give({ status, headers: got, text: text() }));
      response.on('error', () => give({ status: 'failed' }));
    };
    const attempt = (isFirst: boolean): void => {
      const kept = isFirst ? agent : undefined;
      const proxied = wayTo?.(url, kept, deadline);
      let isBegun = false;
      const made = http.request(url, {
        method,
        agent: kept ?? false,
        ...proxied?.options,
        headers: { ...headers, ...length, ...proxied?.headers },
      });
      request = made;
      if (agent !== undefined) made.on('socket', (socket) => socket.unref());
      made.on('response', (response) => {
        isBegun = true;
        read(response, made);
      });
      made.on('error', () => {
        if (!isBegun && !isGiven && made.reusedSocket) attempt(false);
        else give({ status: 'failed' });
      });
      made.end(body);
    };
    try {
      attempt(true);
    } catch {
      // A header or URL that HTTP does not allow.
      give({ status: 'failed' });
    }
  });
