import { isObject, type Json, type JsonObject } from './types.ts';

const NONE: ReadonlySet<string> = new Set();
const found = new WeakMap<object, ReadonlySet<string>>();

/** The references in a piece of a schema, however deep. */
export const referencesIn = (value: Json | undefined): ReadonlySet<string> => {
  if (Array.isArray(value)) return union(value);
  if (!isObject(value)) return NONE;
  const known = found.get(value);
  if (known !== undefined) return known;
  const { $ref, ...rest } = value as JsonObject;
  const inside = union(Object.values(rest));
  const all = typeof $ref === 'string' ? new Set([...inside, $ref]) : inside;
  found.set(value, all);
  return all;
};

const union = (values: Json[]): ReadonlySet<string> => {
  const sets = values.map(referencesIn).filter((set) => set.size > 0);
  return sets.length < 2 ? (sets[0] ?? NONE) : new Set(sets.flatMap((set) => [...set]));
};
