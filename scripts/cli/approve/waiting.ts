// What waits for a yes.
import { CommandError } from '../../command/command.ts';
import { defined } from '../../contract/defined.ts';
import { committedLock, pinnedBefore } from '../../lock/at-revision.ts';
import { NOT_CONFIGURED, type Offer } from '../../lock/offers.ts';
import { type Pending, pendingOf } from '../../lock/pending.ts';
import { refusalOf } from '../../lock/refused.ts';
import type { ApprovalRules } from '../../lock/rules.ts';
import { type Lock, toPins } from '../../lock/types.ts';
import { quoteText } from '../../text/quote.ts';

export interface Selected {
  server?: string;
  tool?: string;
}

export type Problem = { server: string; why: string; hint?: string };

/** A tool that is refused waits for a yes only where it is named. */
const refusedOne = (
  lock: Lock,
  offers: ReadonlyMap<string, Offer>,
  server: string,
  tool: string,
  rules: ApprovalRules,
): Pending[] => {
  const pins = lock.get(server);
  const offer = offers.get(server);
  if (pins === undefined || offer === undefined || !('tools' in offer)) return [];
  const live = offer.tools.find(({ name }) => name === tool);
  const refused = refusalOf(pins, tool, live);
  if (refused === undefined) return [];
  const found = pendingOf(server, toPins(pins, pins.removed), offer.tools, rules).filter((one) => one.tool === tool);
  const pin = pins.get(tool);
  if (found.length > 0 || pin === undefined) return found.map((one) => ({ ...one, refused }));
  return [{ server, tool, what: 'unconfirmed', pin, live: pin.contract, changes: [], refused }];
};

/** Everything that waits for approval, and the servers that could not be asked. */
export const waiting = (
  lock: Lock,
  offers: ReadonlyMap<string, Offer>,
  { server, tool }: Selected,
  rules: ApprovalRules,
) => {
  const servers = server === undefined ? [...lock.keys()].sort() : [server];
  const pending: Pending[] = [];
  const problems: Problem[] = [];
  for (const name of servers) {
    const offer = offers.get(name) ?? NOT_CONFIGURED;
    if ('tools' in offer) pending.push(...pendingOf(name, lock.get(name) ?? new Map(), offer.tools, rules));
    else problems.push({ server: name, ...offer });
  }
  const known = (one: string): boolean => {
    const offer = offers.get(server as string);
    return (
      lock.get(server as string)?.has(one) ||
      (offer !== undefined && 'tools' in offer && offer.tools.some(({ name }) => name === one))
    );
  };
  if (tool === undefined) return { pending, problems };
  if (problems.length === 0 && !known(tool)) {
    throw new CommandError(
      'no-such-tool',
      `${quoteText(server as string, 60)} has no tool ${quoteText(tool, 60)}, pinned or not`,
      'konnichiwagwan verify',
    );
  }
  const wanted = pending.filter((one) => one.tool === tool);
  return { pending: wanted.length > 0 ? wanted : refusedOne(lock, offers, server as string, tool, rules), problems };
};

/** Adds the committed pin to each edited one: the record goes on from there. */
export const withCommitted = (pending: readonly Pending[], project: string): Pending[] => {
  const lock = pending.some(({ what }) => what === 'edited') ? committedLock(project) : undefined;
  return pending.map((one) => {
    const { what, server, tool } = one;
    const committed = what === 'edited' ? lock?.get(server)?.get(tool) : undefined;
    return committed ? { ...one, committed } : one;
  });
};

/** For a pin that another person approved, shows what that approval changed instead of the whole contract. */
export const withPrevious = (pending: readonly Pending[], project: string): Pending[] => {
  const find = pending.some(({ what }) => what === 'unconfirmed') ? pinnedBefore(project) : undefined;
  return pending.map((one) => {
    const from = one.what === 'unconfirmed' ? one.pin?.approved?.from : undefined;
    const previous = from === undefined ? undefined : find?.(one.server, one.tool, from);
    return { ...one, ...defined({ previous }) };
  });
};
