/** Whether a value is nested more than `most` levels deep. Goes level by level: recursion would overflow the stack. */
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
 * Arguments nested more deeply than this are not serialized, copied or searched: a function that recurses into each level
 * overflows the stack after some thousands, JSON.stringify on Windows after 990, and no real call is nested like that.
 */
export const DEEPEST_ARGUMENTS = 900;
