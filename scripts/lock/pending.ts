import { canonical, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import type { Contract, Json } from '../contract/types.ts';
import { publicChange } from '../diff/public-change.ts';
import { findToolRenames } from '../diff/rename-tools.ts';
import type { FoundChange } from '../diff/types.ts';
import { say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { changesOfTool, plainChange } from './compare.ts';
import { refusalOf } from './refused.ts';
import { type ApprovalRules, hasRules, lacks } from './rules.ts';
import { editedPin } from './seal.ts';
import type { Pin, Pins, Refused, Removed } from './types.ts';

/** One tool whose contract waits for a person to approve it. */
export interface Pending {
  server: string;
  tool: string;
  /** `unconfirmed`: it is pinned, but its approval falls short of the settings. */
  what: 'changed' | 'new' | 'removed' | 'edited' | 'unconfirmed';
  pin?: Pin;
  live?: Contract;
  /** For a pin that was already removed: what is left of it. */
  gone?: Removed;
  /** For a pin that was edited by hand: the one in the last commit, whose records continue. */
  committed?: Pin;
  changes: FoundChange[];
  /** For an unconfirmed one: the contract that was approved before, if git still has it. */
  previous?: Contract;
  /** For a new tool that is most likely a renamed one: the old one, whose pin is removed by the same yes. */
  renamed?: Pending;
  /** The refusal that a yes lifts. */
  refused?: Refused;
}

/** Merges a removed tool and a new one if they are most likely the same under another name. */
export const withRenames = (pending: readonly Pending[]): Pending[] => {
  const inPairs = [...new Set(pending.map(({ server }) => server))].flatMap((server) => {
    const of = (what: Pending['what']): Pending[] =>
      pending.filter((one) => one.server === server && one.what === what && one.gone === undefined);
    const [gone, came] = [of('removed'), of('new')];
    return findToolRenames(
      gone.flatMap(({ tool, pin }) => (pin === undefined ? [] : [{ ...pin.contract, name: tool }])),
      came.flatMap(({ live }) => live ?? []),
    ).flatMap(({ before, after }) => {
      const [old, now] = [gone.find(({ tool }) => tool === before.name), came.find(({ tool }) => tool === after.name)];
      return old && now ? [{ old, now }] : [];
    });
  });
  return pending.flatMap((one) => {
    if (inPairs.some(({ old }) => old === one)) return [];
    const pair = inPairs.find(({ now }) => now === one);
    return pair === undefined ? [one] : [{ ...one, renamed: pair.old }];
  });
};

/** The change for a pin that was edited by hand: its content is not approved. */
export const editedChange = (tool: string, why: string): FoundChange =>
  plainChange(tool, 'pin-edited', 'unclassified', say`its pin was edited by hand: ${visible(why, { max: 300 })}`);

/**
 * The tools of a server that differ from their pins; each of them is approved separately.
 * Refused tools wait for nothing.
 * @param rules if given, tools without the approval that these require wait, too, even if they match their pins
 */
export const pendingOf = (server: string, pins: Pins, tools: readonly Contract[], rules?: ApprovalRules): Pending[] => {
  const isUnfit = (one: Pin | Removed): boolean =>
    rules !== undefined && hasRules(rules) && lacks(rules, one.approved).length > 0;
  const live = new Map(tools.map((tool) => [tool.name, tool]));
  const names = [...new Set([...pins.keys(), ...live.keys()])]
    .filter((name) => refusalOf(pins, name, live.get(name)) === undefined)
    .sort();
  const removed = [...(pins.removed ?? [])].flatMap(([tool, gone]): Pending[] =>
    isUnfit(gone) && !names.includes(tool) ? [{ server, tool, what: 'unconfirmed', gone, changes: [] }] : [],
  );
  const waiting = names.flatMap((tool): Pending[] => {
    const [pin, now] = [pins.get(tool), live.get(tool)];
    const edited = pin === undefined ? undefined : editedPin(server, tool, pin);
    const changes = [
      ...(edited === undefined ? [] : [editedChange(tool, edited)]),
      ...changesOfTool(pin?.contract, now),
    ];
    // If one yes is not enough, the next one approves the whole contract.
    const isOpen = pin !== undefined && now !== undefined && edited === undefined && isUnfit(pin);
    if (isOpen && (changes.length === 0 || pin.approved !== undefined))
      return [{ server, tool, what: 'unconfirmed', pin, live: changes.length === 0 ? pin.contract : now, changes }];
    if (changes.length === 0) return [];
    const what =
      pin === undefined ? 'new' : now === undefined ? 'removed' : edited === undefined ? 'changed' : 'edited';
    return [{ server, tool, what, ...defined({ pin, live: now }), changes }];
  });
  return [...waiting, ...removed];
};

/** A hash of the changes that a person saw. */
export const diffHash = (changes: readonly FoundChange[]): string =>
  sha256(canonical(changes.map(publicChange) as unknown as Json));
