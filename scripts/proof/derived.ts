import type { Json, JsonObject } from '../contract/types.ts';

const made = new WeakMap<object, Map<string, JsonObject>>();

/**
 * A schema that is made from another one, the same object each time: results are remembered for objects.
 * @param name what is made from it, in a word that nothing else made from it has
 */
export const derived = (from: JsonObject, name: string, make: () => JsonObject): JsonObject => {
  const known = made.get(from) ?? new Map<string, JsonObject>();
  made.set(from, known);
  const schema = known.get(name) ?? make();
  known.set(name, schema);
  return schema;
};

/** A schema without some of its keywords. */
export const without = (schema: JsonObject, ...keywords: string[]): JsonObject =>
  derived(schema, `-${keywords.join()}`, () =>
    Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword))),
  );

/** What a value satisfies where the `if` of a schema does not hold. */
export const unless = (schema: JsonObject): JsonObject => derived(schema, 'unless', () => ({ not: schema.if as Json }));
