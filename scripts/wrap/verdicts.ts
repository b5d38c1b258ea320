// Decides what happens to one call of the host.
import { elapsed } from '../contract/elapsed.ts';
import { toJson } from '../contract/to-json.ts';
import { own as field, isObject } from '../contract/types.ts';
import { writeError } from '../guard/answer.ts';
import type { GuardLink } from './beside-guard.ts';
import { setBounded } from './bounded.ts';
import type { Lists } from './lists.ts';
import type { Message } from './message.ts';
import type { OwnRequests } from './own-requests.ts';
import { brokenText } from './plain-words.ts';
import type { Behind, HeldCall, HostTools, Verdict } from './types.ts';

/** For how many tools what a stop named is remembered. */
const MOST_TAUGHT = 1_000;

/**
 * No model reads an answer and calls again within so many ms, also over a fast network. A call that comes sooner was decided on
 * before: hosts may send the calls of one turn one after the other.
 */
const SOONEST = 100;

export interface VerdictSettings {
  /** Only asked if something differs or is unknown. */
  judge(call: HeldCall): Promise<Verdict>;
  /** Asked for each call that would be passed on: what was approved can change without the server. */
  approve?: ((call: HeldCall) => Promise<Verdict>) | undefined;
  behind?: Behind | undefined;
  /** Asked for each call that would be passed on of a tool behind an invoker that is offered as one of its own. */
  fits?: ((call: HeldCall) => Promise<Verdict>) | undefined;
  /** The guard of the host, which may have judged a call before it came here. */
  guard?: (() => GuardLink | undefined) | undefined;
  offer?: HostTools | undefined;
  /** In place of `SOONEST`, for hosts that no model waits for. */
  soonest?: number | undefined;
}

/** A verdict, and what was found out for it. */
export interface CallVerdict {
  about: HeldCall;
  verdict: Verdict;
  /** Whether the host was only ever given this contract, and only wrap judged the call. */
  isUnchanged: boolean;
  /** What the guard has found for it. It says so once. */
  guarded?: Awaited<ReturnType<GuardLink['judged']>>;
}

/** The arguments of a call, and why they cannot be judged where they are of no known form. */
export const argumentsOf = ({ params }: Message): Pick<HeldCall, 'args' | 'unread'> => {
  const given = params.arguments;
  if (isObject(given)) return { args: given };
  return given === undefined || given === null ? { args: {} } : { args: {}, unread: 'its arguments are no object' };
};

export const nameOf = ({ params }: Message): string => (typeof params.name === 'string' ? params.name : '');

export class Verdicts {
  /** The last contract of each tool that a stop named to the model, by the tool's name, as JSON. */
  readonly #taught = new Map<string, string>();
  /** How many calls have come, without those that came too soon after the last one was answered with a text of ours. */
  #calls = 0;
  /** When that was, in ms since some moment. */
  #deliveredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly lists: Lists,
    private readonly own: OwnRequests,
    private readonly settings: VerdictSettings,
  ) {}

  /**
   * @param unread why the call could not be read, where that is so
   * @param before the verdict on it before the server's tools changed
   */
  async on(call: Message, host: string | undefined, unread?: string, before?: CallVerdict): Promise<CallVerdict> {
    const name = nameOf(call);
    const order = before?.about.order ?? this.#place();
    const listed = await this.lists.forCall(name, call.params._meta);
    const { served } = this.lists;
    const read = argumentsOf(call);
    const about: HeldCall = {
      name,
      args: read.args,
      unread: unread ?? read.unread,
      served: served.of(name),
      taught: this.#taught.get(name),
      listed,
      given: served.lastOf(name),
      order,
      host,
      beside: () => served.beside(name),
    };
    const isUnchanged = about.taught === undefined && this.lists.isUnchanged(about);
    try {
      return { about, ...(await this.#judged(call, about, order, isUnchanged, before)) };
    } catch (error) {
      const isLocked = this.settings.approve !== undefined;
      const text = brokenText(error, name, isLocked);
      writeError(text);
      return { about, isUnchanged: false, verdict: isLocked ? { pass: false, text } : { pass: true, told: text } };
    }
  }

  /** The host is given the verdict's text: from here on, the model may go by it. */
  delivered({ about, verdict }: CallVerdict): void {
    this.#teach(about, verdict);
    verdict.delivered?.(this.#calls);
    this.#deliveredAt = elapsed();
  }

  /** The place of a call that comes now: one that came too soon does not know what was told. */
  #place(): number {
    const { soonest = SOONEST } = this.settings;
    return elapsed() - this.#deliveredAt < soonest ? this.#calls : ++this.#calls;
  }

  /** Remembers the contract that a stop names to the model. */
  #teach({ name, listed }: HeldCall, verdict: Verdict): void {
    if (verdict.pass || verdict.namesForm !== true || listed.failed !== undefined) return;
    const [now, another] = listed.tools.filter((tool) => isObject(tool) && tool.name === name);
    if (now === undefined || another !== undefined) return;
    setBounded(this.#taught, name, toJson(now), MOST_TAUGHT);
  }

  async #judged(
    call: Message,
    about: HeldCall,
    order: number,
    isUnchanged: boolean,
    before?: CallVerdict,
  ): Promise<Omit<CallVerdict, 'about'>> {
    const { judge, approve, behind, fits, guard, offer } = this.settings;
    const renamed = offer?.renamed?.(about.name, order);
    if (renamed !== undefined) return { isUnchanged, verdict: renamed };
    const meta = call.params._meta;
    const toolUseId = field(meta, 'claudecode/toolUseId');
    const link = typeof toolUseId === 'string' ? guard?.() : undefined;
    // If that fails, we judge as if there were no handoff.
    const isSame = before !== undefined && before.about.listed === about.listed;
    const known = isSame ? before.guarded : await link?.judged(about, toolUseId as string).catch(() => undefined);
    const logged: HeldCall = { ...about, guarded: known?.guarded };
    let verdict: Verdict = known?.verdict ?? (isUnchanged ? { pass: true } : await judge(about));
    if (approve !== undefined) verdict = await alsoBy(verdict, () => approve(logged));
    // The guard leaves refusing arguments to the server, and the hub refuses none.
    if (fits !== undefined && offer?.isTyped?.(about.name)) verdict = await alsoBy(verdict, () => fits(logged));
    // The guard has judged the call inside, too.
    if (known === undefined && behind !== undefined)
      verdict = await alsoBy(verdict, () => behind.judge(about, this.own, meta));
    if (!verdict.pass) link?.stopped(toolUseId as string);
    return { isUnchanged: isUnchanged && known === undefined, verdict, guarded: known };
  }
}

/** A call that would be passed on needs one more yes; its message stays. */
const alsoBy = async (verdict: Verdict, ask: () => Promise<Verdict>): Promise<Verdict> => {
  if (!verdict.pass) return verdict;
  const more = await ask();
  if (!more.pass) return more;
  const told = [verdict.told, more.told].filter((text) => text !== undefined);
  if (told.length === 0) return { pass: true };
  const delivered = (calls: number): void => {
    for (const one of [verdict, more]) one.delivered?.(calls);
  };
  return { pass: true, told: told.join('\n'), delivered };
};
