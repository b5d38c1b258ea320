import type Http from 'node:http';
import { LONGEST_ANSWER } from '../contract/limits.ts';

export interface PlainRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Keeps connections for the requests to come; absent: this one has a connection of its own. Keeps no process alive. */
  agent?: Http.Agent | undefined;
}

export type HttpReply =
  | { status: number; headers: Http.IncomingHttpHeaders; text: string }
  | { status: 'timeout' }
  /** It broke off, or was too large. The slow path finds out which. */
  | { status: 'failed' };

/** How long a kept connection may take to come to an end after what is wanted was read, in ms. */
const LONGEST_END = 500;

/**
 * One request with Node's own http; never throws. In a process that makes one request this is 100 ms faster than undici,
 * which makes all others. Follows no redirects. A kept connection that its server has closed meanwhile is replaced.
 * @param deadline milliseconds
 * @param enough whether the text so far is the whole answer, although the stream goes on
 */
export const exchange = (
  { method = 'GET', url, headers, body, agent }: PlainRequest,
  deadline: number,
  enough?: (text: string) => boolean,
): Promise<HttpReply> =>
  new Promise((resolve) => {
    // Loaded on first use: most hooks end without it.
    const http: typeof Http = url.startsWith('https:') ? require('node:https') : require('node:http');
    let request: Http.ClientRequest | undefined;
    let isGiven = false;
    const give = (reply: HttpReply, isAtEnd = false): void => {
      isGiven = true;
      clearTimeout(timer);
      // What a server still sends would be lost with the connection: a kept one is given a moment to come to an end.
      if (agent === undefined || isAtEnd) request?.destroy();
      else setTimeout(() => request?.destroy(), LONGEST_END).unref();
      resolve(reply);
    };
    const end = Date.now() + deadline;
    const timer = setTimeout(() => give({ status: 'timeout' }, true), deadline);
    if (agent !== undefined) timer.unref();
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const attempt = (isFirst: boolean): void => {
      const way = isFirst && agent !== undefined ? { agent } : { agent: false as const };
      let isBegun = false;
      const made = http.request(url, { method, ...way, headers: { ...headers, ...length } });
      request = made;
      if (agent !== undefined) made.on('socket', (socket) => socket.unref());
      made.on('response', (response) => {
        isBegun = true;
        const { statusCode: status = 0, headers: got } = response;
        const chunks: Buffer[] = [];
        let total = 0;
        const text = () => Buffer.concat(chunks).toString('utf8');
        response.on('data', (chunk: Buffer) => {
          total += chunk.length;
          // While data floods in, timers do not run.
          if (Date.now() > end) return give({ status: 'timeout' }, true);
          if (total > LONGEST_ANSWER) return give({ status: 'failed' }, true);
          if (isGiven) return;
          chunks.push(chunk);
          // Tested at the end of a line only, not with every chunk.
          if (enough && chunk.at(-1) === 10 && enough(text())) give({ status, headers: got, text: text() });
        });
        response.on('end', () => give({ status, headers: got, text: text() }));
        response.on('error', () => give({ status: 'failed' }, true));
      });
      made.on('error', () => {
        if (!isBegun && made.reusedSocket && request === made && Date.now() < end) again();
        else give({ status: 'failed' }, true);
      });
      made.end(body);
    };
    const again = (): void => attempt(false);
    try {
      attempt(true);
    } catch {
      // A header or URL that HTTP does not allow.
      give({ status: 'failed' }, true);
    }
  });
