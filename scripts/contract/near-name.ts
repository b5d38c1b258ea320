/** Longer names and longer lists are not typing errors. */
const LONGEST = 64;
const MOST = 2_000;
/** Shorter names are part of too many others, and one letter away from too many. */
const SHORTEST = 4;

const words = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** How many letters must be inserted, removed, replaced, or swapped with the next one. */
const distance = (a: string, b: string): number => {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (row[j - 1] as number) + 1,
        (last[j] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
        swapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] as number;
};

/** How far two names are apart, or undefined if they are not near: the same words count less than letters. */
const between = (a: readonly string[], b: readonly string[]): number | undefined => {
  const [left, right] = [a.join(''), b.join('')];
  if (left === right) return 0;
  if ([...a].sort().join(' ') === [...b].sort().join(' ')) return 0.5;
  const [longer, shorter] = left.length >= right.length ? [left, right] : [right, left];
  if (shorter.length < SHORTEST) return undefined;
  const found = longer.length - shorter.length > 3 ? undefined : distance(left, right);
  if (found !== undefined && found <= Math.max(1, Math.floor(shorter.length / 4))) return found;
  // `email` for `send_email`: some whole words of a longer name.
  const [more, fewer] = a.length >= b.length ? [a, b] : [b, a];
  return fewer.every((word) => more.includes(word)) ? 3 + more.length - fewer.length : undefined;
};

/** What an unknown name most likely means: the nearest known names, several if equally near. */
export const nearNames = (name: string, known: readonly string[]): string[] => {
  if (name.length > LONGEST || known.length > MOST) return [];
  const asked = words(name);
  const near = known.flatMap((one) => {
    const apart = one.length > LONGEST || one === name ? undefined : between(asked, words(one));
    return apart === undefined ? [] : [{ one, apart }];
  });
  const least = Math.min(...near.map(({ apart }) => apart));
  return near.filter(({ apart }) => apart === least).map(({ one }) => one);
};
