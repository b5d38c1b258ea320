// The page of all commands, made from the built program's own help, so that no second text can become outdated.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** The help of the program; if no shell finds the command, the help names it by its path on this machine. */
const help = (cli: string): string =>
  execFileSync(process.execPath, [cli, '--help'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NO_COLOR: '1', COLUMNS: '100' },
  }).replaceAll(`node ${resolve(cli)}`, 'konnichiwagwan');

const row = (name: string, summary: string): string => {
  const more = existsSync(`docs/${name}.md`) ? `; [more](${name}.md)` : '';
  return `| \`konnichiwagwan ${name}\` | ${summary}${more} |`;
};

/** A line of the help as one of the page: the heading of a group, or a command; undefined for any other line. */
const pageLine = (line: string): string | undefined => {
  const [, group] = /^(\w[\w ]+):$/.exec(line) ?? [];
  if (group !== undefined) return `\n## ${group}\n\n| command | what it does |\n|---|---|`;
  const [, name, summary] = /^ {2}(\S+) {2,}(.*)$/.exec(line) ?? [];
  return name === undefined || summary === undefined ? undefined : row(name, summary);
};

/**
 * The text of docs/commands.md. It does not repeat the options, which `--help` describes.
 * @param cli path of the built program
 */
export const commandsPage = (cli: string): string => {
  const lines = help(cli)
    .split('\n')
    .flatMap((line) => pageLine(line) ?? []);
  return `# Commands

\`konnichiwagwan\`, or \`kwg\`. \`konnichiwagwan COMMAND --help\` describes a command and its options. With \`--json\` each prints
\`{ok, data, error, warnings, meta}\`. Exit codes: 0 nothing found, 1 found, 2 could not check, 70 a bug of ours.
${lines.join('\n')}
`;
};
