import { randomUUID } from 'node:crypto';
import { visit } from 'jsonc-parser';
import { isObject, type Json, type JsonObject } from './types.ts';

/** As Python's `repr` writes a float: the same digits as here, in another form. */
const float = (value: number): string => {
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e16)) return Number.isInteger(value) ? `${value}.0` : String(value);
  return value.toExponential().replace(/e([-+])(\d)$/, 'e$10$2');
};

/** Whole numbers have as many digits there as in the text; `1.0` and `1e2` are floats. */
const number = (written: string): string => {
  if (/[.eE]/.test(written)) return float(Number(written));
  return written === '-0' ? '0' : written;
};

const ascii = (text: string): string =>
  JSON.stringify(text).replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** By code points: UTF-16 can order texts differently if one has a character beyond U+FFFF. */
const byCodePoint = (a: string, b: string): number => {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return left.length - right.length;
  const other = right[at];
  return other === undefined ? 1 : (left[at]?.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
};

/**
 * Reads JSON as Python does, for which `1` and `1.0` are two values: in `text` every number is a string that nothing else in
 * it can equal, and `print` writes the value parsed from it as `json.dumps(value, sort_keys=True, separators=(",", ":"))`
 * does.
 * @param text is known to be JSON
 */
export const forPython = (text: string): { text: string; print(value: Json): string } => {
  // The mark is random, so the text cannot contain it on purpose.
  const mark = `${randomUUID()} `;
  const parts: string[] = [];
  let end = 0;
  visit(text, {
    onLiteralValue: (value, offset, length) => {
      if (typeof value !== 'number') return;
      parts.push(text.slice(end, offset), `"${mark}${text.slice(offset, offset + length)}"`);
      end = offset + length;
    },
  });
  const print = (value: Json): string => {
    if (typeof value === 'string') return value.startsWith(mark) ? number(value.slice(mark.length)) : ascii(value);
    if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
    if (!isObject(value)) return JSON.stringify(value);
    const members = Object.entries(value as JsonObject).sort(([a], [b]) => byCodePoint(a, b));
    return `{${members.map(([key, member]) => `${ascii(key)}:${print(member)}`).join(',')}}`;
  };
  return { text: parts.concat(text.slice(end)).join(''), print };
};
