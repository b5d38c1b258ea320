import { isPreposition, isWord } from './differing.ts';
import { kindOf } from './kinds.ts';
import type { Token } from './tokens.ts';

/** How many words may stand before or behind "of" in what becomes one name. */
const MOST_WORDS = 3;

/** Kinds of words that name something in the same way wherever they stand. */
const NAMING: ReadonlySet<string | undefined> = new Set([
  undefined,
  'base',
  'direction',
  'effect',
  'format',
  'identifier',
]);

/** A word that means nothing by itself, or names what something does, or to whom: "message of the commit". */
const isNoun = (token: Token): boolean => isWord(token) && NAMING.has(kindOf(token)) && !isPreposition(token);

/** Whether what stands before a token is complete. */
const begins = (token: Token | undefined): boolean =>
  token === undefined || token.parted === true || token.joining.size > 0 || token.text === '.' || isPreposition(token);

/** The words behind "of" at a place, if they are a name's; undefined if not. */
const behindOf = (tokens: readonly Token[], at: number): readonly Token[] | undefined => {
  const [owner, first] = [tokens[at - 1], tokens[at]];
  if (!owner || !first || !isNoun(owner) || first.parted || !(first.joining.size === 1 && first.joining.has('of')))
    return undefined;
  let end = at + 1;
  while (end - at <= MOST_WORDS && !begins(tokens[end])) end++;
  const words = tokens.slice(at, end);
  if (words.length > MOST_WORDS || !words.every(isNoun)) return undefined;
  // The "parent issue" is no issue of the parent, but the ID of either is one and the same.
  const isRole = words.every((word) => kindOf(word) === 'direction');
  return isRole && kindOf(owner) !== 'identifier' ? undefined : words;
};

/** How many words before "of" at a place are the name that it belongs to. */
const ownerLength = (tokens: readonly Token[], at: number, most: number): number => {
  let length = 1;
  while (length < most && at > length && !begins(tokens[at - length]) && isNoun(tokens[at - length - 1] as Token))
    length++;
  return length;
};

/**
 * "owner of the repository" as "repository owner".
 * @param most how many words before "of" may belong to it: "email address of the guest", "new owner of the repository"
 */
const asCompounds = (tokens: readonly Token[], most: number): string => {
  const texts: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const words = behindOf(tokens, at);
    const owner = words === undefined ? [] : texts.splice(-ownerLength(tokens, at, most));
    const said = words ?? tokens.slice(at, at + 1);
    texts.push(...said.map(({ text }) => text), ...owner);
    at += said.length;
  }
  return JSON.stringify(texts);
};

/** What a word like "new" is said of: the "name of the new branch" is no "new name of the branch". */
const OF_ONE = /^(?:current|live|new|old|permanent|private|production|public|sandbox|secret|staging)$/;
const saidOfOne = (tokens: readonly Token[]): string =>
  tokens
    .flatMap(({ word }, at) => (OF_ONE.test(word) ? `${word} ${tokens[at + 1]?.word}` : []))
    .sort()
    .join();

const countOfs = (tokens: readonly Token[]): number => tokens.filter(({ joining }) => joining.has('of')).length;

/**
 * Whether two texts differ in nothing but "owner of the repository" and "repository owner". Most of these say the same, but the
 * "parent class" is not the "class of the parent". Where both have it, a word moved: "parent SHA of the commit".
 */
export const areCompounds = (before: readonly Token[], after: readonly Token[]): boolean =>
  countOfs(before) !== countOfs(after) &&
  saidOfOne(before) === saidOfOne(after) &&
  [1, MOST_WORDS].some((most) => asCompounds(before, most) === asCompounds(after, most));
