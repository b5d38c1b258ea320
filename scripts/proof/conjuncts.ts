import { holdsDocuments, referencesIn, targetOf } from '../contract/references.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';

/**
 * A schema, with the document (`root`) that its references point into. One that is not fully understood, such as a
 * reference that cannot be resolved, is `opaque`. What is not understood is ignored in an assumption, which only allows
 * more values; as a claim, an opaque schema is proven only if the same one is given.
 */
export interface Conjunct {
  schema: JsonObject;
  root: Json;
  opaque?: boolean;
}

/** Schemas that all hold at once; `false` if no value can satisfy them. */
export type Conjunction = Conjunct[] | false;

/** Keywords that apply other schemas to the same value. */
const IN_PLACE = ['anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'dependencies', 'allOf', '$ref'];

const resolve = (root: Json, ref: Json): Json | undefined =>
  typeof ref !== 'string' || holdsDocuments(root) ? undefined : targetOf(ref, root);

const DYNAMIC = ['$dynamicRef', '$recursiveRef'];

/** A schema as a flat conjunction: `allOf` and `$ref` are expanded, all else stays as it is. */
export const conjunctsOf = (schema: Json, root: Json): Conjunction => {
  const found: Conjunct[] = [];
  const seen = new Set<Json>();
  const open: Json[] = [schema];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one === true || seen.has(one)) continue;
    if (one === false) return false;
    if (!isObject(one)) {
      found.push({ schema: {}, root, opaque: true });
      continue;
    }
    seen.add(one as JsonObject);
    const object = one as JsonObject;
    const unevaluated = own(object, 'unevaluatedProperties') ?? own(object, 'unevaluatedItems') ?? true;
    // Which properties or elements are unevaluated depends on all branches of the schema together.
    const opaque =
      DYNAMIC.some((key) => own(object, key) !== undefined) ||
      (unevaluated !== true && IN_PLACE.some((key) => own(object, key) !== undefined));
    found.push({ schema: object, root, opaque });
    const all = own(object, 'allOf');
    if (Array.isArray(all)) open.push(...all);
    const ref = own(object, '$ref');
    if (ref !== undefined) {
      const target = resolve(root, ref);
      if (target === undefined) found.push({ schema: {}, root, opaque: true });
      else open.push(target);
    }
  }
  return found;
};

/** Accepts no value. */
const NOTHING: Conjunct = { schema: { enum: [] }, root: true };

/** What holds for every value that a schema accepts. */
export const assumptionsOf = (schema: Json, root: Json): Conjunct[] => conjunctsOf(schema, root) || [NOTHING];

/** All properties that these schemas name, in any branch: those that a caller who knows the schemas can pass. */
export const declaredKeys = (conjuncts: Conjunct[]): Set<string> => {
  const keys = new Set<string>();
  // Kept by document: the same reference can mean something else in another document.
  const seen = new Map<Json, Set<Json>>();
  const open = conjuncts.map(({ schema, root }) => [schema as Json, root] as const);
  for (let one = open.pop(); one; one = open.pop()) {
    const [schema, root] = one;
    const visited = seen.get(root) ?? new Set();
    if (!isObject(schema) || visited.has(schema as Json)) continue;
    seen.set(root, visited.add(schema as Json));
    const properties = own(schema, 'properties');
    if (isObject(properties)) for (const key of Object.keys(properties)) keys.add(key);
    const required = own(schema, 'required');
    for (const key of Array.isArray(required) ? required : []) {
      if (typeof key === 'string') keys.add(key);
    }
    const values = own(schema, 'enum');
    for (const value of [own(schema, 'const'), ...(Array.isArray(values) ? values : [])]) {
      if (isObject(value)) for (const key of Object.keys(value)) keys.add(key);
    }
    for (const keyword of IN_PLACE) {
      const inside = own(schema, keyword);
      if (keyword === '$ref') open.push([resolve(root, inside ?? null) ?? true, root]);
      else if (Array.isArray(inside)) open.push(...inside.map((branch) => [branch, root] as const));
      else if (keyword === 'dependentSchemas' || keyword === 'dependencies') {
        if (isObject(inside))
          open.push(...Object.values(inside as JsonObject).map((branch) => [branch, root] as const));
      } else if (inside !== undefined) open.push([inside, root]);
    }
  }
  return keys;
};

/** Whether the references in two documents mean the same. */
export const sameDefinitions = (before: Json, after: Json): boolean => {
  const references = [...referencesIn(before), ...referencesIn(after)];
  // With a reference to any other place, the whole documents must be equal.
  if (!references.every((ref) => /^#\/(?:\$defs|definitions)\//.test(ref))) return sameJson(before, after);
  return ['$defs', 'definitions'].every((key) => sameJson(own(before, key) ?? null, own(after, key) ?? null));
};
