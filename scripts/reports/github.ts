import { visible } from '../text/visible.ts';
import { severityOf } from './changes.ts';
import { countNames } from './count.ts';
import { workflowCommand } from './escape.ts';
import { groupChanges, someTools } from './group.ts';
import { locator } from './locate.ts';
import { plainMessage } from './place.ts';
import type { Format } from './types.ts';

/**
 * Workflow commands of GitHub Actions: annotations at the changed lines of AFTER. GitHub shows ten of each kind for one
 * step, so the worst come first, and a change that many tools share comes once.
 */
export const github: Format = (changes, { uri, source, warnings, bearingOf }) => {
  const spotOf = locator(source);
  const file = decodeURIComponent(uri);
  const lines = groupChanges(changes).flatMap((group) =>
    group.changes.map((change) => {
      const { line, column } = spotOf(change.tool, change.path);
      const title = `${change.level}: ${group.tools.length > 1 ? countNames(group.tools) : visible(change.tool)}`;
      const who = group.tools.length > 1 ? `\n${someTools(group, visible)}` : '';
      const message = `${plainMessage(change)}${who}\n${change.rule}`;
      const severity = severityOf(change, bearingOf);
      return { severity, text: workflowCommand(severity, { file, line, col: column, title }, message) };
    }),
  );
  const order = ['error', 'warning', 'note'];
  lines.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  return [
    ...lines.map(({ text }) => text),
    ...warnings.map((text) => workflowCommand('warning', {}, visible(text))),
  ].join('\n');
};
