import { isObject, type Json, type JsonObject, own } from '../scripts/contract/types.ts';
import { accepts } from '../scripts/proof/check.ts';

/** A small seeded generator of numbers (mulberry32): the same seed gives the same schemas everywhere. */
export const random = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability: number): boolean => next() < probability,
    pick: <T>(values: readonly T[]): T => values[below(values.length)] as T,
  };
};
export type Random = ReturnType<typeof random>;

/** Freezes a schema: facts about it are cached by object, so it must never change. */
const frozen = <T extends Json>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const one of Object.values(value)) frozen(one);
  return Object.freeze(value);
};

const NAMES = ['a', 'b', 'c', 'x1'];
const TEXTS = ['', 'a', 'ab', 'x1', 'abc', '12'];
const NUMBERS = [-1, 0, 1, 1.5, 2, 3, 6, 10];
const PATTERNS = ['^a', '^[a-z]+$', '1', '^x'];
const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const VALUES: Json[] = [...TEXTS, ...NUMBERS, true, false, null, [], ['a'], [1, 2], {}, { a: 1 }, { a: 'a', b: 1 }];

/** A root with another value for one of its properties, which may be of any type and on any bound. */
export const withAnyValue = (source: Random, root: Json): Json => ({
  ...(root as JsonObject),
  [source.pick(NAMES)]: source.pick(VALUES),
});

const REFERENCES = ['#/$defs/one', '#/$defs/two', '#three', 'four.json', 'four.json#/properties/b'];

type Keyword = (random: Random, depth: number) => JsonObject;

const some = <T>(source: Random, values: readonly T[], least = 0): T[] => {
  const count = least + source.below(3);
  return [...new Set(Array.from({ length: count }, () => source.pick(values)))];
};
const properties = (source: Random, depth: number): JsonObject =>
  Object.fromEntries(some(source, NAMES, 1).map((name) => [name, schema(source, depth - 1)]));
const branches = (source: Random, depth: number): Json[] =>
  Array.from({ length: 1 + source.below(3) }, () => schema(source, depth - 1));

/** Every keyword of the input side. Each also makes the keywords that it needs next to it. */
const KEYWORDS: Record<string, Keyword> = {
  type: (source) => ({ type: source.chance(0.7) ? source.pick(TYPES) : some(source, TYPES, 1) }),
  enum: (source) => ({ enum: some(source, VALUES, 1) }),
  const: (source) => ({ const: source.pick(VALUES) }),
  minimum: (source) => ({ minimum: source.pick(NUMBERS) }),
  maximum: (source) => ({ maximum: source.pick(NUMBERS) }),
  exclusiveMinimum: (source) => ({ exclusiveMinimum: source.pick(NUMBERS) }),
  exclusiveMaximum: (source) => ({ exclusiveMaximum: source.pick(NUMBERS) }),
  multipleOf: (source) => ({ multipleOf: source.pick([1, 2, 3, 6, 0.5, 1.5, 0.25]) }),
  minLength: (source) => ({ minLength: source.below(4) }),
  maxLength: (source) => ({ maxLength: source.below(4) }),
  pattern: (source) => ({ pattern: source.pick(PATTERNS) }),
  minItems: (source) => ({ minItems: source.below(4) }),
  maxItems: (source) => ({ maxItems: source.below(4) }),
  uniqueItems: (source) => ({ uniqueItems: source.chance(0.8) }),
  items: (source, depth) => ({ items: schema(source, depth - 1) }),
  prefixItems: (source, depth) => ({ prefixItems: branches(source, depth) }),
  contains: (source, depth) => ({
    contains: source.chance(0.1) || schema(source, depth - 1),
    ...(source.chance(0.3) ? { minContains: source.below(3) } : {}),
    ...(source.chance(0.3) ? { maxContains: 1 + source.below(2) } : {}),
  }),
  properties: (source, depth) => ({ properties: properties(source, depth) }),
  required: (source) => ({ required: some(source, NAMES, 1) }),
  additionalProperties: (source, depth) => ({
    additionalProperties: source.chance(0.6) ? source.chance(0.3) : schema(source, depth - 1),
  }),
  patternProperties: (source, depth) => ({
    patternProperties: Object.fromEntries(some(source, PATTERNS, 1).map((one) => [one, schema(source, depth - 1)])),
  }),
  propertyNames: (source) => ({
    propertyNames: source.pick<JsonObject>([{ pattern: '^[a-z]+$' }, { maxLength: 1 }, { enum: [...NAMES] }]),
  }),
  minProperties: (source) => ({ minProperties: source.below(3) }),
  maxProperties: (source) => ({ maxProperties: source.below(4) }),
  dependentRequired: (source) => ({ dependentRequired: { [source.pick(NAMES)]: some(source, NAMES, 1) } }),
  dependentSchemas: (source, depth) => ({ dependentSchemas: { [source.pick(NAMES)]: schema(source, depth - 1) } }),
  dependencies: (source, depth) => ({
    dependencies: { [source.pick(NAMES)]: source.chance(0.5) ? some(source, NAMES, 1) : schema(source, depth - 1) },
  }),
  unevaluatedProperties: (source, depth) => ({
    unevaluatedProperties: source.chance(0.7) ? false : schema(source, depth - 1),
  }),
  unevaluatedItems: (source, depth) => ({ unevaluatedItems: source.chance(0.7) ? false : schema(source, depth - 1) }),
  allOf: (source, depth) => ({ allOf: branches(source, depth) }),
  anyOf: (source, depth) => ({ anyOf: branches(source, depth) }),
  oneOf: (source, depth) => ({ oneOf: branches(source, depth) }),
  not: (source, depth) => ({ not: source.chance(0.1) ? {} : schema(source, depth - 1) }),
  if: (source, depth) => ({
    if: schema(source, depth - 1),
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ...(source.chance(0.8) ? { then: schema(source, depth - 1) } : {}),
    ...(source.chance(0.6) ? { else: schema(source, depth - 1) } : {}),
  }),
  $ref: (source) => ({ $ref: source.pick(REFERENCES) }),
  contentEncoding: (source) => ({ contentEncoding: source.pick(['base64', 'base16']) }),
  default: (source) => ({ default: source.pick(VALUES) }),
  description: (source) => ({ description: source.pick(TEXTS) }),
};
const NAMES_OF_KEYWORDS = Object.keys(KEYWORDS);

/** Keywords that go together in real schemas, so that they meet. */
const SHAPES: string[][] = [
  ['type', 'properties', 'required'],
  ['type', 'properties', 'additionalProperties', 'required'],
  ['type', 'items', 'minItems'],
  ['type', 'minimum', 'maximum'],
  ['type', 'minLength', 'pattern'],
  ['anyOf'],
  ['oneOf'],
  ['type', 'enum'],
  ['type', 'patternProperties', 'additionalProperties'],
  ['type', 'properties', 'anyOf', 'unevaluatedProperties'],
  ['type'],
  // What no type limits to objects or lists holds of all values.
  ['required', 'dependentSchemas'],
  ['dependentSchemas', 'required', 'unevaluatedItems'],
  ['contains'],
];
const SHAPE_TYPES: Record<number, string> = {
  0: 'object',
  1: 'object',
  2: 'array',
  3: 'integer',
  4: 'string',
  8: 'object',
  9: 'object',
  10: 'object',
};

const schema = (source: Random, depth: number): Json => {
  if (source.chance(0.04)) return source.chance(0.8);
  const shape = source.below(SHAPES.length);
  const keywords = source.chance(0.6) ? (SHAPES[shape] as string[]) : some(source, NAMES_OF_KEYWORDS, 1);
  const flat = depth > 0 ? keywords : keywords.filter((keyword) => (KEYWORDS[keyword] as Keyword).length < 2);
  const made = Object.assign({}, ...flat.map((keyword) => (KEYWORDS[keyword] as Keyword)(source, depth))) as JsonObject;
  const type = SHAPE_TYPES[shape];
  return made.type !== undefined && keywords === SHAPES[shape] && type !== undefined ? { ...made, type } : made;
};

const asObject = (value: Json): Json => (isObject(value) ? value : {});

/** A root as MCP requires it: an object, with definitions to refer to. */
export const rootSchema = (source: Random): JsonObject =>
  frozen({
    ...((isObject(schema(source, 2)) ? schema(source, 3) : {}) as JsonObject),
    type: 'object',
    properties: properties(source, 3),
    $defs: {
      one: schema(source, 1),
      two: { type: 'object', properties: { a: source.chance(0.3) ? { $ref: '#/$defs/two' } : schema(source, 1) } },
      three: { ...(asObject(schema(source, 1)) as JsonObject), $anchor: 'three' },
      // References inside an embedded document are its own: this one's `one` is another.
      four: {
        $id: 'four.json',
        type: 'object',
        properties: { a: { $ref: '#/$defs/one' }, b: schema(source, 0) },
        $defs: {
          one: schema(source, 0),
          two: schema(source, 0),
          three: { ...(asObject(schema(source, 0)) as JsonObject), $anchor: 'three' },
        },
      },
    },
  });

/** Every place in a schema that holds a schema, as an object that can replace it. */
const places = (value: JsonObject): JsonObject[] => {
  const inside = Object.entries(value).flatMap(([key, one]): Json[] => {
    if (['enum', 'const', 'default', 'dependentRequired'].includes(key)) return [];
    return Array.isArray(one)
      ? one
      : isObject(one) && ['properties', 'patternProperties', '$defs', 'dependentSchemas'].includes(key)
        ? Object.values(one as JsonObject)
        : [one];
  });
  return [value, ...inside.filter(isObject).flatMap((one) => places(one as JsonObject))];
};

/** The same schema with a few changes somewhere: a keyword added, dropped, or made again; a number moved; a wrapping. */
export const mutate = (source: Random, original: JsonObject): JsonObject => {
  const copy = structuredClone(original);
  for (let count = 1 + source.below(2); count > 0; count--) {
    const place = source.pick(places(copy));
    const keys = Object.keys(place).filter((key) => key !== '$defs' && !(place === copy && key === 'type'));
    const kind = source.below(6);
    const key = keys.length > 0 ? source.pick(keys) : undefined;
    if (kind === 0 && key) delete place[key];
    else if (kind === 1) Object.assign(place, (KEYWORDS[source.pick(NAMES_OF_KEYWORDS)] as Keyword)(source, 1));
    else if (kind === 2 && key && Object.hasOwn(KEYWORDS, key))
      Object.assign(place, (KEYWORDS[key] as Keyword)(source, 1));
    else if (kind === 3 && key && typeof place[key] === 'number')
      place[key] = Math.max(key === 'multipleOf' ? 1 : 0, (place[key] as number) + source.pick([-1, 1, 2]));
    else if (kind === 4 && place !== copy) {
      const inner = { ...place };
      for (const one of Object.keys(place)) delete place[one];
      Object.assign(
        place,
        source.pick([
          { allOf: [inner] },
          { anyOf: [inner] },
          { anyOf: [inner, schema(source, 1)] },
          { oneOf: [inner] },
          { allOf: [inner, {}] },
        ]),
      );
    } else if (kind === 5 && key && Array.isArray(place[key]) && (place[key] as Json[]).length > 1) {
      // A new list: this one may be part of other schemas, too.
      place[key] = (place[key] as Json[]).toSpliced(source.below((place[key] as Json[]).length), 1);
    }
    if (place === copy) copy.type = 'object';
  }
  return frozen(copy);
};

const deref = (one: Json | undefined, root: JsonObject): Json | undefined => {
  const ref = own(one, '$ref');
  if (typeof ref !== 'string' || ref === '') return one;
  const name = ref.startsWith('#/$defs/') ? ref.slice('#/$defs/'.length) : ref.startsWith('#') ? 'three' : 'four';
  const target = own(root.$defs, name);
  return ref.endsWith('/b') ? own(own(target, 'properties'), 'b') : target;
};

/** Names that a schema declares, in any branch. */
const declared = (value: Json | undefined, root: JsonObject, depth = 0): string[] => {
  const here = deref(value, root);
  if (!isObject(here) || depth > 4) return [];
  const also =
    here !== value && isObject(value) ? declared({ ...(value as JsonObject), $ref: '' } as Json, root, depth + 1) : [];
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (Array.isArray(here[key]) ? (here[key] as Json[]) : []));
  const single = ['if', 'then', 'else', 'not'].map((key) => own(here, key));
  const dependent = Object.values((own(here, 'dependentSchemas') as JsonObject) ?? {});
  return [
    ...also,
    ...Object.keys((own(here, 'properties') as JsonObject) ?? {}),
    ...((own(here, 'required') as string[]) ?? []),
    ...[...lists, ...single, ...dependent].flatMap((one) => declared(one as Json | undefined, root, depth + 1)),
  ];
};

const isMap = (here: JsonObject): boolean =>
  isObject(own(here, 'additionalProperties')) ||
  isObject(own(here, 'unevaluatedProperties')) ||
  own(here, 'patternProperties') !== undefined;

/** A text for each format that real tools name. */
const FORMED: Record<string, string> = {
  date: '2024-02-29',
  'date-time': '2024-02-29T10:00:00Z',
  email: 'a@b.example',
  uri: 'https://b.example/a',
  url: 'https://b.example/a',
  uuid: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
};

/** A value that has a chance of being valid, with no property that the schema does not declare. */
export const instance = (source: Random, value: Json | undefined, root: JsonObject, depth = 4): Json => {
  const here = deref(value, root);
  if (!isObject(here) || depth <= 0) return source.pick<Json>([...TEXTS, ...NUMBERS, true, null]);
  const all = here as JsonObject;
  if (all.const !== undefined && source.chance(0.8)) return all.const;
  if (Array.isArray(all.enum) && source.chance(0.8)) return source.pick(all.enum);
  const branch = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(all[key]) ? (all[key] as Json[]) : []));
  const chosen = branch.length > 0 && source.chance(0.7) ? deref(source.pick(branch), root) : undefined;
  const merged = (
    isObject(chosen)
      ? { ...all, ...chosen, properties: { ...(all.properties as JsonObject), ...(chosen.properties as JsonObject) } }
      : all
  ) as JsonObject;
  if (isObject(chosen) && (chosen.const !== undefined || chosen.enum !== undefined) && source.chance(0.8))
    return instance(source, chosen as Json, root, depth - 1);
  const type = merged.type === undefined ? source.pick(TYPES) : source.pick([merged.type].flat() as string[]);
  if (type === 'null') return null;
  if (type === 'boolean') return source.chance(0.5);
  if (type === 'string' && typeof merged.format === 'string' && Object.hasOwn(FORMED, merged.format))
    return FORMED[merged.format] as string;
  if (type === 'string') return source.pick([...TEXTS, ...TEXTS, 'aaaa', 'b', 'zz9']);
  if (type === 'integer') return source.pick([-1, 0, 1, 2, 3, 4, 5, 6, 9, 10, 12]);
  if (type === 'number') return source.pick([...NUMBERS, 2.5, 0.5, 12]);
  if (type === 'array') {
    const prefix = Array.isArray(merged.prefixItems) ? merged.prefixItems : [];
    return Array.from({ length: source.below(4) }, (_, index) =>
      instance(source, index < prefix.length ? prefix[index] : (merged.items ?? merged.contains), root, depth - 1),
    );
  }
  const named = declared(here as Json, root);
  // A nested object without named properties takes any; in a union, this depends on the chosen branch.
  const { anyOf, oneOf, not: _not, ...rest } = all;
  // Keywords next to a reference were left out above.
  const beside = here === value || !isObject(value) ? {} : { ...(value as JsonObject), $ref: '' };
  const taken = [chosen, anyOf && oneOf ? [anyOf, oneOf] : undefined].flat(2) as Json[];
  const isFree = value !== root && [beside, rest, ...taken].every((one) => declared(one as Json, root).length === 0);
  const names = [...new Set([...named, ...(isMap(merged) || isFree ? [...NAMES, 'zz', 'x9'] : [])])];
  const required = new Set((merged.required as string[]) ?? []);
  const entries = names
    .filter((name) => source.chance(required.has(name) ? 0.95 : 0.5))
    .map((name): [string, Json] => [
      name,
      instance(source, own(merged.properties, name) ?? merged.additionalProperties, root, depth - 1),
    ]);
  const made = Object.fromEntries(entries);
  // If the value does not fit the chosen branch, only declared names stay.
  const isTaken = chosen === undefined || isMap(all) || accepts(chosen, root, made) === true;
  return isTaken ? made : Object.fromEntries(entries.filter(([name]) => named.includes(name)));
};
