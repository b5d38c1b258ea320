import type { FoundChange } from '../diff/types.ts';
import { plural } from '../text/plural.ts';
import { changeLines, countShown } from './changes.ts';
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
  const { ignored, milder } = context;
  const end = ignored.length > 0 ? ` (${plural(ignored.length, 'change')} ignored)` : '';
  const count = `${countShown(changes, milder)}${end}`;
  return changes.length === 0 ? count : [...plainLines(changes, context), '', count].join('\n');
};
