import { differences, type FieldLook, isNever } from './compare-field.ts';
import { pairFields } from './pair-fields.ts';
import type { Field, Mismatch } from './types.ts';

/** Where two fields are, and how they are compared. */
interface FieldPlace {
  /** `data`, `filter.items[]`; empty for the flags of a command. */
  way: string;
  about: Pick<Mismatch, 'command' | 'tool'>;
  look: FieldLook;
  depth?: number | undefined;
}

/** How deep fields are compared; no real schemas nest deeper on both sides. */
const DEEPEST = 32;

/** A path extended by a name, which is quoted if needed, so that no two paths look the same. */
const step = (way: string, name: string): string => {
  const plain = name !== '' && !/[.[\]"]/.test(name);
  if (way === '') return name;
  return plain ? `${way}.${name}` : `${way}[${JSON.stringify(name)}]`;
};

const usable = (fields: ReadonlyMap<string, Field>): Map<string, Field> =>
  new Map([...fields].filter(([, field]) => !isNever(field)));

/** The values of maps. Whether an object takes names that it does not list is no difference, unless one says of what type. */
const compareOthers = (cli: Field, mcp: Field, place: FieldPlace): Mismatch[] => {
  const [one, other] = [cli.others?.(), mcp.others?.()];
  const says = (field: Field): boolean => !isNever(field) && (field.kinds.length > 0 || field.unread !== undefined);
  return one && other && (says(one) || says(other)) ? compareField(one, other, place) : [];
};

/** Compares two fields that belong together, and their content: items of arrays, members of objects. */
export const compareField = (cli: Field, mcp: Field, place: FieldPlace): Mismatch[] => {
  const { way, about, look, depth = 0 } = place;
  const { aspects, tolerated } = differences(cli, mcp, look);
  const changed: Mismatch = {
    kind: 'changed',
    ...about,
    field: way,
    output: look.output,
    cli,
    mcp,
    aspects,
    pointer: mcp.pointer,
  };
  if (tolerated) look.aside.tolerated.push({ ...changed, aspects: ['type'] });
  if (typeof cli.unknown === 'string') look.aside.unknown.push({ ...about, field: way, type: cli.unknown });
  for (const { unread: why } of [cli, mcp])
    if (why !== undefined) look.aside.unread.push({ command: about.command, field: way, why });
  const own = aspects.length === 0 ? [] : [changed];
  const pair = cli.source && mcp.source ? `${cli.source} ${mcp.source}` : undefined;
  if (depth >= DEEPEST || (pair !== undefined && look.seen.has(pair))) return own;
  if (pair !== undefined) look.seen.add(pair);
  const below = { ...place, depth: depth + 1 };
  const items = cli.items && mcp.items ? compareField(cli.items(), mcp.items(), { ...below, way: `${way}[]` }) : [];
  const members =
    cli.members && mcp.members ? compareFields(cli.members(), mcp.members(), { ...below, pointer: mcp.pointer }) : [];
  return [...own, ...items, ...members, ...compareOthers(cli, mcp, { ...below, way: `${way}{}` })];
};

/**
 * Compares two sets of fields. Those of structured values and of outputs are matched by exact name only.
 * @param place `optional`: fields of the CLI that a wrapper need not have
 */
export const compareFields = (
  cli: ReadonlyMap<string, Field>,
  mcp: ReadonlyMap<string, Field>,
  place: FieldPlace & { pointer: string; optional?: ReadonlySet<Field> },
): Mismatch[] => {
  const { way, about, look, depth, pointer, optional = new Set() } = place;
  const { pairs, onlyCli, onlyMcp } = pairFields(usable(cli), usable(mcp), way !== '' || look.output);
  const alone = { ...about, output: look.output, aspects: [] };
  return [
    ...onlyCli
      .filter((field) => !optional.has(field))
      .map((field): Mismatch => ({ kind: 'added', ...alone, field: step(way, field.name), cli: field, pointer })),
    ...onlyMcp.map(
      (field): Mismatch => ({
        kind: 'removed',
        ...alone,
        field: step(way, field.name),
        mcp: field,
        pointer: field.pointer,
      }),
    ),
    ...pairs.flatMap(([one, other]) => compareField(one, other, { way: step(way, one.name), about, look, depth })),
  ];
};
