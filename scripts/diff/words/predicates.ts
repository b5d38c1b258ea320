// Whether a sentence of a tool's description says something else of the same thing, in however many other words.
import { isPreposition, isWord } from './differing.ts';
import { isNoFact } from './guidance.ts';
import { stem } from './opposites.ts';
import { EXCLUSIVE, inSentences, LEAST_KEPT, MOST_SENTENCES } from './statement.ts';
import type { Token } from './tokens.ts';

type Clause = readonly Token[];

/** A longer sentence says several things, of which others may still hold. */
const LONGEST = 14;

/** Words that make a sentence say the opposite, wherever they stand. */
const NEGATES = /^(?:neither|never|no|none|nor|not|nothing|without)$/;
/** Words for all of the things that there are. */
const ALL = /^(?:all|any|anyone|anything|each|every|everyone|everything)$/;
/** What is answered, and what does not say what happens to it. */
const RESULT = /^(?:answers?|data|fields?|outputs?|responses?|results?|returns?)$/;
const ANSWERED =
  /^(?:accepted|available|called|contains?|described|displayed|documented|does|gives?|given|has|included|includes?|known|lists?|listed|means?|named|provides?|provided|required|returns?|returned|shows?|shown|supports?|supported|takes?|used|uses?|works?)$/;
const CONDITION = /^(?:if|unless|when|whenever)$/;

const isContent = (token: Token): boolean => isWord(token) && !isPreposition(token);
const stemsOf = (tokens: Clause): Set<string> => new Set(tokens.filter(isContent).map(({ word }) => stem(word)));
const isNegated = (tokens: Clause): boolean => tokens.some(({ word }) => NEGATES.test(word));

/** How many words two sentences have in common at their beginnings. */
const beginningOf = (one: Clause, other: Clause): number => {
  const end = one.findIndex(({ text }, at) => text !== other[at]?.text);
  return end < 0 ? one.length : end;
};

/** Whether a predicate begins at a place: "Samples | are kept", "It | closes". */
const beginsPredicate = (tokens: Clause, at: number): boolean => {
  const [token, last] = [tokens[at], tokens[at - 1]];
  if (token === undefined || ANSWERED.test(token.word) || (last !== undefined && RESULT.test(last.word))) return false;
  return at === 0 ? token.joining.has('it') && /[a-z]s$/.test(token.word) : token.joining.has('be');
};

/** Whether a condition ends at a place, and its consequence begins: "If it is busy, | the call fails". */
const beginsConsequence = (tokens: Clause, at: number): boolean =>
  at > 1 && CONDITION.test(tokens[0]?.word ?? '') && tokens[at]?.parted === true;

/** "Calling it again does nothing" */
const isDoing = ([first]: Clause): boolean => first?.word.endsWith('ing') === true;

/** A sentence, and its words without their endings. */
interface Said {
  tokens: Clause;
  stems: ReadonlySet<string>;
}

/**
 * Whether two sentences speak of the same thing, or of the same case, and of that say what has no word in common.
 * @param came all new sentences: another one of them may say now what the old sentence said
 */
const saysOtherwise = ({ tokens: before }: Said, now: Said, came: readonly Said[]): boolean => {
  const after = now.tokens;
  const at = beginningOf(before, after);
  const both = (begins: (tokens: Clause, place: number) => boolean): boolean => begins(before, at) && begins(after, at);
  const [had, has] = [before.slice(at), after.slice(at)];
  const isDenied = at > 1 && isDoing(before) && isNegated(had) !== isNegated(has);
  if (had.length === 0 || has.length === 0 || !(both(beginsPredicate) || both(beginsConsequence) || isDenied))
    return false;
  const rest = stemsOf(has);
  const isSaid = (word: string): boolean =>
    rest.has(word) || came.some(({ tokens, stems }) => tokens !== after && stems.has(word));
  return ![...stemsOf(had)].some(isSaid);
};

/** Whether one sentence was made out of another, and is of all things now, or says that something is not. */
const isTurned = ({ tokens: before, stems: had }: Said, { tokens: after, stems: has }: Said): boolean => {
  const kept = [...had].filter((word) => has.has(word)).length;
  if (kept < Math.max(had.size, has.size) * LEAST_KEPT) return false;
  const holds = (tokens: Clause, words: RegExp): boolean => tokens.some(({ word }) => words.test(word));
  const isOfMore = (one: Clause, other: Clause): boolean =>
    holds(one, EXCLUSIVE) && !holds(other, EXCLUSIVE) && holds(other, ALL) && !holds(one, ALL);
  return isNegated(before) !== isNegated(after) || isOfMore(before, after) || isOfMore(after, before);
};

const asText = (tokens: Clause): string => tokens.map(({ text }) => text).join(' ');

/** What is answered is told in many ways. */
const tellsOfAnswer = (tokens: Clause): boolean => tokens.some(({ word }) => /^returns?$/.test(word));

const shortSentences = (tokens: readonly Token[]): Clause[] =>
  inSentences(tokens).filter(({ length }) => length <= LONGEST);

/** Whether one of the sentences that are gone is followed by one that says something else of the same thing. */
export const saysOtherOfSame = (before: readonly Token[], after: readonly Token[]): boolean => {
  const [old, now] = [shortSentences(before), shortSentences(after)];
  if (old.length > MOST_SENTENCES || now.length > MOST_SENTENCES) return false;
  const newOf = (some: readonly Clause[], others: readonly Clause[]): Said[] => {
    const known = new Set(others.map(asText));
    return some
      .filter((tokens) => !(known.has(asText(tokens)) || isNoFact(tokens) || tellsOfAnswer(tokens)))
      .map((tokens) => ({ tokens, stems: stemsOf(tokens) }));
  };
  const [went, came] = [newOf(old, now), newOf(now, old)];
  return went.some((one) => came.some((other) => saysOtherwise(one, other, came) || isTurned(one, other)));
};
