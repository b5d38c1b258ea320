// Requests of the host that are not answered yet.
import { setBounded } from './bounded.ts';
import { idTextOf, type Message } from './message.ts';
import type { Outlined } from './outline.ts';

/** How many are remembered. */
const MOST = 10_000;
/** Requests that stay open as long as the host wants updates: no work is going on for them. */
const LISTEN = 'subscriptions/listen';
/** Their answers are read. */
const READ: ReadonlySet<string | undefined> = new Set(['initialize', 'tools/list']);

export class UnderWay {
  /** By their ids as JSON text; the message where the answer is read. */
  readonly #read = new Map<string, Message>();
  readonly #busy = new Map<string, true>();

  /** Whether the server is working. It may do one thing at a time. */
  get isBusy(): boolean {
    return this.#busy.size > 0;
  }

  get hasRead(): boolean {
    return this.#read.size > 0;
  }

  get isAny(): boolean {
    return this.isBusy || this.hasRead;
  }

  /** @param isRead whether the answer is wanted, too */
  asked(idText: string, message: Message, isRead: boolean): void {
    const isList = READ.has(message.method);
    if (isList || isRead) setBounded(this.#read, idText, message, MOST);
    if (!isList && message.method !== LISTEN) setBounded(this.#busy, idText, true, MOST);
  }

  /** The host took it back, or we answered it: the server owes no answer to it. */
  dropped(idText: string | undefined): void {
    if (idText === undefined) return;
    this.#busy.delete(idText);
    this.#read.delete(idText);
  }

  /** Whether one of these answers is wanted. */
  isRead(messages: readonly Outlined[]): boolean {
    return (
      this.hasRead && messages.some(({ id, method }) => id !== undefined && !method && this.#read.has(idTextOf(id)))
    );
  }

  /** The request whose answer is wanted, once. */
  take(idText: string): Message | undefined {
    const request = this.#read.get(idText);
    this.#read.delete(idText);
    return request;
  }

  /** Answers have come. @returns whether one of them is to a request that kept the server busy */
  answered(ids: readonly string[]): boolean {
    for (const id of ids) this.#read.delete(id);
    return ids.filter((id) => this.#busy.delete(id)).length > 0;
  }
}
