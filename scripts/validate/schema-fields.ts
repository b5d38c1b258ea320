import { CommandError } from '../command/command.ts';
import { canonical, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { groupBy } from '../contract/group-by.ts';
import { pointer } from '../contract/json-pointer.ts';
import { propertiesOf as propertiesIn, requiredOf } from '../contract/object-schema.ts';
import { ofOtherNames, takesNothing } from '../contract/other-names.ts';
import { targetOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { quoteText } from '../text/quote.ts';
import { covers, isNever } from './compare-field.ts';
import type { Field } from './types.ts';

/** How many places are read in all schemas of one side: with references, a small schema can have endlessly many. */
const MOST_PLACES = 300_000;
/** Longer chains of references and branches cannot be read. */
const DEEPEST = 64;

/** How many places may still be read; shared by all schemas of one side. */
export interface Budget {
  left: number;
}
/** A budget for all schemas of one side. */
export const newBudget = (): Budget => ({ left: MOST_PLACES });

interface SchemaPlace {
  name: string;
  pointer: string;
  root: Json;
  budget: Budget;
  /** References that were followed to this same value. */
  through: readonly string[];
  depth: number;
  required?: boolean | undefined;
}

const kindOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

/** A field of which nothing is said. */
const bare = ({ name, pointer, required }: SchemaPlace): Field => ({
  name,
  kinds: [],
  nullable: true,
  pointer,
  ...defined({ required }),
});

const anything = (place: SchemaPlace): Field => ({ ...bare(place), source: 'any' });
const never = (place: SchemaPlace): Field => ({ ...bare(place), kinds: ['never'], nullable: false, source: 'never' });
const unreadable = (place: SchemaPlace, unread: string): Field => ({ ...bare(place), unknown: true, unread });

/** A field without a type is unknown if any of its parts is. */
const unknownOf = (hasType: boolean, fields: readonly Field[]): Pick<Field, 'unknown'> =>
  !hasType && fields.some(({ unknown }) => unknown !== undefined) ? { unknown: true } : {};

const listed = (schema: JsonObject): Json[] | undefined => {
  if (Object.hasOwn(schema, 'const')) return [schema.const as Json];
  const values = own(schema, 'enum');
  return Array.isArray(values) ? values : undefined;
};

const statedKinds = (schema: JsonObject): string[] => {
  const type = own(schema, 'type');
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one): one is string => typeof one === 'string');
  const values = listed(schema);
  if (values !== undefined) return [...new Set(values.map(kindOf))];
  if (isObject(own(schema, 'properties')) || ofOtherNames(schema) !== true) return ['object'];
  return own(schema, 'items') !== undefined || own(schema, 'prefixItems') !== undefined ? ['array'] : [];
};

/** A part of a value, at some way below its schema. */
const partOf = (inside: Json, place: SchemaPlace, way: string, more: Partial<SchemaPlace> = {}): Field =>
  fieldOf(inside, { ...place, pointer: `${place.pointer}${way}`, through: [], depth: 0, required: undefined, ...more });

/**
 * The properties of an object: those that it lists, and those that it only requires, which another part may list. Without
 * `required`, an input requires none of them; for an output it is not known.
 */
const propertiesOf = (schema: JsonObject, place: SchemaPlace): Map<string, Field> => {
  const properties = propertiesIn(schema);
  const required = Array.isArray(own(schema, 'required')) ? requiredOf(schema) : undefined;
  const listed = Object.entries(properties);
  const unlisted = (required ?? []).filter((name) => own(properties, name) === undefined);
  return new Map([
    ...listed.map(([name, inside]): [string, Field] => [
      name,
      partOf(inside, place, `/properties${pointer(name)}`, { name, required: required?.includes(name) }),
    ]),
    ...unlisted.map((name): [string, Field] => [name, partOf(true, place, '/required', { name, required: true })]),
  ]);
};

/** A function that computes its result on the first call only. */
const once = <T>(tell: () => T): (() => T) => {
  let told: { value: T } | undefined;
  return () => {
    told ??= { value: tell() };
    return told.value;
  };
};

const numbers = new WeakMap<object, number>();
let last = 0;

/** The source of a field that is read from a schema. */
const sourceOf = (schema: object): string => {
  const number = numbers.get(schema) ?? ++last;
  numbers.set(schema, number);
  return String(number);
};

/** The parts of a field's source, if it is a union. */
const sourcesOf = ({ source }: Field): (string | undefined)[] => source?.split('|') ?? [undefined];

/** The source of a field that is made of others. Without it schemas that contain each other would be read without end. */
const joinedSource = (sources: readonly (string | undefined)[], by: '|' | '&'): string | undefined =>
  sources.includes(undefined) ? undefined : [...new Set(sources)].sort().join(by);

/** Fields, each source once. */
const distinct = (fields: readonly Field[]): Field[] => {
  const seen = new Set<string>();
  return fields.filter(({ source }) => source === undefined || (!seen.has(source) && seen.add(source)));
};

type Members = ReadonlyMap<string, Field>;

/** What a field holds, by the name of the function that tells it. */
interface Held {
  items: Field;
  members: Members;
  others: Field;
}

/** One function for those that several fields have under a name; undefined if none has any. */
const joint = <Key extends keyof Held, R>(
  fields: readonly Field[],
  key: Key,
  join: (told: Held[Key][]) => R,
): (() => R) | undefined => {
  const tellers = fields.map((field) => field[key] as (() => Held[Key]) | undefined);
  const known = tellers.filter((tell) => tell !== undefined);
  return known.length === 0 ? undefined : once(() => join(known.map((tell) => tell())));
};

/** The members of all branches together: required only if every branch has and requires them. */
const unitedMembers = (maps: readonly Members[], branches: number): Members => {
  const all = groupBy(
    maps.flatMap((map) => [...map]),
    ([name]) => name,
  );
  return new Map(
    [...all].map(([name, members]) => {
      const found = members.map(([, field]) => field);
      const everywhere = found.length === branches && found.every(({ required }) => required === true);
      const known = found.some(({ required }) => required !== undefined);
      return [name, { ...united(found), ...(known || found.length < branches ? { required: everywhere } : {}) }];
    }),
  );
};

/** The union of several schemas: what any of them allows. */
const united = (all: readonly Field[]): Field => {
  const fields = distinct(all);
  const real = fields.filter((field) => field.kinds.join() !== 'null' && !isNever(field));
  const [first] = fields as [Field];
  if (fields.length === 1 || real.length === 0) return first;
  const open = real.some(({ kinds }) => kinds.length === 0);
  const objects = real.filter(({ kinds }) => kinds.length === 0 || kinds.includes('object'));
  const values = real.every((field) => field.values !== undefined)
    ? real.flatMap((field) => field.values ?? [])
    : undefined;
  return {
    name: first.name,
    pointer: first.pointer,
    kinds: open ? [] : [...new Set(real.flatMap(({ kinds }) => kinds))].sort(),
    ...unknownOf(!open, real),
    nullable: fields.some(({ nullable, kinds }) => nullable || kinds.join() === 'null'),
    ...defined({
      values,
      source: joinedSource(fields.flatMap(sourcesOf), '|'),
      default: fields.find((field) => field.default !== undefined)?.default,
      unread: fields.find(({ unread }) => unread !== undefined)?.unread,
      items: joint(real, 'items', united),
      members: joint(real, 'members', (maps) => unitedMembers(maps, objects.length)),
      others: joint(real, 'others', united),
    }),
  };
};

/** The intersection of what fields hold. A part that cannot be read may say more, if the others say nothing. */
const intersectedParts = (fields: readonly Field[], parts: readonly Field[]): Field => {
  const part = intersected(parts);
  return { ...part, ...unknownOf(part.kinds.length > 0, fields) };
};

const intersectedMembers = (maps: readonly Members[]): Members => {
  const all = new Map<string, Field>();
  for (const map of maps)
    for (const [name, field] of map) {
      const known = all.get(name);
      const required = known?.required === true || field.required;
      all.set(name, known === undefined ? field : { ...intersected([known, field]), ...defined({ required }) });
    }
  return all;
};

/** The values that are in every list, of types that are allowed; undefined if there is no list. */
const intersectedValues = (fields: readonly Field[], kinds: readonly string[]): Json[] | undefined => {
  const [first, ...others] = fields.flatMap(({ values }) => (values === undefined ? [] : [values]));
  const keys = others.map((values) => new Set(values.map((value) => canonical(value))));
  const isKind = (value: Json): boolean => kinds.length === 0 || covers(kinds, kindOf(value));
  return first?.filter((value) => isKind(value) && keys.every((known) => known.has(canonical(value))));
};

const intersectedSource = (fields: readonly Field[]): string | undefined => {
  const joined = joinedSource(
    fields.map(({ source }) => source),
    '&',
  );
  return joined === undefined ? undefined : sha256(joined);
};

/** The intersection of several schemas: what all of them allow. */
const intersected = (all: readonly Field[]): Field => {
  const fields = distinct(all);
  const [first] = fields as [Field];
  if (fields.length === 1) return first;
  const stated = fields.filter(({ kinds }) => kinds.length > 0);
  const kinds = [...new Set(stated.flatMap((field) => field.kinds))].filter((kind) =>
    stated.every((field) => covers(field.kinds, kind)),
  );
  const nullable = fields.every((field) => field.nullable);
  const values = intersectedValues(fields, kinds);
  const isEmpty = (stated.length > 0 && kinds.length === 0) || values?.length === 0;
  return {
    name: first.name,
    pointer: (stated[0] ?? first).pointer,
    kinds: isEmpty ? [nullable ? 'null' : 'never'] : kinds.sort(),
    ...unknownOf(stated.length > 0, fields),
    nullable,
    ...defined({
      values: isEmpty ? undefined : values,
      source: intersectedSource(fields),
      default: fields.find((field) => field.default !== undefined)?.default,
      unread: fields.find(({ unread }) => unread !== undefined)?.unread,
      items: joint(fields, 'items', (parts) => intersectedParts(fields, parts)),
      members: joint(fields, 'members', intersectedMembers),
      others: joint(fields, 'others', (parts) => intersectedParts(fields, parts)),
    }),
  };
};

/** The items of an array: those that are first and those that follow, in one. Without a word about them they are anything. */
const itemsOf = (schema: JsonObject, kinds: readonly string[], place: SchemaPlace): (() => Field) | undefined => {
  const items = own(schema, 'items');
  // In older drafts a list of items is what `prefixItems` is now.
  const [key, restKey] = Array.isArray(items) ? ['items', 'additionalItems'] : ['prefixItems', 'items'];
  const [first, rest] = [own(schema, key), own(schema, restKey)];
  const found: [string, Json][] = [
    ...(Array.isArray(first) ? first.map((one, at): [string, Json] => [`/${key}/${at}`, one]) : []),
    ...(isObject(rest) || rest === true ? [[`/${restKey}`, rest] as [string, Json]] : []),
  ];
  if (found.length > 0) return once(() => united(found.map(([way, one]) => partOf(one, place, way))));
  // Where whole values are listed, they tell the items.
  const isOpen = rest === undefined && kinds.includes('array') && listed(schema) === undefined;
  return isOpen ? () => anything({ ...place, required: undefined }) : undefined;
};

const plain = (schema: JsonObject, place: SchemaPlace): Field => {
  const stated = statedKinds(schema);
  const kinds = stated.filter((kind) => kind !== 'null').sort();
  const values = listed(schema)?.filter((value) => value !== null);
  const hasMembers = isObject(own(schema, 'properties')) || Array.isArray(own(schema, 'required'));
  return {
    name: place.name,
    pointer: place.pointer,
    kinds: stated.length > 0 && kinds.length === 0 ? ['null'] : kinds,
    nullable: stated.includes('null') || stated.length === 0 || own(schema, 'nullable') === true,
    ...(values === undefined || values.length === 0 ? {} : { values }),
    ...defined({
      items: itemsOf(schema, kinds, place),
      members: hasMembers ? once(() => propertiesOf(schema, place)) : undefined,
      others: kinds.includes('object')
        ? once(() => partOf(ofOtherNames(schema), place, '/additionalProperties'))
        : undefined,
    }),
  };
};

/** Whether a schema says nothing itself of a value. */
const isSilent = ({ kinds, items, members }: Field): boolean =>
  kinds.length === 0 && items === undefined && members === undefined;

/** What a reference leads to. */
const referred = (reference: string, place: SchemaPlace): Field => {
  if (place.through.includes(reference))
    return unreadable(place, `the reference ${quoteText(reference, 80)} leads back to itself`);
  const target = targetOf(reference, place.root);
  return target === undefined
    ? unreadable(place, `the reference ${quoteText(reference, 80)} leads nowhere`)
    : fieldOf(target, { ...place, through: [...place.through, reference], depth: place.depth + 1 });
};

/** A schema as a field. Does not throw for a malformed schema: what it does not say is allowed. */
const fieldOf = (schema: Json, place: SchemaPlace): Field => {
  if (--place.budget.left < 0) {
    throw new CommandError('too-large', 'the schemas are too tangled to be compared', 'compare fewer tools at once');
  }
  if (schema === true) return anything(place);
  if (takesNothing(schema)) return never(place);
  if (!isObject(schema)) return unreadable(place, 'its schema is neither an object nor true or false');
  if (place.depth > DEEPEST) return unreadable(place, 'its schema is too long a chain of references and branches');
  const object = schema as JsonObject;
  const reference = own(object, '$ref');
  const parts = typeof reference === 'string' ? [referred(reference, place)] : [];
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = own(object, keyword);
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const fields = branches.map((branch) => fieldOf(branch, { ...place, depth: place.depth + 1 }));
    parts.push(keyword === 'allOf' ? intersected(fields) : united(fields));
  }
  const itself = plain(object, place);
  const field = parts.length === 0 ? itself : intersected(isSilent(itself) ? parts : [itself, ...parts]);
  return {
    ...field,
    source: field.source ?? sourceOf(object),
    ...(Object.hasOwn(object, 'default') ? { default: object.default as Json } : {}),
    ...defined({ required: place.required }),
  };
};

/**
 * A schema as a field without a name.
 * @param pointer its place in the contract
 * @throws CommandError if all schemas together are too large
 */
export const readSchema = (schema: Json, pointer: string, budget: Budget): Field =>
  fieldOf(schema, { name: '', pointer, root: schema, budget, through: [], depth: 0 });

/** The properties of an input as fields; those that its `required` does not name are optional. */
export const inputFields = (input: Field): Map<string, Field> => {
  const members = input.members?.() ?? new Map<string, Field>();
  return new Map([...members].map(([name, field]) => [name, { ...field, name, required: field.required === true }]));
};
