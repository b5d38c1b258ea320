import { isObject, type Json, type JsonObject, own } from './types.ts';

/** The properties that an object's schema lists. */
export const propertiesOf = (schema: Json | undefined): JsonObject => {
  const properties = own(schema, 'properties');
  return isObject(properties) ? (properties as JsonObject) : {};
};

/** The names that an object's schema requires. */
export const requiredOf = (schema: Json | undefined): string[] => {
  const required = own(schema, 'required');
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
};
