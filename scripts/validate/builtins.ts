import { wordsOf } from './spelling.ts';
import type { CliCommand } from './types.ts';

/** What frameworks bring along. Looked for only where the manifest itself does not tell what is built in. */
const NAMES: ReadonlySet<string> = new Set([
  'changelog',
  'completion',
  'completions',
  'generate_skills',
  'help',
  'manifest',
  'mcp',
  'mcp_serve',
  'mcp_validate',
  'schema',
  'update',
  'upgrade',
  'version',
]);

/** Flags that every command has, whoever wrote it. */
export const BUILTIN_FLAGS: ReadonlySet<string> = new Set(['help', 'version']);

/** Tells which commands the framework brought: what the manifest says, else by name. `completion.bash` is one, too. */
export const builtinTest = (commands: readonly CliCommand[]): ((command: CliCommand) => boolean) => {
  const said = commands.some(({ builtin }) => builtin !== undefined);
  return ({ name, builtin }) => {
    if (said) return builtin === true;
    const first = name.split(/[.\s/:]/)[0] ?? name;
    return NAMES.has(wordsOf(first).join('_'));
  };
};
