import { countLevels } from '../diff/levels.ts';
import { type FoundChange, LEVELS, type Level } from '../diff/types.ts';
import type { Paint, PaintStyle } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { plainName, quoteNames } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { countNames } from './count.ts';
import type { Severity } from './escape.ts';
import { groupChanges, someTools } from './group.ts';
import { MOST_PLACES, placesOf } from './place.ts';
import { leavesOpen, sideBySide, widthOf } from './side-by-side.ts';
import type { FormatContext } from './types.ts';

export const LEVEL_STYLES: Record<Level, PaintStyle> = {
  breaking: 'red',
  unclassified: 'red',
  silent: 'yellow',
  semantic: 'blue',
  compatible: 'green',
};

/** How severe a change of each level is where programs know no more than that. */
export const SEVERITIES: Record<Level, Severity> = {
  breaking: 'error',
  unclassified: 'error',
  silent: 'warning',
  semantic: 'warning',
  compatible: 'note',
};

/** How severe a change is. One that makes the exit code 1 is more than a note. */
export const severityOf = (change: FoundChange, bearingOf: FormatContext['bearingOf']): Severity =>
  SEVERITIES[change.level] === 'note' && bearingOf?.(change) === 'failed' ? 'warning' : SEVERITIES[change.level];

/** `2 breaking, 1 semantic`, or `no changes`. */
export const countText = (changes: readonly { level: Level }[]): Shown => {
  const counts = countLevels(changes);
  const told = LEVELS.flatMap((level) => (counts[level] ? [say`${counts[level]} ${level}`] : []));
  return told.length > 0 ? joined(told, ', ') : say`no changes`;
};

/** The same where milder changes were left out: without a word about these, the lists would seem equal. */
export const countShown = (changes: readonly { level: Level }[], milder = 0): Shown => {
  if (milder === 0) return countText(changes);
  return changes.length === 0
    ? say`no changes of that level; ${plural(milder, 'milder change')} not shown (--level)`
    : say`${countText(changes)}, and ${plural(milder, 'milder change')} not shown (--level)`;
};

/** Changes as the model may read them if the server is not trusted: names and types, none of its prose. */
export const withoutWords = (changes: readonly FoundChange[]): FoundChange[] =>
  changes.map(({ before: _before, after: _after, ...change }) => ({ ...change, message: change.brief }));

/**
 * Changes for people: grouped by tool, the worst tool and the worst change first. A change that many tools share comes
 * once.
 * @param columns width of the terminal. If given, old and new values follow a change whose message does not show them
 */
export const changeLines = (
  changes: readonly FoundChange[],
  paint: Paint,
  indent: '' | '  ' = '',
  columns?: number,
): Shown[] => {
  const width = changes.reduce((most, change) => Math.max(most, change.level.length), 0);
  return groupChanges(changes).flatMap((group) => {
    const names = someTools(group, plainName);
    const title = group.tools.length > 1 ? say`${visible(countNames(group.tools))}: ${names}` : names;
    return [
      say`${indent}${paint('bold', title)}`,
      ...group.changes.flatMap((change) => {
        const level = paint(LEVEL_STYLES[change.level], change.level.padEnd(width) as Shown);
        const places = placesOf(change);
        const place = places.length === 0 ? '' : say`${quoteNames(places, MOST_PLACES)}: `;
        const margin = ' '.repeat(indent.length + width + 4) as Shown;
        const line = (text: Shown) => say`${indent}  ${level}  ${place}${text}`;
        if (columns === undefined) return [line(change.message)];
        // Quoted texts that do not fit on the line are easier to compare below it.
        const long = change.brief !== change.message && margin.length + widthOf(place + change.message) > columns;
        const values = long || leavesOpen(change) ? sideBySide(change, paint, columns - margin.length) : [];
        return [line(long ? change.brief : change.message), ...values.map((text) => say`${margin}${text}`)];
      }),
    ];
  });
};
