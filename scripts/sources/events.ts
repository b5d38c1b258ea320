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
  const endLine = (bytes: Buffer, next: number): void => {
    const line = isFirst ? withoutMark(bytes) : bytes;
    isFirst = false;
    if (line.length === 0) {
      if (hasData) on.event({ data: data.take(), id, isMessage: type === '' || type === 'message' });
      type = '';
      [hasData, length, begin] = [false, 0, next];
      return;
    }
    const colon = line.indexOf(58);
    const name = line.toString('latin1', 0, colon === -1 ? line.length : colon);
    const value = colon === -1 ? Buffer.alloc(0) : line.subarray(line[colon + 1] === 32 ? colon + 2 : colon + 1);
    if (name === 'data') {
      if (hasData) data.add(SPACE);
      data.add(value);
      hasData = true;
    } else if (name === 'event') type = value.toString('utf8');
    else if (name === 'id' && !value.includes(0)) id = value.toString('utf8');
    else if (name === 'retry' && /^\d{1,6}$/.test(value.toString('latin1'))) on.retry(Number(value));
  };
  return (chunk) => {
    let from = 0;
    begin = 0;
    /** The next one of each, at or behind a place; kept, since a chunk without returns would be searched for each line. */
    const next = { [NEWLINE]: -1, [RETURN]: -1 };
    const find = (byte: typeof NEWLINE | typeof RETURN, at: number): number => {
      if (next[byte] < at) {
        const found = chunk.indexOf(byte, at);
        next[byte] = found === -1 ? chunk.length : found;
      }
      return next[byte];
    };
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== NEWLINE && byte !== RETURN) {
        isBehindReturn = false;
        // Native search is much faster than a loop.
        at = Math.min(find(NEWLINE, at), find(RETURN, at)) - 1;
        continue;
      }
      if (byte === NEWLINE && isBehindReturn) {
        isBehindReturn = false;
        from = at + 1;
        continue;
      }
      isBehindReturn = byte === RETURN;
      held.add(chunk.subarray(from, at));
      endLine(held.take(), at + 1);
      from = at + 1;
    }
    if (from < chunk.length) held.add(chunk.subarray(from));
    length += chunk.length - begin;
    return length <= longest || (!hasData && held.length === 0);
  };
};
