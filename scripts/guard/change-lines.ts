// Changes, and the reasons why they stop a call, in one line each.
import { inputConstraintChanged } from '../diff/rules/input-constraint-changed.ts';
import { inputObjectClosed } from '../diff/rules/input-object-closed.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Judgement, Reason } from '../judge/judge.ts';
import { MOST_PLACES } from '../reports/place.ts';
import { quoteName, quoteNames } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';

const MOST_LINES = 12;

export const inLines = (...lines: Shown[]): Shown => joined(lines, '\n');

/** Lines as a list of at most 12, and how many more there are. */
export const bullets = (lines: readonly Shown[]): Shown[] => {
  const shown = lines.slice(0, MOST_LINES).map((line) => say`- ${line}`);
  return lines.length > MOST_LINES ? [...shown, say`- … and ${lines.length - MOST_LINES} more`] : shown;
};

/** A parameter's name, as `filter.items.*`: a star stands for the elements of a list. */
export const parameterName = (parameter: readonly string[]): string => parameter.join('.');

/** The parameters that a change is about: a shared definition stands at several, and this call may use any of them. */
const parametersOf = ({ parameter = [], ways = [], ofNames }: FoundChange): string[] => [
  // What its names mean is said of the map.
  ...new Set(
    [parameter, ...ways]
      .map((way) => parameterName(ofNames && way.at(-1) === '*' ? way.slice(0, -1) : way))
      .filter((name, index) => index === 0 || name !== ''),
  ),
];

/** A change in one line, with the parameters that it is about. `words`: with the server's prose, quoted. */
export const changeLine = (change: FoundChange, words: boolean): Shown => {
  const text = words ? change.message : change.brief;
  const names = parametersOf(change);
  return change.parameter === undefined || (names.length === 1 && text.includes(quoteName(names[0] ?? '')))
    ? text
    : say`${quoteNames(names, MOST_PLACES)}: ${text}`;
};

/** Why a call is stopped, in one line. `words`: with the server's prose, quoted. */
export const reasonLine = ({ change, invalid, key }: Reason, words: boolean): Shown => {
  if (change === undefined) return invalid?.text ?? visible(key, { max: 200 });
  // What is wrong with the arguments says more than that no rule explains the change, that other names are refused, or that a
  // condition is another one.
  const isVague =
    ['unclassified', inputObjectClosed.id].includes(change.rule) ||
    (change.rule === inputConstraintChanged.id && !words);
  return isVague && invalid ? say`${changeLine(change, words)}: ${invalid.text}` : changeLine(change, words);
};

/** What else may be wrong with a call. */
export const doubtLines = ({ why }: Judgement): Shown[] =>
  why === undefined ? [] : [say`As far as this could be checked: ${why}.`];
