import { withoutCommands } from '../../reports/escape.ts';
import { plural } from '../../text/plural.ts';
import { visible } from '../../text/visible.ts';
import type { LintLevel } from '../types.ts';
import { aboutOf, countText, groupSame } from './group.ts';
import type { LintFormat } from './types.ts';

const STYLES: Record<LintLevel, 'red' | 'yellow' | 'grey'> = { error: 'red', warning: 'yellow', note: 'grey' };

/** Text for people at a terminal. */
export const text: LintFormat = (findings, { paint, waived, what }) => {
  const width = Math.max(0, ...findings.map(({ level }) => level.length));
  const lines = groupSame(findings).map((group) => {
    const { level, rule, message } = group.first;
    const line = `${aboutOf(group)}: ${visible(message, { max: 2_000 })} ${paint('grey', `(${rule})`)}`;
    return `${paint(STYLES[level], level.padEnd(width))}  ${withoutCommands(line)}`;
  });
  const end = waived.length > 0 ? ` (${plural(waived.length, 'finding')} waived)` : '';
  const sum = `${withoutCommands(visible(what, { max: 300 }))}: ${countText(findings)}${end}`;
  return [...lines, ...(lines.length > 0 ? [''] : []), sum].join('\n');
};
