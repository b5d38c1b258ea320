declare const shown: unique symbol;

/**
 * Text that may be shown to a person or to the model: our own words, and what others wrote after it was made safe. Only
 * `say` and the functions that quote and escape (quote.ts, visible.ts) make it; a plain string does not fit the type.
 */
export type Shown = string & { readonly [shown]: true };

/** A literal of our own source, or a union of literals; `never` for the type of all strings. */
export type OwnWords<T extends string> = Record<never, never> extends Record<T, 1> ? never : T;
type Sayable<T> = T extends Shown | number ? T : T extends string ? OwnWords<T> : never;

/** A template tag: our own words, in which only literals of our own, numbers and `Shown` text may be inserted. */
export const say = <T extends (string | number)[]>(
  words: TemplateStringsArray,
  ...between: { [index in keyof T]: Sayable<T[index]> }
): Shown => words.reduce((text, word, index) => `${text}${between[index - 1]}${word}`) as Shown;

/** The parts, with a separator between them. */
export const joined = (parts: readonly Shown[], between: ', ' | '; ' | ' | ' | ' & ' | ' ' | '\n' | '\n\n'): Shown =>
  parts.join(between) as Shown;
