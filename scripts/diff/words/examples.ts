// In which form examples give a value: "e.g. 2024-01-31" and "e.g. 31/01/2024" are two forms of one date. Which of many values
// an example shows means nothing, and its form is often all that tells a caller how to write the value.
import type { Json } from '../../contract/types.ts';

/** What begins an example, and what ends it. */
const EXAMPLE = /\b(?:e\.g\.?,?|eg[.,]?|for example[,:]?|for instance[,:]?|examples?:|such as)(?=\s)/gi;
/** Behind a comma or a dash, these words say something of the parameter again: "e.g. 20, at most 100", "e.g. EUR, of the buyer". */
const SAYS_MORE =
  `at between but by default defaults except exclusive for from if in inclusive max maximum min minimum must not of on only
  relative starting starts unless up when where which with without`
    .split(/\s+/)
    .join('|');
const EXAMPLE_END = new RegExp(
  String.raw`\.(?=\s|$)|[;()\n]|(?:,| [–—-])(?= {1,2}(?:(?:and|then) [a-z]+s (?:it|them|the)\b|(?:${SAYS_MORE}) ["'\x60\p{L}\p{N}]))`,
  'gu',
);

export type TextSpan = [from: number, to: number];

/** Quoted values, in which no mark ends anything. */
const IN_QUOTES = /`[^`\n]{0,200}`|"[^"\n]{0,80}"|(?<![\w'])'[^'\n]{0,80}'(?!\w)/g;

export const withoutQuoted = (text: string): string => text.replace(IN_QUOTES, ({ length }) => '_'.repeat(length));

/** Spans from each beginning to the first end after it. */
export const spans = (text: string, begin: RegExp, end: RegExp): TextSpan[] => {
  const found: TextSpan[] = [];
  const unquoted = withoutQuoted(text);
  for (const match of text.matchAll(begin)) {
    const from = match.index;
    if (from < (found.at(-1)?.[1] ?? 0)) continue;
    end.lastIndex = from + match[0].length;
    found.push([from, end.exec(unquoted)?.index ?? text.length]);
  }
  return found;
};

/** Quoted values, and what makes one out of the words behind "such as". */
const QUOTED_VALUE = '`[^`\\n]*`|"[^"\\n]*"|\'[^\'\\n]*\'';
const ONE_WORD = `(?:an? |the )?(?:${QUOTED_VALUE}|[A-Z]\\S*(?: [A-Z]\\S*)*|[^\\s,.;]+)`;
/** Values behind "such as" up to the end of what is said. Where it goes on, they are what it speaks of. */
const SUCH_AS = new RegExp(
  `[Ss]uch as\\s+${ONE_WORD}(?:, ${ONE_WORD})*(?:,? (?:or|and) ${ONE_WORD})?(?=\\s*(?:$|[.,;:)\\n]))`,
  'y',
);

/** What an example says of its values: "0 = Sunday", "1:on", "1000 for $10". Then it is no example, but a rule. */
const SAYS = /\b\d+[=:]\p{L}|\s(?:=|=>|->|→|is|are|means?|stands?|gives?|will)\s|[\d%] for |\d(?: [a-z]+){3}/u;
const SENTENCE_BEGINS = /(?:^|[.!?\n])\s*$/;

const isStatement = (text: string, [from, to]: TextSpan): boolean => {
  const said = text.slice(from, to).replace(new RegExp(QUOTED_VALUE, 'g'), '0');
  if (SAYS.test(said)) return true;
  // "For example, true stops it."
  return (
    /^for /i.test(said) &&
    SENTENCE_BEGINS.test(text.slice(Math.max(0, from - 5), from)) &&
    /\p{L} \p{L}/u.test(said.slice(11))
  );
};

/** How many values are looked at. */
const MOST_VALUES = 50;
const LONGEST_VALUE = 100;
const QUOTED = /^(?:`([^`]*)`|"([^"]*)"|'([^']*)')$/;

const MONTH = /^(?=.*\d)(?:\d{1,2} )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{1,4})?$/i;
/** The forms of a value that has no form of its own: one like it may be written in words. */
const OTHER = ['other', 'words'];

/** The forms of a date with the year at its end: both, if either number can be the day. */
const formsWithYearLast = (first: number, second: number, mark: string): string[] => [
  ...(second > 12 ? [] : [`day${mark}month${mark}year`]),
  ...(first > 12 ? [] : [`month${mark}day${mark}year`]),
];

/** What ends a time that says in which zone it is. */
const ZONE = /(?:Z|[-+]\d{2}(?::?\d{2})?|\b(?:UTC|GMT))$/i;

const VERSION = 'version without a letter';
/** Forms that a value is told by at sight: the first that fits. */
const AT_SIGHT: [form: string, RegExp][] = [
  ['UUID', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i],
  ['ISO 8601 duration', /^[-+]?P(?=T?\d)(?:\d+(?:\.\d+)?[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?$/],
  ['numbers with letters of units', /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/],
  ['year and month', /^\d{4}-\d{2}$/],
  ['year and week', /^\d{4}-?W\d{2}(?:-?\d)?$/],
  ['number with commas in thousands', /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/],
  ['number with dots in thousands', /^\d{1,3}(?:\.\d{3})+,\d+$/],
  ['IPv4 address', /^\d{1,3}(?:\.\d{1,3}){3}$/],
  ['hardware address', /^[\da-f]{2}(?:[:-][\da-f]{2}){5}$/i],
  ['IPv6 address', /^(?=[\da-f:.]*:[\da-f]*:)(?=.*(?:::|[a-f]))[\da-f:.]+$/i],
  ['version with its letter', /^v\d+(?:\.\d+)+$/],
  [VERSION, /^\d+(?:\.\d+){2}$/],
  ['date with the name of a month', MONTH],
  ['time of 24 hours', /^\d{1,2}:\d{2}(?::\d{2})?$/],
  ['time of 12 hours', /^\d{1,2}(?::\d{2})?\s?[ap]m$/i],
  ['offset from UTC', /^[-+]\d{2}:?\d{2}$/],
  ['phone number with its country', /^\+\d[\d ()-]{6,}$/],
  ['whole number', /^[-+]?\d{1,8}$/],
  ['decimal number', /^[-+]?\d*\.\d+$/],
  ['percentage', /^[-+]?[\d.]+\s?%$/],
  ['code of 2 small letters', /^[a-z]{2}$/],
  ['code of 2 letters', /^[A-Z]{2}$/],
  ['code of 3 letters', /^[A-Z]{3}$/],
  ['cell of a named sheet', /^[^!\s]{1,60}!\$?[A-Z]{1,3}\$?\d+/],
  ['cell by row and column', /^R\d+C\d+$/],
  ['identifier of capitals and digits', /^(?=.*\d)(?=.*[A-Z])[A-Z\d]{7,}$/],
  ['full name of a branch or tag', /^refs\/(?:heads|tags)\//],
  ['name in capitals', /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/],
  ['colour in hexadecimal digits', /^#[\da-f]{3,8}$/i],
  ['last name, first name', /^\p{L}[\p{L}'-]*, \p{L}/u],
  ['width and height', /^\d+x\d+$/i],
  ['ending of a file with its dot', /^\.[a-z]\w{0,5}$/i],
  ['function of a style', /^[a-z]+\([^()]*\)$/i],
  ['identifier with its kind', /^[a-z]{2,8}_(?=\w*\d)[A-Za-z\d]{8,}$/],
  ['email address', /^[^\s@]+@[^\s@]+\.\w+$/],
  ['address', /^https?:\/\//i],
  ['path in any depth', /^\/\//],
  ['network', /^\d+(?:\.\d+){3}\/\d+$/],
  ['absolute path', /^\/[^\s/]/],
  ['words', /^\p{L}[\p{L}\s'-]*$/u],
];

const DAY_OR_MONTH =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|(?:septem|octo|novem|decem)ber)$/i;
const SHORT_DAY_OR_MONTH = /^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$/i;

/** Signs by which languages for patterns, queries and paths differ. */
const SIGNS = /[*^$=&|<>{}[\]\\#@~]|(?<=\w):(?=\w)/g;
const CRON = /^[\d*/,?LW#-]+(?: [\d*/,?LW#A-Z-]+){4,6}$/;

/** The forms that a value may have; none for what only looks like prose. */
const formsOf = (value: string): string[] => {
  if (value === '' || value.length > LONGEST_VALUE) return [];
  const [, dash, time = ''] = /^\d{4}([-/.])\d{1,2}\1\d{1,2}(.*)$/s.exec(value) ?? [];
  if (dash !== undefined)
    return [`year${dash}month${dash}day${time && ` and time${ZONE.test(time) ? ' and zone' : ''}`}`];
  const [, first, mark = '', second] = /^(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d{2})(?!\d)/.exec(value) ?? [];
  // "1.2.10" may be a date or a version.
  if (mark !== '')
    return [...formsWithYearLast(Number(first), Number(second), mark), ...(mark === '.' ? [VERSION] : [])];
  // Seconds and milliseconds since 1970, and identifiers.
  if (/^\d{9,}$/.test(value)) return [`${value.length} digits`];
  if (CRON.test(value)) return [`cron line of ${value.split(' ').length} fields`];
  if (DAY_OR_MONTH.test(value)) return ['name of a day or month', ...OTHER];
  // "MAR" may be a country.
  if (SHORT_DAY_OR_MONTH.test(value))
    return ['short name of a day or month', ...(/^[A-Z]+$/.test(value) ? ['code of 3 letters'] : [])];
  if (/^[PS]\d$/.test(value)) return ['rank by letter and digit'];
  // "A1" is a cell, or a name like others.
  if (/^[A-Z]{1,3}\d{1,4}$/.test(value)) return ['cell by letters and number', ...OTHER];
  // Some keys are written in small letters, which are a name like others.
  if (/^[A-Z]{2,10}-\d+$/.test(value)) return ['key with its number', 'other'];
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(value)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^https?$/.test(scheme)) return [`address with ${scheme}`];
  const form = AT_SIGHT.find(([, pattern]) => pattern.test(value))?.[0];
  if (form !== undefined) return [form];
  const signs = new Set(value.match(SIGNS));
  if (signs.size > 0) return [`text with ${[...signs].sort().join('')}`];
  return /\s/.test(value) && /\p{Ll}{2}/u.test(value) ? [] : OTHER;
};

/** Where a text gives examples. */
export const exampleSpans = (text: string): TextSpan[] =>
  spans(text, EXAMPLE, EXAMPLE_END).filter((span) => {
    if (isStatement(text, span)) return false;
    const begins = text.slice(span[0], span[0] + 7).toLowerCase();
    SUCH_AS.lastIndex = span[0];
    return begins !== 'such as' || text[span[0] - 1] === '(' || SUCH_AS.test(text);
  });

const withoutQuotes = (part: string): string => {
  const bare = part.replace(/[.,:!?]{1,3}$/, '');
  return (QUOTED.exec(bare) ?? []).slice(1).find((inner) => inner !== undefined) ?? bare;
};

/** What stands between quotes, or up to a comma, "or" or "and". */
const ONE_VALUE = /(?:`[^`]*`|"[^"]*"|(?! (?:or|and) |, ).)+/g;

/** The values of each example that a text gives; what stands between quotes is one value. */
const valuesIn = (text: string): string[][] =>
  exampleSpans(text).map(([from, to]) =>
    (text.slice(from, to).replace(EXAMPLE, '').replace(/\s+/g, ' ').match(ONE_VALUE) ?? [])
      .map((part) => part.trim().replace(/^(?:or|and) /, ''))
      .filter((part) => part.length <= LONGEST_VALUE)
      .map(withoutQuotes),
  );

/** The same parts in each order, with any marks between them, or with a capital letter: "user_id" and "userId". */
const inAnyOrder = (value: string): string =>
  (
    value
      .replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ')
      .toLowerCase()
      .match(/\d+(?:\.\d+)*|\p{L}+/gu) ?? []
  )
    .sort()
    .join(' ');

/** Whether the values are the same parts in another order, or with another sign; or one is the end of the other. */
const isSameOtherwise = (old: string, now: string): boolean => {
  const [one, other] = [old, now].map((value) => value.toLowerCase().replace(/[/.\s]+$/, '')) as [string, string];
  if (one === other || inAnyOrder(old) === '') return false;
  if (inAnyOrder(old) === inAnyOrder(now)) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length > 1 && long.endsWith(short) && /[/:@#]$/.test(long.slice(0, -short.length));
};

const isOtherForm = (had: readonly string[], has: readonly string[]): boolean => {
  const [before, after] = [had, has].map((values) =>
    values.slice(0, MOST_VALUES).filter(({ length }) => length <= LONGEST_VALUE),
  ) as [string[], string[]];
  const [old, now] = [before, after].map((values) => new Set(values.flatMap(formsOf))) as [Set<string>, Set<string>];
  if (old.size > 0 && now.size > 0 && ![...now].some((form) => old.has(form))) return true;
  // "Doe, John" and "John Doe".
  const isRegrouped = before.length !== after.length && inAnyOrder(before.join(' ')) === inAnyOrder(after.join(' '));
  if (isRegrouped) return true;
  const came = after.filter((value) => !before.includes(value));
  return before.some((value) => !after.includes(value) && came.some((one) => isSameOtherwise(value, one)));
};

/** Whether the examples in one text give their values in another form than those in another text. */
export const showOtherForm = (before: string, after: string): boolean => {
  const [had, has] = [valuesIn(before), valuesIn(after)];
  // As many of them may be of as many things.
  const isEach = had.length === has.length && had.some((values, at) => isOtherForm(values, has[at] as string[]));
  return isEach || isOtherForm(had.flat(), has.flat());
};

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The same for two lists of examples. */
export const areOtherForm = (before: Json | undefined, after: Json | undefined): boolean =>
  Array.isArray(before) && Array.isArray(after) && isOtherForm(before.map(textOf), after.map(textOf));
