import { namedTypes } from '../check.ts';
import { typesOf } from '../facts.ts';
import type { Family } from './keyword.ts';

export const TYPES_AND_VALUES: Family = {
  /** Every type that the given values can have is allowed. */
  type: (given, _type, { schema }) => {
    const allowed = namedTypes(schema);
    return allowed !== null && [...typesOf(given)].every((type) => allowed.has(type));
  },
  // Values that are few were tried before this. Of all others nothing is known that would list them.
  enum: () => false,
  const: () => false,
};
