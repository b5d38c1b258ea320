// The built hooks on a simulated machine, against hostile gateways: whatever a gateway answers, a hook ends in bounded time
// and memory, prints nothing or one JSON object, and passes no text through unescaped.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { runProgram, slownessOf, startInTime, untilRecorded } from './sandbox.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;
export interface Tool {
  name: string;
  [field: string]: unknown;
}
interface Ran {
  exit: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** From start to end, without the time spent waiting for a processor, since other programs use them, too. */
  ms: number;
  /** The process's peak memory, in MB. */
  mb: number;
}
export interface Printed {
  systemMessage?: string;
  hookSpecificOutput?: {
    hookEventName: string;
    permissionDecision?: string;
    permissionDecisionReason?: string;
    additionalContext?: string;
  };
}

export const MOST_MB = 400;
const LIMIT = { guard: 4_000, 'session-start': 4_000, 'tool-failure': 4_000, cli: 8_000 };
type Program = keyof typeof LIMIT;
/** Whether a program took no longer than it may, on a machine as busy and slow as this one is now. */
export const isInTime = (program: Program, ms: number): boolean =>
  ms < LIMIT[program] || ms < LIMIT[program] * slownessOf()();

let base: string;
let meter: string;
let count = 0;

before(() => {
  base = mkdtempSync(join(tmpdir(), 'kwg-hostile-'));
  meter = join(base, 'meter.cjs');
  writeFileSync(
    meter,
    `const fs = require('node:fs');
    process.on('exit', () => {
      let waited = 0;
      try {
        waited = Number(fs.readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
      } catch {}
      const record = JSON.stringify({ waited, mb: process.resourceUsage().maxRSS / 1024 });
      fs.writeFileSync(${JSON.stringify(base)} + '/' + process.pid + '.meter', record);
    });`,
  );
});

const started: [state: string, session: string][] = [];

/** A session's start can leave a process behind that goes on asking. */
export const settle = async (): Promise<void> => {
  for (const [state, session] of started) await untilRecorded(state, session);
};

after(async () => {
  await settle();
  remove(base);
});

const run = async (
  program: Program,
  args: string[],
  input: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Ran> => {
  const began = Date.now();
  const ran = await runProgram(process.execPath, ['--require', meter, resolve('dist', `${program}.cjs`), ...args], {
    input,
    env,
    cwd,
    // Far above every limit: a slow program is reported with its time, not as killed.
    timeout: 60_000,
  });
  const record = join(base, `${ran.pid}.meter`);
  const { waited, mb } = existsSync(record)
    ? (JSON.parse(readFileSync(record, 'utf8')) as { waited: number; mb: number })
    : { waited: 0, mb: Number.NaN };
  rmSync(record, { force: true });
  return { ...ran, exit: ran.code, ms: Math.round(Date.now() - began - waited), mb };
};

/** Controls (but the line feed), format characters (bidi, zero-width, tags), separators, surrogates, private use. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u;

export const assertPlain = (text: string, what: string): void => {
  const found = UNSEEN.exec(text.replaceAll('\n', ''));
  const near =
    found && JSON.stringify(text.replaceAll('\n', '').slice(Math.max(0, found.index - 60), found.index + 20));
  assert.equal(near, null, `${what} has U+${found?.[0].codePointAt(0)?.toString(16)}`);
  assert.doesNotMatch(text, /^\W*SYSTEM:/m, `${what} has a line of the server's own`);
  // In JSON a name is data, in quotes.
  assert.ok(what.includes('--json') || !text.includes('`rm -rf`'), `${what} has the server's own backquotes`);
};

const FIELDS = ['systemMessage', 'hookSpecificOutput'];
const SPECIFIC = ['hookEventName', 'permissionDecision', 'permissionDecisionReason', 'additionalContext'];

/** Checks what holds for every answer of a hook; returns it parsed. */
const checked = (program: Program, ran: Ran): Printed => {
  const what = `${program} (${ran.ms} ms, ${Math.round(ran.mb)} MB)`;
  assert.deepEqual([ran.exit, ran.signal], [0, null], `${what}: exit`);
  assert.equal(ran.stderr, '', `${what}: stderr`);
  assert.ok(isInTime(program, ran.ms), `${what}: too slow`);
  assert.ok(ran.mb < MOST_MB, `${what}: too much memory`);
  if (ran.stdout === '') return {};
  const answer = JSON.parse(ran.stdout) as Printed;
  const specific = answer.hookSpecificOutput ?? {};
  assert.deepEqual(
    Object.keys(answer).filter((field) => !FIELDS.includes(field)),
    [],
  );
  assert.deepEqual(
    Object.keys(specific).filter((field) => !SPECIFIC.includes(field)),
    [],
  );
  for (const part of [answer.systemMessage, ...Object.values(specific)]) assertPlain(String(part ?? ''), what);
  assert.doesNotMatch(answer.systemMessage ?? '', /(?:Range|Type|Reference|Syntax|URI)Error/, `${what}: a bug shows`);
  return answer;
};

export const reason = (answer: Printed): string => answer.hookSpecificOutput?.permissionDecisionReason ?? '';
export const forModel = (answer: Printed): string =>
  `${reason(answer)}\n${answer.hookSpecificOutput?.additionalContext ?? ''}`;
export const decision = (answer: Printed): string | undefined => answer.hookSpecificOutput?.permissionDecision;

export const listen = (server: Server): Promise<string> =>
  new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });

/** A gateway on loopback whose answer can be replaced, and the requests that it got. */
export const startGateway = async (first: Answer) => {
  let answer = first;
  const requests: { url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  const url = await listen(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const set = (next: Answer) => {
    answer = next;
  };
  return { url, requests, set, close };
};

/** One user's machine, with the sessions that run on it. */
export const machine = (
  gateway: string,
  { config, env = {} }: { config?: object; env?: Record<string, string> } = {},
) => {
  const home = join(base, `home ${++count}`);
  const state = join(home, 'state');
  mkdirSync(state, { recursive: true });
  if (config) writeFileSync(join(state, 'config.json'), JSON.stringify(config));
  const around = {
    HOME: home,
    KONNICHIWAGWAN_HOME: state,
    ...(gateway === '' ? {} : { GATEWAY_URL: gateway }),
    ...env,
  };
  const common = { transcript_path: '', cwd: home };
  const call = (event: string, tool: string, args: object, session: string, server: string) =>
    JSON.stringify({
      session_id: session,
      ...common,
      hook_event_name: event,
      permission_mode: 'default',
      tool_name: `mcp__${spelled(server)}__${spelled(tool)}`,
      tool_input: args,
      tool_use_id: `toolu_${++count}`,
      mcp_server: { name: server, source: 'user' },
      ...(event === 'PostToolUseFailure' ? { error: 'MCP error -32602: Invalid params' } : {}),
    });
  const hook = async (program: Program, input: string, more: NodeJS.ProcessEnv = {}): Promise<Printed> =>
    checked(program, await run(program, [], input, { ...around, ...more }, home));
  const start = (session = 'a', source = 'startup', more: NodeJS.ProcessEnv = {}) => {
    started.push([state, session]);
    return hook(
      'session-start',
      JSON.stringify({ session_id: session, ...common, hook_event_name: 'SessionStart', source }),
      more,
    );
  };
  return {
    state,
    start,
    /** Starts a session whose gateway answers. On a busy machine the answer may come after the hook has ended. */
    begin: async (session = 'a') => {
      assert.deepEqual(await start(session), {});
      await untilRecorded(state, session);
    },
    /** What a session's start prints if its gateway answers in time. */
    greeting: (session: string, source?: string): Promise<Printed> =>
      startInTime(state, session, (more) => start(session, source, more)),
    guard: (tool: string, args: object = {}, session = 'a', server = 'demo') =>
      hook('guard', call('PreToolUse', tool, args, session, server)),
    failed: (tool: string, args: object = {}) =>
      hook('tool-failure', call('PostToolUseFailure', tool, args, 'a', 'demo')),
    cli: (args: string[], input = '') => run('cli', args, input, around, home),
    explain: (args: string[], tool: string, input: object) =>
      run('cli', ['explain', ...args], call('PreToolUse', tool, input, 'a', 'demo'), around, home),
  };
};

export const spelled = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_');

export const sendText =
  (text: string | Buffer, headers: Record<string, string> = {}, status = 200): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };

export const send = (value: unknown, headers?: Record<string, string>): Answer => {
  const text = JSON.stringify(value);
  return sendText(text, headers);
};

/** `ttlMs: 0`: no answer counts as live for longer than the call that asked for it. */
export const listOf = (tools: Tool[], version = '1', headers?: Record<string, string>): Answer =>
  send({ schema_version: version, ttlMs: 0, tools }, headers);

export const tool = (name: string, properties: object = {}, rest: object = {}, fields: object = {}): Tool => ({
  name,
  description: 'Finds things.',
  inputSchema: { type: 'object', properties, ...rest },
  ...fields,
});
export const text = { type: 'string', description: 'words to look for' };

export const GOOD = [tool('search', { query: text }), tool('other', { query: text })];

export const assertUnchecked = (answer: Printed): void => {
  assert.deepEqual(Object.keys(answer), ['systemMessage']);
  assert.match(answer.systemMessage ?? '', /^konnichiwagwan could not check calls of server `demo`: /);
};

export interface Envelope {
  ok: boolean;
  data: { sources: { name: string; state: string; note: string }[] } | null;
  error: unknown;
}
