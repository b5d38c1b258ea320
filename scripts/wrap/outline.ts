// Finds the requests and answers in a line, and their places, byte by byte. It takes lines in pieces, keeps almost
// nothing of them, and reads each byte once.
import { parsedJson } from '../contract/parsed-json.ts';

/** Longest id or name that is kept, in bytes. */
const LONGEST_KEPT = 4_096;
/** How many messages of a batch are told apart. */
const MOST_MESSAGES = 100_000;

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, COLON] = [34, 92, 123, 125, 91, 93, 44, 58];
/** Outside of messages only a byte order mark may stand. */
const BEYOND_ASCII = 128;
const isSpace = (byte: number): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** One message of a line. All places are bytes from the beginning of the line. */
export interface Outlined {
  from: number;
  to: number;
  /** JSON text of what stands there, as it was written. */
  id?: string;
  method?: string;
  /** What a request is for: `params.name`. */
  name?: string;
  /** JSON text of `params.requestId`: which request is taken back. */
  requestId?: string;
  /** Where `params.arguments` stands, if it is an object. */
  args?: { from: number; to: number };
  isObject: boolean;
  /** It has a result or an error, so it is an answer. */
  isAnswer: boolean;
  /** Where the first part of `result.content` goes, and whether there are none yet. */
  content?: { at: number; isEmpty: boolean };
  /** Where `error.message` ends. */
  error?: number;
}

const decoded = (text: string | undefined): string | undefined => {
  const value = text === undefined ? undefined : parsedJson(text);
  return typeof value === 'string' ? value : undefined;
};

export class Outline {
  readonly messages: Outlined[] = [];
  isBatch = false;
  /** Bytes before those that are being read. */
  #before = 0;
  #depth = 0;
  /** The depth at which the members of a message stand. */
  #base = 1;
  /** Whether a container is a list, for those that matter. */
  readonly #isList: boolean[] = [];
  /** The keys that lead to what is being read: of the message, and of what stands in it. */
  readonly #keys: (string | undefined)[] = [];
  #expectsKey = false;
  #isInString = false;
  #isEscaped = false;
  /** The token that is being kept: what came in earlier pieces, and where it goes on in this one. */
  #kept = '';
  #keptFrom: number | undefined;
  #isScalar = false;
  /** The list of parts was opened; whether it has any is not known yet. */
  #open: Outlined['content'];
  #message: Outlined | undefined;

  /** Reads on. @returns itself */
  feed(bytes: Buffer): this {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (this.#isInString) this.#readString(bytes, byte, at);
      else if (isSpace(byte) || (byte >= BEYOND_ASCII && this.#depth === 0)) this.#endScalar(bytes, at);
      else this.#readSign(bytes, byte, at);
    }
    if (this.#keptFrom !== undefined) {
      this.#keep(bytes, bytes.length);
      this.#keptFrom = 0;
    }
    this.#before += bytes.length;
    return this;
  }

  #readString(bytes: Buffer, byte: number, at: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#endString(bytes, at);
  }

  #readSign(bytes: Buffer, byte: number, at: number): void {
    if (this.#open !== undefined) {
      this.#open.isEmpty = byte === CLOSE_LIST;
      this.#open = undefined;
    }
    if (byte === QUOTE) this.#beginString(at);
    else if (byte === OPEN || byte === OPEN_LIST) this.#enter(byte === OPEN_LIST, at);
    else if (byte === CLOSE || byte === CLOSE_LIST) this.#leave(bytes, at);
    else if (byte === COMMA) {
      this.#endScalar(bytes, at);
      this.#expectsKey = this.#isList[this.#depth] === false;
    } else if (byte === COLON) this.#expectsKey = false;
    else this.#beginScalar(at);
  }

  /** How deep we are in the message: 1 among its members, 2 among theirs. */
  get #level(): number {
    return this.#depth - this.#base + 1;
  }

  /** Whether what begins here is one of the messages. */
  get #isMessage(): boolean {
    return this.#depth === this.#base - 1 && (this.#depth === 0 || this.isBatch);
  }

  /** Whether what begins or ends here are the arguments of a call. */
  get #isArguments(): boolean {
    return this.#level === 2 && this.#keys[1] === 'params' && this.#keys[2] === 'arguments';
  }

  #begin(at: number, isObject: boolean): void {
    if (!this.#isMessage || this.messages.length >= MOST_MESSAGES) return;
    this.#message = { from: this.#before + at, to: this.#before + at, isObject, isAnswer: false };
    this.messages.push(this.#message);
  }

  #enter(isList: boolean, at: number): void {
    if (this.#depth === 0 && isList && this.messages.length === 0) {
      this.isBatch = true;
      this.#base = 2;
    } else this.#begin(at, !isList);
    const isContent = isList && this.#level === 2 && this.#keys[1] === 'result' && this.#keys[2] === 'content';
    if (isContent && this.#message) {
      this.#open = { at: this.#before + at + 1, isEmpty: true };
      this.#message.content = this.#open;
    }
    if (!isList && this.#level === 1) this.#answers();
    if (!isList && this.#message && this.#isArguments) this.#message.args = { from: this.#before + at, to: 0 };
    this.#depth++;
    if (this.#level > 3) return;
    this.#isList[this.#depth] = isList;
    this.#keys[this.#level] = undefined;
    this.#expectsKey = !isList;
  }

  #leave(bytes: Buffer, at: number): void {
    this.#endScalar(bytes, at);
    this.#depth = Math.max(0, this.#depth - 1);
    this.#expectsKey = false;
    if (this.#message?.args && this.#isArguments) this.#message.args.to = this.#before + at + 1;
    if (this.#isMessage && this.#message) this.#message.to = this.#before + at + 1;
  }

  /** A member of the message has a value. */
  #answers(): void {
    if (this.#message && (this.#keys[1] === 'result' || this.#keys[1] === 'error')) this.#message.isAnswer = true;
  }

  #beginString(at: number): void {
    this.#isInString = true;
    this.#begin(at, false);
    if (this.#level === 1 && !this.#expectsKey) this.#answers();
    if (this.#level === 1 || this.#level === 2) [this.#kept, this.#keptFrom] = ['', at];
  }

  #beginScalar(at: number): void {
    if (this.#isScalar) return;
    this.#begin(at, false);
    if (this.#level === 1) this.#answers();
    this.#isScalar = true;
    if (this.#level === 1 || this.#level === 2) [this.#kept, this.#keptFrom] = ['', at];
  }

  #keep(bytes: Buffer, to: number): void {
    if (this.#kept.length <= LONGEST_KEPT && this.#keptFrom !== undefined)
      this.#kept += bytes.toString('latin1', this.#keptFrom, Math.min(to, this.#keptFrom + LONGEST_KEPT + 1));
  }

  /** The token that ends before a byte, as JSON text; undefined where it was not kept or is too long. */
  #token(bytes: Buffer, to: number): string | undefined {
    if (this.#keptFrom === undefined) return undefined;
    this.#keep(bytes, to);
    const text = this.#kept.length > LONGEST_KEPT ? undefined : Buffer.from(this.#kept, 'latin1').toString('utf8');
    [this.#kept, this.#keptFrom] = ['', undefined];
    return text;
  }

  #endString(bytes: Buffer, at: number): void {
    this.#isInString = false;
    const text = this.#token(bytes, at + 1);
    const level = this.#level;
    if (level === 0 && this.#message) this.#message.to = this.#before + at + 1;
    if (level < 1 || level > 2 || this.#isList[this.#depth] !== false) return;
    if (this.#expectsKey) {
      this.#keys[level] = decoded(text);
      return;
    }
    this.#value(text);
    const [, key, inner] = this.#keys;
    if (this.#message && level === 2 && key === 'error' && inner === 'message') this.#message.error = this.#before + at;
  }

  #endScalar(bytes: Buffer, at: number): void {
    if (!this.#isScalar) return;
    this.#isScalar = false;
    const text = this.#token(bytes, at);
    if (this.#level === 0 && this.#message) this.#message.to = this.#before + at;
    this.#value(text);
  }

  /** A member has a value that is no container. */
  #value(text: string | undefined): void {
    const [message, level] = [this.#message, this.#level];
    if (message === undefined || text === undefined || this.#isList[this.#depth] !== false) return;
    const [, key, inner] = this.#keys;
    if (level === 1 && key === 'id') message.id = text;
    else if (level === 1 && key === 'method') message.method = decoded(text) as string;
    else if (level === 2 && key === 'params' && inner === 'name') message.name = decoded(text) as string;
    else if (level === 2 && key === 'params' && inner === 'requestId') message.requestId = text;
  }
}

export const outlineOf = (line: Buffer): Outline => new Outline().feed(line);
