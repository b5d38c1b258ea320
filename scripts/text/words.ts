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
const wordsOf = (text: string): string[] =>
  text.match(/^[\0-\x7f]*$/.test(text) ? /\w+|\s+|[^\w\s]/g : /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/** Where two texts that begin alike have to be compared word by word: at the last space before they differ. */
const alikeUpTo = (a: string, b: string): number => {
  const isWord = (text: string, at: number): boolean => /\S/.test(text[at] ?? '');
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  while (at > 0 && (isWord(a, at - 1) || !isWord(a, at) || !isWord(b, at))) at--;
  return at;
};

/** Equal words get the same number: numbers are cheaper to compare. */
const numbered = (words: readonly string[], numbers: Map<string, number>): number[] => {
  const found: number[] = [];
  for (const word of words) {
    let number = numbers.get(word);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(word, number);
    }
    found.push(number);
  }
  return found;
};

/** How many words have no counterpart anywhere: the minimum number of edits. */
const unpaired = (a: readonly number[], b: readonly number[], most: number): number => {
  const left = new Array<number>(most).fill(0);
  for (const word of a) left[word] = (left[word] as number) + 1;
  for (const word of b) left[word] = (left[word] as number) - 1;
  let sum = 0;
  for (const count of left) sum += Math.abs(count);
  return sum;
};

/** Which words of each list are in their longest common subsequence; null if it takes too many edits. */
const common = (old: readonly string[], now: readonly string[]): [boolean[], boolean[]] | null => {
  const numbers = new Map<string, number>();
  const [a, b] = [numbered(old, numbers), numbered(now, numbers)];
  if (unpaired(a, b, numbers.size) > MOST_EDITS) return null;
  const changes = diffArrays(a, b, { maxEditLength: MOST_EDITS });
  if (changes === undefined) return null;
  const fill = (count: number, isCommon: boolean): boolean[] => new Array<boolean>(count).fill(isCommon);
  return [
    changes.flatMap(({ added, removed, count }) => (added ? [] : fill(count, !removed))),
    changes.flatMap(({ added, removed, count }) => (removed ? [] : fill(count, !added))),
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
