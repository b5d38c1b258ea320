// Runs our programs in two ways: in this process or, with KONNICHIWAGWAN_BUILT=1, as the built file in a separate process.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { run } from '../scripts/cli/run.ts';
import { INPUT_LIMIT } from '../scripts/guard/input.ts';
import './children-here.ts';
import { environmentOf, ownOf, real, runs } from './own-process.ts';
import { canRunHere, HOOKS, runCommand, runHook, runStatusline, runsHere } from './programs-here.ts';
import { type Ran, type Run, runProgram } from './run-program.ts';

const withAnswer = (ran: Ran, plain: boolean): Run => ({
  ...ran,
  answer: ran.stdout === '' || plain ? undefined : JSON.parse(ran.stdout),
});

/** Runs a built file with text on its standard input. `plain`: its output is not JSON. */
export const runBuilt = async (
  file: string,
  input: string | null,
  env: NodeJS.ProcessEnv,
  args: string[] = [],
  plain = false,
  cwd = process.cwd(),
): Promise<Run> => {
  const ran = await runProgram(process.execPath, [resolve('dist', file), ...args], {
    input,
    env: withManaged(env),
    cwd,
  });
  return withAnswer(ran, plain);
};

/** A built program finds an organization's files as we do, by managed-folder.cjs. */
const withManaged = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  env.TEST_MANAGED_FOLDER === undefined || env.NODE_OPTIONS !== undefined
    ? env
    : { ...env, NODE_OPTIONS: `--require ${JSON.stringify(resolve('test/managed-folder.cjs'))}` };

/** With the built files: of this many runs of a program with the same options, the first is the built file; the others run here. */
const EVERY = Number(real.KONNICHIWAGWAN_BUILT_EVERY ?? 1);
const runsOf = new Map<string, number>();
const isItsTurn = (file: string, args: string[]): boolean => {
  const form = [file, args[0], ...args.filter((arg) => arg.startsWith('--'))].join(' ');
  const before = runsOf.get(form) ?? 0;
  runsOf.set(form, before + 1);
  return before % EVERY === 0;
};

/** A function that runs a program in this process; undefined if it needs a separate one. */
const hereOf = (file: string, args: string[], env: NodeJS.ProcessEnv, cwd: string) => {
  if (!canRunHere(env, args) || (real.KONNICHIWAGWAN_BUILT === '1' && isItsTurn(file, args))) return undefined;
  if (file === 'cli.cjs' && args.join(' ') === 'statusline') return () => runStatusline(env);
  if (file === 'cli.cjs') return (input: Buffer, own: NodeJS.ProcessEnv) => runCommand(args, input, own, cwd);
  const program = args.length === 0 ? HOOKS[file] : undefined;
  return program && ((input: Buffer, own: NodeJS.ProcessEnv) => runHook(program, input.toString('utf8'), own));
};

/**
 * Runs one of our programs with text on its standard input, in an environment of the PATH and the given variables.
 * @param file its built file, such as `guard.cjs`
 * @param plain whether its output is not JSON
 * @param cwd the working folder, only for commands
 */
export const drive = async (
  file: string,
  input: string | null,
  given: NodeJS.ProcessEnv,
  args: string[] = [],
  plain = false,
  cwd = process.cwd(),
): Promise<Run> => {
  const bytes = Buffer.from(input ?? '');
  const env = environmentOf(given);
  const here = bytes.length > INPUT_LIMIT ? undefined : hereOf(file, args, env, cwd);
  if (here === undefined) return runBuilt(file, input, given, args, plain, cwd);
  const own = ownOf(env, { stdin: bytes });
  const ran = await runs.run(own, () => here(bytes, env));
  return withAnswer({ ...ran, stdout: own.stdout + ran.stdout, stderr: own.stderr + ran.stderr }, plain);
};

/** Runs the command line of a copy of the built files, such as an installed one: in this process by loading its code. */
export const driveAt = async (cli: string, given: NodeJS.ProcessEnv, args: string[], cwd: string): Promise<Ran> => {
  const code = join(dirname(cli), 'run.cjs');
  if (!existsSync(code) || !runsHere(given, args))
    return runProgram(process.execPath, [cli, ...args], { env: withManaged(given), cwd });
  const own = ownOf(environmentOf(given));
  const command: typeof run = createRequire(code)(code).run;
  const ran = await runs.run(own, () => runCommand(args, Buffer.alloc(0), own.env, cwd, command));
  return { ...ran, stderr: own.stderr + ran.stderr };
};
