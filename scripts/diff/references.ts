import { referencesIn, targetOf } from '../contract/references.ts';
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

const WORDS: ReadonlySet<string> = new Set(['description', 'title', 'default', 'examples']);

/** A schema with its `$ref` replaced by the definition; if that worked, with the reference and the definition. */
export interface Opened {
  schema: JsonObject;
  ref?: string;
  target?: JsonObject;
}

/**
 * Replaces the `$ref` of a schema by the definition. The schema stays unchanged, without `ref`, if the reference leads
 * nowhere, or if the definition has a keyword that also stands next to the reference.
 */
export const opened = (schema: JsonObject, root: Json): Opened => {
  const ref = own(schema, '$ref');
  if (typeof ref !== 'string') return { schema };
  const target = definition(root, ref) as JsonObject | undefined;
  if (!isObject(target)) return { schema };
  const { $ref: _opened, ...beside } = schema;
  // The same object for each reference: findings about it are remembered.
  if (Object.keys(beside).length === 0) return { schema: target, ref, target };
  if (Object.keys(beside).some((key) => Object.hasOwn(target, key) && !WORDS.has(key))) return { schema };
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

/** Whether a keyword holds definitions. */
export const isDefinitions = (keyword: string): boolean => (DEFINITIONS as readonly string[]).includes(keyword);
