// A list by position, which drafts up to 2019-09 write as `items: [first, second]`, and 2020-12 as `prefixItems`.
import { type JsonObject, own } from '../contract/types.ts';

const LATER = 'prefixItems';

const hasList = (schema: JsonObject, keyword: string): boolean => Array.isArray(own(schema, keyword));

const isOld = (schema: JsonObject): boolean => hasList(schema, 'items') && !Object.hasOwn(schema, LATER);

const isLater = (schema: JsonObject): boolean => hasList(schema, LATER) && !hasList(schema, 'items');

/** By the schema as it stands: a place in a shared definition is known by its schema, as one and the same object. */
const known = new WeakMap<JsonObject, JsonObject>();

const inLaterForm = (schema: JsonObject): JsonObject => {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const { items: first, additionalItems: others, ...rest } = schema;
  const later: JsonObject = {
    ...rest,
    [LATER]: first as JsonObject,
    ...(others === undefined ? {} : { items: others }),
  };
  known.set(schema, later);
  return later;
};

/** Two schemas with their elements by position in one form, if each has another one. What a dialect ignores is gone here. */
export const withTuplesAlike = (before: JsonObject, after: JsonObject): [JsonObject, JsonObject] => {
  if (isOld(before) && isLater(after)) return [inLaterForm(before), after];
  return isLater(before) && isOld(after) ? [before, inLaterForm(after)] : [before, after];
};
