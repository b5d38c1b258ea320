import { IGNORED } from '../contract/dialect.ts';
import { sameJson } from '../contract/same.ts';
import { type Json, type JsonObject, own } from '../contract/types.ts';
import { isChecked } from '../proof/conjuncts.ts';
import { isSize } from '../proof/sizes.ts';
import { nameWords } from './name-words.ts';
import { givesIn } from './words/units.ts';

/** Keywords that other rules find, that say where something is defined, or that say nothing. */
const OTHERS = new Set(
  `$anchor $comment $defs $dynamicAnchor $id $recursiveAnchor $schema $vocabulary ${IGNORED} default definitions deprecated
  description example examples id readOnly title writeOnly x-mcp-header`.split(/\s+/),
);

/** Without an encoding, callers wrote plain text: adding or removing one gives the same value another meaning. */
const ENCODINGS = new Set(['contentEncoding', 'contentMediaType', 'contentSchema']);

/** Whether a schema itself says that it takes no text. */
const isTextless = (schema: JsonObject): boolean => {
  const type = own(schema, 'type');
  const types = Array.isArray(type) ? type : type === undefined ? ['string'] : [type];
  return !types.includes('string');
};

/** Whether a format tells what a number counts, if it is not one of a text: a format checks texts alone. */
export const isMeasure = (format: Json | undefined): boolean => typeof format === 'string' && !isSize(format);

/**
 * Whether a keyword of a schema says what a value means, and no validator checks it: its unit, its encoding.
 * @param value if it is known
 */
export const isAnnotation = (keyword: string, schema: JsonObject, value?: Json): boolean => {
  if (keyword !== 'format') return !isChecked(keyword) && !OTHERS.has(keyword);
  const isTold = value === undefined ? isTextless(schema) : typeof value !== 'string' && value !== null;
  return isTold && isMeasure(own(schema, 'format'));
};

/** Whether a keyword only arranges what forms show, without a word. */
export const isArranging = (keyword: string): boolean =>
  /^(?:(?:x-)?property[-_]?order(?:ing)?|x-(?:icon|order|widget))$/i.test(keyword);

/** Whether a keyword is about what forms show of a value, and not what it means. */
const isCosmetic = (keyword: string): boolean =>
  isArranging(keyword) || /^(?:x-)?(?:ui(?:[-_:].+)?|placeholder|error[-_]?messages?)$/i.test(keyword);

/** Whether a changed annotation gives the same value another meaning; else it was only told, or is told no longer. */
export const isMeant = (keyword: string, had: Json | undefined, has: Json | undefined): boolean =>
  ENCODINGS.has(keyword) || (had !== undefined && has !== undefined && !isCosmetic(keyword));

/** What a keyword is called without the prefix of its author: `x-unit` says what `unit` says. */
const plainKeyword = (keyword: string): string => keyword.toLowerCase().replace(/^x-|[^a-z0-9]/g, '');

/** What else was said where a keyword came: under a like keyword that went, or in a description that went. */
export const saidInstead = (keyword: string, before: JsonObject, after: JsonObject): Json | undefined => {
  const value = own(after, keyword);
  const like = Object.keys(before).find(
    (one) => !Object.hasOwn(after, one) && plainKeyword(one) === plainKeyword(keyword),
  );
  const said = own(before, like ?? 'description');
  if (like !== undefined) return sameJson(said as Json, value as Json) ? undefined : said;
  if (typeof said !== 'string' || typeof value !== 'string' || said.includes(value)) return undefined;
  return Object.hasOwn(after, 'description') ? undefined : said;
};

const LONGEST_UNIT = 40;
const IS_UNIT = /^(?:units?|uom|unitofmeasure)$/;

/**
 * Whether a unit that came or went was told nowhere else: under a like keyword, in words, or by the parameter's name. Without it,
 * a caller guessed.
 * @param other what has no such keyword
 */
export const isUntoldUnit = (keyword: string, unit: Json | undefined, other: JsonObject, name: string): boolean => {
  if (!IS_UNIT.test(plainKeyword(keyword)) || typeof unit !== 'string' || unit.length > LONGEST_UNIT) return false;
  if (Object.keys(other).some((one) => plainKeyword(one) === plainKeyword(keyword))) return false;
  const told = [own(other, 'description'), own(other, 'title'), `in ${nameWords(name).join(' ')}`];
  return !told.some((text) => typeof text === 'string' && givesIn(text, unit));
};
