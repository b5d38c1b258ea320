import { thisMoment } from '../state/circumstances.ts';
import { firstTime } from '../state/markers.ts';
import { stateHome } from '../state/paths.ts';
import { wasStopped } from '../state/wraps.ts';
import { say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { transcriptOf } from '../transcript/records.ts';
import type { HookAnswer } from './answer.ts';
import { assess } from './assess.ts';
import { type Assessment, judgementOf } from './assessment.ts';
import { readToolInput } from './input.ts';
import { assessInner } from './invoker/assess-inner.ts';
import { failureContext, subjectOf } from './messages.ts';

/** Matches what servers say if arguments do not fit. */
const LOOKS_LIKE_DRIFT =
  /-3260[12]|invalid (?:param|argument|input|type|enum|value|union)|unknown (?:option|param|argument|tool|field|property)|unrecognized|unexpected (?:field|key|param|argument|property|keyword)|not (?:was )?provided|was not provided|missing|required|must (?:have|be|match)|validation|not found|undefined/i;

/** What the hook after a failed call answers to its input: if the tool drifted, that its error looks like drift. */
export const afterFailure = async (raw: string, env: NodeJS.ProcessEnv): Promise<HookAnswer> => {
  const input = readToolInput(raw);
  if (!LOOKS_LIKE_DRIFT.test((input.error ?? '').slice(0, 20_000))) return {};
  const home = stateHome(env);
  // It has told the model why, and what to do.
  if (wasStopped(home, input.toolUseId)) return {};
  const around = {
    home,
    project: env.CLAUDE_PROJECT_DIR || input.cwd,
    env,
    settled: () => false,
    // Ask now, because the call may have failed on a release that was made in this second.
    since: thisMoment(),
    force: true,
  };
  const outer = await assess(input, transcriptOf(input), around);
  const inner = await assessInner(input, transcriptOf(input), outer, around);
  const explains = (one: Assessment): boolean => {
    const judgement = judgementOf(one);
    return judgement !== undefined && judgement.changes.length + judgement.reasons.length > 0;
  };
  // If both explain it, the error is more likely the inner tool's.
  const found = [...(typeof inner === 'object' ? [inner.found] : []), outer].find(explains);
  if (found === undefined) return {};
  const judgement = judgementOf(found);
  if (judgement === undefined) return {};
  const context = failureContext(judgement, subjectOf(input, found, false));
  const { session, agent } = input;
  const first = firstTime(home, 'failure', { session, agent, tool: input.toolName, about: context });
  const told =
    judgement.changes.length > 0
      ? say`looks like drift; Claude was told what changed.`
      : found.through?.near !== undefined
        ? say`is about the name of a tool; Claude was told which one may be meant.`
        : say`is about the arguments; Claude was told which ones the tool takes.`;
  return {
    context,
    ...(first
      ? { systemMessage: say`konnichiwagwan: the error of ${visible(input.toolName, { max: 300 })} ${told}` }
      : {}),
  };
};
