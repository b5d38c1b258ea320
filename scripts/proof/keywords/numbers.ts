import { lowerBound, operandsOf, typesOf, upperBound } from '../facts.ts';
import { about, limit } from './keyword.ts';

/** Bounds are proven from the given bounds, which are rounded to whole numbers if only those are possible. */
export const NUMBERS = about(['integer', 'fraction'], {
  minimum: limit((given, least) => lowerBound(given).at >= least),
  maximum: limit((given, most) => upperBound(given).at <= most),
  exclusiveMinimum: limit((given, below) => {
    const { at, open } = lowerBound(given);
    return at > below || (at === below && open);
  }),
  exclusiveMaximum: limit((given, above) => {
    const { at, open } = upperBound(given);
    return at < above || (at === above && open);
  }),
  /** Holds if a given step is a multiple of this one. Whole steps only: for fractions, validators differ in rounding. */
  multipleOf: limit(
    (given, step) =>
      (step === 1 && !typesOf(given).has('fraction')) ||
      operandsOf(given, 'multipleOf').some(
        ({ operand }) =>
          operand === step || (Number.isInteger(step) && Number.isInteger(operand) && (operand as number) % step === 0),
      ),
  ),
});
