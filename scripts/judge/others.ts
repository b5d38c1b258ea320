import { meaningHash } from '../contract/meaning.ts';
import type { Contract } from '../contract/types.ts';
import { looksLike, withView } from '../contract/view.ts';
import { diffContract } from '../diff/diff.ts';
import type { Others } from './believe.ts';

/** A tool as the model sees it, as its source describes it now, and as it did when the session started. */
export interface Described {
  view: Contract;
  live: Contract;
  atStart?: Contract;
}

/** What was removed from a text and what was inserted, between the common beginning and the common end. */
const edit = (before = '', after = ''): [string, string] => {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)];
};

/** How a tool of the source differs from the model view, as a text: the edit of the description, and the other changes. */
const wayOf = ({ view, live }: Described): string => {
  const shown = withView(live, view);
  const changes = diffContract(shown, live).filter(({ path }) => path !== '/description');
  const told = new Set(changes.map(({ rule, path, renamedTo = '' }) => `${rule} ${path} ${renamedTo}`));
  return JSON.stringify([edit(shown.description, live.description), [...told].sort()]);
};

const MOST = 20;

/**
 * Whether other tools show that the source describes tools in other words than the client does, or that it does not.
 * @param others other tools of the same source that the model sees; the first 20 are compared
 */
export const compareOthers = (tool: Described, others: readonly Described[]): Others => {
  const some = others.slice(0, MOST);
  if (some.some(({ view, live }) => looksLike(view, live))) return 'alike';
  if (some.length === 0) return 'unknown';
  const way = wayOf(tool);
  const always = (one: Described): boolean =>
    one.atStart !== undefined && meaningHash(one.atStart) === meaningHash(one.live) && wayOf(one) === way;
  return some.every(always) ? 'otherwise' : 'unknown';
};
