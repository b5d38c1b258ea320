import type { parseArgs } from 'node:util';
import type { Json } from '../contract/types.ts';

/** The process as a command sees it, so that commands run in tests without one. */
export interface Io {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** All of standard input, bounded. */
  readStdin(): Promise<string>;
  /** Whether text may be coloured: a terminal, and no NO_COLOR. */
  colour: boolean;
  /** Writes a line of progress to standard error, if it is a terminal. */
  progress(line: string): void;
}

/** Whether what is printed is read by the model: Claude Code says so to all that it runs, and no project can unsay it. */
export const isReadByModel = ({ env }: Pick<Io, 'env'>): boolean => Boolean(env.CLAUDECODE);

/** What a command found. `exit`: 0 nothing found, 1 found, 2 could not check. */
export interface Outcome {
  exit: 0 | 1 | 2;
  data: Json;
  /** What people read; printed without `--json`. */
  text: string;
  warnings?: string[];
  meta?: Record<string, Json>;
}

/** A command that could not do its work: bad usage, bad input, no answer. Never a stack trace for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** Several bundles hold a copy of this class, and one reports the errors of another: the name tells. */
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

export type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

export interface Args {
  positionals: string[];
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
}

export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** After the name: `BEFORE AFTER [--json]`. */
  usage: string;
  /** How many words it takes besides options; none if absent. */
  words?: number;
  /** In the sense of node:util's parseArgs; `--json` and `--help` are everybody's. */
  options?: Options;
  /** Longer help: what it does, with an example. */
  help: string;
  /** Whether it has other words for `--json`. */
  asksForJson?(words: string[]): boolean;
  run(args: Args, io: Io): Promise<Outcome>;
}
