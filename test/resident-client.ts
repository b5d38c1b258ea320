// Plays Claude Code for the resident guard: starts it, and calls its tool as hooks do.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';
import { driveResident, type Guarding } from './drive-streams.ts';
import { runsHere } from './programs-here.ts';

type Reply = {
  result?: { content?: { text: string }[]; [key: string]: unknown };
  error?: { code: number; message: string };
};

/** The fields of a hook's input as the client fills them in: all are strings. */
const fieldsOf = (input: JsonObject): JsonObject => {
  const text = (value: unknown): string =>
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const { mcp_server: server, ...rest } = input;
  const names = [
    'hook_event_name',
    'session_id',
    'transcript_path',
    'cwd',
    'agent_id',
    'tool_name',
    'tool_input',
    'tool_use_id',
  ];
  const filled = Object.fromEntries(names.map((name) => [name, text(rest[name])]));
  const { name, source } = Object(server);
  return { ...filled, mcp_server: text(name), mcp_source: text(source) };
};

/** Node's arguments in Claude Code's configuration for the plugin in a folder. */
const registered = (root: string): string[] => {
  const { mcpServers } = JSON.parse(readFileSync('.claude-plugin/plugin.json', 'utf8'));
  return (mcpServers.guard.args as string[]).map((one) => one.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}/, root));
};

const CLOSED: Reply = { error: { code: 0, message: 'Connection closed' } };

/** The client's side of a connection to a resident guard, which may be another one after a restart. */
class Connection {
  #guard: Guarding | undefined;
  #ids = 0;
  #said = '';
  readonly #waiting = new Map<number, (reply: Reply) => void>();

  async begin(guard: Guarding): Promise<void> {
    this.#said += this.#guard?.stderr() ?? '';
    this.#guard = guard;
    let text = '';
    guard.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const message = JSON.parse(line) as Reply & { id: number };
        this.#waiting.get(message.id)?.(message);
        this.#waiting.delete(message.id);
      }
    });
    guard.stdin.on('error', () => {});
    void guard.ended.then(() => {
      if (this.#guard !== guard) return;
      this.#guard = undefined;
      this.#said += guard.stderr();
      for (const give of this.#waiting.values()) give(CLOSED);
      this.#waiting.clear();
    });
    await this.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'claude-code' },
    });
    this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  ask(method: string, params: object = {}): Promise<Reply> {
    const id = ++this.#ids;
    return new Promise((done) => {
      if (this.#guard === undefined) return done(CLOSED);
      this.#waiting.set(id, done);
      this.write(`${JSON.stringify({ method, params, jsonrpc: '2.0', id })}\n`);
    });
  }

  /** Cancels the last request, as the client does after a hook's timeout. */
  cancel(): void {
    const note = { method: 'notifications/cancelled', params: { requestId: this.#ids }, jsonrpc: '2.0' };
    this.write(`${JSON.stringify(note)}\n`);
  }

  write(bytes: string): void {
    this.#guard?.stdin.write(bytes);
  }

  stderr(): string {
    return this.#said + (this.#guard?.stderr() ?? '');
  }

  async end(): Promise<number | null> {
    const { stdin, ended } = this.#guard ?? {};
    stdin?.end();
    return (await ended) ?? null;
  }
}

const speaking = (connection: Connection) => {
  const tool = async (name: string, args: JsonObject, meta?: object): Promise<string> => {
    const params = { name, arguments: args, ...(meta ? { _meta: meta } : {}) };
    const { result, error } = await connection.ask('tools/call', params);
    return result?.content?.[0]?.text ?? `error: ${error?.message}`;
  };
  return {
    get stderr(): string {
      return connection.stderr();
    },
    ask: (method: string, params?: object) => connection.ask(method, params),
    tool,
    cancel: () => connection.cancel(),
    write: (bytes: string) => connection.write(bytes),
    /** What a hook gets; undefined for silence. */
    // biome-ignore lint/suspicious/noExplicitAny: what a hook got is what the test is about
    hook: async (input: JsonObject): Promise<any> => {
      const answer = JSON.parse(await tool('check', fieldsOf(input)));
      return Object.keys(answer).length === 0 ? undefined : answer;
    },
    end: () => connection.end(),
  };
};

/** Starts the resident guard of the plugin in a folder, in a process of its own; it ends with the test. */
export const residentProcess = async (
  test: Pick<TestContext, 'after'>,
  env: NodeJS.ProcessEnv,
  root: string = resolve('.'),
) => {
  let child: ChildProcessWithoutNullStreams;
  const start = (): Guarding => {
    child = spawn(process.execPath, registered(root), {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    const { stdin, stdout } = child;
    return { stdin, stdout, stderr: () => stderr, ended: new Promise((done) => child.once('close', done)) };
  };
  const connection = new Connection();
  await connection.begin(start());
  test.after(() => {
    child.kill('SIGKILL');
  });
  return Object.assign(speaking(connection), {
    pid: (): number => child.pid ?? 0,
    /** Restarts the guard, as the client does at the next hook call after it died. */
    restart: async (): Promise<void> => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      await connection.begin(start());
    },
    signal: (name: NodeJS.Signals): void => void child.kill(name),
  });
};

/** The same without a process, where that is possible. */
export const resident = async (test: Pick<TestContext, 'after'>, env: NodeJS.ProcessEnv) => {
  if (!runsHere(env, [])) return residentProcess(test, env);
  const connection = new Connection();
  const guards: Guarding[] = [];
  const begin = (): Promise<void> => {
    // Process ids of Linux are smaller.
    const guard = driveResident(env, guards.length === 0 ? process.pid : 2 ** 30 + guards.length);
    guards.push(guard);
    return connection.begin(guard);
  };
  await begin();
  test.after(async () => {
    for (const { stdin } of guards) stdin.end();
    await Promise.all(guards.map(({ ended }) => ended));
  });
  return Object.assign(speaking(connection), { restart: begin });
};
