import { propertiesOf, requiredOf } from '../contract/object-schema.ts';
import { targetOf } from '../contract/references.ts';
import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';

const UNIONS = ['oneOf', 'anyOf'];
/** How many references are followed: a circular one would not end. */
const MOST_STEPS = 16;

/** The conjunction of two schemas. Of keywords that cannot be combined, the second's is kept; a validator checks later. */
export const merge = (one: JsonObject, other: JsonObject): JsonObject => {
  const required = [...new Set([one, other].flatMap(requiredOf))];
  const properties = Object.fromEntries([one, other].flatMap((schema) => Object.entries(propertiesOf(schema))));
  return {
    ...one,
    ...other,
    ...(required.length === 0 ? {} : { required }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
};

/** A schema with its references and `allOf` merged into it, but not those of its properties; unions stay. */
export const flatten = (schema: Json | undefined, root: Json, steps = 0): JsonObject => {
  if (!isObject(schema) || steps > MOST_STEPS) return {};
  const { $ref, allOf, ...rest } = schema as JsonObject;
  const parts = [
    ...(typeof $ref === 'string' ? [targetOf($ref, root) ?? {}] : []),
    ...(Array.isArray(allOf) ? allOf : []),
  ];
  return [...parts.map((part) => flatten(part, root, steps + 1)), rest].reduce(merge, {});
};

/** The branches of a union, flattened; empty if there is no union. */
export const branchesOf = (schema: JsonObject, root: Json): JsonObject[] => {
  const found = UNIONS.map((key) => own(schema, key)).find((list): list is Json[] => Array.isArray(list));
  return found !== undefined && found.length > 1 ? found.map((branch) => flatten(branch, root)) : [];
};
