// The forms in which the parts of a text are compared: what means the same gets the same form.

import { isJoining } from './function-words.ts';
import { isBrand, kindOf } from './kinds.ts';
import { isPlacedOrder, SORTS } from './orders.ts';
import { type TextPart, textBefore } from './parts.ts';
import { inOneWord } from './spelling.ts';

/** Of a word, a number, a sign or a value. */
export interface TokenForm {
  /** As it is compared. */
  text: string;
  /** In lower case, for looking up its kind. */
  word: string;
  /** It was in quotes or marked as code: a value or a name, whatever the word is. */
  quoted: boolean;
}

/** What a text is about, where that tells what its parts mean. */
export interface TextTopics {
  quotes: boolean;
  code: boolean;
  severalNumbers: boolean;
  /** Says in which order things are, so that an "order" is none that a customer places. */
  sorts: boolean;
}

/** Says that the kind of quotation marks matters. */
const OF_QUOTES = /\b(?:quot(?:e[sd]?|ing|ation)|enclosed?|wrap(?:ped)?|backticks?|written as)\b/i;
/** Says that what is compared with a quoted value is code. */
const OF_CODE = /\b(?:sql|jql|where|clauses?|quer(?:y|ies)|expressions?|filters?)\b/i;
/** Says that there are several numbers, which commas may part. */
const SEVERAL =
  /\b(?:ranges?|between|intervals?|from|either|one of|values?|numbers|pairs?|points?|coordinates?|lists?|ids|codes|ports|columns|several|multiple|dimensions|sizes|versions|dates|commas?)\b|[[{]/i;

export const topicsOf = (text: string): TextTopics => ({
  quotes: OF_QUOTES.test(text),
  code: OF_CODE.test(text),
  severalNumbers: SEVERAL.test(text),
  sorts: SORTS.test(text),
});

/** Symbols of units: a capital letter makes another unit. */
const UNIT_SYMBOLS: ReadonlySet<string> = new Set(
  `m mm cm km s ms us ns nm min h b kb mb gb tb kib mib gib k g kg mg t l ml hz khz mhz ghz w kw mw v a pa j ev cal`.split(
    /\s+/,
  ),
);
/** Letters of a date's or time's form, as "yyyy" and "HH", and units of data: there, a capital letter is another one. */
const BY_CASE = /^(?:y{2,4}|m{2,4}|d{2}|h{2}|s{2,3}|[kmgtp]?i?b(?:ps)?)$/i;
const CODE = /[_$\d\\/]|[a-z][A-Z]|\w\.\w/;
const IS_WORD = /^\p{L}/u;

/** Words in capitals that people also write in small letters. */
const ALSO_SMALL =
  /^(?:api|apis|ascii|cli|css|csv|dns|html|http|https|ids|ios|ip|iso|json|jwt|mcp|oauth|pdf|png|rest|sdk|sql|ssh|ssl|svg|tls|ui|uri|uris|url|urls|utf|uuid|uuids|xml|yaml|yes)$/;
/** Kinds of words that people emphasize. */
const EMPHATIC: ReadonlySet<string | undefined> = new Set(['condition', 'default', 'duty', 'negation', 'order']);
/** Whether a word in capitals is another one in small letters: it is a name, as "GET" and "DEBUG". */
const keepsCapitals = (part: string, word: string): boolean =>
  /^[A-Z]{3,}$/.test(part) && !ALSO_SMALL.test(word) && !isJoining(word) && !EMPHATIC.has(kindOf({ text: word, word }));

/** Whether a part in another spelling, or with other capital letters, is another one. */
const isExact = (part: string, word: string): boolean =>
  !IS_WORD.test(part) ||
  CODE.test(part) ||
  (UNIT_SYMBOLS.has(word) && part !== word) ||
  BY_CASE.test(part) ||
  keepsCapitals(part, word) ||
  part.length === 1;

/** Whether a word in capitals is what a query joins its terms with: "joined with OR". */
const isOperator = ({ text, previous }: TextPart): boolean =>
  /^(?:AND|NOT|OR)$/.test(text) && /^(?:by|operators?|keywords?|using|with)$/i.test(previous);

const exactly = (text: string, quoted = false): TokenForm => ({ text, word: text.toLowerCase(), quoted });

const formOfWord = (part: TextPart, topics: TextTopics): TokenForm => {
  const { text, word } = part;
  const isSame = part.inValues || isOperator(part) || (isExact(text, word) && !isBrand(word));
  if (isSame) return exactly(text);
  // The plural means no sequence.
  return { text: inOneWord(word), word: !topics.sorts && isPlacedOrder(part) ? 'orders' : word, quoted: false };
};

/** Words before an amount. */
const BEFORE_AMOUNT =
  /^(?:to|most|least|than|max|maximum|min|minimum|over|under|about|approximately|roughly|nearly|almost)$/i;
/** Words in "s" that are no names of things: "takes 1,100 rows", not "rows 1,100". */
const TAKES = /^(?:takes|returns|holds|has|costs|allows|accepts|reads|sends|needs|gives|waits|lists|is)$/i;
/** What is counted, most probably. */
const COUNTED = /^(?!means|has|does|was|this|its|exists|stands|shows|plus|minus)[a-z]{2,}s$/;

/** Whether the commas in a number part its thousands, and not numbers: "1,000", "at most 1,100", "1,100 rows". */
const isThousands = ({ text, previous, next }: TextPart, areSeveral: boolean): boolean => {
  if (!/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(text)) return false;
  // A list of numbers has no "000" or "012".
  if (/^\d+(?:,0\d\d)+(?:\.|$)/.test(text)) return true;
  if (areSeveral) return false;
  if (BEFORE_AMOUNT.test(previous)) return true;
  if (/s$/.test(previous) && !TAKES.test(previous)) return false;
  return COUNTED.test(next) || kindOf({ text: next, word: next.toLowerCase() }) === 'unit';
};

/** Parts of an address that only say which version of a page is meant. */
const PAGE_VERSION =
  /(?<=[/@])(?:v?\d+(?:\.(?:\d+|x))*|\d{4}-\d{2}-\d{2}|latest|stable|current|main|master)(?=[/#?]|$)/g;
/** What says that an address is that of a page to read: then its version means nothing. */
const IS_PAGE =
  /\b(?:docs?|documentation|developers?|details|guide|guides|help|learn|manual|more|read|reference|refer|see|spec|specification)\b/i;
/** What a program calls, and no person reads: "api.example.com", unless the address itself says otherwise. */
const IS_API = /^https?:\/\/(?:api\.|[^/]+\/api\/)/i;

/** A reader is sent to it. */
const POINTED_TO = /\b(?:see|docs|documentation|more at|details at|refer to):? $/i;
const PAGE = /^(https?:\/\/[^/]+)\/(?:[^?#]*\/)?([a-z][\w-]*[a-z](?:\.html?)?)$/i;

const formOfAddress = (part: TextPart): string => {
  const written = part.text.replace(/[.,;:/]+$/, '');
  const isPage = IS_PAGE.test(IS_API.test(written) ? written : `${textBefore(part, 40)} ${written}`);
  if (!isPage) return written;
  const bare = written.replace(/^http:/, 'https:');
  // A page that moved keeps its name.
  const [, host, name] = POINTED_TO.test(textBefore(part, 20)) ? (PAGE.exec(bare) ?? []) : [];
  return host === undefined || IS_API.test(bare) ? bare.replace(PAGE_VERSION, 'VERSION') : `${host}/${name}`;
};

const QUOTED_PART = /^(?:`(.*)`|'(.*)'|"(.*)")$/s;

const NO_VALUE = /^(?:null|undefined)$/;

/** What stands between quotes is one value; between backticks it may be several names. */
const valuesIn = (part: TextPart, inner: string, topics: TextTopics): readonly string[] => {
  if (topics.quotes || (topics.code && /^[<>=!]+$/.test(part.previous))) return [part.text];
  // The text "null" is not the value null.
  if (NO_VALUE.test(inner) && !part.text.startsWith('`')) return [`"${inner}"`];
  return part.text.startsWith('`') ? (inner.match(/\S+/g) ?? []) : [inner];
};

/** What a part says: nearly always one thing. */
export const formsOf = (part: TextPart, topics: TextTopics): TokenForm[] => {
  const { text } = part;
  if (text.startsWith('http')) return [exactly(formOfAddress(part))];
  const [isQuoted, ...inner] = QUOTED_PART.exec(text) ?? [];
  if (isQuoted !== undefined)
    return valuesIn(part, inner.find((one) => one !== undefined) ?? '', topics).map((one) => exactly(one, true));
  if (/^\d/.test(text))
    return [exactly(isThousands(part, topics.severalNumbers || part.inValues) ? text.replaceAll(',', '') : text)];
  return [formOfWord(part, topics)];
};
