// All commands, and what they share.
import { parseArgs } from 'node:util';
import {
  type Args,
  type Command,
  CommandError,
  type InputStream,
  type Io,
  knownError,
  type Options,
  type Outcome,
  type OutputStream,
  usageError,
} from '../command/command.ts';
import { nearNames } from '../contract/near-name.ts';
import { INPUT_LIMIT } from '../guard/input.ts';
import { forgetRepository } from '../servers/environment.ts';
import { withParents } from '../servers/folder.ts';
import { tooOldNode } from '../state/node-version.ts';
import { asTyped } from '../state/own-command.ts';
import { fold } from '../text/fold.ts';
import { unpainted } from '../text/paint.ts';
import { visible, visibleJson } from '../text/visible.ts';
import { wrap } from '../usage/text.ts';
import { COMMANDS, type CommandEntry, GROUPS } from './commands.ts';

const BUG = 70;

/** The version of the package, which the build fills in. */
declare const __version: string;

const overview = (columns: number): string => {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const line = ([name, { summary }]: [string, CommandEntry]): string[] =>
    wrap(summary, columns, `  ${name.padEnd(width)}  `, ' '.repeat(width + 4));
  return [
    'konnichiwagwan <command> [--json] [--help]',
    'konnichiwagwan help <command>, konnichiwagwan --version',
    '',
    ...Object.entries(GROUPS).flatMap(([title, group]) => [title, ...Object.entries(group).flatMap(line), '']),
    'Exit codes: 0 nothing found, 1 found, 2 could not check or wrong use, 70 a bug of konnichiwagwan.',
    'KONNICHIWAGWAN=off switches the hooks off, KONNICHIWAGWAN=debug traces them.',
  ].join('\n');
};

const helpOf = ({ name, usage, help }: Command): string => `konnichiwagwan ${name} ${usage}\n\n${help.trim()}`;

/** What a command sees of the process that it runs in. `env` is changed in place. */
export interface ProcessLike {
  env: NodeJS.ProcessEnv;
  cwd(): string;
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
}

/** If the client runs us (not at a terminal), removes what the project, or any folder above, set in the environment. */
const usersEnvironment = ({ env, cwd }: ProcessLike): void => {
  const named = env.CLAUDE_PROJECT_DIR ? [env.CLAUDE_PROJECT_DIR] : [];
  if (env.CLAUDECODE) for (const folder of [...named, ...withParents(cwd())]) forgetRepository(env, folder);
};

/** A line of a file, or of a difference between two. */
const OF_A_FILE = /^\s*[+-]\s*["{}[\]]/;

/** Commands in the form that works here when typed; but a line of a file is shown as it stands there. */
const typed = (text: string, env: NodeJS.ProcessEnv): string =>
  text
    .split('\n')
    .map((line) => (OF_A_FILE.test(unpainted(line)) ? line : asTyped(line, env)))
    .join('\n');

const isColoured = ({ isTTY }: OutputStream, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean => {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY === true && TERM !== 'dumb';
};

/** Reads all of an input, such as standard input, up to the limit for hook inputs. */
const readBounded = async (input: InputStream): Promise<string> => {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const given of input) {
    const chunk = typeof given === 'string' ? Buffer.from(given) : given;
    total += chunk.length;
    if (total > INPUT_LIMIT)
      throw new CommandError('input-too-large', `the input is larger than ${INPUT_LIMIT} bytes`, 'pass less');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const toIo = ({ env, cwd, stdin, stdout, stderr }: ProcessLike): Io => ({
  env,
  cwd: cwd(),
  stdin,
  stdout,
  stderr,
  readStdin: () => readBounded(stdin),
  colour: isColoured(stdout, env),
  columns: (stdout.isTTY && stdout.columns) || Number.POSITIVE_INFINITY,
  progress: (line) => {
    if (stderr.isTTY) stderr.write(`${line}\n`);
  },
  tell: (line) => void stderr.write(`${line}\n`),
});

interface Envelope {
  ok: boolean;
  data: null | Outcome['data'];
  error: null | { code: string; message: string; hint: string };
  warnings: string[];
  meta: { duration_ms: number };
}

/** The answer for programs. @param started when the command was, in ms */
const envelope = (started: number, part: Partial<Envelope>, meta: Outcome['meta'] = {}): string => {
  const whole = { ok: false, data: null, error: null, warnings: [], ...part };
  return visibleJson(JSON.stringify({ ...whole, meta: { duration_ms: Date.now() - started, ...meta } }, null, 2));
};

/** How text reaches people and programs. For people, commands appear as they can be typed here, and lines fit. */
const printer = ({ env, stdout, stderr }: ProcessLike) => {
  const shown = (text: string, { isTTY, columns }: OutputStream): string =>
    fold(typed(text, env), (isTTY && columns) || Number.POSITIVE_INFINITY);
  const print = (text: string): void => {
    if (text !== '') stdout.write(`${text}\n`);
  };
  return {
    print,
    tell: (text: string): void => print(shown(text, stdout)),
    complain: (text: string): void => void stderr.write(shown(`${text}\n`, stderr)),
  };
};

const GENERAL: Options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };

/** `did you mean A or B?`, or what else there is to say. */
const didYouMean = (name: string, known: readonly string[], otherwise: string): string => {
  const near = nearNames(name, known);
  const begun = near.length === 0 && name !== '' ? known.filter((one) => one.startsWith(name)) : near;
  return begun.length === 0 || begun.length > 3 ? otherwise : `did you mean ${begun.join(' or ')}?`;
};

/** Reports wrong arguments in our own words; those of node:util explain its API instead. */
const misused = (name: string, error: unknown, options: Options): CommandError => {
  const { code, message } = error as { code?: string; message: string };
  const [, option = ''] = /'(?:-\w, )?(--?[^\s'=]+)/.exec(message) ?? [];
  const shown = visible(option, { max: 40 });
  const known = Object.keys(options).map((one) => `--${one}`);
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return usageError(
      name,
      `there is no option ${shown}`,
      didYouMean(option, known, `options: ${known.join(', ')}; konnichiwagwan help ${name}`),
    );
  // What begins with a dash may be another option.
  const hint = / ambiguous/.test(message) ? `; one that begins with "-" is given as ${shown}=VALUE` : '';
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE')
    return usageError(name, / not take /.test(message) ? `${shown} takes no value` : `${shown} needs a value${hint}`);
  return usageError(name, message.split('\n')[0] ?? 'wrong arguments');
};

const parse = ({ name, options, readable }: Command, argv: string[]) => {
  const all = { ...GENERAL, ...options };
  try {
    return parseArgs({ args: readable?.(argv) ?? argv, options: all, allowPositionals: true });
  } catch (error) {
    throw misused(name, error, all);
  }
};

const commandNamed = async (name: string): Promise<Command> => {
  if (Object.hasOwn(COMMANDS, name)) return (COMMANDS[name] as CommandEntry).load();
  const hint = didYouMean(name, Object.keys(COMMANDS), 'all commands: konnichiwagwan --help');
  throw new CommandError('usage', `there is no command "${name.slice(0, 40)}"`, hint);
};

const checkWords = ({ name, words = 0 }: Command, given: readonly string[]): void => {
  const surplus = given[words];
  if (surplus !== undefined) throw usageError(name, `"${surplus.slice(0, 40)}" is one word too many`);
};

const needNode = (): void => {
  const problem = tooOldNode();
  if (problem !== undefined)
    throw new CommandError('old-node', problem, 'get one from https://nodejs.org or with your version manager');
};

const bugIn = (error: unknown) => ({
  code: 'bug',
  message: error instanceof Error ? error.message : String(error),
  hint: 'this is a bug of konnichiwagwan: please report it with the output of KONNICHIWAGWAN=debug',
  exit: BUG,
});

/** One run of a command. */
interface CommandRun {
  host: ProcessLike;
  /** When it started, in ms since 1970. */
  started: number;
  /** Whether it answers as JSON, for a program. */
  json: boolean;
}

/** Writes what a command found. Returns the exit code. */
const answer = ({ host, started, json }: CommandRun, { values }: Args, outcome: Outcome): number => {
  const { print, tell, complain } = printer(host);
  const { exit, data, text, warnings = [], meta } = outcome;
  if (json) {
    print(envelope(started, { ok: exit === 0, data, warnings }, meta));
    return exit;
  }
  // Other formats are for programs.
  const { format = 'text' } = values;
  if (format === 'text') tell(text);
  else print(asTyped(text, host.env));
  for (const warning of warnings) complain(`warning: ${visible(warning, { lines: true })}`);
  return exit;
};

/** Writes why a command could not be run. Returns the exit code. */
const refuse = ({ host, started, json }: CommandRun, error: unknown): number => {
  const { print, complain } = printer(host);
  const known = knownError(error, '; konnichiwagwan doctor');
  const { code, message, hint, exit } = known ?? bugIn(error);
  if (json) print(envelope(started, { error: { code, message, hint } }));
  else complain(`konnichiwagwan: ${visible(message, { lines: true })}\n  ${visible(hint, { lines: true })}`);
  if (!known && host.env.KONNICHIWAGWAN === 'debug') host.stderr.write(`${(error as Error).stack}\n`);
  return exit;
};

const runCommand = async (name: string, words: string[], json: boolean, host: ProcessLike): Promise<number> => {
  const about: CommandRun = { host, started: Date.now(), json };
  try {
    needNode();
    const command = await commandNamed(name);
    about.json ||= command.asksForJson?.(words) === true;
    const args = parse(command, words);
    if (args.values.help) {
      printer(host).tell(helpOf(command));
      return 0;
    }
    checkWords(command, args.positionals);
    return answer(about, args, await command.run(args, toIo(host)));
  } catch (error) {
    return refuse(about, error);
  }
};

const VERSION: ReadonlySet<string> = new Set(['--version', '-V', '-v']);
const HELP: ReadonlySet<string> = new Set(['--help', '-h', 'help']);

/**
 * Runs a command, and gives the exit code.
 * @param argv the command's name, and its arguments
 */
export const run = async (argv: string[], host: ProcessLike): Promise<number> => {
  const { print, tell } = printer(host);
  // `help COMMAND` is `COMMAND --help`.
  const [name, ...words] = argv[0] === 'help' && argv[1] !== undefined ? [argv[1], '--help'] : argv;
  if (name !== undefined && VERSION.has(name)) {
    print(__version);
    return 0;
  }
  if (name === undefined || HELP.has(name)) {
    tell(overview(toIo(host).columns));
    return name === undefined ? 2 : 0;
  }
  usersEnvironment(host);
  return runCommand(name, words, argv.includes('--json'), host);
};

/** Runs the command that this process was started with. */
export const start = (): void => {
  /** A reader that went away (`| head`) is not an error, and leaves the exit code alone. Any other failed write is one. */
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`konnichiwagwan: the output cannot be written (${code})\n  check where it goes\n`);
    process.on('exit', (exit) => {
      process.exitCode = exit || 2;
    });
  });
  // There is nowhere left to report it.
  process.stderr.on('error', () => {});
  run(process.argv.slice(2), process).then((code) => {
    process.exitCode = code;
  });
};
