// What the guard itself told the model of a changed tool. The model goes by it from then on, although its client still
// shows the older contract: if the server changes again, or back, such a call is as stale as any other.
import { canonical } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { meaningHash } from '../contract/meaning.ts';
import { withoutProseOf } from '../contract/prose.ts';
import { type Contract, isObject } from '../contract/types.ts';
import { viewHash } from '../contract/view.ts';
import { type About, mark, readMarker } from '../state/markers.ts';
import { type Assessment, type ExaminedTool, judgementOf, liveContract } from './assessment.ts';
import type { ToolInput } from './input.ts';

/** The last contract that the model was told. */
export interface Lesson {
  contract: Contract;
  /** How many contracts it was told before this one. */
  before: number;
}

type ShownByClient = Pick<ExaminedTool, 'view' | 'baseline'>;

/** Identifies what the client shows: a lesson about another contract is over. */
const shownHash = ({ view, baseline }: ShownByClient): string => {
  const shown = view ?? baseline?.contract;
  return shown === undefined ? '' : viewHash(shown);
};

/** The last lesson about a tool in one conversation, and whether the client still shows what it showed then. */
const lastOn = (home: string, tool: About, shown: ShownByClient): { lesson: Lesson; counts: boolean } | undefined => {
  const { contract, before, hash } = readMarker(home, 'taught', tool) ?? {};
  if (!isObject(contract) || typeof contract.name !== 'string' || typeof before !== 'number') return undefined;
  return { lesson: { contract: contract as unknown as Contract, before }, counts: hash === shownHash(shown) };
};

/** The lesson about a tool in one conversation; undefined if there was none, or the client shows another contract since. */
export const lessonOn = (home: string, tool: About, shown: ShownByClient): Lesson | undefined => {
  const last = lastOn(home, tool, shown);
  return last?.counts ? last.lesson : undefined;
};

/** Whether a lesson is what the server runs. */
export const holds = (lesson: Lesson, live: Contract): boolean => meaningHash(lesson.contract) === meaningHash(live);

/**
 * The number of the lesson that a message about a contract is, or was: 0 for the first one. It goes on where the client shows
 * another contract now, so that nothing told before counts as told again.
 */
export const lessonNumber = (home: string, tool: About, shown: ShownByClient, contract: Contract): number => {
  const last = lastOn(home, tool, shown);
  if (last === undefined) return 0;
  return last.counts && holds(last.lesson, contract) ? last.lesson.before : last.lesson.before + 1;
};

/** What a message teaches: the contract to call a tool by, and what the client shows of it. */
export interface Taught {
  tool: About;
  shown: ShownByClient;
  contract: Contract;
}

/** What a message about a call teaches; undefined if it names no contract to call the tool by. */
export const lessonIn = ({ session, agent }: ToolInput, found: Assessment): Taught | undefined => {
  const { facts, named } = found;
  const contract = liveContract(found);
  if (facts?.tool === undefined || contract === undefined || judgementOf(found)?.signature === undefined)
    return undefined;
  const { name, view, baseline } = facts.tool;
  const tool = { session, agent, source: facts.source.key, server: named.server, tool: name };
  return { tool, shown: defined({ view, baseline }), contract };
};

/** Remembers what the model is told now. */
export const teach = (home: string, taught: Taught | undefined): Lesson | undefined => {
  if (taught === undefined) return undefined;
  const { tool, shown, contract } = taught;
  const last = lessonOn(home, tool, shown);
  if (last !== undefined && holds(last, contract)) return last;
  const lesson = { contract, before: lessonNumber(home, tool, shown, contract) };
  mark(home, 'taught', tool, { ...lesson, hash: shownHash(shown) });
  return lesson;
};

/** The key of a reason that was told in a lesson: a later lesson, even of the same contract, tells it again. */
export const keyIn = ({ before }: Lesson, key: string): string => canonical([key, before]);

/** What the model knows of a contract: without the words of a server that the user does not trust. */
export const asTold = (contract: Contract, trusted: boolean): Contract =>
  trusted ? contract : withoutProseOf(contract);
