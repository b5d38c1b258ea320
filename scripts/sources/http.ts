import { request } from 'undici';
import { defined } from '../contract/defined.ts';
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { codeOf, type Deadline, unanswered } from './deadline.ts';

/** The outcome of a request. `same`: the server answered 304. `text`: the body, not yet parsed. */
export type Fetched =
  | { status: 'same' }
  | { status: 'text'; text: string; etag?: string }
  | { status: 'unreachable' | 'invalid'; why: string };

const MOST_REDIRECTS = 3;

/** Reads a body; null if it is larger than the limit. */
const readBody = async (body: AsyncIterable<Uint8Array>): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > LONGEST_ANSWER) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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
): Promise<Fetched> => {
  let url = start;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const response = await request(url, {
      headers: { ...headers, accept: 'application/json', ...defined({ 'if-none-match': known }) },
      signal: over,
    });
    const { statusCode, headers: got, body } = response;
    if (statusCode === 200) {
      const text = await readBody(body);
      if (text === null) return { status: 'invalid', why: `the answer is larger than ${LONGEST_ANSWER} bytes` };
      return { status: 'text', text, ...(typeof got.etag === 'string' ? { etag: got.etag } : {}) };
    }
    // We stop reading an answer that is not a tool list; undici reports that as an error of the body.
    body.on('error', () => {}).destroy();
    if (statusCode === 304 && known !== undefined) return { status: 'same' };
    if (statusCode === 304 || statusCode < 300 || statusCode >= 400 || typeof got.location !== 'string') {
      return { status: statusCode >= 500 ? 'unreachable' : 'invalid', why: `the gateway answered HTTP ${statusCode}` };
    }
    const next = new URL(got.location, url);
    // Headers may hold credentials, which are sent only to the origin that the user named.
    if (next.origin !== start.origin) return { status: 'invalid', why: 'the gateway redirects to another origin' };
    url = next;
  }
  return { status: 'invalid', why: `the gateway redirects more than ${MOST_REDIRECTS} times` };
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
): Promise<Fetched> => {
  try {
    return await follow(url, headers, known, deadline);
  } catch (error) {
    return failure(error, deadline);
  }
};
