/** Whether a value is nested deeper than so many levels. Goes into nothing deeper than that, and calls itself never. */
export const isDeeper = (value: unknown, most: number): boolean => {
  const isNested = (one: unknown): one is object => typeof one === 'object' && one !== null;
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= most) return true;
    level = level.flatMap((one) => (Object.values(one) as unknown[]).filter(isNested));
  }
  return false;
};

/**
 * Deepest arguments that are written out, copied and searched: what calls itself for each level ends at some thousands of
 * them, and nobody calls a tool like that.
 */
export const DEEPEST_ARGUMENTS = 1_000;
