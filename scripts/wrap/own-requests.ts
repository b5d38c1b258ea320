import { randomBytes } from 'node:crypto';
import { cachingOf } from '../contract/caching.ts';
import { defined } from '../contract/defined.ts';
import { elapsed } from '../contract/elapsed.ts';
import { nextCursor } from '../contract/next-cursor.ts';
import { isObject } from '../contract/types.ts';
import { setBounded } from './bounded.ts';
import { type Message, type Parsed, readMessages, toBatch, toLine } from './message.ts';

/** How many ms the server may take to answer a request of ours. After that its answer is unknown. */
export interface Patience {
  usual: number;
  /** The same after it failed to answer in time, until it answers again. */
  short: number;
  /** After a late answer it gets one and a half times as long, up to this. */
  longest: number;
}

const PATIENCE: Patience = { usual: 5_000, short: 500, longest: 20_000 };
const MORE = 1.5;
const MOST_PAGES = 100;
/** How many bytes all pages may have. */
const MOST_BYTES = 64 * 1024 * 1024;
/** All pages of a list have to come within so many ms. */
const LONGEST_LIST = 30_000;
/** How many times a list of several pages is read, if the server says meanwhile that it changed. */
const MOST_READS = 4;
/** How many given-up requests are remembered, since their answers may still come. */
const MOST_GIVEN_UP = 100;

/** What the server lists now, as it was sent: one object for each tool. `failed`: why that is unknown. */
export type Listed = WasListed | { failed: string };

export interface WasListed {
  tools: unknown[];
  /** What its first page holds besides the tools; but how long the list may be kept is said for all pages. */
  result: Record<string, unknown>;
  failed?: never;
}

/** The result of a request of ours: the answer's line and message, if it came in time. */
interface Answer {
  line?: Buffer;
  id: string;
  message(): Message;
}

const NO_ANSWER: Message = { params: {} };

/** One page of the list. */
interface Page {
  /** What the server sent, without the id; nothing where that was not one line. */
  bytes: Buffer[];
  message: Message;
}

const withoutId = (line: Buffer, id: string): Buffer[] => {
  const at = line.indexOf(id);
  return [line.subarray(0, at), line.subarray(at + id.length)];
};

const isSame = (some: Buffer[], others: Buffer[]): boolean =>
  some.length > 0 && some.length === others.length && some.every((one, at) => one.equals(others[at] as Buffer));

const COPIED = /^io\.modelcontextprotocol\/(protocolVersion|clientInfo|clientCapabilities)$/;

/** What our requests copy from the host's in newer revisions of the protocol: the client's name and capabilities. */
export const ownMeta = (meta: unknown): { _meta?: Record<string, unknown> } => {
  const copied = Object.entries(isObject(meta) ? meta : {}).filter(([key]) => COPIED.test(key));
  return copied.length > 0 ? { _meta: Object.fromEntries(copied) } : {};
};

export interface OwnSettings {
  send(line: Buffer): void;
  /** Whether the server is working for the host. It may do one thing at a time. */
  isBusy?(): boolean;
  /** How often the server has said that its list changed. */
  changes?(): number;
  patience?: Patience | undefined;
}

/**
 * Requests of our own on the connection of the host. Their ids begin with a text that no host uses, so the host's own ids can
 * stay as they are.
 */
export class OwnRequests {
  readonly #prefix = `konnichiwagwan-${randomBytes(9).toString('hex')}-`;
  readonly #mark = Buffer.from(this.#prefix);
  readonly #open = new Map<string, (line?: Buffer, message?: Message) => void>();
  #count = 0;
  #hasAnswered = false;
  readonly #patience: Patience;
  /** How many ms to wait for the next answer. */
  #wait: number;
  /** Requests that were given up, and when they were sent. */
  readonly #givenUp = new Map<string, number>();
  #isOver = false;
  /** The pages of the last list, and what they came to. */
  #last: { pages: Page[]; listed: Listed } | undefined;

  constructor(private readonly settings: OwnSettings) {
    this.#patience = settings.patience ?? PATIENCE;
    this.#wait = this.#patience.usual;
  }

  /** Whether an answer to us may come, in time or too late. */
  get isWaiting(): boolean {
    return this.#open.size + this.#givenUp.size > 0;
  }

  /** Whether an answer belongs to a request of ours. @param id as written in the message */
  isOurs(id: string | undefined): boolean {
    return id?.startsWith(`"${this.#prefix}`) === true;
  }

  /** Whether the line answers a request of ours, and so is not for the host; undefined if it is not an answer to us. */
  take(line: Buffer): { rest?: Buffer } | undefined {
    if (!line.includes(this.#mark)) return undefined;
    const id = this.#idIn(line);
    const open = id === undefined ? undefined : this.#open.get(id);
    const bytes = open && id !== undefined ? withoutId(line, id) : [];
    // The same bytes as before need no reading.
    if (open && this.#last?.pages.some((page) => isSame(bytes, page.bytes))) {
      open(line);
      return {};
    }
    const parsed = readMessages(line);
    // It broke off.
    if (parsed === undefined) return line.at(-1) === 10 ? undefined : {};
    return this.#takeParsed(line, parsed);
  }

  #takeParsed(line: Buffer, { messages, batch }: Parsed): { rest?: Buffer } | undefined {
    // A late or repeated answer is not for the host either.
    const isOurs = ({ id, method }: Message) =>
      method === undefined && typeof id === 'string' && id.startsWith(this.#prefix);
    const ours = messages.filter(isOurs);
    if (ours.length === 0) return undefined;
    for (const message of ours) {
      const id = message.id as string;
      const open = this.#open.get(id);
      if (open === undefined) this.#cameLate(id);
      else open(batch === undefined ? line : undefined, message);
    }
    const rest = batch?.filter((_, at) => !isOurs(messages[at] as Message)) ?? [];
    return rest.length === 0 ? {} : { rest: toBatch(rest) };
  }

  /** It answers again, and takes this long. */
  #cameLate(id: string): void {
    const since = this.#givenUp.get(id);
    if (since === undefined) return;
    this.#givenUp.delete(id);
    const { usual, longest } = this.#patience;
    this.#wait = Math.min(Math.max(usual, (elapsed() - since) * MORE), longest);
  }

  #idIn(line: Buffer): string | undefined {
    const at = line.indexOf(this.#mark);
    const end = line.indexOf('"', at + this.#mark.length);
    return end === -1 ? undefined : line.toString('latin1', at, end);
  }

  /**
   * All pages of `tools/list`. The same object as before, if the server answers the same as before.
   * @param meta of the host's own request, which says who asks in the protocol's newer revisions
   */
  async list(meta: unknown): Promise<Listed> {
    const { changes } = this.settings;
    const end = elapsed() + LONGEST_LIST;
    let before: Listed | undefined;
    for (let reads = 0; reads < MOST_READS && elapsed() < end; reads++) {
      const said = changes?.();
      const { listed, isPaged } = await this.#read(meta);
      // Pages of two lists may lack a tool that is in both. If they come out the same once more, they are of one.
      if (!isPaged || said === changes?.() || listed === before) return listed;
      before = listed;
    }
    return { failed: 'its list of tools changed while it was read' };
  }

  async #read(meta: unknown): Promise<{ listed: Listed; isPaged?: boolean }> {
    const known = this.#last;
    const failed = (why: string) => ({ listed: { failed: why } });
    const pages: Page[] = [];
    const end = elapsed() + LONGEST_LIST;
    let size = 0;
    let cursor: string | undefined;
    do {
      const params = { ...defined({ cursor }), ...ownMeta(meta) };
      const page = await this.#page(params, known?.pages[pages.length]);
      const { result, error } = page.message;
      if (!isObject(result) || !Array.isArray(result.tools))
        return failed(error === undefined ? 'it did not list its tools' : 'it answered with an error');
      pages.push(page);
      for (const { length } of page.bytes) size += length;
      if (size > MOST_BYTES) return failed('its list of tools is too long');
      cursor = nextCursor(result);
      if (pages.length > MOST_PAGES || (cursor !== undefined && elapsed() > end))
        return failed('its list of tools does not end');
    } while (cursor !== undefined);
    const isPaged = pages.length > 1;
    if (known?.pages.length === pages.length && pages.every((page, at) => page === known.pages[at]))
      return { listed: known.listed, isPaged };
    const results = pages.map(({ message }) => message.result as Record<string, unknown>);
    const { nextCursor: _, ttlMs: _ttl, cacheScope: _scope, ...rest } = results[0] as Record<string, unknown>;
    const result = { ...rest, ...cachingOf(results) };
    const listed = { tools: results.flatMap(({ tools }) => tools as unknown[]), result };
    this.#last = { pages, listed };
    return { listed, isPaged };
  }

  /** @param before the same page of the last list, which is returned if the server sent the same */
  async #page(params: object, before: Page | undefined): Promise<Page> {
    const { line, id, message } = await this.#ask('tools/list', params);
    const bytes = line === undefined ? [] : withoutId(line, id);
    if (before !== undefined && isSame(bytes, before.bytes)) return before;
    return { bytes, message: message() };
  }

  /** The server is gone: no more answers will come. */
  end(): void {
    this.#isOver = true;
    for (const done of [...this.#open.values()]) done();
  }

  /** One request of ours; a message without a result where it was not answered in time. */
  async request(method: string, params: object): Promise<Message> {
    return (await this.#ask(method, params)).message();
  }

  #ask(method: string, params: object): Promise<Answer> {
    const id = `${this.#prefix}${this.#count++}`;
    const { send, isBusy } = this.settings;
    const sent = elapsed();
    return new Promise((resolve) => {
      const done = (line?: Buffer, message?: Message): void => {
        clearTimeout(timer);
        this.#open.delete(id);
        if (line !== undefined || message !== undefined) {
          this.#hasAnswered = true;
          this.#wait = Math.max(this.#wait, this.#patience.usual);
        }
        const read = (): Message => message ?? (line && readMessages(line)?.messages[0]) ?? NO_ANSWER;
        resolve({ id, message: read, ...(line === undefined ? {} : { line }) });
      };
      const late = (): void => {
        // Our request waits behind the server's work for the host, as the held call would.
        if (this.#hasAnswered && isBusy?.()) {
          timer = setTimeout(late, this.#wait);
          return;
        }
        this.#wait = this.#patience.short;
        setBounded(this.#givenUp, id, sent, MOST_GIVEN_UP);
        done();
      };
      let timer = setTimeout(late, this.#wait);
      this.#open.set(id, done);
      if (this.#isOver) done();
      else send(toLine({ id, method, params }));
    });
  }
}
