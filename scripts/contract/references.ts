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
 * `targetOf` does not know: whoever must not be wrong about a reference follows it from there (`follow`).
 */
export const holdsDocuments = (root: Json): boolean =>
  isObject(root) && remembered(root, () => hasDocuments(root as JsonObject));

/** Where no document says where it stands: references are relative to this. */
const NOWHERE = 'document:///';

/** The address that a reference means, without what follows `#`; undefined if it is malformed. */
const addressOf = (reference: string, base: string): string | undefined => {
  try {
    return new URL(reference, base).href.replace(/#.*$/s, '');
  } catch {
    return undefined;
  }
};

/** The documents that one holds, with itself: their addresses, and the anchors in each. An ambiguous one is null. */
interface Library {
  addresses: Map<JsonObject, string>;
  byAddress: Map<string, JsonObject | null>;
  anchors: Map<JsonObject, Map<string, JsonObject | null>>;
}

const subschemas = (schema: JsonObject): Json[] =>
  Object.entries(schema).flatMap(([key, value]): Json[] => {
    if (SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(value)) return value;
    if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value)) return Object.values(value as JsonObject);
    return SCHEMA_KEYWORDS.has(key) ? [value] : [];
  });

const libraries = new WeakMap<object, Library>();

const libraryOf = (root: JsonObject): Library => {
  const known = libraries.get(root);
  if (known !== undefined) return known;
  const library: Library = { addresses: new Map(), byAddress: new Map(), anchors: new Map() };
  const put = <K>(map: Map<K, JsonObject | null>, key: K, schema: JsonObject) =>
    map.set(key, map.has(key) ? null : schema);
  const open: [JsonObject, JsonObject][] = [[root, root]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [schema, around] = next;
    const id = own(schema, '$id');
    const base = library.addresses.get(around) ?? NOWHERE;
    const address = typeof id === 'string' && !id.startsWith('#') ? addressOf(id, base) : undefined;
    const isDocument = schema === root || address !== undefined;
    const document = isDocument ? schema : around;
    if (isDocument) {
      library.addresses.set(schema, address ?? base);
      put(library.byAddress, address ?? base, schema);
      library.anchors.set(schema, new Map());
    }
    const anchors = library.anchors.get(document) as Map<string, JsonObject | null>;
    // Before draft 2019-09 an anchor was written as an `$id`.
    const older = typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined;
    for (const name of [own(schema, '$anchor'), own(schema, '$dynamicAnchor'), older])
      if (typeof name === 'string' && name !== '') put(anchors, name, schema);
    for (const one of subschemas(schema)) if (isObject(one)) open.push([one as JsonObject, document]);
  }
  libraries.set(root, library);
  return library;
};

/** The document that a schema begins inside another one; that other one, if it begins none. */
export const documentAt = (schema: JsonObject, root: Json, around: Json): Json => {
  const id = own(schema, '$id');
  if (typeof id !== 'string' || id.startsWith('#') || schema === around || !isObject(root)) return around;
  const { addresses, byAddress } = libraryOf(root as JsonObject);
  // A copy of the schema begins the same document: it is known by its address.
  const address = addressOf(id, addresses.get(around as JsonObject) ?? NOWHERE);
  return (address === undefined ? undefined : byAddress.get(address)) ?? around;
};

/** What a reference leads to, and the document that references there are relative to. */
export interface Target {
  schema: Json;
  document: Json;
}

const targets = new WeakMap<object, Map<string, Target | undefined>>();

/**
 * Follows one reference that stands in a document, itself or embedded in another one (`root`); undefined if it leads
 * nowhere. The target may hold a reference itself, and so form a cycle.
 */
export const follow = (reference: string, root: Json, from: Json = root): Target | undefined => {
  if (!isObject(from)) return undefined;
  const known = targets.get(from) ?? new Map<string, Target | undefined>();
  targets.set(from, known);
  if (!known.has(reference)) known.set(reference, find(reference, root, from));
  return known.get(reference);
};

const find = (reference: string, root: Json, from: Json): Target | undefined => {
  const hash = reference.indexOf('#');
  const [address, fragment] = hash < 0 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
  if (!isObject(root) || reference === '') return undefined;
  let document = from;
  if (address !== '') {
    const { addresses, byAddress } = libraryOf(root as JsonObject);
    const meant = addressOf(address, addresses.get(from as JsonObject) ?? NOWHERE);
    const found = meant === undefined ? undefined : byAddress.get(meant);
    if (!found) return undefined;
    document = found;
  }
  if (fragment !== '' && !fragment.startsWith('/')) {
    const name = decoded(fragment);
    const anchored = name === undefined ? undefined : libraryOf(root as JsonObject).anchors.get(document as JsonObject);
    const schema = anchored?.get(name as string);
    return schema ? { schema, document } : undefined;
  }
  const way = wayOf(`#${fragment}`);
  let at: Json | undefined = way === undefined ? undefined : document;
  for (const name of way ?? []) {
    at = Array.isArray(at) ? (INDEX.test(name) ? at[Number(name)] : undefined) : own(at, name);
    if (isObject(at) && holdsDocuments(root)) document = documentAt(at as JsonObject, root, document);
  }
  return at === undefined ? undefined : { schema: at, document };
};

/** Resolves a `$ref` that stands in the document itself; undefined if it leads nowhere. */
export const targetOf = (reference: string, root: Json): Json | undefined => follow(reference, root)?.schema;

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
    const isReference = key === '$ref' && typeof one === 'string' && !Array.isArray(value);
    const isDeep = typeof one === 'object' && one !== null;
    if (isDeep) flat = false;
    else if (!isReference) continue;
    const inside = isReference ? new Set([one]) : referencesIn(one);
    if (inside.size > 0) all = all.size > 0 ? new Set([...all, ...inside]) : inside;
  }
  // To search a flat value takes no longer than a look into the cache.
  if (!flat) found.set(value, all);
  return all;
};
