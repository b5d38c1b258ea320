// What a change of words means to a reader who knows the old ones, judged by the kinds of words that changed.
import { kindOf } from './kinds.ts';
import { type Token, type Words, wordsOf } from './tokens.ts';

/**
 * `same`: only white space, case, articles, pauses inside a statement, words that join others, an example, or the version of a
 * page changed. `widened`: also a bound that still allows all that it allowed. `added`: new words that mean nothing by
 * themselves. `meaning`: anything else; only a reader can tell whether the meaning changed.
 */
export interface WordsChange {
  change: 'same' | 'widened' | 'added' | 'meaning';
  /** Kinds of the added words, or `content` if words were removed or replaced. */
  kinds: readonly string[];
  /** Only words that mean something by themselves changed, or their order: another statement, not a rewording. */
  exact?: true;
}

/** A longer text is compared unchanged. */
const LONGEST = 50_000;

/** Letters and signs of English text. In other languages, no word is known: any change is one of meaning. */
const ENGLISH = /^[\t\n\r -~\u00a0\u2007\u202f‘’“”–—\u2212…•→←×±≤≥≠°·¢£€¥∞]*$/;
/** Words that give away another language in a text of plain letters: English does not have them. */
const FOREIGN =
  /\b(?:le|la|les|du|une|des|par|pour|avec|dans|est|sont|nombre|maximal|el|los|las|una|con|número|numero|der|das|und|mit|von|ist|eine|einer|nicht|oder|auf|il|lo|gli|della|che|het|een|voor|niet|do|da|dos|para|uma|não|nao)\b/i;
/** English has these as well: alone they tell nothing. */
const ALSO_ENGLISH = /^(?:do|da|la|los|las|con|el|die|lo|le|est)$/i;

const isEnglish = (text: string): boolean => {
  if (!ENGLISH.test(text)) return false;
  const found = text.match(new RegExp(FOREIGN, 'gi')) ?? [];
  return !found.some((word) => !ALSO_ENGLISH.test(word));
};

const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

const isNumber = ({ text }: Token): boolean => /^\d/.test(text);

const UPPER = new Set(['max', 'maximum', 'most', '<=', '≤']);
const LOWER = new Set(['min', 'minimum', 'least', '>=', '≥']);

/** Whether two tokens are a range alone in parentheses: other numbers with a hyphen are dates, codes, versions. */
const isRange = (text: string, from: Token | undefined, to: Token | undefined): boolean =>
  from !== undefined &&
  to !== undefined &&
  Number(from.text) < Number(to.text) &&
  new RegExp(`\\(\\s*${from.text}\\s*[-–]\\s*${to.text}\\s*\\)`).test(text);

/** Whether a number in a text is the upper or lower end of what is allowed; undefined if nothing next to it says so. */
const endAt = (text: string, tokens: readonly Token[], at: number): 'upper' | 'lower' | undefined => {
  const around = tokens.slice(Math.max(0, at - 3), at + 4);
  // A default is not a bound.
  if (around.some((token) => kindOf(token) === 'default')) return undefined;
  const [before, last, here, next, after] = [-2, -1, 0, 1, 2].map((step) => tokens[at + step]);
  if (last?.text === '-') return before && isNumber(before) && isRange(text, before, here) ? 'upper' : undefined;
  if (next?.text === '-') return after && isNumber(after) && isRange(text, here, after) ? 'lower' : undefined;
  const isUpTo = last?.word === 'to' && before?.word === 'up';
  if (isUpTo || UPPER.has(last?.word ?? '') || next?.word === 'max') return 'upper';
  return LOWER.has(last?.word ?? '') || next?.word === 'min' ? 'lower' : undefined;
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

const isOnlyWidened = (text: string, before: readonly Token[], after: readonly Token[]): boolean =>
  before.length === after.length &&
  before.every((had, index) => {
    const has = after[index] as Token;
    return had.text === has.text || (isNumber(had) && isNumber(has) && isWidened(had, has, endAt(text, before, index)));
  });

/** Whether a word was added right before a unit, which makes it another unit: "business days". */
const isOfUnit = (token: Token, next: Token | undefined): boolean =>
  next !== undefined && kindOf(next) === 'unit' && !PLAIN.has(token.word);

/** The positions of added tokens, if all earlier ones are still there in order; otherwise undefined. */
const cameTo = (before: readonly Token[], after: readonly Token[]): number[] | undefined => {
  const came: number[] = [];
  let at = 0;
  for (const [index, { text }] of after.entries()) {
    if (at < before.length && text === (before[at] as Token).text) at++;
    else came.push(index);
  }
  return at === before.length ? came : undefined;
};

const isWithin = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].every((word) => other.has(word));

/**
 * Whether a joining word took the place of another one, between tokens that both texts have.
 * @param came the positions of the tokens that the old text has not; their joining words count with those around them
 */
const isJoinedAnew = (before: Words, after: Words, came: readonly number[]): boolean => {
  const isNew = new Set(came);
  const gaps: Set<string>[] = [new Set()];
  for (const [at, { joining }] of after.tokens.entries()) {
    for (const word of joining) gaps.at(-1)?.add(word);
    if (!isNew.has(at)) gaps.push(new Set());
  }
  for (const word of after.ending) gaps.at(-1)?.add(word);
  const old = [...before.tokens.map(({ joining }) => joining), before.ending];
  return gaps.some((gap, index) => {
    const had = old[index] as ReadonlySet<string>;
    return !isWithin(had, gap) && !isWithin(gap, had);
  });
};

/** Words that join an addition to the old text. */
const PLAIN: ReadonlySet<string> = new Set('to in on by with as or given specified requested'.split(' '));

/** Kinds that matter in a first description: without it, a caller had to guess. */
const FIRST: ReadonlySet<string> = new Set(['unit', 'base', 'time zone']);

/** The same form for singular and plural. */
const singular = (word: string): string => (/[^aius]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word);

/** Words that a caller knows from the names of the tool and the parameter, and words that join them. */
const isKnownFrom = (names: readonly string[]): ((token: Token) => boolean) => {
  const known = new Set(
    names
      .flatMap(
        (name) =>
          name
            .replace(/([a-z])([A-Z])/g, '$1 $2')
            .toLowerCase()
            .match(/[a-z]+/g) ?? [],
      )
      .map(singular),
  );
  return (token) => {
    if (token.quoted) return false;
    if (PLAIN.has(token.word)) return true;
    const kind = kindOf(token);
    // A name does not tell in which unit or order its value is taken: at most that it is a limit.
    return known.has(singular(token.word)) && (kind === undefined || kind === 'sign or comparison');
  };
};

/** The service's name before what its tool does: `Acme | Finds authors`. A warning there counts. */
const LABEL = /^([A-Z][A-Za-z]{1,30})(?: [|]|:) +(?=[A-Z])/;
const WARNING_LABEL =
  /^(?:alpha|beta|caution|critical|danger|dangerous|deprecated|enterprise|experimental|external|important|internal|legacy|limited|note|obsolete|paid|premium|preview|private|public|restricted|risky|unsafe|warning)$/i;

const withoutLabel = (text: string): string => {
  const label = LABEL.exec(text);
  return label === null || WARNING_LABEL.test(label[1] as string) ? text : text.slice(label[0].length);
};

const counted = (tokens: readonly Token[]): Map<string, { token: Token; count: number }> => {
  const counts = new Map<string, { token: Token; count: number }>();
  for (const token of tokens) {
    const known = counts.get(token.text) ?? { token, count: 0 };
    known.count += 1;
    counts.set(token.text, known);
  }
  return counts;
};

/** Whether two texts differ in words of the kinds alone, or only in their order. */
const isExact = (before: readonly Token[], after: readonly Token[]): boolean => {
  const [had, has] = [counted(before), counted(after)];
  const lacking = (one: typeof had, other: typeof had): Token[] =>
    [...one].flatMap(([text, { token, count }]) => ((other.get(text)?.count ?? 0) < count ? [token] : []));
  const changed = [...lacking(had, has), ...lacking(has, had)];
  return before.length > 0 && after.length > 0 && changed.every((token) => kindOf(token) !== undefined);
};

const result = (change: WordsChange['change'], ...kinds: string[]): WordsChange => ({ change, kinds });

/** What a text is about. */
export interface TextContext {
  /** Names of the tool and of the parameter, of the old contract. */
  names?: readonly string[];
  /** It describes a tool: then it may begin with the name of the service. */
  isTool?: boolean;
}

/** Compares two texts; an empty one stands for none. */
export const compareTexts = (
  before: string,
  after: string,
  { names = [], isTool = false }: TextContext = {},
): WordsChange => {
  if (before === after) return result('same');
  if (before.length > LONGEST || after.length > LONGEST) return result('meaning', 'content');
  if (spaced(before) === spaced(after)) return result('same');
  if (!isEnglish(before) || !isEnglish(after)) return result('meaning', 'language');
  const [old, now] = [before, after].map((text) => wordsOf(isTool ? withoutLabel(text) : text)) as [Words, Words];
  const [had, has] = [old.tokens, now.tokens];
  const places = cameTo(had, has);
  if (places === undefined) {
    if (isOnlyWidened(before, had, has)) return result('widened');
    return { ...result('meaning', 'content'), ...(isExact(had, has) ? { exact: true } : {}) };
  }
  if (isJoinedAnew(old, now, places)) return result('meaning', 'content');
  const came = places.map((place) => has[place] as Token);
  if (came.length === 0 || (had.length > 0 && came.every(isKnownFrom(names)))) return result('same');
  // Words where none were are not another meaning, unless they name a value's unit, form or zone.
  const isFirst = had.length === 0;
  const kinds = [...new Set(came.flatMap((token) => kindOf(token) ?? []))].filter(
    (kind) => !isFirst || FIRST.has(kind),
  );
  if (!isFirst && places.some((place) => isOfUnit(has[place] as Token, has[place + 1]))) kinds.push('unit');
  if (kinds.length === 0) return result('added');
  return { ...result('meaning', ...kinds), ...(isExact(had, has) ? { exact: true } : {}) };
};
