// The meaningful parts of a text, in order: words, numbers, signs and names in code.

import { exampleSpans, spans, type TextSpan } from './examples.ts';
import { kindOf, MEANING_WORDS } from './kinds.ts';
import { PATTERNS, QUOTED, withoutMarks } from './marks.ts';
import { inOneForm, inOneWord, SWITCH } from './spelling.ts';

export interface Token {
  /** As it is compared. */
  text: string;
  /** In lower case, for looking up its kind. */
  word: string;
  /** It was in quotes or marked as code: a value or a name, whatever the word is. */
  quoted?: boolean;
  /** The joining words before it. */
  joining: ReadonlySet<string>;
  /** A pause parts it from the word before: a comma, a bracket, the end of a sentence. */
  parted?: true;
  /** A hyphen joins it to the word before: "wise" in "clock-wise". */
  joined?: true;
  /** It begins a statement, and an article or the like follows: "Filters the list". */
  verb?: true;
}

/** What a text says. */
export interface Words {
  tokens: readonly Token[];
  /** The joining words behind the last token. */
  ending: ReadonlySet<string>;
  /** It says what a switch does. */
  isOfSwitch: boolean;
}

/** Symbols of units: a capital letter makes another unit. */
const UNIT_SYMBOLS: ReadonlySet<string> = new Set(
  `m mm cm km s ms us ns nm min h b kb mb gb tb kib mib gib k g kg mg t l ml hz khz mhz ghz w kw mw v a pa j ev cal`.split(
    /\s+/,
  ),
);

/** Letters of a date's or time's form, as "yyyy" and "HH", and units of data: there, a capital letter is another one. */
const BY_CASE = /^(?:y{2,4}|m{2,4}|d{2}|h{2}|s{2,3}|[kmgtp]?i?b(?:ps)?)$/i;

/** Words that name a form: the word "format" behind them says nothing more. */
export const NAMES_FORM =
  /^(?:ascii|base64|csv|hex|hexadecimal|html|iso|json|markdown|tsv|xml|yaml|y{2,4}|m{2,4}|d{2}|h{2}|s{2,3})$/i;
/** Words whose number names a form as well: "RFC 3339". */
const OF_STANDARD = /^(?:iso|rfc)$/i;

/** Whether the word "format" follows the name of one: "JSON format". Alone, it asks for one. */
const isNamedFormat = (part: string, [last, before]: readonly (string | undefined)[]): boolean =>
  /^format$/i.test(part) &&
  last !== undefined &&
  (NAMES_FORM.test(last) || (/^\d+$/.test(last) && before !== undefined && OF_STANDARD.test(before)));

/** What follows a verb, and never a noun: "Filters the list", not "Filters of the list". */
const BEHIND_VERB = /^(?:an?|the|all|any|each|every|this|these|your)$/;
/** Verbs with which descriptions begin, if what they act on follows. */
const OFTEN_VERB =
  /^(?:add|allow|convert|create|delete|download|enable|exclude|fetch|filter|find|generate|get|include|keep|list|open|read|remove|replace|retrieve|return|run|search|send|set|show|skip|start|stop|store|update|upload|use|write)(?:s|es)?$/;
/** What follows a noun, or a verb that says something else: "Filters for it", "Returns to it". */
const NOT_ACTED_ON = /^(?:and|are|as|at|by|for|from|if|in|into|is|of|on|or|out|per|that|to|up|when|which|with)$/;

const isVerb = (text: string, from: number, part: string, next: RegExpMatchArray | undefined): boolean =>
  /^[A-Z]?[a-z]+$/.test(part) &&
  next?.index === from + part.length + 1 &&
  /\s/.test(text[from + part.length] ?? '') &&
  (BEHIND_VERB.test(next[0].toLowerCase()) ||
    (OFTEN_VERB.test(part.toLowerCase()) && /^\p{L}/u.test(next[0]) && !NOT_ACTED_ON.test(next[0].toLowerCase())));

/** Words in capitals that people also write in small letters. */
const ALSO_SMALL =
  /^(?:api|apis|ascii|cli|css|csv|dns|html|http|https|ids|ios|ip|iso|json|jwt|mcp|oauth|pdf|png|rest|sdk|sql|ssh|ssl|svg|tls|ui|uri|uris|url|urls|utf|uuid|uuids|xml|yaml|yes)$/;
/** Kinds of words that people emphasize. */
const EMPHATIC: ReadonlySet<string | undefined> = new Set(['condition', 'default', 'duty', 'negation', 'order']);
/** Whether a word in capitals is another one in small letters: it is a name, as "GET" and "DEBUG". */
const keepsCapitals = (part: string, word: string): boolean =>
  /^[A-Z]{3,}$/.test(part) &&
  !ALSO_SMALL.test(word) &&
  !JOINING.has(word) &&
  !EMPHATIC.has(kindOf({ text: word, word }));

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** Words that no article precedes: there, `a` is a name. */
const NOT_AFTER_ARTICLE: ReadonlySet<string> = new Set(['or', 'and', 'to', 'is']);

/** Of these, "for" says whose they are. */
const OF_WHICH = /^(?:ids?|identifiers?|names?|paths?|slugs?|titles?|ur[il]s?)$/i;

/** Whether a word is another one for "of": "the path to the file", "an identifier for the order". */
const isOf = (word: string, before = '', after = ''): boolean =>
  (word === 'to' ? /^(?:ids?|identifiers?|paths?|slugs?|ur[il]s?)$/i : OF_WHICH).test(before) &&
  /^(?:for|to)$/.test(word) &&
  /^(?:the|an?|this|that|your|its)$/.test(after);

/**
 * Words that only hold a sentence together, with the form in which they are compared. One may come or go, but none may take
 * another's place: "what you see" is not "what they see". Words that can reverse a meaning ("to" and
 * "from", "and" and "or", "by", "in", "for", "must"), and those that say whose something is, are not among them.
 */
const JOINING: ReadonlyMap<string, string> = new Map(
  `of which:that that who:that whose this these:this those it its:it is:be are:be be being:be been:be was were:was will
  would can you we they please also such here there optional`
    .split(/\s+/)
    .map((entry) => entry.split(':'))
    .map(([word = '', form = word]) => [word, form]),
);

/** Parts of an address that only say which version of a page is meant. */
const PAGE_VERSION =
  /(?<=[/@])(?:v?\d+(?:\.(?:\d+|x))*|\d{4}-\d{2}-\d{2}|latest|stable|current|main|master)(?=[/#?]|$)/g;

/** What says that an address is that of a page to read: then its version means nothing. */
const IS_PAGE =
  /\b(?:docs?|documentation|developers?|details|guide|guides|help|learn|manual|more|read|reference|refer|see|spec|specification)\b/i;

/** What a program calls, and no person reads: "api.example.com", unless the address itself says otherwise. */
const IS_API = /^https?:\/\/(?:api\.|[^/]+\/api\/)/i;

/** An address as it is compared. */
const addressOf = (address: string, before: string): string => {
  const bare = address.replace(/[.,;:/]+$/, '');
  return IS_PAGE.test(IS_API.test(bare) ? bare : `${before} ${bare}`) ? bare.replace(PAGE_VERSION, 'VERSION') : bare;
};

/** What begins a list of values, which goes on to the end of the sentence. */
const VALUES =
  /\b(?:one of:?|either|(?:allowed|valid|possible|supported|accepted)?\s?values?:?|options?:|choices?:|enum:)(?=\s)/gi;
const VALUES_END = /\.(?=\s|$)|\n/g;

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
    ...QUOTED,
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
/** Pauses that part a word from the one before. */
const PARTS = /^[-.,;:!?()]$/;
/** Marks that mean nothing next to a word. */
const NEVER = /^['"`•_]$/;
/** Words behind which a mark is spoken of. */
const NAMES_MARK =
  /^(?:[:(,]|by|with|at|on|as|is|are|or|and|uses?|using|characters?|signs?|symbols?|separators?|delimiters?|prefix|suffix)$/i;
/** Words before which a mark is spoken of. */
const MARK_DOES = /^\s+(?:is|are|means?|stands|matches)\b/;
const CODE = /[_$\d\\/]|[a-z][A-Z]|\w\.\w/;

/** Whether a dash between spaces parts words, and is not a mark that is spoken of, or a sign of a number. */
const isDash = (text: string, from: number, previous: string | undefined): boolean => {
  const [last, rest] = [text.slice(Math.max(0, from - 20), from), text.slice(from + 1, from + 20)];
  if (previous === undefined || /^\d/.test(previous) || NAMES_MARK.test(previous) || /\n[ \t]*$/.test(last))
    return false;
  return /^\s+[^\s\d]/.test(rest) && !MARK_DOES.test(rest);
};

const isPause = (text: string, from: number, part: string, previous: string | undefined): boolean => {
  const [before, after] = [text[from - 1] ?? ' ', text[from + 1] ?? ' '];
  if (NEVER.test(part)) return part === '•' || !/[\s([]/.test(before) || !/[\s.,;:)\]]/.test(after);
  // A hyphen behind a letter and before one, or between a word and a number, or a dash between spaces.
  if (part === '-')
    return (
      (/\p{L}/u.test(before) && /\p{L}/u.test(after)) ||
      (/\p{L}{2}$/u.test(text.slice(Math.max(0, from - 2), from)) && /\d/.test(after)) ||
      (/\d/.test(before) && /^\p{L}{2}/u.test(text.slice(from + 1, from + 5))) ||
      (before === ' ' && after === ' ' && isDash(text, from, previous))
    );
  if (!PAUSE.test(part)) return false;
  // Beside an operator, brackets say what is computed first.
  if (part === '(') return !/[+*/^=<>]\s*$/.test(text.slice(Math.max(0, from - 3), from));
  if (part === ')') return !/^\s*[+*/^=<>]/.test(text.slice(from + 1, from + 4));
  // Between two signs without a space, or alone between spaces, it is a sign itself: "lat,lon", "separated by ,".
  return /[\s)"'.`\]]/.test(after) && !/[\s([]/.test(before);
};

/** Words that are written with a full stop. */
const ABBREVIATION = /^(?:e\.?g|i\.?e|etc|vs|cf|approx|max|min|incl|excl|resp|[a-z])$/i;

/** Whether a mark ends a statement that another one follows; at the end of a text, it says nothing. */
const endsStatement = (text: string, from: number, part: string, previous: string | undefined): boolean =>
  /^[.!?]$/.test(part) &&
  !ABBREVIATION.test(previous ?? '') &&
  /^[\s)'"`\]]*\s[\s(]*[\p{L}\p{N}'"`[]/u.test(text.slice(from + 1, from + 50));

/** Says that the kind of quotation marks matters. */
const OF_QUOTES = /\b(?:quot(?:e[sd]?|ing|ation)|enclosed?|wrap(?:ped)?|backticks?|written as)\b/i;
/** Says that what is compared with a quoted value is code. */
const OF_CODE = /\b(?:sql|jql|where|clauses?|quer(?:y|ies)|expressions?|filters?)\b/i;

const quotedPart = /^(?:`(.*)`|'(.*)'|"(.*)")$/s;

export const wordsOf = (text: string): Words => {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= MOST_KNOWN) known = new Map();
  const plain = withoutMarks(text);
  const words = { ...wordsIn(inOneForm(plain)), isOfSwitch: SWITCH.test(plain) };
  if (text.length <= LONGEST_KNOWN) known.set(text, words);
  return words;
};

/** Tools of one server describe many parameters in the same words. */
let known = new Map<string, Words>();
const MOST_KNOWN = 200;
const LONGEST_KNOWN = 2_000;

/** Whether "optional" says which things are meant: "removes optional packages". Elsewhere it is said of the parameter. */
const isOfThings = (text: string, from: number, part: string, last: Token | undefined): boolean =>
  /^optional$/i.test(part) &&
  last !== undefined &&
  last.text !== '.' &&
  /^[^([{,;:.]$/.test(text.slice(0, from).trimEnd().at(-1) ?? '(') &&
  /^ \w/.test(text.slice(from + part.length));

const wordsIn = (text: string): Omit<Words, 'isOfSwitch'> => {
  const [inExample, inValues] = [asker(exampleSpans(text)), asker(spans(text, VALUES, VALUES_END))];
  const [isOfPatterns, isOfSeveral] = [PATTERNS.test(text), SEVERAL.test(text)];
  const [isOfQuotes, isOfCode] = [OF_QUOTES.test(text), OF_CODE.test(text)];
  const found: Token[] = [];
  let joining = new Set<string>();
  let [isParted, isJoined] = [false, false];
  const put = (part: string, exact: boolean, quoted = false): void => {
    const word = part.toLowerCase();
    const isExact =
      exact ||
      !IS_WORD.test(part) ||
      CODE.test(part) ||
      (UNIT_SYMBOLS.has(word) && part !== word) ||
      BY_CASE.test(part) ||
      keepsCapitals(part, word) ||
      part.length === 1;
    // In quotes, "sec" and "seconds" are two values.
    const text = isExact ? part : quoted ? word : inOneWord(word);
    found.push({
      text,
      word,
      joining,
      quoted,
      ...(isParted ? { parted: true } : {}),
      ...(isJoined ? { joined: true } : {}),
    });
    joining = new Set();
    isParted = false;
    isJoined = false;
  };
  const parts = [...text.matchAll(PART)];
  for (const [index, match] of parts.entries()) {
    const [part, from] = [match[0], match.index];
    const next = parts[index + 1];
    const example = inExample(from);
    const quoted = quotedPart.exec(part);
    if (part.startsWith('http')) {
      if (!example) put(addressOf(part, text.slice(Math.max(0, from - 40), from)), true);
    } else if (quoted) {
      const inner = quoted[1] ?? quoted[2] ?? quoted[3] ?? '';
      // What stands between quotes is one value; between backticks it may be several names. One in an example is one of many.
      const isWhole = isOfQuotes || (isOfCode && /^[<>=!]+$/.test(parts[index - 1]?.[0] ?? ''));
      const values = isWhole ? [part] : part.startsWith('`') ? (inner.match(/\S+/g) ?? []) : [inner];
      if (!example) for (const one of values) put(one, !/^[a-z]+$/.test(one), true);
    } else if (isPause(text, from, part, parts[index - 1]?.[0]) && !(part === '?' && isOfPatterns)) {
      // It parts what stands before it from what stands behind it: "Do not delete. Archive".
      // It parts nothing behind an example that is left out, or behind "Optional", which only joins.
      const last = found.at(-1)?.text ?? '.';
      if (last !== '.' && endsStatement(text, from, part, parts[index - 1]?.[0])) put('.', true);
      const isHyphen = /^-\p{L}/u.test(text.slice(from, from + 3));
      if (PARTS.test(part) && !isHyphen) isParted = true;
      isJoined = isHyphen && /\p{L}/u.test(text[from - 1] ?? '');
    } else if (
      ARTICLES.has(part.toLowerCase()) &&
      !inValues(from) &&
      !isNameInCapitals(text, from, part) &&
      isBeforeNoun(text, from + part.length, next)
    ) {
      // Says nothing either.
    } else if (!inValues(from) && !isParted && isNamedFormat(part, [found.at(-1)?.text, found.at(-2)?.text])) {
      // Nor does this.
    } else if (
      JOINING.has(part.toLowerCase()) &&
      !inValues(from) &&
      !isNameInCapitals(text, from, part) &&
      !isOfThings(text, from, part, found.at(-1))
    ) {
      if (!example) joining.add(JOINING.get(part.toLowerCase()) as string);
    } else if (found.length === 1 && isOf(part, parts[index - 1]?.[0], next?.[0]) && !inValues(from)) {
      if (!example) joining.add('of');
    } else if (/^\d/.test(part)) {
      const isOne = isThousands(part, parts[index - 1]?.[0] ?? '', next?.[0] ?? '', isOfSeveral || inValues(from));
      if (!example) put(isOne ? part.replaceAll(',', '') : part, true);
    } else if (!example || MEANING_WORDS.has(part.toLowerCase())) {
      const begins = found.length === 0 || found.at(-1)?.text === '.';
      put(part, inValues(from) || isOperator(part, parts[index - 1]?.[0]));
      if (begins && isVerb(text, from, part, next)) (found.at(-1) as Token).verb = true;
    }
  }
  // An example that a text ends with is left out as well.
  if (found.at(-1)?.text === '.') found.pop();
  return { tokens: found, ending: joining };
};

/** Whether a word in capitals is what a query joins its terms with: "joined with OR". */
const isOperator = (part: string, last = ''): boolean =>
  /^(?:AND|NOT|OR)$/.test(part) && /^(?:by|operators?|keywords?|using|with)$/i.test(last);

/** Says that there are several numbers, which commas may part. */
const SEVERAL =
  /\b(?:ranges?|between|intervals?|from|either|one of|values?|numbers|pairs?|points?|coordinates?|lists?|ids|codes|ports|columns|several|multiple|dimensions|sizes|versions|dates|commas?)\b|[[{]/i;
/** Words before an amount. */
const BEFORE_AMOUNT =
  /^(?:to|most|least|than|max|maximum|min|minimum|over|under|about|approximately|roughly|nearly|almost)$/i;
/** Words in "s" that are no names of things: "takes 1,100 rows", not "rows 1,100". */
const TAKES = /^(?:takes|returns|holds|has|costs|allows|accepts|reads|sends|needs|gives|waits|lists|is)$/i;
/** What is counted, most probably. */
const COUNTED = /^(?!means|has|does|was|this|its|exists|stands|shows|plus|minus)[a-z]{2,}s$/;

/** Whether the commas in a number part its thousands, and not numbers: "1,000", "at most 1,100", "1,100 rows". */
const isThousands = (part: string, last: string, next: string, isOfSeveral: boolean): boolean => {
  if (!/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(part)) return false;
  // A list of numbers has no "000" or "012".
  if (/^\d+(?:,0\d\d)+(?:\.|$)/.test(part)) return true;
  if (isOfSeveral) return false;
  if (BEFORE_AMOUNT.test(last)) return true;
  if (/s$/.test(last) && !TAKES.test(last)) return false;
  return COUNTED.test(next) || kindOf({ text: next, word: next.toLowerCase() }) === 'unit';
};

/** Whether a word in capitals is a name, in a text that has others: "IT addresses", "plan A". */
const isNameInCapitals = (text: string, from: number, part: string): boolean =>
  part === part.toUpperCase() &&
  !/(?:^|[.!?:;("'\n])\s*$/.test(text.slice(Math.max(0, from - 5), from)) &&
  /\p{Ll}{2}/u.test(text);

const isBeforeNoun = (text: string, end: number, next: RegExpMatchArray | undefined): boolean =>
  next !== undefined &&
  next.index === end + 1 &&
  /\s/.test(text[end] ?? '') &&
  /^[`'"]?\p{L}{2}/u.test(next[0]) &&
  !NOT_AFTER_ARTICLE.has(next[0].toLowerCase());
