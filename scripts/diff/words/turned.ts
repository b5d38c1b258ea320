// Whether what a switch does while it is off became the opposite: "Overwrite the file" and "Keep the file".
import { areComplements, stem } from './opposites.ts';
import { wordsOf } from './tokens.ts';

/** What is not done instead, or what happens otherwise. */
const OTHERWISE =
  /\b(?:instead of|rather than|as opposed to|otherwise|else|unless|(?:if|when) (?:it is )?(?:not|false|off|disabled))\b([^.;\n]*)/gi;
const NEGATION = /^(?:cannot|never|no|non|not|without)$/;
/** Words that only say that it is a switch. */
const OF_SWITCH =
  /^(?:also|do(?:es)?|enables?|flag|if|includes?|included|just|only|or|set|shall|should|to|true|when|whether|will|with)$/;

/** Longer edits are rewordings, in words that came or went. */
const LONG_EDIT = 12;

interface SaidOfSwitch {
  /** Each word by its stem. */
  words: ReadonlyMap<string, string>;
  /** What it is said of, without words that turn it or only frame it. */
  about: string;
  isNegated: boolean;
}

const saidIn = (text: string): SaidOfSwitch => {
  const words = wordsOf(text)
    .tokens.map(({ word }) => word)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  const about = words.filter((word) => !NEGATION.test(word) && !OF_SWITCH.test(word)).map(stem);
  return {
    words: new Map(words.map((word) => [stem(word), word])),
    about: [...new Set(about)].sort().join(' '),
    isNegated: words.filter((word) => NEGATION.test(word)).length % 2 === 1,
  };
};

/** The words of one text that the other one lacks. */
const without = (words: SaidOfSwitch['words'], others: SaidOfSwitch['words']): string[] =>
  [...words].flatMap(([form, word]) => (others.has(form) ? [] : [word]));

/** Whether what is done and what is done otherwise changed places: "A instead of B", and "B instead of A". */
const isSwapped = (lost: readonly string[], came: readonly string[], old: string, now: string): boolean => {
  const [had, has] = [old, now].map((text) => saidIn([...text.matchAll(OTHERWISE)].map(([, tail]) => tail).join(' ')));
  const isWithin = (words: readonly string[], said?: SaidOfSwitch): boolean =>
    words.length > 0 && words.every((word) => said?.words.has(stem(word)));
  return isWithin(lost, has) && isWithin(came, had);
};

/** Whether a switch that is off means the opposite now, by what is said of it. */
export const isTurned = (old: string, now: string): boolean => {
  const [had, has] = [saidIn(old.replace(OTHERWISE, '')), saidIn(now.replace(OTHERWISE, ''))];
  const [lost, came] = [without(had.words, has.words), without(has.words, had.words)];
  if (lost.length + came.length > LONG_EDIT) return false;
  const isSameSign = had.isNegated === has.isNegated;
  if (lost.some((one) => came.some((other) => areComplements(one, other)))) return isSameSign;
  if (!isSameSign) return had.about === has.about;
  return isSwapped(lost, came, old, now);
};
