import { dirname } from 'node:path';
import { aboutHashes, hashLine } from '../baseline/drift-line.ts';
import { defined } from '../contract/defined.ts';
import { type Contract, isObject, type JsonObject } from '../contract/types.ts';
import { worstOf } from '../diff/levels.ts';
import { sharedUntil } from '../shared/kept.ts';
import { refreshLater } from '../shared/refresh-later.ts';
import { readAnswer } from '../sources/answer.ts';
import { readHead } from '../sources/head.ts';
import { isWhole, keepAnswer } from '../sources/live.ts';
import type { SourceAnswer } from '../sources/source.ts';
import { type Activity, logActivity } from '../state/activity.ts';
import { release } from '../state/asking.ts';
import { keepTrace } from '../state/call-trace.ts';
import type { Circumstances } from '../state/circumstances.ts';
import { type Handoff, writeHandoff } from '../state/handoff.ts';
import { keepHidden, recallHidden } from '../state/hidden.ts';
import { type About, firstTime, keepFirstLook, mark, unmark, wasMarked } from '../state/markers.ts';
import { writeMemo } from '../state/memo.ts';
import { asTyped } from '../state/own-command.ts';
import { sessionFolder } from '../state/paths.ts';
import { contentStamp, type Stamped, stampOf, withParts } from '../state/stamp.ts';
import { digestOfVariables, namedIn } from '../state/variables.ts';
import { sendInBackground } from '../telemetry/start.ts';
import { isIndex, type TranscriptIndex } from '../transcript/model-view.ts';
import { transcriptOf } from '../transcript/records.ts';
import type { HookAnswer } from './answer.ts';
import { assess } from './assess.ts';
import { type Assessment, type Judged, judgementOf, liveContract } from './assessment.ts';
import { isAttended } from './attended.ts';
import { keepDiffering } from './differing.ts';
import type { CallPlace, QuickAnswer } from './fast-path.ts';
import type { ToolInput } from './input.ts';
import { assessInner, contractOf } from './invoker/assess-inner.ts';
import { calledBehind, mayInvoke } from './invoker/called.ts';
import { mergeAnswers } from './invoker/merge-answers.ts';
import {
  answerFor,
  hiddenMessage,
  rebuiltMessage,
  subjectOf,
  uncheckedMessage,
  uncheckedQuestion,
} from './messages.ts';
import { releaseBefore, releaseQuestion, withLine, withRelease } from './release.ts';
import { OUTAGE, ofPerson, settledIn } from './settled.ts';
import { tracedCall } from './traced.ts';
import { withTrust } from './trust-message.ts';

/** What the fast path hands over. */
export interface HandOver extends CallPlace {
  /** What a source has just answered to the fast path, if it was asked. */
  asked?: QuickAnswer | undefined;
}

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

/** Remembers a stop or a question, so that it is not repeated. */
const remember = (home: string, input: ToolInput, found: Judged): void => {
  const { judgement, index, policy, facts, named, through } = found;
  const [source, tool] = [facts?.source.key, facts?.tool?.name];
  for (const { key, change } of judgement.reasons) {
    const { session, agent } = input;
    const about = { session, agent, source, server: named.server, tool, about: key };
    if (judgement.decision === 'ask') {
      const place = { path: index?.path ?? input.transcript, from: index?.offset ?? 0, toolUseId: input.toolUseId };
      mark(home, 'asked', ofPerson(about), place);
    } else if (judgement.decision === 'deny' && change?.effect?.verdict === 'ask' && policy.trusted) {
      // The model was told the new words, and decides again. If it may not read them, a person has to be asked.
      mark(home, 'told', about);
    } else if (judgement.decision === 'deny' && through?.near !== undefined) {
      // No list has this name, but a caller that repeats it may be right.
      mark(home, 'told', about);
    }
  }
};

/** The answer for a judgement. A notice is given once for each tool and live contract, and not after a stop. */
const answerOnce = ({ home, env }: CallPlace, input: ToolInput, found: Judged, held: boolean): HookAnswer => {
  const { judgement } = found;
  if (judgement.decision === 'silence') return {};
  const contract = liveContract(found);
  const concerned = judgement.decision === 'notice' ? judgement.reasons.map((reason) => reason.key) : [];
  const { session, agent, toolName } = input;
  const about = { session, agent, server: found.named.server, source: found.facts?.source.key, tool: toolName };
  const first = firstTime(home, 'notice', { ...about, about: JSON.stringify([contract, concerned]) });
  if (judgement.decision === 'notice' && !first) return {};
  return answerFor(judgement, { ...subjectOf(input, found, isAttended(env)), held });
};

const verdictOf = (found: Assessment): Activity['verdict'] => {
  if (found.verdict === 'judged') return found.judgement.decision;
  // Nothing was looked at, so it must not count as checked.
  return found.verdict === 'off' ? 'not-covered' : found.verdict;
};

/** Identifies a message about an unchecked server: by the server, and the invoker through which it is called. */
const wayTo = (input: ToolInput, { named, through }: Assessment): About => ({
  session: input.session,
  server: named.server,
  ...(through ? { tool: through.toolName } : {}),
});

/** Whether the call is stopped, or waits for a person's yes: then no message may say that it was sent. */
const isHeld = (found: Assessment): boolean =>
  (found.trust !== undefined && found.trust.verdict !== 'notice') ||
  ['ask', 'deny'].includes(judgementOf(found)?.decision ?? '');

const respond = (around: CallPlace, input: ToolInput, found: Assessment, held: boolean): HookAnswer => {
  const { home } = around;
  if (found.verdict === 'judged') {
    // It answers again, so the next outage is worth a message.
    unmark(home, 'unchecked', { ...wayTo(input, found), about: OUTAGE });
    remember(home, input, found);
    return answerOnce(around, input, found, held);
  }
  if (found.verdict === 'not-covered' && found.program && found.program.rebuilt.length > 0) {
    const [file = ''] = found.program.rebuilt;
    const files = JSON.stringify(found.program.files.map(({ hash, stamp }) => hash ?? contentStamp(stamp)));
    const first = firstTime(home, 'rebuilt', { ...wayTo(input, found), about: files });
    if (found.policy.mode === 'strict') return uncheckedQuestion(found.named.server, 'its program was rebuilt');
    return first ? { systemMessage: rebuiltMessage(found.named.server, file) } : {};
  }
  if (found.verdict !== 'unchecked') return {};
  const { facts, named, why } = found;
  const current = liveContract(found);
  if (facts?.tool?.belief.from === 'unknown' && current) {
    const { session, agent } = input;
    const about = { session, agent, source: facts.source.key, server: named.server, tool: facts.tool.name };
    keepFirstLook(home, about, current);
  }
  // While the baseline is still being asked for, there is no alarm; later calls are judged by it.
  if (found.pending && found.policy.mode !== 'strict') return {};
  if (found.policy.mode === 'strict') return uncheckedQuestion(found.named.server, why);
  if (found.hidden) {
    const { session, agent } = input;
    return firstTime(home, 'unchecked', { session, agent, about: 'hidden' }) ? { systemMessage: hiddenMessage() } : {};
  }
  const about = facts === undefined ? OUTAGE : undefined;
  const first = firstTime(home, 'unchecked', { ...wayTo(input, found), about });
  return first ? { systemMessage: uncheckedMessage(found.named.server, why, found.unaskable) } : {};
};

/** Adds the lockfile's doubt to the answer, and remembers that it was asked or told. */
const heedTrust = ({ home, env }: CallPlace, input: ToolInput, found: Assessment, answer: HookAnswer): HookAnswer => {
  const { trust, index } = found;
  if (trust === undefined) return answer;
  const about = { session: input.session, about: trust.key };
  if (trust.verdict === 'ask') {
    const place = { path: index?.path ?? input.transcript, from: index?.offset ?? 0, toolUseId: input.toolUseId };
    mark(home, 'asked', about, place);
  } else if (trust.verdict === 'notice' && !firstTime(home, 'unapproved', about)) return answer;
  return withTrust(answer, trust, subjectOf(input, found, isAttended(env)));
};

/**
 * Tells of a release with the first call after it, once in a session. In mode strict, calls are asked about until a person
 * has said yes to one.
 */
const heedRelease = (
  { home }: CallPlace,
  input: ToolInput,
  found: Assessment,
  answer: HookAnswer,
  settled: (reason: Circumstances) => boolean,
): HookAnswer => {
  const { facts, policy, index } = found;
  if (facts?.atStart === undefined || facts.atStart.digest === facts.live.digest || policy.mode === 'off')
    return answer;
  const release = { source: facts.source.key, about: `release ${facts.live.digest}` };
  const about = { session: input.session, ...release };
  const isFirst = firstTime(home, 'release', about);
  const mayHold = policy.mode === 'strict' && answer.decision === undefined && !settled(release);
  const released = isFirst || mayHold ? releaseBefore(found) : undefined;
  if (released === undefined) return answer;
  if (!mayHold || !released.holds) return isFirst ? withRelease(answer, released, facts.tool?.name) : answer;
  mark(home, 'asked', about, {
    path: index?.path ?? input.transcript,
    from: index?.offset ?? 0,
    toolUseId: input.toolUseId,
  });
  return releaseQuestion(answer, released);
};

/** Tells of advertised hashes that are wrong, once, with the first call after they appeared. */
const heedHashes = ({ home }: CallPlace, input: ToolInput, { facts }: Assessment, answer: HookAnswer): HookAnswer => {
  if (facts === undefined || facts.live.mismatched.length === 0) return answer;
  const { source, live } = facts;
  const about = { session: input.session, source: source.key, about: aboutHashes(live) };
  return firstTime(home, 'release', about) ? withLine(answer, hashLine(source.name, live.mismatched)) : answer;
};

/** Whether a tool only reads, by its own contract. */
const isReading = (contract: Contract | undefined): boolean =>
  isObject(contract?.annotations) && contract.annotations.readOnlyHint === true;

/**
 * The handoff to the wrap that a call goes through: the contract that the guard judged by, so that wrap judges again only
 * if the server has changed since. Undefined without wrap, or if the call could not be judged.
 */
const handoffFor = (
  { session, toolName }: ToolInput,
  found: Assessment,
  decision: HookAnswer['decision'],
): { folder: string; about: Stamped; handoff: Handoff } | undefined => {
  const { all, named, facts, policy, verdict } = found;
  const source = all.servers.find(({ name, wrap }) => wrap !== undefined && name === named.server);
  const path = source?.wrap?.about();
  if (source === undefined || path === undefined) return undefined;
  const { mode } = policy;
  const told = { folder: dirname(path), about: { path, stamp: stampOf(path) } };
  const handoff = { mode, source: source.key, logged: { session, server: named.server, tool: toolName } };
  if (verdict === 'off') return { ...told, handoff };
  if (facts?.tool === undefined) return undefined;
  // A gateway may have spoken for the tool, while wrap looks at the server itself: that is no less worth.
  if (facts.source !== source) return decision === 'ask' || mode === 'warn' ? { ...told, handoff } : undefined;
  // A call that a person is asked about counts as judged: a yes sends it.
  if (verdict === 'unchecked' && mode !== 'strict') return undefined;
  return { ...told, handoff: { ...handoff, listed: facts.live.listed?.[facts.tool.name] ?? null } };
};

/** The slow path: the whole decision on one call that the fast path did not settle. */
export const judgeCall = async (input: ToolInput, around: HandOver): Promise<HookAnswer> => {
  const { systemMessage, reason, ...rest } = await answerTo(input, around);
  return {
    ...rest,
    ...defined({
      systemMessage: systemMessage && asTyped(systemMessage, around.env),
      reason: reason && asTyped(reason, around.env),
    }),
  };
};

const answerTo = async (input: ToolInput, { asked: given, ...where }: HandOver): Promise<HookAnswer> => {
  const { home, project, env } = where;
  if (given) {
    const answer: SourceAnswer =
      given.text === undefined
        ? { status: 'unreachable', why: 'no answer in time' }
        : readAnswer(given.text, given.etag);
    const overMcp = readHead(home, given.key)?.mcp !== undefined;
    // An incomplete answer is not stored: the source is then asked in full.
    if (!overMcp || given.text === undefined || isWhole(answer))
      keepAnswer(home, given, answer, given.freshFor, given.at);
    release(home, given.key);
  }
  const known = readIndex(home, input);
  const settled = settledIn(home, input.session, where.knowledge?.ran);
  const around = { ...where, index: known, settled };
  const wasTold = (key: string): boolean => wasMarked(home, 'unapproved', { session: input.session, about: key });
  const withoutSettled = ({ trust, ...fresh }: Assessment): Assessment =>
    trust && !settled({ about: trust.key }) && !(trust.verdict === 'notice' && wasTold(trust.key))
      ? { ...fresh, trust }
      : fresh;
  const found = withoutSettled(await assess(input, transcriptOf(input), around));
  const inner = await assessInner(input, transcriptOf(input), found, around);
  const inside = typeof inner === 'object' ? withoutSettled(inner.found) : undefined;
  const held = isHeld(found) || (inside !== undefined && isHeld(inside));
  const answerTo = (asked: ToolInput, about: Assessment): HookAnswer => {
    const answer = heedTrust(where, asked, about, respond(where, asked, about, held));
    return heedHashes(where, asked, about, heedRelease(where, asked, about, answer, settled));
  };
  const own = answerTo(input, found);
  const response = typeof inner === 'object' && inside ? mergeAnswers(own, answerTo(inner.input, inside)) : own;
  if (found.index?.offset !== known?.offset) rememberIndex(home, input, found.index);
  const judgement = judgementOf(found);
  // Silence about a changed tool holds for this call alone: the next one is judged again.
  const quiet =
    (judgement?.decision === 'silence' && judgement.changes.length === 0) ||
    found.verdict === 'not-covered' ||
    found.verdict === 'off';
  const { config, all, named, consulted } = found;
  const servers = all.configured.map(({ name }) => name);
  const args = input.arguments as JsonObject;
  const called = calledBehind(config, input.toolName, args, contractOf(found, input.toolName), servers);
  // All other tools call no tool, which needs no note.
  const behind =
    called === undefined || (called === null && !mayInvoke(config, input.toolName)) ? {} : { inner: called };
  const reads = isReading(liveContract(found));
  const behindWrap = handoffFor(input, found, response.decision);
  // Whether its answer still holds is looked at by wrap, at each call.
  const isLookedAt = ({ key }: { key: string }): boolean => key === behindWrap?.handoff.source;
  // No memo for an invoker: silence about one inner tool says nothing about the next one.
  // Nor where calls are traced: each has arguments of its own.
  const isSettled = quiet && response.decision === undefined && !found.trust && inner === undefined && called === null;
  if (isSettled && !config.user.trace) {
    const names = namedIn([config.user.gateways, all.configured.map(({ configured }) => configured)]);
    writeMemo(home, input, project, {
      said: {
        server: named.server,
        ...(found.verdict === 'judged' ? { verdict: 'silence' } : { verdict: 'not-covered', mode: found.policy.mode }),
        ...(behind.inner === null ? { inner: null } : {}),
      },
      view: { path: transcriptOf(input), offset: found.index?.offset ?? 0, shape: found.index?.current ?? null },
      files: [
        ...withParts(found.settings),
        ...(found.verdict === 'not-covered' ? (found.program?.files ?? []) : []).map(({ path, stamp }) => ({
          path,
          stamp,
        })),
        ...(behindWrap ? [behindWrap.about] : []),
      ],
      variables: { names, digest: digestOfVariables(names, env) },
      sources: consulted.filter((one) => !isLookedAt(one)),
      ...(reads ? { reads } : {}),
      ...(config.user.shared ? { until: sharedUntil(home, config.user.shared) } : {}),
      ...(behindWrap ? { handoff: { folder: behindWrap.folder, handoff: behindWrap.handoff } } : {}),
    });
  }
  const verdict =
    response.decision ??
    (inside && (verdictOf(found) === 'silence' || found.verdict === 'off') ? verdictOf(inside) : verdictOf(found));
  if (config.user.trace)
    keepTrace(home, {
      session: input.session,
      verdict,
      outer: tracedCall(input, found),
      ...(typeof inner === 'object' && inside ? { inner: tracedCall(inner.input, inside) } : {}),
    });
  logActivity(home, {
    session: input.session,
    server: found.named.server,
    tool: input.toolName,
    ...behind,
    verdict,
    ...worstOf([found, inside].flatMap((one) => (one && judgementOf(one)?.changes) ?? [])),
    ...(verdict === 'silence' ? {} : { mode: (inside ?? found).policy.mode }),
    ...keepDiffering(home, found, inside),
  });
  // A call that goes out must not wait for this. The next call that is stopped does it, or the session's end. The
  // resident guard does it when it is idle.
  if (where.knowledge === undefined && (verdict === 'deny' || verdict === 'ask')) sendInBackground(home, project, env);
  const asked = [found, ...(inside ? [inside] : [])].flatMap((one) => one.consulted).filter((one) => !isLookedAt(one));
  // The tool behind an invoker may write, whatever the invoker says of itself.
  const stopped = response.decision === 'deny';
  where.knowledge?.judged(input, { sources: asked, reads: reads && inner === undefined, stopped });
  refreshLater(home, config.user.shared, env);
  if (behindWrap && !stopped) writeHandoff(behindWrap.folder, input.toolUseId, behindWrap.handoff);
  return response;
};
