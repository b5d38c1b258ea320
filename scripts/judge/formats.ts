import { fullFormats } from 'ajv-formats/dist/formats.js';

type Definition = string | RegExp | ((text: string) => boolean) | { validate?: unknown } | boolean;

/** Text in these says what it is the encoding of: no text has them by its form. */
const ENCODINGS: ReadonlySet<string> = new Set(['byte', 'binary']);
/** Longer texts are not looked at: nothing is known of their form. In characters. */
const LONGEST = 2_000;

/** Whether a text provably has a format: one of those that JSON Schema or OpenAPI name. */
export const hasFormat = (text: string, format: string): boolean => {
  if (text.length > LONGEST || ENCODINGS.has(format) || !Object.hasOwn(fullFormats, format)) return false;
  const known = fullFormats[format as keyof typeof fullFormats] as Definition;
  const test = typeof known === 'object' && !(known instanceof RegExp) ? known.validate : known;
  if (test instanceof RegExp) return test.test(text);
  return typeof test === 'function' ? test(text) === true : test === true;
};
