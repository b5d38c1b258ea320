export interface DiffLine {
  sign: ' ' | '-' | '+';
  text: string;
}

/** Larger tables are not filled: then all old lines come, and all new ones. */
const MOST_CELLS = 4_000_000;

const middleOf = (a: readonly string[], b: readonly string[]): DiffLine[] => {
  const minus = (text: string): DiffLine => ({ sign: '-', text });
  const plus = (text: string): DiffLine => ({ sign: '+', text });
  if ((a.length + 1) * (b.length + 1) > MOST_CELLS) return [...a.map(minus), ...b.map(plus)];
  const wide = b.length + 1;
  const best = new Uint32Array((a.length + 1) * wide);
  const at = (i: number, j: number): number => best[i * wide + j] as number;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * wide + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i++] as string });
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(minus(a[i++] as string));
    else lines.push(plus(b[j++] as string));
  }
  return lines;
};

/** Every line that went or came, with a few around it; `null` stands for lines that were left out. */
export const lineDiff = (before: string, after: string, context = 2): (DiffLine | null)[] => {
  const [a, b] = [before, after].map((text) => (text === '' ? [] : text.split('\n'))) as [string[], string[]];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (text: string): DiffLine => ({ sign: ' ', text });
  const all = [
    ...a.slice(0, start).map(same),
    ...middleOf(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
  const near = new Uint8Array(all.length);
  for (const [index, { sign }] of all.entries()) {
    if (sign !== ' ') near.fill(1, Math.max(0, index - context), index + context + 1);
  }
  if (!near.includes(1)) return [];
  return all.flatMap((line, index) => (near[index] ? [line] : index === 0 || near[index - 1] ? [null] : []));
};
