import { nameOf } from './json-pointer.ts';
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './meaning.ts';
import { isObject, type Json, type JsonObject, own } from './types.ts';

/** Percent-decodes a text; undefined if it is malformed. */
const decoded = (text: string): string | undefined => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * The names on the path of a `$ref` of the form `#` or `#/` with a JSON Pointer, as validators read it: each step may be
 * percent-encoded, and hold an encoded slash. Undefined for another document, and for an `$anchor`.
 */
export const wayOf = (reference: string): string[] | undefined => {
  if (reference === '#') return [];
  if (!reference.startsWith('#/')) return undefined;
  const names: string[] = [];
  for (const step of reference.slice(2).split('/')) {
    const text = decoded(step);
    if (text === undefined) return undefined;
    names.push(nameOf(text));
  }
  return names;
};

/**
 * Resolves a `$ref`; undefined if it leads nowhere. Follows one reference: the target may hold a reference itself, and so
 * form a cycle.
 */
export const targetOf = (reference: string, root: Json): Json | undefined => {
  const way = wayOf(reference);
  if (way === undefined) return undefined;
  let at: Json | undefined = root;
  for (const name of way) {
    at = Array.isArray(at) ? (INDEX.test(name) ? at[Number(name)] : undefined) : own(at, name);
  }
  return at;
};

const holdsId = new WeakMap<object, boolean>();
const remembered = (of: object, tell: () => boolean): boolean => {
  const known = holdsId.get(of);
  if (known !== undefined) return known;
  const holds = tell();
  holdsId.set(of, holds);
  return holds;
};

const isDocument = (schema: Json): boolean =>
  isObject(schema) && (typeof own(schema, '$id') === 'string' || hasDocuments(schema as JsonObject));

const hasDocuments = (schema: JsonObject): boolean =>
  Object.keys(schema).some((key) => {
    const value = schema[key] as Json;
    if (SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(value)) return value.some(isDocument);
    if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value)) {
      const some = () => Object.values(value as JsonObject).some(isDocument);
      // Cached, because tools share their definitions.
      return key === '$defs' || key === 'definitions' ? remembered(value, some) : some();
    }
    return SCHEMA_KEYWORDS.has(key) && isDocument(value);
  });

/**
 * Whether a schema embeds other documents (subschemas with an `$id`). References inside those are relative to them, which
 * `targetOf` does not know: whoever must not be wrong about a reference asks this first.
 */
export const holdsDocuments = (root: Json): boolean =>
  isObject(root) && remembered(root, () => hasDocuments(root as JsonObject));

const NONE: ReadonlySet<string> = new Set();
const found = new WeakMap<object, ReadonlySet<string>>();

/** All `$ref` texts in a schema or a part of one, at any depth. */
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
  // To search a flat value takes no longer than a look into the cache.
  if (!flat) found.set(value, all);
  return all;
};
