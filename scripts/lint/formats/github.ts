import { defined } from '../../contract/defined.ts';
import { workflowCommand } from '../../reports/escape.ts';
import { locator } from '../../reports/locate.ts';
import { visible } from '../../text/visible.ts';
import { groupSame, nameOf, spotIn, who } from './group.ts';
import type { LintFormat } from './types.ts';

/** Workflow commands of GitHub Actions, the worst first: it shows ten of each kind for one step. */
export const github: LintFormat = (findings, { uri, source, warnings, toUri }) => {
  const spotOf = locator(source);
  const lines = groupSame(findings).map((group) => {
    const { first } = group;
    const { file, line, column, endLine } = spotIn(first, uri, source, spotOf, toUri);
    const at = { file: decodeURIComponent(file), line, ...defined({ endLine }), col: column };
    const title = `${first.rule}${group.tools.length === 1 && first.tool !== '' ? `: ${visible(nameOf(first), { max: 200 })}` : ''}`;
    const about = first.place !== undefined && first.tool === '' ? '' : `${who(group)}: `;
    const message = `${about}${visible(first.message, { max: 2_000 })}`;
    return workflowCommand(first.level, { ...at, title }, message);
  });
  return [...lines, ...warnings.map((text) => workflowCommand('warning', {}, visible(text)))].join('\n');
};
