// The MCP session that a client's hooks share: one request per call, a new session if it is lost, ended with the client.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { endSessions } from '../scripts/sources/end-sessions.ts';
import { askList } from '../scripts/sources/mcp/ask-list.ts';
import { LONGEST_SESSION, sessionKeeper } from '../scripts/sources/mcp/kept-session.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { sessionPath, sessionPathOf } from '../scripts/state/paths.ts';
import { startMcp } from './mcp-servers.ts';
import { noModes } from './posix.ts';
import { ageAnswers, drive, needProcesses, sandbox, tool } from './sandbox.ts';

const weather = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const QUESTION = ['POST tools/list'];
const ANEW = ['POST initialize', 'POST notifications/initialized', 'POST tools/list'];

interface Sessions {
  url: string;
  tools: Contract[];
  /** Whether a session goes on showing the tools that it began with. */
  fixed: boolean;
  /** Requests in order. */
  seen: string[];
  /** The session of each request; empty for none. */
  ids: string[];
  open: Set<string>;
  /** Its answer for an unknown session. */
  unknown: (response: ServerResponse) => unknown;
  /** Called before anything is answered; returns true if it has answered itself, or never will. */
  odd: (request: IncomingMessage, response: ServerResponse, message: JsonObject) => boolean;
}

/** A server of the older kind that requires sessions. */
const serve = async (test: TestContext): Promise<Sessions> => {
  const server: Sessions = {
    url: '',
    tools: [weather],
    fixed: false,
    seen: [],
    ids: [],
    open: new Set(),
    unknown: (response) => response.writeHead(404).end(),
    odd: () => false,
  };
  const begunWith = new Map<string, Contract[]>();
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = (body === '' ? {} : JSON.parse(body)) as JsonObject;
    const { id, method } = message;
    server.seen.push(`${request.method} ${method ?? ''}`.trim());
    const session = String(request.headers['mcp-session-id'] ?? '');
    server.ids.push(session);
    if (server.odd(request, response, message)) return;
    const answer = (result: JsonObject, headers = {}): unknown =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'server/discover') return void response.writeHead(400).end();
    if (method === 'initialize') {
      const begun = randomUUID();
      server.open.add(begun);
      begunWith.set(begun, server.tools);
      const info = { protocolVersion: '2025-11-25', serverInfo: { name: 'x', version: '1' } };
      return void answer({ ...info, capabilities: { tools: { listChanged: true } } }, { 'mcp-session-id': begun });
    }
    if (!server.open.has(session)) return void server.unknown(response);
    if (request.method === 'DELETE') {
      server.open.delete(session);
      return void response.writeHead(200).end();
    }
    if (request.method === 'GET') return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    answer({ tools: (server.fixed ? begunWith.get(session) : server.tools) as never });
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  test.after(() => {
    http.closeAllConnections();
    http.close();
  });
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return server;
};

/** A client (this process) with one server in its settings. `look`: makes a call, and gives the requests that it took. */
const world = async (test: TestContext, server: Sessions, more: JsonObject = {}) => {
  const box = await sandbox(test, [], { freshFor: 0 });
  box.env.GATEWAY_URL = undefined;
  box.env.CLAUDE_PID = String(process.pid);
  const configure = (url: string): void =>
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ mcpServers: { demo: { type: 'http', url, ...more } }, projects: {} }),
    );
  configure(server.url);
  box.show([weather], 'aaa1');
  const live = join(box.state, 'live');
  const kept = (): string[] =>
    existsSync(live) ? readdirSync(live).filter((name) => name.endsWith('.session.json')) : [];
  const look = async (extra: NodeJS.ProcessEnv = {}) => {
    const from = server.seen.length;
    const ran = await box.call('weather', { city: 'x' }, {}, extra);
    assert.equal(ran.code, 0);
    return { ...ran, took: server.seen.slice(from) };
  };
  const end = (extra: NodeJS.ProcessEnv = {}) => {
    const input = {
      session_id: 's1',
      transcript_path: box.transcript,
      cwd: box.project,
      hook_event_name: 'SessionEnd',
    };
    return drive('session-end.cjs', JSON.stringify({ ...input, reason: 'other' }), { ...box.env, ...extra });
  };
  return { ...box, configure, live, kept, look, end };
};

const keptOf = (kept: string[], client: number): string[] => kept.filter((name) => name.includes(`.${client}.`));

/** Starts sessions until the one that a client kept is ended: a busy machine's server may answer too late for the first. */
const startUntilEnded = async (box: Awaited<ReturnType<typeof world>>, client: number): Promise<void> => {
  for (let starts = 0; starts < 10 && keptOf(box.kept(), client).length > 0; starts += 1)
    await box.start({ session_id: `s${starts}` });
  assert.deepEqual(keptOf(box.kept(), client), [], 'nothing can end it any more');
};

const only = (kept: string[]): string => {
  assert.equal(kept.length, 1, kept.join());
  return kept[0] as string;
};

/**
 * A client that keeps the session of its first contact, which is the only one that is open. A busy machine may give up
 * waiting for an answer, and leave a session that it never heard of: then another client tries.
 */
const started = async (test: TestContext) => {
  for (let tries = 1; ; tries += 1) {
    const server = await serve(test);
    const box = await world(test, server);
    await box.start();
    const { size } = server.open;
    if (size === 1) return { server, box };
    assert.ok(tries < 5, `${size} sessions are open after the first contact`);
  }
};

describe('the session that a client shares with a server', () => {
  it('makes of six requests one, and a change is found as before', async (test) => {
    const { server, box } = await started(test);
    server.ids.length = 0;
    for (const _call of [1, 2, 3, 4]) {
      const { stdout, took } = await box.look();
      assert.equal(stdout, '');
      assert.deepEqual(took, QUESTION);
    }
    server.tools = [tool('weather', { location: { type: 'string' } }, { required: ['location'] })];
    const { answer, took } = await box.look();
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
    // A stop needs the answer of a new session.
    assert.deepEqual(took, [...QUESTION, 'DELETE', ...ANEW]);
    assert.equal(server.open.size, 1);
    assert.equal(new Set(server.ids.filter(Boolean)).size, 2);
  });

  describe('of a server that fixes its tools when a session begins', () => {
    const now = tool('weather', { place: { type: 'string' } }, { required: ['place'], additionalProperties: false });
    const released = async (test: TestContext) => {
      const server = await serve(test);
      server.fixed = true;
      const box = await world(test, server);
      await box.start();
      for (const _call of [1, 2]) assert.equal((await box.look()).stdout, '');
      server.tools = [now];
      // The client connects anew, and shows the model what it lists then.
      box.show([now], 'bbb2');
      return { ...box, server };
    };

    it('is not shared with a conversation that begins: it sees the tools that the client sees', async (test) => {
      const box = await released(test);
      await box.start({ session_id: 's2', source: 'clear' });
      const right = await box.call('weather', { place: 'x' }, { session_id: 's2' });
      assert.doesNotMatch(right.stdout, /permissionDecision/);
    });

    it('is no reason for a stop: a new one is asked before that', async (test) => {
      const box = await released(test);
      box.server.seen.length = 0;
      assert.doesNotMatch((await box.call('weather', { place: 'x' })).stdout, /permissionDecision/);
      assert.deepEqual(box.server.seen, [...QUESTION, 'DELETE', ...ANEW]);
      assert.equal(box.server.open.size, 1);
    });
  });

  it('works with the official server, too', async (test) => {
    const server = await startMcp('session', { tools: [weather] });
    test.after(() => server.close());
    const box = await world(test, { ...(await serve(test)), url: server.url });
    await box.start();
    for (const _call of [1, 2]) assert.equal((await box.look()).stdout, '');
    server.seen.length = 0;
    // On a busy machine, the start can give up on a session while it is being opened.
    const open = server.open();
    assert.equal((await box.look()).stdout, '');
    assert.deepEqual(server.seen, QUESTION);
    assert.equal(server.open(), open);
    only(box.kept());
    await box.end();
    assert.equal(server.open(), open - 1);
    assert.deepEqual(box.kept(), []);
  });

  it('is told to nobody, and kept where only its owner reads', async (test) => {
    const server = await serve(test);
    const box = await world(test, server, { headers: { authorization: 'Bearer of news' } });
    const printed = [await box.start(), await box.look(), await box.look()];
    const [id = ''] = server.open;
    const file = only(box.kept());
    if (!noModes) assert.equal(statSync(join(box.live, file)).mode & 0o777, 0o600);
    const others = readdirSync(box.state, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== file,
    );
    assert.ok(others.length > 2);
    for (const { parentPath, name } of others)
      assert.ok(!readFileSync(join(parentPath, name), 'utf8').includes(id), `${name} holds the id`);
    const env = { ...box.env, KONNICHIWAGWAN: 'debug' };
    const input = JSON.stringify(box.input('weather', { city: 'x' }));
    printed.push(await drive('guard.cjs', input, env));
    for (const args of [['status'], ['doctor'], ['probe', '--json']])
      printed.push(await drive('cli.cjs', null, env, args, true));
    for (const { stdout, stderr } of printed) assert.ok(!`${stdout}${stderr}`.includes(id), stdout + stderr);
    assert.doesNotMatch(readFileSync(join(box.live, file), 'utf8'), /news/);
  });

  for (const [what, unknown] of Object.entries<Sessions['unknown']>({
    'HTTP 404': (response) => response.writeHead(404).end(),
    'HTTP 400': (response) => response.writeHead(400).end('no valid session'),
  })) {
    it(`that the server has forgotten (${what}) is begun again within the same question`, async (test) => {
      const server = await serve(test);
      const box = await world(test, server);
      await box.start();
      for (const _call of [1, 2]) await box.look();
      server.open.clear();
      server.unknown = unknown;
      const { stdout, took } = await box.look();
      assert.equal(stdout, '');
      assert.deepEqual(took, [...QUESTION, ...ANEW]);
      assert.deepEqual((await box.look()).took, QUESTION);
      assert.equal(server.open.size, 1);
    });
  }

  it('that no longer answers costs one question, is ended, and is begun again with the next', async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    await box.start();
    for (const _call of [1, 2]) await box.look();
    const [stuck] = server.open;
    server.odd = ({ headers }, _response, { method }) => method === 'tools/list' && headers['mcp-session-id'] === stuck;
    const { answer, took } = await box.look();
    assert.match(answer.systemMessage, /cannot be reached \(no answer in time\)/);
    assert.deepEqual(took, [...QUESTION, 'DELETE']);
    assert.deepEqual(box.kept(), []);
    // A source that failed is not asked again for a while.
    ageAnswers(box.state);
    assert.equal((await box.look()).stdout, '');
    assert.deepEqual((await box.look()).took, QUESTION);
    assert.ok(server.open.size === 1 && !server.open.has(stuck ?? ''));
  });

  it('is never sent to another server, or with other headers', async (test) => {
    const [one, two] = [await serve(test), await serve(test)];
    const box = await world(test, one);
    await box.start();
    await box.look();
    const ids = [...one.open];
    box.configure(two.url);
    // A guard that knows to which address its client connected asks no other one.
    rmSync(sessionPath(box.state, 's1'));
    for (const _call of [1, 2]) await box.look();
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({
        mcpServers: { demo: { type: 'http', url: two.url, headers: { 'x-tenant': 'b' } } },
        projects: {},
      }),
    );
    const before = new Set(two.ids);
    const from = two.ids.length;
    await box.look();
    assert.ok(two.ids.length > from);
    assert.ok(two.ids.every((id) => !ids.includes(id)));
    assert.ok(two.ids.slice(from).every((id) => id === '' || !before.has(id)));
  });

  it('is one for calls that are made at the same time', async (test) => {
    needProcesses(test);
    const server = await serve(test);
    const box = await world(test, server);
    await box.start();
    await box.look();
    // On a busy machine, the start can give up on a session while it is being opened.
    const [open, from] = [server.open.size, server.ids.length];
    const calls = await Promise.all([1, 2, 3, 4, 5].map(() => box.look()));
    for (const { stdout } of calls) assert.equal(stdout, '');
    assert.equal(server.open.size, open, server.seen.join(', '));
    assert.equal(new Set(server.ids.slice(from).filter(Boolean)).size, 1);
    only(box.kept());
  });

  it('keeps questions apart that are asked at the same time, which its server tells by their ids', async (test) => {
    const server = await startMcp('session', { tools: [weather], before: () => sleep(300) });
    test.after(() => server.close());
    const box = await world(test, await serve(test));
    const request = { url: server.url, headers: {}, protocol: '2025-11-25', session: true };
    const keeper = sessionKeeper(box.state, 'demo', process.pid);
    const first = await askList(request, 5_000, keeper);
    const answers = await Promise.all([1, 2, 3].map(() => askList(request, 5_000, keeper)));
    assert.equal(first.status, 'text');
    // The text decides whether anything changed, so it has no IDs.
    for (const answer of answers) assert.deepEqual(answer, first);
    assert.equal(server.open(), 1);
  });

  it('is not shared with another client, and each ends its own', async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    const other = { CLAUDE_PID: String(process.ppid) };
    for (const env of [{}, {}, other, other]) await box.look(env);
    assert.equal(server.open.size, 2);
    assert.equal(box.kept().length, 2);
    const { stdout, stderr, code } = await box.end();
    assert.deepEqual([stdout, stderr, code], ['', '', 0]);
    assert.match(only(box.kept()), new RegExp(`\\.${process.ppid}\\.session\\.json$`));
    assert.equal(server.open.size, 1);
    assert.deepEqual((await box.look(other)).took, QUESTION);
    await box.end(other);
    assert.equal(server.open.size, 0);
  });

  it("of a client that was killed is ended by the next one's start; that of a client that runs is not", async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    const { pid } = spawnSync(process.execPath, ['--version']);
    await box.look({ CLAUDE_PID: String(pid) });
    await box.look({ CLAUDE_PID: String(process.ppid) });
    const [killed = '', running = ''] = server.open;
    await startUntilEnded(box, pid);
    assert.ok(!server.open.has(killed), 'the session of the killed client is still open');
    assert.ok(server.open.has(running), 'a session that is in use was ended');
  });

  it('of a killed client in another project waits there: only its settings say where it can be ended', async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    const { pid } = spawnSync(process.execPath, ['--version']);
    await box.look({ CLAUDE_PID: String(pid) });
    const [killed = ''] = server.open;
    box.configure(`${server.url}/another`);
    await box.look();
    await box.end();
    assert.deepEqual([...server.open], [killed]);
    assert.match(only(box.kept()), new RegExp(`\\.${pid}\\.`));
    box.configure(server.url);
    await startUntilEnded(box, pid);
    assert.ok(!server.open.has(killed), 'nothing can end it any more');
  });

  it('that only other settings know how to end waits for a day, and no longer than its client', async (test) => {
    const { state } = await world(test, await serve(test));
    const { pid: gone } = spawnSync(process.execPath, ['--version']);
    const waits = async (client: number, minutes: number, ending?: number): Promise<boolean> => {
      sessionKeeper(state, 'demo', client)?.write({ id: 'x', protocol: '2025-11-25', tells: [] });
      const path = sessionPathOf(state, 'demo', client);
      const at = Date.now() / 1_000 - minutes * 60;
      utimesSync(path, at, at);
      await endSessions(state, [], 1_000, ending);
      return existsSync(path);
    };
    const [late, nextDay] = [(2 * LONGEST_SESSION) / 60_000 + 1, 25 * 60];
    assert.equal(await waits(gone, 1), true);
    assert.equal(await waits(gone, nextDay), false);
    assert.equal(await waits(gone, 1, gone), false, 'its client ends');
    assert.equal(await waits(process.pid, late), true);
    assert.equal(await waits(process.pid, nextDay), false);
  });

  it('of a killed client waits there until its server answers', async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    const { pid } = spawnSync(process.execPath, ['--version']);
    await box.look({ CLAUDE_PID: String(pid) });
    const [killed = ''] = server.open;
    server.odd = ({ method }) => method === 'DELETE';
    // A start that takes long on a busy machine may not reach the server in its time.
    for (let starts = 0; starts < 10 && !server.seen.includes('DELETE'); starts += 1)
      await box.start({ session_id: `busy${starts}` });
    assert.ok(server.seen.includes('DELETE'));
    assert.equal(keptOf(box.kept(), pid).length, 1);
    server.odd = () => false;
    await startUntilEnded(box, pid);
    assert.ok(!server.open.has(killed));
  });

  it('cannot be ended where the server is gone: that delays nobody for long, and says nothing', async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    await box.look();
    server.odd = () => true;
    const start = Date.now();
    const { stdout, stderr, code } = await box.end();
    assert.deepEqual([stdout, stderr, code], ['', '', 0]);
    assert.ok(Date.now() - start < 4_000, `${Date.now() - start} ms`);
    assert.deepEqual(box.kept(), []);
  });

  it('is ended at once where it cannot be kept', async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    const request = { url: server.url, headers: {}, protocol: '2025-11-25', session: true };
    // Below a file there can be no folder.
    const nowhere = sessionKeeper(box.transcript, 'demo', process.pid);
    assert.equal((await askList(request, 5_000, nowhere)).status, 'text');
    assert.deepEqual(server.seen, [...ANEW, 'DELETE']);
    assert.equal(sessionKeeper(box.state, 'demo', Number.NaN), undefined, 'without a client nobody would end it');
  });

  it('is not asked for ever: a server may show an old session old tools', async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    const request = { url: server.url, headers: {}, protocol: '2025-11-25', session: true };
    const keeper = sessionKeeper(box.state, 'demo', process.pid);
    assert.ok(keeper);
    for (const _question of [1, 2]) assert.equal((await askList(request, 5_000, keeper)).status, 'text');
    assert.deepEqual(server.seen, [...ANEW, ...QUESTION]);
    const [old = ''] = server.open;
    test.mock.timers.enable({ apis: ['Date'], now: thisMoment().at + LONGEST_SESSION + 1_000 });
    server.seen.length = 0;
    assert.equal((await askList(request, 5_000, keeper)).status, 'text');
    assert.deepEqual([...server.seen].sort(), [...ANEW, 'DELETE'].sort());
    assert.ok(!server.open.has(old) && server.open.size === 1);
    assert.notEqual(keeper.read()?.id, old);
  });

  it('keeps an id only if it is one: it becomes a header', async (test) => {
    const server = await serve(test);
    const box = await world(test, server);
    const keeper = sessionKeeper(box.state, 'demo', process.pid);
    for (const id of ['', 'a b', 'a\nb', 'x'.repeat(1_025), 'é'])
      assert.equal(keeper?.write({ id, protocol: '2025-11-25', tells: [] }), false, JSON.stringify(id));
    assert.equal(keeper?.read(), undefined);
    assert.equal(keeper?.write({ id: 'a!~', protocol: '2025-11-25', tells: [] }), true);
    assert.equal(keeper.read()?.id, 'a!~');
  });

  it('is one: a second is not kept beside it, and one of unknown age counts as too old', async (test) => {
    const box = await sandbox(test, [weather]);
    const keeper = sessionKeeper(box.state, 'demo', process.pid);
    const session = (id: string) => ({ id, protocol: '2025-11-25', tells: [] });
    assert.deepEqual([keeper?.write(session('a')), keeper?.write(session('b'))], [true, false]);
    assert.equal(keeper?.read()?.id, 'a');
    // As after the clock was set back.
    test.mock.timers.enable({ apis: ['Date'], now: thisMoment().at - 60_000 });
    assert.deepEqual([keeper?.read()?.id, keeper?.read()?.age], ['a', Number.POSITIVE_INFINITY]);
  });
});
