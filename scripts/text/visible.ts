import type { Shown } from './shown.ts';

/**
 * Every character that is invisible, controls a terminal, changes the direction of text, or is not allowed in XML. A string,
 * since V8 checks a regular expression literal as soon as it reads the file: that would cost every hook almost a
 * millisecond, and most hooks print nothing.
 */
const UNSAFE = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

let compiled: RegExp | undefined;

const unsafe = (): RegExp => {
  compiled ??= new RegExp(UNSAFE, 'gu');
  return compiled;
};

const spelledOut = (char: string): string => `\\u{${(char.codePointAt(0) as number).toString(16)}}`;

/** At most `max` UTF-16 units and `…` if something was cut off; never ends in half a surrogate pair. */
export const shorten = <T extends string>(text: T, max: number): T =>
  (text.length > max ? `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…` : text) as T;

/** Text from anywhere, at most `max` UTF-16 units of it, with unsafe characters spelled out. `lines` keeps line feeds. */
export const visible = (text: string, { max = 10_000, lines = false } = {}): Shown => {
  const short = shorten(text, max);
  // Most texts hold nothing that could be unsafe.
  if (/^[ -~]*$/.test(short)) return short as Shown;
  return short.replace(unsafe(), (char) => (lines && char === '\n' ? char : spelledOut(char))) as Shown;
};

/** A value for people to read: a string without quotes, anything else as indented JSON; bounded, and made safe. */
export const readable = (value: unknown, max = 4_000): Shown =>
  visible(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'none'), { max, lines: true });

/** JSON text with unsafe characters as `\u` escapes, so that it parses to the same value. */
export const visibleJson = (json: string): Shown =>
  json.replace(unsafe(), (char) =>
    char === '\n'
      ? char
      : Array.from({ length: char.length }, (_, index) => char.charCodeAt(index).toString(16).padStart(4, '0'))
          .map((unit) => `\\u${unit}`)
          .join(''),
  ) as Shown;
