import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { defined } from '../contract/defined.ts';
import { powerShell, wordsOfWindows } from '../servers/client-line.ts';
import { askWindows } from '../state/programs.ts';

/** What the system tells about a process. */
export interface Process {
  pid: number;
  args: string[];
  exe?: string;
  /** Names of its environment's variables. */
  env?: string[];
  /** Its controlling terminal; absent if it has none. */
  tty?: string;
  /** When it was started, in the system's own ticks; absent if not read. */
  since?: string;
}

/** Longest chain of processes that is read; real ones are shorter. */
export const MOST_PROCESSES = 256;

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const parts = (text: string): string[] => text.split('\0').filter((part) => part !== '');

/** A device number as `major:minor`. */
const device = (number: number): string => `${(number >> 8) & 0xfff}:${(number & 0xff) | ((number >>> 12) & 0xfff00)}`;

const onLinux = (start: number): Process[] => {
  const found: Process[] = [];
  for (let pid = start; pid > 0 && found.length < MOST_PROCESSES; ) {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (stat === undefined) break;
    // The fields follow the last parenthesis: a program's name can hold parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [, parent, , , tty] = fields;
    found.push({
      pid,
      args: parts(attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? ''),
      ...defined({ exe: attempt(() => readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')) }),
      // Only the names, because values can be secret.
      env: parts(attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '').map(
        (entry) => entry.split('=', 1)[0] as string,
      ),
      ...(Number(tty) === 0 ? {} : { tty: device(Number(tty)) }),
      ...defined({ since: fields[19] }),
    });
    pid = Number(parent);
  }
  return found;
};

const elsewhere = (start: number): Process[] => {
  const output = attempt(() =>
    // By its full path: the first `ps` on the PATH may be a fake.
    execFileSync('/bin/ps', ['-A', '-o', 'pid=,ppid=,tty=,args='], {
      encoding: 'utf8',
      timeout: 2_000,
      maxBuffer: 16 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const processes = new Map(
    (output ?? '').split('\n').map((line): [number, { parent: number; tty: string; args: string[] }] => {
      const [pid, parent, tty = '?', ...args] = line.trim().split(/\s+/);
      return [Number(pid), { parent: Number(parent), tty, args }];
    }),
  );
  const found: Process[] = [];
  for (let pid = start; pid > 0 && found.length < MOST_PROCESSES; ) {
    const process = processes.get(pid);
    if (process === undefined) break;
    const { args, tty, parent } = process;
    found.push({ pid, args, ...(/^[?-]/.test(tty) ? {} : { tty }) });
    pid = parent;
  }
  return found;
};

/** Prints for each process its id, its parent's, when it was started, its program and its command line. */
const CIM = powerShell(
  'Get-CimInstance Win32_Process | ForEach-Object { ' +
    "$_.ProcessId, $_.ParentProcessId, $_.CreationDate.Ticks, $_.ExecutablePath, ($_.CommandLine -replace '\\s', ' ') " +
    "-join '|' }",
);
const CIM_LINE = /^(\d+)\|(\d+)\|(\d*)\|([^|]*)\|(.*)$/;

const onWindows = (start: number, ask: typeof askWindows): Process[] => {
  const processes = new Map(
    (ask(CIM, 5_000) ?? '').split(/\r?\n/).flatMap((line) => {
      const [, pid, parent, since, exe, words = ''] = CIM_LINE.exec(line) ?? [];
      if (pid === undefined) return [];
      const args = wordsOfWindows(words);
      return [[Number(pid), { pid: Number(pid), parent: Number(parent), since: Number(since), exe, args }] as const];
    }),
  );
  const found: Process[] = [];
  for (let one = processes.get(start); one !== undefined && one.pid > 0 && found.length < MOST_PROCESSES; ) {
    const { pid, args, exe, parent, since } = one;
    found.push({ pid, args, ...(exe ? { exe } : {}) });
    const above = processes.get(parent);
    // The parent may have ended, and a later process have its id.
    one = above && above.since <= since ? above : undefined;
  }
  return found;
};

/**
 * A process and those above it, nearest first, as far as they are visible. Never throws.
 * @param platform @param ask other ones in tests
 */
export const chainOf = (
  pid: number,
  platform: NodeJS.Platform = process.platform,
  ask: typeof askWindows = askWindows,
): Process[] => {
  if (platform === 'linux') return onLinux(pid);
  return platform === 'win32' ? onWindows(pid, ask) : elsewhere(pid);
};

/** What the system shows of this process; tests show something else. */
export const thisProcess = { chain: (): Process[] => chainOf(process.pid) };
