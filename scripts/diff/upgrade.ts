import { contractHash } from '../contract/canonical.ts';
import { meaningHash } from '../contract/meaning.ts';
import { sameJson } from '../contract/same.ts';
import type { Contract, Identity } from '../contract/types.ts';
import { plural } from '../text/plural.ts';
import { quoteName } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import type { Offered } from './offered.ts';
import type { FoundChange } from './types.ts';

/** Rules about what libraries write into every tool: no author decided it for a single tool. */
const BY_LIBRARIES = new Set(['input-object-closed']);
const AT_ONCE = 3;

/**
 * Separates changes that nearly every tool has, as a new version of a library makes them, from all others.
 * @param tools how many tools there are
 */
export const splitUpgrade = (
  changes: readonly FoundChange[],
  tools: number,
): { upgrade: FoundChange[]; others: FoundChange[] } => {
  const isUpgrade = ({ rule, path, message }: FoundChange): boolean => {
    if (!BY_LIBRARIES.has(rule)) return false;
    const alike = changes.filter((other) => other.rule === rule && other.path === path && other.message === message);
    return alike.length >= AT_ONCE && alike.length >= tools * 0.8;
  };
  const upgrade = changes.filter(isUpgrade);
  return { upgrade, others: changes.filter((change) => !upgrade.includes(change)) };
};

export interface Fingerprinted extends Offered {
  identity?: Identity;
}

/** How many tools differ only in noise: `$schema`, `execution`, and the like. */
const noisy = (before: readonly Contract[], after: readonly Contract[]): number => {
  const known = new Map(before.map((tool) => [tool.name, tool]));
  return after.filter((tool) => {
    const old = known.get(tool.name);
    if (old === undefined || (contractHash(old) === contractHash(tool) && sameJson(old.extra, tool.extra)))
      return false;
    return meaningHash(old) === meaningHash(tool);
  }).length;
};

/** Signs that a server was rebuilt with other library versions, in one line for the whole server; undefined if none. */
export const upgradeNote = (
  before: Fingerprinted,
  after: Fingerprinted,
  changes: readonly FoundChange[],
): Shown | undefined => {
  const [was, is] = [before.identity, after.identity];
  const { upgrade } = splitUpgrade(changes, after.tools.length);
  const noise = noisy(before.tools, after.tools);
  const signs = [
    ...(was && is && (was.name !== is.name || was.version !== is.version)
      ? [say`${quoteName(`${was.name} ${was.version}`)} → ${quoteName(`${is.name} ${is.version}`)}`]
      : []),
    ...(was?.protocol && is?.protocol && was.protocol !== is.protocol
      ? [say`protocol ${quoteName(was.protocol)} → ${quoteName(is.protocol)}`]
      : []),
    ...[...new Set(upgrade.map(({ message }) => message))].map((message) => say`${message}, in nearly every tool`),
    ...(noise > 0 ? [say`${plural(noise, 'tool')} in other words for the same contract`] : []),
  ];
  return signs.length === 0 ? undefined : say`looks like a library upgrade: ${joined(signs, '; ')}`;
};
