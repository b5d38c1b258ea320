import { attempt } from './attempt.ts';

/** Letters that have a meaning after a backslash in JavaScript. Any other letter is from another language. */
const KNOWN_ESCAPE = /\\(?:[^A-Za-z0-9_]|[dDwWsSbBfnrtv_]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[0-9])/g;

const compiled = (pattern: string, flags: string): RegExp | undefined =>
  attempt(() => new RegExp(pattern, flags), undefined);

/**
 * The pattern of a schema as a regular expression: in unicode mode, else without it, which allows needless escapes like `\-`
 * and `\_`. Undefined if that would not mean what its author does: Python's `\Z` would be the letter, POSIX's `[[:alpha:]]`
 * a list of punctuation.
 */
export const toRegExp = (pattern: string): RegExp | undefined => {
  const strict = compiled(pattern, 'u');
  if (strict !== undefined) return strict;
  const isForeign = pattern.replace(KNOWN_ESCAPE, '').includes('\\') || /\[[:=.]/.test(pattern);
  return isForeign ? undefined : compiled(pattern, '');
};
