import { endOfString, parseBounded } from '../contract/read.ts';
import { isObject, type Json, type JsonObject } from '../contract/types.ts';

/** How many opening braces are tried: prose can be full of them. */
const MOST_STARTS = 100;
/** How many characters are read in total, from all of them. */
const MOST_SCANNED = 40 * 1024 * 1024;

/** An object in a text, at an offset: its value, or why it cannot be parsed. */
export type Candidate = { at: number; value: JsonObject } | { at: number; why: string };

/** The end of the object that begins at `from`; -1 if it has none. Braces inside of strings do not count. */
const endOf = (text: string, from: number, limit: number): number => {
  let depth = 0;
  const last = Math.min(text.length, from + limit);
  for (let at = from; at < last; at++) {
    const char = text.charCodeAt(at);
    if (char === 34) at = endOfString(text, at + 1);
    else if (char === 123) depth++;
    else if (char === 125 && --depth === 0) return at + 1;
  }
  return -1;
};

const parse = (text: string): Json | Error => {
  try {
    return parseBounded(text);
  } catch (error) {
    return error as Error;
  }
};

/** Longest object that is read from a program's string, in UTF-16 units. */
const MOST_ESCAPED = 64 * 1024;

/** Reads an object in a program's string, where its quotes are escaped: `{\"a\": 1}`. */
const readEscaped = (text: string, at: number): Json | Error => {
  const plain = text.slice(at, at + MOST_ESCAPED).replace(/\\(["\\])/g, '$1');
  return parse(plain.slice(0, Math.max(0, endOf(plain, 0, MOST_ESCAPED))));
};

/** The payload, if the value is the arguments of a twin, which hold it as a text; else the value itself. */
const inside = (value: Json | Error): Json | Error => {
  if (value instanceof Error || !isObject(value)) return value;
  const { payload } = value as JsonObject;
  return Object.keys(value).length === 1 && typeof payload === 'string' ? parse(payload) : value;
};

/** The outermost objects in a text, in order; those inside of a readable one are not listed. */
export const candidatesIn = (text: string): Candidate[] => {
  const candidates: Candidate[] = [];
  let scanned = 0;
  let at = text.indexOf('{');
  for (let tries = 0; at >= 0 && tries < MOST_STARTS && scanned < MOST_SCANNED; tries++) {
    const start = text.slice(at, at + 100);
    const escaped = /^\{\s*\\"/.test(start);
    const end = escaped ? -1 : endOf(text, at, MOST_SCANNED - scanned);
    scanned += escaped ? MOST_ESCAPED : (end < 0 ? text.length : end) - at;
    const found = escaped ? readEscaped(text, at) : parse(text.slice(at, Math.max(at, end)));
    const value = inside(found);
    if (value instanceof Error) {
      // `{name}` and `{ … }` in prose are not examples; something with a quoted key is meant as one.
      if (/^\{\s*\\?["']/.test(start)) candidates.push({ at, why: value.message });
    } else if (isObject(value)) candidates.push({ at, value: value as JsonObject });
    at = text.indexOf('{', found instanceof Error || end < 0 ? at + 1 : end);
  }
  return candidates;
};
