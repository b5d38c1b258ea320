import { CommandError } from '../command/command.ts';
import { defined } from '../contract/defined.ts';
import { pointer } from '../contract/json-pointer.ts';
import { targetOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import type { Field } from './types.ts';

/** How many places are read in all schemas of one side: with references, a small schema can have endlessly many. */
const MOST_PLACES = 300_000;
/** Deeper chains of references and branches count as "anything". */
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
  /** References that were followed on the way here. */
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

const anything = ({ name, pointer, required }: SchemaPlace): Field => ({
  name,
  kinds: [],
  nullable: true,
  pointer,
  ...defined({ required }),
});

/** A field that cannot be read: it is not a schema, or nests or refers too deeply. */
const unreadable = (place: SchemaPlace): Field => ({ ...anything(place), unknown: true });

/** A field without a type is unknown if any of its parts is. */
const unknownOf = (kinds: readonly string[], fields: readonly Field[]): Pick<Field, 'unknown'> =>
  kinds.length === 0 && fields.some(({ unknown }) => unknown !== undefined) ? { unknown: true } : {};

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
  if (isObject(own(schema, 'properties'))) return ['object'];
  return own(schema, 'items') !== undefined || own(schema, 'prefixItems') !== undefined ? ['array'] : [];
};

/** The properties of an object. Without `required`, an input requires none of them; for an output it is not known. */
const propertiesOf = (schema: JsonObject, place: SchemaPlace): Map<string, Field> => {
  const properties = own(schema, 'properties');
  const required = own(schema, 'required');
  if (!isObject(properties)) return new Map();
  return new Map(
    Object.entries(properties as JsonObject).map(([name, inside]) => [
      name,
      fieldOf(inside, {
        ...place,
        name,
        pointer: `${place.pointer}/properties${pointer(name)}`,
        depth: place.depth + 1,
        required: Array.isArray(required) ? required.includes(name) : undefined,
      }),
    ]),
  );
};

/** A function that computes its result on the first call only. */
const once = <T>(tell: () => T): (() => T) => {
  let told: { value: T } | undefined;
  return () => {
    told ??= { value: tell() };
    return told.value;
  };
};

const uniqueKinds = (fields: readonly Field[]): string[] =>
  [...new Set(fields.flatMap(({ kinds }) => kinds))].filter((kind) => kind !== 'null').sort();

/** The members of all branches together: required only if every branch has and requires them. */
const unitedMembers = (fields: readonly Field[]): Map<string, Field> => {
  const maps = fields.flatMap(({ members }) => (members === undefined ? [] : [members()]));
  const all = new Map<string, Field[]>();
  for (const map of maps) for (const [name, field] of map) all.set(name, [...(all.get(name) ?? []), field]);
  return new Map(
    [...all].map(([name, found]) => {
      const one = found.length > 1 ? united(found) : (found[0] as Field);
      const everywhere = found.length === maps.length && found.every(({ required }) => required === true);
      const known = found.some(({ required }) => required !== undefined);
      return [name, { ...one, ...(known || found.length < maps.length ? { required: everywhere } : {}) }];
    }),
  );
};

/** The union of several schemas: what any of them allows. */
const united = (fields: readonly Field[]): Field => {
  const [first] = fields as [Field];
  const real = fields.filter(({ kinds }) => kinds.join() !== 'null');
  if (real.length === 0) return first;
  const open = real.some(({ kinds }) => kinds.length === 0);
  const values = real.every((field) => field.values !== undefined)
    ? real.flatMap((field) => field.values ?? [])
    : undefined;
  const items = real.flatMap((field) => (field.items === undefined ? [] : [field.items]));
  const holders = real.filter(({ members }) => members !== undefined);
  const stated = fields.find((field) => field.default !== undefined);
  return {
    name: first.name,
    pointer: first.pointer,
    kinds: open ? [] : uniqueKinds(real),
    ...unknownOf(open ? [] : ['known'], real),
    nullable: fields.some(({ nullable, kinds }) => nullable || kinds.join() === 'null'),
    ...defined({ values, default: stated?.default }),
    ...(items.length === 0 ? {} : { items: items.length === 1 ? items[0] : united(items) }),
    ...(holders.length === 0 ? {} : { members: once(() => unitedMembers(holders)) }),
  };
};

/** The intersection of several schemas, approximately: types that all of them allow, and the first of other statements. */
const intersected = (fields: readonly Field[]): Field => {
  const [first] = fields as [Field];
  const stated = fields.filter(({ kinds }) => kinds.length > 0);
  const kinds = (stated[0] ?? first).kinds.filter((kind) => stated.every((field) => field.kinds.includes(kind)));
  const holders = fields.filter(({ members }) => members !== undefined);
  const values = fields.find((field) => field.values !== undefined)?.values;
  const items = fields.find((field) => field.items !== undefined)?.items;
  const preset = fields.find((field) => field.default !== undefined)?.default;
  return {
    name: first.name,
    pointer: first.pointer,
    kinds: kinds.length === 0 ? (stated[0] ?? first).kinds : kinds,
    ...unknownOf(stated.length === 0 ? [] : ['known'], fields),
    nullable: fields.every(({ nullable }) => nullable),
    ...defined({ values, items, default: preset }),
    ...(holders.length === 0
      ? {}
      : {
          members: once(() => {
            const all = new Map<string, Field>();
            for (const { members } of holders) {
              for (const [name, field] of members?.() ?? []) {
                const known = all.get(name);
                const required = known?.required === true || field.required;
                all.set(
                  name,
                  known === undefined ? field : { ...intersected([known, field]), ...defined({ required }) },
                );
              }
            }
            return all;
          }),
        }),
  };
};

const plain = (schema: JsonObject, place: SchemaPlace): Field => {
  const stated = statedKinds(schema);
  const kinds = stated.filter((kind) => kind !== 'null').sort();
  const items = own(schema, 'items');
  const values = listed(schema)?.filter((value) => value !== null);
  return {
    name: place.name,
    pointer: place.pointer,
    kinds: stated.length > 0 && kinds.length === 0 ? ['null'] : kinds,
    nullable: stated.includes('null') || stated.length === 0 || own(schema, 'nullable') === true,
    ...(values === undefined || values.length === 0 ? {} : { values }),
    ...(isObject(items)
      ? {
          items: fieldOf(items as Json, {
            ...place,
            pointer: `${place.pointer}/items`,
            depth: place.depth + 1,
            required: undefined,
          }),
        }
      : {}),
    ...(isObject(own(schema, 'properties')) ? { members: once(() => propertiesOf(schema, place)) } : {}),
  };
};

/** A schema as a field. Does not throw for a malformed schema: that counts as allowing anything. */
const fieldOf = (schema: Json, place: SchemaPlace): Field => {
  if (--place.budget.left < 0) {
    throw new CommandError('too-large', 'the schemas are too tangled to be compared', 'compare fewer tools at once');
  }
  if (schema === true) return anything(place);
  if (!isObject(schema) || place.depth > DEEPEST) return unreadable(place);
  const object = schema as JsonObject;
  const parts: Field[] = [];
  const reference = own(object, '$ref');
  if (typeof reference === 'string') {
    const target = place.through.includes(reference) ? undefined : targetOf(reference, place.root);
    const through = [...place.through, reference];
    parts.push(
      target === undefined ? unreadable(place) : fieldOf(target, { ...place, through, depth: place.depth + 1 }),
    );
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = own(object, keyword);
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const fields = branches.map((branch) => fieldOf(branch, { ...place, depth: place.depth + 1 }));
    parts.push(keyword === 'allOf' ? intersected(fields) : united(fields));
  }
  const itself = plain(object, place);
  const field = parts.length === 0 ? itself : intersected([itself, ...parts]);
  return {
    ...field,
    ...(Object.hasOwn(object, 'default') ? { default: object.default as Json } : {}),
    ...defined({ required: place.required }),
    ...(typeof reference === 'string' ? { shared: reference } : {}),
  };
};

/**
 * A schema as a field without a name.
 * @param pointer its place in the contract
 * @throws CommandError if all schemas together are too large
 */
export const readSchema = (schema: Json, pointer: string, budget: Budget): Field =>
  fieldOf(schema, { name: '', pointer, root: schema, budget, through: [], depth: 0 });

/** The properties of an input schema as fields; those that its `required` does not name are optional. */
export const inputFields = (schema: Json, pointer: string, budget: Budget): Map<string, Field> => {
  const members = readSchema(schema, pointer, budget).members?.() ?? new Map<string, Field>();
  return new Map([...members].map(([name, field]) => [name, { ...field, name, required: field.required === true }]));
};
