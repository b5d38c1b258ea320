import { type Change, LEVELS } from './types.ts';

/** How many changes there are of each level, the worst first; levels without changes are left out. */
export const countLevels = (
  changes: readonly { level: Change['level'] }[],
): Partial<Record<Change['level'], number>> => {
  const counts: Partial<Record<Change['level'], number>> = {};
  for (const level of LEVELS) {
    const count = changes.filter((change) => change.level === level).length;
    if (count > 0) counts[level] = count;
  }
  return counts;
};
