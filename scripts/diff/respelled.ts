// Whether a default is the same value in another spelling: "merge" and "MERGE", "in_progress" and "in-progress", "10" and 10.

import { isObject, type Json, type JsonObject, own } from '../contract/types.ts';
import { nameWords } from './name-words.ts';
import { opened } from './references.ts';
import type { SchemaPair } from './types.ts';
import { kindOf } from './words/kinds.ts';
import { textsAllowed } from './words/values.ts';

/** A word or a few. Shorter ones, patterns, paths and code may be other ones in another case: `m` and `M`. */
const WORDS = /^\p{L}[\p{L}\p{N}]*(?:[ _-]+[\p{L}\p{N}]+)*$/u;
const LEAST_LETTERS = 3;
/** The letters by which dates and times are written: in "YYYY-mm", their case matters. */
const OF_DATE = /^(?=.*(?:yy|mm|dd|hh|ss))[ymdhsaz _-]+$/i;

/** Short for a unit: an "Mb" is no "MB". */
const isUnitSign = (text: string): boolean =>
  text.length <= LEAST_LETTERS && text.toLowerCase() !== 'day' && kindOf({ text, word: text.toLowerCase() }) === 'unit';

const inOneSpelling = (text: string): string => text.toLowerCase().replace(/[ _-]+/g, '');

/** What such values are of, where no list shows all of them. */
const OF_CHOICE =
  /^(?:direction|kind|level|method|mode|order|ordering|priority|severity|state|status|strategy|type|visibility)$/;
/** What they are of where their case may matter. */
const OF_NAMES =
  /^(?:attribute|branch|by|column|expression|field|file|format|host|id|key|label|name|path|pattern|property|regex|tag)s?$/;
/** The beginning of a text says what a parameter is, in UTF-16 units and in words. */
const LONGEST_BEGINNING = 200;
const MOST_WORDS = 5;

const isOfChoice = ({ after, parameter }: SchemaPair): boolean => {
  const told = String(own(after, 'description') ?? '').slice(0, LONGEST_BEGINNING);
  const name = nameWords(parameter.findLast((step) => step !== '*') ?? '');
  const words = [...name, ...nameWords(told).slice(0, MOST_WORDS)];
  return words.some((word) => OF_CHOICE.test(word)) && !words.some((word) => OF_NAMES.test(word));
};

/** The texts that a value may be, also beside null, and in a definition of the same schema. */
const listed = (schema: JsonObject, root: Json): ReadonlySet<string> => {
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => own(schema, keyword) ?? []).filter(isObject);
  const opens = parts.map((part) => opened(part as JsonObject, root).schema);
  return new Set([schema, ...opens].flatMap((one) => [...textsAllowed(one)]));
};

const isSameText = (pair: SchemaPair, had: string, has: string): boolean => {
  const same = inOneSpelling(had);
  if (same !== inOneSpelling(has) || [had, has].some((text) => !WORDS.test(text) || OF_DATE.test(text))) return false;
  if (same.length < LEAST_LETTERS || isUnitSign(had) || isUnitSign(has)) return false;
  // To definitions of the old schema, no way leads from here.
  const lists = [listed(pair.before, {}), listed(pair.after, pair.root)].filter(({ size }) => size > 0);
  // Where a list has both spellings, they are two values.
  const isOnly = lists.every((values) => [...values].filter((value) => inOneSpelling(value) === same).length === 1);
  return isOnly && (lists.length > 0 || isOfChoice(pair));
};

/** Longer lists are not compared by their elements. */
const MOST_ELEMENTS = 50;
const isShort = (had: Json[], has: Json[]): boolean => had.length === has.length && had.length <= MOST_ELEMENTS;

/** Whether a default is the same value in another spelling. */
export const isRespelled = (pair: SchemaPair, had: Json | undefined, has: Json | undefined): boolean => {
  if (typeof had === 'string' && typeof has === 'string') return isSameText(pair, had, has);
  if (Array.isArray(had) && Array.isArray(has))
    return isShort(had, has) && had.every((one, at) => one === has[at] || isRespelled(pair, one, has[at]));
  const plain = [typeof had, typeof has];
  return plain.every((type) => /^(?:boolean|number|string)$/.test(type)) && had !== has && String(had) === String(has);
};
