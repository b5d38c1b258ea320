import { wordsOf } from './spelling.ts';
import type { CliCommand } from './types.ts';

/** Commands that frameworks add. Used only if the manifest does not say which commands are built in. */
const NAMES: ReadonlySet<string> = new Set(
  (
    'changelog completion completions generate_skills help manifest mcp mcp_serve mcp_validate schema update ' +
    'upgrade version'
  ).split(' '),
);

/** Flags that every command has. */
export const BUILTIN_FLAGS: ReadonlySet<string> = new Set(['help', 'version']);

/** Gives a test for commands that the framework added: by the manifest, else by name, with their subcommands. */
export const builtinTest = (commands: readonly CliCommand[]): ((command: CliCommand) => boolean) => {
  const said = commands.some(({ builtin }) => builtin !== undefined);
  return ({ name, builtin }) => {
    if (said) return builtin === true;
    const first = name.split(/[.\s/:]/)[0] ?? name;
    return NAMES.has(wordsOf(first).join('_'));
  };
};
