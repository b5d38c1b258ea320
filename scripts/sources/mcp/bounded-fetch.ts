import { LONGEST_ANSWER } from '../../contract/limits.ts';
import type { Deadline } from '../deadline.ts';
import { Pieces } from '../pieces.ts';
import { fetchThrough, proxyFor } from '../proxy.ts';
import { PAUSE, Share } from '../share.ts';

/** An answer that is too large. */
export class TooLarge extends Error {}
/** A server that goes on and on. */
export class Endless extends Error {}

/** How many of the server's requests may be answered: the library sends a request for each answer. */
const MOST_ANSWERS = 32;

/** A `fetch` with limits of size, time and number: the library waits for some answers without any limit. */
export const boundedFetch = (deadline: Deadline) => {
  let answers = 0;
  return (input: string | URL, init?: RequestInit): Promise<Response> => {
    const isAnswer = typeof init?.body === 'string' && !init.body.includes('"method"');
    if (isAnswer && ++answers > MOST_ANSWERS) return Promise.reject(new Endless());
    return fetchOnce(deadline, input, init);
  };
};

/** Pieces of an answer are passed on once they add up to this many bytes. */
const LARGE = 16 * 1024;

const fetchOnce = async (deadline: Deadline, input: string | URL, init?: RequestInit): Promise<Response> => {
  const signal = init?.signal ? AbortSignal.any([init.signal, deadline.late]) : deadline.late;
  const url = new URL(input);
  const send = proxyFor(url) === undefined ? fetch : fetchThrough;
  const response = await send(url, { ...init, signal });
  if (response.body === null) return response;
  let total = 0;
  const share = new Share();
  const pieces = new Pieces();
  const isStream = /^text\/event-stream/i.test(response.headers.get('content-type') ?? '');
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        total += chunk.length;
        if (total > LONGEST_ANSWER) return controller.error(new TooLarge());
        // The reader keeps each piece separately: many small ones would take much memory.
        pieces.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
        if (isStream || pieces.length >= LARGE) controller.enqueue(pieces.take());
        if (share.isUsed()) await new Promise((wait) => setTimeout(wait, PAUSE));
      },
      flush: (controller) => {
        if (pieces.length > 0) controller.enqueue(pieces.take());
      },
    }),
  );
  const bounded = new Response(counted, response);
  // A constructed response has no URL, and the library compares it.
  Object.defineProperty(bounded, 'url', { value: response.url });
  return bounded;
};
