// A schema written as one, where it is spread over `allOf`, a reference beside other keywords, or a union with null. Generators
// write the same either way, and only the parts of like shapes can be compared with each other.

import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { definitionBehind, opened } from './references.ts';

/** No generator nests parts deeper. */
const DEEPEST = 8;

/** Keywords that mean something only together with those beside them. */
const TOGETHER: readonly (readonly string[])[] = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
];
/** With these, what a part accepts depends on the names beside them. */
const OF_OTHER_NAMES = ['additionalProperties', 'unevaluatedProperties'];
const NAMED = ['properties', 'patternProperties'];
/** The schema around has its own, and references lead to that. */
const OF_DOCUMENT: ReadonlySet<string> = new Set(['$schema', '$comment', '$defs', 'definitions']);

const hasAny = (schema: JsonObject, keywords: readonly string[]): boolean =>
  keywords.some((keyword) => Object.hasOwn(schema, keyword));

const isOpen = (schema: JsonObject): boolean =>
  OF_OTHER_NAMES.every((keyword) => [undefined, true].includes(own(schema, keyword) as true));

const canStandTogether = (one: JsonObject, other: JsonObject): boolean =>
  TOGETHER.every((group) => !hasAny(one, group) || !hasAny(other, group)) &&
  (isOpen(one) || !hasAny(other, NAMED)) &&
  (isOpen(other) || !hasAny(one, NAMED)) &&
  !Object.hasOwn(other, '$id');

/** Two maps as one; undefined if they say different things of one name. */
const mergedMaps = (one: JsonObject, other: JsonObject): JsonObject | undefined =>
  Object.keys(other).every((name) => !Object.hasOwn(one, name) || sameJson(own(one, name), own(other, name)))
    ? { ...one, ...other }
    : undefined;

/** What two parts say of one keyword; undefined if that cannot be said in one place. */
const mergedKeyword = (keyword: string, had: Json, has: Json, isOfObjects: boolean): Json | undefined => {
  if (OF_DOCUMENT.has(keyword) || sameJson(had, has)) return had;
  if (keyword === 'properties' && isObject(had) && isObject(has))
    return mergedMaps(had as JsonObject, has as JsonObject);
  if (keyword === 'required' && Array.isArray(had) && Array.isArray(has)) return [...new Set([...had, ...has])];
  if (keyword === 'description' && typeof had === 'string' && typeof has === 'string') return `${had}\n\n${has}`;
  // The title of a part is the name of its model.
  return keyword === 'title' && isOfObjects ? had : undefined;
};

/** Two parts that a value has to meet both, as one. */
const merged = (one: JsonObject, other: JsonObject): JsonObject | undefined => {
  if (!canStandTogether(one, other)) return undefined;
  const isOfObjects = hasAny(one, NAMED) || hasAny(other, NAMED);
  const whole: JsonObject = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const said = own(whole, keyword);
    const both = said === undefined ? value : mergedKeyword(keyword, said, value, isOfObjects);
    if (both === undefined) return undefined;
    whole[keyword] = both;
  }
  return whole;
};

const NULL: Json = { type: 'null' };
/** Keywords of a form that null would have to meet, too. */
const OF_ANY_TYPE = ['$ref', 'allOf', 'anyOf', 'const', 'else', 'enum', 'if', 'not', 'oneOf', 'then'];

/** The keyword of a union of one form with null, and that form. */
const withNull = (schema: JsonObject): { keyword: string; form: JsonObject } | undefined => {
  const keyword = ['anyOf', 'oneOf'].find((one) => Array.isArray(own(schema, one)));
  const forms = keyword === undefined ? [] : (own(schema, keyword) as Json[]);
  const [form, ...others] = forms.filter((one) => !sameJson(one, NULL));
  if (keyword === undefined || forms.length !== 2 || others.length > 0 || !isObject(form)) return undefined;
  const isOfOneType = typeof own(form, 'type') === 'string' && !hasAny(form as JsonObject, OF_ANY_TYPE);
  return isOfOneType && !Object.hasOwn(schema, 'type') ? { keyword, form: form as JsonObject } : undefined;
};

const flat = (schema: JsonObject, root: Json, depth = 0): JsonObject | undefined => {
  if (depth > DEEPEST) return undefined;
  const { $ref: reference, allOf = [], ...rest } = schema;
  const target = typeof reference === 'string' ? definitionBehind(reference, root) : undefined;
  if (!Array.isArray(allOf) || (reference !== undefined && target === undefined)) return undefined;
  const parts: Json[] = [...(target === undefined ? [] : [target]), ...allOf];
  const union = withNull(rest);
  let whole: JsonObject | undefined = rest;
  if (union !== undefined) {
    const { [union.keyword]: _forms, ...beside } = rest;
    whole = merged(beside, { ...union.form, type: [own(union.form, 'type') as string, 'null'].sort() });
  }
  for (const part of parts) {
    const one = isObject(part) ? flat(part as JsonObject, root, depth + 1) : undefined;
    whole = whole && one && merged(whole, one);
  }
  return whole;
};

/** By root and schema: findings about one and the same object are remembered. */
const known = new WeakMap<object, WeakMap<JsonObject, JsonObject>>();

const flattened = (schema: JsonObject, root: Json): JsonObject => {
  if (typeof root !== 'object' || root === null) return schema;
  const its = known.get(root) ?? new WeakMap<JsonObject, JsonObject>();
  known.set(root, its);
  const found = its.get(schema) ?? flat(schema, root) ?? schema;
  its.set(schema, found);
  return found;
};

/** Whether a schema is spread over several. A reference alone, or with words beside it, is opened in its place. */
const isSpread = (schema: JsonObject, root: Json): boolean =>
  Object.hasOwn(schema, 'allOf') ||
  (Object.hasOwn(schema, '$ref') && opened(schema, root).target === undefined) ||
  withNull(schema) !== undefined;

/** Two schemas in one shape: if only one of them is spread over several, it is written as one, where that is possible. */
export const inOneShape = (
  before: JsonObject,
  after: JsonObject,
  [old, now]: readonly [Json, Json],
): [JsonObject, JsonObject] => {
  const [was, is] = [isSpread(before, old), isSpread(after, now)];
  if (was === is) return [before, after];
  return was ? [flattened(before, old), after] : [before, flattened(after, now)];
};
