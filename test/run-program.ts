import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { basename } from 'node:path';
import { COMPILED } from '../scripts/state/compile-cache.ts';

/** How a program ended, and what it printed. */
export interface Ran {
  stdout: string;
  stderr: string;
  code: number | null;
  signal: NodeJS.Signals | null;
  pid: number | undefined;
}

interface Around {
  input?: string | Buffer | null | undefined;
  env?: NodeJS.ProcessEnv;
  cwd?: string | undefined;
  timeout?: number;
}

/** Runs a program to its end, in an environment of only the PATH and the given variables. */
export const runProgram = (
  file: string,
  args: string[],
  { input = null, env = {}, cwd, timeout = 60_000 }: Around = {},
): Promise<Ran> =>
  new Promise((done, fail) => {
    const child = spawn(file, args, {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout,
      killSignal: 'SIGKILL',
    });
    const printed = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        printed[stream] += text;
      });
    }
    child.on('error', fail);
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.on('close', (code, signal) => done({ ...printed, code, signal, pid: child.pid }));
  });

export interface Run extends Ran {
  /** The one JSON object that was printed; undefined for silence. */
  // biome-ignore lint/suspicious/noExplicitAny: what a hook printed is what the test is about
  answer: any;
}

/** Copies the built programs, without what other processes compile meanwhile: their unfinished files come and go. */
export const copyPrograms = (to: string): void =>
  cpSync('dist', to, { recursive: true, filter: (path) => basename(path) !== COMPILED });
