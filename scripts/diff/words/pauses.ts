// Marks that say nothing themselves: they part what stands before them from what stands behind them.

import { type TextPart, textBefore, textBehind } from './parts.ts';

/** Marks that only part words, where a space or the end follows them. */
const PAUSE = /^[.,;:!?'"()]$/;
/** Pauses that part a word from the one before. */
const PARTS = /^[-.,;:!?()]$/;
/** Marks that mean nothing next to a word. */
const NEVER = /^['"`•_]$/;
/** Words behind which a mark is spoken of. */
const NAMES_MARK =
  /^(?:[:(,]|by|with|at|on|as|is|are|or|and|uses?|using|characters?|signs?|symbols?|separators?|delimiters?|prefix|suffix)$/i;
/** Words before which a mark is spoken of. */
const MARK_DOES = /^\s+(?:is|are|means?|stands|matches)\b/;

/** Whether a dash between spaces parts words, and is not a mark that is spoken of, or a sign of a number. */
const isDash = (part: TextPart): boolean => {
  const { previous } = part;
  if (previous === '' || /^\d/.test(previous) || NAMES_MARK.test(previous) || /\n[ \t]*$/.test(textBefore(part, 20)))
    return false;
  const behind = textBehind(part, 19);
  return /^\s+[^\s\d]/.test(behind) && !MARK_DOES.test(behind);
};

/** Behind these, a hyphen before a number takes that away: "UTC-5", "length-1". */
const LESS = /^(?:count|gmt|index|len|length|max|n|size|total|utc)$/i;

/** A hyphen between letters, or between a word and a number; or a dash between spaces. */
const isHyphenOrDash = (part: TextPart, before: string, after: string): boolean =>
  (/\p{L}/u.test(before) && /\p{L}/u.test(after)) ||
  (/\p{L}{2}$/u.test(textBefore(part, 2)) && /\d/.test(after) && !LESS.test(part.previous)) ||
  (/\d/.test(before) && /^\p{L}{2}/u.test(textBehind(part, 4))) ||
  (before === ' ' && after === ' ' && isDash(part));

/** @param isOfPatterns the text is about patterns, in which `?` is a sign */
export const isPause = (part: TextPart, isOfPatterns: boolean): boolean => {
  const { text, whole, from, to } = part;
  if (text === '?' && isOfPatterns) return false;
  if (!PAUSE.test(text) && !NEVER.test(text) && text !== '-') return false;
  const [before, after] = [whole[from - 1] ?? ' ', whole[to] ?? ' '];
  if (NEVER.test(text)) return text === '•' || !/[\s([]/.test(before) || !/[\s.,;:)\]]/.test(after);
  if (text === '-') return isHyphenOrDash(part, before, after);
  // Beside an operator, brackets say what is computed first.
  if (text === '(') return !/[+*/^=<>]\s*$/.test(textBefore(part, 3));
  if (text === ')') return !/^\s*[+*/^=<>]/.test(textBehind(part, 3));
  // Between two signs without a space, or alone between spaces, it is a sign itself: "lat,lon", "separated by ,".
  return /[\s)"'.`\]]/.test(after) && !/[\s([]/.test(before);
};

/** Whether a pause is the hyphen before the second part of a word: "wise" in "clock-wise". */
const isHyphen = (part: TextPart): boolean => part.text === '-' && /^\p{L}/u.test(textBehind(part, 2));
export const partsWords = (part: TextPart): boolean => PARTS.test(part.text) && !isHyphen(part);
export const joinsWords = (part: TextPart): boolean => isHyphen(part) && /\p{L}/u.test(textBefore(part, 1));

/** Words that are written with a full stop. */
const ABBREVIATION = /^(?:e\.?g|i\.?e|etc|vs|cf|approx|max|min|incl|excl|resp|[a-z])$/i;

/** Whether a mark ends a statement that another one follows; at the end of a text, it says nothing. */
export const endsStatement = (part: TextPart): boolean =>
  /^[.!?]$/.test(part.text) &&
  !ABBREVIATION.test(part.previous) &&
  /^[\s)'"`\]]*\s[\s(]*[\p{L}\p{N}'"`[]/u.test(textBehind(part, 49));
