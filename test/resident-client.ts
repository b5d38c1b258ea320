// Plays Claude Code for the built resident guard: starts it, and calls its tool as hooks do.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';

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
  return { ...filled, mcp_server: text((server as JsonObject | undefined)?.name) };
};

/** Node's arguments in Claude Code's configuration for the plugin in a folder. */
const registered = (root: string): string[] => {
  const { mcpServers } = JSON.parse(readFileSync('.claude-plugin/plugin.json', 'utf8'));
  return (mcpServers.guard.args as string[]).map((one) => one.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}/, root));
};

/** Starts the resident guard of the plugin in a folder; it ends with the test. */
export const resident = async (
  test: Pick<TestContext, 'after'>,
  env: NodeJS.ProcessEnv,
  root: string = resolve('.'),
) => {
  const start = (): ChildProcess =>
    spawn(process.execPath, registered(root), {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  let child = start();
  let ids = 0;
  const waiting = new Map<number, (reply: Reply) => void>();
  let stderr = '';
  let text = '';
  const listen = (): void => {
    text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const message = JSON.parse(line) as Reply & { id: number };
        waiting.get(message.id)?.(message);
        waiting.delete(message.id);
      }
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.on('close', () => {
      for (const give of waiting.values()) give(closed);
      waiting.clear();
    });
    child.stdin?.on('error', () => {});
  };
  const closed: Reply = { error: { code: 0, message: 'Connection closed' } };
  const ask = (method: string, params: object = {}): Promise<Reply> => {
    const id = ++ids;
    return new Promise((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done(closed);
      waiting.set(id, done);
      child.stdin?.write(`${JSON.stringify({ method, params, jsonrpc: '2.0', id })}\n`);
    });
  };
  const begin = async (): Promise<Reply> => {
    const begun = await ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'claude-code' },
    });
    child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return begun;
  };
  listen();
  await begin();
  test.after(() => {
    child.kill('SIGKILL');
  });
  const tool = async (name: string, args: JsonObject, meta?: object): Promise<string> => {
    const { result, error } = await ask('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
    return result?.content?.[0]?.text ?? `error: ${error?.message}`;
  };
  return {
    get pid(): number {
      return child.pid ?? 0;
    },
    get stderr(): string {
      return stderr;
    },
    ask,
    tool,
    /** Cancels the last request, as the client does after a hook's timeout. */
    cancel: (): void => {
      const note = { method: 'notifications/cancelled', params: { requestId: ids }, jsonrpc: '2.0' };
      child.stdin?.write(`${JSON.stringify(note)}\n`);
    },
    write: (bytes: string): void => void child.stdin?.write(bytes),
    /** What a hook gets; undefined for silence. */
    // biome-ignore lint/suspicious/noExplicitAny: what a hook got is what the test is about
    hook: async (input: JsonObject): Promise<any> => {
      const answer = JSON.parse(await tool('check', fieldsOf(input)));
      return Object.keys(answer).length === 0 ? undefined : answer;
    },
    /** Restarts the guard, as the client does at the next hook call after it died. */
    restart: async (): Promise<void> => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      child = start();
      listen();
      await begin();
    },
    signal: (name: NodeJS.Signals): void => void child.kill(name),
    end: async (): Promise<number | null> => {
      const ended = once(child, 'close');
      child.stdin?.end();
      const [code] = await ended;
      return code as number | null;
    },
  };
};
