import { quoteText } from '../text/quote.ts';
import { type Options, type Outcome, usageError } from './command.ts';

/** For commands that find things by rules. */
export const EXPLAIN: Options = { explain: { type: 'string' } };

/** A rule as `--explain RULE` shows it. `what`: its consequence. `examples`: a title, and the lines below it. */
export interface ExplainedRule {
  id: string;
  purpose: string;
  levels: readonly string[];
  what: string;
  examples: readonly { title: string; lines: readonly string[] }[];
}

const LIST = 'list';

const textOf = ({ id, purpose, levels, what, examples }: ExplainedRule): string =>
  [
    `${id} (${levels.join(' or ')})`,
    '',
    purpose,
    what,
    ...(examples.length === 0 ? [] : ['', 'Examples, each of which is a test:']),
    ...examples.flatMap(({ title, lines }) => [
      `  ${title}`,
      ...lines.map((line) => (line === '' ? '' : `    ${line}`)),
    ]),
  ].join('\n');

/**
 * What `--explain` prints: one rule, or with `list` the names of all.
 * @throws CommandError if no rule has this name
 */
export const explainRule = (command: string, id: string, rules: readonly ExplainedRule[]): Outcome => {
  if (id === LIST) {
    const names = rules.map(({ id, levels }) => `${id} (${levels.join(' or ')})`);
    return { exit: 0, data: { rules: rules.map(({ id, levels }) => ({ id, levels })) }, text: names.join('\n') };
  }
  const rule = rules.find((one) => one.id === id);
  if (rule === undefined)
    throw usageError(
      command,
      `there is no rule ${quoteText(id, 60)}`,
      `konnichiwagwan ${command} --explain ${LIST}, for the names of all rules`,
    );
  return { exit: 0, data: rule, text: textOf(rule) };
};
