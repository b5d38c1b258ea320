import { CommandError, type Io, knownError } from '../../command/command.ts';
import { readToolFile, wholeList } from '../../command/read-file.ts';
import { writeOutput } from '../../command/write-output.ts';
import type { Contract } from '../../contract/types.ts';
import { countText } from '../../reports/changes.ts';
import { text } from '../../reports/text.ts';
import { painter } from '../../text/paint.ts';
import { visibleJson } from '../../text/visible.ts';
import type { Checked } from '../check.ts';
import { bothSides, headline } from '../report.ts';
import { OWN_NAME, textsOf } from './manifest.ts';
import { answerOf, checkInput, exitCode, failure } from './mcp-validate.ts';
import type * as Kit from './validate.d.ts';

export const SUMMARY = 'Compare the commands of this program with the tools of its MCP server';

export const OPTIONS: { name: string; value: string; text: string; many?: true }[] = [
  { name: 'mcp-schema-file', value: 'FILE', text: "the MCP server's tools, as tools/list gives them" },
  { name: 'mcp-server-url', value: 'URL', text: 'the MCP server, or a gateway; it is asked' },
  {
    name: 'header',
    value: 'HEADER',
    text: 'for that URL: "Name: value"; a variable in braces after $ is taken from the environment',
    many: true,
  },
  { name: 'output', value: 'FORMAT', text: 'json or text; anything else is a file' },
];

/** The options as the frameworks give them: in camel case, as typed, or in both spellings. */
export type Given = Record<string, unknown>;

const own = (given: Given, name: string): unknown =>
  given[name] ?? given[name.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())];

const textOf = (given: Given, name: string): string | undefined => {
  const value = own(given, name);
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw usage(`--${name} needs one value`);
};

const BUG = 70;
const HELP = `${OWN_NAME} --help`;
const usage = (message: string): CommandError => new CommandError('usage', message, HELP);

const io = (): Pick<Io, 'env' | 'cwd' | 'readStdin' | 'colour'> => ({
  env: process.env,
  cwd: process.cwd(),
  readStdin: () => Promise.reject(usage('--mcp-schema-file names a file')),
  colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
});

/** The wrapper's tools, and its name in reports. */
const wrapper = async (given: Given): Promise<{ tools: readonly Contract[]; name: string }> => {
  const [file, url] = [textOf(given, 'mcp-schema-file'), textOf(given, 'mcp-server-url')];
  const headers = textsOf(own(given, 'header') ?? []);
  if ((file === undefined) === (url === undefined))
    throw usage(`${OWN_NAME} needs one of --mcp-schema-file and --mcp-server-url`);
  if (headers.length > 0 && url === undefined) throw usage('--header goes with --mcp-server-url');
  const { env, cwd } = io();
  if (url !== undefined) {
    // The library for asking is loaded only here, if needed.
    const { readHeaders, toolsBehind } = await import('../ask-url.ts');
    const { tools, where } = await toolsBehind(url, {
      headers: readHeaders(headers, env),
      project: cwd,
      deadline: 20_000,
    });
    return { tools, name: where };
  }
  const name = file as string;
  return { tools: wholeList(await readToolFile(name, io()), name), name };
};

const reportOf = ({ compared, changes, warnings, meta }: Checked, name: string, toFile: boolean): string => {
  const line = headline(compared, meta.commands, meta.tools);
  if (changes.length === 0) return `${line}: no drift`;
  const { tools, commands } = bothSides(compared);
  const { env, colour } = io();
  const report = text(changes, {
    before: { file: name, tools },
    after: { file: 'this program', tools: commands },
    uri: encodeURIComponent(name),
    source: undefined,
    ignored: [],
    warnings,
    paint: painter(colour && !toFile),
    columns: Number(env.COLUMNS) || process.stdout.columns || 100,
  });
  return `${line}\n\n${report}`;
};

/**
 * Runs the command: prints the answer, and sets the exit code of the process.
 * @param manifest what the program takes
 */
export const run = async (
  given: Given,
  manifest: () => Kit.Manifest | Promise<Kit.Manifest>,
  options: Kit.McpValidateOptions,
): Promise<void> => {
  const started = Date.now();
  const output = own(given, 'output');
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const printJson = (answer: Kit.McpValidateAnswer): void => print(visibleJson(JSON.stringify(answer, null, 2)));
  try {
    const file = output === 'json' || output === 'text' ? undefined : textOf(given, 'output');
    const { tools, name } = await wrapper(given);
    const checked = checkInput({ ...options, ...(await manifest()), mcp: [] }, tools);
    const answer = answerOf(checked, started);
    if (output === 'json') printJson(answer);
    else {
      const report = reportOf(checked, name, file !== undefined);
      if (file !== undefined) writeOutput(file, process.cwd(), `${report}\n`);
      print(file === undefined ? report : `${countText(checked.changes)}; written to ${file}`);
      for (const warning of checked.warnings) process.stderr.write(`warning: ${warning}\n`);
    }
    process.exitCode = exitCode(answer);
  } catch (error) {
    const problem = knownError(error);
    const { code, message, hint } = problem ?? {
      code: 'bug',
      message: String((error as Error)?.message ?? error),
      hint: 'this is a bug of konnichiwagwan: please report it',
    };
    // The command is one of the program's here.
    const said = { code, message, hint: hint.replace(/^konnichiwagwan (?=mcp-validate)/, '') };
    if (output === 'json') printJson(failure(said, started));
    else process.stderr.write(`${OWN_NAME}: ${message}\n  ${said.hint}\n`);
    process.exitCode = problem === undefined ? BUG : 2;
  }
};
