import { meaningOfBranches } from './branches.ts';
import { canonical, hashed, sha256 } from './canonical.ts';
import { type Dialect, dialectOf, IGNORED, setApart } from './dialect.ts';
import { type Contract, isObject, type Json, type JsonObject } from './types.ts';

/** Keywords of JSON Schema that hold further schemas: one, a list, a map. Every other value is plain data. */
export const SCHEMA_KEYWORDS = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
export const SCHEMA_LIST_KEYWORDS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
export const SCHEMA_MAP_KEYWORDS = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Keywords of JSON Schema whose value is a number that limits a value. */
export const LIMIT_KEYWORDS = [
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
] as const;

/** The list itself if the other one has the same content. */
const sameOr = (list: Json[], other: Json[]): Json[] =>
  list.length === other.length && other.every((value, index) => value === list[index]) ? list : other;

const sorted = (values: Json[]): Json[] => {
  const keyed = new Map(values.map((value) => [canonical(value), value]));
  return sameOr(
    values,
    [...keyed.keys()].sort().map((key) => keyed.get(key) as Json),
  );
};

const isEmpty = (value: Json): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

const MOST_DEFINITIONS = 10_000;

/** Caches results by the JSON text of the argument: equal arguments give one and the same object. */
const remembered = (tell: (value: Json) => Json): ((value: Json) => Json) => {
  let meanings = new Map<string, Json>();
  return (value) => {
    const text = JSON.stringify(value);
    const known = meanings.get(text);
    if (known !== undefined) return known;
    if (meanings.size > MOST_DEFINITIONS) meanings = new Map();
    const meaning = tell(value);
    meanings.set(text, meaning);
    return meaning;
  };
};

/** The object with other values; undefined drops one. The same object if nothing changes: most schemas have no noise. */
export const changed = (object: JsonObject, to: (value: Json, key: string) => Json | undefined): JsonObject => {
  let copy: [string, Json][] | undefined;
  const keys = Object.keys(object);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const value = object[key] as Json;
    const now = to(value, key);
    if (copy === undefined && now !== value) copy = keys.slice(0, index).map((one) => [one, object[one] as Json]);
    if (now !== undefined) copy?.push([key, now]);
  }
  return copy === undefined ? object : Object.fromEntries(copy);
};

const mapped = (map: Json, meaning: (schema: Json) => Json): Json => changed(map as JsonObject, meaning);

/**
 * Every tool of a server may repeat the same definitions. Equal ones become one object, so that what is cached by object
 * (its number in same.ts, its references) is computed once.
 */
const meaningsIn = (dialect: Dialect) => {
  const ofDefinition = remembered((schema) => ofSchema(schema));
  const ofDefinitions = remembered((map) => mapped(map, ofDefinition));

  const ofKeyword = (key: string, value: Json): Json | undefined => {
    if (key === '$schema') return undefined;
    if (key === IGNORED) return ofKeywords(value as JsonObject);
    if (key === 'required' && Array.isArray(value)) return isEmpty(value) ? undefined : sorted(value);
    if (key === 'enum' && Array.isArray(value)) return sorted(value);
    if (key === 'type' && Array.isArray(value)) return value.length === 1 ? value[0] : sorted(value);
    if (key === 'additionalProperties' && (value === true || (isObject(value) && isEmpty(value)))) return undefined;
    if (SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(value)) return sameOr(value, value.map(ofSchema));
    if (SCHEMA_KEYWORDS.has(key)) return ofSchema(value);
    if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value)) {
      if (key === 'properties' && isEmpty(value)) return undefined;
      if (key === '$defs' || key === 'definitions') return ofDefinitions(value as Json);
      return mapped(value as Json, ofSchema);
    }
    return value;
  };

  const ofKeywords = (schema: JsonObject): JsonObject => changed(schema, (value, key) => ofKeyword(key, value));

  const ofSchema = (schema: Json): Json =>
    isObject(schema) ? ofKeywords(setApart(schema as JsonObject, dialect)) : schema;
  return ofSchema;
};

const meanings = new Map<Dialect, (schema: Json) => Json>();

/**
 * A schema without differences that mean nothing: the order of `required`, `enum` and `type` lists, an empty `required` or
 * `properties`, `additionalProperties: true`. `$schema` is dropped, too, after it told which keywords the dialect ignores.
 */
export const meaningOfSchema = (schema: Json): Json => {
  const dialect = dialectOf(schema);
  const meaning = meanings.get(dialect) ?? meaningsIn(dialect);
  meanings.set(dialect, meaning);
  return meaning(schema);
};

/** A contract without noise, for comparing; `extra` fields are noise, too. */
export const meaningOf = (contract: Contract): Contract => {
  const { extra: _noise, annotations, branches, ...kept } = contract;
  return {
    ...kept,
    inputSchema: meaningOfSchema(contract.inputSchema),
    ...(contract.outputSchema === undefined ? {} : { outputSchema: meaningOfSchema(contract.outputSchema) }),
    ...(annotations === undefined || isEmpty(annotations) ? {} : { annotations }),
    ...(branches === undefined ? {} : { branches: meaningOfBranches(branches, meaningOfSchema) }),
  };
};

/** A hash that is equal for two contracts that differ only in noise. */
export const meaningHash = (contract: Contract): string => sha256(canonical(hashed(meaningOf(contract))));
