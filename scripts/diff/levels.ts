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

/** The worst level of some changes, and the rule of the first change that has it; empty if there are none. */
export const worstOf = (
  changes: readonly Pick<Change, 'level' | 'rule'>[],
): Partial<Pick<Change, 'level' | 'rule'>> => {
  const level = LEVELS.find((one) => changes.some((change) => change.level === one));
  const worst = changes.find((change) => change.level === level);
  return worst === undefined ? {} : { level: worst.level, rule: worst.rule };
};
