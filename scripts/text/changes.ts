import { countLevels } from '../diff/diff.ts';
import { type FoundChange, LEVELS, type Level } from '../diff/types.ts';
import { LEVEL_STYLES, type Paint } from './paint.ts';
import { quoteName } from './quote.ts';

/** `2 breaking, 1 semantic`, or `no changes`. */
export const countText = (changes: readonly { level: Level }[]): string => {
  const counts = Object.entries(countLevels(changes)).map(([level, count]) => `${count} ${level}`);
  return counts.length > 0 ? counts.join(', ') : 'no changes';
};

const worstRank = (changes: readonly FoundChange[]): number =>
  Math.min(...changes.map((change) => LEVELS.indexOf(change.level)));

/** Changes for people: grouped by tool, the worst tool and the worst change first. */
export const changeLines = (changes: readonly FoundChange[], paint: Paint, indent = ''): string[] => {
  const byTool = new Map<string, FoundChange[]>();
  for (const change of changes) byTool.set(change.tool, [...(byTool.get(change.tool) ?? []), change]);
  const width = Math.max(...changes.map((change) => change.level.length));
  return [...byTool]
    .sort(([, a], [, b]) => worstRank(a) - worstRank(b))
    .flatMap(([tool, found]) => [
      `${indent}${paint('bold', quoteName(tool).replaceAll('`', ''))}`,
      ...found.map((change) => {
        const level = paint(LEVEL_STYLES[change.level], change.level.padEnd(width));
        const parameter = change.parameter?.join('.');
        const place = parameter && !change.message.includes(parameter) ? `${quoteName(parameter)}: ` : '';
        return `${indent}  ${level}  ${place}${change.message}`;
      }),
    ]);
};
