// When what a remote server listed last still counts as what it lists now. A program is asked before each call.
import { own as field, isObject } from '../contract/types.ts';
import { ageOf, type Moment, thisMoment } from '../state/circumstances.ts';
import type { Listed, WasListed } from './own-requests.ts';

/** After how many ms a server that announces its changes is asked anyway, before jitter. */
const LOOK_EVERY = 60_000;
/** How many ms an answer counts at most, even if it names more. */
const LONGEST = 60_000;

const isBefore = (one: Moment, other: Moment): boolean => one.up < other.up;

export class ListFreshness {
  #last: { listed: WasListed; asked: Moment; isSubscribed: boolean } | undefined;
  /** When the server last said that its list changed. */
  #announced: Moment | undefined;
  /** When the host was last given an answer: since then its model thinks. */
  #answered: Moment = thisMoment();
  #lookAfter = LOOK_EVERY;
  /** It changed its list without an announcement. */
  #isSilent = false;

  /** @param listeningSince when the stream began on which the server says what changes; undefined while there is none */
  constructor(private readonly listeningSince: () => Moment | undefined) {}

  /** The server says that its list changed, or may have changed it because it restarted. */
  announced(): void {
    this.#announced = thisMoment();
  }

  /** The host was given an answer. @returns whether it is worth to ask now, while its model thinks */
  answered(name: string | undefined): boolean {
    this.#answered = thisMoment();
    return name !== undefined && this.#isReading(name) && !this.#isSubscribed();
  }

  /** What the server listed, and when it was asked. */
  learned(listed: Listed, asked: Moment): void {
    if (listed.failed !== undefined) {
      this.#last = undefined;
      return;
    }
    const before = this.#last;
    const hadToSay = before?.isSubscribed === true && this.#isSubscribedSince(before.asked);
    if (before !== undefined && hadToSay && before.listed !== listed) this.#isSilent = true;
    this.#lookAfter = LOOK_EVERY * (0.75 + Math.random() / 2);
    this.#last = { listed, asked, isSubscribed: this.#isSubscribedSince(asked) };
  }

  /** What the server lists, if that is known without asking. It may let a call pass, and never refuses one. */
  known(name: string): Listed | undefined {
    if (this.#last === undefined) return undefined;
    const { listed, asked } = this.#last;
    const age = ageOf(asked);
    if (age === undefined || this.#isOutdated(asked)) return undefined;
    const { ttlMs } = listed.result;
    if (typeof ttlMs === 'number' && age < Math.min(ttlMs, LONGEST)) return listed;
    if (this.#isSubscribed() && age < this.#lookAfter) return listed;
    return this.#isReading(name) && !isBefore(asked, this.#answered) && age < LONGEST ? listed : undefined;
  }

  /** Whether the silence of the server counts: it announces changes, and announced none since it was last asked. */
  #isSubscribed(): boolean {
    return !this.#isSilent && this.#last !== undefined && this.#isSubscribedSince(this.#last.asked);
  }

  /** Whether it would have announced a change since it was asked, and announced none. */
  #isSubscribedSince(asked: Moment): boolean {
    const since = this.listeningSince();
    return since !== undefined && !isBefore(asked, since) && !this.#isOutdated(asked);
  }

  /** Whether a change was announced since; in the same moment counts as since. */
  #isOutdated(asked: Moment): boolean {
    return this.#announced !== undefined && !isBefore(this.#announced, asked);
  }

  #isReading(name: string): boolean {
    const tool = this.#last?.listed.tools.find((one) => field(one, 'name') === name);
    return isObject(tool) && field(tool.annotations, 'readOnlyHint') === true;
  }
}
