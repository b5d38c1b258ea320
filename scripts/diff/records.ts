// Maps: libraries write what values of any name are by a pattern that all names match, or by `additionalProperties`.
import { entriesAt, isEveryName } from '../contract/other-names.ts';
import { rewritten } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { isAnything } from './plain-limits.ts';

/** How a schema writes what values of any name are, at all its places. */
const everyNameIn = (root: Json): string[] => {
  const found: string[] = [];
  rewritten(root, (schema) => {
    found.push(...entriesAt(schema, 'patternProperties').flatMap(([pattern]) => (isEveryName(pattern) ? pattern : [])));
    if (isObject(own(schema, 'additionalProperties'))) found.push('additionalProperties');
    return schema;
  });
  return found.sort();
};

/** A map whose only pattern is for any name, with `additionalProperties` in its place: the pattern leaves no others. */
const inPlainWords = (schema: JsonObject): JsonObject => {
  const [[pattern, every] = [], ...more] = entriesAt(schema, 'patternProperties');
  if (pattern === undefined || every === undefined || more.length > 0 || !isEveryName(pattern)) return schema;
  // A pattern is about the properties that are listed, too.
  if (entriesAt(schema, 'properties').length > 0) return { ...schema, patternProperties: { '^.*$': every } };
  const { patternProperties: _pattern, additionalProperties: _none, ...others } = schema;
  return isAnything(every) ? others : { ...others, additionalProperties: every };
};

const refersInto = (root: Json): boolean => {
  let found = false;
  rewritten(root, (schema) => {
    found ||= String(own(schema, '$ref') ?? '').includes('/patternProperties/');
    return schema;
  });
  return found;
};

/** Two schemas with their maps in one form, if they write these in different ones. */
export const withRecordsAlike = (before: Json, after: Json): [Json, Json] => {
  const [had, has] = [everyNameIn(before), everyNameIn(after)];
  const isSame = had.length === has.length && had.every((pattern, at) => pattern === has[at]);
  // Names that became fewer are told by their patterns.
  if (isSame || had.length === 0 || has.length === 0 || refersInto(before) || refersInto(after)) return [before, after];
  return [rewritten(before, inPlainWords), rewritten(after, inPlainWords)];
};
