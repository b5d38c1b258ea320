// Our programs as functions, and which of them need a process of their own.
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { run } from '../scripts/cli/run.ts';
import { printSegment } from '../scripts/cli/statusline.ts';
import { answerJson } from '../scripts/guard/answer.ts';
import { beforeCall } from '../scripts/guard/check-call.ts';
import { ofOffers } from '../scripts/guard/offers/answer-offers.ts';
import { answerOf, type Hook, newRun } from '../scripts/guard/run-hook.ts';
import { afterFailure } from '../scripts/guard/tool-failed.ts';
import { sessionEnds } from '../scripts/session/session-ends.ts';
import { finish, sessionStarts } from '../scripts/session/session-starts.ts';
import { outputTo, real } from './own-process.ts';
import type { Ran } from './run-program.ts';

/** The hooks by their built files: the event of each, and its function. */
export const HOOKS: Record<string, { event: string; hook: (raw: string) => Hook }> = {
  'guard.cjs': { event: 'PreToolUse', hook: (raw) => (env, run) => beforeCall(raw, env, run) },
  'offers.cjs': { event: 'PreToolUse', hook: (raw) => (env, run) => ofOffers(raw, env, run) },
  'tool-failure.cjs': { event: 'PostToolUseFailure', hook: (raw) => (env) => afterFailure(raw, env) },
  'session-end.cjs': { event: 'SessionEnd', hook: (raw) => (env) => sessionEnds(() => raw, env) },
  'session-start.cjs': {
    event: 'SessionStart',
    hook: (raw) => (env) => sessionStarts(raw, env, (start) => void finish(start).catch(() => {})),
  },
};

/** What hooks/*.ts do. Answers are printed as JSON; silence prints nothing. */
export const runHook = async (
  { event, hook }: (typeof HOOKS)[string],
  raw: string,
  env: NodeJS.ProcessEnv,
): Promise<Ran> => {
  const run = newRun(event);
  const said = await answerOf(hook(raw), run, env, process.pid);
  const json = JSON.stringify(answerJson(run.event, said));
  return { stdout: json === '{}' ? '' : json, stderr: '', code: 0, signal: null, pid: process.pid };
};

/** What scripts/cli/main.ts does for a command. `command`: `run` of another copy of the program. */
export const runCommand = async (
  args: string[],
  input: Buffer,
  env: NodeJS.ProcessEnv,
  cwd: string,
  command = run,
): Promise<Ran> => {
  const printed = { stdout: '', stderr: '' };
  const output = (name: keyof typeof printed) =>
    outputTo((text) => {
      printed[name] += text;
    });
  const stdin = Readable.from([input]);
  const host = { env, cwd: () => cwd, stdin, stdout: output('stdout'), stderr: output('stderr') };
  const code = await command(args, host);
  return { ...printed, code, signal: null, pid: process.pid };
};

/** What scripts/cli/main.ts does for a status line. It reads and writes files 0 and 1. */
export const runStatusline = async (env: NodeJS.ProcessEnv): Promise<Ran> => {
  await printSegment(env);
  return { stdout: '', stderr: '', code: 0, signal: null, pid: process.pid };
};

let processesOnly = false;

/** From here on, runs use built files, until the test (or the test file) ends: for tests that need processes. */
export const needProcesses = (test?: Pick<TestContext, 'after'>): void => {
  processesOnly = true;
  test?.after(() => {
    processesOnly = false;
  });
};

/** Whether a command needs a process: for signals, or because it starts processes. A server may be called `demo`, too. */
const needsProcess = ([command, ...words]: string[]): boolean =>
  command === 'demo' || words.some((word) => word === '--follow' || word === '-f');
/** `wrap` between a host and a server, as scripts/cli/main.ts knows it. */
const isWrapping = ([first, ...others]: string[]): boolean =>
  first === 'wrap' && others.some((word) => /^--(url(-env)?(=.*)?)?$/s.test(word));

/** Whether a program can run in this process. NODE_OPTIONS needs a Node that starts. */
export const canRunHere = (env: NodeJS.ProcessEnv, args: string[]): boolean =>
  !processesOnly && env.NODE_OPTIONS === undefined && !isWrapping(args) && !needsProcess(args);

/** Whether a program runs in this process. */
export const runsHere = (env: NodeJS.ProcessEnv, args: string[]): boolean =>
  real.KONNICHIWAGWAN_BUILT !== '1' && canRunHere(env, args);
