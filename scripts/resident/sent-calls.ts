// Remembers calls that were sent. If a contract changes after its call, the next look finds and tells that.
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../contract/defined.ts';
import type { HookAnswer } from '../guard/answer.ts';
import type { CallPlace, JudgedCall } from '../guard/fast-path.ts';
import type { HookInput, ToolInput } from '../guard/input.ts';
import { mergeAnswers } from '../guard/invoker/merge-answers.ts';
import { type Taught, teach } from '../guard/lesson.ts';
import { notCompared, rewrittenUnread } from '../guard/messages.ts';
import { orPending } from '../sources/deadline.ts';
import { type Head, readHead } from '../sources/head.ts';
import { ageOf, thisMoment } from '../state/circumstances.ts';
import { firstTime } from '../state/markers.ts';
import { transcriptOf } from '../transcript/records.ts';
import { transcriptSize } from '../transcript/transcript-index.ts';
import { isSince } from './knowledge.ts';
import { noteOf, type SentCall, sentBefore } from './sent-call.ts';
import { sentComparisons } from './sent-comparisons.ts';
import type { ChangedTool } from './tell.ts';
import type { Threads } from './threads.ts';

/** The message about a call that was sent. */
interface FoundMessage {
  session: string;
  agent?: string | undefined;
  /** The client's name for its tool. */
  tool: string;
  /** Whether the call's own answer is not in question. */
  isOver: boolean;
  /** Whether it waits for the next prompt. */
  waits: boolean;
  answer: HookAnswer;
  /** What the model learns from it. */
  taught?: Taught | undefined;
}

/** A call, and how many characters its arguments have. */
interface RememberedCall {
  sent: SentCall;
  length: number;
}

/** What is known of a source at this moment. */
interface SourceNow {
  head: Head | undefined;
  isSubscribed: boolean;
}

type SourcesNow = (key: string) => SourceNow;

/** Who is told: a subagent, or the main conversation of a session. */
interface Audience {
  session: string;
  agent?: string | undefined;
}

/** A tool that was called and judged in a conversation. */
interface JudgedTool extends Audience {
  tool: string;
  /** Its place among all looks and judged calls. */
  at: number;
}

/** The call that a hook is about, and the verdict on it. */
interface JudgedNow {
  current?: ToolInput | undefined;
  decision?: HookAnswer['decision'] | undefined;
}

/** How many calls are remembered, and how many characters of their arguments in all. */
const MOST_CALLS = 200;
const MOST_TEXT = 2_000_000;
/**
 * If the first look comes this many ms after the answer, the change is taken to be newer than the answer, and concerns
 * only later calls.
 */
const LONG_AFTER = 60_000;
/** How many calls are assessed again for one answer; the others wait for the next. */
const MOST_AT_ONCE = 10;

/** How long a hook waits for messages to deliver, in ms: for a call of another server, and otherwise. */
const PATIENCE = { others: 40, own: 1_000 };

/** What of a call's place can be handed to another thread. */
const placeOf = ({ home, project, env, since }: CallPlace): ChangedTool['where'] => ({ home, project, env, since });

const lengthOf = ({ input }: SentCall): number => JSON.stringify(input.arguments).length;
const idOf = (session: string, toolUseId: string): string => `${session} ${toolUseId}`;

type CallId = Pick<ToolInput, 'session' | 'toolUseId'>;

const isSameCall = (one: CallId, other: CallId): boolean =>
  one.session === other.session && one.toolUseId === other.toolUseId;

/** A subagent hears about its own calls; the main conversation about all, since subagents end. */
const isHeardBy = ({ session, agent }: Audience, of: Audience): boolean =>
  of.session === session && (agent === undefined || of.agent === agent);

/** What is known of sources now. Many calls rest on few of them. */
const sourcesNow = (home: string, isSubscribed: (key: string) => boolean): SourcesNow => {
  const looked = new Map<string, SourceNow>();
  return (key) => {
    const known = looked.get(key) ?? { head: readHead(home, key), isSubscribed: isSubscribed(key) };
    looked.set(key, known);
    return known;
  };
};

/** Whether a source's answer differs from the one that the call was judged by. A failed question tells nothing. */
const compare = ({ answered, digests }: SentCall, now: SourcesNow): 'other' | 'same' | 'unknown' => {
  let known = answered !== undefined;
  for (const [key, digest] of digests) {
    const { head, isSubscribed } = now(key);
    if (head === undefined || head.failure !== undefined) known = false;
    else if (head.digest !== digest) return 'other';
    else if (answered !== undefined && !isSince(head, answered) && !isSubscribed) known = false;
  }
  return known ? 'same' : 'unknown';
};

export class SentCalls {
  readonly #comparisons: ReturnType<typeof sentComparisons>;
  readonly #ran: () => readonly string[];
  #calls: RememberedCall[] = [];
  /** Calls that are not sent, whatever the verdict on them: the client gave up waiting for it. */
  readonly #withdrawn = new Set<string>();
  /** Sessions whose earlier calls are known. */
  readonly #recalled = new Set<string>();
  /** Findings that are not told yet. */
  #found: FoundMessage[] = [];
  /** Tools that were called and judged since, the newest last: a look that began before finds what is out of date. */
  #judged: JudgedTool[] = [];
  /** Counts looks and judged calls, to tell which came first. */
  #order = 0;

  /** @param ran calls that are known to have run */
  constructor(threads: Threads, ran: () => readonly string[]) {
    this.#comparisons = sentComparisons(threads);
    this.#ran = ran;
  }

  add(input: ToolInput, { sources, reads, stopped, asked }: JudgedCall): void {
    // Some models use an id again: the next answer under it is not that of a call that a person refused.
    this.#calls = this.#calls.filter(({ sent }) => !(sent.asked && isSameCall(sent.input, input)));
    if (stopped || sources.length === 0) return;
    const digests = new Map(sources.map(({ key, digest }) => [key, digest]));
    const from = transcriptSize(transcriptOf(input));
    const sent: SentCall = { input, digests, reads, checked: thisMoment(), from, ...(asked ? { asked } : {}) };
    const isOlder = ({ sent }: { sent: SentCall }): boolean =>
      sent.verified === true &&
      sent.input.toolName === input.toolName &&
      sent.input.session === input.session &&
      sent.input.agent === input.agent;
    const calls = [...this.#calls.filter((one) => !isOlder(one)), { sent, length: lengthOf(sent) }].slice(-MOST_CALLS);
    let left = MOST_TEXT;
    const tooMuch = calls.findLastIndex(({ length }) => {
      left -= length;
      return left < 0;
    });
    this.#calls = calls.slice(tooMuch + 1);
  }

  /** Takes over what a process before this one sent in this session. To be called at each hook. */
  recall(home: string, input: HookInput): void {
    const of = `${home} ${input.session}`;
    if (this.#recalled.has(of)) return;
    this.#recalled.add(of);
    this.#calls = [...sentBefore(home, input).map((sent) => ({ sent, length: 0 })), ...this.#calls];
  }

  #entry(call: CallId): RememberedCall | undefined {
    return this.#calls.find(({ sent: { input } }) => isSameCall(input, call));
  }

  #find(session: string, toolUseId: string): SentCall | undefined {
    return this.#entry({ session, toolUseId })?.sent;
  }

  #wasSent({ input, asked }: SentCall): boolean {
    return asked !== true && !this.#withdrawn.has(idOf(input.session, input.toolUseId));
  }

  /** What to note about a call that was sent; undefined for one that was not. */
  noteOn(session: string, toolUseId: string): ReturnType<typeof noteOf> | undefined {
    const sent = this.#find(session, toolUseId);
    return sent && this.#wasSent(sent) ? noteOf(sent) : undefined;
  }

  withdraw(session: string, toolUseId: string): void {
    this.#withdrawn.add(idOf(session, toolUseId));
    const [oldest] = this.#withdrawn;
    if (this.#withdrawn.size > MOST_CALLS && oldest !== undefined) this.#withdrawn.delete(oldest);
  }

  /**
   * Notes that the answer of a call came, or its error; gives what was asked for it. The client tells of neither after a
   * person's no.
   */
  answered(session: string, toolUseId: string): Pick<SentCall, 'digests' | 'reads'> | undefined {
    const sent = this.#find(session, toolUseId);
    if (sent !== undefined) {
      sent.answered = thisMoment();
      delete sent.asked;
    }
    // Clients that know no `onFailure` send a call although they gave up waiting for the verdict.
    this.#withdrawn.delete(idOf(session, toolUseId));
    return sent;
  }

  /**
   * What to tell of a call that was sent with other arguments than it was checked with: another hook, or what answers a
   * permission prompt for the person, may change them. To be called with its answer.
   */
  async sentAs(call: ToolInput, around: CallPlace): Promise<HookAnswer> {
    const entry = this.#entry(call);
    if (entry === undefined || entry.sent.recalled || isDeepStrictEqual(entry.sent.input.arguments, call.arguments))
      return {};
    const input = { ...entry.sent.input, arguments: call.arguments };
    entry.sent.input = input;
    entry.length = lengthOf(entry.sent);
    const how = { isRewritten: true, isRecalled: false, isOver: true, age: 0 };
    const change = { input, ...how, where: placeOf(around), ran: this.#ran() };
    const outcome = await this.#comparisons.compare(change, input.server ?? input.toolName);
    return outcome === 'not compared' ? rewrittenUnread(input.toolName) : (outcome?.answer ?? {});
  }

  /** To be called before a source is asked: notes which calls were compared after their answers, without a difference. */
  settle(home: string, isSubscribed: (key: string) => boolean): void {
    const now = sourcesNow(home, isSubscribed);
    for (const { sent } of this.#calls) if (!sent.verified && compare(sent, now) === 'same') sent.verified = true;
  }

  /**
   * Messages about a session's calls that were sent before their tools changed.
   * @param isSubscribed whether a source's last answer holds until something else is announced
   * @param judged the call that is being judged, if one is
   * @param isUnread whether the client passes on no answer of this hook: then messages wait
   */
  async messages(
    to: Audience,
    where: CallPlace,
    isSubscribed: (key: string) => boolean,
    judged: JudgedNow = {},
    isUnread: () => boolean = () => false,
  ): Promise<HookAnswer> {
    const { current, decision } = judged;
    const isAsked = decision === 'ask';
    const now = sourcesNow(where.home, isSubscribed);
    const changed = this.#changedFor(to, now);
    const looks = changed.map((sent) => {
      // Of a question, the model reads nothing.
      const isTold = current?.toolName === sent.input.toolName && !isAsked;
      const look = this.#look(sent, where, isTold && sent.verified === true);
      for (const key of sent.digests.keys()) sent.digests.set(key, now(key).head?.digest ?? '');
      if (sent.answered !== undefined) sent.verified = true;
      return look;
    });
    const isOfCall = current === undefined || changed.some(({ input }) => input.server === current.server);
    // Slower findings come with the next answer.
    if (looks.length > 0) await orPending(Promise.all(looks), isOfCall ? PATIENCE.own : PATIENCE.others);
    // After a no, the client passes on nothing that came with the question. After a yes, they come with the answer.
    return isAsked || isUnread() ? {} : this.due(to, where.home, judged);
  }

  /** The messages that are to be told now, as far as they are found. */
  due(to: Audience, home: string, { current, decision }: JudgedNow): HookAnswer {
    const due = this.#take(to, current, decision === 'deny');
    for (const { taught } of due) teach(home, taught);
    return due.reduce((all: HookAnswer, one) => mergeAnswers(all, one.answer), {});
  }

  /** Calls whose sources answer otherwise now. */
  #changedFor(to: Audience, now: SourcesNow): SentCall[] {
    const changed: SentCall[] = [];
    for (const { sent } of this.#calls) {
      const { input } = sent;
      if (!isHeardBy(to, input) || !this.#wasSent(sent)) continue;
      const found = compare(sent, now);
      if (found === 'same') sent.verified = true;
      if (found === 'other' && changed.push(sent) === MOST_AT_ONCE) break;
    }
    return changed;
  }

  /** Finds out what is to be told of a call. @param isSilent it is told in another way */
  async #look(sent: SentCall, around: CallPlace, isSilent: boolean): Promise<void> {
    const { home } = around;
    const began = ++this.#order;
    const { input, recalled = false } = sent;
    const { session, agent, toolName, server = toolName } = input;
    const isOver = sent.verified === true || (sent.answered !== undefined && (ageOf(sent.answered) ?? 0) > LONG_AFTER);
    const where = placeOf(around);
    const age = ageOf(sent.checked) ?? 0;
    const unanswered = sent.answered === undefined ? defined({ unanswered: sent.from }) : {};
    const change = { input, isRecalled: recalled, isOver, age, where, ran: this.#ran(), ...unanswered };
    const outcome = await this.#comparisons.compare(change, server);
    if (outcome === undefined) return;
    // Also where it is told in another way, it counts as told from here on.
    if (outcome !== 'not compared' && (!firstTime(home, 'later', outcome.about) || isSilent)) return;
    if (this.#withdrawn.has(idOf(session, input.toolUseId))) return;
    const { about: _about, ...told } =
      outcome === 'not compared' ? { answer: notCompared(toolName), isOver, about: undefined } : outcome;
    const message = { ...told, session, agent, tool: toolName, waits: false };
    const isOutdated = ({ at, tool, ...to }: JudgedTool): boolean =>
      at > began && tool === toolName && isHeardBy(to, message);
    if (message.isOver && this.#judged.some(isOutdated)) return;
    this.#found = [...this.#found, message].slice(-MOST_CALLS);
  }

  /**
   * Takes the findings that are to be told now. With a call that is stopped, one message is enough: what is only of use to later
   * calls waits for the next prompt.
   */
  #take(to: Audience, current: ToolInput | undefined, isStopped: boolean): FoundMessage[] {
    const isOurs = (one: FoundMessage): boolean => isHeardBy(to, one);
    if (current !== undefined) {
      const { session, agent } = to;
      this.#judged = [...this.#judged, { session, agent, tool: current.toolName, at: ++this.#order }].slice(
        -MOST_CALLS,
      );
    }
    // The tool is called and judged now, so its waiting messages are out of date.
    const found = this.#found.filter((one) => !(isOurs(one) && one.isOver && one.tool === current?.toolName));
    if (isStopped) for (const one of found) if (isOurs(one) && one.isOver) one.waits = true;
    const isDue = (one: FoundMessage): boolean => isOurs(one) && !(one.waits && current !== undefined);
    this.#found = found.filter((one) => !isDue(one));
    return found.filter(isDue);
  }
}
