import { defined } from '../scripts/contract/defined.ts';
import { LEVELS } from '../scripts/diff/types.ts';
import type { HookAnswer } from '../scripts/guard/answer.ts';
import { type Assessment, assess, type Judged, judgementOf, liveContract } from '../scripts/guard/assess.ts';
import type { ToolInput } from '../scripts/guard/input.ts';
import { assessInner } from '../scripts/guard/invoker/assess-inner.ts';
import { together } from '../scripts/guard/invoker/merge-answers.ts';
import {
  answerFor,
  rebuiltMessage,
  subjectOf,
  uncheckedMessage,
  uncheckedQuestion,
} from '../scripts/guard/messages.ts';
import { isAttended, OUTAGE, ofPerson, settledIn } from '../scripts/guard/settled.ts';
import { withTrust } from '../scripts/guard/trust-message.ts';
import type { QuickAnswer } from '../scripts/guard/unchanged.ts';
import { readAnswer } from '../scripts/sources/answer.ts';
import { readHead } from '../scripts/sources/head.ts';
import { isWhole, keepAnswer } from '../scripts/sources/live.ts';
import type { SourceAnswer } from '../scripts/sources/source.ts';
import { type Activity, logActivity } from '../scripts/state/activity.ts';
import { release } from '../scripts/state/asking.ts';
import { keep, type Moment, recall } from '../scripts/state/circumstances.ts';
import { type About, firstTime, keepFirstLook, mark, unmark, wasMarked } from '../scripts/state/markers.ts';
import { writeMemo } from '../scripts/state/memo.ts';
import { sessionFolder } from '../scripts/state/paths.ts';
import { withParts } from '../scripts/state/stamp.ts';
import { digestOfVariables, namedIn } from '../scripts/state/variables.ts';
import { isIndex, type TranscriptIndex } from '../scripts/transcript/model-view.ts';
import { transcriptOf } from '../scripts/transcript/records.ts';

/** What the fast path knows when it hands over. */
export interface HandOver {
  home: string;
  project: string;
  /** What the fast path asked a source just now. */
  asked?: QuickAnswer | undefined;
  /** When the call was made. */
  since: Moment;
}

const indexPath = (home: string, { session, agent }: ToolInput): string =>
  `${sessionFolder(home, session)}/${agent ?? 'main'}.view.json`;

const readIndex = (home: string, input: ToolInput): TranscriptIndex | undefined => {
  const { session, agent } = input;
  const index = recall(indexPath(home, input), { session, agent });
  return isIndex(index) ? index : undefined;
};

const rememberIndex = (home: string, input: ToolInput, index: TranscriptIndex | null): void => {
  const { session, agent } = input;
  try {
    if (index !== null) keep(indexPath(home, input), { session, agent }, index);
  } catch {
    // The next look reads the transcript from further back.
  }
};

/** What is remembered of a stop or a question, so that it need not be repeated. */
const remember = (home: string, input: ToolInput, { judgement, index, policy, facts, named }: Judged): void => {
  const [source, tool] = [facts?.source.key, facts?.tool?.name];
  for (const { key, change } of judgement.reasons) {
    const { session, agent } = input;
    const about = { session, agent, source, server: named.server, tool, about: key };
    if (judgement.decision === 'ask') {
      const place = { path: index?.path ?? input.transcript, from: index?.offset ?? 0, toolUseId: input.toolUseId };
      mark(home, 'asked', ofPerson(about), place);
    } else if (judgement.decision === 'deny' && change?.effect?.verdict === 'ask' && policy.trusted) {
      // The model read the new words and decides again. Where it may not read them, a person is still to be asked.
      mark(home, 'told', about);
    }
  }
};

/** One notice for each tool and live contract; a stop has said what there is to say. */
const answerOnce = (home: string, input: ToolInput, found: Judged): HookAnswer => {
  const { judgement } = found;
  if (judgement.decision === 'silence') return {};
  const contract = liveContract(found);
  const concerned = judgement.decision === 'notice' ? judgement.reasons.map((reason) => reason.key) : [];
  const { session, agent, toolName } = input;
  const about = { session, agent, server: found.named.server, source: found.facts?.source.key, tool: toolName };
  const first = firstTime(home, 'notice', { ...about, about: JSON.stringify([contract, concerned]) });
  if (judgement.decision === 'notice' && !first) return {};
  return answerFor(judgement, subjectOf(input, found, isAttended(process.env)));
};

const verdictOf = (found: Assessment): Activity['verdict'] => {
  if (found.verdict === 'judged') return found.judgement.decision;
  return found.verdict === 'off' ? 'silence' : found.verdict;
};

/** One way to a server: that it is not checked says nothing of another one. */
const wayTo = (input: ToolInput, { named, through }: Assessment): About => ({
  session: input.session,
  server: named.server,
  ...(through ? { tool: through.toolName } : {}),
});

const respond = (home: string, input: ToolInput, found: Assessment): HookAnswer => {
  if (found.verdict === 'judged') {
    // It answers again: the next time that it does not is news.
    unmark(home, 'unchecked', { ...wayTo(input, found), about: OUTAGE });
    remember(home, input, found);
    return answerOnce(home, input, found);
  }
  if (found.verdict === 'not-covered' && found.program && found.program.rebuilt.length > 0) {
    const [file = ''] = found.program.rebuilt;
    const files = JSON.stringify(found.program.files.map(({ hash, stamp }) => hash ?? stamp));
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
  // What is on its way is not worth an alarm; the next call is judged by it.
  if (found.pending && found.policy.mode !== 'strict') return {};
  if (found.policy.mode === 'strict') return uncheckedQuestion(found.named.server, why);
  const about = facts === undefined ? OUTAGE : undefined;
  const first = firstTime(home, 'unchecked', { ...wayTo(input, found), about });
  return first ? { systemMessage: uncheckedMessage(found.named.server, why, found.unaskable) } : {};
};

/** The lockfile's verdict beside that of freshness; what a person granted in this session is granted. */
const heedTrust = (home: string, input: ToolInput, found: Assessment, answer: HookAnswer): HookAnswer => {
  const { trust, index } = found;
  if (trust === undefined) return answer;
  const about = { session: input.session, about: trust.key };
  if (trust.verdict === 'ask') {
    const place = { path: index?.path ?? input.transcript, from: index?.offset ?? 0, toolUseId: input.toolUseId };
    mark(home, 'asked', about, place);
  } else if (trust.verdict === 'notice' && !firstTime(home, 'unapproved', about)) return answer;
  return withTrust(answer, trust, subjectOf(input, found, isAttended(process.env)));
};

/** The whole decision on one call, for everything that the fast path does not settle. */
export const judgeCall = async (input: ToolInput, { home, project, asked, since }: HandOver): Promise<HookAnswer> => {
  if (asked) {
    const answer: SourceAnswer =
      asked.text === undefined
        ? { status: 'unreachable', why: 'no answer in time' }
        : readAnswer(asked.text, asked.etag);
    const overMcp = readHead(home, asked.key)?.mcp !== undefined;
    // What is not the whole answer is asked for once more, the longer way.
    if (!overMcp || asked.text === undefined || isWhole(answer))
      keepAnswer(home, asked, answer, asked.freshFor, asked.at);
    release(home, asked.key);
  }
  const known = readIndex(home, input);
  const settled = settledIn(home, input.session);
  const around = { home, project, env: process.env, index: known, settled, since };
  const wasTold = (key: string): boolean => wasMarked(home, 'unapproved', { session: input.session, about: key });
  const withoutSettled = ({ trust, ...fresh }: Assessment): Assessment =>
    trust && !settled({ about: trust.key }) && !(trust.verdict === 'notice' && wasTold(trust.key))
      ? { ...fresh, trust }
      : fresh;
  const found = withoutSettled(await assess(input, transcriptOf(input), around));
  const inner = await assessInner(input, transcriptOf(input), found, around);
  const answerTo = (asked: ToolInput, about: Assessment): HookAnswer =>
    heedTrust(home, asked, about, respond(home, asked, about));
  const own = answerTo(input, found);
  const inside = typeof inner === 'object' ? withoutSettled(inner.found) : undefined;
  const response = typeof inner === 'object' && inside ? together(own, answerTo(inner.input, inside)) : own;
  if (found.index?.offset !== known?.offset) rememberIndex(home, input, found.index);
  const quiet =
    judgementOf(found)?.decision === 'silence' || found.verdict === 'not-covered' || found.verdict === 'off';
  // What is silent about one inner tool says nothing of the next one.
  if (quiet && !found.trust && inner === undefined) {
    const { config, all, named, consulted } = found;
    const names = namedIn([config.user.gateways, all.configured.map(({ configured }) => configured)]);
    writeMemo(home, input, project, {
      said: { server: named.server, verdict: found.verdict === 'not-covered' ? 'not-covered' : 'silence' },
      view: { path: transcriptOf(input), offset: found.index?.offset ?? 0, shape: found.index?.current ?? null },
      files: [
        ...withParts(found.settings),
        ...(found.verdict === 'not-covered' ? (found.program?.files ?? []) : []).map(({ path, stamp }) => ({
          path,
          stamp,
        })),
      ],
      variables: { names, digest: digestOfVariables(names, process.env) },
      sources: consulted,
    });
  }
  logActivity(home, {
    session: input.session,
    server: found.named.server,
    tool: input.toolName,
    verdict: response.decision ?? (inside && verdictOf(found) === 'silence' ? verdictOf(inside) : verdictOf(found)),
    ...defined({
      level: LEVELS.find((level) =>
        [found, inside].some((one) => one && judgementOf(one)?.changes.some((change) => change.level === level)),
      ),
    }),
  });
  return response;
};
