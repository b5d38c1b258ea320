import type { Json, JsonObject } from './types.ts';

const NONE: ReadonlySet<string> = new Set();
const found = new WeakMap<object, ReadonlySet<string>>();

/** The references in a piece of a schema, however deep. */
export const referencesIn = (value: Json | undefined): ReadonlySet<string> => {
  if (typeof value !== 'object' || value === null) return NONE;
  const known = found.get(value);
  if (known !== undefined) return known;
  let all = NONE;
  let flat = true;
  for (const key of Object.keys(value)) {
    const one = (value as JsonObject)[key] as Json;
    if (typeof one === 'object' && one !== null) flat = false;
    const isReference = key === '$ref' && typeof one === 'string' && !Array.isArray(value);
    const inside = isReference ? new Set([one]) : referencesIn(one);
    if (inside.size > 0) all = all.size > 0 ? new Set([...all, ...inside]) : inside;
  }
  // What holds nothing deeper is as quickly looked through as looked up.
  if (!flat) found.set(value, all);
  return all;
};
