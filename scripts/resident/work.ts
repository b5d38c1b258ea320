// Work that the resident guard does in threads: all that reads, compares or proves what a server said. A hostile
// server can make that slow, and the calls of other servers must not wait for it.
import { loadConfig } from '../config/config.ts';
import type { HookAnswer } from '../guard/answer.ts';
import type { CallPlace, JudgedCall, Knowledge } from '../guard/fast-path.ts';
import type { ToolInput } from '../guard/input.ts';
import { judgeCall, type UnsettledPlace } from '../guard/judge-call.ts';
import { allSources } from '../sources/all.ts';
import type { Head } from '../sources/head.ts';
import { type AskOptions, askSource, type LiveAnswer } from '../sources/live.ts';
import type { Repeated } from '../sources/revalidate.ts';
import type { AskOutcome } from '../sources/warm/warm-source.ts';
import type { Moment } from '../state/circumstances.ts';
import { contractText } from './contract.ts';
import { storedAnswer } from './stored.ts';
import { type ChangedTool, type Told, tell } from './tell.ts';

/** Where a call was made: as much of that as can be handed to another thread. */
export type Where = Pick<CallPlace, 'home' | 'project' | 'env' | 'since'>;

/** What the resident guard knows of its sources while work begins. */
export interface KnownToGuard {
  /** Keys of sources that announce changes, and announced none. */
  subscribed: readonly string[];
  /** Sources that announced a change since they were last asked, and when: earlier answers do not count. */
  announced: readonly (readonly [key: string, at: Moment])[];
  /** Calls that are known to have run. */
  ran: readonly string[];
}

/** One piece of work. Can be handed to another thread. */
export type Work =
  /** Judges a call that the fast path did not settle. */
  | { kind: 'judge'; input: ToolInput; where: Where; asked: UnsettledPlace['asked']; known: KnownToGuard }
  /** Finds out what to say about a call that was sent before. */
  | { kind: 'tell'; change: ChangedTool }
  /** Says what a tool takes now. */
  | { kind: 'contract'; tool: unknown; session: string; where: Where; known: KnownToGuard }
  /** Asks a source, and stores its answer. */
  | { kind: 'ask'; key: string; where: Where; options: AskOptions };

/** The answers to the questions that the work asked, by source. */
export type Asked = readonly (readonly [key: string, outcome: AskOutcome])[];

export interface Results {
  judge: { answer: HookAnswer; judged: JudgedCall | undefined; asked: Asked };
  tell: Told | undefined;
  contract: { text: string; asked: Asked };
  ask: AskOutcome;
}

/** Asks a source over the connection that the resident guard keeps; undefined without one. */
export type AskOver = (key: string, head: Head, deadline: number) => Promise<Repeated | undefined>;

const outcomeOf = (answer: LiveAnswer): AskOutcome =>
  answer.status === 'live' ? { status: 'live' } : { status: 'failed', kind: answer.kind };

/** Knowledge as work has it: sources are asked over kept connections, and what they answered is noted. */
const noting = ({ subscribed, announced, ran }: KnownToGuard, again: NonNullable<AskOptions['again']>) => {
  const asked: (readonly [string, AskOutcome])[] = [];
  let judged: JudgedCall | undefined;
  const knowledge: Knowledge = {
    counts: () => undefined,
    again: () => undefined,
    ask: async (home, source, options) => {
      const known = !options.force && subscribed.includes(source.key) ? storedAnswer(home, source.key) : undefined;
      if (known !== undefined) return known;
      const [, since] = announced.find(([key]) => key === source.key) ?? [];
      const fromThen = since === undefined || options.force ? {} : { since, force: true };
      const answer = await askSource(home, source, { ...options, ...fromThen, again });
      asked.push([source.key, outcomeOf(answer)]);
      return answer;
    },
    ran: (toolUseId) => ran.includes(toolUseId),
    judged: (_input, call) => {
      judged = call;
    },
  };
  return { knowledge, asked, judged: () => judged };
};

/** The source of this key, as the settings name it now. */
export const sourceOf = (key: string, { home, project, env }: Where) => {
  const { gateways, servers } = allSources(loadConfig(home, project, env), project, env);
  return [...gateways, ...servers].find((source) => source.key === key);
};

/** Does one piece of work. @throws what its work throws */
export const doWork = async (work: Work, askOver: AskOver): Promise<Results[keyof Results]> => {
  switch (work.kind) {
    case 'judge': {
      const { knowledge, asked, judged } = noting(work.known, askOver);
      const answer = await judgeCall(work.input, { ...work.where, asked: work.asked, knowledge });
      return { answer, judged: judged(), asked };
    }
    case 'contract': {
      const { knowledge, asked } = noting(work.known, askOver);
      return { text: await contractText(work.tool, work.session, { ...work.where, knowledge }), asked };
    }
    case 'tell':
      return tell(work.change);
    case 'ask': {
      const source = sourceOf(work.key, work.where);
      if (source === undefined) return { status: 'failed', kind: 'unaskable' };
      return outcomeOf(await askSource(work.where.home, source, { ...work.options, again: askOver }));
    }
  }
};
