import { isObject, type Json, type JsonObject, own } from './types.ts';

/** Patterns that every name matches. */
const EVERY_NAME: ReadonlySet<string> = new Set(
  ['', '.*', '(.*)', '(?:.*)', '[\\s\\S]*'].flatMap((all) => [all, `^${all}`, `${all}$`, `^${all}$`]),
);

/** Whether every name matches a pattern, as libraries write it for a map. */
export const isEveryName = (pattern: string): boolean => EVERY_NAME.has(pattern);

/** The schemas that a keyword holds, by their names. */
export const entriesAt = (schema: JsonObject, keyword: string): [string, Json][] => {
  const value = own(schema, keyword);
  return isObject(value) ? Object.entries(value as JsonObject) : [];
};

/** What a schema says of a property of any name by a pattern that all names match; undefined if it has no such pattern. */
export const everyName = (schema: JsonObject): Json | undefined =>
  entriesAt(schema, 'patternProperties').find(([pattern]) => isEveryName(pattern))?.[1];

/** Whether a schema plainly accepts nothing. */
export const takesNothing = (schema: Json | undefined): boolean => {
  if (schema === false) return true;
  const negated = own(schema, 'not');
  return negated === true || (isObject(negated) && Object.keys(negated).length === 0);
};

/** Whether a schema plainly accepts every text. */
const takesEveryText = (schema: Json): boolean =>
  schema === true ||
  (isObject(schema) &&
    Object.entries(schema as JsonObject).every(
      ([keyword, value]) => (keyword === 'type' && value === 'string') || ['title', 'description'].includes(keyword),
    ));

/** Whether a schema says which names the properties of an object can have: some of them, or names of some form. */
export const listsNames = (schema: JsonObject): boolean => {
  const names = own(schema, 'propertyNames');
  const saysOfOthers = ['additionalProperties', 'unevaluatedProperties'].some((keyword) =>
    Object.hasOwn(schema, keyword),
  );
  return (
    // An empty list says that there are none, unless other keywords mention more.
    (isObject(own(schema, 'properties')) && !saysOfOthers) ||
    entriesAt(schema, 'properties').length > 0 ||
    entriesAt(schema, 'patternProperties').some(([pattern]) => !isEveryName(pattern)) ||
    (names !== undefined && !takesEveryText(names))
  );
};

/**
 * What a schema says about a property whose name it does not list: `true` if it may be anything, `false` if there is none.
 * The only place that answers this, whatever keywords a schema uses; ignores references and branches.
 */
export const ofOtherNames = (schema: JsonObject): Json => {
  const rest = everyName(schema) ?? own(schema, 'additionalProperties') ?? own(schema, 'unevaluatedProperties') ?? true;
  if (takesNothing(rest)) return false;
  return isObject(rest) && Object.keys(rest).length === 0 ? true : rest;
};

/** Whether a schema takes an object with properties of any name, and so says about none what it means. */
export const takesAnyName = (schema: JsonObject): boolean => !listsNames(schema) && ofOtherNames(schema) !== false;
