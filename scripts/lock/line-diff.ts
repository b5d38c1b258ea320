import { diffArrays } from 'diff';

export interface DiffLine {
  sign: ' ' | '-' | '+';
  text: string;
}

/** With more added and removed lines than this, all lines count as removed or added: the work is quadratic. */
const MOST_EDITS = 2_000;

/** All lines of two texts, each as removed, added or common. */
export const allLines = (a: string[], b: string[]): DiffLine[] => {
  const parts = diffArrays(a, b, { maxEditLength: MOST_EDITS }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ];
  return parts.flatMap(({ value, removed, added }) => {
    const sign = removed ? '-' : added ? '+' : ' ';
    return value.map((text): DiffLine => ({ sign, text }));
  });
};

/** The indices of removed and added lines with `context` lines around them; `null` where lines are left out. */
export const nearChanges = (all: readonly DiffLine[], context: number): (number | null)[] => {
  const near = new Uint8Array(all.length);
  for (const [index, { sign }] of all.entries()) {
    if (sign !== ' ') near.fill(1, Math.max(0, index - context), index + context + 1);
  }
  if (!near.includes(1)) return [];
  return all.flatMap((_, index) => (near[index] ? [index] : index === 0 || near[index - 1] ? [null] : []));
};

/** All removed and added lines, with `context` lines around them; `null` stands for lines that are left out. */
export const lineDiff = (before: string, after: string, context = 2): (DiffLine | null)[] => {
  const [a, b] = [before, after].map((text) => (text === '' ? [] : text.split('\n'))) as [string[], string[]];
  const all = allLines(a, b);
  return nearChanges(all, context).map((at) => (at === null ? null : (all[at] as DiffLine)));
};
