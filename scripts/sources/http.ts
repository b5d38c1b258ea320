import { type Dispatcher, ProxyAgent, request } from 'undici';
import { defined } from '../contract/defined.ts';
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { codeOf, type Deadline, unanswered } from './deadline.ts';
import { loginOf, proxyFor } from './proxy.ts';

/** The outcome of a request. `same`: the server answered 304. `text`: the body, not yet parsed. */
export type Fetched =
  | { status: 'same' }
  | { status: 'text'; text: string; etag?: string }
  | { status: 'unreachable' | 'invalid'; why: string };

/** Who is asked, in words for a reason (`the gateway`), and the largest answer that is read, in bytes. */
interface Answerer {
  who?: string;
  longest?: number;
}

const MOST_REDIRECTS = 3;

/** Sends a request through the proxy that is meant for its URL. A tunnel only where the request is encrypted, as clients do. */
const through = (url: URL): { dispatcher?: Dispatcher } => {
  const proxy = proxyFor(url);
  if (proxy === undefined) return {};
  const { 'proxy-authorization': token } = loginOf(proxy);
  const proxyTunnel = url.protocol === 'https:';
  return { dispatcher: new ProxyAgent({ uri: proxy.origin, proxyTunnel, ...defined({ token }) }) };
};

/** Reads a body; null if it is larger than the limit. */
const readBody = async (body: AsyncIterable<Uint8Array>, longest: number): Promise<Buffer | null> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > longest) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const failure = (error: unknown, deadline: Deadline): Fetched => {
  const code = codeOf(error);
  if (deadline.over.aborted || code?.includes('TIMEOUT')) return unanswered(deadline);
  return { status: 'unreachable', why: code ?? 'the connection was interrupted' };
};

const follow = async (
  start: URL,
  headers: Record<string, string>,
  known: string | undefined,
  { over }: Deadline,
  { who = 'the gateway', longest = LONGEST_ANSWER }: Answerer,
): Promise<Fetched> => {
  let url = start;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const response = await request(url, {
      headers: { ...headers, accept: 'application/json', ...defined({ 'if-none-match': known }) },
      signal: over,
      ...through(url),
    });
    const { statusCode, headers: got, body } = response;
    if (statusCode === 200) {
      const read = await readBody(body, longest);
      if (read === null) return { status: 'invalid', why: `the answer is larger than ${longest} bytes` };
      return {
        status: 'text',
        text: read.toString('utf8'),
        ...(typeof got.etag === 'string' ? { etag: got.etag } : {}),
      };
    }
    // We stop reading an answer that is not a tool list; undici reports that as an error of the body.
    body.on('error', () => {}).destroy();
    if (statusCode === 304 && known !== undefined) return { status: 'same' };
    if (statusCode === 304 || statusCode < 300 || statusCode >= 400 || typeof got.location !== 'string') {
      return { status: statusCode >= 500 ? 'unreachable' : 'invalid', why: `${who} answered HTTP ${statusCode}` };
    }
    const next = new URL(got.location, url);
    // Headers may hold credentials, which are sent only to the origin that the user named.
    if (next.origin !== start.origin) return { status: 'invalid', why: `${who} redirects to another origin` };
    url = next;
  }
  return { status: 'invalid', why: `${who} redirects more than ${MOST_REDIRECTS} times` };
};

/** The answer to a POST: its status, `retry-after` if there is one, and as much of its body as was asked for. */
export interface Posted {
  status: number;
  retryAfter?: string;
  body: Buffer;
}

/**
 * One POST. Follows no redirect.
 * @param most bytes of the answer's body that are read; the body of a larger one is empty
 * @throws if there is no answer
 */
export const post = async (
  url: URL,
  headers: Record<string, string>,
  sent: Buffer,
  most: number,
  over: AbortSignal,
): Promise<Posted> => {
  const response = await request(url, { method: 'POST', headers, body: sent, signal: over, ...through(url) });
  const retryAfter = response.headers['retry-after'];
  return {
    status: response.statusCode,
    body: (await readBody(response.body, most)) ?? Buffer.alloc(0),
    ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
  };
};

/**
 * One GET with limits of time and size; follows redirects within the same origin. Never throws.
 * @param known the entity tag of the answer we have: the server then says whether it is still the same
 */
export const get = async (
  url: URL,
  headers: Record<string, string>,
  known: string | undefined,
  deadline: Deadline,
  answerer: Answerer = {},
): Promise<Fetched> => {
  try {
    return await follow(url, headers, known, deadline, answerer);
  } catch (error) {
    return failure(error, deadline);
  }
};
