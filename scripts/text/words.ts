import { diffArrays } from 'diff';

/** A part of a text: unchanged, or changed. */
export interface Piece {
  text: string;
  changed: boolean;
}

/** How many characters of unchanged text are shown before and after the changes. */
const CONTEXT = 60;
/** With more added and removed words than this, all of the middle counts as changed: the work is quadratic. */
const MOST_EDITS = 100;

/** Most texts are plain: then the classes of Unicode, which take longer, say the same. */
export const wordsOf = (text: string): string[] =>
  text.match(/^[\0-\x7f]*$/.test(text) ? /\w+|\s+|[^\w\s]/g : /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/** Where two texts that begin alike have to be compared word by word: at the last space before they differ. */
const alikeUpTo = (a: string, b: string): number => {
  const isWord = (text: string, at: number): boolean => /\S/.test(text[at] ?? '');
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  while (at > 0 && (isWord(a, at - 1) || !isWord(a, at) || !isWord(b, at))) at--;
  return at;
};

/** Which words of each list are in their longest common subsequence; null if it takes too many edits. */
const common = (old: string[], now: string[]): [boolean[], boolean[]] | null => {
  const parts = diffArrays(old, now, { maxEditLength: MOST_EDITS });
  if (parts === undefined) return null;
  return [
    parts.flatMap(({ value, added, removed }) => (added ? [] : value.map(() => !removed))),
    parts.flatMap(({ value, added, removed }) => (removed ? [] : value.map(() => !added))),
  ];
};

const pieces = (words: readonly string[], same: readonly boolean[]): Piece[] => {
  const found: Piece[] = [];
  for (const [index, text] of words.entries()) {
    // A space between two changed words belongs to them.
    const changed = !same[index] || (/^\s+$/.test(text) && same[index - 1] === false && same[index + 1] === false);
    const last = found.at(-1);
    if (last?.changed === changed) last.text += text;
    else found.push({ text, changed });
  }
  return found;
};

const tail = (text: string): string =>
  text.length > CONTEXT ? `…${text.slice(-CONTEXT).replace(/^[\uDC00-\uDFFF]/, '')}` : text;
const head = (text: string): string =>
  text.length > CONTEXT ? `${text.slice(0, CONTEXT).replace(/[\uD800-\uDBFF]$/, '')}…` : text;

/**
 * Compares two texts word by word. Gives the pieces of each; long unchanged text before and after the changes is cut.
 * @param most how many words of each are compared from the first difference on; the rest is left out
 */
export const compareWords = (before: string, after: string, most = Number.POSITIVE_INFINITY): [Piece[], Piece[]] => {
  const alike = alikeUpTo(before, after);
  const [a, b] = [wordsOf(before.slice(alike)), wordsOf(after.slice(alike))];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const isCut = Math.max(a.length, b.length) - start - end > most;
  const [old, now] = [a, b].map((words) => words.slice(start, Math.min(words.length - end, start + most))) as [
    string[],
    string[],
  ];
  const [kept, stays] = common(old, now) ?? [old.map(() => false), now.map(() => false)];
  const around = (middle: Piece[]): Piece[] =>
    [
      { text: tail(before.slice(0, alike) + a.slice(0, start).join('')), changed: false },
      ...middle,
      { text: isCut ? '…' : head(end === 0 ? '' : a.slice(-end).join('')), changed: false },
    ].filter(({ text }) => text !== '');
  return [around(pieces(old, kept)), around(pieces(now, stays))];
};
