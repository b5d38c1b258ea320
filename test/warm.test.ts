// Full tier: a minute of waiting.
// What a long-lived process keeps warm: its connections, what servers announce, and how rarely it asks those that do not.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMcpHandler, Server as ModernServer } from '@modelcontextprotocol/server';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { gatewaySource } from '../scripts/sources/gateway.ts';
import { readHead } from '../scripts/sources/head.ts';
import { askSource, readLive } from '../scripts/sources/live.ts';
import { mcpSource } from '../scripts/sources/mcp/mcp.ts';
import type { Source } from '../scripts/sources/source.ts';
import { Credit } from '../scripts/sources/warm/credit.ts';
import { type WarmSources, warmSources } from '../scripts/sources/warm/warm.ts';
import { type Moment, thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { HttpServer } from './e2e/http-server.ts';
import { nodeHandler } from './node-handler.ts';
import { tool } from './sandbox.ts';

const A = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const B = tool('weather', { place: { type: 'string' } }, { required: ['place'] });
const C = tool('weather', { town: { type: 'string' } }, { required: ['town'] });

type Era = 'modern' | 'session' | 'stateless';

interface Server {
  url: string;
  tools: Contract[];
  /** Whether it declares that it announces changes. */
  tells: boolean;
  seen: string[];
  /** Connections that were opened, and sessions and streams that are open. */
  connections: number;
  sessions: Map<string, ServerResponse | undefined>;
  streams: Set<ServerResponse>;
  /** How long it takes to answer, in ms. */
  delay: number;
  announce: (kind?: string) => void;
  /** Called before anything is answered; returns true if it has answered itself, or never will. */
  odd: (request: IncomingMessage, response: ServerResponse, message: JsonObject) => boolean;
  close: () => void;
}

const serve = async (test: TestContext, era: Era, tells = true): Promise<Server> => {
  const capabilities = { tools: { listChanged: tells }, prompts: { listChanged: tells } };
  const info = { name: 'x', version: '1' };
  const official = createMcpHandler(() => {
    const made = new ModernServer(info, { capabilities });
    made.setRequestHandler('tools/list', async () => ({ tools: server.tools }) as never);
    return made;
  });
  const modern = nodeHandler(official);
  const server: Server = {
    url: '',
    tools: [A],
    tells,
    seen: [],
    connections: 0,
    sessions: new Map(),
    streams: new Set(),
    delay: 0,
    announce: (kind = 'tools') => {
      if (era === 'modern') return void official.notify[kind === 'tools' ? 'toolsChanged' : 'promptsChanged']();
      const text = JSON.stringify({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` });
      for (const stream of server.sessions.values()) stream?.write(`event: message\ndata: ${text}\n\n`);
    },
    odd: () => false,
    close: () => {},
  };
  const http = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = (body === '' ? {} : JSON.parse(body)) as JsonObject;
    const { id, method } = message;
    server.seen.push(`${request.method} ${method ?? (id === undefined ? '' : 'answer')}`.trim());
    if (server.delay > 0) await sleep(server.delay);
    if (server.odd(request, response, message)) return;
    if (era === 'modern') {
      if (method === 'subscriptions/listen') {
        server.streams.add(response);
        response.on('close', () => server.streams.delete(response));
      }
      return void modern(request, response, message);
    }
    const session = String(request.headers['mcp-session-id'] ?? '');
    const answer = (result: JsonObject, headers = {}): unknown =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'server/discover') return void response.writeHead(400).end();
    if (method === 'initialize') {
      const begun = randomUUID();
      if (era === 'session') server.sessions.set(begun, undefined);
      const headers = era === 'session' ? { 'mcp-session-id': begun } : {};
      return void answer({ protocolVersion: '2025-11-25', capabilities, serverInfo: info }, headers);
    }
    if (era === 'session' && !server.sessions.has(session)) return void response.writeHead(404).end();
    if (request.method === 'DELETE') {
      server.sessions.get(session)?.end();
      server.sessions.delete(session);
      return void response.writeHead(200).end();
    }
    if (request.method === 'GET') {
      // Even without sessions there is a stream, but nothing ever arrives on it.
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      if (era === 'session') server.sessions.set(session, response);
      server.streams.add(response);
      response.on('close', () => server.streams.delete(response));
      return;
    }
    if (method === undefined || id === undefined) return void response.writeHead(202).end();
    answer({ tools: server.tools as never });
  });
  http.on('connection', () => {
    server.connections++;
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  server.close = () => {
    http.closeAllConnections();
    http.close();
  };
  test.after(server.close);
  return server;
};

const sourceOf = (url: string, headers: Record<string, string> = {}): Source => {
  const launch = { type: 'http' as const, url, headers };
  const source = mcpSource(
    { name: 'demo', scope: 'user', launch, configured: launch, unset: [], state: 'ready' },
    '/project',
    false,
  );
  assert.ok('key' in source);
  return source;
};

/** Waits until something is true, within a time limit; polls, since there is no event for it. */
const until = async (what: () => boolean, why: string, ms = 20_000): Promise<void> => {
  for (const end = Date.now() + ms; !what(); await sleep(5)) assert.ok(Date.now() < end, why);
};

/** Waits until it has answered since then, but not for long: it may not have been asked. */
const answered = async (warm: WarmSources, key: string, since: Moment): Promise<void> => {
  const isAnswered = () => (warm.standing(key)?.at.up ?? 0) >= since.up;
  for (let waited = 0; waited < 1_000 && !isAnswered(); waited += 10) await sleep(10);
};

/** A state folder whose source was asked before, as at a session's start, and the object that keeps it warm. */
const world = async (test: TestContext, source: Source, settings: { lookEvery?: number; freshFor?: number } = {}) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
  const before = process.env.CLAUDE_PID;
  process.env.CLAUDE_PID = String(process.pid);
  const warm = warmSources({ home, freshFor: 0, ...settings });
  test.after(async () => {
    await warm.close();
    if (before === undefined) delete process.env.CLAUDE_PID;
    else process.env.CLAUDE_PID = before;
    remove(home);
  });
  const options = { freshFor: 0, deadline: 5_000 };
  assert.equal((await askSource(home, source, options)).status, 'live');
  const kind = () => warm.standing(source.key)?.kind;
  return {
    home,
    warm,
    kind,
    options,
    ask: async () => {
      warm.keep(source);
      const answer = await askSource(home, source, { ...options, force: true, since: thisMoment(), again: warm.again });
      warm.asked(source, answer);
      return answer;
    },
    subscribed: () => until(() => kind() === 'subscribed', `it is ${kind()}`),
    tools: () =>
      readLive(home, source.key)
        ?.tools.map(({ inputSchema }) => Object.keys((inputSchema as JsonObject).properties as JsonObject))
        .join(),
  };
};

const listens = ({ seen }: Server): number => seen.filter((what) => what === 'POST subscriptions/listen').length;
const lists = ({ seen }: Server): number => seen.filter((what) => what === 'POST tools/list').length;

describe('a server that tells what changes', () => {
  for (const era of ['modern', 'session'] as const) {
    it(`${era}: is asked once, and not for calls, until it announces a change`, async (test) => {
      const server = await serve(test, era);
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      box.warm.keep(source);
      await box.subscribed();
      const asked = lists(server);
      assert.equal(server.streams.size, 1);
      for (let call = 0; call < 20; call++) {
        assert.equal(box.kind(), 'subscribed');
        box.warm.called(source.key, true);
        box.warm.refresh();
      }
      await sleep(50);
      assert.equal(lists(server), asked, 'it was asked although it tells what changes');

      const times: number[] = [];
      for (const [next, word] of [
        [B, 'place'],
        [A, 'city'],
      ] as const) {
        server.tools = [next];
        const start = performance.now();
        server.announce();
        await until(() => box.tools() === word, 'the change was not heard of');
        times.push(performance.now() - start);
        assert.ok(box.kind() === 'subscribed', 'what was announced is known, and counts');
        // How long a change may lack its announcement before the guard no longer trusts the server's silence.
        await sleep(1_200);
      }
      test.diagnostic(`an announced change was known after ${times.map((ms) => ms.toFixed(1)).join(' and ')} ms`);
      assert.ok(Math.min(...times) < 500, `${times.join()} ms`);
    });

    it(`${era}: what it said before the announcement no longer counts`, async (test) => {
      const server = await serve(test, era);
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      await box.subscribed();
      server.odd = (_request, _response, { method }) => method === 'tools/list';
      server.announce();
      await until(() => box.kind() !== 'subscribed', 'it counts although it is said to have changed');
    });

    it(`${era}: does not count as telling while its stream is lost, and is asked once it has come back`, async (test) => {
      const server = await serve(test, era);
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      await box.subscribed();
      for (const stream of server.streams) stream.destroy();
      await until(() => box.kind() === 'asked', 'a lost stream counts');
      server.tools = [B];
      await box.subscribed();
      assert.equal(box.tools(), 'place', 'what changed meanwhile is known');
      await sleep(1_100);
      assert.equal(box.kind(), 'subscribed', 'nobody could have announced that');
    });

    it(`${era}: nothing is asked when other lists than that of tools change`, async (test) => {
      const server = await serve(test, era);
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      await box.subscribed();
      const asked = server.seen.length;
      server.announce('prompts');
      await sleep(300);
      assert.equal(box.kind(), 'subscribed');
      assert.equal(server.seen.length, asked);
      // Announcements do arrive.
      server.announce();
      await until(() => server.seen.length > asked, 'the announcement was not heard');
    });

    it(`${era}: that goes on announcing costs ever fewer questions`, async (test) => {
      const server = await serve(test, era);
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      await box.subscribed();
      const asked = lists(server);
      const flapping = setInterval(() => {
        server.tools = [server.tools[0] === A ? B : A];
        server.announce();
      }, 5);
      await sleep(3_000);
      clearInterval(flapping);
      const questions = lists(server) - asked;
      assert.ok(questions >= 2 && questions <= 7, `${questions} questions in 3 s`);
      const last = server.tools[0] === A ? 'city' : 'place';
      await until(() => box.tools() === last && box.kind() === 'subscribed', 'the last word is not known');
    });
  }

  for (const era of ['modern', 'session'] as const) {
    it(`${era}: made with the official packages, through announcements and a restart`, async (test) => {
      const [before, now, last] = [A, B, C].map(({ name, inputSchema }) => [{ name, description: '', inputSchema }]);
      const server = await HttpServer.start({ era, tools: before as never });
      test.after(() => server.close());
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      await box.subscribed();
      server.announce(now as never);
      await until(() => box.tools() === 'place', 'the change was not heard of');
      assert.equal(box.kind(), 'subscribed');
      const asked = server.by('guard').length;
      await server.restart(last as never);
      await until(() => box.kind() !== 'subscribed', 'a server that is gone counts');
      await until(() => box.kind() === 'subscribed', 'it does not come back');
      assert.equal(box.tools(), 'town');
      assert.ok(server.by('guard').length - asked < 12, server.by('guard').slice(asked).join(', '));
      await box.warm.close();
    });
  }

  it('is not blamed for a change that it could not announce, because its stream was lost', async (test) => {
    const server = await serve(test, 'modern');
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await box.subscribed();
    const listened = listens(server);
    for (const stream of server.streams) stream.destroy();
    server.tools = [B];
    // Another process asks before the stream is back.
    await askSource(box.home, source, { ...box.options, force: true });
    await until(() => listens(server) > listened, 'it is not subscribed again');
    await sleep(1_500);
    assert.equal(box.kind(), 'subscribed');
  });

  it('is not blamed for a change that it announced, and that another process knew before we asked', async (test) => {
    const server = await serve(test, 'modern');
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await box.subscribed();
    // So many announcements that the next one does not lead to a question at once.
    for (const [next, word] of [
      [B, 'place'],
      [A, 'city'],
      [B, 'place'],
    ] as const) {
      server.tools = [next];
      server.announce();
      await until(() => box.tools() === word, 'the change was not heard of');
    }
    await box.subscribed();
    server.tools = [C];
    server.announce();
    await sleep(20);
    await askSource(box.home, source, { ...box.options, force: true });
    assert.equal(box.tools(), 'town', 'the other process knows');
    await sleep(1_500);
    await box.subscribed();
    // And a change that it announces a moment after it was seen.
    server.tools = [A];
    await askSource(box.home, source, { ...box.options, force: true });
    assert.equal(box.kind(), 'subscribed');
    server.announce();
    await sleep(1_500);
    await box.subscribed();
  });

  it('that changes without a word is found out by the next look, and is believed no more', async (test) => {
    const server = await serve(test, 'session');
    const source = sourceOf(server.url);
    const box = await world(test, source, { lookEvery: 1_500 });
    box.warm.keep(source);
    await box.subscribed();
    server.tools = [B];
    await until(() => box.tools() === 'place', 'nobody looked');
    // On a busy machine its stream may have broken just then: what is found when it opens again tells nothing of its silence.
    await until(() => {
      if (box.tools() === 'place') server.tools = [C];
      if (box.tools() === 'town') server.tools = [B];
      return box.kind() === 'asked';
    }, 'its silence still counts');
    await sleep(1_500);
    assert.equal(box.kind(), 'asked');
    assert.equal(server.streams.size, 0);
  });

  it('goes on counting for ten conversations, whichever of them heard of a change first', async (test) => {
    const server = await serve(test, 'modern');
    const source = sourceOf(server.url);
    const box = await world(test, source);
    const all = [box.warm, ...Array.from({ length: 9 }, () => warmSources({ home: box.home, freshFor: 0 }))];
    test.after(() => Promise.all(all.map((one) => one.close())));
    for (const one of all) one.keep(source);
    const kinds = () => all.map((one) => one.standing(source.key)?.kind);
    const isEach = () => kinds().every((kind) => kind === 'subscribed');
    await until(isEach, 'they do not listen');
    for (const [next, word] of [
      [B, 'place'],
      [C, 'town'],
      [A, 'city'],
      [B, 'place'],
      [C, 'town'],
    ] as const) {
      const asked = lists(server);
      server.tools = [next];
      server.announce();
      await until(() => box.tools() === word, 'nobody has heard of it');
      assert.ok(lists(server) - asked <= all.length, `${lists(server) - asked} questions`);
    }
    await sleep(1_200);
    await until(isEach, `they are ${kinds().join()}`);
  });

  it('is looked at now and then, though it says nothing', async (test) => {
    const server = await serve(test, 'modern');
    const source = sourceOf(server.url);
    const box = await world(test, source, { lookEvery: 500 });
    box.warm.keep(source);
    await box.subscribed();
    const [asked, since] = [lists(server), performance.now()];
    await sleep(3_500);
    const looks = lists(server) - asked;
    const seconds = (performance.now() - since) / 1_000;
    // The timer for looking runs once a second.
    assert.ok(looks >= 2 && looks <= seconds + 1.5, `${looks} looks in ${seconds} s`);
    // It may be looking right now.
    await until(() => box.kind() === 'subscribed', `it is ${box.kind()}`);
  });

  it('does not count as telling where it no longer answers, although its stream is open', async (test) => {
    const server = await serve(test, 'session');
    const source = sourceOf(server.url);
    const box = await world(test, source, { lookEvery: 1_000 });
    box.warm.keep(source);
    await box.subscribed();
    // Like a dead connection that was never closed: nothing arrives, and it does not end.
    server.odd = () => true;
    await until(() => box.kind() !== 'subscribed', 'the silence of the dead counts');
  });

  for (const [what, slept] of [
    ['an hour', 3_600_000],
    ['a moment, in which no answer grows old', 10_000],
  ] as const)
    it(`does not count as telling after the machine slept for ${what}, until it was asked again`, async (test) => {
      const server = await serve(test, 'modern');
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      await box.subscribed();
      const [asked, listened] = [lists(server), listens(server)];
      // The wall clock goes on while a machine sleeps; the monotonic clock does not.
      test.mock.timers.enable({ apis: ['Date'], now: Date.now() + slept });
      assert.notEqual(box.kind(), 'subscribed', 'before anybody has noticed');
      await until(() => listens(server) > listened, 'it is not subscribed again');
      for (let waited = 0; box.kind() !== 'subscribed' && waited < 200; waited++) {
        await sleep(20);
        test.mock.timers.tick(20);
      }
      assert.equal(box.kind(), 'subscribed');
      assert.equal(lists(server), asked + 1);
    });

  it('that has forgotten the session gets a new one, and tells on that', async (test) => {
    const server = await serve(test, 'session');
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await box.subscribed();
    const [old] = server.sessions.keys();
    server.sessions.clear();
    for (const stream of server.streams) stream.destroy();
    server.tools = [B];
    await until(() => box.kind() === 'asked', 'it counts');
    await box.subscribed();
    assert.equal(box.tools(), 'place');
    assert.equal(server.sessions.size, 1);
    assert.ok(!server.sessions.has(old ?? ''));
  });

  it('is answered when it asks whether we are there, but not as often as it likes', async (test) => {
    const server = await serve(test, 'session');
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await box.subscribed();
    const answers: JsonObject[] = [];
    server.odd = (_request, response, message) => {
      if (message.method !== undefined || message.id === undefined) return false;
      answers.push(message);
      response.writeHead(202).end();
      return true;
    };
    for (const stream of server.sessions.values()) {
      for (let id = 0; id < 500; id++)
        stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`);
    }
    await until(() => answers.length > 0, 'nobody answers');
    await sleep(200);
    assert.deepEqual(answers, [{ jsonrpc: '2.0', id: 0, result: {} }]);
    assert.equal(box.kind(), 'subscribed');
  });

  for (const [what, text] of Object.entries({
    'an event without an end': `data: ${'x'.repeat(200_000)}`,
    'events without an end': `: ${'x'.repeat(60_000)}\n\n`.repeat(200),
  })) {
    it(`${what}: its stream is given up, and it is asked instead`, async (test) => {
      const server = await serve(test, 'session');
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      await box.subscribed();
      for (const stream of server.streams) stream.write(text);
      await until(() => box.kind() === 'asked' && server.streams.size === 0, 'it is still read');
      assert.equal((await box.ask()).status, 'live');
    });
  }
});

describe('a server that tells nothing', () => {
  for (const [what, era, tells] of [
    ['says so', 'session', false],
    ['says so, and is of the newer kind', 'modern', false],
    ['has no sessions, and so tells nobody', 'stateless', true],
  ] as const) {
    it(`${what}: counts as asked, and nothing more`, async (test) => {
      const server = await serve(test, era, tells);
      const source = sourceOf(server.url);
      const box = await world(test, source);
      server.seen.length = 0;
      box.warm.keep(source);
      await box.ask();
      await sleep(2_300);
      assert.equal(box.kind(), 'asked');
      assert.ok(!server.seen.includes('GET'), server.seen.join());
      assert.equal(era === 'modern' ? 1 : 0, server.seen.filter((one) => one.includes('listen')).length);
    });
  }

  it('is asked over one connection, with one request and in one round trip', async (test) => {
    for (const era of ['modern', 'session', 'stateless'] as const) {
      const server = await serve(test, era, false);
      const source = sourceOf(server.url);
      const box = await world(test, source);
      box.warm.keep(source);
      await box.ask();
      server.delay = 200;
      const { connections } = server;
      server.seen.length = 0;
      const times: number[] = [];
      for (let call = 0; call < 5; call++) {
        const start = performance.now();
        assert.equal((await box.ask()).status, 'live');
        times.push(performance.now() - start);
      }
      test.diagnostic(`${era}: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms at 200 ms away`);
      assert.deepEqual(server.seen, Array(5).fill('POST tools/list'));
      assert.equal(server.connections - connections, 0, era);
      assert.ok(Math.min(...times) < 380, `${times.join()} ms`);
    }
  });

  it('is asked in the background no more often than calls have earned', async (test) => {
    const server = await serve(test, 'modern', false);
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await sleep(300);
    const before = lists(server);
    for (let event = 0; event < 50; event++) box.warm.refresh();
    await sleep(300);
    assert.equal(lists(server), before, 'nobody has called it');
    const calls = 10;
    for (let call = 0; call < calls; call++) {
      const since = thisMoment();
      box.warm.called(source.key, true);
      await answered(box.warm, source.key, since);
    }
    const asked = lists(server) - before;
    assert.ok(asked >= calls / 2 && asked <= calls + 1, `${asked} questions for ${calls} calls`);
    const talked = lists(server);
    for (let event = 0; event < 10; event++) await box.warm.refresh();
    assert.ok(lists(server) - talked <= 1, `${lists(server) - talked} questions for prompts without calls`);
    // A write is confirmed at the call, and so needs no question before it, once there was no read for a while.
    const write = async (): Promise<void> => {
      await box.ask();
      box.warm.called(source.key, false);
      await sleep(30);
    };
    for (let call = 0; call < 4; call++) await write();
    const writes = lists(server);
    for (let call = 0; call < calls; call++) await write();
    assert.equal(lists(server) - writes, calls);
  });

  it('has an answer from before each call that reads, in any order of reading and writing', async (test) => {
    const server = await serve(test, 'modern', false);
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await box.ask();
    const begin = lists(server);
    // By turns, in pairs, and with as many writes in between as still count as a mixture.
    const calls = [...'RWRWRWRRWWRRWWRWWWRWWWR'].map((one) => one === 'R');
    let late = 0;
    let last = thisMoment();
    for (const [at, reads] of calls.entries()) {
      const known = box.warm.standing(source.key);
      if (at > 0 && reads && !(known !== undefined && known.at.up >= last.up)) late++;
      if (!reads) await box.ask();
      last = thisMoment();
      box.warm.called(source.key, reads);
      if (calls[at + 1]) await answered(box.warm, source.key, last);
      else await sleep(40);
    }
    assert.equal(late, 0, 'a call that reads would have had to wait');
    const asked = lists(server) - begin;
    const writes = calls.filter((reads) => !reads).length;
    assert.ok(asked <= calls.length + writes, `${asked} questions for ${calls.length} calls, ${writes} of which write`);
  });

  it('is asked once by ten conversations', async (test) => {
    const server = await serve(test, 'modern', false);
    const source = sourceOf(server.url);
    const box = await world(test, source, { freshFor: 2 });
    const others = Array.from({ length: 9 }, () => warmSources({ home: box.home, freshFor: 2 }));
    test.after(() => Promise.all(others.map((one) => one.close())));
    const all = [box.warm, ...others];
    for (const one of all) one.keep(source);
    await sleep(2_100);
    const before = lists(server);
    for (const one of all) one.called(source.key, true);
    await until(() => lists(server) > before, 'it is never asked');
    await sleep(500);
    assert.equal(lists(server) - before, 1);
  });

  it('answers in streams of events: their connection is kept, too', async (test) => {
    const server = await serve(test, 'session', false);
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    let closed: Promise<unknown> = Promise.resolve();
    server.odd = (_request, response, { id, method }) => {
      if (method !== 'tools/list') return false;
      closed = once(response, 'close');
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: { tools: server.tools } });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: message\ndata: ${text}\n\n`);
      setTimeout(() => response.end(), 10);
      return true;
    };
    await box.ask();
    const { connections } = server;
    for (const _call of [1, 2, 3]) {
      await closed;
      await sleep(50);
      assert.equal((await box.ask()).status, 'live');
    }
    assert.equal(server.connections, connections);
  });

  it('and cannot be asked by one request is never asked in the background: that may start a program', async (test) => {
    let asked = 0;
    const source: Source = {
      key: 'program',
      name: 'program',
      where: 'a second copy of its program',
      covers: () => true,
      ask: async () => {
        asked++;
        return { status: 'answered', list: { tools: [A], advertised: new Map() } };
      },
    };
    const box = await world(test, source);
    asked = 0;
    box.warm.keep(source);
    box.warm.called(source.key, true);
    await box.warm.refresh();
    await sleep(1_200);
    assert.equal(asked, 0);
    await box.ask();
    assert.equal(asked, 1);
    const head = readHead(box.home, source.key);
    assert.equal(head && box.warm.againForCall(source.key, { ...head, etag: '"1"' }, 100), undefined);
  });

  it('has as many questions as calls have earned, three at most, and each once', () => {
    const credit = new Credit();
    const spent = (): number => {
      let count = 0;
      for (; !credit.isSpent; count++) credit.spend();
      return count;
    };
    assert.equal(spent(), 1, 'the first one');
    for (const [calls, questions] of [
      [1, 1],
      [2, 2],
      [9, 3],
    ] as const) {
      for (let call = 0; call < calls; call++) credit.called(true);
      assert.equal(spent(), questions, `${calls} calls`);
    }
    credit.prompted();
    assert.equal(spent(), 1, 'a prompt after calls');
    credit.prompted();
    assert.equal(spent(), 0, 'a prompt without calls');
  });

  it('whose kept connection was closed meanwhile is asked over a new one, and nobody notices', async (test) => {
    const server = await serve(test, 'modern', false);
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await box.ask();
    server.odd = ({ socket }, _response, { method }) => {
      server.odd = () => false;
      if (method === 'tools/list') socket.destroy();
      return method === 'tools/list';
    };
    const { connections } = server;
    assert.equal((await box.ask()).status, 'live');
    assert.equal(server.connections - connections, 1);
  });
});

describe('one request that says whether an answer still holds', () => {
  it('works with credentials, over the kept connection; undefined where it cannot be', async (test) => {
    const server = await serve(test, 'modern', false);
    const source = sourceOf(server.url, { authorization: 'Bearer of news' });
    const box = await world(test, source);
    box.warm.keep(source);
    await box.ask();
    await box.ask();
    const head = readHead(box.home, source.key);
    assert.ok(head);
    assert.deepEqual(await box.warm.againForCall(source.key, head, 2_000), { status: 'same' });
    server.tools = [B];
    const other = await box.warm.againForCall(source.key, head, 2_000);
    assert.ok(other?.status === 'other' && other.text.includes('place'));
    server.odd = () => true;
    assert.deepEqual(await box.warm.againForCall(source.key, head, 100), { status: 'timeout' });
    assert.equal(box.warm.againForCall('unknown', head, 100), undefined);
    const { etag: _etag, ...unasked } = head;
    assert.equal(box.warm.againForCall(source.key, unasked, 100), undefined);
  });

  it('asks a gateway by its entity tag', async (test) => {
    const gateway = await startGateway('1', [A]);
    test.after(() => gateway.close());
    const source = gatewaySource('g', { url: gateway.url }, {});
    assert.ok('key' in source);
    const box = await world(test, source);
    box.warm.keep(source);
    const head = readHead(box.home, source.key);
    assert.ok(head);
    assert.deepEqual(await box.warm.againForCall(source.key, head, 2_000), { status: 'same' });
    gateway.set('2', [B]);
    assert.equal((await box.warm.againForCall(source.key, head, 2_000))?.status, 'other');
    assert.equal((await box.ask()).status, 'live');
    assert.equal(box.tools(), 'place');
    assert.equal(box.kind(), 'asked');
  });
});

describe('the end', () => {
  it('ends streams, connections and the session, and nothing is asked any more', async (test) => {
    const server = await serve(test, 'session');
    const source = sourceOf(server.url);
    const box = await world(test, source, { lookEvery: 300 });
    box.warm.keep(source);
    await box.subscribed();
    const start = Date.now();
    await box.warm.close();
    assert.ok(Date.now() - start < 5_000, `${Date.now() - start} ms`);
    await until(() => server.streams.size === 0, 'a stream is open');
    assert.equal(server.sessions.size, 0);
    assert.ok(readdirSync(join(box.home, 'live')).every((name) => !name.includes('session')));
    const asked = server.seen.length;
    box.warm.keep(sourceOf(`${server.url}?other`));
    // A call that was under way.
    box.warm.called(source.key, true);
    await box.warm.refresh();
    await sleep(1_500);
    assert.equal(server.seen.length, asked);
  });

  it('does not wait for a server that is gone', async (test) => {
    const server = await serve(test, 'session');
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await box.subscribed();
    server.odd = () => true;
    const start = Date.now();
    await box.warm.close();
    // It gives a server 0.3 s.
    assert.ok(Date.now() - start < 5_000, `${Date.now() - start} ms`);
  });

  it('of the state folder costs a question, and no wrong answer', async (test) => {
    const server = await serve(test, 'session');
    const source = sourceOf(server.url);
    const box = await world(test, source);
    box.warm.keep(source);
    await box.subscribed();
    remove(join(box.home, 'live'));
    assert.equal(box.kind(), undefined);
    server.tools = [B];
    assert.equal((await box.ask()).status, 'live');
    assert.equal(box.tools(), 'place');
    assert.ok(['asked', 'subscribed'].includes(String(box.kind())));
    for (const name of readdirSync(box.home)) assert.doesNotMatch(name, /tmp/);
    assert.match(readFileSync(join(box.home, 'live', `${source.key}.json`), 'utf8'), /place/);
  });
});
