import { groupBy } from '../contract/group-by.ts';
import { lettersOf } from './spelling.ts';
import type { Field } from './types.ts';

export interface FieldPairs {
  pairs: [cli: Field, mcp: Field][];
  onlyCli: Field[];
  onlyMcp: Field[];
}

/** Whether it is on unless it is turned off: on a command line by `--no-cache`, which a wrapper may offer instead. */
const isOn = ({ kinds, default: preset }: Field): boolean => kinds.join() === 'boolean' && preset === true;

const nameOf = ({ name }: Field): string => name;
const letters = ({ name }: Field): string => lettersOf(name);
const offName = ({ name }: Field): string => `no-${name}`;

/**
 * Pairs parameters with flags: by name, then by name without separators, then by the flag's single letter, then by the name
 * that turns it off. With `exact` by name only, since a wrapper passes on a command's output unchanged.
 */
export const pairFields = (
  cli: ReadonlyMap<string, Field>,
  mcp: ReadonlyMap<string, Field>,
  exact = false,
): FieldPairs => {
  const pairs: [Field, Field][] = [];
  const open = new Map(cli);
  const free = new Map(mcp);
  const match = (
    cliKey: (field: Field) => string | undefined,
    mcpKey: (field: Field) => string,
    seenAs = (field: Field): Field => field,
  ): void => {
    const byKey = groupBy([...free].reverse(), ([, field]) => mcpKey(field));
    for (const [name, field] of [...open]) {
      const key = cliKey(field);
      const found = key === undefined ? undefined : byKey.get(key)?.pop();
      if (found === undefined) continue;
      pairs.push([seenAs(field), found[1]]);
      open.delete(name);
      free.delete(found[0]);
    }
  };
  match(nameOf, nameOf);
  if (!exact) {
    match(letters, letters);
    match(({ short }) => short, nameOf);
    const off = (field: Field) => (isOn(field) ? lettersOf(offName(field)) : undefined);
    match(off, letters, (field) => ({ ...field, name: offName(field), default: false }));
  }
  return { pairs, onlyCli: [...open.values()], onlyMcp: [...free.values()] };
};
