import { operandsOf } from '../facts.ts';
import { ARRAYS } from './arrays.ts';
import { COMBINATORS } from './combinators.ts';
import { DEPENDENCIES } from './dependencies.ts';
import type { Obligation } from './keyword.ts';
import { NUMBERS } from './numbers.ts';
import { OBJECTS } from './objects.ts';
import { STRINGS } from './strings.ts';
import { TYPES_AND_VALUES } from './types.ts';

/** A format restricts texts, or numbers. */
const format: Obligation = (...claim) => [STRINGS, NUMBERS].every((family) => (family.format as Obligation)(...claim));

/** Beside a list of names, `true` stands in a parameter that has to be given: no schema allows it, and people write it. */
const required: Obligation = (given, operand, ...rest) =>
  typeof operand === 'boolean'
    ? !operand || operandsOf(given, 'required').some((one) => one.operand === true)
    : (OBJECTS.required as Obligation)(given, operand, ...rest);

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
    format,
    required,
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
