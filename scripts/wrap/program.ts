import { type ChildProcess, spawn } from 'node:child_process';
import type { Side } from './relay.ts';

/** A server that is a program, as it was started. */
export interface Program extends Side {
  child: ChildProcess;
  /** How it ended: with a code, or by a signal. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a program with everything that we were given: environment, folder, and standard error. */
export const startProgram = (command: string, args: string[]): Program => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<Awaited<Program['ended']>>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  // Whoever has ended reads nothing any more; its end is told by `ended`.
  child.stdin.on('error', () => {});
  return { child, ended, output: child.stdout, input: child.stdin };
};
