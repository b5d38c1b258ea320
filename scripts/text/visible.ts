import type { Shown } from './shown.ts';

let found: RegExp | undefined;

/**
 * Everything that is invisible, steers a terminal, turns the direction of text, or is not allowed in XML. Made when it is
 * needed: as a literal it would cost every hook a millisecond, and most have nothing to say.
 */
const unsafe = (): RegExp => {
  found ??= /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return found;
};

const spelledOut = (char: string): string => `\\u{${(char.codePointAt(0) as number).toString(16)}}`;

/** At most `max` characters, with no half of a surrogate pair at the end. */
export const shorten = <T extends string>(text: T, max: number): T =>
  (text.length > max ? `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…` : text) as T;

/** Text from anywhere with every character to be seen. Line feeds stay where `lines` says so. */
export const visible = (text: string, { max = 10_000, lines = false } = {}): Shown =>
  shorten(text, max).replace(unsafe(), (char) => (lines && char === '\n' ? char : spelledOut(char))) as Shown;

/** A value as people read it: a text as it is, anything else as indented JSON. */
export const readable = (value: unknown, max = 4_000): Shown =>
  visible(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'none'), { max, lines: true });

/** JSON with the same characters as escapes, which every parser reads as what they were. */
export const visibleJson = (json: string): Shown =>
  json.replace(unsafe(), (char) =>
    char === '\n'
      ? char
      : Array.from({ length: char.length }, (_, index) => char.charCodeAt(index).toString(16).padStart(4, '0'))
          .map((unit) => `\\u${unit}`)
          .join(''),
  ) as Shown;
