// The part of the resident guard's MCP server that a session waits for. The rest is loaded afterwards.
import type { Readable, Writable } from 'node:stream';
import { INPUT_LIMIT } from '../guard/input.ts';
import { type LineMessage, readLines } from './lines.ts';

/** What the server's two tools do. Every result is a text. */
export interface Tools {
  /** @param meta what the client says about the request */
  call(name: string, args: Record<string, unknown>, meta: Record<string, unknown>): Promise<string>;
  /** The answer to a call whose input is too large to be read, or that an error of ours cut off. */
  failed(error: unknown, name: string | undefined, args: Record<string, unknown>): string;
  /** The client no longer waits for this call's answer. */
  cancelled(name: string, args: Record<string, unknown>, meta: Record<string, unknown>): void;
  /** Ends what the tools keep open. */
  close(): Promise<void>;
}

/** What the resident guard needs of the process that it runs in. */
export interface ResidentProcess {
  env: NodeJS.ProcessEnv;
  /** The client. */
  ppid: number;
  stdin: Readable;
  stdout: Writable;
  on(signal: NodeJS.Signals, heard: () => void): unknown;
  on(event: 'uncaughtException' | 'unhandledRejection', heard: (error: unknown) => void): unknown;
  exit(code: number): void;
}

/** Longest line, in bytes: a hook's input as text within JSON, where every character may be escaped. */
const LONGEST_LINE = 2 * INPUT_LIMIT;

const texts = (...names: string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});

const TOOLS = [
  {
    name: 'check',
    title: 'For a hook of konnichiwagwan',
    description:
      'Claude Code calls this itself before each MCP call, by a hook. It is not for the model: a direct call checks nothing, changes nothing and says nothing.',
    inputSchema: texts(),
    annotations: { readOnlyHint: true },
  },
  {
    name: 'contract',
    title: 'The current contract of an MCP tool',
    description:
      'What one tool of an MCP server takes right now, asked from the server itself: for a call that konnichiwagwan stopped. Give the name by which the tool is called (mcp__server__tool).',
    inputSchema: { ...texts('tool'), required: ['tool'], additionalProperties: false },
    annotations: { readOnlyHint: true },
  },
];

/** Answers messages on standard input until that ends or the process gets a signal. */
export const serve = (load: () => Promise<Tools>, own: ResidentProcess): void => {
  let tools: Promise<Tools> | undefined;
  /** Calls that are not answered yet. */
  const open = new Map<
    string | number,
    { name: string; args: Record<string, unknown>; meta: Record<string, unknown> }
  >();
  const send = (message: object): void => {
    own.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const reply = (id: string | number, text: string): void => {
    if (open.delete(id)) send({ id, result: { content: [{ type: 'text', text }] } });
  };
  const ready = (): Promise<Tools> => {
    tools ??= load();
    return tools;
  };

  const called = async (id: string | number, params: Record<string, unknown>): Promise<void> => {
    const name = String(params.name);
    const record = (value: unknown): Record<string, unknown> =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    const args = record(params.arguments);
    const meta = record(params._meta);
    open.set(id, { name, args, meta });
    try {
      reply(id, await (await ready()).call(name, args, meta));
    } catch (error) {
      reply(id, (await ready()).failed(error, name, args));
    }
  };

  const cancel = (id: string | number): void => {
    const call = open.get(id);
    if (call !== undefined) void ready().then(({ cancelled }) => cancelled(call.name, call.args, call.meta));
  };

  const answer = ({ id, method, params }: LineMessage): void => {
    if (id === undefined) {
      // The client has its answer, so now there is time.
      if (method === 'notifications/initialized') void ready();
      if (method === 'notifications/cancelled') cancel(params.requestId as string | number);
      return;
    }
    if (method === 'initialize') {
      send({
        id,
        result: {
          protocolVersion: String(params.protocolVersion ?? '2025-11-25').slice(0, 100),
          capabilities: { tools: {} },
          serverInfo: { name: 'konnichiwagwan', version: '1' },
        },
      });
    } else if (method === 'tools/list') send({ id, result: { tools: TOOLS } });
    else if (method === 'ping') send({ id, result: {} });
    else if (method === 'tools/call' && TOOLS.some(({ name }) => name === params.name)) void called(id, params);
    else if (method === 'tools/call') send({ id, error: { code: -32602, message: 'unknown tool' } });
    else send({ id, error: { code: -32601, message: 'unknown method' } });
  };

  const broken = async (error: unknown): Promise<void> => {
    try {
      const { failed } = await ready();
      for (const [id, { name, args }] of open) reply(id, failed(error, name, args));
    } catch {
      // Without an answer, `onFailure` in the hook's registration stops the call.
    }
    // The next hook call starts a new process, without a state that may be wrong.
    own.exit(1);
  };
  own.on('uncaughtException', (error) => void broken(error));
  own.on('unhandledRejection', (error) => void broken(error));

  let isEnding = false;
  const end = async (): Promise<void> => {
    // A signal, and then the end of the input.
    if (isEnding) return;
    isEnding = true;
    try {
      await (await tools)?.close();
    } finally {
      own.exit(0);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) own.on(signal, () => void end());
  own.stdin.on('end', () => void end());
  own.stdin.on('error', () => void end());
  own.stdout.on('error', () => void end());

  readLines(own.stdin, LONGEST_LINE, {
    heard: answer,
    tooLong: (id) => {
      if (id === undefined) return;
      open.set(id, { name: 'check', args: {}, meta: {} });
      void ready().then(({ failed }) => reply(id, failed('too large', 'check', {})));
    },
    unreadable: () => send({ id: null, error: { code: -32700, message: 'not a message of JSON-RPC' } }),
  });
};
