// Whether a text tells the parameter that it is said of from others.
import { kindOf } from './kinds.ts';
import { isEnglish } from './language.ts';

/** Words that are said of any value. */
const OF_ANY = new Set(
  `a an and any are array as at be boolean by data date datetime field flag for from given in is it its list mm number of on
  optional or parameter string text that the this time to type value values with yyyy dd`.split(/\s+/),
);
/** How a value is written does not say what it is. */
const OF_FORM: ReadonlySet<string | undefined> = new Set(['identifier', 'format', 'number', 'unit', 'default', 'duty']);

/** With fewer, the same is said of several: "User ID", "Label names", "Timeout in seconds". */
const LEAST_WORDS = 2;
/** In other languages we do not know which words are said of any value. */
const LEAST_FOREIGN_WORDS = 4;
/** Where no space parts words, three characters count as one. */
const FOREIGN_WORD = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}]{3}|\p{L}+/gu;

/** What a text is about, its beginning says. */
export const MOST_READ = 500;

export const tellsApart = (whole: string): boolean => {
  const text = whole.slice(0, MOST_READ);
  if (!isEnglish(text)) return new Set(text.match(FOREIGN_WORD)).size >= LEAST_FOREIGN_WORDS;
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  return (
    [...words].filter((word) => !OF_ANY.has(word) && !OF_FORM.has(kindOf({ text: '', word }))).length >= LEAST_WORDS
  );
};
