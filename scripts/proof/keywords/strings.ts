import type { Json } from '../../contract/types.ts';
import type { Conjunct } from '../conjuncts.ts';
import { isRefused, largest, operandsOf, smallest } from '../facts.ts';
import { holdsAll, type Language } from '../regular/language.ts';
import { about, limit, type Obligation } from './keyword.ts';

/** Characters beyond this are not counted: an automaton has a state for each one. */
const MOST_COUNTED = 256;

const leastOf = (given: Conjunct[]): number => Math.max(largest(given, 'minLength'), isRefused(given, '') ? 1 : 0);

/** The languages that contain every given text. */
const languagesOf = (given: Conjunct[]): Language[] => {
  const patterns = operandsOf(given, 'pattern').flatMap(({ operand }) =>
    typeof operand === 'string' ? [operand] : [],
  );
  const [least, most] = [Math.ceil(leastOf(given)), Math.floor(smallest(given, 'maxLength'))];
  const counted = { least: Math.min(least, MOST_COUNTED), most: most > MOST_COUNTED ? Number.POSITIVE_INFINITY : most };
  return [
    ...patterns.map((pattern) => ({ pattern })),
    ...(counted.least > 0 || Number.isFinite(counted.most) ? [counted] : []),
  ];
};

const hasPattern = (given: Conjunct[]): boolean => operandsOf(given, 'pattern').length > 0;

/** Longer lists are not compared with a pattern. */
const MOST_LISTED = 100;

/** Whether given patterns leave no text but the listed ones: "^(?:red|black)$". */
export const areListed = (given: Conjunct[], values: readonly Json[]): boolean => {
  const texts = values.filter((value): value is string => typeof value === 'string');
  if (texts.length === 0 || texts.length > MOST_LISTED || !hasPattern(given)) return false;
  const escaped = texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return holdsAll(languagesOf(given), { pattern: `^(?:${escaped.join('|')})$` });
};

/** Formats that take by their definitions all that another one takes: those of other scripts, and of relative addresses. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  email: ['idn-email'],
  hostname: ['idn-hostname'],
  uri: ['iri', 'uri-reference', 'iri-reference'],
  iri: ['iri-reference'],
  'uri-reference': ['iri-reference'],
};

/** Tells a form to hide what is typed, and takes every text (OpenAPI). */
const HIDDEN = 'password';

const isOfFormat: Obligation = (given, wanted) =>
  wanted === HIDDEN ||
  operandsOf(given, 'format').some(
    ({ operand }) =>
      operand === wanted ||
      (typeof operand === 'string' && Object.hasOwn(WIDER, operand) && WIDER[operand]?.includes(wanted as string)),
  );

/** Lengths and patterns are proven from given ones; a format of texts from the same one, or one within it. */
export const STRINGS = about(['string'], {
  minLength: limit(
    (given, least) =>
      leastOf(given) >= least ||
      (least <= MOST_COUNTED &&
        hasPattern(given) &&
        holdsAll(languagesOf(given), { least: Math.ceil(least), most: Number.POSITIVE_INFINITY })),
  ),
  maxLength: limit(
    (given, most) =>
      smallest(given, 'maxLength') <= most ||
      (most >= 0 &&
        most <= MOST_COUNTED &&
        hasPattern(given) &&
        holdsAll(languagesOf(given), { least: 0, most: Math.floor(most) })),
  ),
  pattern: (given, wanted) =>
    typeof wanted === 'string' &&
    (operandsOf(given, 'pattern').some(({ operand }) => operand === wanted) ||
      holdsAll(languagesOf(given), { pattern: wanted })),
  format: isOfFormat,
});
