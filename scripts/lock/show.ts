import { labelOf } from '../contract/label.ts';
import type { Contract } from '../contract/types.ts';
import { changeLines, countText } from '../reports/changes.ts';
import type { Paint } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { visible } from '../text/visible.ts';
import { changesBetween } from './compare.ts';
import { lineDiff } from './line-diff.ts';
import type { Pending } from './pending.ts';
import { refusalText } from './refused.ts';
import { LockTooLarge, pretty } from './render.ts';
import { fieldsOf } from './seal.ts';
import type { Approved } from './types.ts';

const MOST_LINES = 1_000;
const LONGEST_LINE = 20_000;

const textOf = (contract: Contract | undefined): string => {
  if (contract === undefined) return '';
  try {
    return pretty(fieldsOf(contract));
  } catch (error) {
    if (error instanceof LockTooLarge) return '(too large to be shown, and to be written)';
    throw error;
  }
};

const TITLES: Record<Pending['what'], string> = {
  changed: 'changed',
  new: 'is new',
  removed: 'is gone: a yes removes its pin',
  edited: 'has a pin that was edited by hand',
  unconfirmed: 'waits for an approval that the settings ask for',
};

const titleOf = ({ what, refused }: Pending): string =>
  refused && what === 'unconfirmed' ? 'was refused' : TITLES[what];

/** What is known about another person's yes. */
const recordLines = (entry: { approved?: Approved } | undefined): string[] => {
  const approved = entry?.approved;
  if (approved === undefined) return ['  no person has approved it: it was pinned at first contact'];
  const { at, by, why, from, to } = approved;
  const hash = (one: string | undefined): string => one?.slice(0, 12) ?? 'none';
  return [
    `  approved ${at.slice(0, 10)} by ${visible(by, { max: 200 })}, ${hash(from)} → ${hash(to)}`,
    `  ${why === undefined ? 'without a reason' : `because: ${visible(why, { max: 1_000 })}`}`,
    ...(to === undefined ? ['  its pin was removed'] : []),
  ];
};

/**
 * All that a person needs in order to approve: the changes in words, and the contract line by line, as in the lockfile.
 * The lines leave nothing out without saying so.
 * @param columns width of the terminal
 */
export const pendingLines = (one: Pending, paint: Paint, columns: number) => {
  const { server, tool, what, pin: own, live, gone, changes: found, renamed, previous, refused } = one;
  const label = labelOf(server, tool);
  const pin = renamed?.pin ?? own;
  const before = previous ?? (renamed?.pin && { ...renamed.pin.contract, name: tool });
  const changes = before && live ? changesBetween(before, live) : found;
  const told =
    (what === 'new' && renamed === undefined) || what === 'removed'
      ? []
      : changes.map((change) => ({ ...change, tool: label }));
  // All lines of the contract are shown as new for an edited pin, or an unconfirmed one whose former contract is unknown.
  const isWhole = what === 'edited' || what === 'unconfirmed';
  const lines = lineDiff(textOf(previous ?? (isWhole ? undefined : pin?.contract)), textOf(live));
  const shown = lines.slice(0, MOST_LINES).map((line) => {
    if (line === null) return paint('grey', '  …');
    const text = `${line.sign} ${visible(line.text, { max: LONGEST_LINE })}`;
    return `  ${line.sign === ' ' ? text : paint(line.sign === '+' ? 'green' : 'red', text)}`;
  });
  const long = lines.filter((line) => line !== null && line.text.length > LONGEST_LINE).length;
  const hidden = [
    ...(lines.length > MOST_LINES ? [plural(lines.length - MOST_LINES, 'more line')] : []),
    ...(long > 0 ? [`the end of ${plural(long, 'line')}`] : []),
  ].join(' and ');
  return [
    `${paint('bold', visible(label, { max: 300 }))} ${renamed === undefined ? titleOf(one) : `is ${visible(labelOf(server, renamed.tool), { max: 300 })} under a new name: a yes moves its pin`}${told.length > 0 ? ` (${countText(changes)})` : ''}`,
    ...(refused ? [paint('red', `  refused ${refusalText(refused)}. A yes lifts that.`)] : []),
    ...(what === 'unconfirmed' ? recordLines(gone ?? pin) : []),
    ...(previous ? ['  since the contract that was approved before:'] : []),
    ...changeLines(told, paint, '  ', columns).slice(1),
    ...(told.length > 0 && shown.length > 0 ? [''] : []),
    ...shown,
    ...(hidden === '' ? [] : [paint('red', `  not shown: ${hidden}. A yes is for these, too.`)]),
  ];
};
