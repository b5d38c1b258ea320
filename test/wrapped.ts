// A host that speaks to a server through `konnichiwagwan wrap`, message by message.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { driveWrap } from './drive-streams.ts';
import { Reading } from './reading.ts';

export interface Wrapped {
  state: string;
  project: string;
  stderr(): string;
  /** All messages that are not answers, in order of arrival. */
  told: JsonObject[];
  release(tools: Contract[]): void;
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): void;
  list(): Promise<Contract[]>;
  /** The result of a call: the server's own text, or ours. */
  call(name: string, args?: JsonObject): Promise<{ text: string; isError: boolean }>;
  /** The calls that reached the server. */
  arrived(): { name: string; arguments: JsonObject }[];
  /** How often the server was asked for its list. */
  lists(): number;
  end(): Promise<number | null>;
}

interface Options {
  /** Arguments of `wrap` itself. */
  words?: string[];
  /** Arguments of the server; with `--list-changed` it announces changes of its tools. */
  flags?: string[];
  config?: JsonObject;
  host?: string;
  env?: NodeJS.ProcessEnv;
  /** A Node program to use as the server instead of the standard one. */
  script?: string;
  /** False: the host does not begin with `initialize`. */
  initialize?: boolean;
}

/** A state folder, a server that can release new tools, and a host that has just begun. */
export const startWrapped = async (
  test: Pick<TestContext, 'after'>,
  tools: Contract[],
  {
    words = ['--name', 'demo'],
    flags = [],
    config = {},
    host = 'a-host',
    env = {},
    script,
    initialize = true,
  }: Options = {},
): Promise<Wrapped> => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-wrap-'));
  const [state, project] = [join(home, 'state'), join(home, 'project')];
  const [control, log] = [join(home, 'control.json'), join(home, 'log.jsonl')];
  mkdirSync(state, { mode: 0o700 });
  mkdirSync(project);
  writeFileSync(join(state, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const release = (now: Contract[]): void => {
    writeFileSync(`${control}.new`, JSON.stringify({ tools: now }));
    renameSync(`${control}.new`, control);
  };
  release(tools);
  const server = [script ?? resolve('test/e2e/mcp-server.mjs'), control, log, ...flags];
  const variables = { HOME: home, KONNICHIWAGWAN_HOME: state, ...env };
  const { stdin, stdout, stderr, ended, end } = driveWrap(
    [...words, '--', process.execPath, ...server],
    variables,
    project,
  );
  test.after(async () => {
    end();
    await ended;
    remove(home);
  });
  const told: JsonObject[] = [];
  const reading = new Reading();
  const open = new Map<number, (answer: JsonObject) => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    const message = JSON.parse(line) as JsonObject;
    told.push(message);
    reading.heard(line);
    if (typeof message.id === 'number' && message.method === undefined) open.get(message.id)?.(message);
  });
  const send = (message: JsonObject): unknown => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let ids = 0;
  const request = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    const id = ids++;
    const answer = new Promise<JsonObject>((done) => open.set(id, done));
    send({ id, method, params });
    const late = sleep(20_000, undefined, { ref: false });
    return (await Promise.race([answer, late])) ?? assert.fail(`no answer to ${method}: ${stderr()}`);
  };
  const logged = (): JsonObject[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : [];
  const notify = (method: string, params?: JsonObject): void => void send({ method, ...(params ? { params } : {}) });
  if (initialize) {
    const clientInfo = { name: host, version: '1' };
    await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    notify('notifications/initialized');
  }
  return {
    state,
    project,
    stderr,
    told,
    release,
    request,
    notify,
    list: async () => ((await request('tools/list')).result as unknown as { tools: Contract[] }).tools,
    call: async (name, args = {}) => {
      await reading.end();
      const { result } = (await request('tools/call', { name, arguments: args })) as unknown as {
        result: { content: { text: string }[]; isError?: boolean };
      };
      return { text: result.content.map(({ text }) => text).join('\n'), isError: result.isError === true };
    },
    arrived: () =>
      logged()
        .filter(({ event }) => event === 'call')
        .map(({ name, arguments: given }) => ({ name: String(name), arguments: given as JsonObject })),
    lists: () => logged().filter(({ event }) => event === 'list').length,
    end: () => {
      stdin.end();
      return ended;
    },
  };
};

const CHANGED = 'notifications/tools/list_changed';
/** How often the host got a notification that the tools changed. */
export const announced = ({ told }: Wrapped): number => told.filter(({ method }) => method === CHANGED).length;
