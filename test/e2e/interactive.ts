// Drives the client's terminal screen with tmux, as a person would.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { remove } from '../../scripts/state/in-use.ts';
import { clientBinary, type Version } from './client.ts';
import { clientArgs, clientEnv, type Env, fakeKey, type McpServers, withoutEmpty } from './run.ts';
import { type Json, type ModelRequest, type Script, type StubModel, startStubModel } from './stub-model.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

// A separate socket in a separate folder: neither the user's own tmux nor another test run sees these sessions.
const socket = ['-L', `kwg-e2e-${process.pid}`, '-f', '/dev/null'];
let socketFolder = '';
let sessions = 0;

export type InteractiveOptions = {
  version: Version;
  home: string;
  cwd: string;
  steps: Script;
  mcp?: McpServers;
  settings?: Json;
  args?: string[];
  env?: Env;
};

export class Interactive {
  private readonly name = `s${++sessions}`;
  private pid = 0;

  private constructor(private readonly model: StubModel) {}

  static async start(options: InteractiveOptions): Promise<Interactive> {
    const { version, home, cwd, steps, mcp, settings, args = [], env } = options;
    const binary = clientBinary(version);
    skipOnboarding(home, cwd);
    const model = await startStubModel(steps);
    const vars = Object.entries(withoutEmpty(clientEnv(home, model.url, env))).map(([key, value]) => `${key}=${value}`);
    const log = join(dirname(home), `client-${sessions + 1}.log`);
    const client = [binary, ...clientArgs(home, mcp, settings), '--debug-file', log, ...args];
    const session = new Interactive(model);
    // tmux runs several arguments unchanged, without a shell: nothing to quote.
    const place = ['-d', '-s', session.name, '-x', '140', '-y', '50', '-c', cwd];
    tmux('new-session', ...place, 'env', '-i', ...vars, ...client);
    session.pid = Number(tmux('display-message', '-p', '-t', session.name, '#{pane_pid}'));
    try {
      await session.waitFor(/^❯/m);
      await connected(log);
    } catch (error) {
      await session.kill();
      throw error;
    }
    return session;
  }

  get requests(): ModelRequest[] {
    return this.model.requests;
  }

  screen(): string {
    return tmux('capture-pane', '-p', '-t', this.name);
  }

  key(name: string): void {
    tmux('send-keys', '-t', this.name, name);
  }

  /** Types a line, waits until it is on the screen (a fast Enter would count as a pasted line feed), and sends it. */
  async type(line: string): Promise<void> {
    tmux('send-keys', '-t', this.name, '-l', line);
    await this.waitFor(new RegExp(`❯\\s${line.replace(/[^\w ]/g, '\\$&')}`));
    this.key('Enter');
  }

  /** Answers a dialog that is on the screen. A new dialog ignores keys for a moment: repeats the key until it is gone. */
  async answer(dialog: RegExp, key: string): Promise<void> {
    const gone = () => !dialog.test(this.screen());
    for (let tries = 0; tries < 10; tries += 1) {
      this.key(key);
      const closed = await until(gone, () => '', 500).then(
        () => true,
        () => false,
      );
      if (closed) return;
    }
    throw new Error(`the dialog does not take ${key}:\n${this.screen()}`);
  }

  waitFor(what: RegExp, timeoutMs = 20_000): Promise<void> {
    return until(
      () => what.test(this.screen()),
      () => `no ${what} on the screen:\n${this.screen()}`,
      timeoutMs,
    );
  }

  /** Waits until the client is gone: while it ends, it still writes into its HOME, which the caller is about to remove. */
  async kill(): Promise<void> {
    try {
      tmux('kill-session', '-t', this.name);
    } catch {
      // It ended by itself.
    }
    const gone = () => !isRunning(this.pid);
    await until(gone, () => '', 5_000).catch(() => process.kill(this.pid, 'SIGKILL'));
    await this.model.close();
  }
}

/** Ends the tmux server of this process, and whatever is still open in it. */
export function closeTerminals(): void {
  if (!socketFolder) return;
  try {
    tmux('kill-server');
  } catch {
    // It ends by itself with its last session.
  }
  remove(socketFolder);
}

export async function until(done: () => boolean, complaint: () => string, timeoutMs = 20_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!done()) {
    if (Date.now() > end) throw new Error(complaint());
    await new Promise((next) => setTimeout(next, 50));
  }
}

/**
 * Waits until each MCP server that the client starts has answered or failed, by the client's own log. The prompt appears
 * earlier, and input that a test types at once would run without the servers' tools: no person is that fast.
 */
async function connected(log: string): Promise<void> {
  const settledMs = 400;
  let text = '';
  let since = Date.now();
  const settled = () => {
    const now = existsSync(log) ? mcpLines(readFileSync(log, 'utf8')) : '';
    if (now !== text) since = Date.now();
    text = now;
    const names = (what: string) =>
      new Set(Array.from(text.matchAll(new RegExp(`"(.+)": ${what}`, 'g')), ([, name]) => name));
    const ended = names('(?:Successfully connected|(?:HTTP )?Connection (?:failed|timeout triggered))');
    const waiting = [...names('Starting connection')].filter((name) => !ended.has(name));
    return text !== '' && waiting.length === 0 && Date.now() - since > settledMs;
  };
  await until(settled, () => `the client is still connecting:\n${text}`);
}

const mcpLines = (log: string): string =>
  log
    .split('\n')
    .filter((line) => /MCP (?:server|configs)/.test(line))
    .join('\n');

function tmux(...args: string[]): string {
  socketFolder ||= mkdtempSync(join(tmpdir(), 'kwg-tmux-'));
  const env = { ...process.env, TMUX_TMPDIR: socketFolder, TMUX: undefined };
  return execFileSync('tmux', [...socket, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Stores a person's answers at the first start: theme, key, trust in the folder, the warning of bypassPermissions. */
function skipOnboarding(home: string, cwd: string): void {
  const path = join(home, '.claude.json');
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Json) : {};
  const seed = {
    ...known,
    hasCompletedOnboarding: true,
    theme: 'dark',
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: [fakeKey.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(path, JSON.stringify(seed));
}
