import { namedTypes } from '../check.ts';
import type { Conjunct } from '../conjuncts.ts';
import { typesOf } from '../facts.ts';
import type { Family } from './keyword.ts';
import { areListed } from './strings.ts';

const isText = (given: Conjunct[]): boolean => [...typesOf(given)].every((type) => type === 'string');

export const TYPES_AND_VALUES: Family = {
  /** Holds if every type that the given values can have is allowed. */
  type: (given, _type, { schema }) => {
    const allowed = namedTypes(schema);
    return allowed !== null && [...typesOf(given)].every((type) => allowed.has(type));
  },
  // Listed values were tried one by one earlier. Without a given list, only a pattern of texts proves a list.
  enum: (given, values) => Array.isArray(values) && isText(given) && areListed(given, values),
  const: (given, value) => isText(given) && areListed(given, [value]),
};
