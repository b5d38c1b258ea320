import { listOf, safeUri } from '../contract/offers.ts';
import type { Contract, Unread } from '../contract/types.ts';
import type { Shown } from '../text/shown.ts';
import { type DiffProgress, diffLists } from './diff-lists.ts';
import type { FoundChange } from './types.ts';

/** What a server offers: tools and, if they were asked for, prompts and resources in the form of contracts. */
export interface Offered {
  tools: Contract[];
  offers?: Contract[];
  /** What is missing in the offers because it could not be read. */
  unread?: Unread;
}

const withoutTool = (text: Shown): Shown => text.replace(/\bthe tool\b/g, 'it') as Shown;

/** Marks and rewords a change of a prompt or resource: rules say "the tool", but its name already says what it is. */
const notATool = (change: FoundChange): FoundChange => ({
  ...change,
  offer: listOf({ name: change.tool }),
  message: withoutTool(change.message),
  brief: withoutTool(change.brief),
});

/**
 * What changed in everything that a server offers. A list that one side was not asked for, or lacks, is not compared.
 * @param budget see `diffLists`, as `compared`
 */
export const diffOffered = (
  before: Offered,
  after: Offered,
  budget?: number,
  compared?: DiffProgress,
): FoundChange[] => {
  const tools = diffLists(before.tools, after.tools, budget, compared);
  if (before.offers === undefined || after.offers === undefined) return tools;
  const unread = { ...before.unread, ...after.unread };
  const known = (offers: Contract[]): Contract[] =>
    offers
      .filter((offer) => unread[listOf(offer)] === undefined)
      .map((offer) => (offer.name.startsWith('resource') ? { ...offer, name: safeUri(offer.name) } : offer));
  return [...tools, ...diffLists(known(before.offers), known(after.offers), budget).map(notATool)];
};
