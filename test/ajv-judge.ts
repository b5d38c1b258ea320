import Ajv, { type Format } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';

const newAjv = (formats: Record<string, Format> = {}) =>
  new Ajv({
    strict: false,
    ownProperties: true,
    // Those that are not named here are not checked.
    formats,
    validateSchema: false,
    meta: false,
    logger: false,
    // Only whether a value is valid matters: the code for messages takes a third of the time.
    messages: false,
    code: { optimize: false },
  });
let ajv = newAjv();
let compiled = 0;
/** Compiles a schema with ajv, the judge of the random tests. */
export const compile = (schema: JsonObject) => {
  // ajv remembers every schema: replacing it now and then keeps memory flat.
  if (++compiled % 200 === 0) ajv = newAjv();
  return ajv.compile(schema);
};

/** Compiles a schema whose texts have to have the formats that it names. */
export const compileWithFormats = (schema: JsonObject) => newAjv(fullFormats).compile(schema);

/** Whether a schema accepts a value; undefined if ajv itself gives up. */
export const holds = (schema: JsonObject, value: Json): boolean | undefined => {
  try {
    return compile(schema)(value) as boolean;
  } catch {
    return undefined;
  }
};

// A keyword that accepts anything declares nothing, and every name is a string anyway.
const isOpen = ([key, value]: [string, Json]): boolean =>
  (['additionalProperties', 'unevaluatedProperties'].includes(key) &&
    (value === true || JSON.stringify(value) === '{}')) ||
  (key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}');

const SAYS_SOMETHING =
  `properties patternProperties propertyNames unevaluatedProperties $ref allOf anyOf oneOf then else
  dependentSchemas additionalProperties`.split(/\s+/);

/** Whether a schema, or one of its forms, says nothing about properties, so that any may be meant. */
const isFree = (schema: Json): boolean => {
  if (!isObject(schema) || (schema.type !== undefined && ![schema.type].flat().includes('object'))) return false;
  if ([schema.anyOf, schema.oneOf].some((forms) => Array.isArray(forms) && forms.some(isFree))) return true;
  return !Object.entries(schema as JsonObject).some((entry) => SAYS_SOMETHING.includes(entry[0]) && !isOpen(entry));
};

/** A schema under which objects have only declared properties; ajv decides which ones are declared. */
const closed = (schema: Json): Json => {
  if (!isObject(schema)) return schema;
  const inside = (one: Json): Json =>
    isObject(one) && !isFree(one as Json) ? { allOf: [closed(one as Json)], unevaluatedProperties: false } : one;
  const mapped = (map: Json, change: (one: Json) => Json): Json =>
    isObject(map)
      ? Object.fromEntries(Object.entries(map as JsonObject).map(([name, one]) => [name, change(one)]))
      : map;
  const entries = Object.entries(schema as JsonObject).filter((entry) => !isOpen(entry));
  return Object.fromEntries(
    entries.map(([key, value]): [string, Json] => {
      if (['properties', 'patternProperties'].includes(key)) return [key, mapped(value, inside)];
      if (['$defs', 'dependentSchemas'].includes(key)) return [key, mapped(value, closed)];
      if (['allOf', 'anyOf', 'oneOf'].includes(key)) return [key, (value as Json[]).map(closed)];
      if (key === 'prefixItems') return [key, (value as Json[]).map(inside)];
      if (['items', 'additionalProperties'].includes(key)) return [key, inside(value)];
      return [key, value];
    }),
  );
};
export const closedRoot = ({ $defs, ...schema }: JsonObject): JsonObject => ({
  $defs: (closed({ $defs } as Json) as JsonObject).$defs as Json,
  allOf: [closed(schema as Json)],
  unevaluatedProperties: false,
});

/**
 * The same schema with each condition as a union. ajv counts the properties of a condition even if it does not hold,
 * which JSON Schema forbids.
 */
export const withoutConditions = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(withoutConditions);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema as JsonObject).map(([key, one]): [string, Json] => [
    key,
    ['enum', 'const', 'default'].includes(key) ? one : withoutConditions(one),
  ]);
  const { if: condition, then: yes = true, else: no = true, ...rest } = Object.fromEntries(entries);
  if (condition === undefined) return rest;
  const union = { oneOf: [{ allOf: [condition, yes] }, { allOf: [{ not: condition }, no] }] };
  return { ...rest, allOf: [...((rest.allOf as Json[]) ?? []), union] };
};
