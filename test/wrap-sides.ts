// A program behind `wrap`, and its host, which sends and reads lines.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';

// biome-ignore lint/suspicious/noExplicitAny: what was said is what a test is about
export type Said = any;

const CLI = resolve('dist/cli.cjs');

/**
 * The beginning of a program that is an MCP server, with one tool `note` in `tools`: `say` writes a message, `answer` one
 * with a result. `on` is called with each message other than `initialize`, `ping` and `tools/list`, and returns whether it
 * has answered.
 */
const SERVER = `
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const answer = (id, result) => say({ id, result });
  const schema = (...names) => ({ type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])), required: names, additionalProperties: false });
  let tools = [{ name: 'note', inputSchema: schema('text') }];
  let on = () => false;
  let list = (id) => answer(id, { tools });
  const hear = (message) => {
    const { id, method, params } = message;
    if (on(message)) return;
    if (method === 'initialize')
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 's', version: '1' } });
    else if (method === 'ping') answer(id, {});
    else if (method === 'tools/list') list(id, params);
    else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] });
    else if (id !== undefined && method !== undefined) say({ id, error: { code: -32601, message: 'Method not found' } });
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => hear(JSON.parse(line)));
`;

export interface Host {
  child: ChildProcess;
  /** Sends a message, or raw bytes. */
  send(what: object | string | Buffer): void;
  /** All lines so far. */
  lines: string[];
  /** The first message for which `isIt` is true; waits for it. */
  next(isIt: (message: Said) => boolean, within?: number): Promise<Said>;
  /** Sends a request, and waits for its answer. */
  ask(method: string, params?: object, within?: number): Promise<Said>;
  /** Calls a tool, and gives the result. */
  call(name: string, args: object): Promise<Said>;
  /** Does what every host does first. */
  begin(): Promise<void>;
  stderr(): string;
  /** How it ended. */
  closed: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: Buffer }>;
}

export interface HostOptions {
  /** Words of `wrap`. */
  words?: string[];
  env?: NodeJS.ProcessEnv;
  /** Starts the program directly, without wrap. */
  direct?: boolean;
}

const parsed = (line: string): Said => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** Starts a command line behind wrap. */
export const startHost = (test: Pick<TestContext, 'after'>, command: string[], options: HostOptions = {}): Host => {
  const { words = [], env = {}, direct = false } = options;
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-wrap-'));
  const behind = command.length > 0 ? ['--', ...command] : [];
  const [program = '', ...args] = direct ? command : [process.execPath, CLI, 'wrap', ...words, ...behind];
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home, KONNICHIWAGWAN_HOME: join(home, 'state'), ...env },
  });
  const lines: string[] = [];
  const chunks: Buffer[] = [];
  const rest: string[] = [];
  let said = '';
  let heard: (() => void)[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    const parts = chunk.toString('latin1').split('\n');
    if (parts.length > 1) parts[0] = rest.splice(0).join('') + parts[0];
    rest.push(parts.pop() ?? '');
    lines.push(...parts.map((part) => Buffer.from(part, 'latin1').toString('utf8')));
    const now = heard;
    heard = [];
    for (const one of now) one();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  child.stdin.on('error', () => {});
  const closed = new Promise<Awaited<Host['closed']>>((done) => {
    child.once('close', (code, signal) => done({ code, signal, stdout: Buffer.concat(chunks) }));
  });
  test.after(async () => {
    // The program that it started ends with it.
    child.stdin.destroy();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 6_000);
    await closed;
    clearTimeout(timer);
    remove(home);
  });
  let count = 0;
  const send: Host['send'] = (what) =>
    void child.stdin.write(
      typeof what === 'string' || Buffer.isBuffer(what) ? what : `${JSON.stringify({ jsonrpc: '2.0', ...what })}\n`,
    );
  const next: Host['next'] = async (isIt, within = 10_000) => {
    const end = Date.now() + within;
    for (let at = 0; ; ) {
      for (; at < lines.length; at++) {
        const message = parsed(lines[at] ?? '');
        if (message !== undefined && isIt(message)) return message;
      }
      const left = end - Date.now();
      if (left <= 0) throw new Error(`nothing like that was said: ${lines.join('\n').slice(-2_000)} ${said}`);
      await new Promise<void>((done) => {
        const timer = setTimeout(done, left);
        heard.push(() => {
          clearTimeout(timer);
          done();
        });
      });
    }
  };
  const ask: Host['ask'] = (method, params = {}, within) => {
    const id = ++count;
    send({ id, method, params });
    return next((message) => message.id === id && message.method === undefined, within);
  };
  return {
    child,
    send,
    lines,
    next,
    ask,
    call: async (name, args) => (await ask('tools/call', { name, arguments: args })).result,
    begin: async () => {
      const clientInfo = { name: 'test', version: '1' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      send({ method: 'notifications/initialized' });
      await ask('tools/list');
    },
    stderr: () => said,
    closed,
  };
};

/** Starts a program made of `SERVER` and more code. */
export const startServer = (test: Pick<TestContext, 'after'>, code: string, options?: HostOptions): Host =>
  startHost(test, [process.execPath, '-e', SERVER + code], options);
