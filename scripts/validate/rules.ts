import type { RuleFacts } from '../reports/rules.ts';

const rule = <Id extends string>(id: Id, levels: RuleFacts['levels'], purpose: string) => ({
  id,
  levels,
  purpose,
  examples: [],
});

/** What `mcp-validate` finds, as reports describe it. */
export const RULES = [
  rule('mcp-type-differs', ['breaking'], 'A flag or a field of the output has another type in the tool.'),
  rule('mcp-values-differ', ['breaking', 'silent'], 'The tool allows other values than the CLI.'),
  rule('mcp-default-differs', ['silent'], 'The tool has another default than the CLI.'),
  rule('mcp-required-differs', ['breaking', 'silent'], 'Only one side requires a flag, or always prints a field.'),
  rule('mcp-command-missing', ['silent'], 'A command of the CLI is no tool.'),
  rule('mcp-flag-missing', ['breaking', 'silent'], 'A flag of the CLI is not in the tool.'),
  rule('mcp-flag-unknown', ['breaking'], 'A parameter of the tool is not in the CLI.'),
  rule('mcp-output-field-missing', ['silent'], 'The command prints a field that the tool does not describe.'),
  rule(
    'mcp-output-field-unknown',
    ['breaking', 'silent'],
    'The tool describes a field that the command does not print.',
  ),
  rule('mcp-tool-without-command', ['breaking'], 'A tool is no command of the CLI.'),
  rule('mcp-tool-not-wanted', ['breaking'], 'A command that must not be a tool is one.'),
] as const satisfies readonly RuleFacts[];
