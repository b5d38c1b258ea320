// Whole sentences at other places of a text.
import type { Token, Words } from './tokens.ts';

/** Words by which a sentence speaks of another one. */
const REFERS = /^(?:above|below|former|he|it|its|latter|she|such|these|they|this|those)$/;
/** The same where a sentence begins with them; elsewhere they may say how things are ordered: "newest first". */
const CONTINUES =
  /^(?:after|afterwards|again|also|before|but|else|finally|first|following|however|instead|likewise|next|otherwise|second|so|that|then|third|thus)$/;

/** The number or letter of a step or value: "1. Pay. 2. Book." is in order, and "0. Off. 1. On." is a list of pairs. */
const NUMBERED = /^(?:\d.*|\p{L})$/u;

const isReferring = ({ word, joining }: Token, isFirst: boolean): boolean =>
  (isFirst && NUMBERED.test(word)) ||
  [word, ...joining].some((one) => REFERS.test(one) || (isFirst && CONTINUES.test(one)));

/** What each sentence says; undefined if one speaks of another. */
const sentencesOf = ({ tokens, ending }: Words): string[] | undefined => {
  const sentences: string[][] = [[]];
  for (const token of tokens) {
    const last = sentences.at(-1) as string[];
    if (isReferring(token, last.length === 0)) return undefined;
    last.push(...token.joining);
    if (token.text === '.') sentences.push([]);
    else last.push(token.text);
  }
  sentences.at(-1)?.push(...ending);
  return sentences.map((words) => words.join(' '));
};

/** Whether two texts consist of the same sentences, none of which depends on where it stands. */
export const haveSameSentences = (before: Words, after: Words): boolean => {
  if (before.tokens.length !== after.tokens.length) return false;
  const [had, has] = [sentencesOf(before), sentencesOf(after)];
  if (had === undefined || has === undefined || had.length < 2) return false;
  return had.sort().join('\n') === has.sort().join('\n');
};
