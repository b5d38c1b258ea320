// Lists of values that are written in several ways: "pdf or csv" and "one of pdf, csv".

const QUOTED = String.raw`(?:\x60[^\x60\s]{1,40}\x60|"[^"\s]{1,40}"|'[^'\s]{1,40}')`;
const VALUE = String.raw`(?:${QUOTED}|[\w-]{1,40})`;
/** The end of what is said. */
const END = String.raw`(?=\.?\)?\.?\s{0,9}$|[.)]\s)`;

/** Where "one of" may be left out. */
const CHOICES = new RegExp(String.raw`(?<=: |\()(?=(?:${VALUE}, ){0,20}${VALUE},? or ${VALUE}${END})`, 'g');
/** "1 = high" in a list. */
const MEANINGS = /(?<=[:,;] |\()(-?\d{1,4}) ?= ?(?=[a-z]{2,30}(?:[,;)]|\s{0,9}$))/gi;
/** Behind a pause, quoted values are examples: ", like 'de' or 'fr'". */
const LIKE = new RegExp(String.raw`(?:, | \()like ((?:${QUOTED}, ){0,20}${QUOTED}(?:,? or ${QUOTED})?)\)?${END}`, 'g');

/** A text with its lists as another one has them. */
export const listed = (text: string, other: string): string => {
  const examples = text.replace(/[“”]/g, '"').replace(LIKE, ' (e.g. $1)');
  const meanings = other.includes('=') ? examples : examples.replace(MEANINGS, '$1 ');
  return /\bone of\b/.test(other) && !/\b(?:either|one of)\b/.test(text)
    ? meanings.replace(CHOICES, 'one of ')
    : meanings;
};
