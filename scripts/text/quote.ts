import { visible } from './visible.ts';

const escaped = (text: string): string => visible(text, { max: Number.POSITIVE_INFINITY });

const cut = (text: string, max: number): string => {
  const points = Array.from(text.slice(0, max * 2 + 2));
  return points.length > max ? `${points.slice(0, max).join('')}…` : text;
};

/**
 * Text from a server, made safe for a terminal or a model: bounded, in double quotes, on one line, with every control,
 * bidi and zero-width character spelled out.
 */
export const quoteText = (text: string, max = 200): string =>
  `"${escaped(cut(text, max))
    .replace(/\\(?!u\{)/g, '\\\\')
    .replace(/["`]/g, (char) => (char === '"' ? '\\"' : "'"))}"`;

/** A name of a tool, parameter or server. Plain ones stand in backquotes, anything else as quoted text. */
export const quoteName = (name: string): string =>
  /^[A-Za-z_$@][\w.$@:/-]{0,63}$/.test(name) ? `\`${name}\`` : quoteText(name, 64);

/** A JSON value, bounded and quoted, for showing old and new. */
export const quoteValue = (value: unknown, max = 80): string => {
  if (value === undefined) return 'none';
  if (typeof value === 'string') return quoteText(value, max);
  return escaped(cut(JSON.stringify(value) ?? 'none', max)).replace(/`/g, "'");
};

/** A list of values, the first few of them. */
export const quoteList = (values: readonly unknown[], most = 8): string => {
  const shown = values.slice(0, most).map((value) => quoteValue(value, 40));
  return values.length > most ? `${shown.join(', ')} and ${values.length - most} more` : shown.join(', ');
};
