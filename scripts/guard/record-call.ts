// What is kept of an answered call: a memo for the fast path, its trace if the user wants one, and a line of the log.
import { type Contract, isObject, type JsonObject } from '../contract/types.ts';
import { worstOf } from '../diff/levels.ts';
import { sharedUntil } from '../shared/kept.ts';
import { type Activity, type Called, logActivity } from '../state/activity.ts';
import { keepTrace } from '../state/call-trace.ts';
import { writeMemo } from '../state/memo.ts';
import { withParts } from '../state/stamp.ts';
import { digestOfVariables, namedIn } from '../state/variables.ts';
import { transcriptOf } from '../transcript/records.ts';
import type { HookAnswer } from './answer.ts';
import { type Assessment, type Consulted, judgementOf, liveContract } from './assessment.ts';
import { keepDiffering } from './differing.ts';
import type { CallPlace } from './fast-path.ts';
import type { HandoffToWrap } from './handoff-to-wrap.ts';
import type { ToolInput } from './input.ts';
import { contractOf } from './invoker/assess-inner.ts';
import { calledBehind, mayInvoke } from './invoker/called.ts';
import { tracedCall } from './traced.ts';

/** A call that was assessed. */
export interface AssessedCall {
  input: ToolInput;
  found: Assessment;
  /** Whether the tool is an invoker. */
  invokes: boolean;
  /** The call inside of it, for an invoker. */
  inside?: { input: ToolInput; found: Assessment } | undefined;
}

/** A call that was assessed, and what was said about it. */
interface AnsweredCall extends AssessedCall {
  answer: HookAnswer;
  toWrap: HandoffToWrap | undefined;
}

/** Whether a tool only reads, by its own contract. */
export const isReading = (contract: Contract | undefined): boolean =>
  isObject(contract?.annotations) && contract.annotations.readOnlyHint === true;

/** The sources that the answer rests on. A source that wrap looks at itself, at each call, is none of them. */
export const restsOn = (toWrap: HandoffToWrap | undefined, found: Assessment): Consulted[] =>
  found.consulted.filter(({ key }) => key !== toWrap?.handoff.source);

const calledBy = ({ input, found }: AssessedCall): Called | null | undefined => {
  const servers = found.all.configured.map(({ name }) => name);
  const contract = contractOf(found, input.toolName);
  return calledBehind(found.config, input.toolName, input.arguments as JsonObject, contract, servers);
};

/** Whether the fast path may repeat the silence about a call, as long as nothing changed. */
const isSettled = ({ found, answer, invokes }: AnsweredCall, called: Called | null | undefined): boolean => {
  const judgement = judgementOf(found);
  // Silence about a changed tool holds for this call alone: the next one is judged again.
  const isQuiet =
    (judgement?.decision === 'silence' && judgement.changes.length === 0 && !found.facts?.tool?.isOutdated) ||
    found.verdict === 'not-covered' ||
    found.verdict === 'off';
  // Silence about one tool behind an invoker says nothing about the next one.
  return isQuiet && answer.decision === undefined && !found.trust && !invokes && called === null;
};

const keepMemo = ({ home, project, env }: CallPlace, call: AnsweredCall, behind: Pick<Activity, 'inner'>): void => {
  const { input, found, toWrap } = call;
  const { config, all, named } = found;
  const names = namedIn([config.user.gateways, all.configured.map(({ configured }) => configured)]);
  const program = found.verdict === 'not-covered' ? (found.program?.files ?? []) : [];
  writeMemo(home, input, project, {
    said: {
      server: named.server,
      ...(found.verdict === 'judged' ? { verdict: 'silence' } : { verdict: 'not-covered', mode: found.policy.mode }),
      ...(behind.inner === null ? { inner: null } : {}),
    },
    view: {
      path: found.index?.path ?? transcriptOf(input),
      offset: found.index?.offset ?? 0,
      shape: found.index?.current ?? null,
      request: found.index?.named && found.index.asked,
    },
    files: [
      ...withParts(found.settings),
      ...program.map(({ path, stamp }) => ({ path, stamp })),
      ...(toWrap ? [toWrap.about] : []),
    ],
    variables: { names, digest: digestOfVariables(names, env) },
    sources: restsOn(toWrap, found),
    ...(isReading(liveContract(found)) ? { reads: true } : {}),
    ...(config.user.shared ? { until: sharedUntil(home, config.user.shared) } : {}),
    ...(toWrap ? { handoff: { folder: toWrap.folder, handoff: toWrap.handoff } } : {}),
  });
};

const verdictOf = (found: Assessment): Activity['verdict'] => {
  if (found.verdict === 'judged') return found.judgement.decision;
  // Nothing was looked at, so it must not count as checked.
  return found.verdict === 'off' ? 'not-covered' : found.verdict;
};

/** Keeps what is to be known of the call later. Returns the verdict that the log has. */
export const recordCall = (place: CallPlace, call: AnsweredCall): Activity['verdict'] => {
  const { home } = place;
  const { input, found, inside, answer } = call;
  const { user } = found.config;
  const called = calledBy(call);
  // All other tools call no tool, which needs no note.
  const isNoted = called !== undefined && (called !== null || mayInvoke(found.config, input.toolName));
  const behind: Pick<Activity, 'inner'> = isNoted ? { inner: called } : {};
  // Where calls are traced, each has arguments of its own, so the fast path may answer none.
  if (!user.trace && isSettled(call, called)) keepMemo(place, call, behind);
  const outer = verdictOf(found);
  const isOuterSilent = outer === 'silence' || found.verdict === 'off';
  const verdict = answer.decision ?? (inside && isOuterSilent ? verdictOf(inside.found) : outer);
  if (user.trace)
    keepTrace(home, {
      session: input.session,
      verdict,
      outer: tracedCall(input, found),
      ...(inside ? { inner: tracedCall(inside.input, inside.found) } : {}),
    });
  logActivity(home, {
    session: input.session,
    server: found.named.server,
    tool: input.toolName,
    ...behind,
    verdict,
    ...worstOf([found, inside?.found].flatMap((one) => (one && judgementOf(one)?.changes) ?? [])),
    ...(verdict === 'silence' ? {} : { mode: (inside?.found ?? found).policy.mode }),
    ...keepDiffering(home, found, inside?.found),
  });
  return verdict;
};
