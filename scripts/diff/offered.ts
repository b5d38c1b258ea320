import type { Contract } from '../contract/types.ts';
import { diffLists } from './diff.ts';
import type { FoundChange } from './types.ts';

/** What a server offers: tools, and where it was asked for, prompts and resources in the form of contracts. */
export interface Offered {
  tools: Contract[];
  offers?: Contract[];
}

/** The rules speak of tools. What else is offered says in its name what it is. */
const notATool = (change: FoundChange): FoundChange => ({
  ...change,
  message: change.message.replace(/\bthe tool\b/g, 'it'),
  brief: change.brief.replace(/\bthe tool\b/g, 'it'),
});

/**
 * What changed in everything that a server offers. What one side was not asked for is not compared.
 * @param budget milliseconds that it may take
 */
export const diffOffered = (before: Offered, after: Offered, budget?: number): FoundChange[] => {
  const tools = diffLists(before.tools, after.tools, budget);
  if (before.offers === undefined || after.offers === undefined) return tools;
  return [...tools, ...diffLists(before.offers, after.offers, budget).map(notATool)];
};
