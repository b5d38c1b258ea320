import type { Contract } from '../contract/types.ts';
import { diffLists } from './diff.ts';
import { ofContract } from './table.ts';
import type { FoundChange } from './types.ts';

/** What a server offers: tools, and where it was asked for, prompts and resources in the form of contracts. */
export interface Offered {
  tools: Contract[];
  offers?: Contract[];
}

/**
 * What changed in everything that a server offers. What one side was not asked for is not compared.
 * @param budget milliseconds that it may take
 */
export const diffOffered = (before: Offered, after: Offered, budget?: number): FoundChange[] => [
  ...ofContract(diffLists(before.tools, after.tools, budget)),
  ...(before.offers && after.offers ? ofContract(diffLists(before.offers, after.offers, budget)) : []),
];
