import type { Json, JsonObject } from '../contract/types.ts';

const made = new WeakMap<object, Map<string, JsonObject>>();

/**
 * A schema that is made from another one. Returns the same object each time, because results are cached by object.
 * @param name says what is made; unique among all that is made from the same schema
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

/** The objects that have a property. Other values meet `required`, too. @param from what asks for the property */
export const objectsWith = (from: JsonObject, name: string): JsonObject =>
  derived(from, `has ${name}`, () => ({ type: 'object', required: [name] }));

/** The negation of a schema's `if`: the values for which `else` applies satisfy it. */
export const unless = (schema: JsonObject): JsonObject => derived(schema, 'unless', () => ({ not: schema.if as Json }));
