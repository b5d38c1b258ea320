// The page of all commands, made from the built program's own help, so that no second text can become outdated.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const help = (cli: string, ...args: string[]): string =>
  execFileSync(process.execPath, [cli, ...args, '--help'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NO_COLOR: '1', COLUMNS: '100' },
    // If no shell finds the command, the help names it by its path on this machine.
  }).replaceAll(`node ${resolve(cli)}`, 'konnichiwagwan');

/** The commands and their summaries, as the program itself lists them. */
const listed = (cli: string): [name: string, summary: string][] =>
  help(cli)
    .split('\n')
    .flatMap((line) => {
      const [, name, summary] = /^ {2}(\S+) {2,}(.*)$/.exec(line) ?? [];
      return name === undefined || summary === undefined ? [] : [[name, summary] as [string, string]];
    });

/** Does not repeat the output of `--help`, which says everything and is always at hand. */
const section = (cli: string, name: string, summary: string): string => {
  const [usage = ''] = help(cli, name).trimEnd().split('\n');
  const more = existsSync(`docs/${name}.md`) ? ` [More about it](${name}.md).` : '';
  return `## ${name}

${summary[0]?.toUpperCase()}${summary.slice(1)}${summary.endsWith('?') ? '' : '.'}${more}

    ${usage.trimEnd()}
`;
};

/**
 * The text of docs/commands.md.
 * @param cli path of the built program
 */
export const commandsPage = (cli: string): string => {
  const commands = listed(cli);
  return [
    `# Commands

\`konnichiwagwan\`, or \`kwg\`. With \`--json\` each prints \`{ok, data, error, warnings, meta}\`. Exit codes: 0 nothing found, 1 found,
2 could not check, 70 a bug of ours. \`konnichiwagwan COMMAND --help\` describes a command and its options.
`,
    ...commands.map(([name, summary]) => section(cli, name, summary)),
  ].join('\n');
};
