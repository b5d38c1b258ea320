import { joined, type Shown, say } from './shown.ts';
import { visible } from './visible.ts';

const escaped = (text: string): string =>
  // Most texts hold nothing that could be unsafe.
  /^[ -~]*$/.test(text) ? text : visible(text, { max: Number.POSITIVE_INFINITY });

const cut = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const points = Array.from(text.slice(0, max * 2 + 2));
  return points.length > max ? `${points.slice(0, max).join('')}…` : text;
};

/**
 * Text from a server, made safe for a terminal or a model: at most `max` characters, in double quotes, on one line, with
 * every control, bidi and zero-width character spelled out.
 */
export const quoteText = (text: string, max = 200): Shown =>
  `"${escaped(cut(text, max))
    .replace(/\\(?!u\{)/g, '\\\\')
    .replace(/["`]/g, (char) => (char === '"' ? '\\"' : "'"))}"` as Shown;

/** Also a parameter below others, as `filter.items.*`. */
const PLAIN_NAME = /^[A-Za-z_$@](?:[\w.$@:/-]|(?<=\.)\*){0,63}$/;

/** A name of a tool, parameter or server: a plain one in backquotes, any other as quoted text. */
export const quoteName = (name: string): Shown =>
  PLAIN_NAME.test(name) ? (`\`${name}\`` as Shown) : quoteText(name, 64);

/** The same for a terminal or a signature: a plain name without backquotes. */
export const plainName = (name: string): Shown => (PLAIN_NAME.test(name) ? (name as Shown) : quoteText(name, 64));

/** The path of a file, in quotes only if it holds unusual characters. */
export const quotePath = (path: string): Shown =>
  /^[\w./~@+:\\-]{1,300}$/.test(path) ? (path as Shown) : quoteText(path, 300);

/** A JSON value as text of at most `max` characters, quoted, for showing old and new; `none` for undefined. */
export const quoteValue = (value: unknown, max = 80): Shown => {
  if (value === undefined) return say`none`;
  if (typeof value === 'string') return quoteText(value, max);
  return escaped(cut(JSON.stringify(value) ?? 'none', max)).replace(/`/g, "'") as Shown;
};

/** The first `most` of some values, quoted, and how many more there are. */
export const quoteList = (values: readonly unknown[], most = 8): Shown => {
  const shown = values.slice(0, most).map((value) => quoteValue(value, 40));
  const first = joined(shown, ', ');
  return values.length > most ? say`${first} and ${values.length - most} more` : first;
};

/** How many names of a list are shown; the others are only counted. */
const MOST_NAMES = 8;

/** Names, quoted: `a`, `b` and 3 more. */
export const quoteNames = (names: readonly string[], most = MOST_NAMES): Shown => {
  const shown = joined(names.slice(0, most).map(quoteName), ', ');
  return names.length > most ? say`${shown} and ${names.length - most} more` : shown;
};
