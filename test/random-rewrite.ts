// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema
import { isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import type { Random } from './random-schema.ts';

/** Rewrites a schema; undefined if the rewriting does not apply. */
type Rewriting = (schema: JsonObject, source: Random) => JsonObject | undefined;

const without = (schema: JsonObject, ...keys: string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
const only = (schema: JsonObject, ...keys: string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
const lists = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const hasUnevaluated = (schema: JsonObject): boolean =>
  schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined;
/** Whether a schema is without keywords that affect the ones next to them. */
const isPlain = (schema: JsonObject): boolean =>
  !hasUnevaluated(schema) && schema.$id === undefined && schema.$anchor === undefined;

/** Rewritings that accept the same values. */
const SAME: Record<string, Rewriting> = {
  described: (schema, source) => ({ ...schema, description: source.pick(['one', 'two', 'three']) }),
  annotated: (schema) => ({ ...schema, deprecated: true, contentMediaType: 'text/plain' }),
  'all of one': (schema) => (isPlain(schema) ? { allOf: [schema] } : undefined),
  'any of one': (schema) => (isPlain(schema) ? { anyOf: [schema] } : undefined),
  'one of one': (schema) => (isPlain(schema) ? { oneOf: [schema] } : undefined),
  'not not': (schema) => (isPlain(schema) ? { not: { not: schema } } : undefined),
  'types as branches': (schema, source) =>
    Array.isArray(schema.type) && !schema.anyOf && !schema.oneOf && !hasUnevaluated(schema)
      ? {
          ...without(schema, 'type'),
          [source.pick(['anyOf', 'oneOf'])]: exclusive(schema.type).map((type) => ({ type })),
        }
      : undefined,
  'values as branches': (schema, source) =>
    Array.isArray(schema.enum) && !schema.anyOf && !schema.oneOf && !hasUnevaluated(schema)
      ? {
          ...without(schema, 'enum'),
          [source.pick(['anyOf', 'oneOf'])]: schema.enum.map((value) => ({ const: value })),
        }
      : undefined,
  'a constant as a list': (schema) =>
    schema.const !== undefined && !schema.enum ? { ...without(schema, 'const'), enum: [schema.const] } : undefined,
  'required apart': (schema) =>
    lists(schema.required).length > 1 && !schema.allOf && !hasUnevaluated(schema)
      ? { ...without(schema, 'required'), allOf: lists(schema.required).map((name) => ({ required: [name] })) }
      : undefined,
  'a keyword apart': (schema, source) => {
    const apart = [
      'minimum',
      'maximum',
      'minLength',
      'maxLength',
      'pattern',
      'minItems',
      'maxItems',
      'enum',
      'not',
      'anyOf',
    ];
    const keys = Object.keys(schema).filter((key) => apart.includes(key));
    if (keys.length === 0 || schema.allOf || hasUnevaluated(schema)) return undefined;
    const key = source.pick(keys);
    return { ...without(schema, key), allOf: [only(schema, key)] };
  },
  'whole numbers as steps': (schema) =>
    schema.type === 'integer' && schema.multipleOf === undefined
      ? { ...schema, type: 'number', multipleOf: 1 }
      : undefined,
  'an open bound': (schema) =>
    schema.type === 'integer' && Number.isInteger(schema.minimum) && schema.exclusiveMinimum === undefined
      ? { ...without(schema, 'minimum'), exclusiveMinimum: (schema.minimum as number) - 1 }
      : undefined,
  'a range in parts': (schema, source) =>
    ['integer', 'number'].includes(schema.type as string) && !schema.anyOf && !schema.oneOf
      ? { ...schema, [source.pick(['anyOf', 'oneOf'])]: [{ maximum: 2 }, { exclusiveMinimum: 2 }] }
      : undefined,
  'lengths in parts': (schema, source) =>
    schema.type === 'string' && !schema.anyOf && !schema.oneOf
      ? { ...schema, [source.pick(['anyOf', 'oneOf'])]: [{ maxLength: 1 }, { minLength: 2 }] }
      : undefined,
  'dependents in other words': (schema, source) => {
    const needs = Object.entries((schema.dependentRequired ?? {}) as Record<string, Json[]>);
    if (needs.length === 0) return undefined;
    const rest = without(schema, 'dependentRequired');
    const as = Object.fromEntries(needs.map(([name, required]): [string, Json] => [name, { required }]));
    if (source.chance(0.3))
      return schema.dependencies ? undefined : { ...rest, dependencies: Object.fromEntries(needs) };
    if (source.chance(0.5)) return schema.dependentSchemas ? undefined : { ...rest, dependentSchemas: as };
    const [[name, required]] = needs as [[string, Json[]]];
    return schema.if === undefined && needs.length === 1
      ? { ...rest, if: { required: [name] }, then: { required } }
      : undefined;
  },
  'dependencies in newer words': (schema) => {
    const needs = Object.entries((schema.dependencies ?? {}) as JsonObject);
    if (needs.length === 0 || hasUnevaluated(schema)) return undefined;
    const isList = needs.every(([, need]) => Array.isArray(need));
    const key = isList ? 'dependentRequired' : 'dependentSchemas';
    if (schema[key] !== undefined || (!isList && needs.some(([, need]) => Array.isArray(need)))) return undefined;
    return { ...without(schema, 'dependencies'), [key]: Object.fromEntries(needs) };
  },
  'closed in other words': (schema) => {
    const beside = [
      'allOf',
      'anyOf',
      'oneOf',
      'if',
      'dependentSchemas',
      'dependencies',
      '$ref',
      'additionalProperties',
    ];
    return schema.unevaluatedProperties === false && !beside.some((key) => schema[key] !== undefined)
      ? { ...without(schema, 'unevaluatedProperties'), additionalProperties: false }
      : undefined;
  },
  'nothing in other words': (schema) =>
    schema.additionalProperties === false ? { ...schema, additionalProperties: { not: {} } } : undefined,
  'another order': (schema) => {
    const key = ['anyOf', 'oneOf', 'allOf', 'enum', 'required'].find((one) => lists(schema[one]).length > 1);
    return key === undefined ? undefined : { ...schema, [key]: lists(schema[key]).toReversed() };
  },
  'a count': (schema) =>
    schema.contains !== undefined && schema.minContains === undefined ? { ...schema, minContains: 1 } : undefined,
};

/** Drops `integer` next to `number`: it adds nothing, and as a branch of `oneOf` it would exclude whole numbers. */
const exclusive = (types: Json[]): Json[] => [
  ...new Set(types.includes('number') ? types.filter((type) => type !== 'integer') : types),
];

const DROPPED = [
  'const',
  'dependentRequired',
  'dependentSchemas',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'not',
  'pattern',
  'propertyNames',
  'required',
  'type',
  'unevaluatedItems',
  'unevaluatedProperties',
  'uniqueItems',
  'items',
];
/** The keywords next to `unevaluated…` that affect it. */
const EVALUATING = new Set(['dependentSchemas', 'items']);

/** Rewritings that accept more values. */
const MORE: Record<string, Rewriting> = {
  'a keyword less': (schema, source) => {
    const keys = Object.keys(schema).filter(
      (key) => DROPPED.includes(key) && !(hasUnevaluated(schema) && EVALUATING.has(key)),
    );
    return keys.length === 0 ? undefined : without(schema, source.pick(keys));
  },
  'a wider bound': (schema, source) => {
    const least = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].filter(
      (key) => typeof schema[key] === 'number',
    );
    const most = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].filter(
      (key) => typeof schema[key] === 'number',
    );
    if (least.length + most.length === 0) return undefined;
    const key = source.pick([...least, ...most]);
    const by = least.includes(key) ? -1 : 1;
    const isCount = key.startsWith('min') && key !== 'minimum';
    const moved = (schema[key] as number) + by;
    return { ...schema, [key]: isCount ? Math.max(0, moved) : moved };
  },
  'smaller steps': (schema, source) =>
    typeof schema.multipleOf === 'number'
      ? { ...schema, multipleOf: schema.multipleOf / source.pick([2, 4]) }
      : undefined,
  'a value more': (schema) =>
    Array.isArray(schema.enum) ? { ...schema, enum: [...schema.enum, 'one more'] } : undefined,
  'a type more': (schema, source) =>
    schema.type === undefined
      ? undefined
      : { ...schema, type: [...new Set([schema.type, source.pick(['null', 'boolean', 'string'])].flat())] },
  'a branch more': (schema, source) =>
    Array.isArray(schema.anyOf)
      ? {
          ...schema,
          anyOf: [
            ...schema.anyOf,
            source.pick<Json>([{ type: 'null' }, { const: 7 }, { type: 'string', minLength: 2 }]),
          ],
        }
      : undefined,
  'a condition less': (schema) =>
    lists(schema.allOf).length > 0 && !hasUnevaluated(schema)
      ? { ...schema, allOf: lists(schema.allOf).slice(1) }
      : undefined,
  'a name less required': (schema) =>
    lists(schema.required).length > 1 ? { ...schema, required: lists(schema.required).slice(1) } : undefined,
  'an optional property': (schema) => {
    const named = Object.keys(isObject(schema.properties) ? schema.properties : {});
    const isMap =
      isObject(schema.additionalProperties) ||
      schema.patternProperties !== undefined ||
      isObject(schema.unevaluatedProperties);
    const beside = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies'];
    return named.length === 0 || isMap || beside.some((key) => schema[key] !== undefined)
      ? undefined
      : { ...schema, properties: { ...(schema.properties as JsonObject), added: { type: 'string' } } };
  },
  opened: (schema) => (schema.additionalProperties === false ? without(schema, 'additionalProperties') : undefined),
  'a rest of more types': (schema) =>
    isObject(schema.additionalProperties)
      ? { ...schema, additionalProperties: { anyOf: [schema.additionalProperties as Json, { type: 'null' }] } }
      : undefined,
};

/** A schema's place in another one, and whether accepting more values inside means accepting more outside. */
interface Place {
  at: JsonObject;
  /** Whether an `unevaluated…` keyword depends on what is evaluated here; a negation evaluates nothing. */
  isHeeded: boolean;
  replace(other: JsonObject): void;
  widens: boolean;
}

const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const SINGLE = [
  'items',
  'additionalProperties',
  'contains',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
];

const places = (
  schema: JsonObject,
  replace: (other: JsonObject) => void,
  widens: boolean,
  isHeeded = false,
): Place[] => {
  const found: Place[] = [{ at: schema, replace, widens, isHeeded }];
  const heeds = isHeeded || hasUnevaluated(schema);
  const go = (holder: JsonObject | Json[], key: string | number, goesOn: boolean, inner = false) => {
    const one = (holder as JsonObject)[key as string];
    const put = (other: JsonObject) => {
      (holder as JsonObject)[key as string] = other;
    };
    if (isObject(one)) found.push(...places(one as JsonObject, put, goesOn, inner));
  };
  for (const key of MAPS) {
    // Definitions may be used in a negation, where accepting more means accepting less.
    for (const name of Object.keys(isObject(schema[key]) ? schema[key] : {}))
      go(
        schema[key] as JsonObject,
        name,
        widens && key !== '$defs' && !heeds,
        key === '$defs' || (key === 'dependentSchemas' && heeds),
      );
  }
  for (const key of SINGLE) {
    const isCounted = key === 'contains' && (schema.maxContains !== undefined || schema.unevaluatedItems !== undefined);
    const changesElse = (key === 'then' || key === 'else') && heeds;
    go(schema, key, widens && !isCounted && !changesElse, heeds && (key === 'then' || key === 'else'));
  }
  for (const key of ['allOf', 'anyOf'])
    for (const index of lists(schema[key]).keys()) go(schema[key] as Json[], index, widens && !heeds, heeds);
  for (const index of lists(schema.prefixItems).keys()) go(schema.prefixItems as Json[], index, widens);
  for (const key of ['not', 'if', 'propertyNames'])
    go(schema, key, widens && key === 'propertyNames', heeds && key === 'if');
  for (const index of lists(schema.oneOf).keys()) go(schema.oneOf as Json[], index, false, heeds);
  return found;
};

/** The schema after one to three rewritings, each of which accepts the same values or more: old calls stay valid. */
export const rewrite = (source: Random, original: JsonObject): { after: JsonObject; by: string[] } => {
  let after = structuredClone(original);
  const by: string[] = [];
  for (let count = 1 + source.below(3), tries = 0; count > 0 && tries < 30; tries++) {
    const place = source.pick(
      places(
        after,
        (other) => {
          after = other;
        },
        true,
      ),
    );
    const isRoot = place.at === after;
    const widening = place.widens && source.chance(0.5);
    const [name, rewriting] = source.pick(Object.entries(widening ? MORE : SAME));
    if (name === 'not not' && place.isHeeded) continue;
    const made = rewriting(place.at, source);
    // The root stays an object that holds the definitions.
    if (made === undefined || (isRoot && (made.type !== 'object' || made.$defs === undefined))) continue;
    place.replace(structuredClone(made));
    by.push(name);
    count--;
  }
  return { after, by };
};
