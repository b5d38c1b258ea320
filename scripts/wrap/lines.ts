import type { Readable, Writable } from 'node:stream';
import { Pieces } from '../sources/pieces.ts';

/** Longest line that is held as one, in bytes. A longer one is passed on while it is read. */
const LONGEST_HELD = 1024 * 1024;
const NEWLINE = 10;

/** Takes lines as bytes, with their line end. */
export interface LineListener {
  line(line: Buffer): void;
  /** A piece of a line that is too long to be held. `last`: its line ends with it. */
  piece(bytes: Buffer, last: boolean): void;
  /** How long a line may be to be held, in bytes, if that is more than usual at the moment. */
  limit?(): number;
  /** The input has ended. */
  end?(): void;
}

/** Reads lines. Text after the last line end is a line, too, as programs read it. */
export const readLines = (stream: Readable, listener: LineListener): void => {
  const held = new Pieces();
  let isPassing = false;
  const take = (part: Buffer, last: boolean): void => {
    if (isPassing) {
      isPassing = !last;
      listener.piece(part, last);
      return;
    }
    held.add(part);
    const { length } = held;
    if (!last && (length <= LONGEST_HELD || length <= (listener.limit?.() ?? 0))) return;
    isPassing = !last;
    if (last) listener.line(held.take());
    else listener.piece(held.take(), false);
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at + 1), true);
      from = at + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from), false);
  });
  stream.once('end', () => {
    if (isPassing || held.length > 0) take(Buffer.alloc(0), true);
    listener.end?.();
  });
};

/** A stream that is read while it has no holders. */
export class Tap {
  readonly #holders = new Set<object>();

  constructor(private readonly stream: Readable) {}

  hold(holder: object): void {
    this.#holders.add(holder);
    this.stream.pause();
  }

  free(holder: object): void {
    if (this.#holders.delete(holder) && this.#holders.size === 0) this.stream.resume();
  }
}

/** Writes lines and pieces of lines, so that a line of ours never lands inside another one. */
export class LineWriter {
  /** Bytes that wait until the stream has room again. */
  readonly #held = new Set<Tap>();
  /** Whether a line is under way. */
  #isInside = false;
  #later: Buffer[] = [];

  constructor(private readonly stream: Writable) {
    const free = (): void => {
      for (const tap of this.#held) tap.free(this);
      this.#held.clear();
    };
    stream.on('drain', free);
    // Once a stream cannot be written, nothing waits for it.
    stream.on('close', free);
  }

  /** Passes bytes on. @param from where they come from, which waits until there is room for more */
  pass(bytes: Buffer, last: boolean, from: Tap): void {
    this.#write(bytes, from);
    this.#isInside = !last;
    if (!last || this.#later.length === 0) return;
    const lines = this.#later;
    this.#later = [];
    for (const line of lines) this.#write(line, from);
  }

  /** Writes a line of ours, after the line that is being written. */
  say(line: Buffer, from?: Tap): void {
    if (this.#isInside) this.#later.push(line);
    else this.#write(line, from);
  }

  end(): void {
    if (this.stream.writable) this.stream.end();
  }

  #write(bytes: Buffer, from?: Tap): void {
    if (bytes.length === 0 || !this.stream.writable) return;
    if (this.stream.write(bytes) || from === undefined) return;
    this.#held.add(from);
    from.hold(this);
  }
}
