import { meaningOfBranches } from './branches.ts';
import { canonical, hashed, sha256 } from './canonical.ts';
import { type Dialect, dialectOf, hasOldBounds, IGNORED, setApart, withLaterBounds } from './dialect.ts';
import { type Contract, isObject, type Json, type JsonObject, own } from './types.ts';

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

/** Names of lists that tell of each value of an `enum`, such as `enumDescriptions`, `x-enum-varnames` and `x-labels`. */
const OF_VALUES = /enum|(?:name|label|title|description)s$/i;

/** Whether a keyword lists something for each value of the schema's `enum`, by position. */
const isByPosition = (schema: JsonObject, keyword: string, values: readonly Json[]): boolean => {
  if (keyword === 'enum' || !OF_VALUES.test(keyword)) return false;
  const list = own(schema, keyword);
  return Array.isArray(list) && list.length === values.length;
};

/** What a keyword lists for each value of the schema's `enum`, by position; undefined if it does not do that. */
export const listedByValue = (schema: JsonObject, keyword: string): Map<string, Json> | undefined => {
  const values = own(schema, 'enum');
  if (!Array.isArray(values) || !isByPosition(schema, keyword, values)) return undefined;
  const list = own(schema, keyword) as Json[];
  const listed = new Map(values.map((value, at) => [canonical(value), list[at] as Json]));
  return listed.size === values.length ? listed : undefined;
};

/** Keywords whose lists don't belong to the values of an `enum` by position. */
const APART: ReadonlySet<string> = new Set([
  ...SCHEMA_LIST_KEYWORDS,
  'default',
  'enum',
  'examples',
  'required',
  'type',
]);

/** The keywords of a schema with lists that may follow the values of an `enum`, in it or in a part of it. */
export const listsIn = (schema: JsonObject): string[] =>
  Object.keys(schema).filter((keyword) => Array.isArray(schema[keyword]) && !APART.has(keyword));

/**
 * The order of the values of `enum`, and the keywords that follow it: the one that sorts them, or the one that they have if
 * other lists, here or around it, may follow it. Undefined if there are no lists.
 */
const orderOfValues = (
  schema: JsonObject,
  isListed: boolean,
): { order: number[]; keywords: ReadonlySet<string> } | undefined => {
  const values = own(schema, 'enum');
  if (!Array.isArray(values)) return undefined;
  const lists = listsIn(schema);
  if (isListed || !lists.every((keyword) => isByPosition(schema, keyword, values)))
    return { order: [...values.keys()], keywords: new Set(['enum']) };
  if (lists.length === 0) return undefined;
  const keyed = values.map((value, at) => ({ key: canonical(value), at }));
  keyed.sort((one, other) => (one.key === other.key ? one.at - other.at : one.key < other.key ? -1 : 1));
  return { order: keyed.map(({ at }) => at), keywords: new Set(['enum', ...lists]) };
};

const isEmpty = (value: Json): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

/** Whether a keyword says nothing with this value. */
const isNoise = (key: string, value: Json): boolean => {
  if (key === 'required') return Array.isArray(value) && isEmpty(value);
  if (key === 'additionalProperties' && value === true) return true;
  if (key === 'additionalProperties' || key === 'properties') return isObject(value) && isEmpty(value);
  return key === '$schema';
};

/** Keywords whose lists say the same in each order. */
const SETS: ReadonlySet<string> = new Set(['enum', 'required', 'type']);

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
const meaningsIn = (dialect: Dialect, isOld: boolean) => {
  const inLaterWords = (schema: JsonObject): JsonObject => (isOld ? withLaterBounds(schema) : schema);
  const ofDefinition = remembered((schema) => ofSchema(schema));
  const ofDefinitions = remembered((map) => mapped(map, ofDefinition));

  /** @param isListed a list around it may follow the values of an `enum` in it */
  const ofKeyword = (key: string, value: Json, isListed: boolean): Json | undefined => {
    if (isNoise(key, value)) return undefined;
    if (key === IGNORED) return ofKeywords(value as JsonObject, isListed);
    if (Array.isArray(value)) {
      if (SETS.has(key)) return key === 'type' && value.length === 1 ? value[0] : sorted(value);
      if (!SCHEMA_LIST_KEYWORDS.has(key)) return value;
      return sameOr(
        value,
        value.map((one) => ofSchema(one, isListed)),
      );
    }
    if (SCHEMA_KEYWORDS.has(key)) return ofSchema(value, isListed);
    if (!SCHEMA_MAP_KEYWORDS.has(key) || !isObject(value)) return value;
    return key === '$defs' || key === 'definitions'
      ? ofDefinitions(value as Json)
      : mapped(value as Json, (one) => ofSchema(one));
  };

  const ofKeywords = (schema: JsonObject, isListed: boolean): JsonObject => {
    const listed = orderOfValues(schema, isListed);
    const isWithin = isListed || (!Object.hasOwn(schema, 'enum') && listsIn(schema).length > 0);
    return changed(schema, (value, key) => {
      if (!listed?.keywords.has(key)) return ofKeyword(key, value, isWithin);
      const list = value as Json[];
      return sameOr(
        list,
        listed.order.map((at) => list[at] as Json),
      );
    });
  };

  const ofSchema = (schema: Json, isListed = false): Json =>
    isObject(schema) ? ofKeywords(inLaterWords(setApart(schema as JsonObject, dialect)), isListed) : schema;
  return ofSchema;
};

const meanings = new Map<string, (schema: Json) => Json>();

/**
 * A schema without differences that mean nothing: the order of `required`, `type` and `enum` lists, the last along with all
 * that is listed for its values, unless other lists may follow it; an empty `required` or `properties`;
 * `additionalProperties: true`; open bounds as draft-04 writes them. `$schema` is dropped, too, after it told which keywords the
 * dialect ignores.
 */
export const meaningOfSchema = (schema: Json): Json => {
  const [dialect, isOld] = [dialectOf(schema), hasOldBounds(schema)];
  const key = `${dialect} ${isOld}`;
  const meaning = meanings.get(key) ?? meaningsIn(dialect, isOld);
  meanings.set(key, meaning);
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
