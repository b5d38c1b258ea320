import { isPreposition, isWord } from './differing.ts';
import { kindOf } from './kinds.ts';
import type { Token } from './tokens.ts';

/** How many words may stand behind "of" in what becomes one name. */
const MOST_WORDS = 3;

/** A word that means nothing by itself. */
const isNoun = (token: Token): boolean => isWord(token) && kindOf(token) === undefined && !isPreposition(token);

/** Whether what stands before a token is complete. */
const begins = (token: Token | undefined): boolean =>
  token === undefined || token.parted === true || token.joining.size > 0 || token.text === '.' || isPreposition(token);

/** The words behind "of" at a place, if they are a name's; empty if not. */
const behindOf = (tokens: readonly Token[], at: number): readonly Token[] => {
  const [owner, first] = [tokens[at - 1], tokens[at]];
  if (!owner || !first || !isNoun(owner) || first.parted || !(first.joining.size === 1 && first.joining.has('of')))
    return [];
  let end = at + 1;
  while (end - at <= MOST_WORDS && !begins(tokens[end])) end++;
  const words = tokens.slice(at, end);
  return words.length <= MOST_WORDS && words.every(isNoun) ? words : [];
};

/** "owner of the repository" as "repository owner". */
const asCompounds = (tokens: readonly Token[]): string => {
  const texts: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const words = behindOf(tokens, at);
    const last = words.length > 0 ? texts.pop() : undefined;
    const said = words.length > 0 ? words : tokens.slice(at, at + 1);
    texts.push(...said.map(({ text }) => text), ...(last === undefined ? [] : [last]));
    at += said.length;
  }
  return JSON.stringify(texts);
};

/**
 * Whether two texts differ in nothing but "owner of the repository" and "repository owner". Most of these say the same, but the
 * "parent class" is not the "class of the parent".
 */
export const areCompounds = (before: readonly Token[], after: readonly Token[]): boolean =>
  before.length === after.length && asCompounds(before) === asCompounds(after);
