// Messages of the host that wait, in order, behind a call without a verdict.
import type { Tap } from './lines.ts';
import type { Message, Parsed } from './message.ts';

/** How many bytes may wait. Beyond that, the host has to wait, too. */
const MOST_WAITING = 8 * 1024 * 1024;

/** A message of the host: its bytes, and what they hold. */
export interface SentBytes {
  bytes: Buffer;
  /** Whether its line ends with it. */
  last: boolean;
  parsed?: Parsed | undefined;
  /** Whether it has to wait for a verdict. */
  isHeld: boolean;
  /** Requests in it that the host took back. */
  cancelled?: Set<Message>;
}

interface WaitingSettings {
  /** The host's output, which is not read while too much waits. */
  from: Tap;
  pass(sent: SentBytes): void;
  /** Nothing is waiting. */
  empty(): void;
}

export class Waiting {
  readonly #sent: SentBytes[] = [];
  /** Called when nothing is left before a message. */
  readonly #turns = new Map<SentBytes, () => void>();
  #bytes = 0;

  constructor(private readonly settings: WaitingSettings) {}

  get isEmpty(): boolean {
    return this.#sent.length === 0;
  }

  /** Passes it on, at once or when its turn comes. */
  add(sent: SentBytes): void {
    if (this.isEmpty && !sent.isHeld) {
      this.settings.pass(sent);
      return;
    }
    this.#sent.push(sent);
    this.#bytes += sent.bytes.length;
    if (this.#bytes > MOST_WAITING) this.settings.from.hold(this);
  }

  /** Resolves once nothing is left before a message that waits. */
  turnOf(sent: SentBytes): Promise<void> {
    if (this.#sent[0] === sent) return Promise.resolve();
    return new Promise((done) => this.#turns.set(sent, done));
  }

  /** The verdict is there. @param bytes what is left to be passed on */
  release(sent: SentBytes, bytes: Buffer): void {
    this.#bytes += bytes.length - sent.bytes.length;
    sent.bytes = bytes;
    sent.isHeld = false;
    for (let first = this.#sent[0]; first !== undefined && !first.isHeld; first = this.#sent[0]) {
      this.#sent.shift();
      this.#bytes -= first.bytes.length;
      this.settings.pass(first);
    }
    const [next] = this.#sent;
    if (next !== undefined) {
      this.#turns.get(next)?.();
      this.#turns.delete(next);
    }
    if (this.#bytes <= MOST_WAITING) this.settings.from.free(this);
    if (this.isEmpty) this.settings.empty();
  }

  /** The host takes a request back. @returns whether it waits here: then the server has not seen it */
  cancel(idText: string | undefined): boolean {
    const isIt = (one: Message): boolean =>
      one.method !== undefined && one.idText !== undefined && one.idText === idText;
    for (const sent of this.#sent) {
      const request = sent.parsed?.messages.find(isIt);
      if (request === undefined) continue;
      sent.cancelled ??= new Set();
      sent.cancelled.add(request);
      return true;
    }
    return false;
  }
}
