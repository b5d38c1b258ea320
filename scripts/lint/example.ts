import { parseBounded } from '../contract/read.ts';
import { isObject, type Json, type JsonObject } from '../contract/types.ts';

/** So many braces are tried: prose is full of them. */
const MOST_STARTS = 100;
/** As many characters are looked at for all of them. */
const MOST_SCANNED = 40 * 1024 * 1024;

/** An object in a text: what it says, or why it cannot be read. */
export type Candidate = { at: number; value: JsonObject } | { at: number; why: string };

/** Where the object that begins at `from` ends; -1 where it does not. Braces within its strings do not count. */
const endOf = (text: string, from: number, limit: number): number => {
  let [depth, inString] = [0, false];
  const last = Math.min(text.length, from + limit);
  for (let at = from; at < last; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 92) at++;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
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

/** As far as an object in the string of a program may go. */
const MOST_ESCAPED = 64 * 1024;

/** An object as it stands in the string of a program, with its quotes escaped: `{\"a\": 1}`. */
const readEscaped = (text: string, at: number): Json | Error => {
  const plain = text.slice(at, at + MOST_ESCAPED).replace(/\\(["\\])/g, '$1');
  return parse(plain.slice(0, Math.max(0, endOf(plain, 0, MOST_ESCAPED))));
};

/** The arguments of a twin hold the payload as a text. */
const inside = (value: Json | Error): Json | Error => {
  if (value instanceof Error || !isObject(value)) return value;
  const { payload } = value as JsonObject;
  return Object.keys(value).length === 1 && typeof payload === 'string' ? parse(payload) : value;
};

/** The whole objects in a text, in their order. What stands in one that can be read is no candidate of its own. */
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
      // `{name}` and `{ … }` in prose are no examples; what has a quoted key was meant as one.
      if (/^\{\s*\\?["']/.test(start)) candidates.push({ at, why: value.message });
    } else if (isObject(value)) candidates.push({ at, value: value as JsonObject });
    at = text.indexOf('{', found instanceof Error || end < 0 ? at + 1 : end);
  }
  return candidates;
};
