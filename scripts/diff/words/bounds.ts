// Whether only a bound moved, outwards.
import { nameWords } from '../name-words.ts';
import { kindOf } from './kinds.ts';
import { type Token, wordsOf } from './tokens.ts';

const isNumber = ({ text }: Token): boolean => /^\d/.test(text);

const UPPER = new Set(['max', 'maximum', 'most', '<=', '≤']);
const LOWER = new Set(['min', 'minimum', 'least', '>=', '≥']);

/** Whether two tokens are a range alone in parentheses: other numbers with a hyphen are dates, codes, versions. */
const isRange = (text: string, from: Token | undefined, to: Token | undefined): boolean =>
  from !== undefined &&
  to !== undefined &&
  Number(from.text) < Number(to.text) &&
  new RegExp(`\\(\\s*${from.text}\\s*[-–]\\s*${to.text}\\s*\\)`).test(text);

/** Words before a bound that make it one of the value, or of the results: "must be at most 10", "returns up to 10". */
const BOUNDS = new Set(
  `must should can may is are be value accepts allows fetch fetches get gets list lists range return returns retrieve
  retrieves show shows supports take takes`.split(/\s+/),
);

/** Whether a bound that begins there is one of the value: "retries up to 3 times" bounds something else. */
const isOfValue = (tokens: readonly Token[], begin: number): boolean =>
  begin <= 0 || tokens[begin]?.parted === true || BOUNDS.has(tokens[begin - 1]?.word ?? '');

/** Whether a number in a text is the upper or lower end of what is allowed; undefined if nothing next to it says so. */
const endAt = (text: string, tokens: readonly Token[], at: number): 'upper' | 'lower' | undefined => {
  const around = tokens.slice(Math.max(0, at - 3), at + 4);
  // A default is not a bound.
  if (around.some((token) => kindOf(token) === 'default')) return undefined;
  const [before, last, here, next, after] = [-2, -1, 0, 1, 2].map((step) => tokens[at + step]);
  if (last?.text === '-') return before && isNumber(before) && isRange(text, before, here) ? 'upper' : undefined;
  if (next?.text === '-') return after && isNumber(after) && isRange(text, here, after) ? 'lower' : undefined;
  const isUpTo = last?.word === 'to' && before?.word === 'up';
  // "up to", "at most" and "at least" are two words.
  const words = isUpTo || before?.word === 'at' ? 2 : 1;
  const isUpper = isUpTo || UPPER.has(last?.word ?? '');
  if (isUpper || LOWER.has(last?.word ?? ''))
    return isOfValue(tokens, at - words) ? (isUpper ? 'upper' : 'lower') : undefined;
  if (!isOfValue(tokens, at)) return undefined;
  return next?.word === 'max' ? 'upper' : next?.word === 'min' ? 'lower' : undefined;
};

/**
 * Whether one end of a range moved outwards. An end that was 1 does not count: 0-1 is a share and 0-100 a percentage, and a
 * start that moves from 1 to 0 is another way of counting.
 */
const isWidened = (had: Token, has: Token, end: ReturnType<typeof endAt>): boolean => {
  const [old, now] = [Number(had.text), Number(has.text)];
  if (!Number.isSafeInteger(old) || !Number.isSafeInteger(now) || old === 1) return false;
  return end === 'upper' ? now > old : end === 'lower' ? now < old : false;
};

/** A range alone in brackets, with what stands before it in the same statement. */
const BRACKETED = /([^.!?;\n]{0,200})\(\s*\d+\s*[-–]\s*\d+\s*\)/g;
/** What says that a number is an amount, as a name or a word. */
const AMOUNT = /^(?:amount|count|length|limit|many|max|maximum|min|minimum|num|number|quantity|size|total)$/;

/** Whether each range in brackets is one of amounts: "Results (1-10)". In "Grind (1-10)" a number may be a place on a scale. */
export const areAmounts = (text: string, names: readonly string[]): boolean =>
  names.some((name) => nameWords(name).some((word) => AMOUNT.test(word))) ||
  [...text.matchAll(BRACKETED)].every(([, before = '']) => {
    const words = before.toLowerCase().match(/\p{L}+/gu) ?? [];
    return words.some((word) => AMOUNT.test(word)) || /[^s]s$/.test(words.at(-1) ?? '');
  });

export const isOnlyWidened = (text: string, before: readonly Token[], after: readonly Token[]): boolean =>
  before.length === after.length &&
  before.every((had, index) => {
    const has = after[index] as Token;
    return had.text === has.text || (isNumber(had) && isNumber(has) && isWidened(had, has, endAt(text, before, index)));
  });

/** A bound that moved by more may count in another unit now: 60 minutes, which were 60,000 ms. */
const MOST_TIMES = 20;

const numbersOf = (tokens: readonly Token[]): number[] => tokens.filter(isNumber).map(({ text }) => Number(text));

const isSameUnit = (one: number, other = 0): boolean => Math.max(one, other) <= MOST_TIMES * Math.min(one, other);

/** Whether a number meets all bounds that a text states, where these moved so little that it is a number of the same unit. */
export const meetsBounds = (value: number, had: string, has: string): boolean => {
  const { tokens } = wordsOf(has);
  const old = numbersOf(wordsOf(had).tokens);
  const isMet = (token: Token, at: number): boolean => {
    const end = isNumber(token) ? endAt(has, tokens, at) : undefined;
    return end === undefined || (end === 'upper' ? value <= Number(token.text) : value >= Number(token.text));
  };
  return numbersOf(tokens).every((one, at) => isSameUnit(one, old[at])) && tokens.every(isMet);
};
