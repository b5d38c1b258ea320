import type { Readable } from 'node:stream';

/** Longest line that is held as one, in bytes. A longer one is passed on while it is read. */
const LONGEST_HELD = 1024 * 1024;
const NEWLINE = 10;

/** What is done with what is read: bytes as they came, with their line's end. */
export interface LineListener {
  line(line: Buffer): void;
  /** A piece of a line that is too long to be held. `last`: its line ends with it. */
  piece(bytes: Buffer, last: boolean): void;
  /** How long a line may be to be held, in bytes, if that is more than usual at the moment. */
  limit?(): number;
}

/** Reads lines. What stands after the last line's end is passed on as it is, when the stream ends. */
export const readLines = (stream: Readable, listener: LineListener): void => {
  let held: Buffer[] = [];
  let length = 0;
  let isPassing = false;
  const take = (part: Buffer, last: boolean): void => {
    if (isPassing) {
      listener.piece(part, last);
      isPassing = !last;
      return;
    }
    held.push(part);
    length += part.length;
    if (last) listener.line(held.length === 1 ? part : Buffer.concat(held));
    else if (length > LONGEST_HELD && length > (listener.limit?.() ?? 0)) {
      for (const piece of held) listener.piece(piece, false);
      isPassing = true;
    } else return;
    [held, length] = [[], 0];
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at + 1), true);
      from = at + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from), false);
  });
  stream.on('end', () => {
    for (const piece of held) listener.piece(piece, false);
    if (isPassing || held.length > 0) listener.piece(Buffer.alloc(0), true);
    [held, length, isPassing] = [[], 0, false];
  });
};
