import { plural } from '../text/plural.ts';
import { changeLines, countText } from './changes.ts';
import type { Format } from './types.ts';

/** A line without `##[…]` and `##vso[…]`, which CI systems read as commands anywhere in a line of a log. */
const withoutCommands = (line: string): string => line.replace(/##(?=\w*\[)/g, '# #');

/** Text for people at a terminal. */
export const text: Format = (changes, { paint, columns, ignored }) => {
  const end = ignored.length > 0 ? ` (${plural(ignored.length, 'change')} ignored)` : '';
  if (changes.length === 0) return `no changes${end}`;
  return [...changeLines(changes, paint, '', columns).map(withoutCommands), '', `${countText(changes)}${end}`].join(
    '\n',
  );
};
