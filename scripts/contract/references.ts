import { attempt } from './attempt.ts';
import { type Dialect, dialectOf, IGNORED } from './dialect.ts';
import { nameOf, pointer } from './json-pointer.ts';
import { changed, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './meaning.ts';
import { decoded } from './percent.ts';
import { isObject, type Json, type JsonObject, own } from './types.ts';

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
    const text = step.includes('%') ? decoded(step) : step;
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
 * `targetOf` does not know: code that must not be wrong about a reference follows it from there (`follow`), or reads the
 * schema as one document (`asOneDocument`).
 */
export const holdsDocuments = (root: Json): boolean =>
  isObject(root) && remembered(root, () => hasDocuments(root as JsonObject));

/** The base of references in documents without an address. */
const NOWHERE = 'document:///';

/** The address that a reference means, without what follows `#`; undefined if it is malformed. */
const addressOf = (reference: string, base: string): string | undefined =>
  attempt(() => new URL(reference, base).href.replace(/#.*$/s, ''), undefined);

/**
 * A document and all documents embedded in it: their addresses, the anchors in each, and where all of these are. An
 * ambiguous one is null.
 */
interface Library {
  ways: Map<JsonObject, readonly string[]>;
  addresses: Map<JsonObject, string>;
  byAddress: Map<string, JsonObject | null>;
  anchors: Map<JsonObject, Map<string, JsonObject | null>>;
}

/** The schemas directly inside one, each with the names on the way to it. */
const subschemas = (schema: JsonObject): [string[], Json][] =>
  Object.entries(schema).flatMap(([key, value]): [string[], Json][] => {
    const isList = SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(value);
    if (isList || (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value)))
      return Object.entries(value).map(([name, one]) => [[key, name], one as Json]);
    return SCHEMA_KEYWORDS.has(key) ? [[[key], value]] : [];
  });

/** The address that a schema gives itself: then it is a document. Before draft 2019-09 an anchor was written as an `$id`. */
const addressIn = (schema: JsonObject, base: string): string | undefined => {
  const id = own(schema, '$id');
  return typeof id === 'string' && !id.startsWith('#') ? addressOf(id, base) : undefined;
};

const anchorsIn = (schema: JsonObject): string[] => {
  const id = own(schema, '$id');
  const older = typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined;
  return [own(schema, '$anchor'), own(schema, '$dynamicAnchor'), older].filter(
    (name): name is string => typeof name === 'string' && name !== '',
  );
};

const libraries = new WeakMap<object, Library>();

const libraryOf = (root: JsonObject): Library => {
  const known = libraries.get(root);
  if (known !== undefined) return known;
  const library: Library = { ways: new Map(), addresses: new Map(), byAddress: new Map(), anchors: new Map() };
  const put = <K>(map: Map<K, JsonObject | null>, key: K, schema: JsonObject) =>
    map.set(key, map.has(key) ? null : schema);
  const open: [JsonObject, JsonObject, readonly string[]][] = [[root, root, []]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [schema, around, way] = next;
    const base = library.addresses.get(around) ?? NOWHERE;
    const address = addressIn(schema, base) ?? (schema === root ? base : undefined);
    if (address !== undefined) {
      library.ways.set(schema, way);
      library.addresses.set(schema, address);
      put(library.byAddress, address, schema);
      library.anchors.set(schema, new Map());
    }
    const document = address === undefined ? around : schema;
    for (const name of anchorsIn(schema)) {
      library.ways.set(schema, way);
      put(library.anchors.get(document) as Map<string, JsonObject | null>, name, schema);
    }
    for (const [steps, one] of subschemas(schema))
      if (isObject(one)) open.push([one as JsonObject, document, [...way, ...steps]]);
  }
  libraries.set(root, library);
  return library;
};

/** The document that a schema begins inside another one; the surrounding one if it begins none. */
export const documentAt = (schema: JsonObject, root: Json, around: Json): Json => {
  if (own(schema, '$id') === undefined || schema === around || !isObject(root)) return around;
  const { addresses, byAddress } = libraryOf(root as JsonObject);
  // A copy of the schema begins the same document: it is known by its address.
  const address = addressIn(schema, addresses.get(around as JsonObject) ?? NOWHERE);
  return (address === undefined ? undefined : byAddress.get(address)) ?? around;
};

/** What a reference leads to, the names on the way there, and the document that references there are relative to. */
export interface Target {
  schema: Json;
  way: readonly string[];
  document: Json;
}

const targets = new WeakMap<object, Map<string, Target | undefined>>();

/**
 * Follows one reference in a document, which may be embedded in another one (`root`); undefined if it leads nowhere. The
 * target may hold a reference itself, and so form a cycle.
 */
export const follow = (reference: string, root: Json, from: Json = root): Target | undefined => {
  if (!isObject(from)) return undefined;
  const known = targets.get(from) ?? new Map<string, Target | undefined>();
  targets.set(from, known);
  if (!known.has(reference)) known.set(reference, find(reference, root, from));
  return known.get(reference);
};

const find = (reference: string, root: Json, from: Json): Target | undefined => {
  if (!isObject(root) || reference === '') return undefined;
  const hash = reference.indexOf('#');
  const [address, fragment] = hash < 0 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
  const document = address === '' ? from : documentMeant(address, root as JsonObject, from);
  if (document === undefined) return undefined;
  const isPath = fragment === '' || fragment.startsWith('/');
  return (isPath ? findByPath : findByAnchor)(fragment, root as JsonObject, document);
};

const documentMeant = (address: string, root: JsonObject, from: Json): Json | undefined => {
  const { addresses, byAddress } = libraryOf(root);
  const meant = addressOf(address, addresses.get(from as JsonObject) ?? NOWHERE);
  return (meant === undefined ? undefined : byAddress.get(meant)) ?? undefined;
};

/** The names on the way to a document, or to a schema with an anchor. */
const wayTo = (schema: Json, root: JsonObject): readonly string[] =>
  schema === root ? [] : (libraryOf(root).ways.get(schema as JsonObject) ?? []);

const findByAnchor = (fragment: string, root: JsonObject, document: Json): Target | undefined => {
  const name = decoded(fragment);
  if (name === undefined) return undefined;
  const schema = libraryOf(root)
    .anchors.get(document as JsonObject)
    ?.get(name);
  return schema ? { schema, document, way: wayTo(schema, root) } : undefined;
};

const findByPath = (fragment: string, root: JsonObject, start: Json): Target | undefined => {
  const steps = wayOf(`#${fragment}`);
  if (steps === undefined) return undefined;
  let document = start;
  let at: Json | undefined = start;
  for (const name of steps) {
    at = Array.isArray(at) ? (INDEX.test(name) ? at[Number(name)] : undefined) : own(at, name);
    if (isObject(at) && holdsDocuments(root)) document = documentAt(at as JsonObject, root, document);
  }
  return at === undefined ? undefined : { schema: at, document, way: [...wayTo(start, root), ...steps] };
};

/** Resolves a `$ref` in the document itself; undefined if it leads nowhere. */
export const targetOf = (reference: string, root: Json): Json | undefined => follow(reference, root)?.schema;

/** A reference in the form for a single document: the path to its target, from the root. */
const asPath = (reference: string, root: Json, document: JsonObject): string => {
  const target = follow(reference, root, document);
  if (target) return `#${target.way.map((name) => `/${encodeURIComponent(pointer(name).slice(1))}`).join('')}`;
  const base = isObject(root) ? libraryOf(root as JsonObject).addresses.get(document) : undefined;
  // A reference that leads nowhere must not come to lead somewhere.
  return URL.canParse(reference, base ?? NOWHERE) ? `nowhere:${new URL(reference, base ?? NOWHERE).href}` : reference;
};

const holdsMore = (key: string): boolean =>
  SCHEMA_KEYWORDS.has(key) || SCHEMA_LIST_KEYWORDS.has(key) || SCHEMA_MAP_KEYWORDS.has(key) || key === IGNORED;

const merged = (schema: Json, root: JsonObject, around: JsonObject): Json => {
  if (!isObject(schema)) return schema;
  const one = schema as JsonObject;
  const document = libraryOf(root).addresses.has(one) ? one : around;
  const inside = (value: Json): Json => merged(value, root, document);
  const entries = Object.entries(one).flatMap(([key, value]): [string, Json][] => {
    if (key === '$anchor' || (key === '$id' && one !== root)) return [];
    if (key === '$ref' && typeof value === 'string') return [[key, asPath(value, root, document)]];
    if (!holdsMore(key)) return [[key, value]];
    if (Array.isArray(value)) return [[key, value.map(inside)]];
    if (!SCHEMA_MAP_KEYWORDS.has(key) || !isObject(value)) return [[key, inside(value)]];
    return [[key, Object.fromEntries(Object.entries(value as JsonObject).map(([name, at]) => [name, inside(at)]))]];
  });
  return Object.fromEntries(entries);
};

/** The schema with each of its subschemas, and itself, as `to` makes them. */
export const rewritten = (schema: Json, to: (one: JsonObject) => JsonObject): Json => {
  if (!isObject(schema)) return schema;
  const inside = (value: Json): Json => rewritten(value, to);
  return changed(to(schema as JsonObject), (value, key) => {
    if (SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(value)) return value.map(inside);
    if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value)) return changed(value as JsonObject, inside);
    return SCHEMA_KEYWORDS.has(key) ? inside(value) : value;
  });
};

/** The schema with one keyword under another name, at its place. */
const renamed = (schema: JsonObject, from: string, to: string): JsonObject =>
  Object.fromEntries(Object.entries(schema).map(([key, value]) => [key === from ? to : key, value]));

/** Draft 4 and earlier write `$id` as `id`. A property called `id` stands in `properties`, which holds no keywords. */
const withIds = (root: JsonObject): JsonObject =>
  rewritten(root, (one) =>
    typeof own(one, 'id') === 'string' && !Object.hasOwn(one, '$id') ? renamed(one, 'id', '$id') : one,
  ) as JsonObject;

/** In a single document, a dynamic reference leads where a plain one with the same text does. */
const withPlainReferences = (root: JsonObject, keyword: '$dynamicRef' | '$recursiveRef'): JsonObject =>
  rewritten(root, (one) => {
    const reference = own(one, keyword);
    const isPlain = typeof reference === 'string' && !Object.hasOwn(one, '$ref') && follow(reference, root);
    return isPlain ? renamed(one, keyword, '$ref') : one;
  }) as JsonObject;

const DYNAMIC: Partial<Record<Dialect, '$dynamicRef' | '$recursiveRef'>> = {
  '2019-09': '$recursiveRef',
  '2020-12': '$dynamicRef',
  unnamed: '$dynamicRef',
};

const inOneDocument = (given: JsonObject, named: Json): JsonObject => {
  const version = own(named, '$schema');
  const root = typeof version === 'string' && /draft-0[34]/.test(version) ? withIds(given) : given;
  if (holdsDocuments(root)) return merged(root, root, root) as JsonObject;
  const dynamic = DYNAMIC[dialectOf(named)];
  return dynamic !== undefined && hasKeyword(root, dynamic) ? withPlainReferences(root, dynamic) : root;
};

const hasKeyword = (value: Json, keyword: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([key, one]) => key === keyword || hasKeyword(one as Json, keyword));

/** By schema, and by the `$schema` that it was read by. */
const whole = new WeakMap<object, Map<Json | undefined, JsonObject>>();

/**
 * The same schema as one document, for readers that start at its root and know only `$ref`: if others are embedded in it,
 * each reference becomes the path to its target, and the names of documents and of places in them are left out; where no
 * other is, dynamic references become plain ones. Everything keeps its place.
 * @param named the schema whose `$schema` tells the dialect
 */
export const asOneDocument = (root: Json, named = root): Json => {
  if (!isObject(root)) return root;
  const known = whole.get(root) ?? new Map<Json | undefined, JsonObject>();
  whole.set(root, known);
  const version = own(named, '$schema');
  const one = known.get(version) ?? inOneDocument(root as JsonObject, named);
  known.set(version, one);
  return one;
};

const NONE: ReadonlySet<string> = new Set();
const found = new WeakMap<object, ReadonlySet<string>>();
const REFERRING: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** The texts of all references in a schema or a part of one, at any depth. */
export const referencesIn = (value: Json | undefined): ReadonlySet<string> => {
  if (typeof value !== 'object' || value === null) return NONE;
  const known = found.get(value);
  if (known !== undefined) return known;
  let all = NONE;
  // A set of its own as soon as there are two different ones: most parts have the references of one part in them.
  let isOwn = false;
  let flat = true;
  const add = (reference: string): void => {
    if (all.has(reference)) return;
    if (!isOwn) all = new Set(all);
    isOwn = true;
    (all as Set<string>).add(reference);
  };
  for (const key of Object.keys(value)) {
    const one = (value as JsonObject)[key] as Json;
    if (typeof one === 'object' && one !== null) {
      flat = false;
      const inside = referencesIn(one);
      if (all.size === 0) all = inside;
      else for (const reference of inside) add(reference);
    } else if (typeof one === 'string' && REFERRING.has(key) && !Array.isArray(value)) add(one);
  }
  // Searching a flat value takes no longer than a cache lookup.
  if (!flat) found.set(value, all);
  return all;
};
