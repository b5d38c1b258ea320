import { namedTypes } from '../check.ts';
import { typesOf } from '../facts.ts';
import type { Family } from './keyword.ts';

export const TYPES_AND_VALUES: Family = {
  /** Holds if every type that the given values can have is allowed. */
  type: (given, _type, { schema }) => {
    const allowed = namedTypes(schema);
    return allowed !== null && [...typesOf(given)].every((type) => allowed.has(type));
  },
  // Listed values were tried one by one earlier. Without a given list, nothing proves a list.
  enum: () => false,
  const: () => false,
};
