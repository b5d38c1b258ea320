import { withoutMark } from './byte-order-mark.ts';
import { Pieces } from './pieces.ts';

const NEWLINE = 10;
const RETURN = 13;
const SPACE = Buffer.from(' ');

/** One event of a stream of events (text/event-stream). */
export interface StreamEvent {
  /** Its data on one line: in JSON, a new line is as good as a space. */
  data: Buffer;
  id: string | undefined;
  /** Whether it is of the type `message`. Other types, as heartbeats have them, hold no message of the protocol. */
  isMessage: boolean;
}

/** The field in a line of a stream: `name: value`. */
const fieldIn = (line: Buffer): { name: string; value: Buffer } => {
  const colon = line.indexOf(58);
  if (colon === -1) return { name: line.toString('latin1'), value: Buffer.alloc(0) };
  const value = line.subarray(line[colon + 1] === 32 ? colon + 2 : colon + 1);
  return { name: line.toString('latin1', 0, colon), value };
};

/** Finds where the next line of a chunk ends, at or behind a place; the chunk's length if it does not end there. */
const lineEndsIn = (chunk: Buffer): ((at: number) => number) => {
  /** The next one of each; kept, since a chunk without returns would be searched for each line. */
  const next = { [NEWLINE]: -1, [RETURN]: -1 };
  const find = (byte: typeof NEWLINE | typeof RETURN, at: number): number => {
    if (next[byte] < at) {
      // Native search is much faster than a loop.
      const found = chunk.indexOf(byte, at);
      next[byte] = found === -1 ? chunk.length : found;
    }
    return next[byte];
  };
  return (at) => Math.min(find(NEWLINE, at), find(RETURN, at));
};

/**
 * Reads events from bytes as they arrive, without decoding them: an event's content passes through unchanged.
 * @param longest of one event, in bytes
 * @returns takes the next bytes; false once an event is longer
 */
export const eventReader = (
  on: { event(event: StreamEvent): void; retry(ms: number): void },
  longest: number,
): ((chunk: Buffer) => boolean) => {
  const held = new Pieces();
  const data = new Pieces();
  /** The current event: its bytes in earlier chunks, and where it begins in this one. */
  let length = 0;
  let begin = 0;
  let hasData = false;
  let id: string | undefined;
  let type = '';
  let isBehindReturn = false;
  let isFirst = true;
  const endEvent = (next: number): void => {
    if (hasData) on.event({ data: data.take(), id, isMessage: type === '' || type === 'message' });
    type = '';
    [hasData, length, begin] = [false, 0, next];
  };
  const readField = (line: Buffer): void => {
    const { name, value } = fieldIn(line);
    if (name === 'data') {
      if (hasData) data.add(SPACE);
      data.add(value);
      hasData = true;
    } else if (name === 'event') type = value.toString('utf8');
    else if (name === 'id' && !value.includes(0)) id = value.toString('utf8');
    else if (name === 'retry' && /^\d{1,6}$/.test(value.toString('latin1'))) on.retry(Number(value));
  };
  const endLine = (bytes: Buffer, next: number): void => {
    const line = isFirst ? withoutMark(bytes) : bytes;
    isFirst = false;
    if (line.length === 0) endEvent(next);
    else readField(line);
  };
  return (chunk) => {
    begin = 0;
    const lineEnd = lineEndsIn(chunk);
    // A return and a newline end one line, also in two chunks.
    let from = isBehindReturn && chunk[0] === NEWLINE ? 1 : 0;
    for (let end = lineEnd(from); end < chunk.length; end = lineEnd(from)) {
      held.add(chunk.subarray(from, end));
      endLine(held.take(), end + 1);
      from = chunk[end] === RETURN && chunk[end + 1] === NEWLINE ? end + 2 : end + 1;
    }
    if (chunk.length > 0) isBehindReturn = chunk.at(-1) === RETURN;
    if (from < chunk.length) held.add(chunk.subarray(from));
    length += chunk.length - begin;
    return length <= longest || (!hasData && held.length === 0);
  };
};
