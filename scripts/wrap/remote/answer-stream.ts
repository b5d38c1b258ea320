import type Http from 'node:http';
import { isEventStream } from '../http-answer.ts';
import type { Sending } from '../sending.ts';
import type { StreamReader } from './own-stream.ts';
import { readEvents, type StreamEnd } from './read-events.ts';

/** How long a stream may stay open after all of its answers, in ms. */
const LEAVING = 5_000;
/**
 * If a stream ends before the answer, others are opened for it: how often at most, for how many ms, and with which
 * pauses, which double up to a limit while streams end at once. The server may ask for longer pauses.
 */
const RESUMING = { most: 1_000, longest: 60 * 60_000, pause: 100, longestPause: 5_000 };
/** A stream that lasted this many ms worked, so the next one begins soon. */
const GOOD = 30_000;
/** The pause after an attempt that reached no server, in ms, and how many of those may fail in a row. */
const UNREACHED = { pause: 1_000, most: 3 };

/** Who reads the answers. */
interface AnswerReader extends StreamReader {
  fail(sending: Sending, why: string): void;
  isOver(): boolean;
}

/**
 * Reads the answers to what was sent from a stream, and from others that continue it.
 * @param from the event after which the stream goes on; absent for the first one
 */
export const readAnswers = async (
  response: Http.IncomingMessage,
  sending: Sending,
  reader: AnswerReader,
  from?: string,
): Promise<void> => {
  let leaving: NodeJS.Timeout | undefined;
  const end = await readEvents(response, from, (message) => {
    if (message) reader.take(message, response);
    // Servers should close it then. Each open one costs a connection.
    if (sending.open.size === 0) leaving ??= setTimeout(() => response.destroy(), LEAVING).unref();
  });
  clearTimeout(leaving);
  if (sending.open.size === 0 || reader.isOver()) return;
  if (end.isTooLong) reader.fail(sending, 'its answer is too long');
  // The server may close it before it has answered, and continue on another one.
  else if (end.last === undefined) reader.fail(sending, 'its stream ended before its answer');
  else resumeLater(sending, end.last, end, reader);
};

const resumeLater = (
  sending: Sending,
  last: string,
  { pause, lasted }: Pick<StreamEnd, 'pause' | 'lasted'>,
  reader: AnswerReader,
): void => {
  const now = Date.now();
  sending.resumedSince ??= now;
  if (sending.resumed >= RESUMING.most || now - sending.resumedSince > RESUMING.longest) {
    reader.fail(sending, 'its streams end before its answer');
    return;
  }
  const doubled = sending.resumed === 0 || lasted > GOOD ? 0 : RESUMING.pause * 2 ** Math.min(sending.resumed - 1, 20);
  sending.resumed++;
  const wait = Math.max(pause, Math.min(doubled, RESUMING.longestPause));
  sending.timer = setTimeout(() => resume(last, sending, reader), wait).unref();
};

const resume = (last: string, sending: Sending, reader: AnswerReader): void => {
  if (reader.isOver() || sending.open.size === 0) return;
  const request = reader.ask(last);
  sending.request = request;
  let isBegun = false;
  request.on('response', (response) => {
    isBegun = true;
    if (response.statusCode === 200 && isEventStream(response)) {
      void readAnswers(response, sending, reader, last);
      return;
    }
    response.destroy();
    const why = `its stream ended before its answer, and it goes on with none (HTTP ${response.statusCode})`;
    reader.fail(sending, why);
  });
  request.on('error', () => {});
  request.on('close', () => {
    if (isBegun || reader.isOver() || sending.open.size === 0) return;
    if (++sending.unreached > UNREACHED.most) reader.fail(sending, 'its stream ended before its answer');
    else resumeLater(sending, last, { pause: UNREACHED.pause, lasted: 0 }, reader);
  });
  request.end();
};
