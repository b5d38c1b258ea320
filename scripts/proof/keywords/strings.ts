import { largest, operandsOf, smallest } from '../facts.ts';
import { about, limit, type Obligation } from './keyword.ts';

/** The same is given: no pattern or format is proven from another one. */
const isGiven =
  (keyword: string): Obligation =>
  (given, wanted) =>
    operandsOf(given, keyword).some(({ operand }) => operand === wanted);

/** Lengths are proven from given lengths, patterns and formats from the same ones. */
export const STRINGS = about(['string'], {
  minLength: limit((given, least) => largest(given, 'minLength') >= least),
  maxLength: limit((given, most) => smallest(given, 'maxLength') <= most),
  pattern: isGiven('pattern'),
  format: isGiven('format'),
});
