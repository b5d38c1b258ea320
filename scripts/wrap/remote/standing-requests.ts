import { setBounded } from '../bounded.ts';
import type { Message } from '../message.ts';

const MOST = 1_000;
const LEVEL = 'logging/setLevel';
const SUBSCRIBE = 'resources/subscribe';
const UNSUBSCRIBE = 'resources/unsubscribe';

/**
 * What the host asked for that holds until the session ends: its log level, and its subscriptions to resources. `_meta`
 * belongs to the message alone: a progress token of the host would be used twice.
 */
export class StandingRequests {
  readonly #requests = new Map<string, { method: string; params: Record<string, unknown> }>();

  /** @param message of the host */
  learn({ method, params: { _meta, ...params } }: Message): void {
    if (method === 'initialize') this.#requests.clear();
    if (method === LEVEL) setBounded(this.#requests, LEVEL, { method, params }, MOST);
    if (typeof params.uri !== 'string') return;
    const of = `of ${params.uri}`;
    if (method === SUBSCRIBE) setBounded(this.#requests, of, { method, params }, MOST);
    if (method === UNSUBSCRIBE) this.#requests.delete(of);
  }

  /** What a new session has to be asked for again. */
  requests(): { method: string; params: Record<string, unknown> }[] {
    return [...this.#requests.values()];
  }
}
