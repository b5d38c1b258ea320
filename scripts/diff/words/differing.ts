// Which words came and went, and what kinds of words there are.
import { stem } from './opposites.ts';
import type { Token } from './tokens.ts';

/** Words that say nothing that a caller did not know. */
export const PLAIN: ReadonlySet<string> = new Set(['given', 'specified']);

/** Words that can turn what the words around them say: "to merge" and "to merge in". */
export const PREPOSITIONS: ReadonlySet<string> = new Set('to for in on by with as or off out'.split(' '));
export const isWord = ({ text, quoted }: Token): boolean => !quoted && /^\p{L}/u.test(text);

export const isPreposition = (token: Token | undefined): boolean =>
  token !== undefined && isWord(token) && PREPOSITIONS.has(token.word);

const counted = <T extends { text: string }>(tokens: readonly T[]): Map<string, { token: T; count: number }> => {
  const counts = new Map<string, { token: T; count: number }>();
  for (const token of tokens) {
    const known = counts.get(token.text) ?? { token, count: 0 };
    known.count += 1;
    counts.set(token.text, known);
  }
  return counts;
};

/** The words that each of two texts has more often than the other. */
export const differing = <T extends { text: string }>(
  before: readonly T[],
  after: readonly T[],
): { lost: T[]; came: T[] } => {
  const [had, has] = [counted(before), counted(after)];
  const lacking = (one: typeof had, other: typeof had): T[] =>
    [...one].flatMap(([text, { token, count }]) => ((other.get(text)?.count ?? 0) < count ? [token] : []));
  return { lost: lacking(had, has), came: lacking(has, had) };
};

/** The words of which the others have no form: neither "delete" nor "deletes". */
export const withoutForms = (words: readonly Token[], others: readonly Token[]): Token[] => {
  const stems = new Set(others.map(({ word }) => stem(word)));
  return words.filter(({ word }) => !stems.has(stem(word)));
};

/** Where the first statement begins and ends. Not a word alone: "[Deprecated] Lists orders", "Optional. The date". */
export const firstStatement = (tokens: readonly Token[]): readonly [from: number, to: number] => {
  const from = tokens[1]?.text === '.' ? 2 : 0;
  const end = tokens.findIndex(({ text }, at) => at >= from && text === '.');
  return [from, end < 0 ? tokens.length : end];
};

/** Whether more than half of the old words are still there. */
export const areMostKept = (before: readonly Token[], after: readonly Token[]): boolean =>
  differing(before, after).lost.length * 2 < counted(before).size;
