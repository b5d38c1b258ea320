import type { parseArgs } from 'node:util';
import { quoteText } from '../text/quote.ts';

/** A stream that people may type at: then it is a terminal, which can give each key as it is pressed. */
export type InputStream = NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/** A stream that people may look at: then it is a terminal. */
export type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** What a command needs of its process, so that tests can run commands without one. */
export interface Io {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** For commands that ask a person, or write while they run. What others print is their outcome. */
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  /** Reads all of standard input, up to a limit. */
  readStdin(): Promise<string>;
  /** Whether text may be coloured: on a terminal that supports it, unless NO_COLOR is set; or if FORCE_COLOR is. */
  colour: boolean;
  /** How wide the terminal is; infinite if there is none. */
  columns: number;
  /** Writes a line of progress to standard error, if it is a terminal. */
  progress(line: string): void;
  /** Writes a line to standard error. */
  tell(line: string): void;
}

/** Where a command runs. */
export type Here = Pick<Io, 'env' | 'cwd'>;

/** Whether the model reads the output. Claude Code sets the variable for all that it runs; no project can unset it. */
export const isReadByModel = ({ env }: Pick<Io, 'env'>): boolean => Boolean(env.CLAUDECODE);

/** What a command found. `exit`: 0 nothing found, 1 found, 2 could not check; of `preflight` also 10 to 12. */
export interface Outcome {
  exit: 0 | 1 | 2 | 10 | 11 | 12;
  /** The `data` of `--json`: anything that JSON.stringify accepts. */
  data: object;
  /** What people read; printed without `--json`. */
  text: string;
  warnings?: string[];
  meta?: object;
}

/** Thrown by a command that cannot do its work: bad usage, bad input, no answer. Users see message and hint, no stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** By name, because each bundle has a copy of this class, and one bundle reports the errors of another. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof Error && error.name === 'CommandError';
  }

  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly exit: 1 | 2 = 2,
  ) {
    super(message);
  }
}

/** An error that a user can do something about, which one of the file system is, too; undefined for a bug of ours. */
export const knownError = (error: unknown, more = ''): CommandError | undefined => {
  if (error instanceof CommandError) return error;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined) return undefined;
  const what = path ?? (syscall === 'uv_cwd' ? 'the working folder' : 'a file');
  // A disk is found to be full while a file is written that could be opened: the error then names no file.
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new CommandError('io', `${what} cannot be written (${code})`, `make room on the disk${more}`);
  return new CommandError('io', `${what} cannot be used (${code})`, `check that it exists and is yours${more}`);
};

/** The error for wrong arguments or options. Its hint is the command's help unless a better one is given. */
export const usageError = (command: string, message: string, hint = `konnichiwagwan ${command} --help`): CommandError =>
  new CommandError('usage', message, hint);

const LONGEST_TIMEOUT = 3_600;

/** The option `--timeout SECONDS`, in ms; undefined if it is not given. @throws CommandError if it is not a valid number */
export const timeoutOf = (command: string, { values }: Args): number | undefined => {
  if (values.timeout === undefined) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(String(values.timeout)) ? Number(values.timeout) : 0;
  if (seconds > 0 && seconds <= LONGEST_TIMEOUT) return seconds * 1_000;
  throw usageError(command, `--timeout is a number of seconds, from above 0 to ${LONGEST_TIMEOUT}`);
};

/** A value of an option as a number from 1 to `most`. @throws CommandError if it is none */
export const wholeNumber = (command: string, option: string, value: unknown, most: number): number => {
  const number = /^\d{1,9}$/.test(String(value)) ? Number(value) : 0;
  if (number >= 1 && number <= most) return number;
  throw usageError(command, `--${option} is a number from 1 to ${most}, not ${quoteText(String(value), 40)}`);
};

export type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

export interface Args {
  positionals: string[];
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
}

export interface Command {
  name: string;
  /** What follows the name: `BEFORE AFTER [--json]`. */
  usage: string;
  /** How many positional arguments it takes; none if absent. */
  words?: number;
  /** As for `parseArgs` of node:util; every command also has `--json` and `--help`. */
  options?: Options;
  /** Longer help: what it does, with an example. */
  help: string;
  /** Rewrites arguments that node:util cannot parse as people write them. */
  readable?(words: string[]): string[];
  /** Whether the arguments ask for JSON in another way than `--json`. */
  asksForJson?(words: string[]): boolean;
  run(args: Args, io: Io): Promise<Outcome>;
}
