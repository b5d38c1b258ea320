// Drives programs that a test talks with while they run: wrap, a command at a terminal, and the resident guard.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { type ProcessLike, run } from '../scripts/cli/run.ts';
import { openTools } from '../scripts/resident/resident-tools.ts';
import { serve } from '../scripts/resident/serve.ts';
import { wrap } from '../scripts/wrap/wrap-server.ts';
import './children-here.ts';
import { environmentOf, inputFor, outputTo, ownOf, runs } from './own-process.ts';
import { runsHere } from './programs-here.ts';

/** A `wrap` between a host, which writes to `stdin` and reads `stdout`, and a server. */
export interface Wrapping {
  stdin: Writable;
  stdout: Readable;
  stderr(): string;
  /** Its exit code. */
  ended: Promise<number | null>;
  /** Ends it, with its server. */
  end(): void;
}

const wrapBuilt = (words: string[], env: NodeJS.ProcessEnv, cwd: string): Wrapping => {
  const child = spawn(process.execPath, [resolve('dist/cli.cjs'), 'wrap', ...words], { cwd, env, stdio: 'pipe' });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: () => stderr,
    ended,
    end: () => void child.kill('SIGKILL'),
  };
};

/** Runs `wrap` with these words behind it. */
export const driveWrap = (words: string[], given: NodeJS.ProcessEnv, cwd: string): Wrapping => {
  const env = environmentOf(given);
  if (!runsHere(env, [])) return wrapBuilt(words, env, cwd);
  const own = ownOf(env, { cwd });
  const { given: stdin, taken } = inputFor(own);
  const stdout = new PassThrough();
  let terminate = () => {};
  const host = {
    stdin: taken,
    stdout,
    env,
    cwd: () => cwd,
    on: (name: NodeJS.Signals, heard: () => void) => {
      if (name === 'SIGTERM') terminate = heard;
    },
    removeAllListeners() {},
    pid: process.pid,
    kill: () => true,
  };
  const like: Parameters<typeof wrap>[1] = host;
  const ended = runs.run(own, () => wrap(words, like)).then(() => Number(like.exitCode ?? 0));
  const end = (): void => {
    // It hears signals only once it has begun.
    stdin.end();
    terminate();
  };
  return { stdin, stdout, stderr: () => own.stderr, ended, end };
};

let terminals = 0;

/**
 * Runs a command in this process, as if a person had opened a terminal for it.
 * @param see hands over what comes on the screen
 * @returns a function that types keys, and the exit code
 */
export const driveAtTerminal = (
  args: string[],
  given: NodeJS.ProcessEnv,
  see: (text: string) => void,
): { type: (keys: string) => void; ended: Promise<number> } => {
  const window = { pid: 1_000_000 + terminals, args: ['window'] };
  const here = { pid: process.pid, args: ['node'], tty: `136:${terminals++}`, since: String(window.pid) };
  const own = ownOf(environmentOf(given), { chain: [here, window] });
  const { given: keys, taken } = inputFor(own);
  const host: ProcessLike = {
    env: own.env,
    cwd: () => process.cwd(),
    stdin: Object.assign(taken, { isTTY: true, setRawMode: () => taken }),
    stdout: outputTo(see, { isTTY: true }),
    stderr: outputTo(see, { isTTY: true }),
  };
  return { type: (text) => void keys.write(text), ended: runs.run(own, () => run(args, host)) };
};

/** Streams and signs of life of a resident guard. */
export type Guarding = Pick<Wrapping, 'stdin' | 'stdout' | 'stderr' | 'ended'>;

/**
 * Runs the resident guard in this process.
 * @param pid the id of the process that it takes this for
 */
export const driveResident = (env: NodeJS.ProcessEnv, pid = process.pid): Guarding => {
  const own = ownOf(environmentOf(env), { pid });
  const { given: stdin, taken } = inputFor(own);
  const stdout = new PassThrough();
  const ended = new Promise<number>((exit) => {
    const host = { stdin: taken, stdout, env: own.env, ppid: process.ppid, on() {}, exit };
    runs.run(own, () => serve(async () => openTools(host), host));
  });
  return { stdin, stdout, stderr: () => own.stderr, ended };
};
