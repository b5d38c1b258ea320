import { largest, operandsOf, smallest } from '../facts.ts';
import { about, limit, type Obligation } from './keyword.ts';

/** Holds if the same is given: no pattern or format is proven from a different one. */
const isGiven =
  (keyword: string): Obligation =>
  (given, wanted) =>
    operandsOf(given, keyword).some(({ operand }) => operand === wanted);

/** Lengths are proven from given lengths. */
export const STRINGS = about(['string'], {
  minLength: limit((given, least) => largest(given, 'minLength') >= least),
  maxLength: limit((given, most) => smallest(given, 'maxLength') <= most),
  pattern: isGiven('pattern'),
  format: isGiven('format'),
});
