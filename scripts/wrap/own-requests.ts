import { randomBytes } from 'node:crypto';
import { isObject } from '../contract/types.ts';
import { type Message, readMessage, toLine } from './message.ts';

/** How long the server may take to list its tools before a call, in ms. Then nothing is known. */
const PATIENCE = 5_000;
const MOST_PAGES = 100;

/** What the server lists now, as it was sent: one object for each tool. `failed`: it did not say, and why. */
export type Listed =
  | {
      tools: unknown[];
      /** What its first page says beside the tools. */
      result: Record<string, unknown>;
      failed?: never;
    }
  | { failed: string };

interface Open {
  done(message: Message): void;
}

/**
 * Requests of our own on the connection of the host. Their ids begin with a text that no host uses, so the host's own ids can
 * stay as they are.
 */
export class OwnRequests {
  readonly #prefix = `konnichiwagwan-${randomBytes(9).toString('hex')}-`;
  readonly #mark = Buffer.from(this.#prefix);
  readonly #open = new Map<string, Open>();
  readonly #send: (line: Buffer) => void;
  #count = 0;

  constructor(send: (line: Buffer) => void) {
    this.#send = send;
  }

  get isWaiting(): boolean {
    return this.#open.size > 0;
  }

  /** Whether the line answers a request of ours. If it does, it is not for the host. */
  take(line: Buffer): boolean {
    if (!line.includes(this.#mark)) return false;
    const message = readMessage(line);
    if (message === undefined) return false;
    const { id, method } = message;
    const open = typeof id === 'string' && method === undefined ? this.#open.get(id) : undefined;
    if (open !== undefined) open.done(message);
    // An answer that comes too late is not for the host either.
    return method === undefined && typeof id === 'string' && id.startsWith(this.#prefix);
  }

  /** All pages of `tools/list`. @param meta what each request has to say about itself in the protocol's newer revisions */
  async list(meta: unknown): Promise<Listed> {
    const tools: unknown[] = [];
    let cursor: unknown;
    let first: Record<string, unknown> | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const params = { ...(cursor === undefined ? {} : { cursor }), ...(isObject(meta) ? { _meta: meta } : {}) };
      const { result, error } = await this.request('tools/list', params);
      if (!isObject(result) || !Array.isArray(result.tools))
        return { failed: error === undefined ? 'it did not list its tools' : 'it answered with an error' };
      tools.push(...result.tools);
      first ??= result;
      cursor = result.nextCursor;
      const { nextCursor: _, ...about } = first;
      if (typeof cursor !== 'string') return { tools, result: about };
    }
    return { failed: 'its list of tools does not end' };
  }

  /** The server is gone: nothing is answered any more. */
  end(): void {
    for (const { done } of this.#open.values()) done({ params: {} });
  }

  /** One request of ours; a message without a result where it was not answered in time. */
  request(method: string, params: object): Promise<Message> {
    const id = `${this.#prefix}${this.#count++}`;
    return new Promise((resolve) => {
      const done = (message: Message): void => {
        clearTimeout(timer);
        this.#open.delete(id);
        resolve(message);
      };
      const timer = setTimeout(() => done({ params: {} }), PATIENCE);
      this.#open.set(id, { done });
      this.#send(toLine({ id, method, params }));
    });
  }
}
