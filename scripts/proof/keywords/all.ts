import { ARRAYS } from './arrays.ts';
import { COMBINATORS } from './combinators.ts';
import { DEPENDENCIES } from './dependencies.ts';
import type { Obligation } from './keyword.ts';
import { NUMBERS } from './numbers.ts';
import { OBJECTS } from './objects.ts';
import { STRINGS } from './strings.ts';
import { TYPES_AND_VALUES } from './types.ts';

/**
 * What must be proven for each keyword of a claim. Not included: annotations, which do not restrict values; `allOf` and
 * `$ref`, which are expanded earlier; and keywords that are read together with another one (`then`, `minContains`).
 */
export const OBLIGATIONS: ReadonlyMap<string, Obligation> = new Map(
  Object.entries({
    ...TYPES_AND_VALUES,
    ...NUMBERS,
    ...STRINGS,
    ...ARRAYS,
    ...OBJECTS,
    ...DEPENDENCIES,
    ...COMBINATORS,
  }),
);

/** Keywords that are proven without further claims. */
export const SHALLOW: ReadonlySet<string> = new Set([
  ...Object.keys({ ...TYPES_AND_VALUES, ...NUMBERS, ...STRINGS }),
  'maxItems',
  'maxProperties',
  'minItems',
  'minProperties',
  'required',
  'uniqueItems',
]);
