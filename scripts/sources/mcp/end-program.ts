// A server's program is often started by another one (npx, uvx, a shell): ending only that one leaves the server running.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { attempt, quietly } from '../../contract/attempt.ts';
import { orPending } from '../deadline.ts';

interface Running {
  pid: number;
  parent: number;
  /** Id of its process group. */
  group: number;
  /** When it was started: by now the id may belong to another process. */
  since: string;
}

/** How long a program may take, in ms, to end after its input was closed, and then after each signal. */
const PATIENCE = { asked: 1_000, told: 2_000 };

const outputOf = (command: string, args: string[]): Promise<string> =>
  new Promise((done) => {
    const limits = { timeout: 2_000, maxBuffer: 16 * 1024 * 1024, windowsHide: true };
    execFile(command, args, limits, (_error, stdout) => done(stdout));
  });

const fromProc = (): Running[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = attempt(() => readFileSync(`/proc/${name}/stat`, 'latin1'), undefined);
      if (stat === undefined) return [];
      // The fields after the program's name, which may hold any characters: state, parent, group, …, start time.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [, parent, group] = fields.map(Number) as [number, number, number];
      return [{ pid: Number(name), parent, group, since: fields[19] as string }];
    });

const fromPs = async (): Promise<Running[]> => {
  const text = await outputOf('ps', ['-A', '-o', 'pid=,ppid=,pgid=,lstart=']);
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, since = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*\S)/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), group: Number(group), since }];
  });
};

const running = async (): Promise<Running[]> => {
  try {
    return process.platform === 'linux' ? fromProc() : await fromPs();
  } catch {
    return [];
  }
};

/** A process and all its descendants, and all processes in its group, whose parents may have ended. */
const familyOf = (pid: number, all: readonly Running[]): Running[] => {
  const family = new Set(all.filter((one) => one.pid === pid || one.group === pid));
  for (const one of family) for (const child of all) if (child.parent === one.pid) family.add(child);
  return [...family];
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  // It may have ended already.
  quietly(() => process.kill(pid, name));
};

/** Whether a program's output is closed within so many ms. */
const closesWithin = async (milliseconds: number, closed: Promise<unknown>): Promise<boolean> =>
  (await orPending(closed, milliseconds)) !== 'pending';

/**
 * Ends a program and everything that it started: closes its input, then sends SIGTERM, then SIGKILL.
 * @param begin closes its input
 * @param closed resolves once no process holds its output
 * @param left the time that is left, in ms: if it is short, each step waits less, but the program still ends
 */
export const endProgram = async (
  pid: number,
  begin: () => void,
  closed: Promise<unknown>,
  left: () => number = () => Number.POSITIVE_INFINITY,
): Promise<void> => {
  const windows = process.platform === 'win32';
  // Recorded before anything ends: afterwards a process's parent is unknown.
  const family = windows ? [] : familyOf(pid, await running());
  begin();
  if (await closesWithin(Math.min(PATIENCE.asked, left() / 4), closed)) return;
  if (windows) return void (await outputOf('taskkill', ['/pid', String(pid), '/t', '/f']));
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    const now = await running();
    const grown = family.flatMap((one) => familyOf(one.pid, now));
    const known = new Set([...family, ...grown].map((one) => `${one.pid} ${one.since}`));
    for (const one of now) if (known.has(`${one.pid} ${one.since}`)) signal(one.pid, name);
    if (await closesWithin(Math.min(PATIENCE.told, left() / 3), closed)) return;
  }
};
