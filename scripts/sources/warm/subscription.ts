import { isObject, type JsonObject, type ListKind } from '../../contract/types.ts';
import { ageOf, type Moment, thisMoment } from '../../state/circumstances.ts';
import { LIST_KINDS } from '../mcp/kept-session.ts';
import { changedList } from '../mcp/list-parts.ts';
import type { Listening } from '../mcp/listen.ts';
import { openStream, type Stream } from './stream.ts';

export interface SubscriptionEvents {
  /** See `listening`. */
  way(): Listening | null | undefined;
  /** The server announces changes from now on: earlier answers may have changed without our hearing of it. */
  begun(): void;
  /** It announces that a list changed. */
  announced(kind: ListKind): void;
  /** It makes a request of its own. */
  asked(request: JsonObject): void;
  /** It does not know this session. */
  unknown(session: string): void;
}

/** The pause before the next attempt, in ms: doubled with each one, up to a limit, with jitter. */
const PAUSE = { first: 1_000, longest: 60_000 };
/** A stream that lasted this long was a good one, in ms: the next attempt comes soon. */
const GOOD = 30_000;
/** The server is there, and may open a stream later. */
const TRANSIENT = [408, 409, 425, 429];

/** The lists whose changes a server has promised to announce. */
const confirmedIn = ({ params }: JsonObject): ListKind[] => {
  const honored = isObject(params) && isObject(params.notifications) ? params.notifications : {};
  return LIST_KINDS.filter((kind) => honored[`${kind}ListChanged`] === true);
};

/** Keeps a server announcing changes; starts again when the stream ends. Keeps no process alive. */
export class Subscription {
  #stream: Stream | undefined;
  #tells: readonly ListKind[] = [];
  #since: Moment | undefined;
  #heard: Moment | undefined;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly on: SubscriptionEvents) {}

  /** Since when changes of this list are announced; undefined while they are not. */
  since(kind: ListKind): Moment | undefined {
    return this.#tells.includes(kind) ? this.#since : undefined;
  }

  /** When the server last sent anything. */
  get heard(): Moment | undefined {
    return this.#heard;
  }

  /** Connects, if that is possible now; not while it is connected, or waits because an attempt failed. */
  attempt(): void {
    if (this.#isClosed || this.#stream !== undefined || this.#timer !== undefined) return;
    const way = this.on.way();
    if (way === null) this.close();
    if (!way) return;
    this.#stream = openStream(way.request, {
      open: () => {
        this.#heard = thisMoment();
        if (way.tells !== undefined) this.#begin(way.tells);
      },
      bytes: () => {
        this.#heard = thisMoment();
      },
      message: (message) => this.#hear(message),
      end: (status) => {
        this.#lose();
        if (status === 404 && way.session !== undefined) {
          this.#later();
          return this.on.unknown(way.session);
        }
        const isRefused = status === 'odd' || (status !== undefined && status >= 400 && status < 500);
        if (isRefused && !TRANSIENT.includes(status as number)) this.close();
        else this.#later();
      },
    });
  }

  /** Starts again, because an announcement may have been lost. */
  renew(): void {
    if (this.#stream === undefined) return;
    this.#lose();
    this.attempt();
  }

  /** Ends it for good. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#lose();
  }

  #begin(kinds: readonly ListKind[]): void {
    this.#tells = kinds;
    this.#since = thisMoment();
    // It announces nothing, whatever we ask for.
    if (kinds.length === 0) this.close();
    else this.on.begun();
  }

  #hear(message: JsonObject): void {
    const kind = changedList(message.method);
    if (kind !== undefined) this.on.announced(kind);
    else if (message.method === 'notifications/subscriptions/acknowledged') {
      if (this.#since === undefined) this.#begin(confirmedIn(message));
    } else if (typeof message.method === 'string' && message.id !== undefined) this.on.asked(message);
  }

  #lose(): void {
    const lasted = this.#since && ageOf(this.#since);
    if (lasted !== undefined && lasted > GOOD) this.#attempts = 0;
    this.#stream?.close();
    this.#stream = this.#since = undefined;
    this.#tells = [];
  }

  #later(): void {
    const pause = Math.min(PAUSE.first * 2 ** this.#attempts++, PAUSE.longest) * (0.5 + Math.random());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.attempt();
    }, pause).unref();
  }
}
