/** The words of a name, in lower case: `perPage`, `per_page` and `Per-Page` have the same ones. */
export const nameWords = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];
