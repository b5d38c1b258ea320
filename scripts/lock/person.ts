import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** A process above this one, as far as the system tells. */
export interface Ancestor {
  pid: number;
  args: string[];
  exe?: string;
  /** Names of its environment's variables. */
  env?: string[];
}

/** Set by people for Claude Code, or by an editor for its terminals: they do not tell that Claude Code runs this. */
const SETTING =
  /^CLAUDE_CODE_(?:SSE_PORT|USE_|SKIP_|DISABLE_|ENABLE_|MAX_|AUTO_|API_|OAUTH_|CLIENT_|EXTRA_|SHELL|SUBAGENT_MODEL|EFFORT_LEVEL|GIT_BASH_PATH|IDE_|PROXY_|OTEL_)/;

/** The variable that tells that Claude Code started this, or something above it. */
const marker = (names: readonly string[]): string | undefined =>
  names.find(
    (name) =>
      name === 'CLAUDECODE' || name === 'CLAUDE_PID' || (name.startsWith('CLAUDE_CODE_') && !SETTING.test(name)),
  );

const CLIENT = /(?:^|[\\/])(?:claude(?:\.exe)?|@anthropic-ai[\\/]claude-code[\\/]\S*|claude[\\/]versions[\\/]\S*)$/;

/** The program, or the script that an interpreter runs. */
const isClient = ({ args, exe }: Ancestor): boolean => {
  const [program, ...rest] = args;
  const script = rest.find((arg) => !arg.startsWith('-'));
  return [program, script, exe].some((part) => part !== undefined && CLIENT.test(part));
};

/** Why this is not a person at a terminal; undefined where nothing tells against it. */
export const whyNoPerson = (
  env: NodeJS.ProcessEnv,
  terminal: { stdin: boolean; stdout: boolean },
  ancestors: readonly Ancestor[],
): string | undefined => {
  const set = marker(Object.keys(env).filter((name) => env[name] !== ''));
  if (set !== undefined) return `it runs under Claude Code (${set} is set)`;
  for (const ancestor of ancestors) {
    if (isClient(ancestor)) return `it runs under Claude Code (process ${ancestor.pid})`;
    const inherited = marker(ancestor.env ?? []);
    if (inherited !== undefined) return `it runs under Claude Code (${inherited} is set in process ${ancestor.pid})`;
  }
  if (!terminal.stdin) return 'standard input is no terminal';
  return terminal.stdout ? undefined : 'standard output is no terminal';
};

/** A chain of processes is shorter. */
const MOST = 64;

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const parts = (text: string): string[] => text.split('\0').filter((part) => part !== '');

const onLinux = (start: number): Ancestor[] => {
  const found: Ancestor[] = [];
  for (let pid = start; pid > 0 && found.length < MOST; ) {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (stat === undefined) break;
    found.push({
      pid,
      args: parts(attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? ''),
      exe: attempt(() => readlinkSync(`/proc/${pid}/exe`)),
      // The names alone: the values are nobody's business.
      env: parts(attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '').map(
        (entry) => entry.split('=', 1)[0] as string,
      ),
    });
    // A program's name can hold brackets and spaces: what counts comes after the last bracket.
    pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  }
  return found;
};

const elsewhere = (start: number): Ancestor[] => {
  const output = attempt(() =>
    execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], {
      encoding: 'utf8',
      timeout: 2_000,
      maxBuffer: 16 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const processes = new Map(
    (output ?? '').split('\n').map((line): [number, { parent: number; args: string[] }] => {
      const [pid, parent, ...args] = line.trim().split(/\s+/);
      return [Number(pid), { parent: Number(parent), args }];
    }),
  );
  const found: Ancestor[] = [];
  for (let pid = start; pid > 0 && found.length < MOST; ) {
    const process = processes.get(pid);
    if (process === undefined) break;
    found.push({ pid, args: process.args });
    pid = process.parent;
  }
  return found;
};

/** The processes above this one, the nearest first. As far as they can be seen: never an error. */
export const ancestorsOf = (parent: number, platform: NodeJS.Platform): Ancestor[] =>
  platform === 'linux' ? onLinux(parent) : platform === 'win32' ? [] : elsewhere(parent);
