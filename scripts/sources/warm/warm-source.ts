import { statSync } from 'node:fs';
import type Http from 'node:http';
import type { JsonObject } from '../../contract/types.ts';
import { ageOf, type Moment, thisMoment } from '../../state/circumstances.ts';
import { livePath } from '../../state/paths.ts';
import { type Head, isLive, readHead } from '../head.ts';
import type { AskOptions, LiveAnswer } from '../live.ts';
import { endSession, type McpRequest } from '../mcp/ask-list.ts';
import { sessionKeeper } from '../mcp/kept-session.ts';
import { type Listening, listening, replyTo } from '../mcp/listen.ts';
import { exchange } from '../request.ts';
import { askAgain, type Repeated } from '../revalidate.ts';
import type { Source } from '../source.ts';
import type { Clocks } from './clocks.ts';
import { Credit } from './credit.ts';
import { Pace } from './pace.ts';
import { Subscription } from './subscription.ts';

/** What all sources of one conversation share. */
export interface WarmContext {
  home: string;
  /** Seconds. */
  freshFor: number;
  /** See `Source.personal`. */
  session?: string | undefined;
  /** How often we check a source that announces changes, in ms, before jitter. */
  lookEvery: number;
  /** Asks a source as `askSource` does, and stores what it answers. */
  ask(source: Source, options: AskOptions): Promise<AskOutcome>;
  agentFor(url: string): Http.Agent;
  clocks: Clocks;
}

/** The outcome of a question, as far as it matters here. */
export type AskOutcome = { status: 'live' } | Pick<Extract<LiveAnswer, { status: 'failed' }>, 'status' | 'kind'>;

/** Why the last answer of a source counts as live now, and when it was asked for. */
export interface SourceStanding {
  /** `subscribed`: its server announces changes, and none since. `asked`: we only know that it was asked then. */
  kind: 'subscribed' | 'asked';
  at: Moment;
}

/**
 * Largest answer that is read here, in bytes, and largest stored one that is asked about: others wait meanwhile. Larger ones
 * get a connection of their own.
 */
const LONGEST = 512 * 1024;
/** How long a question in the background may take, in ms. */
const DEADLINE = 5_000;
/** How long a server may take to end a session, in ms. */
const ENDING = 300;
/** Silence means "unchanged" only if the server sent something within this many checks. */
const PROOF = 1.5;
/** How long after we see a change the server may still announce it, in ms. */
const LATE_WORD = 1_000;
/** We answer at most one of the server's requests in this time, in ms. */
const ANSWER_EVERY = 1_000;

const isBefore = (one: Moment, other: Moment): boolean => one.at < other.at || one.up < other.up;
const latest = (one: Moment, other: Moment | undefined): Moment =>
  other !== undefined && other.up > one.up ? other : one;
const askedAt = ({ checkedAt, checkedUp }: Head): Moment => ({ at: checkedAt, up: checkedUp });

interface LastSeen {
  digest: string;
  announced: Moment | undefined;
  /** When the stream began that would have told of a change; undefined if none would have. */
  stream: Moment | undefined;
}

/** One source, kept warm. Asks unprompted only if the server announces changes, or calls have earned it. */
export class WarmSource {
  readonly #subscription: Subscription;
  /** When its server last announced that its tools changed. */
  #announced: Moment | undefined;
  /** When it last answered a question of ours. */
  #answered: Moment | undefined;
  /** Its last answer, as we last saw it. */
  #seen: LastSeen | undefined;
  #isLooking = false;
  #nextLook = 0;
  readonly #pace = new Pace();
  readonly #credit = new Credit();
  #timer: NodeJS.Timeout | undefined;
  /** Asks again when the last answer no longer counts as live. */
  #later: NodeJS.Timeout | undefined;
  #repliedAt = 0;
  #isClosed = false;

  constructor(
    private readonly source: Source,
    private readonly around: WarmContext,
  ) {
    this.#subscription = new Subscription({
      way: () => this.#way(),
      begun: () => this.tend(),
      announced: (kind) => {
        if (kind === 'tools') this.#hear();
      },
      asked: (request) => this.#reply(request),
      unknown: (session) => {
        this.#keeper?.forget(session);
        this.#hurry();
      },
    });
    this.tend();
  }

  standing(): SourceStanding | undefined {
    const head = this.#head();
    if (head === undefined || head.failure || head.session !== undefined || ageOf(askedAt(head)) === undefined)
      return undefined;
    return { kind: this.#isSubscribed(head) ? 'subscribed' : 'asked', at: askedAt(head) };
  }

  /** When its server announced a change that came after it gave this answer; undefined if it announced none. */
  announcedSince(head: Head): Moment | undefined {
    return this.#announced && isBefore(askedAt(head), this.#announced) ? this.#announced : undefined;
  }

  /** As `announcedSince`, for its last answer. */
  announced(): Moment | undefined {
    const head = this.#announced && this.#head();
    return head && this.announcedSince(head);
  }

  /** Whether the answer of this head is still the same; undefined if one small request cannot tell. */
  again(head: Head, deadline: number): Promise<Repeated> | undefined {
    this.#head();
    const repeat = this.#isLarge() ? undefined : this.source.repeat?.(head);
    if (repeat === undefined) return undefined;
    const agent = this.around.agentFor(repeat.url);
    return askAgain({ ...repeat, agent, longest: LONGEST }, deadline, this.#keeper).then((repeated) => {
      if (repeated.status === 'timeout') this.#subscription.renew();
      else if (repeated.status !== 'unsettled') this.#answered = thisMoment();
      return repeated;
    });
  }

  /** As `again`, for a call. Undefined also where there is nothing to compare the answer with. */
  againForCall(head: Head, deadline: number): Promise<Repeated> | undefined {
    return head.etag === undefined ? undefined : this.again(head, deadline);
  }

  /** A call was judged by an answer that was asked for. */
  askedForCall(outcome: AskOutcome): void {
    this.#asked(outcome);
  }

  async called(reads: boolean): Promise<void> {
    if (this.#credit.called(reads)) await this.#refresh();
  }

  /** A person has said something: the model will think, and then call what it called before. */
  async prompted(): Promise<void> {
    if (this.#credit.prompted()) await this.#refresh();
  }

  /** Call about every second: subscribes, and asks when that is due. */
  tend(): void {
    if (this.#isClosed) return;
    this.#subscription.attempt();
    const since = this.#silentSince();
    if (since === undefined) return;
    const head = this.#head();
    // A source that failed is left alone for a while.
    if (head?.failure && isLive(head, this.around.session)) return;
    const now = thisMoment();
    if (head === undefined || head.failure || isBefore(askedAt(head), since)) this.#hurry();
    else if (now.up >= this.#nextLook || !this.#isThere()) {
      // Ten conversations share one check.
      const half = this.around.lookEvery / 2;
      void this.#look({ at: now.at - half, up: now.up - half }, true);
    }
  }

  /** An announcement may have been lost. */
  renew(): void {
    this.#subscription.renew();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#later);
    this.#subscription.close();
    const keeper = this.#keeper;
    const [request, kept] = [this.#request(), keeper?.read()];
    if (request === undefined || kept === undefined) return;
    keeper?.forget(kept.id);
    await endSession(request, kept, ENDING);
  }

  get #keeper() {
    return sessionKeeper(this.around.home, this.source.key);
  }

  /** The head of its last answer. Doubts a server that promised to announce changes, and did not. */
  #head(): Head | undefined {
    const head = readHead(this.around.home, this.source.key);
    if (head === undefined || head.failure) return head;
    const before = this.#seen;
    const stream = this.#subscription.since('tools');
    this.#seen = {
      digest: head.digest,
      announced: this.#announced,
      stream: this.#isSubscribed(head) ? stream : undefined,
    };
    if (before === undefined || before.digest === head.digest) return head;
    if (before.stream !== undefined && before.stream === stream && before.announced === this.#announced)
      this.#doubt(stream);
    return head;
  }

  /** How to ask it over MCP, as first contact showed. */
  #request(): McpRequest | undefined {
    const mcp = readHead(this.around.home, this.source.key)?.mcp;
    const repeat = mcp && this.source.repeat?.({ mcp });
    return repeat !== undefined && 'protocol' in repeat ? repeat : undefined;
  }

  #isLarge(): boolean {
    const stored = statSync(livePath(this.around.home, this.source.key), { throwIfNoEntry: false });
    return stored !== undefined && stored.size > LONGEST;
  }

  #asked(outcome: AskOutcome): void {
    if (this.#isClosed) return;
    if (outcome.status === 'failed') {
      // A server that does not answer may not announce, either.
      if (outcome.kind === 'unreachable') this.#subscription.renew();
      return;
    }
    this.#answered = thisMoment();
    this.#head();
    this.#subscription.attempt();
  }

  #way(): Listening | null | undefined {
    const request = this.#request();
    return request && listening(request, this.#keeper?.read());
  }

  /** Since when it has announced nothing; undefined while we would not hear it. */
  #silentSince(): Moment | undefined {
    const since = this.#subscription.since('tools');
    return since && this.around.clocks.isSteady() ? latest(since, this.#announced) : undefined;
  }

  /** Whether it was there a short time ago. */
  #isThere(): boolean {
    const { heard } = this.#subscription;
    const age = heard && ageOf(latest(heard, this.#answered));
    return age !== undefined && age < this.around.lookEvery * PROOF;
  }

  /** Whether its silence means that this answer still holds. */
  #isSubscribed(head: Head): boolean {
    const since = this.#silentSince();
    return since !== undefined && this.#isThere() && !head.failure && !isBefore(askedAt(head), since);
  }

  async #refresh(): Promise<void> {
    const head = this.#head();
    if (this.#isClosed || this.#credit.isSpent || (head !== undefined && this.#isSubscribed(head))) return;
    if (head !== undefined && isLive(head, this.around.session)) {
      // Until then it counts unchanged; many calls in a short time cause one question.
      this.#later ??= setTimeout(() => {
        this.#later = undefined;
        void this.#refresh();
      }, head.freshUntil - Date.now()).unref();
      return;
    }
    this.#credit.spend();
    await this.#look(thisMoment(), false);
  }

  /** Asks in the background; any answer asked for since then is enough, also another caller's. */
  async #look(since: Moment, force: boolean): Promise<void> {
    // Anything that one request cannot ask would run a command, or start a program.
    if (this.#isClosed || this.#isLooking || this.source.repeat === undefined) return;
    const { freshFor, session, lookEvery } = this.around;
    this.#isLooking = true;
    this.#nextLook = thisMoment().up + lookEvery * (0.75 + Math.random() / 2);
    try {
      this.#head();
      this.#asked(await this.around.ask(this.source, { freshFor, deadline: DEADLINE, since, force, session }));
    } catch {
      // What is unknown stays unknown.
    }
    this.#isLooking = false;
    // Something may have been announced meanwhile.
    this.tend();
  }

  #hear(): void {
    this.#announced = thisMoment();
    this.#hurry();
  }

  /** Asks for its tools: at once, then less and less often while it keeps announcing. */
  #hurry(): void {
    if (this.#timer !== undefined || this.#isLooking || this.#isClosed) return;
    const wait = this.#pace.waitAt(thisMoment().up);
    const ask = (): void => {
      this.#timer = undefined;
      this.#pace.askedAt(thisMoment().up);
      void this.#look(this.#silentSince() ?? thisMoment(), true);
    };
    if (wait === 0) ask();
    else this.#timer = setTimeout(ask, wait).unref();
  }

  /** Its tools changed unannounced: if it does not announce that now, its silence means nothing. */
  #doubt(stream: Moment | undefined): void {
    const announced = this.#announced;
    setTimeout(() => {
      if (this.#announced === announced && this.#subscription.since('tools') === stream) this.#subscription.close();
    }, LATE_WORD).unref();
  }

  /** One answer at a time; further requests are dropped: no server needs more from us. */
  #reply(asked: JsonObject): void {
    const now = thisMoment().up;
    const [request, kept] = [this.#request(), this.#keeper?.read()];
    if (now - this.#repliedAt < ANSWER_EVERY || request === undefined || kept === undefined) return;
    this.#repliedAt = now;
    void exchange({ ...replyTo(asked, request, kept), agent: this.around.agentFor(request.url) }, DEADLINE);
  }
}
