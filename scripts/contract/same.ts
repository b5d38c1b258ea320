import type { Json, JsonObject } from './types.ts';

/** Gives equal values the same number, so that every value, at any depth, is examined only once. */
let numbers = new WeakMap<object, number>();
let table = new Map<string, number>();
const MOST_ENTRIES = 500_000;
const MOST_NAMES = 1_000;

const entry = (key: string): number => {
  const known = table.get(key);
  if (known !== undefined) return known;
  table.set(key, table.size + 1);
  return table.size;
};

/**
 * A key for a value. Objects and arrays are `#` and their number: no JSON text of a simple value starts with `#`. The
 * smallest ones use their text: building it is cheaper than looking up the number.
 */
const markOf = (value: Json): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return isSmall(value) ? keyOf(value) : `#${numberOf(value)}`;
};

/** Whether it holds one simple value, as a reference does. */
const isSmall = (value: Json[] | JsonObject): boolean => {
  if (Array.isArray(value)) return false;
  let count = 0;
  for (const name in value) if (++count > 1 || typeof value[name] === 'object') return false;
  return count === 1;
};

const keyOf = (value: Json[] | JsonObject): string => {
  if (Array.isArray(value)) return `[${value.map(markOf).join()}]`;
  const names = Object.keys(value);
  if (names.length > 1) names.sort();
  let key = '{';
  for (const name of names) key += `${quoted(name)}:${markOf(value[name] as Json)},`;
  return key;
};

let quotedNames = new Map<string, string>();

/** A name as JSON. Most names are those of keywords. */
const quoted = (name: string): string => {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  if (quotedNames.size > MOST_NAMES) quotedNames = new Map();
  const text = JSON.stringify(name);
  quotedNames.set(name, text);
  return text;
};

const numberOf = (value: Json[] | JsonObject): number => {
  const known = numbers.get(value);
  if (known !== undefined) return known;
  const number = entry(keyOf(value));
  numbers.set(value, number);
  return number;
};

/** Most values that are compared directly. Larger ones get numbers, so that they are not examined again and again. */
const MOST_STEPS = 100;

/** Compares directly; undefined if that takes more steps than are left. */
const compare = (a: Json, b: Json, left: { steps: number }): boolean | undefined => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (--left.steps < 0) return undefined;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) {
      const same = compare(a[index] as Json, b[index] as Json, left);
      if (same !== true) return same;
    }
    return true;
  }
  if (Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    const same = Object.hasOwn(b, name) && compare(a[name] as Json, b[name] as Json, left);
    if (same !== true) return same;
  }
  return true;
};

/** Whether two values are equal; the order of keys does not matter. They must not be changed afterwards: it is cached. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [numberA, numberB] = [numbers.get(a), numbers.get(b)];
  if (numberA !== undefined && numberB !== undefined) return numberA === numberB;
  const found = compare(a, b, { steps: MOST_STEPS });
  if (found !== undefined) return found;
  if (table.size > MOST_ENTRIES) {
    table = new Map();
    numbers = new WeakMap();
  }
  return numberOf(a) === numberOf(b);
};
