import type Http from 'node:http';
import { eventReader } from '../../sources/events.ts';

/** Longest message of the server that is read, in bytes. */
export const LONGEST = 64 * 1024 * 1024;
/** The server may ask for a pause before its stream is opened again, in ms. */
const PAUSE = { usual: 1_000, longest: 60_000 };
/** An id of an event that a header can hold. */
const EVENT_ID = /^[ -~]{1,1000}$/;

/** How a stream of events ended. */
export interface StreamEnd {
  /** The event after which it can go on; absent if none had an id. */
  last: string | undefined;
  /** The pause before that, in ms. */
  pause: number;
  /** How long it lasted, in ms. */
  lasted: number;
  /** Whether an event was too long. */
  isTooLong: boolean;
}

/**
 * Reads a stream of events to its end.
 * @param from the event after which it goes on, which stays the last one until there is another
 * @param take gets each event: its message, if it holds one, and the last event's id
 */
export const readEvents = (
  response: Http.IncomingMessage,
  from: string | undefined,
  take: (message: Buffer | undefined, last: string | undefined) => void,
): Promise<StreamEnd> => {
  const began = Date.now();
  const end = { last: from, pause: PAUSE.usual, isTooLong: false };
  const read = eventReader(
    {
      event: ({ data, id = '', isMessage }) => {
        if (EVENT_ID.test(id)) end.last = id;
        take(data.length > 0 && isMessage ? data : undefined, end.last);
      },
      retry: (ms) => {
        end.pause = Math.min(ms, PAUSE.longest);
      },
    },
    LONGEST,
  );
  response.on('data', (chunk: Buffer) => {
    if (end.isTooLong || read(chunk)) return;
    end.isTooLong = true;
    response.destroy();
  });
  response.on('error', () => {});
  return new Promise((done) => {
    response.on('close', () => done({ ...end, lasted: Date.now() - began }));
  });
};
