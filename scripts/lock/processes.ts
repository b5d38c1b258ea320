import { readFileSync, readlinkSync } from 'node:fs';
import { attempt } from '../contract/attempt.ts';
import { defined } from '../contract/defined.ts';
import { powerShell, wordsOfWindows } from '../servers/client-line.ts';
import { askWindows, outputOf } from '../state/programs.ts';

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

const parts = (text: string): string[] => text.split('\0').filter((part) => part !== '');

/** A device number as `major:minor`. */
const device = (number: number): string => `${(number >> 8) & 0xfff}:${(number & 0xff) | ((number >>> 12) & 0xfff00)}`;

interface FoundProcess {
  process: Process;
  parent: number;
}

/** A process and those above it, as far as `find` finds them. */
const chainFrom = (start: number, find: (pid: number) => FoundProcess | undefined): Process[] => {
  const found: Process[] = [];
  for (let pid = start; pid > 0 && found.length < MOST_PROCESSES; ) {
    const one = find(pid);
    if (one === undefined) break;
    found.push(one.process);
    pid = one.parent;
  }
  return found;
};

const onLinux = (pid: number): FoundProcess | undefined => {
  const read = (what: string): string | undefined =>
    attempt(() => readFileSync(`/proc/${pid}/${what}`, 'utf8'), undefined);
  const stat = read('stat');
  if (stat === undefined) return undefined;
  // The fields follow the last parenthesis: a program's name can hold parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [, parent, , , tty] = fields;
  const process = {
    pid,
    args: parts(read('cmdline') ?? ''),
    ...defined({ exe: attempt(() => readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''), undefined) }),
    // Only the names, because values can be secret.
    env: parts(read('environ') ?? '').map((entry) => entry.split('=', 1)[0] as string),
    ...(Number(tty) === 0 ? {} : { tty: device(Number(tty)) }),
    ...defined({ since: fields[19] }),
  };
  return { process, parent: Number(parent) };
};

const elsewhere = (): Map<number, FoundProcess> => {
  // By its full path: the first `ps` on the PATH may be a fake.
  const output = outputOf('/bin/ps', ['-A', '-o', 'pid=,ppid=,tty=,args='], { timeout: 2_000 }) ?? '';
  return new Map(
    output.split('\n').map((line): [number, FoundProcess] => {
      const [pid, parent, tty = '?', ...args] = line.trim().split(/\s+/);
      const process = { pid: Number(pid), args, ...(/^[?-]/.test(tty) ? {} : { tty }) };
      return [process.pid, { process, parent: Number(parent) }];
    }),
  );
};

/** Prints for each process its id, its parent's, when it was started, its program and its command line. */
const CIM = powerShell(
  'Get-CimInstance Win32_Process | ForEach-Object { ' +
    "$_.ProcessId, $_.ParentProcessId, $_.CreationDate.Ticks, $_.ExecutablePath, ($_.CommandLine -replace '\\s', ' ') " +
    "-join '|' }",
);
const CIM_LINE = /^(\d+)\|(\d+)\|(\d*)\|([^|]*)\|(.*)$/;

const onWindows = (ask: typeof askWindows): Map<number, FoundProcess> => {
  const began = new Map<number, number>();
  const found = new Map(
    (ask(CIM, 5_000) ?? '').split(/\r?\n/).flatMap((line): [number, FoundProcess][] => {
      const [, pid, parent, since, exe, words = ''] = CIM_LINE.exec(line) ?? [];
      if (pid === undefined) return [];
      const process = { pid: Number(pid), args: wordsOfWindows(words), ...(exe ? { exe } : {}) };
      began.set(process.pid, Number(since));
      return [[process.pid, { process, parent: Number(parent) }]];
    }),
  );
  // The parent may have ended, and a later process have its id.
  const isParent = ({ process, parent }: FoundProcess): boolean =>
    (began.get(parent) ?? 0) <= (began.get(process.pid) ?? 0);
  return new Map([...found].map(([pid, one]) => [pid, isParent(one) ? one : { ...one, parent: 0 }]));
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
  if (platform === 'linux') return chainFrom(pid, onLinux);
  const all = platform === 'win32' ? onWindows(ask) : elsewhere();
  return chainFrom(pid, (one) => all.get(one));
};

/** What the system shows of this process; tests show something else. */
export const thisProcess = { chain: (): Process[] => chainOf(process.pid) };
