import { referencesIn, targetOf, wayOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';

const DEFINITIONS = ['$defs', 'definitions'] as const;
/** The definition that a reference leads to, by a path or an anchor; undefined for the whole schema. */
const definition = (root: Json, ref: string): Json | undefined => (ref === '#' ? undefined : targetOf(ref, root));

/** References whose definition changed, directly or through other references; also all that are not plain definitions. */
export const changedReferences = (before: Json, after: Json): Set<string> => {
  const all = [...new Set([...referencesIn(before), ...referencesIn(after)])];
  const known = (ref: string) => definition(before, ref) !== undefined && definition(after, ref) !== undefined;
  const changed = new Set(
    all.filter((ref) => !known(ref) || !sameJson(definition(before, ref), definition(after, ref))),
  );
  if (changed.size === 0) return changed;
  const uses = new Map(all.map((ref) => [ref, referencesIn(definition(after, ref))]));
  for (let grew = true; grew; ) {
    const more = all.filter((ref) => !changed.has(ref) && [...(uses.get(ref) ?? [])].some((one) => changed.has(one)));
    for (const ref of more) changed.add(ref);
    grew = more.length > 0;
  }
  return changed;
};

/** Whether a schema, or a part of one, holds one of these references. */
export const mentions = (value: Json, changed: ReadonlySet<string>): boolean =>
  changed.size > 0 && [...referencesIn(value)].some((ref) => changed.has(ref));

const WORDS: ReadonlySet<string> = new Set(['description', 'title', 'default', 'example', 'examples']);

/** A schema with its `$ref` replaced by the definition; if that worked, with the reference and the definition. */
export interface Opened {
  schema: JsonObject;
  ref?: string;
  target?: JsonObject;
}

/** Whether keywords beside a reference can be put over what it leads to: they say nothing about the same. */
const canCover = (beside: JsonObject, target: JsonObject): boolean =>
  Object.keys(beside).every((key) => WORDS.has(key) || !Object.hasOwn(target, key));

/** Words of a definition that the model reads as well, but that other words beside the reference cover. */
export const covered = (beside: JsonObject, target: JsonObject): string[] =>
  ['description', 'title', 'example', 'examples'].filter(
    (key) => Object.hasOwn(beside, key) && Object.hasOwn(target, key) && !sameJson(own(beside, key), own(target, key)),
  );

/** The last reference of a chain: others only lead on to it. */
const lastReference = (reference: string, root: Json): string => {
  const passed = new Set<string>();
  for (let ref = reference; ; ) {
    passed.add(ref);
    const next = own(definition(root, ref), '$ref');
    if (typeof next !== 'string' || passed.has(next)) return ref;
    ref = next;
  }
};

/** The name of a definition. A reference to the place of another parameter only repeats its schema. */
const definitionName = (ref: string): string | undefined => {
  const [list, name, ...more] = wayOf(ref) ?? [];
  return isDefinitions(list ?? '') && more.length === 0 ? name : undefined;
};

/**
 * The names of two definitions, if a reference moved from one to the other. A definition whose old name is gone only has
 * another name.
 */
export const otherDefinition = (
  [from, to]: readonly [Opened, Opened],
  [old, now]: readonly [Json, Json],
): [string, string] | undefined => {
  if (from.ref === undefined || to.ref === undefined) return undefined;
  const [had, has] = [lastReference(from.ref, old), lastReference(to.ref, now)];
  const [name, other] = [definitionName(had), definitionName(has)];
  if (name === undefined || other === undefined || definition(now, had) === undefined) return undefined;
  return name === other ? undefined : [name, other];
};

/** What `findBehind` found, by root and reference: findings about one and the same object are remembered. */
const behind = new WeakMap<object, Map<string, JsonObject | undefined>>();

/** The definition behind a reference, also where others only lead on to it; undefined for a circle, and where it leads nowhere. */
export const definitionBehind = (reference: string, root: Json): JsonObject | undefined => {
  if (typeof root !== 'object' || root === null) return undefined;
  const known = behind.get(root) ?? new Map<string, JsonObject | undefined>();
  behind.set(root, known);
  if (!known.has(reference)) known.set(reference, findBehind(reference, root));
  return known.get(reference);
};

const findBehind = (reference: string, root: Json): JsonObject | undefined => {
  const passed = new Map<string, JsonObject>();
  for (let ref: Json | undefined = reference; typeof ref === 'string'; ref = own(passed.get(ref), '$ref')) {
    const target = definition(root, ref);
    if (!isObject(target) || passed.has(ref)) return undefined;
    passed.set(ref, target as JsonObject);
  }
  let whole: JsonObject | undefined;
  for (const target of [...passed.values()].reverse()) {
    const { $ref: _next, ...beside } = target;
    const isAlone = Object.keys(beside).length === 0;
    if (whole === undefined || !(isAlone || (canCover(beside, whole) && covered(beside, whole).length === 0)))
      whole = target;
    else if (!isAlone) whole = { ...whole, ...beside };
  }
  return whole;
};

/**
 * Replaces the `$ref` of a schema by the definition. The schema stays unchanged, without `ref`, if the reference leads
 * nowhere, or if the definition has a keyword that also stands next to the reference.
 */
export const opened = (schema: JsonObject, root: Json): Opened => {
  const ref = own(schema, '$ref');
  if (typeof ref !== 'string') return { schema };
  const target = definitionBehind(ref, root);
  if (target === undefined) return { schema };
  const { $ref: _opened, ...beside } = schema;
  // The same object for each reference: findings about it are remembered.
  if (Object.keys(beside).length === 0) return { schema: target, ref, target };
  if (!canCover(beside, target)) return { schema };
  return { schema: { ...target, ...beside }, ref, target };
};

const BEHIND = ['allOf', 'anyOf', 'oneOf', 'then', 'else'];

/** Properties that a schema names in branches, in conditions and in what it refers to. */
export const namesBehind = (schema: JsonObject, root: Json): Set<string> => {
  const names = new Set<string>();
  const seen = new Set<Json>();
  const open: Json[] = [schema];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (!isObject(one) || seen.has(one as JsonObject)) continue;
    seen.add(one as JsonObject);
    const [properties, reference, dependent] = [own(one, 'properties'), own(one, '$ref'), own(one, 'dependentSchemas')];
    if (one !== schema && isObject(properties)) for (const name of Object.keys(properties)) names.add(name);
    if (typeof reference === 'string') open.push(targetOf(reference, root) ?? true);
    if (isObject(dependent)) open.push(...(Object.values(dependent) as Json[]));
    for (const keyword of BEHIND) open.push(...([own(one, keyword) ?? []].flat() as Json[]));
  }
  return names;
};

/** Whether a schema has a reference that `asOneDocument` could not make a plain one: other documents are in the way. */
export const isDynamic = (schema: JsonObject): boolean =>
  Object.hasOwn(schema, '$dynamicRef') || Object.hasOwn(schema, '$recursiveRef');

/** Whether two schemas define the same, whatever they use of it. */
export const definesSame = (before: Json, after: Json): boolean =>
  DEFINITIONS.every((keyword) => sameJson(own(before, keyword) ?? null, own(after, keyword) ?? null));

/** Whether a keyword holds definitions. */
export const isDefinitions = (keyword: string): boolean => (DEFINITIONS as readonly string[]).includes(keyword);
