/** What JavaScript means by a letter after a backslash. Every other letter is something of another language's. */
const KNOWN_ESCAPE = /\\(?:[^A-Za-z0-9_]|[dDwWsSbBfnrtv_]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[0-9])/g;

const compiled = (pattern: string, flags: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
};

/**
 * The pattern of a schema as a regular expression: in unicode mode, else without it, which allows needless escapes like
 * `\-` and `\_`. Undefined where that would mean something else than its author does: `\Z` of Python would be the letter,
 * `[[:alpha:]]` of POSIX a list of punctuation.
 */
export const toRegExp = (pattern: string): RegExp | undefined => {
  const strict = compiled(pattern, 'u');
  if (strict !== undefined) return strict;
  const isForeign = pattern.replace(KNOWN_ESCAPE, '').includes('\\') || /\[[:=.]/.test(pattern);
  return isForeign ? undefined : compiled(pattern, '');
};
