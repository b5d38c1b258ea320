import type { FoundChange } from '../diff/types.ts';
import { plural } from '../text/plural.ts';
import { changeLines, countText } from './changes.ts';
import { withoutCommands } from './escape.ts';
import type { Format, FormatContext } from './types.ts';

/** Changes as lines for people at a terminal, which may be that of a CI system. */
export const plainLines = (
  changes: readonly FoundChange[],
  { paint, columns }: Pick<FormatContext, 'paint' | 'columns'>,
  indent: '' | '  ' = '',
): string[] => changeLines(changes, paint, indent, columns).map(withoutCommands);

/** Text for people at a terminal. */
export const text: Format = (changes, context) => {
  const { ignored } = context;
  const end = ignored.length > 0 ? ` (${plural(ignored.length, 'change')} ignored)` : '';
  if (changes.length === 0) return `no changes${end}`;
  return [...plainLines(changes, context), '', `${countText(changes)}${end}`].join('\n');
};
