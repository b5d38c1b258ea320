// Numbers to which a wider bound can give another meaning. It accepts all that it accepted, but a 5 of 5 is not a 5 of 10, and
// where pages count from 0 now, the old page 1 is the second one.

import { nameWords } from './name-words.ts';

/** The place of a number on a scale counts, not its size. */
const SCALES =
  /^(?:compression|confidence|contrast|difficulty|effort|gain|grade|hue|humidity|importance|intensity|level|likelihood|opacity|pain|percent|percentage|priority|probability|quality|rank|rating|ratio|relevance|risk|satisfaction|saturation|score|sensitivity|severity|similarity|speed|stars?|strength|threshold|urgency|volume|weight|zoom|(?!business|harness|thickness|witness)[a-z]+ness)$/;
/** A number says which one, and that depends on how the first one is counted. */
const PLACES =
  /^(?:block|cell|chapter|cols?|columns?|day|display|floor|frame|hour|idx|index|item|layer|line|monitor|month|nth|offset|page|paragraph|pos|position|row|section|sheet|slide|slot|step|tab|track|verse|weekday)$/;
/** With these words, a name is that of an amount: "page_size", "rating_count". */
const AMOUNTS =
  /^(?:amount|count|duration|gap|height|interval|length|margin|ms|padding|per|rate|seconds|size|spacing|span|timeout|tolerance|total|width)$/;
/** A bound of places is an amount, too: "max_page". One of a scale lies on the scale: "max_priority". */
const BOUNDS = /^(?:limit|max|maximum|min|minimum)$/;
/** A share of 1 that goes up to less than that is no percentage, nor points. */
const LEAST_WHOLE = 5;

/** How much of a text is looked at, in characters. */
const LONGEST_BEGINNING = 200;

/** Whether a name or the beginning of a text says that its number lies on a scale. */
export const isScale = (text: string): boolean =>
  nameWords(text.slice(0, LONGEST_BEGINNING))
    .slice(0, 4)
    .some((word) => SCALES.test(word));

const has = (name: string, words: RegExp): boolean => nameWords(name).some((word) => words.test(word));

/**
 * Whether a number is likely to mean something else since a bound moved outwards.
 * @param of the parameter's name, and whether it takes whole numbers alone: up to 1, these are a count or a switch
 */
export const isOtherScale = (
  keyword: string,
  had: unknown,
  now: unknown,
  of: { name: string; isWhole: boolean },
): boolean => {
  if (typeof had !== 'number' || typeof now !== 'number') return false;
  if (keyword === 'minimum')
    return had === 1 && now === 0 && has(of.name, PLACES) && !has(of.name, AMOUNTS) && !has(of.name, BOUNDS);
  if (keyword !== 'maximum') return false;
  const isOnScale = isScale(of.name) && !has(of.name, AMOUNTS);
  return now > had && (isOnScale || (had === 1 && now >= LEAST_WHOLE && !of.isWhole));
};
