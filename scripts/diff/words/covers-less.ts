// Whether a tool covers or does less than before: "Searches titles and bodies" and "Searches titles".
import { isLook } from './acts.ts';
import { isPreposition, isWord, withoutForms } from './differing.ts';
import { isNoFact } from './guidance.ts';
import { kindOf, VALUE } from './kinds.ts';
import { inSentences, MOST_SENTENCES } from './statement.ts';
import type { Token } from './tokens.ts';

type SentenceTokens = readonly Token[];

/** Words that praise a thing, or that stand for whatever is known of it. */
const LITTLE: ReadonlySet<string> = new Set(
  `accurate basic clean comprehensive concise content contents data descriptive detail detailed details easy efficient
  fast flexible full helpful info information metadata more most other others powerful properties quick quickly
  relevant reliable rich robust safe secure simple smart statistics stats structured things useful various`.split(
    /\s+/,
  ),
);
const saysLittle = (word: string): boolean => LITTLE.has(word) || word.endsWith('ly');
const isOwn = (token: Token | undefined): boolean => token?.word === 'their' || token?.joining.has('it') === true;

/** How many words one of several things may have, as "open pull requests". */
const LONGEST_ITEM = 4;

/** The first and last words of what "and" or "or" joins, and of what stands before that in a list: "users, groups and roles". */
const itemsAt = (sentence: SentenceTokens, join: number): [first: number, last: number][] => {
  const isEnd = (at: number): boolean => {
    const token = sentence[at];
    return token === undefined || token.parted || isPreposition(token) || /^(?:and|or)$/.test(token.word);
  };
  let end = join + 1;
  while (end < join + 1 + LONGEST_ITEM && !(end > join + 1 && isEnd(end))) end++;
  const items: [number, number][] = [[join + 1, Math.min(end, sentence.length) - 1]];
  for (let last = join - 1; last >= 0; ) {
    const least = Math.max(0, last - LONGEST_ITEM + 1);
    let first = last;
    while (first > least && !sentence[first]?.parted && !isPreposition(sentence[first - 1])) first--;
    // The first word is a verb.
    items.push([first === 0 && last > 0 ? 1 : first, last]);
    if (!sentence[first]?.parted) break;
    last = first - 1;
  }
  return items;
};

/** Whether a sentence lost one of the things that it joined, and nothing took their place. */
const lostItem = (before: SentenceTokens, after: SentenceTokens): boolean => {
  const lost = new Set(withoutForms(before.filter(isWord), after).map(({ word }) => word));
  const isLost = (at: number): boolean => lost.has(before[at]?.word ?? '');
  const [first] = before;
  // "It is fast and reliable."
  if (lost.size === 0 || first?.joining.has('it') === true) return false;
  const looks = isLook(first?.word ?? '');
  return before.some(({ word }, join) => {
    if (join === 0 || !/^(?:and|or)$/.test(word)) return false;
    // A part of an answer is not missed: "Gets a user and their roles".
    if (looks && isOwn(before[join + 1])) return false;
    // "Encrypts the file and uploads it" and "Uploads the file"
    const isOfVerbs = before[join + 1]?.word === after[0]?.word;
    const items = [...itemsAt(before, join), ...(isOfVerbs ? [[0, 0] as const] : [])];
    return items.some(([from, to]) => {
      const item = before.slice(from, to + 1).filter(({ word }) => word !== 'their');
      // "Use one_boat or all_boats" names other tools.
      if (item.some((token) => kindOf(token) === VALUE)) return false;
      const [verb, last] = [item[0]?.word ?? '', item.at(-1)?.word ?? ''];
      if (saysLittle(verb) || saysLittle(last) || isLook(verb)) return false;
      return from === to ? isLost(from) : lost.has(verb) || lost.has(last);
    });
  });
};

/** Whether one of the sentences of a tool's description speaks of fewer things than before, and is else the same. */
export const coversLess = (before: readonly Token[], after: readonly Token[]): boolean => {
  const [old, now] = [inSentences(before), inSentences(after)];
  if (old.length > MOST_SENTENCES || now.length > MOST_SENTENCES) return false;
  const asText = (sentence: SentenceTokens): string => sentence.map(({ text }) => text).join(' ');
  const [had, has] = [old, now].map((sentences) => new Set(sentences.map(asText))) as [Set<string>, Set<string>];
  const came = now.filter((sentence) => !had.has(asText(sentence)));
  return old.some((sentence) => {
    if (has.has(asText(sentence)) || isNoFact(sentence)) return false;
    return came.some((other) => withoutForms(other, sentence).length === 0 && lostItem(sentence, other));
  });
};
