import { isObject, type Json, type JsonObject } from './types.ts';

/** Numbers that stand for values: equal ones have the same. Every value is looked at once, however deep it stands. */
let numbers = new WeakMap<object, number>();
let table = new Map<string, number>();
const MOST_ENTRIES = 500_000;

const entry = (key: string): number => {
  const known = table.get(key);
  if (known !== undefined) return known;
  table.set(key, table.size + 1);
  return table.size;
};

const numberOf = (value: Json): number => {
  if (!Array.isArray(value) && !isObject(value)) return entry(`${typeof value} ${JSON.stringify(value)}`);
  const known = numbers.get(value);
  if (known !== undefined) return known;
  const key = Array.isArray(value)
    ? `[${value.map(numberOf).join()}]`
    : `{${Object.keys(value)
        .sort()
        .map((name) => `${JSON.stringify(name)}:${numberOf((value as JsonObject)[name] as Json)}`)
        .join()}}`;
  const number = entry(key);
  numbers.set(value, number);
  return number;
};

/** Whether two values are equal; the order of keys does not matter. Values must not be changed afterwards. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean => {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (table.size > MOST_ENTRIES) {
    table = new Map();
    numbers = new WeakMap();
  }
  return numberOf(a) === numberOf(b);
};
