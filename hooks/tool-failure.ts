// PostToolUseFailure: if a tool that failed has drifted, says so, so that nobody takes it for broken.

import type { HookAnswer } from '../scripts/guard/answer.ts';
import { type Assessment, assess, judgementOf } from '../scripts/guard/assess.ts';
import { runHook } from '../scripts/guard/failure.ts';
import { readStdin, readToolInput } from '../scripts/guard/input.ts';
import { assessInner } from '../scripts/guard/invoker/assess-inner.ts';
import { failureContext, subjectOf } from '../scripts/guard/messages.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { firstTime } from '../scripts/state/markers.ts';
import { stateHome } from '../scripts/state/paths.ts';
import { wasStopped } from '../scripts/state/wraps.ts';
import { say } from '../scripts/text/shown.ts';
import { visible } from '../scripts/text/visible.ts';
import { transcriptOf } from '../scripts/transcript/records.ts';

/** Matches what servers say if arguments do not fit. */
const LOOKS_LIKE_DRIFT =
  /-3260[12]|invalid (?:param|argument|input|type|enum|value|union)|unknown (?:option|param|argument|tool|field|property)|unrecognized|unexpected (?:field|key|param|argument|property|keyword)|not (?:was )?provided|was not provided|missing|required|must (?:have|be|match)|validation|not found|undefined/i;

runHook('PostToolUseFailure', async (): Promise<HookAnswer> => {
  const { env } = process;
  const input = readToolInput(readStdin());
  if (!LOOKS_LIKE_DRIFT.test((input.error ?? '').slice(0, 20_000))) return {};
  const home = stateHome(env);
  // It has told the model why, and what to do.
  if (wasStopped(home, input.toolUseId)) return {};
  const around = {
    home,
    project: env.CLAUDE_PROJECT_DIR || input.cwd,
    env,
    settled: () => false,
    // Ask now, because the call may have failed on a release that was made this very second.
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
})
  // Work that cannot be cancelled (a name lookup that hangs) must not keep the client waiting.
  .then(() => process.exit());
