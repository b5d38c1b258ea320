import { spawn } from 'node:child_process';
import { parsedJson } from '../../contract/parsed-json.ts';
import { isObject } from '../../contract/types.ts';
import { type Deadline, inSeconds, orPending } from '../deadline.ts';
import { headerProblem, trimmed } from '../headers.ts';
import { endProgram } from './end-program.ts';

/** How long Claude Code waits for the command, in ms. */
const LONGEST = 10_000;
/** Most that it may print, in bytes. */
const LARGEST = 64 * 1024;
/** How long output is still read after it ended, in ms: what it started may still be writing. */
const AFTERGLOW = 100;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a command printed, or why that is not known. */
type Printed = { text: string } | { why: string };

const windows = process.platform === 'win32';

/** A command that runs, or is being started and has no id yet. */
interface HelperProcess {
  pid?: number | undefined;
}

/** Ends a command and its process group at once. */
const kill = ({ pid }: HelperProcess): void => {
  try {
    if (pid !== undefined && !windows) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
};

const running = new Set<HelperProcess>();

const endAll = (): void => {
  for (const command of running) kill(command);
};

/** Ends a command when we end: in its own process group it would outlive us. Call this before it starts. */
const endWithUs = (command: HelperProcess): void => {
  if (running.size === 0) {
    process.on('exit', endAll);
    for (const signal of SIGNALS) process.on(signal, endAndGo);
  }
  running.add(command);
};

const release = (command: HelperProcess): void => {
  running.delete(command);
  if (running.size > 0) return;
  process.off('exit', endAll);
  for (const signal of SIGNALS) process.off(signal, endAndGo);
};

const endAndGo = (signal: NodeJS.Signals): void => {
  for (const command of running) {
    kill(command);
    release(command);
  }
  process.kill(process.pid, signal);
};

const tooSlow = (ms: number): string => `gave no headers within ${inSeconds(Math.min(ms, LONGEST))}`;

/** Why there are no headers, if a helper took the whole time of a question, in ms. */
export const slowHelper = (ms: number): string => problem(tooSlow(ms), 'why').why;

/** Runs a command in a shell, as Claude Code does. When this resolves, nothing that it started is left. */
const run = (line: string, env: NodeJS.ProcessEnv, deadline: Deadline): Promise<Printed> =>
  new Promise((resolve) => {
    const command: HelperProcess = {};
    endWithUs(command);
    const child = spawn(line, {
      // Node starts the shell itself: on Windows the shell needs the line in quotes of its own.
      shell: true,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
      detached: !windows,
    });
    command.pid = child.pid;
    const closed = new Promise<void>((done) => child.once('close', () => done()));
    const chunks: Buffer[] = [];
    let [total, settled] = [0, false];
    const give = (printed: Printed): void => {
      settled = true;
      kill(command);
      release(command);
      clearTimeout(timer);
      deadline.late.removeEventListener('abort', tooLate);
      child.stdout.destroy();
      resolve(printed);
    };
    const stop = async (why: string): Promise<void> => {
      if (settled) return;
      settled = true;
      if (child.pid !== undefined) await endProgram(child.pid, () => child.kill(), closed, deadline.left);
      give({ why });
    };
    const tooLate = (): void => void stop(tooSlow(deadline.ms));
    const timer = setTimeout(tooLate, LONGEST);
    deadline.late.addEventListener('abort', tooLate);
    child.once('error', () => {
      if (!settled) give({ why: 'cannot be started' });
    });
    child.stdout.on('data', (chunk: Buffer) => {
      total += chunk.length;
      if (total > LARGEST) void stop('prints too much');
      else chunks.push(chunk);
    });
    child.once('exit', async (code) => {
      await orPending(closed, AFTERGLOW);
      if (!settled) give(code === 0 ? { text: Buffer.concat(chunks).toString('utf8') } : { why: 'failed' });
    });
  });

const problem = (what: string, toSee: string) => ({ why: `its headersHelper ${what}: run it by hand to see ${toSee}` });

/**
 * Runs a server's `headersHelper`. Returns the headers that it prints, or why there are none. Its output may hold secrets,
 * so messages quote none of it, not even header names.
 */
export const helped = async (
  command: string,
  server: string,
  url: string,
  deadline: Deadline,
): Promise<{ headers: Record<string, string> } | { why: string }> => {
  const env = { ...process.env, CLAUDE_CODE_MCP_SERVER_NAME: server, CLAUDE_CODE_MCP_SERVER_URL: url };
  const printed = await run(command, env, deadline);
  if ('why' in printed) return problem(printed.why, 'why');
  const given = parsedJson(printed.text);
  if (!isObject(given) || !Object.values(given).every((value) => typeof value === 'string'))
    return problem('prints no JSON object of headers', 'what it prints');
  const headers = trimmed(given as Record<string, string>);
  if (headerProblem(headers) !== undefined)
    return problem('prints a header that HTTP does not allow', 'what it prints');
  return { headers };
};
