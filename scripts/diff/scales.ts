// Numbers to which a moved bound or default can give another meaning. A 5 of 5 is not a 5 of 10; where pages count from 0 now,
// the old page 1 is the second one; and a timeout whose default went from 30 to 30000 counts milliseconds now.

import { type Json, type JsonObject, own } from '../contract/types.ts';
import { say } from '../text/shown.ts';
import { nameWords } from './name-words.ts';
import type { SchemaPair } from './types.ts';

/** The place of a number on a scale counts, not its size. */
const SCALES =
  /^(?:compression|confidence|contrast|difficulty|effort|gain|grade|hue|humidity|importance|intensity|level|likelihood|opacity|pain|percent|percentage|priority|probability|quality|rank|rating|ratio|relevance|risk|satisfaction|saturation|score|sensitivity|severity|similarity|speed|stars?|strength|threshold|urgency|volume|weight|zoom|(?!business|harness|thickness|witness)[a-z]+ness)$/;
/** With these, "level" says how deep or how much, and a 2 is the same 2 of any: "heading_level", "log_level". */
const DEGREES = /^(?:depth|headers?|headings?|indent(?:ation)?|isolation|log|logging|nesting|verbosity)$/;
/** A number says which one, and that depends on how the first one is counted. */
const PLACES =
  /^(?:block|cell|chapter|cols?|columns?|day|display|floor|frame|hour|idx|index|item|layer|line|monitor|month|nth|offset|page|paragraph|pos|position|row|section|sheet|slide|slot|step|tab|track|verse|weekday)$/;
/** With these words, a name is that of an amount: "page_size", "rating_count". */
const AMOUNTS =
  /^(?:amount|count|duration|gap|height|interval|length|margin|ms|padding|per|rate|seconds|size|spacing|span|timeout|tolerance|total|width)$/;
/** A bound of places is an amount, too: "max_page". One of a scale lies on the scale: "max_priority". */
const LIMITS = /^(?:limit|max|maximum|min|minimum)$/;
/** A share of 1 that goes up to less than that is no percentage, nor points. */
const LEAST_WHOLE = 5;

/** What a message says of a bound or a default after which numbers are in doubt. */
export const MAY_MEAN_OTHER = say` (the same number may mean something else now)`;

/** How much of a text is looked at, in characters. */
const LONGEST_BEGINNING = 200;

/** Whether a name or the beginning of a text says that its number lies on a scale. */
export const isScale = (text: string): boolean => {
  const words = nameWords(text.slice(0, LONGEST_BEGINNING)).slice(0, 4);
  return words.some((word) => SCALES.test(word)) && !words.some((word) => DEGREES.test(word));
};

const has = (name: string, words: RegExp): boolean => nameWords(name).some((word) => words.test(word));

/** What a parameter's numbers are of, as far as its name, its type and its words say. */
export interface Quantity {
  name: string;
  /** Whether it takes whole numbers alone: up to 1, these are a count or a switch. */
  isWhole: boolean;
  /** What describes it now. */
  text: string;
}

export const countedBy = ({ before, after, parameter }: SchemaPair): Quantity => ({
  name: parameter.findLast((step) => step !== '*') ?? '',
  isWhole: own(before, 'type') === 'integer',
  text: String(own(after, 'description') ?? ''),
});

const TIMES =
  /^(?:age|backoff|cooldown|debounce|delay|deadline|duration|expir(?:es|ation|y)|grace|interval|latency|lifetime|period|retention|sleep|timeout|ttl|uptime|wait|window)$/;
const SIZES = /^(?:cache|capacity|disk|filesize|memory|quota|size|storage)$/;
/** A size of these is no size in bytes: "page_size". */
const COUNTED = /^(?:batch|chunk|chunks|font|grid|group|page|pool|sample|step|team|window)$/;
const MONEY = /^(?:amount|balance|budget|cost|discount|fee|price|tax|tip|total)$/;
/** A number of these has no other unit, however much it grows. */
const COUNTS = /^(?:count|entries|items|limit|n|number|page|pages|per|records|results|rows|top|tokens)$/;
/** A name or words that tell the unit: only its change would be one, and that is seen in them. */
const UNITS =
  /^(?:bytes?|[kmgt]i?b|cents?|percent|days?|hours?|hrs?|m(?:illi)?s|m(?:illi)?secs?|milliseconds?|micros(?:econds?)?|mins|minutes?|months?|nanoseconds?|secs?|seconds?|weeks?|years?|(?:kilo|mega|giga|tera)bytes?)$/;
/** In words, these are something else: "the user's", "lets us". */
const SHORT_UNITS = /^(?:h|ns|s|us)$/;

const FACTORS_OF_TIME = [60, 1000, 3600, 60_000, 86_400, 3_600_000, 86_400_000, 1e6, 1e9];
const FACTORS_OF_SIZE = [1024, 1024 ** 2, 1024 ** 3, 1e6, 1e9];

/** A default or a bound, as it was and as it is. */
type MovedNumber = readonly [had: unknown, now: unknown];

/** How many of the one unit make one of the other; undefined if no whole number of them does. */
const factorOf = ([had, now]: MovedNumber): number | undefined => {
  if (typeof had !== 'number' || typeof now !== 'number') return undefined;
  const factor = Math.max(had / now, now / had);
  const whole = Math.round(factor);
  return whole > 1 && Math.abs(factor - whole) < 1e-6 * whole ? whole : undefined;
};

/**
 * Whether a default or a bound is likely to be the same as before, in another unit.
 * @param beside what else moved with it: by the same factor, the name need not say what is counted
 */
export const isOtherUnit = (
  [had, now]: MovedNumber,
  { name, text }: Quantity,
  beside: readonly MovedNumber[] = [],
): boolean => {
  const factor = factorOf([had, now]);
  const isTold = has(name, SHORT_UNITS) || [name, text].some((told) => has(told.slice(0, LONGEST_BEGINNING), UNITS));
  if (factor === undefined || isTold) return false;
  if (has(name, TIMES)) return FACTORS_OF_TIME.includes(factor);
  if (has(name, SIZES) && !has(name, COUNTED)) return FACTORS_OF_SIZE.includes(factor);
  if (factor === 100 && Math.min(Number(had), Number(now)) < 1) return true;
  const isOfUnit = factor === 100 ? has(name, MONEY) : [...FACTORS_OF_TIME, ...FACTORS_OF_SIZE].includes(factor);
  return isOfUnit && !has(name, COUNTS) && beside.some((other) => factorOf(other) === factor);
};

/** The keywords for a lower and an upper bound, and the step from a bound that is excluded to one of whole numbers. */
export const BOUNDS = [
  { including: 'minimum', excluding: 'exclusiveMinimum', step: 1 },
  { including: 'maximum', excluding: 'exclusiveMaximum', step: -1 },
] as const;
const isWhole = (schema: JsonObject): boolean =>
  [own(schema, 'type')].flat().every((type) => type === 'integer' || type === 'null');

/** The bound of a value, whichever keyword has it. */
export const boundOf = (
  schema: JsonObject,
  { including, excluding, step }: (typeof BOUNDS)[number],
): Json | undefined => {
  const [at, beyond] = [own(schema, including), own(schema, excluding)];
  return at === undefined && typeof beyond === 'number' ? beyond + (isWhole(schema) ? step : 0) : at;
};

/** Whether a name says that a number is an amount, or a limit: it does not matter where counting begins. */
export const isAmount = (name: string): boolean => [AMOUNTS, LIMITS, COUNTS, TIMES].some((words) => has(name, words));

/** Whether a number is likely to mean something else since a bound moved. */
export const isOtherScale = (keyword: string, had: unknown, now: unknown, of: Quantity): boolean => {
  if (typeof had !== 'number' || typeof now !== 'number') return false;
  // Longer times are allowed more often than hours become minutes.
  if (Math.max(had / now, now / had) >= 1000 && isOtherUnit([had, now], of)) return true;
  const [less, more] = had < now ? [had, now] : [now, had];
  if (keyword === 'minimum')
    return less === 0 && more === 1 && has(of.name, PLACES) && !has(of.name, AMOUNTS) && !has(of.name, LIMITS);
  const isOnScale = isScale(of.name) && !has(of.name, AMOUNTS);
  return isOnScale || (less === 1 && more >= LEAST_WHOLE && !of.isWhole);
};
