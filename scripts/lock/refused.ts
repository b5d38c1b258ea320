import { contractHash } from '../contract/canonical.ts';
import { meaningHash } from '../contract/meaning.ts';
import type { Contract } from '../contract/types.ts';
import { quoteText } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { bare } from './seal.ts';
import { LOCKFILE, type Pins, type Refused, toPins } from './types.ts';

/**
 * The refusal that concerns a tool, if there is one.
 * @param live the contract in question; absent if it is not known: then only a refusal of every contract is found
 */
export const refusalOf = (pins: Pins | undefined, tool: string, live?: Contract | null): Refused | undefined => {
  const found = pins?.refused?.get(tool);
  if (found?.hash === undefined) return found;
  return live && [contractHash(bare(live)), meaningHash(live)].includes(found.hash) ? found : undefined;
};

/** Who refused a tool, when, where that is written, and why. @param from a file or a host, which may be shown */
export const refusalText = ({ by, at, why, where = LOCKFILE }: Refused, from = where): Shown =>
  say`by ${quoteText(by, 100)} on ${visible(at.slice(0, 10))} (${visible(from, { max: 110 })}): ${quoteText(why, 300)}`;

/** Whether an entry holds refusals alone: then its server is not pinned. */
export const refusesOnly = ({ size, removed, refused }: Pins): boolean =>
  size === 0 && removed === undefined && refused !== undefined;

/** Pins and live tools without those that are refused: a person has decided about these. */
export const withoutRefused = (
  pins: Pins,
  tools: readonly Contract[],
): { pins: Pins; tools: readonly Contract[]; refused: ReadonlyMap<string, Refused> } => {
  const live = new Map(tools.map((tool) => [tool.name, tool]));
  const refused = new Map(
    [...(pins.refused?.keys() ?? [])].flatMap((name) => {
      const found = refusalOf(pins, name, live.get(name));
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
  if (refused.size === 0) return { pins, tools, refused };
  return {
    refused,
    pins: toPins(new Map([...pins].filter(([name]) => !refused.has(name))), pins.removed),
    tools: tools.filter(({ name }) => !refused.has(name)),
  };
};
