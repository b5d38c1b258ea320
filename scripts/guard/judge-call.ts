import { defined } from '../contract/defined.ts';
import { refreshLater } from '../shared/refresh-later.ts';
import { readAnswer } from '../sources/answer.ts';
import { readHead } from '../sources/head.ts';
import { isWhole, keepAnswer } from '../sources/live.ts';
import type { SourceAnswer } from '../sources/source.ts';
import { release } from '../state/asking.ts';
import type { Circumstances } from '../state/circumstances.ts';
import { writeHandoff } from '../state/handoff.ts';
import { keepHidden, recallHidden } from '../state/hidden.ts';
import { notingMarks, wasMarked } from '../state/markers.ts';
import { asTyped } from '../state/own-command.ts';
import { sessionFolder } from '../state/paths.ts';
import { sendInBackground } from '../telemetry/start.ts';
import { findTranscript } from '../transcript/find-transcript.ts';
import { isIndex, type TranscriptIndex } from '../transcript/transcript-index.ts';
import type { HookAnswer } from './answer.ts';
import { assess } from './assess.ts';
import { type Assessment, liveContract } from './assessment.ts';
import type { CallPlace, QuickAnswer } from './fast-path.ts';
import { handoffFor } from './handoff-to-wrap.ts';
import type { ToolInput } from './input.ts';
import { assessInner } from './invoker/assess-inner.ts';
import { mergeAnswers } from './invoker/merge-answers.ts';
import { type AssessedCall, isReading, recordCall, restsOn } from './record-call.ts';
import { isHeld, respond } from './respond.ts';
import { settledIn } from './settled.ts';

/** A call's place, after the fast path did not settle it. */
export interface UnsettledPlace extends CallPlace {
  /** What a source has just answered to the fast path, if it was asked. */
  asked?: QuickAnswer | undefined;
}

type Settled = (reason: Circumstances) => boolean;

const indexPath = (home: string, { session, agent }: ToolInput): string =>
  `${sessionFolder(home, session)}/${agent ?? 'main'}.view.json`;

const readIndex = (home: string, input: ToolInput): TranscriptIndex | undefined => {
  const { session, agent } = input;
  const index = recallHidden(indexPath(home, input), { session, agent });
  return isIndex(index) ? index : undefined;
};

const rememberIndex = (home: string, input: ToolInput, index: TranscriptIndex | null): void => {
  const { session, agent } = input;
  try {
    if (index !== null) keepHidden(indexPath(home, input), { session, agent }, index);
  } catch {
    // Then the next call reads the transcript from further back.
  }
};

/** Keeps what a source answered to the fast path, so that it is not asked twice. */
const keepAsked = (home: string, asked: QuickAnswer): void => {
  const answer: SourceAnswer =
    asked.text === undefined ? { status: 'unreachable', why: 'no answer in time' } : readAnswer(asked.text, asked.etag);
  const overMcp = readHead(home, asked.key)?.mcp !== undefined;
  // An incomplete answer is not stored: the source is then asked in full.
  if (!overMcp || asked.text === undefined || isWhole(answer))
    keepAnswer(home, asked, answer, asked.freshFor, asked.at);
  release(home, asked.key);
};

/** Leaves out a doubt of the lockfile that a person has settled, or that was told. */
const withoutSettled = (
  home: string,
  { session }: ToolInput,
  { trust, ...fresh }: Assessment,
  settled: Settled,
): Assessment => {
  if (trust === undefined || settled({ about: trust.key })) return fresh;
  const isTold = trust.verdict === 'notice' && wasMarked(home, 'unapproved', { session, about: trust.key });
  return isTold ? fresh : { ...fresh, trust };
};

/** Assesses a call and, for an invoker, the call inside of it. */
const assessCall = async (input: ToolInput, place: CallPlace, settled: Settled): Promise<AssessedCall> => {
  const { home } = place;
  const known = readIndex(home, input);
  const parent = input.agent === undefined ? undefined : readIndex(home, { ...input, agent: undefined });
  const context = { ...place, index: known, parent, settled };
  const transcript = findTranscript(input);
  const found = withoutSettled(home, input, await assess(input, transcript, context), settled);
  const inner = await assessInner(input, transcript, found, context);
  if (found.index?.offset !== known?.offset) rememberIndex(home, input, found.index);
  const inside =
    typeof inner === 'object' ? { ...inner, found: withoutSettled(home, input, inner.found, settled) } : undefined;
  return { input, found, invokes: inner !== undefined, inside };
};

const answerTo = (place: CallPlace, { input, found, inside }: AssessedCall, settled: Settled): HookAnswer => {
  const held = isHeld(found) || (inside !== undefined && isHeld(inside.found));
  const outer = respond(place, input, found, held, settled);
  return inside ? mergeAnswers(outer, respond(place, inside.input, inside.found, held, settled)) : outer;
};

/** The answer with our commands as the user can type them. */
const withCommands = ({ systemMessage, reason, ...rest }: HookAnswer, env: NodeJS.ProcessEnv): HookAnswer => ({
  ...rest,
  ...defined({
    systemMessage: systemMessage && asTyped(systemMessage, env),
    reason: reason && asTyped(reason, env),
  }),
});

/** The slow path: the whole decision on one call that the fast path did not settle. */
export const judgeCall = async (input: ToolInput, { asked, ...place }: UnsettledPlace): Promise<HookAnswer> => {
  const { home, project, env, knowledge } = place;
  if (asked) keepAsked(home, asked);
  const settled = settledIn(home, input, knowledge?.ran);
  const call = await assessCall(input, place, settled);
  const { value: answer, marks } = notingMarks(() => answerTo(place, call, settled));
  const { found, inside } = call;
  const toWrap = handoffFor(input, found, answer.decision);
  const verdict = recordCall(place, { ...call, answer, toWrap });
  // A call that goes out must not wait for this. The next call that is stopped does it, or the session's end. The
  // resident guard does it when it is idle.
  if (knowledge === undefined && (verdict === 'deny' || verdict === 'ask')) sendInBackground(home, project, env);
  const stopped = answer.decision === 'deny';
  knowledge?.judged(input, {
    sources: [found, ...(inside ? [inside.found] : [])].flatMap((one) => restsOn(toWrap, one)),
    // The tool behind an invoker may write, whatever the invoker says of itself.
    reads: isReading(liveContract(found)) && !call.invokes,
    stopped,
    ...(answer.decision === 'ask' ? { asked: true } : {}),
    marks,
  });
  refreshLater(home, found.config.user.shared, env);
  if (toWrap && !stopped) writeHandoff(toWrap.folder, input.toolUseId, toWrap.handoff);
  return withCommands(answer, env);
};
