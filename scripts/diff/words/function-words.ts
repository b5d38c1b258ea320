// Words that only hold a sentence together, or say again what others say.

import { type TextPart, textBefore, textBehind } from './parts.ts';

/** Words that name a form: the word "format" behind them says nothing more. */
export const NAMES_FORM =
  /^(?:ascii|base64|csv|hex|hexadecimal|html|iso|json|markdown|tsv|xml|yaml|y{2,4}|m{2,4}|d{2}|h{2}|s{2,3})$/i;
/** Words whose number names a form as well: "RFC 3339". */
const OF_STANDARD = /^(?:iso|rfc)$/i;

/** Whether the word "format" follows the name of one: "JSON format". Alone, it asks for one. */
const isNamedFormat = ({ word, inValues }: TextPart, last = '', beforeLast = ''): boolean =>
  word === 'format' && !inValues && (NAMES_FORM.test(last) || (/^\d+$/.test(last) && OF_STANDARD.test(beforeLast)));

/** Whether a word in capitals is a name, in a text that has others: "IT addresses", "plan A". */
const isNameInCapitals = (part: TextPart): boolean =>
  part.text === part.text.toUpperCase() &&
  !/(?:^|[.!?:;("'\n])\s*$/.test(textBefore(part, 5)) &&
  /\p{Ll}{2}/u.test(part.whole);

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** Words that no article precedes: there, `a` is a name. */
const NOT_AFTER_ARTICLE: ReadonlySet<string> = new Set(['or', 'and', 'to', 'is']);

const isBeforeNoun = ({ isSpaced, next }: TextPart): boolean =>
  isSpaced && /^[`'"]?\p{L}{2}/u.test(next) && !NOT_AFTER_ARTICLE.has(next.toLowerCase());

const isArticle = (part: TextPart): boolean =>
  ARTICLES.has(part.word) && !part.inValues && !isNameInCapitals(part) && isBeforeNoun(part);

export const saysNothing = (part: TextPart, before: readonly { text: string }[], isParted: boolean): boolean =>
  isArticle(part) || (!isParted && isNamedFormat(part, before.at(-1)?.text, before.at(-2)?.text));

/** Of these, "for" says whose they are. */
const OF_WHICH = /^(?:ids?|identifiers?|names?|paths?|slugs?|titles?|ur[il]s?)$/i;

/** Whether a word is another one for "of": "the path to the file", "an identifier for the order". */
const isOf = ({ text, previous, next, inValues }: TextPart): boolean =>
  /^(?:for|to)$/.test(text) &&
  !inValues &&
  (text === 'to' ? /^(?:ids?|identifiers?|paths?|slugs?|ur[il]s?)$/i : OF_WHICH).test(previous) &&
  /^(?:the|an?|this|that|your|its)$/.test(next);

/** Whether "optional" says which things are meant: "removes optional packages". Elsewhere it is said of the parameter. */
const isOfThings = (part: TextPart, last: string | undefined): boolean =>
  part.word === 'optional' &&
  last !== undefined &&
  last !== '.' &&
  /^[^([{,;:.]$/.test(part.whole.slice(0, part.from).trimEnd().at(-1) ?? '(') &&
  /^ \w/.test(textBehind(part, 2));

/**
 * Words that only hold a sentence together, with the form in which they are compared. One may come or go, but none may take
 * another's place: "what you see" is not "what they see". Words that can reverse a meaning ("to" and
 * "from", "and" and "or", "by", "in", "for", "must"), and those that say whose something is, are not among them.
 */
const JOINING: ReadonlyMap<string, string> = new Map(
  `of which:that that who:that whose this these:this those it its:it is:be are:be be being:be been:be was were:was will
  would can you we they please also such here there optional`
    .split(/\s+/)
    .map((entry) => entry.split(':'))
    .map(([word = '', form = word]) => [word, form]),
);

export const isJoining = (word: string): boolean => JOINING.has(word);

/** The form in which a joining word is compared; undefined if the part is something else where it stands. */
export const joiningForm = (part: TextPart, before: readonly { text: string }[]): string | undefined => {
  if (before.length === 1 && isOf(part)) return 'of';
  const form = JOINING.get(part.word);
  if (form === undefined || part.inValues || isNameInCapitals(part)) return undefined;
  return isOfThings(part, before.at(-1)?.text) ? undefined : form;
};
