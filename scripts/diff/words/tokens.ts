// The meaningful parts of a text, in order: words, numbers, signs and names in code.

import { MEANING_WORDS } from './kinds.ts';

export interface Token {
  /** As it is compared. */
  text: string;
  /** In lower case, for looking up its kind. */
  word: string;
  /** It was in quotes or marked as code: a value or a name, whatever the word is. */
  quoted?: boolean;
  /** The joining words before it. */
  joining: ReadonlySet<string>;
}

/** What a text says. */
export interface Words {
  tokens: Token[];
  /** The joining words behind the last token. */
  ending: ReadonlySet<string>;
}

/** Symbols of units: a capital letter makes another unit. */
const UNIT_SYMBOLS: ReadonlySet<string> = new Set(
  `m mm cm km s ms us ns min h b kb mb gb tb kib mib gib k g kg mg t l ml hz khz mhz ghz w kw mw v a pa j ev`.split(
    /\s+/,
  ),
);

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** Words that no article precedes: there, `a` is a name. */
const NOT_AFTER_ARTICLE: ReadonlySet<string> = new Set(['or', 'and', 'to', 'is']);

/**
 * Words that only hold a sentence together, with the form in which they are compared. One may come or go, but none may take
 * another's place: "your account" is not "our account". Words that can reverse a meaning ("to" and "from", "and" and "or",
 * "by", "in", "must") are not among them.
 */
const JOINING: ReadonlyMap<string, string> = new Map(
  `of for which:that that who:that whose this these:this those it its:it is:be are:be be being:be been:be was were:was will
  would can you your:you we our:we they their:they please also such here there optional`
    .split(/\s+/)
    .map((entry) => entry.split(':'))
    .map(([word = '', form = word]) => [word, form]),
);

/** A text with plain signs in place of typographic ones that say the same. */
const typed = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/…/g, '...')
    .replace(/\u2212/g, '-')
    // Between digits a dash is a sign; elsewhere it is a pause.
    .replace(/(?<=\d)\s*[–—]\s*(?=\d)/g, '-')
    .replace(/[–—]/g, ' - ');

/** A text without signs that only shape it: typographic ones, and Markdown's. */
const plain = (text: string): string =>
  (/^[\0-\x7f]*$/.test(text) ? text : typed(text))
    .replace(/\r\n?/g, '\n')
    .replace(/\[([^[\]\n]{1,200})\]\((\S{1,500}?)\)/g, '$1 $2')
    .replace(/\*\*|__(?=\w)|(?<=\w)__/g, '')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]{1,200}?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/^[ \t]*(?:[-*•][ \t]+|#{1,6}[ \t]+|>[ \t]+)/gm, '');

/** Parts of an address that only say which version of a page is meant. */
const PAGE_VERSION =
  /(?<=[/@])(?:v?\d+(?:\.(?:\d+|x))*|\d{4}-\d{2}-\d{2}|latest|stable|current|main|master)(?=[/#?]|$)/g;

/** What begins an example, and what ends it. */
const EXAMPLE = /\b(?:e\.g\.?,?|eg\.|for example[,:]?|for instance[,:]?|examples?:|such as)(?=\s)/gi;
const EXAMPLE_END = /\.(?=\s|$)|[;()\n]/g;
/** What begins a list of values, which goes on to the end of the sentence. */
const VALUES =
  /\b(?:one of|either|(?:allowed|valid|possible|supported|accepted)?\s?values?:?|options?:|choices?:|enum:)(?=\s)/gi;
const VALUES_END = /\.(?=\s|$)|\n/g;

type TextSpan = [from: number, to: number];

/** Spans from each beginning to the first end after it. */
const spans = (text: string, begin: RegExp, end: RegExp): TextSpan[] => {
  const found: TextSpan[] = [];
  for (const match of text.matchAll(begin)) {
    const from = match.index;
    if (from < (found.at(-1)?.[1] ?? 0)) continue;
    end.lastIndex = from + match[0].length;
    found.push([from, end.exec(text)?.index ?? text.length]);
  }
  return found;
};

/** Whether a place lies in one of the spans; ask for places in ascending order. */
const asker = (list: readonly TextSpan[]): ((at: number) => boolean) => {
  let next = 0;
  return (at) => {
    while (next < list.length && (list[next] as TextSpan)[1] <= at) next++;
    return next < list.length && (list[next] as TextSpan)[0] <= at;
  };
};

const PART = new RegExp(
  [
    String.raw`https?:\/\/[^\s<>"'\x60)\]]+`,
    // Code and quoted values, without their quotes.
    String.raw`\x60[^\x60\n]{1,200}\x60`,
    String.raw`(?<![\w'])'[^'\n]{1,80}'(?!\w)`,
    String.raw`"[^"\n]{1,80}"`,
    // An interval, whose brackets say whether its ends belong to it.
    String.raw`[[(]\s*[-+]?[\d.]+\s*[,;]\s*[-+]?[\d.∞]+\s*[\])]`,
    String.raw`\d+(?:[.,]\d+)*`,
    String.raw`[\p{L}_$](?:[\p{L}\p{N}_$]|['./\\](?=[\p{L}\p{N}_]))*`,
    '[<>=!≤≥≠]+',
    String.raw`\S`,
  ].join('|'),
  'gu',
);

const IS_WORD = /^\p{L}/u;
/** Marks that only part words, where a space or the end follows them. */
const PAUSE = /^[.,;:!?'"()]$/;
/** Marks that mean nothing between or next to words. */
const NEVER = /^[!?'"`•_]$/;
const CODE = /[_$\d\\/]|[a-z][A-Z]|\w\.\w/;

const isPause = (text: string, from: number, part: string, previous: string | undefined): boolean => {
  if (NEVER.test(part)) return true;
  const [before, after] = [text[from - 1] ?? ' ', text[from + 1] ?? ' '];
  // A hyphen between letters, or a dash between spaces.
  if (part === '-')
    return (
      (/\p{L}/u.test(before) && /\p{L}/u.test(after)) ||
      (before === ' ' && after === ' ' && !/^\d/.test(previous ?? '') && !/^\d/.test(text.slice(from + 2)))
    );
  if (!PAUSE.test(part)) return false;
  // Beside an operator, brackets say what is computed first.
  if (part === '(') return !/[+*/^=<>]\s*$/.test(text.slice(Math.max(0, from - 3), from));
  if (part === ')') return !/^\s*[+*/^=<>]/.test(text.slice(from + 1, from + 4));
  // Between two signs without a space, or alone between spaces, it is a sign itself: "lat,lon", "separated by ,".
  return /[\s)"'.`\]]/.test(after) && !/\s/.test(before);
};

/** Words that are written with a full stop. */
const ABBREVIATION = /^(?:e\.?g|i\.?e|etc|vs|cf|approx|max|min|incl|excl|resp|[a-z])$/i;

/** Whether a mark ends a statement that another one follows; at the end of a text, it says nothing. */
const endsStatement = (text: string, from: number, part: string, previous: string | undefined): boolean =>
  /^[.!?]$/.test(part) &&
  !ABBREVIATION.test(previous ?? '') &&
  /^[\s)'"`\]]*\s[\s(]*[\p{L}\p{N}'"`[]/u.test(text.slice(from + 1, from + 50));

const quotedPart = /^(?:`(.*)`|'(.*)'|"(.*)")$/s;

export const wordsOf = (text: string): Words => {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= MOST_KNOWN) known = new Map();
  const words = wordsIn(plain(text));
  if (text.length <= LONGEST_KNOWN) known.set(text, words);
  return words;
};

/** Tools of one server describe many parameters in the same words. */
let known = new Map<string, Words>();
const MOST_KNOWN = 200;
const LONGEST_KNOWN = 2_000;

const wordsIn = (text: string): Words => {
  const [inExample, inValues] = [asker(spans(text, EXAMPLE, EXAMPLE_END)), asker(spans(text, VALUES, VALUES_END))];
  const found: Token[] = [];
  let joining = new Set<string>();
  const put = (part: string, exact: boolean, quoted = false): void => {
    const word = part.toLowerCase();
    const isExact =
      exact || !IS_WORD.test(part) || CODE.test(part) || (UNIT_SYMBOLS.has(word) && part !== word) || part.length === 1;
    const text = isExact ? part : word;
    found.push({ text, word, joining, ...(quoted ? { quoted } : {}) });
    joining = new Set();
  };
  const parts = [...text.matchAll(PART)];
  for (const [index, match] of parts.entries()) {
    const [part, from] = [match[0], match.index];
    const next = parts[index + 1];
    const example = inExample(from);
    const quoted = quotedPart.exec(part);
    if (part.startsWith('http')) {
      put(part.replace(/[.,;:]+$/, '').replace(PAGE_VERSION, 'VERSION'), true);
    } else if (quoted && part.length > 2) {
      const inner = quoted[1] ?? quoted[2] ?? quoted[3] ?? '';
      // A value in an example is only one of many.
      if (!example) for (const one of inner.match(/\S+/g) ?? []) put(one, !/^[a-z]+$/.test(one), true);
    } else if (isPause(text, from, part, parts[index - 1]?.[0])) {
      // It parts what stands before it from what stands behind it: "Do not delete. Archive".
      if (endsStatement(text, from, part, parts[index - 1]?.[0])) put('.', true);
    } else if (ARTICLES.has(part.toLowerCase()) && !inValues(from) && isBeforeNoun(text, from + part.length, next)) {
      // Says nothing either.
    } else if (JOINING.has(part.toLowerCase()) && !inValues(from)) {
      if (!example) joining.add(JOINING.get(part.toLowerCase()) as string);
    } else if (/^\d/.test(part)) {
      if (!example) put(part.replace(/,(?=\d{3}(?:\D|$))/g, ''), true);
    } else if (!example || MEANING_WORDS.has(part.toLowerCase())) {
      put(part, inValues(from));
    }
  }
  return { tokens: found, ending: joining };
};

const isBeforeNoun = (text: string, end: number, next: RegExpMatchArray | undefined): boolean =>
  next !== undefined &&
  next.index === end + 1 &&
  /\s/.test(text[end] ?? '') &&
  /^[`'"]?\p{L}{2}/u.test(next[0]) &&
  !NOT_AFTER_ARTICLE.has(next[0].toLowerCase());
