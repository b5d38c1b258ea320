import { markdownText } from '../../reports/escape.ts';
import { plural } from '../../text/plural.ts';
import { visible } from '../../text/visible.ts';
import type { LintLevel } from '../types.ts';
import { aboutOf, countText, type FindingGroup, groupSame } from './group.ts';
import type { LintFormat } from './types.ts';

/** Longest report, in UTF-16 units: a comment on GitHub holds 65,536. */
const LONGEST = 60_000;
const MARKS: Record<LintLevel, string> = { error: '🔴', warning: '🟠', note: '🔵' };

const plain = (text: string, max = 600): string => markdownText(visible(text, { max }));

const code = (text: string): string => (text === '' ? '' : `<code>${plain(text, 200)}</code>`);

const row = (group: FindingGroup): string => {
  const { level, rule, message } = group.first;
  return `| ${MARKS[level]} ${level} | ${aboutOf(group, code)} | ${plain(message)} | ${code(rule)} |`;
};

/** A comment for pull requests. */
export const markdown: LintFormat = (findings, { what, waived, warnings }) => {
  const lines = [`### MCP tool lint: ${countText(findings)}`, '', code(what), ''];
  const rows = groupSame(findings).map(row);
  let room = LONGEST - warnings.length * 700;
  const shown = rows.filter((line) => {
    room -= line.length + 1;
    return room > 0;
  });
  if (shown.length > 0) lines.push('| Level | Where | What | Rule |', '| --- | --- | --- | --- |', ...shown, '');
  if (shown.length < rows.length) lines.push(`… and ${rows.length - shown.length} more.`, '');
  for (const { rule, tool, reason, until } of waived.slice(0, 50))
    lines.push(`- waived until ${until}: ${code(rule)} of ${code(tool)}: ${plain(reason, 300)}`);
  if (waived.length > 50) lines.push(`- and ${plural(waived.length - 50, 'waived finding')} more`);
  for (const warning of warnings.slice(0, 50)) lines.push(`- ⚠️ ${plain(warning)}`);
  return lines.join('\n').trimEnd();
};
