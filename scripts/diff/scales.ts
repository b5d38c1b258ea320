// Numbers to which a wider bound can give another meaning. It accepts all that it accepted, but a 5 of 5 is not a 5 of 10, and
// where pages count from 0 now, the old page 1 is the second one.

import { nameWords } from './name-words.ts';

/** The place of a number on a scale counts, not its size. */
const SCALES =
  /^(?:confidence|contrast|difficulty|grade|humidity|importance|intensity|level|likelihood|opacity|pain|percent|percentage|priority|probability|quality|rating|ratio|relevance|risk|satisfaction|saturation|score|sensitivity|severity|similarity|stars?|urgency|volume|(?!business|harness|thickness|witness)[a-z]+ness)$/;
/** A number says which one, and that depends on how the first one is counted. */
const PLACES = /^(?:cols?|columns?|day|idx|index|line|month|offset|page|pos|position|row|weekday)$/;
/** A share of 1 that goes up to less than that is no percentage, nor points. */
const LEAST_WHOLE = 5;

/** How much of a text is looked at, in characters. */
const LONGEST_BEGINNING = 200;

/** Whether a name or the beginning of a text says that its number lies on a scale. */
export const isScale = (text: string): boolean =>
  nameWords(text.slice(0, LONGEST_BEGINNING))
    .slice(0, 4)
    .some((word) => SCALES.test(word));

/**
 * Whether a number is likely to mean something else since a bound moved outwards.
 * @param of the parameter's name, and whether it takes whole numbers alone: up to 1, these are a count or a switch
 */
export const isOtherScale = (
  keyword: string,
  had: unknown,
  has: unknown,
  of: { name: string; isWhole: boolean },
): boolean => {
  if (typeof had !== 'number' || typeof has !== 'number') return false;
  if (keyword === 'minimum') return had === 1 && has === 0 && nameWords(of.name).some((word) => PLACES.test(word));
  if (keyword !== 'maximum' && keyword !== 'exclusiveMaximum') return false;
  return has > had && (isScale(of.name) || (had === 1 && has >= LEAST_WHOLE && !of.isWhole));
};
