// Parts of a schema that came where anything was taken before, and only limit what is taken.
import { LIMIT_KEYWORDS } from '../contract/meaning.ts';
import { entriesAt, everyName, isEveryName, listsNames } from '../contract/other-names.ts';
import { excludesType } from '../contract/readable.ts';
import { sameJson } from '../contract/same.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import type { SchemaPair } from './types.ts';

/** Takes every value and says nothing of it: `true` and `{}`. */
export const isAnything = (schema: Json | undefined): boolean =>
  schema === true || (isObject(schema) && Object.keys(schema).length === 0);

/** What a validator checks wholly: no formats, as a text may have two of them. */
const CHECKED: ReadonlySet<string> = new Set([
  ...LIMIT_KEYWORDS.filter((keyword) => keyword.startsWith('min') || keyword.startsWith('max')),
  ...['const', 'dependentRequired', 'enum', 'pattern', 'required', 'type', 'uniqueItems'],
]);
const HOLDS_ONE: ReadonlySet<string> = new Set(['additionalProperties', 'contains', 'items', 'not', 'propertyNames']);
const HOLDS_LIST: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);

/** Bounds tell what a number counts: a share or a percentage. */
const tellsOfScale = (keyword: string, value: Json): boolean =>
  keyword === 'maximum' || (keyword === 'minimum' && value !== 0);

/**
 * Whether a schema only limits what it takes, and a value that it takes means what it meant: it has no words, no fields, no
 * format, and nothing that is not checked.
 */
const onlyLimits = (schema: Json): boolean =>
  typeof schema === 'boolean' ||
  (isObject(schema) &&
    Object.entries(schema as JsonObject).every(([keyword, value]) => {
      if (HOLDS_ONE.has(keyword)) return onlyLimits(value);
      if (HOLDS_LIST.has(keyword)) return Array.isArray(value) && value.every(onlyLimits);
      return CHECKED.has(keyword) && !tellsOfScale(keyword, value);
    }));

const has = (schema: JsonObject, ...keywords: string[]): boolean =>
  keywords.some((keyword) => Object.hasOwn(schema, keyword));

/** Whether a place is about elements that no list of first ones precedes. */
const isOfAllElements = (schema: JsonObject): boolean =>
  !has(schema, 'prefixItems', 'additionalItems', 'unevaluatedItems') && !excludesType(schema, 'array');

/** Whether an object said nothing about the names or values in it. */
const isMapOfAnything = (before: JsonObject): boolean =>
  !listsNames(before) && !has(before, 'properties', 'patternProperties', 'unevaluatedProperties');

/**
 * Whether nothing was said of all members of a list or map, and now they are limited: they are compared at their place.
 * @param isRoot it is about the arguments as a whole: no map
 */
export const areMembersLimited = (pair: SchemaPair, keyword: string, isRoot = pair.parameter.length === 0): boolean => {
  if (keyword !== 'items' && keyword !== 'additionalProperties') return false;
  const { before, after } = pair;
  const [had, now] = [own(before, keyword), own(after, keyword)];
  if ((had !== undefined && !isAnything(had)) || !isObject(now) || !onlyLimits(now as Json)) return false;
  if (keyword === 'items') return isOfAllElements(before) && isOfAllElements(after);
  return !isRoot && isMapOfAnything(before) && !has(after, 'properties', 'patternProperties', 'unevaluatedProperties');
};

/** Whether the elements of a list may be anything, in whichever words. */
export const isAnyElement = ({ before, after }: SchemaPair): boolean =>
  [before, after].every((schema) => {
    const items = own(schema, 'items');
    return (items === undefined || isAnything(items)) && isOfAllElements(schema);
  });

/** What a map without patterns for some names takes under any name. */
const valuesOf = (schema: JsonObject): Json | undefined => {
  const others = has(schema, 'patternProperties') ? undefined : own(schema, 'additionalProperties');
  return everyName(schema) ?? (isObject(others) ? (others as Json) : undefined);
};

/** Whether a map that took any name takes only some, and the same values under them. */
export const areNamesLimited = ({ before, after }: SchemaPair): boolean => {
  const every = valuesOf(before);
  const now = entriesAt(after, 'patternProperties');
  if (every === undefined || now.length === 0 || has(before, 'properties') || has(after, 'properties')) return false;
  const others = own(after, 'additionalProperties');
  return (
    (others === undefined || others === false) &&
    now.every(([name, schema]) => !isEveryName(name) && sameJson(schema, every))
  );
};

/** Whether a keyword came, or narrowed, that only limits the value as a whole. */
export const isLimitedBy = (pair: SchemaPair, keyword: string): boolean => {
  if (keyword === 'patternProperties') return areNamesLimited(pair);
  const [had, now] = [own(pair.before, keyword), own(pair.after, keyword)];
  if (had !== undefined || !isObject(now) || !onlyLimits(now as Json)) return false;
  return keyword === 'not' || (keyword === 'contains' && [pair.before, pair.after].every(isOfAllElements));
};
