import { endOfString } from '../contract/read.ts';
import { isObject, type Json, type JsonObject } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { PayloadError } from './errors.ts';
import type { PayloadLimits } from './gateway.d.ts';

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 100;

/** An object or array that is being read: its names so far, and the name of the current value. */
interface Open {
  names?: Set<string>;
  name: string;
}

const decode = (quoted: string): string => (quoted.includes('\\') ? String(parse(quoted)) : quoted.slice(1, -1));

const parse = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new PayloadError(`payload is not JSON: ${visible((error as Error).message, { max: 120 })}`);
  }
};

const admit = (name: string, open: Open[]): void => {
  const here = open.at(-1);
  if (here?.names === undefined) return;
  if (here.names.has(name)) {
    throw new PayloadError(`payload holds ${quoteName(name)} twice in one object: which one is meant?`);
  }
  // Harmless here, but code that it is forwarded to may merge it into objects.
  if (name === '__proto__' || (name === 'prototype' && open.at(-2)?.name === 'constructor')) {
    throw new PayloadError(`payload holds ${quoteName(name)}, which no field may be called`);
  }
  here.names.add(name);
  here.name = name;
};

/**
 * Finds what `JSON.parse` accepts silently: too much depth, duplicate and dangerous names. Not recursive, so that depth does
 * no harm here. @throws PayloadError
 */
const scan = (text: string, maxDepth: number): void => {
  const open: Open[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 34) {
      // An unclosed one is reported later, by `JSON.parse`.
      const end = endOfString(text, i + 1) + 1;
      let next = end;
      while (next < text.length && text.charCodeAt(next) <= 32) next++;
      if (text.charCodeAt(next) === 58) admit(decode(text.slice(i, end)), open);
      i = end - 1;
    } else if (char === 123 || char === 91) {
      if (open.length === maxDepth) throw new PayloadError(`payload is nested deeper than ${maxDepth} levels`);
      open.push(char === 123 ? { names: new Set(), name: '' } : { name: '' });
    } else if (char === 125 || char === 93) open.pop();
  }
};

const kindOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;

export const parsePayload = (
  text: string,
  { maxBytes = MAX_BYTES, maxDepth = MAX_DEPTH }: PayloadLimits = {},
): JsonObject => {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    throw new PayloadError(`payload is larger than ${maxBytes} bytes`);
  }
  scan(text, maxDepth);
  const value = parse(text);
  if (isObject(value)) return value as JsonObject;
  const hint = typeof value === 'string' ? ': it was encoded twice' : '';
  throw new PayloadError(`payload must be the JSON of an object, not of ${kindOf(value)}${hint}`);
};
