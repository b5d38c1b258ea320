// What a description says of each value of a choice: "eco: saves energy; boost: full power for 1 hour".
import { type Json, own } from '../../contract/types.ts';
import { compareTexts, type TextContext } from './compare.ts';

/** More values, longer names of them, and longer texts are not read. In UTF-16 units of all. */
const MOST_VALUES = 50;
const LONGEST_NAMES = 1_000;
const LONGEST = 5_000;

/** The values of a choice that is one of few; undefined for any other schema. An array holds several, so it is none. */
const choiceOf = (schema: Json): readonly Json[] | undefined => {
  const listed = own(schema, 'enum') ?? (own(schema, 'type') === 'boolean' ? [true, false] : undefined);
  if (!Array.isArray(listed) || listed.length < 2 || listed.length > MOST_VALUES) return undefined;
  if (listed.map(String).join('').length > LONGEST_NAMES) return undefined;
  return listed.every((value) => value !== null && value !== '' && typeof value !== 'object') ? listed : undefined;
};

const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}_\s]/gu, String.raw`\$&`);

/** Where a text begins to tell what a value means. Its groups: what stands between it and the value before, and the value. */
const labelsOf = (values: readonly Json[]): RegExp => {
  // The longest comes first: "read-all", and "read".
  const names = values.map(String).sort((one, other) => other.length - one.length);
  const name = String.raw`(?<quote>["'\x60*]{0,3})(?<value>${names.map(escaped).join('|')})\k<quote>`;
  return new RegExp(String.raw`(?<=^|[\s(;,|])${name}[ \t]{0,2}(?:=|:|→|->|—|–|-(?=\s)|\bmeans\b)\s{0,2}`, 'gu');
};

/** What would be about more than one value, or about a call that gives none. */
const OF_OTHERS =
  /\b(?:all|any|both|defaults?|each|either|every|neither|omitted|others?|otherwise|same|unless|unset)\b/i;
const END = /[.!?](?=\s|$)|[;|\n]/;

/**
 * What a text says of each value, and the rest of the text; undefined if it does not tell of each exactly once, or if it is
 * unclear where that ends.
 */
const readByValue = (text: string, values: readonly Json[]): { parts: Map<Json, string>; rest: string } | undefined => {
  const found = [...text.matchAll(labelsOf(values))];
  const named = found.map(({ groups }) => groups?.value);
  if (found.length !== values.length || new Set(named).size !== values.length) return undefined;
  const rest = [text.slice(0, found[0]?.index)];
  const parts = new Map<Json, string>();
  for (const [at, { index = 0, 0: label }] of found.entries()) {
    const isLast = at === found.length - 1;
    const said = text.slice(index + label.length, found[at + 1]?.index);
    const end = said.search(END);
    // A comma parts values. If it may also be part of what is said, the last one may go on with what is said of all.
    const told = (end === -1 ? said : said.slice(0, end)).replace(/[\s,]+(?:and|or)?\s*$/, '');
    if (told.includes(',') || (isLast && /[()]/.test(told))) return undefined;
    const value = values.find((one) => String(one) === named[at]);
    if (value === undefined || told === '') return undefined;
    parts.set(value, told);
    rest.push(end === -1 ? '' : said.slice(end));
  }
  return { parts, rest: rest.join(' ') };
};

/**
 * The values of a choice that a description tells something else about now. For that, it has to tell of each value, once, and
 * nothing else in it may have changed; otherwise undefined.
 */
export const valuesToldAnew = (
  [before, after]: readonly [Json, Json],
  [had, has]: readonly [string, string],
  context: TextContext,
): Json[] | undefined => {
  const [values, now] = [choiceOf(before), choiceOf(after)];
  if (values === undefined || now === undefined || had.length + has.length > LONGEST) return undefined;
  if (values.length !== now.length || !values.every((value) => now.includes(value))) return undefined;
  const [old, latest] = [readByValue(had, values), readByValue(has, values)];
  if (old === undefined || latest === undefined) return undefined;
  if (old.rest.trim() !== latest.rest.trim()) return undefined;
  const changed = values.filter((value) => {
    const [one = '', other = ''] = [old.parts.get(value), latest.parts.get(value)];
    return compareTexts(one, other, { ...context, isOfValue: true }).change !== 'same';
  });
  const others = new Set(values.map(String));
  const isOfOthers = (text: string, value: Json): boolean =>
    OF_OTHERS.test(text) || text.split(/[^\p{L}\p{N}_-]+/u).some((word) => word !== String(value) && others.has(word));
  const isClear = [old, latest].every(({ parts }) => ![...parts].some(([value, told]) => isOfOthers(told, value)));
  return isClear && changed.length > 0 ? changed : undefined;
};
