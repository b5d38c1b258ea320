import type { ListKind, OfferKind } from '../contract/types.ts';
import type { Offered } from '../diff/offered.ts';
import type { FoundChange } from '../diff/types.ts';

/**
 * The state of one list of a server, compared with what the session learned: `current`; `pending`: it changed, and the
 * conversation goes on with what it knows; `unread`: it changed while it was read; `unknown`: it was not asked for,
 * now or then.
 */
type ListState = 'current' | 'pending' | 'unread' | 'unknown';
export type ListStates = { [kind in ListKind]?: ListState };

/** The state of each list that a source has; a gateway has tools alone. */
export const listStates = (
  kind: 'gateway' | 'server',
  before: Offered | undefined,
  now: Offered,
  changes: readonly Pick<FoundChange, 'offer'>[],
): ListStates => {
  const changed = new Set<ListKind>(changes.map(({ offer }) => offer ?? 'tools'));
  const settled = (one: ListKind): ListState => (changed.has(one) ? 'pending' : 'current');
  const offered = (one: OfferKind): ListState => {
    if (now.unread?.[one] !== undefined) return 'unread';
    return before?.offers === undefined || now.offers === undefined || before.unread?.[one] !== undefined
      ? 'unknown'
      : settled(one);
  };
  const isUnread = [...now.tools, ...(before?.tools ?? [])].some(({ defect }) => defect !== undefined);
  const tools = isUnread ? 'unread' : before === undefined ? 'unknown' : settled('tools');
  return kind === 'gateway' ? { tools } : { tools, prompts: offered('prompts'), resources: offered('resources') };
};
