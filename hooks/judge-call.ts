import { type Assessment, assess } from '../scripts/assess.ts';
import { LEVELS } from '../scripts/diff/types.ts';
import type { HookAnswer } from '../scripts/hook/answer.ts';
import type { ToolInput } from '../scripts/hook/input.ts';
import type { Asked } from '../scripts/hook/unchanged.ts';
import { assessInner } from '../scripts/invoker/assess-inner.ts';
import { together } from '../scripts/invoker/together.ts';
import { readAnswer } from '../scripts/sources/answer.ts';
import type { Answer } from '../scripts/sources/source.ts';
import { type Activity, logActivity } from '../scripts/state/activity.ts';
import { release } from '../scripts/state/asking.ts';
import { readJson, writeAtomic } from '../scripts/state/files.ts';
import { isWhole, keepAnswer, readHead } from '../scripts/state/live.ts';
import { firstTime, mark, readMarker, wasMarked } from '../scripts/state/markers.ts';
import { writeMemo } from '../scripts/state/memo.ts';
import { sessionFolder } from '../scripts/state/paths.ts';
import { configStamp } from '../scripts/state/stamp.ts';
import { answerFor, rebuiltMessage, subjectOf, uncheckedMessage, uncheckedQuestion } from '../scripts/text/messages.ts';
import { withTrust } from '../scripts/text/trust.ts';
import { transcriptOf } from '../scripts/view/records.ts';
import { type TranscriptIndex, wasGranted } from '../scripts/view/transcript.ts';

/** What the fast path knows when it hands over. */
export interface HandOver {
  home: string;
  project: string;
  /** What the fast path asked a source just now. */
  asked?: Asked;
  /** When the call was made, in ms since 1970. */
  since: number;
}

const indexPath = (home: string, { session, agent }: ToolInput): string =>
  `${sessionFolder(home, session)}/${agent ?? 'main'}.view.json`;

const rememberIndex = (path: string, index: TranscriptIndex | null, known: TranscriptIndex | undefined): void => {
  if (index === null || index.offset === known?.offset) return;
  try {
    writeAtomic(path, JSON.stringify(index));
  } catch {
    // The next look reads the transcript from further back.
  }
};

/** A person sits there and is asked: in a headless run a question is a refusal, and its text goes to the model. */
export const isAttended = (env: NodeJS.ProcessEnv): boolean => env.CLAUDE_CODE_ENTRYPOINT === 'cli';

/** Whether a reason need not be given again: it was told once, or asked about and granted. */
const settledIn =
  (home: string, session: string) =>
  (key: string): boolean => {
    if (wasMarked(home, session, 'told', key)) return true;
    const asked = readMarker(home, session, 'asked', key);
    if (asked === undefined) return false;
    const { path, from, toolUseId } = asked;
    if (typeof path !== 'string' || typeof from !== 'number' || typeof toolUseId !== 'string') return false;
    if (!wasGranted(path, from, toolUseId)) return false;
    mark(home, session, 'told', key, {});
    return true;
  };

const remember = (home: string, input: ToolInput, { judgement, index }: Assessment): void => {
  for (const { key, change } of judgement?.reasons ?? []) {
    if (judgement?.decision === 'ask') {
      const place = { path: index?.path ?? input.transcript, from: index?.offset ?? 0, toolUseId: input.toolUseId };
      mark(home, input.session, 'asked', key, place);
    } else if (judgement?.decision === 'deny' && change?.effect?.verdict === 'ask') {
      mark(home, input.session, 'told', key, {});
    }
  }
};

/** One notice for each tool and live contract; a stop has said what there is to say. */
const answerOnce = (home: string, input: ToolInput, found: Assessment): HookAnswer => {
  const { judgement, tool, live } = found;
  if (!judgement || judgement.decision === 'silence') return {};
  const contract = live?.tools.find((one) => one.name === tool);
  const concerned = judgement.decision === 'notice' ? judgement.reasons.map((reason) => reason.key) : [];
  const first = firstTime(home, input.session, 'notice', JSON.stringify([input.toolName, contract, concerned]));
  if (judgement.decision === 'notice' && !first) return {};
  return answerFor(judgement, subjectOf(input, found, isAttended(process.env)));
};

const verdictOf = (found: Assessment): Activity['verdict'] => {
  if (found.verdict === 'judged') return found.judgement?.decision ?? 'failed';
  return found.verdict === 'off' ? 'silence' : found.verdict;
};

const respond = (home: string, input: ToolInput, found: Assessment): HookAnswer => {
  if (found.verdict === 'judged') {
    remember(home, input, found);
    return answerOnce(home, input, found);
  }
  if (found.program && found.program.rebuilt.length > 0) {
    const [file = ''] = found.program.rebuilt;
    const first = firstTime(
      home,
      input.session,
      'rebuilt',
      JSON.stringify(found.program.files.map(({ hash, stamp }) => hash ?? stamp)),
    );
    if (found.policy.mode === 'strict') return uncheckedQuestion(found.named.server, 'its program was rebuilt');
    return first ? { systemMessage: rebuiltMessage(found.named.server, file) } : {};
  }
  if (found.verdict !== 'unchecked') return {};
  const why = found.why ?? 'unknown';
  // What is on its way is not worth an alarm; the next call is judged by it.
  if (found.pending && found.policy.mode !== 'strict') return {};
  if (found.policy.mode === 'strict') return uncheckedQuestion(found.named.server, why);
  // That one way to a server is not checked says nothing of the other one.
  const way = found.through ? JSON.stringify([found.named.server, found.through.toolName]) : found.named.server;
  const first = firstTime(home, input.session, 'unchecked', way);
  return first ? { systemMessage: uncheckedMessage(found.named.server, why, found.unaskable) } : {};
};

/** The lockfile's verdict beside that of freshness; what a person granted in this session is granted. */
const heedTrust = (home: string, input: ToolInput, found: Assessment, answer: HookAnswer): HookAnswer => {
  const { trust, index } = found;
  if (trust === undefined) return answer;
  if (trust.verdict === 'ask') {
    const place = { path: index?.path ?? input.transcript, from: index?.offset ?? 0, toolUseId: input.toolUseId };
    mark(home, input.session, 'asked', trust.key, place);
  } else if (trust.verdict === 'notice' && !firstTime(home, input.session, 'unapproved', trust.key)) return answer;
  return withTrust(answer, trust, subjectOf(input, found, isAttended(process.env)));
};

/** The whole decision on one call, for everything that the fast path does not settle. */
export const judgeCall = async (input: ToolInput, { home, project, asked, since }: HandOver): Promise<HookAnswer> => {
  if (asked) {
    const answer: Answer =
      asked.text === undefined
        ? { status: 'unreachable', why: 'no answer in time' }
        : readAnswer(asked.text, asked.etag);
    const overMcp = readHead(home, asked.key)?.mcp !== undefined;
    // What is not the whole answer is asked for once more, the longer way.
    if (!overMcp || asked.text === undefined || isWhole(answer))
      keepAnswer(home, asked, answer, asked.freshFor, asked.at);
    release(home, asked.key);
  }
  const stamp = configStamp(home, project, process.env);
  const known = readJson(indexPath(home, input)) as TranscriptIndex | undefined;
  const settled = settledIn(home, input.session);
  const around = { home, project, env: process.env, index: known, settled, since };
  const wasTold = (key: string): boolean => wasMarked(home, input.session, 'unapproved', key);
  const withoutSettled = ({ trust, ...fresh }: Assessment): Assessment =>
    trust && !settled(trust.key) && !(trust.verdict === 'notice' && wasTold(trust.key)) ? { ...fresh, trust } : fresh;
  const found = withoutSettled(await assess(input, transcriptOf(input), around));
  const inner = await assessInner(input, transcriptOf(input), found, around);
  const answerTo = (asked: ToolInput, about: Assessment): HookAnswer =>
    heedTrust(home, asked, about, respond(home, asked, about));
  const own = answerTo(input, found);
  const inside = typeof inner === 'object' ? withoutSettled(inner.found) : undefined;
  const response = typeof inner === 'object' && inside ? together(own, answerTo(inner.input, inside)) : own;
  rememberIndex(indexPath(home, input), found.index, known);
  const quiet = found.judgement?.decision === 'silence' || found.verdict === 'not-covered' || found.verdict === 'off';
  // What is silent about one inner tool says nothing of the next one.
  if (quiet && !found.trust && inner === undefined) {
    writeMemo(home, input.session, input.agent, {
      version: 1,
      toolName: input.toolName,
      server: input.server,
      said: {
        server: found.named.server,
        verdict: found.verdict === 'not-covered' ? 'not-covered' : 'silence',
      },
      stamp,
      view: { path: transcriptOf(input), offset: found.index?.offset ?? 0, shape: found.index?.current ?? null },
      sources: found.consulted,
      ...(found.program ? { files: found.program.files.map(({ path, stamp }) => ({ path, stamp })) } : {}),
    });
  }
  logActivity(home, {
    session: input.session,
    server: found.named.server,
    tool: input.toolName,
    verdict: response.decision ?? (inside && verdictOf(found) === 'silence' ? verdictOf(inside) : verdictOf(found)),
    level: LEVELS.find((level) =>
      [found, inside].some((one) => one?.judgement?.changes.some((change) => change.level === level)),
    ),
  });
  return response;
};
