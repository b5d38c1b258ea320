/**
 * `same`: only white space, case, articles, pauses inside a statement, words that join others, an example, or the version of a
 * page changed. `widened`: also a bound that still allows all that it allowed. `added`: new words that mean nothing by
 * themselves. `meaning`: anything else; only a reader can tell whether the meaning changed.
 */
export interface WordsChange {
  change: 'same' | 'widened' | 'added' | 'meaning';
  /** Only words that mean something by themselves changed, or their order, or one of a few: another statement. */
  exact?: true;
}

export const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();
