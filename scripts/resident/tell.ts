// Finds the message about one call that was sent before its tool changed. A hostile contract can make this slow, so it
// runs in a thread of its own, which can be ended.
import { defined } from '../contract/defined.ts';
import type { HookAnswer } from '../guard/answer.ts';
import { assess } from '../guard/assess.ts';
import { type Assessment, judgementOf } from '../guard/assessment.ts';
import { isAttended } from '../guard/attended.ts';
import type { CallPlace, Knowledge } from '../guard/fast-path.ts';
import type { ToolInput } from '../guard/input.ts';
import { assessInner } from '../guard/invoker/assess-inner.ts';
import { lessonIn, type Taught } from '../guard/lesson.ts';
import { changedLater, rewritten } from '../guard/messages.ts';
import { settledIn } from '../guard/settled.ts';
import { subjectOf } from '../guard/subject.ts';
import { readHead } from '../sources/head.ts';
import type { LiveAnswer } from '../sources/live.ts';
import type { About } from '../state/markers.ts';
import { findTranscript } from '../transcript/find-transcript.ts';
import { argumentsOf, resultOf } from '../transcript/one-call.ts';
import { storedAnswer } from './stored.ts';

/** A call whose tool changed. Can be handed to another thread. */
export interface ChangedTool {
  input: ToolInput;
  /** Its arguments were changed after it was checked. */
  isRewritten?: boolean;
  /** Only the transcript holds its arguments. */
  isRecalled: boolean;
  /** The call was over when the tool changed. */
  isOver: boolean;
  /** No hook told of its end: where the transcript ended when it was checked, in bytes. */
  unanswered?: number;
  /** How long ago the call was checked, in ms. */
  age: number;
  where: Pick<CallPlace, 'home' | 'project' | 'env' | 'since'>;
  /** Calls that are known to have run. */
  ran: readonly string[];
}

/** What to say, once. */
export interface Told {
  answer: HookAnswer;
  /** Whether the call's own answer is not in question. */
  isOver: boolean;
  about: About;
  taught?: Taught;
}

/** Returns what is stored, and asks no source. */
const stored: NonNullable<Knowledge['ask']> = async (home, source): Promise<LiveAnswer> => {
  const known = storedAnswer(home, source.key);
  if (known !== undefined) return known;
  const nothing = { name: source.name, checkedAt: 0, checkedUp: 0, freshUntil: 0, digest: '' };
  return {
    status: 'failed',
    head: readHead(home, source.key) ?? nothing,
    why: 'it was not asked',
    kind: 'unreachable',
  };
};

/** Whether the call itself relies on what changed. */
const isConcerned = (found: Assessment): boolean => found.verdict === 'judged' && found.judgement.reasons.length > 0;

/** Finds out what to say about a call; undefined if nothing that changed concerns it. Writes nothing. */
export const tell = async (change: ChangedTool): Promise<Told | undefined> => {
  const { isRewritten, isRecalled, isOver, age, where } = change;
  const { home, env } = where;
  const transcript = findTranscript(change.input);
  const { unanswered, input: called } = change;
  // A person refused it, after which the client runs no hook: no answer of it can be outdated.
  if (unanswered !== undefined && resultOf(transcript, unanswered, called.toolUseId)?.isUnsent) return undefined;
  const given = isRecalled ? argumentsOf(transcript, change.input.toolUseId) : change.input.arguments;
  if (given === undefined) return undefined;
  const input = { ...change.input, arguments: given };
  const ran = (toolUseId: string): boolean => change.ran.includes(toolUseId);
  const knowledge: Knowledge = { counts: () => false, again: () => undefined, ask: stored, ran, judged: () => {} };
  const around = { ...where, settled: settledIn(home, input, ran), knowledge };
  const outer = await assess(input, transcript, around);
  const inner = await assessInner(input, transcript, outer, around);
  const found = [...(typeof inner === 'object' ? [inner.found] : []), outer].find(isConcerned);
  const judgement = found && judgementOf(found);
  if (found === undefined || judgement === undefined) return undefined;
  const { session, agent, toolName, toolUseId } = input;
  // A tool that is gone now and answered without an error was still there.
  const isGone = judgement.reasons.some((reason) => reason.change?.rule === 'tool-removed');
  const when = isOver || (isGone && ran(toolUseId)) ? 'since' : 'during';
  const about = subjectOf(input, found, isAttended(env));
  const reasons = JSON.stringify([judgement.reasons.map(({ key }) => key), when === 'during' ? toolUseId : '']);
  return {
    answer: isRewritten
      ? rewritten(judgement, about)
      : changedLater(judgement, about, when === 'during' ? age : undefined),
    isOver: when === 'since',
    about: { session, agent, tool: toolName, source: found.facts?.source.key, about: reasons },
    ...defined({ taught: lessonIn(input, found) }),
  };
};
