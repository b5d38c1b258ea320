/**
 * A name in one form: `perPage`, `per_page` and `Per-Page` are one. Letters of any language tell names apart, and so does a sign
 * before one: `+1` and `-1`.
 */
export const letters = (name: string): string =>
  name.toLowerCase().replace(/(?!^)-|[^\p{L}\p{M}\p{N}+-]/gu, '') || name;

/** The words of a name, in lower case: `perPage`, `per_page` and `Per-Page` have the same ones. */
export const nameWords = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];
