// Remembers calls that were sent. If a contract changes after its call, the next look finds and tells that.
import type { HookAnswer } from '../guard/answer.ts';
import type { CallPlace, JudgedCall } from '../guard/fast-path.ts';
import type { HookInput, ToolInput } from '../guard/input.ts';
import { mergeAnswers } from '../guard/invoker/merge-answers.ts';
import { notCompared } from '../guard/messages.ts';
import { orPending } from '../sources/deadline.ts';
import { type Head, readHead } from '../sources/head.ts';
import { ageOf, type Moment, thisMoment } from '../state/circumstances.ts';
import { CLIENT_ID, TOOL_NAME } from '../state/client-names.ts';
import { notesBefore } from '../state/judging.ts';
import { firstTime } from '../state/markers.ts';
import { isSince } from './knowledge.ts';
import { sentComparisons } from './sent-comparisons.ts';
import type { Threads } from './threads.ts';

/** A call that went out. */
interface SentCall {
  input: ToolInput;
  /** The answers of sources that its verdict rests on, by key. */
  digests: Map<string, string>;
  reads: boolean;
  /** When it was checked, or for a recalled one noted. */
  checked: Moment;
  /** When its answer came. */
  answered?: Moment;
  /** A look after its answer found no change, so later changes concern only later calls. */
  verified?: true;
  /** An earlier process sent it: only the transcript holds its arguments. */
  recalled?: true;
}

/** What the next process needs to know of a call if this one dies. Holds no argument. */
interface Note extends Moment {
  tool: string;
  server?: string | undefined;
  agent?: string | undefined;
  digests: [key: string, digest: string][];
  reads: boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isOptional = (value: unknown): boolean => value === undefined || isText(value);

const isNote = (value: unknown): value is Note => {
  const note = value as Partial<Record<keyof Note, unknown>> | null | undefined;
  return (
    TOOL_NAME.test(String(note?.tool)) &&
    isOptional(note?.server) &&
    (note?.agent === undefined || CLIENT_ID.test(String(note.agent))) &&
    Number.isFinite(note?.at) &&
    Number.isFinite(note?.up) &&
    Array.isArray(note?.digests) &&
    note.digests.every((one) => Array.isArray(one) && one.length === 2 && one.every(isText))
  );
};

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
}

/** What is known of a source at this moment. */
interface SourceNow {
  head: Head | undefined;
  isTold: boolean;
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
/** How many tools of a session the next process remembers, each by its last call. */
const MOST_RECALLED = 50;

/** How long a hook waits for messages to deliver, in ms: for a call of another server, and otherwise. */
const PATIENCE = { others: 40, own: 1_000 };

const lengthOf = ({ input }: SentCall): number => JSON.stringify(input.arguments).length;

/** @param ran calls that are known to have run */
export const sentCalls = (threads: Threads, ran: () => readonly string[]) => {
  let calls: { sent: SentCall; length: number }[] = [];
  /** Calls that are not sent, whatever the verdict on them: the client gave up waiting for it. */
  const withdrawn = new Set<string>();
  const idOf = (session: string, toolUseId: string): string => `${session} ${toolUseId}`;

  const add = (input: ToolInput, { sources, reads, stopped }: JudgedCall): void => {
    if (stopped || sources.length === 0) return;
    const digests = new Map(sources.map(({ key, digest }) => [key, digest]));
    const sent: SentCall = { input, digests, reads, checked: thisMoment() };
    const isOlder = ({ sent }: { sent: SentCall }): boolean =>
      sent.verified === true &&
      sent.input.toolName === input.toolName &&
      sent.input.session === input.session &&
      sent.input.agent === input.agent;
    calls = [...calls.filter((one) => !isOlder(one)), { sent, length: lengthOf(sent) }].slice(-MOST_CALLS);
    let left = MOST_TEXT;
    const tooMuch = calls.findLastIndex(({ length }) => {
      left -= length;
      return left < 0;
    });
    calls = calls.slice(tooMuch + 1);
  };

  /** Sessions whose earlier calls are known. */
  const recalled = new Set<string>();

  /** Takes over what a process before this one sent in this session. To be called at each hook. */
  const recall = (home: string, { session, transcript, cwd }: HookInput): void => {
    const of = `${home} ${session}`;
    if (recalled.has(of)) return;
    recalled.add(of);
    const last = new Map<string, SentCall>();
    for (const { toolUseId, note } of notesBefore(home, session)) {
      if (!isNote(note)) continue;
      const { tool: toolName, server, agent, digests, reads, at, up } = note;
      const about = { session, transcript, cwd, event: 'PreToolUse', toolName, server, agent, toolUseId };
      const key = `${agent} ${toolName}`;
      last.delete(key);
      last.set(key, {
        input: { ...about, arguments: {} },
        digests: new Map(digests),
        reads,
        checked: { at, up },
        answered: { at, up },
        recalled: true,
        // The machine's clock restarted since then: that call is long over.
        ...(ageOf({ at, up }) === undefined ? { verified: true } : {}),
      });
    }
    calls = [...[...last.values()].slice(-MOST_RECALLED).map((sent) => ({ sent, length: 0 })), ...calls];
  };

  /** What to note about a call that was sent; undefined for one that was not. */
  const noteOn = (session: string, toolUseId: string): Note | undefined => {
    const sent = calls.find(({ sent: { input } }) => input.session === session && input.toolUseId === toolUseId)?.sent;
    if (sent === undefined || withdrawn.has(idOf(session, toolUseId))) return undefined;
    const { toolName: tool, server, agent } = sent.input;
    return { tool, server, agent, digests: [...sent.digests], reads: sent.reads, ...thisMoment() };
  };

  const withdraw = (session: string, toolUseId: string): void => {
    withdrawn.add(idOf(session, toolUseId));
    const [oldest] = withdrawn;
    if (withdrawn.size > MOST_CALLS && oldest !== undefined) withdrawn.delete(oldest);
  };

  /** Notes that the answer of a call came; gives what was asked for it. */
  const answered = (session: string, toolUseId: string): Pick<SentCall, 'digests' | 'reads'> | undefined => {
    const found = calls.find(({ sent: { input } }) => input.session === session && input.toolUseId === toolUseId);
    if (found !== undefined) found.sent.answered = thisMoment();
    // Clients that know no `onFailure` send a call although they gave up waiting for the verdict.
    withdrawn.delete(idOf(session, toolUseId));
    return found?.sent;
  };

  /** Whether a source's answer differs from the one that the call was judged by. A failed question tells nothing. */
  const compare = (sent: SentCall, now: (key: string) => SourceNow): 'other' | 'same' | 'unknown' => {
    const { answered } = sent;
    let known = answered !== undefined;
    for (const [key, digest] of sent.digests) {
      const { head, isTold } = now(key);
      if (head === undefined || head.failure !== undefined) known = false;
      else if (head.digest !== digest) return 'other';
      else if (answered !== undefined && !isSince(head, answered) && !isTold) known = false;
    }
    return known ? 'same' : 'unknown';
  };

  /** What is known of sources now. Many calls rest on few of them. */
  const looking = (home: string, isTold: (key: string) => boolean) => {
    const looked = new Map<string, SourceNow>();
    return (key: string): SourceNow => {
      const known = looked.get(key) ?? { head: readHead(home, key), isTold: isTold(key) };
      looked.set(key, known);
      return known;
    };
  };

  const comparisons = sentComparisons(threads);
  /** Findings that are not told yet. */
  let found: FoundMessage[] = [];

  /** Finds out what is to be told of a call. @param isSilent it is told in another way */
  const look = async (sent: SentCall, { home, project, env, since }: CallPlace, isSilent: boolean): Promise<void> => {
    const { input, recalled = false } = sent;
    const { session, agent, toolName, server = toolName } = input;
    const isOver = sent.verified === true || (sent.answered !== undefined && (ageOf(sent.answered) ?? 0) > LONG_AFTER);
    const where = { home, project, env, since };
    const change = { input, isRecalled: recalled, isOver, age: ageOf(sent.checked) ?? 0, where, ran: ran() };
    const outcome = await comparisons.compare(change, server);
    if (outcome === undefined) return;
    if (outcome !== 'not compared' && (!firstTime(home, 'later', outcome.about) || isSilent)) return;
    if (withdrawn.has(idOf(session, input.toolUseId))) return;
    const { answer, isOver: isLate } =
      outcome === 'not compared' ? { answer: notCompared(toolName), isOver: isOver } : outcome;
    found = [...found, { session, agent, tool: toolName, isOver: isLate, waits: false, answer }].slice(-MOST_CALLS);
  };

  return {
    add,
    recall,
    noteOn,
    withdraw,
    answered,
    /** To be called before a source is asked: notes which calls were compared after their answers, without a difference. */
    settle: (home: string, isTold: (key: string) => boolean): void => {
      const now = looking(home, isTold);
      for (const { sent } of calls) if (!sent.verified && compare(sent, now) === 'same') sent.verified = true;
    },
    /**
     * Messages about a session's calls that were sent before their tools changed.
     * @param isTold whether a source's last answer holds until something else is announced
     * @param but the call that is being judged
     * @param isStopped whether that call is stopped or asked about: one message is enough then, and what is only of use to
     *   later calls waits for the next prompt
     */
    messages: async (
      { session, agent }: { session: string; agent?: string | undefined },
      where: CallPlace,
      isTold: (key: string) => boolean,
      but?: ToolInput,
      isStopped = false,
    ): Promise<HookAnswer> => {
      const looks: Promise<void>[] = [];
      let isOfCall = but === undefined;
      let left = MOST_AT_ONCE;
      const now = looking(where.home, isTold);
      for (const { sent } of calls) {
        const { input } = sent;
        // A subagent hears about its own calls; the main conversation about all, since subagents end.
        if (input.session !== session || (agent !== undefined && input.agent !== agent)) continue;
        if (withdrawn.has(idOf(session, input.toolUseId))) continue;
        const found = compare(sent, now);
        if (found === 'same') sent.verified = true;
        if (found !== 'other') continue;
        if (left-- === 0) break;
        looks.push(look(sent, where, but?.toolName === input.toolName && sent.verified === true));
        isOfCall ||= but?.server === input.server;
        for (const key of sent.digests.keys()) sent.digests.set(key, now(key).head?.digest ?? '');
        if (sent.answered !== undefined) sent.verified = true;
      }
      // Slower findings come with the next answer.
      if (looks.length > 0) await orPending(Promise.all(looks), isOfCall ? PATIENCE.own : PATIENCE.others);
      const isOurs = (one: FoundMessage): boolean =>
        one.session === session && (agent === undefined || one.agent === agent);
      // The tool is called and judged now, so its waiting messages are out of date.
      found = found.filter((one) => !(isOurs(one) && one.isOver && one.tool === but?.toolName));
      if (isStopped) for (const one of found) if (isOurs(one) && one.isOver) one.waits = true;
      const isDue = (one: FoundMessage): boolean => isOurs(one) && !(one.waits && but !== undefined);
      const told = found.filter(isDue);
      found = found.filter((one) => !isDue(one));
      return told.reduce((all: HookAnswer, one) => mergeAnswers(all, one.answer), {});
    },
  };
};
