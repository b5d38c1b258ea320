import type { Judgement } from '../judge/judge.ts';
import { thisMoment } from '../state/circumstances.ts';
import { firstTime } from '../state/markers.ts';
import { stateHome } from '../state/paths.ts';
import { wasStopped } from '../state/wraps.ts';
import { say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { findTranscript } from '../transcript/find-transcript.ts';
import type { HookAnswer } from './answer.ts';
import { assess } from './assess.ts';
import { type Assessment, judgementOf } from './assessment.ts';
import { readToolInput } from './input.ts';
import { assessInner } from './invoker/assess-inner.ts';
import { lessonIn, teach } from './lesson.ts';
import { failureContext } from './messages.ts';
import { noteFailed } from './settled.ts';
import { subjectOf } from './subject.ts';

/** What servers say only if arguments do not fit. */
const ABOUT_ARGUMENTS =
  /-3260[12]|invalid (?:param|argument|input|type|enum|value|union)|(?:unknown|unrecognized|unexpected) (?:option|param|argument|tool|field|property|key)|(?:input|argument|schema) validation|validation errors? for/i;

/** What they also say for other reasons: a file is not found, a sign-in is required, a certificate fails its validation. */
const MAY_BE_ABOUT_ARGUMENTS = new RegExp(
  [
    'missing|required|must (?:not )?(?:have|be|match)|undefined|unrecognized|expected|validation|should be',
    'not (?:found|provided|permitted|allowed|one of|valid|a valid|accepted|supported)|unsupported|illegal|malformed',
    String.raw`\b4(?:00|22)\b|bad request|unprocessable|no such (?:argument|field|key|option|param|property)`,
    "(?:can(?:no|'?)t|could not|unable to|failed to) (?:convert|decode|deserialize|parse)",
    'out of range|too (?:big|few|large|long|short|small)',
  ].join('|'),
  'i',
);

/** Whether an error names one of the parameters that changed. */
const namesChanged = (error: string, { changes }: Judgement): boolean => {
  const names = changes.flatMap(({ parameter, renamedTo }) => [parameter?.at(-1), renamedTo]);
  const words = new Set(error.match(/[\p{L}\p{N}_$-]+/gu));
  return names.some((name) => name !== undefined && words.has(name));
};

/** Whether what changed can be the reason for an error. */
const canExplain = (error: string, judgement: Judgement): boolean =>
  judgement.reasons.length > 0 ||
  namesChanged(error, judgement) ||
  (ABOUT_ARGUMENTS.test(error) && judgement.changes.some(({ level }) => level !== 'compatible'));

/** What the hook after a failed call answers to its input: if the tool drifted, that its error looks like drift. */
export const afterFailure = async (raw: string, env: NodeJS.ProcessEnv): Promise<HookAnswer> => {
  const input = readToolInput(raw);
  const home = stateHome(env);
  noteFailed(home, input);
  const error = (input.error ?? '').slice(0, 20_000);
  if (!ABOUT_ARGUMENTS.test(error) && !MAY_BE_ABOUT_ARGUMENTS.test(error)) return {};
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
  const transcript = findTranscript(input);
  const outer = await assess(input, transcript, around);
  const inner = await assessInner(input, transcript, outer, around);
  const explains = (one: Assessment): boolean => {
    const judgement = judgementOf(one);
    return judgement !== undefined && canExplain(error, judgement);
  };
  // If both explain it, the error is more likely the inner tool's.
  const found = [...(typeof inner === 'object' ? [inner.found] : []), outer].find(explains);
  if (found === undefined) return {};
  const judgement = judgementOf(found);
  if (judgement === undefined) return {};
  const context = failureContext(judgement, subjectOf(input, found, false));
  teach(home, lessonIn(input, found));
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
