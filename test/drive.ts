// Runs what we ship, two ways: in this process, or with KONNICHIWAGWAN_BUILT=1 as the built file in a process of its own.
import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { run } from '../scripts/cli/run.ts';
import { answerJson } from '../scripts/guard/answer.ts';
import { beforeCall } from '../scripts/guard/check-call.ts';
import { INPUT_LIMIT } from '../scripts/guard/input.ts';
import { ofOffers } from '../scripts/guard/offers/answer-offers.ts';
import { answerOf, type Hook, newRun } from '../scripts/guard/run-hook.ts';
import { afterFailure } from '../scripts/guard/tool-failed.ts';
import { sessionEnds } from '../scripts/session/session-ends.ts';
import { finish, sessionStarts } from '../scripts/session/session-starts.ts';
import { type Ran, type Run, runProgram } from './run-program.ts';

const withAnswer = (ran: Ran, plain: boolean): Run => ({
  ...ran,
  answer: ran.stdout === '' || plain ? undefined : JSON.parse(ran.stdout),
});

/** Runs a built file with text on its standard input. `plain`: what it prints is no JSON. */
export const runBuilt = async (
  file: string,
  input: string | null,
  env: NodeJS.ProcessEnv,
  args: string[] = [],
  plain = false,
  cwd = process.cwd(),
): Promise<Run> => {
  return withAnswer(await runProgram(process.execPath, [resolve('dist', file), ...args], { input, env, cwd }), plain);
};

/** The hooks by their built files: the event that each is for, and what it does. */
const HOOKS: Record<string, { event: string; hook: (raw: string) => Hook }> = {
  'guard.cjs': { event: 'PreToolUse', hook: (raw) => (env, run) => beforeCall(raw, env, run) },
  'offers.cjs': { event: 'PreToolUse', hook: (raw) => (env, run) => ofOffers(raw, env, run) },
  'tool-failure.cjs': { event: 'PostToolUseFailure', hook: (raw) => (env) => afterFailure(raw, env) },
  'session-end.cjs': { event: 'SessionEnd', hook: (raw) => (env) => sessionEnds(() => raw, env) },
  'session-start.cjs': {
    event: 'SessionStart',
    hook: (raw) => (env) => sessionStarts(raw, env, (start) => void finish(start).catch(() => {})),
  },
};

/** Each run has an environment of its own, whatever reads it: `process.env` is that of the run, outside of runs the real one. */
const environments = new AsyncLocalStorage<NodeJS.ProcessEnv>();
const real = process.env;
Object.defineProperty(process, 'env', { get: () => environments.getStore() ?? real });

let processesOnly = false;

/** From here on runs are built ones, until the test ends or the file of tests does: where what is tested takes processes. */
export const needProcesses = (test?: Pick<TestContext, 'after'>): void => {
  processesOnly = true;
  test?.after(() => {
    processesOnly = false;
  });
};

/** What a process gets even where its parent gives it an environment that lacks it: on Windows, Node sees to that. */
const ALWAYS = process.platform === 'win32' ? ['PATH', 'SystemRoot', 'TEMP'] : ['PATH'];

const environmentOf = (given: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const always = Object.fromEntries(ALWAYS.map((name) => [name, real[name]]));
  const set = Object.entries({ ...always, ...given }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
};

const runHook = async ({ event, hook }: (typeof HOOKS)[string], raw: string, env: NodeJS.ProcessEnv): Promise<Ran> => {
  const run = newRun(event);
  const said = await answerOf(hook(raw), run, env, process.pid);
  const json = JSON.stringify(answerJson(run.event, said));
  return { stdout: json === '{}' ? '' : json, stderr: '', code: 0, signal: null, pid: process.pid };
};

const runCommand = async (args: string[], input: Buffer, env: NodeJS.ProcessEnv, cwd: string): Promise<Ran> => {
  const printed = { stdout: '', stderr: '' };
  const output = (name: keyof typeof printed) => ({
    write: (text: string): void => {
      printed[name] += text;
    },
  });
  const stdin = (async function* () {
    yield input;
  })();
  const host = { env, cwd: () => cwd, stdin, stdout: output('stdout'), stderr: output('stderr') };
  const code = await run(args, host);
  return { ...printed, code, signal: null, pid: process.pid };
};

/** Commands that read or write what only a process has: its files 0 and 1, a terminal, signals; and one that starts processes. */
const NEEDS_PROCESS = /^(statusline|wrap|demo|approve)$|^--follow$|^-f$/;

/** What runs a program in this process; undefined if it takes one of its own. */
const hereOf = (file: string, args: string[], env: NodeJS.ProcessEnv, cwd: string) => {
  if (processesOnly || real.KONNICHIWAGWAN_BUILT === '1') return undefined;
  // What is traced is written to file 2; and options are for a Node that starts.
  if (env.KONNICHIWAGWAN === 'debug' || env.NODE_OPTIONS !== undefined) return undefined;
  if (file === 'cli.cjs' && !args.some((arg) => NEEDS_PROCESS.test(arg)))
    return (input: Buffer, own: NodeJS.ProcessEnv) => runCommand(args, input, own, cwd);
  const program = args.length === 0 ? HOOKS[file] : undefined;
  return program && ((input: Buffer, own: NodeJS.ProcessEnv) => runHook(program, input.toString('utf8'), own));
};

/**
 * Runs one of our programs with text on its standard input, in an environment that holds the PATH and what is given.
 * @param file its built file, such as `guard.cjs`
 * @param plain what it prints is no JSON
 * @param cwd for commands alone: where they run
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
  return withAnswer(await environments.run(env, () => here(bytes, env)), plain);
};
