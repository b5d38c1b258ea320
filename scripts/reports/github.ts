import type { FoundChange, Level } from '../diff/types.ts';
import { visible } from '../text/visible.ts';
import { countNames } from './count.ts';
import { workflowCommand } from './escape.ts';
import { groupChanges, someTools } from './group.ts';
import { locator } from './locate.ts';
import { plainMessage } from './place.ts';
import type { Format } from './types.ts';

const COMMANDS: Record<Level, 'error' | 'warning' | 'notice'> = {
  breaking: 'error',
  unclassified: 'error',
  silent: 'warning',
  semantic: 'warning',
  compatible: 'notice',
};

/**
 * Workflow commands of GitHub Actions: annotations at the changed lines of AFTER. GitHub shows ten of each kind for one
 * step, so the worst come first, and a change that many tools share comes once.
 */
export const github: Format = (changes, { uri, source, warnings, bearingOf }) => {
  const spotOf = locator(source);
  const file = decodeURIComponent(uri);
  // A change that makes the exit code 1 is more than a notice.
  const commandOf = (change: FoundChange): 'error' | 'warning' | 'notice' =>
    COMMANDS[change.level] === 'notice' && bearingOf?.(change) === 'failed' ? 'warning' : COMMANDS[change.level];
  const lines = groupChanges(changes).flatMap((group) =>
    group.changes.map((change) => {
      const { line, column } = spotOf(change.tool, change.path);
      const title = `${change.level}: ${group.tools.length > 1 ? countNames(group.tools) : visible(change.tool)}`;
      const who = group.tools.length > 1 ? `\n${someTools(group, visible)}` : '';
      const message = `${plainMessage(change)}${who}\n${change.rule}`;
      const command = commandOf(change);
      return { command, text: workflowCommand(command, { file, line, col: column, title }, message) };
    }),
  );
  const order = ['error', 'warning', 'notice'];
  lines.sort((a, b) => order.indexOf(a.command) - order.indexOf(b.command));
  return [
    ...lines.map(({ text }) => text),
    ...warnings.map((text) => workflowCommand('warning', {}, visible(text))),
  ].join('\n');
};
