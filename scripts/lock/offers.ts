import { defined } from '../contract/defined.ts';
import { groupBy } from '../contract/group-by.ts';
import { sameJson } from '../contract/same.ts';
import type { Contract, Json } from '../contract/types.ts';
import type { NamedSecret } from '../servers/secrets.ts';
import { type AskContext, askServers, type ListedServer } from '../sources/ask.ts';
import { visible } from '../text/visible.ts';
import { fieldsOf } from './seal.ts';

/**
 * The tools of a server now, or why it could not be asked. `leaks`: by tool name, the origin of the secret that the tool
 * gives away; `waits`: not asked because the user has not approved it yet.
 */
export type Offer =
  | { tools: readonly Contract[]; leaks?: ReadonlyMap<string, string> }
  | { why: string; hint?: string; waits?: true };

export type { AskContext };

export const NOT_CONFIGURED: Offer = { why: 'it is not configured here' };

/** In ms. A program that is started may have to be downloaded and unpacked first. */
const DEADLINE = { ask: 10_000, spawn: 60_000 };

/**
 * The origin of a secret in a contract; undefined if it holds none. Checked because the lockfile is committed, and a server
 * may put secrets that it was given into its contracts.
 */
export const leakedSecret = (contract: Contract, secrets: readonly NamedSecret[]): string | undefined => {
  const text = JSON.stringify(fieldsOf(contract));
  return secrets.find(([, value]) => text.includes(JSON.stringify(value).slice(1, -1)))?.[0];
};

/** The offer of servers with one name. If they differ, it is unclear what a pin is for. */
const toOffer = (listed: readonly ListedServer[], credentials: readonly NamedSecret[]): Offer => {
  const [first, ...more] = listed as [ListedServer, ...ListedServer[]];
  if (more.some(({ tools }) => !sameJson(tools as unknown as Json, first.tools as unknown as Json)))
    return { why: 'several servers of this name offer different tools', hint: 'give them names of their own' };
  const leaks = first.tools.flatMap((tool): [string, string][] => {
    const from = leakedSecret(tool, credentials);
    return from === undefined ? [] : [[tool.name, from]];
  });
  return { tools: first.tools, leaks: new Map(leaks) };
};

/** Asks the servers of the project; by name. Reasons and hints are made safe to be shown. */
export const askOffers = async (around: AskContext): Promise<Map<string, Offer>> => {
  const deadline = around.deadline ?? (around.spawn ? DEADLINE.spawn : DEADLINE.ask);
  const { listed, unchecked, waiting, credentials } = await askServers({ ...around, deadline });
  const offers = new Map<string, Offer>();
  for (const [name, same] of groupBy(listed, (one) => one.name)) offers.set(name, toOffer(same, credentials));
  for (const { name, why, hint } of unchecked) {
    // If two sources share a name, the one that could not be asked counts.
    offers.set(name, { why: visible(why, { max: 300 }), ...defined({ hint: hint && visible(hint, { max: 300 }) }) });
  }
  for (const { name, why } of waiting) offers.set(name, { why: visible(why, { max: 300 }), waits: true });
  return offers;
};
