// Checks a value under everyday keywords, as the validator does. Loading the validator and having it make its code takes longer
// than all the rest of a verdict, and few tools need it.
import type { ErrorObject } from 'ajv';
import { pointer } from './json-pointer.ts';
import { sameJson } from './same.ts';
import { isObject, type Json, type JsonObject } from './types.ts';

/** What is told of an error. */
export type ValueError = Pick<ErrorObject, 'keyword' | 'instancePath' | 'params' | 'message'>;

/** Keywords that say nothing about which values are valid. */
const ANNOTATIONS = new Set(
  `$schema $comment title description default examples format deprecated readOnly writeOnly contentEncoding
  contentMediaType`.split(/\s+/),
);

const TYPES: Record<string, (value: Json) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  array: Array.isArray,
  object: isObject,
};

/** How many schemas, values and listed values are looked at; more is left to the validator, which has a time limit. */
const MOST_STEPS = 10_000;

/** Ends the check where it meets anything that is left to the validator. */
class Beyond extends Error {}

class Steps {
  #left = MOST_STEPS;
  take(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw new Beyond();
  }
}

interface Keyword {
  /** Whether the validator can read it, and we can read every schema in it. */
  reads: (operand: Json, steps: Steps) => boolean;
  /** Adds the errors of a value. Throws `Beyond` where an error is told in the validator's own words. */
  check: (operand: Json, value: Json, at: string, errors: ValueError[], steps: Steps, schema: JsonObject) => void;
}

const isText = (value: Json): value is string => typeof value === 'string';
const isLimit = (operand: Json): boolean => typeof operand === 'number';
const isType = (operand: Json): boolean => isText(operand) && Object.hasOwn(TYPES, operand);

/** @param measure what is limited; undefined for a value that the keyword says nothing about */
const limited = (measure: (value: Json) => number | undefined, holds: (has: number, limit: number) => boolean) => ({
  reads: isLimit,
  check: (limit: Json, value: Json): void => {
    const has = measure(value);
    if (has !== undefined && !holds(has, limit as number)) throw new Beyond();
  },
});
const number = (value: Json): number | undefined => (typeof value === 'number' ? value : undefined);
const length = (value: Json): number | undefined => (isText(value) ? [...value].length : undefined);
const count = (value: Json): number | undefined => (Array.isArray(value) ? value.length : undefined);
const atLeast = (has: number, limit: number): boolean => has >= limit;
const atMost = (has: number, limit: number): boolean => has <= limit;

/** In the validator's order, which is that of its errors. */
const KEYWORDS: Record<string, Keyword> = {
  type: {
    reads: (operand) => (Array.isArray(operand) ? operand.length > 0 && operand.every(isType) : isType(operand)),
    check: (operand, value, at, errors) => {
      const types = [operand].flat() as string[];
      if (!types.some((type) => TYPES[type]?.(value)))
        errors.push({ keyword: 'type', instancePath: at, params: { type: operand } });
    },
  },
  maximum: limited(number, atMost),
  minimum: limited(number, atLeast),
  exclusiveMaximum: limited(number, (has, limit) => has < limit),
  exclusiveMinimum: limited(number, (has, limit) => has > limit),
  maxLength: limited(length, atMost),
  minLength: limited(length, atLeast),
  const: {
    reads: () => true,
    check: (allowed, value, at, errors) => {
      if (!sameJson(allowed, value))
        errors.push({ keyword: 'const', instancePath: at, params: { allowedValue: allowed } });
    },
  },
  enum: {
    reads: (operand) => Array.isArray(operand) && operand.length > 0,
    check: (operand, value, at, errors, steps) => {
      const allowedValues = operand as Json[];
      steps.take(allowedValues.length);
      if (!allowedValues.some((allowed) => sameJson(allowed, value)))
        errors.push({ keyword: 'enum', instancePath: at, params: { allowedValues } });
    },
  },
  anyOf: {
    reads: (operand, steps) =>
      Array.isArray(operand) && operand.length > 0 && operand.every((one) => reads(one, steps)),
    check: (operand, value, at, _errors, steps) => {
      const isTaken = (branch: Json): boolean => {
        const errors: ValueError[] = [];
        check(branch, value, at, errors, steps);
        return errors.length === 0;
      };
      if (!(operand as Json[]).some(isTaken)) throw new Beyond();
    },
  },
  maxItems: limited(count, atMost),
  minItems: limited(count, atLeast),
  items: {
    // A list of schemas means something else in each dialect.
    reads: (operand, steps) => isObject(operand) && reads(operand, steps),
    check: (items, value, at, errors, steps) => {
      if (Array.isArray(value))
        for (const [index, one] of value.entries()) check(items, one, `${at}/${index}`, errors, steps);
    },
  },
  required: {
    reads: (operand) => Array.isArray(operand) && operand.every(isText),
    check: (operand, value, at, errors) => {
      const missing = isObject(value) ? (operand as string[]).filter((name) => !Object.hasOwn(value, name)) : [];
      for (const missingProperty of missing)
        errors.push({ keyword: 'required', instancePath: at, params: { missingProperty } });
    },
  },
  additionalProperties: {
    reads: (operand, steps) => operand === false || reads(operand, steps),
    check: (rest, value, at, errors, steps, { properties = {} }) => {
      if (!isObject(value)) return;
      for (const [name, one] of Object.entries(value as JsonObject)) {
        if (Object.hasOwn(properties as JsonObject, name)) continue;
        if (rest !== false) check(rest, one, at + pointer(name), errors, steps);
        else errors.push({ keyword: 'additionalProperties', instancePath: at, params: { additionalProperty: name } });
      }
    },
  },
  properties: {
    // The validator leaves out this name.
    reads: (operand, steps) =>
      isObject(operand) &&
      !Object.hasOwn(operand, '__proto__') &&
      Object.values(operand as JsonObject).every((one) => reads(one, steps)),
    check: (operand, value, at, errors, steps) => {
      if (!isObject(value)) return;
      for (const [name, one] of Object.entries(operand as JsonObject))
        if (Object.hasOwn(value, name))
          check(one, (value as JsonObject)[name] as Json, at + pointer(name), errors, steps);
    },
  },
};
const ORDER = Object.entries(KEYWORDS);

/** Whether a schema, with all that it holds, consists of everyday keywords. */
const reads = (schema: Json, steps: Steps): boolean => {
  steps.take();
  if (!isObject(schema)) return schema === true;
  return Object.entries(schema as JsonObject).every(([name, operand]) =>
    Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name]?.reads(operand, steps) : ANNOTATIONS.has(name),
  );
};

const check = (schema: Json, value: Json, at: string, errors: ValueError[], steps: Steps): void => {
  steps.take();
  if (!isObject(schema)) return;
  const all = schema as JsonObject;
  const { length: before } = errors;
  for (const [name, keyword] of ORDER)
    if (Object.hasOwn(all, name)) keyword.check(all[name] as Json, value, at, errors, steps, all);
  // The validator's order depends on more where the type is wrong and something else is, too.
  if (errors.length > before + 1 && errors[before]?.keyword === 'type') throw new Beyond();
};

/**
 * The errors of a value under a schema, as the validator finds them; undefined if the schema has other keywords than these,
 * some cannot be read, or it is too much.
 */
export const everydayErrors = (schema: JsonObject, value: Json): ValueError[] | undefined => {
  const [errors, steps] = [[] as ValueError[], new Steps()];
  try {
    if (!reads(schema, steps)) return undefined;
    check(schema, value, '', errors, steps);
    return errors;
  } catch {
    // Also where both are nested too deep.
    return undefined;
  }
};
