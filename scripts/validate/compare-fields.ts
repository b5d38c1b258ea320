import { differences, type FieldLook } from './compare-field.ts';
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
  const own = aspects.length === 0 ? [] : [changed];
  const shared = cli.shared && mcp.shared ? JSON.stringify([cli.shared, mcp.shared]) : undefined;
  if (depth >= DEEPEST || (shared !== undefined && look.seen.has(shared))) return own;
  if (shared !== undefined) look.seen.add(shared);
  const below = { ...place, depth: depth + 1 };
  const items = cli.items && mcp.items ? compareField(cli.items, mcp.items, { ...below, way: `${way}[]` }) : [];
  const members =
    cli.members && mcp.members ? compareFields(cli.members(), mcp.members(), { ...below, pointer: mcp.pointer }) : [];
  return [...own, ...items, ...members];
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
  const { pairs, onlyCli, onlyMcp } = pairFields(cli, mcp, way !== '' || look.output);
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
