import { DOUBT } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Reason } from '../judge/judge.ts';
import type { Shown } from '../text/shown.ts';
import { bullets, changeLine, reasonLine } from './change-lines.ts';

/** The changes to tell: without those that say the same in another way, unless nothing else changed. */
export const toldOf = (changes: readonly FoundChange[]): readonly FoundChange[] => {
  const others = changes.filter(({ alike }) => !alike);
  return others.length > 0 ? others : changes;
};

/** The same as a list, each line once. `words`: with the server's prose, quoted. */
export const toldLines = (changes: readonly FoundChange[], words: boolean): Shown[] =>
  bullets([...new Set(toldOf(changes).map((change) => changeLine(change, words)))]);

/** Why a call is stopped or asked about, each line once. What a change means for it can be told where it is invalid. */
export const reasonLines = (reasons: readonly Reason[], words: boolean): Shown[] => [
  ...new Set(
    reasons.map((reason) => {
      const line = reasonLine(reason, words);
      return reason.invalid === undefined ? line : (line.replace(`${DOUBT}: `, ': ') as Shown);
    }),
  ),
];
