// Compares two lists of tools.
import { bounded } from '../contract/bounded.ts';
import { elapsed } from '../contract/elapsed.ts';
import { sameJson } from '../contract/same.ts';
import type { Contract } from '../contract/types.ts';
import { BUDGET_MS, compare, diffContract, incomplete, type Risk, riskOf, worstFirst } from './diff.ts';
import { findToolDivisions, findToolRenames } from './rename-tools.ts';
import { runRules } from './run-rules.ts';
import { LIST_RULES } from './table.ts';
import type { FoundChange, ListPair } from './types.ts';

/** Changes without those of tools that could not be read on one side: whether these changed is unknown. */
export const ofReadable = <C extends { tool: string }>(
  changes: readonly C[],
  ...lists: (readonly Contract[])[]
): C[] => {
  const dark = new Set(lists.flat().flatMap(({ name, defect }) => (defect === undefined ? [] : [name])));
  return changes.filter(({ tool }) => !dark.has(tool));
};

/** How many tools are compared so far, out of how many. */
export type DiffProgress = (done: number, of: number) => void;

/** For how long, in ms, tools begin under a time limit that they share. The last one has what is left of it. */
const SHARED_MS = 100;

const diffPairs = (
  pairs: (readonly [Contract, Contract])[],
  budget: number,
  compared: DiffProgress,
): (readonly FoundChange[])[] => {
  const end = elapsed() + budget;
  const risks = pairs.map(([old, now]) => riskOf(old, now));
  const found: (readonly FoundChange[])[] = [];
  const next = (diff: typeof diffContract, risk?: Risk): void => {
    const [old, now] = pairs[found.length] as [Contract, Contract];
    compared(found.length, pairs.length);
    found.push(elapsed() > end ? [incomplete(now.name, 'late')] : diff(old, now, risk));
  };
  while (found.length < pairs.length) {
    // Setting a time limit takes longer than comparing most tools. What runs out of a shared one gets one of its own.
    if (risks[found.length] === 'long' && risks[found.length + 1] === 'long')
      bounded(() => {
        const until = elapsed() + SHARED_MS;
        while (found.length < pairs.length && risks[found.length] !== 'endless' && elapsed() < until)
          next((old, now) => compare(old, now));
      }, BUDGET_MS);
    if (found.length < pairs.length) next(diffContract, risks[found.length]);
  }
  return found;
};

/**
 * What changed between two lists of tools, the worst first: in tools that both have, and tools that were added, removed or
 * renamed.
 * @param budget milliseconds; after that, further tools are reported as changed, but not compared
 * @param compared receives how many of the changed tools are compared
 */
export const diffLists = (
  before: readonly Contract[],
  after: readonly Contract[],
  budget = Number.POSITIVE_INFINITY,
  compared: DiffProgress = () => {},
): FoundChange[] => {
  const had = new Map(before.map((tool) => [tool.name, tool]));
  const has = new Map(after.map((tool) => [tool.name, tool]));
  const gone = before.filter((tool) => !has.has(tool.name));
  const came = after.filter((tool) => !had.has(tool.name));
  const renamed = findToolRenames(gone, came);
  const from = new Set(renamed.map((pair) => pair.before.name));
  const to = new Set(renamed.map((pair) => pair.after.name));
  const [left, right] = [gone.filter((tool) => !from.has(tool.name)), came.filter((tool) => !to.has(tool.name))];
  const divided = findToolDivisions(left, right);
  const moved = new Set(divided.flatMap((division) => [...division.before, ...division.after]));
  const lists: ListPair = {
    at: 'list',
    added: right.filter((tool) => !moved.has(tool)),
    removed: left.filter((tool) => !moved.has(tool)),
    renamed,
    divided,
  };
  const changed = after.flatMap((tool): [Contract, Contract][] => {
    const old = had.get(tool.name);
    return old === undefined || sameJson(old as never, tool as never) ? [] : [[old, tool]];
  });
  const pairs = [...changed, ...renamed.map((pair): [Contract, Contract] => [pair.before, pair.after])];
  const ofLists = runRules(LIST_RULES, lists, { tool: '', path: '' }, []).changes;
  return worstFirst([ofLists, ...diffPairs(pairs, budget, compared)].flat());
};
