import { countLevels } from '../diff/diff.ts';
import type { FoundChange, Level } from '../diff/types.ts';
import { groupChanges, someTools } from './group.ts';
import { LEVEL_STYLES, type Paint } from './paint.ts';
import { placeOf } from './place.ts';
import { quoteName } from './quote.ts';
import { leavesOpen, sideBySide, widthOf } from './side-by-side.ts';

/** `2 breaking, 1 semantic`, or `no changes`. */
export const countText = (changes: readonly { level: Level }[]): string => {
  const counts = Object.entries(countLevels(changes)).map(([level, count]) => `${count} ${level}`);
  return counts.length > 0 ? counts.join(', ') : 'no changes';
};

const plainName = (name: string): string => quoteName(name).replaceAll('`', '');

/**
 * Changes for people: grouped by tool, the worst tool and the worst change first; what is the same in many tools comes
 * once. With a width, old and new stand below a change whose message does not already give them.
 */
export const changeLines = (changes: readonly FoundChange[], paint: Paint, indent = '', columns?: number): string[] => {
  const width = changes.reduce((most, change) => Math.max(most, change.level.length), 0);
  return groupChanges(changes).flatMap((group) => {
    const names = someTools(group, plainName);
    const title = group.tools.length > 1 ? `${group.tools.length} tools: ${names}` : names;
    return [
      `${indent}${paint('bold', title)}`,
      ...group.changes.flatMap((change) => {
        const level = paint(LEVEL_STYLES[change.level], change.level.padEnd(width));
        const place = placeOf(change);
        const margin = ' '.repeat(indent.length + width + 4);
        const line = (text: string) => `${indent}  ${level}  ${place === '' ? '' : `${quoteName(place)}: `}${text}`;
        if (columns === undefined) return [line(change.message)];
        // Quoted texts that do not fit into the line are easier to compare below it.
        const long = change.brief !== change.message && margin.length + widthOf(place + change.message) > columns;
        const values = long || leavesOpen(change) ? sideBySide(change, paint, columns - margin.length) : [];
        return [line(long ? change.brief : change.message), ...values.map((text) => margin + text)];
      }),
    ];
  });
};
