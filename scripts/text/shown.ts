declare const shown: unique symbol;

/**
 * Text that may be shown to a person or to the model: our own words, and what others wrote only as it was made safe. Made by
 * `say`, and by what quotes and escapes (quote.ts, visible.ts); a plain string is none.
 */
export type Shown = string & { readonly [shown]: true };

/** Words that stand in our own source: one literal, or several that a variable may hold. A type of all strings is none. */
export type OwnWords<T extends string> = Record<never, never> extends Record<T, 1> ? never : T;
type Sayable<T> = T extends Shown | number ? T : T extends string ? OwnWords<T> : never;

/** Our own words, with nothing between them but words of our own, numbers, and what may be shown already. */
export const say = <T extends (string | number)[]>(
  words: TemplateStringsArray,
  ...between: { [index in keyof T]: Sayable<T[index]> }
): Shown => words.reduce((text, word, index) => `${text}${between[index - 1]}${word}`) as Shown;

/** One after the other. */
export const joined = (parts: readonly Shown[], between: ', ' | '; ' | ' | ' | ' & ' | ' ' | '\n' | '\n\n'): Shown =>
  parts.join(between) as Shown;
