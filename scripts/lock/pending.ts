import { canonical, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import type { Contract, Json } from '../contract/types.ts';
import { publicChange } from '../diff/diff.ts';
import type { FoundChange } from '../diff/types.ts';
import { say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { changesOfTool } from './compare.ts';
import { editedPin } from './seal.ts';
import type { Pin, Pins } from './types.ts';

/** Something that waits for a person's yes. */
export interface Pending {
  server: string;
  tool: string;
  what: 'changed' | 'new' | 'removed' | 'edited';
  pin?: Pin;
  live?: Contract;
  changes: FoundChange[];
}

/** A pin that holds what nobody approved. */
export const editedChange = (tool: string, why: string): FoundChange => {
  const message = say`its pin was edited by hand: ${visible(why, { max: 300 })}`;
  return { tool, path: '', rule: 'pin-edited', level: 'unclassified', message, brief: message };
};

/** What differs between a server's pins and its tools, tool by tool: each of them is approved for itself. */
export const pendingOf = (server: string, pins: Pins, tools: readonly Contract[]): Pending[] => {
  const live = new Map(tools.map((tool) => [tool.name, tool]));
  const names = [...new Set([...pins.keys(), ...live.keys()])].sort();
  return names.flatMap((tool): Pending[] => {
    const [pin, now] = [pins.get(tool), live.get(tool)];
    const edited = pin === undefined ? undefined : editedPin(server, tool, pin);
    const changes = [
      ...(edited === undefined ? [] : [editedChange(tool, edited)]),
      ...changesOfTool(pin?.contract, now),
    ];
    if (changes.length === 0) return [];
    const what =
      pin === undefined ? 'new' : now === undefined ? 'removed' : edited === undefined ? 'changed' : 'edited';
    return [{ server, tool, what, ...defined({ pin, live: now }), changes }];
  });
};

/** What stands for the changes that a person saw. */
export const diffHash = (changes: readonly FoundChange[]): string =>
  sha256(canonical(changes.map(publicChange) as unknown as Json));
