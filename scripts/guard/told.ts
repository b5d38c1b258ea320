import type { FoundChange } from '../diff/types.ts';
import type { Shown } from '../text/shown.ts';
import { bullets, changeLine } from './change-lines.ts';

/** The changes to tell: without those that say the same in another way, unless nothing else changed. */
export const toldOf = (changes: readonly FoundChange[]): readonly FoundChange[] => {
  const others = changes.filter(({ alike }) => !alike);
  return others.length > 0 ? others : changes;
};

/** The same as a list, each line once. `words`: with the server's prose, quoted. */
export const toldLines = (changes: readonly FoundChange[], words: boolean): Shown[] =>
  bullets([...new Set(toldOf(changes).map((change) => changeLine(change, words)))]);
