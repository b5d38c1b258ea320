// A program behind `wrap`, and its host, which sends and reads lines.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { driveWrap } from './drive-streams.ts';
import { Reading } from './reading.ts';

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
  /** Closes its standard input, and gives the exit code. */
  end(): Promise<number | null>;
}

/** A host of a process. */
export interface HostedProcess extends Host {
  child: ChildProcess;
  /** How it ended. */
  closed: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: Buffer }>;
}

export interface HostOptions {
  /** Words of `wrap`. */
  words?: string[];
  env?: NodeJS.ProcessEnv;
}

const parsed = (line: string): Said => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** The words of `wrap` for a command line behind it, and a home for its state. */
const wrapFor = (command: string[], { words = [], env = {} }: HostOptions) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-wrap-'));
  return {
    home,
    words: [...words, ...(command.length > 0 ? ['--', ...command] : [])],
    env: { PATH: process.env.PATH, HOME: home, KONNICHIWAGWAN_HOME: join(home, 'state'), ...env },
  };
};

interface Sides {
  stdin: Writable;
  stdout: Readable;
  stderr(): string;
  ended: Promise<number | null>;
}

const hostBetween = ({ stdin, stdout, stderr, ended }: Sides): Host => {
  const lines: string[] = [];
  const rest: string[] = [];
  let heard: (() => void)[] = [];
  const reading = new Reading();
  stdout.on('data', (chunk: Buffer) => {
    const parts = chunk.toString('latin1').split('\n');
    if (parts.length > 1) parts[0] = rest.splice(0).join('') + parts[0];
    rest.push(parts.pop() ?? '');
    lines.push(...parts.map((part) => Buffer.from(part, 'latin1').toString('utf8')));
    for (const part of parts) reading.heard(part);
    const now = heard;
    heard = [];
    for (const one of now) one();
  });
  stdin.on('error', () => {});
  let count = 0;
  const send: Host['send'] = (what) =>
    void stdin.write(
      typeof what === 'string' || Buffer.isBuffer(what) ? what : `${JSON.stringify({ jsonrpc: '2.0', ...what })}\n`,
    );
  // As long as a busy machine may need to start two processes and load their code.
  const next: Host['next'] = async (isIt, within = 30_000) => {
    const end = Date.now() + within;
    for (let at = 0; ; ) {
      for (; at < lines.length; at++) {
        const message = parsed(lines[at] ?? '');
        if (message !== undefined && isIt(message)) return message;
      }
      const left = end - Date.now();
      if (left <= 0) throw new Error(`nothing like that was said: ${lines.join('\n').slice(-2_000)} ${stderr()}`);
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
    send,
    lines,
    next,
    ask,
    call: async (name, args) => {
      await reading.end();
      return (await ask('tools/call', { name, arguments: args })).result;
    },
    begin: async () => {
      const clientInfo = { name: 'test', version: '1' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      send({ method: 'notifications/initialized' });
      await ask('tools/list');
    },
    stderr,
    end: () => {
      stdin.end();
      return ended;
    },
  };
};

/** Starts a command line behind wrap. */
export const startHost = (test: Pick<TestContext, 'after'>, command: string[], options: HostOptions = {}): Host => {
  const { home, words, env } = wrapFor(command, options);
  const wrapping = driveWrap(words, env, process.cwd());
  test.after(async () => {
    wrapping.end();
    await wrapping.ended;
    remove(home);
  });
  return hostBetween(wrapping);
};

/** The same with wrap in a process of its own, or, with `direct`, with the program alone. */
export const startHostProcess = (
  test: Pick<TestContext, 'after'>,
  command: string[],
  { direct = false, ...options }: HostOptions & { direct?: boolean } = {},
): HostedProcess => {
  const { home, words, env } = wrapFor(command, options);
  const [program = '', ...args] = direct ? command : [process.execPath, CLI, 'wrap', ...words];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
  const chunks: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const closed = new Promise<Awaited<HostedProcess['closed']>>((done) => {
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
  const ended = closed.then(({ code }) => code);
  return { ...hostBetween({ stdin: child.stdin, stdout: child.stdout, stderr: () => said, ended }), child, closed };
};

const nodeFor = (code: string): string[] => [process.execPath, '-e', SERVER + code];

/** Starts a program made of `SERVER` and more code behind wrap. */
export const startServer = (test: Pick<TestContext, 'after'>, code: string, options?: HostOptions): Host =>
  startHost(test, nodeFor(code), options);

/** The same with wrap in a process of its own. */
export const startServerProcess = (
  test: Pick<TestContext, 'after'>,
  code: string,
  options?: HostOptions,
): HostedProcess => startHostProcess(test, nodeFor(code), options);
