// What a description says of each value of a choice: "eco: saves energy; boost: full power for 1 hour".
import { type Json, own } from '../../contract/types.ts';
import type { Finding } from '../types.ts';
import { compareTexts, type TextContext } from './compare.ts';

/** More values, longer names of them, and longer texts are not read. In UTF-16 units of all. */
const MOST_VALUES = 50;
const LONGEST_NAMES = 1_000;
const LONGEST = 5_000;

/** A number of which a text tells what it means: "1 = urgent". */
const NUMBER = /(?<![\w.-])-?\d{1,6}(?=[ \t]?[=:→][ \t]{0,2}\p{L})/gu;
/** Undefined if numbers between them are told of nowhere, or their meanings may go on: "0 = Sunday, 6 = Saturday". */
const numbersIn = (text: string): number[] | undefined => {
  const numbers = (text.match(NUMBER) ?? []).map(Number);
  const isWhole = Math.max(...numbers) - Math.min(...numbers) === numbers.length - 1;
  return isWhole && !/…|\.{3}|\betc\b|\bso on\b/.test(text) ? numbers : undefined;
};

/** The values of which a call chooses one; undefined if they are not known. A call can give several elements of an array. */
const choiceOf = (schema: Json, text: string): readonly Json[] | undefined => {
  const type = own(schema, 'type');
  const told = type === 'integer' || type === 'number' ? numbersIn(text) : undefined;
  const listed = own(schema, 'enum') ?? (type === 'boolean' ? [true, false] : told);
  if (!Array.isArray(listed) || listed.length < 2 || listed.length > MOST_VALUES) return undefined;
  if (listed.map(String).join('').length > LONGEST_NAMES) return undefined;
  return listed.every((value) => value !== null && value !== '' && typeof value !== 'object') ? listed : undefined;
};

const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}_\s]/gu, String.raw`\$&`);

/** Where a text begins to tell what a value means. Its groups: `quote`, and `value`. */
const labelsOf = (values: readonly Json[]): RegExp => {
  // The longest comes first: "read-all", and "read".
  const names = values.map(String).sort((one, other) => other.length - one.length);
  const name = String.raw`(?<quote>["'\x60*]{0,3})(?<value>${names.map(escaped).join('|')})\k<quote>`;
  return new RegExp(String.raw`(?<=^|[\s(;,|])${name}[ \t]{0,2}(?:=|:|→|->|—|–|-(?=\s)|\bmeans\b)\s{0,2}`, 'g');
};

/** What tells of more values than one, or of a call that gives none. */
const OF_OTHERS =
  /\b(?:both|defaults?|neither|omitted|others|otherwise|unset)\b|\b(?:all|any|each|either|every|other|these|those)(?: (?:of|other|the|these|those))*(?: \w+)? (?:actions?|calls?|cases?|choices?|kinds?|methods?|modes?|operations?|options?|requests?|types?|values?)\b/i;
/** What refers to another value without its name. */
const REFERS = /\b(?:above|below|former|latter|previous|same)\b/i;

const END = /[.!?](?=\s|$)|[;|\n]/;
/** What may stand in a line before the value that it tells of: the mark of an item. */
const MARK = /(?:^|\n)[ \t]{0,20}(?:[-*•] ?|\d{1,3}[.)] ?)?["'`*]{0,3}$/;

/** What stands between two values and says nothing. */
const SEPARATES = /^[,;.|]?\s*(?:and|or)?["'`*]*$/;

/** What a text says of each value, and what else it says. */
interface ByValue {
  parts: Map<Json, string>;
  rest: string;
}

/** Reads a text of which each value has a line of its own. What follows the last one's first sentence may be about all. */
const readLines = (text: string, labels: readonly RegExpExecArray[]): string[] | undefined => {
  if (!labels.every(({ index }) => MARK.test(text.slice(Math.max(0, index - 40), index)))) return undefined;
  return labels.map(({ index, 0: label }, at) => {
    const line = text.slice(index + label.length).split('\n', 1)[0] ?? '';
    const end = at === labels.length - 1 ? line.search(END) : -1;
    return end === -1 ? line : line.slice(0, end);
  });
};

/** Reads a text that tells of the values in a row. Each part ends with its sentence. */
const readRow = (text: string, labels: readonly RegExpExecArray[]): string[] | undefined => {
  const parts = labels.map(({ index, 0: label }, at) => {
    const said = text.slice(index + label.length, labels[at + 1]?.index);
    const end = said.search(END);
    return (end === -1 ? said : said.slice(0, end)).replace(/[\s,]+(?:and|or)?\s*$/, '');
  });
  // A comma parts values. Where it may also be part of what is said, the last one may go on with what is said of all.
  const isUnclear = parts.some((part) => part.includes(',')) || /[()]/.test(parts.at(-1) ?? '');
  return isUnclear ? undefined : parts;
};

/** Undefined if a text does not tell of each value exactly once, or if it is unclear where that ends. */
const readByValue = (text: string, values: readonly Json[]): ByValue | undefined => {
  const labels = [...text.matchAll(labelsOf(values))];
  const named = labels.map(({ groups }) => groups?.value);
  if (labels.length !== values.length || new Set(named).size !== values.length) return undefined;
  const told = readLines(text, labels) ?? readRow(text, labels);
  if (told === undefined || told.some((part) => part.trim() === '')) return undefined;
  const byName = new Map(values.map((value) => [String(value), value]));
  const parts = new Map(told.map((part, at) => [byName.get(named[at] ?? '') as Json, part.trim()]));
  const between = told.map((part, at) => {
    const { index = 0, 0: label = '' } = labels[at] ?? {};
    return text.slice(index + label.length + part.length, labels[at + 1]?.index);
  });
  const rest = [text.slice(0, labels[0]?.index), ...between].map((one) => one.replace(MARK, '').trim());
  return { parts, rest: rest.filter((one) => !SEPARATES.test(one)).join('\n') };
};

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}_-]+/u);

/** Which values of a choice a description tells something else about now. */
type ToldValues = Pick<Finding, 'values' | 'sameValues'>;

/**
 * The values of a choice that a description tells something else about now, of those that there were and are; or those that
 * mean what they did, where a call may give others. For that, it has to tell of each value, once, and nothing else in it may
 * have changed; otherwise undefined.
 */
export const valuesToldAnew = (
  [before, after]: readonly [Json, Json],
  [had, has]: readonly [string, string],
  context: TextContext,
): ToldValues | undefined => {
  if (had.length + has.length > LONGEST) return undefined;
  const [values, now] = [choiceOf(before, had), choiceOf(after, has)];
  if (values === undefined || now === undefined) return undefined;
  const [old, latest] = [readByValue(had, values), readByValue(has, now)];
  if (old === undefined || latest === undefined || old.rest !== latest.rest) return undefined;
  const all = new Set([...values, ...now]);
  const names = new Set([...all].map(String));
  const changed = new Set([...all].filter((value) => old.parts.get(value) !== latest.parts.get(value)).map(String));
  const isUnclear = ([value, told]: [Json, string]): boolean => {
    const named = wordsOf(told).filter((word) => word !== String(value) && names.has(word));
    if (REFERS.test(told)) return true;
    return changed.has(String(value))
      ? named.length > 0 || OF_OTHERS.test(told)
      : named.some((word) => changed.has(word));
  };
  if ([old, latest].some(({ parts }) => [...parts].some(isUnclear))) return undefined;
  const kept = values.filter((value) => now.includes(value));
  // Where most numbers mean something else, so may one that is not told of.
  const isOpen = typeof values[0] === 'number' && own(before, 'enum') === undefined;
  if (isOpen && changed.size * 2 > kept.length) return undefined;
  const isAnew = (value: Json): boolean => {
    const { change } = compareTexts(old.parts.get(value) ?? '', latest.parts.get(value) ?? '', {
      ...context,
      isOfValue: true,
    });
    return change === 'meaning' || change === 'widened';
  };
  // The text does not tell of all numbers that a call may give.
  return isOpen ? { sameValues: kept.filter((value) => !isAnew(value)) } : { values: kept.filter(isAnew) };
};
