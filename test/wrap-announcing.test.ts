// Through wrap, a host learns that the tools changed, even if the server does not announce it.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, own } from '../scripts/contract/types.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { Announcements } from '../scripts/wrap/announce.ts';
import { OwnRequests } from '../scripts/wrap/own-requests.ts';
import { relay } from '../scripts/wrap/relay.ts';
import { tool } from './sandbox.ts';
import { startServer } from './wrap-sides.ts';
import { announced, startWrapped, type Wrapped } from './wrapped.ts';

const text = { type: 'string' };
const A = tool('book', { room: text }, { required: ['room'] });
const B = tool('book', { room_id: text }, { required: ['room_id'] });
const other = tool('other', {});
const METHOD = 'notifications/tools/list_changed';

/** Waits until the host was told of a change. */
const untilAnnounced = async (wrapped: Wrapped): Promise<void> => {
  for (let waited = 0; announced(wrapped) === 0 && waited < 20_000; waited += 20) await sleep(20);
};

describe('a host behind wrap', () => {
  it('is told of a silent change once, before it reads why its call was not sent', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    await wrapped.call('book', { room: 'Blue' });
    assert.equal(announced(wrapped), 0);
    wrapped.release([B]);
    await wrapped.call('book', { room: 'Blue' });
    const [before, refusal] = wrapped.told.slice(-2);
    assert.deepEqual(before, { jsonrpc: '2.0', method: METHOD });
    assert.match(JSON.stringify(refusal), /stopped this call/);
    await wrapped.call('book', { room: 'Blue' });
    assert.equal(announced(wrapped), 1);
    wrapped.release([A, other]);
    await wrapped.call('book', { room: 'Blue' });
    assert.equal(announced(wrapped), 2);
    await wrapped.list();
    await wrapped.call('book', { room: 'Blue' });
    assert.equal(announced(wrapped), 2);
  });

  it('is told of what changed beside the tool that it calls, after the call is under way', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    await wrapped.list();
    wrapped.release([A, other]);
    assert.match((await wrapped.call('book', { room: 'Blue' })).text, /^served/);
    await untilAnnounced(wrapped);
    assert.equal(announced(wrapped), 1);
  });

  it('is not told a second time of what the server itself announces', async (t) => {
    const wrapped = await startWrapped(t, [A], { flags: ['--list-changed'] });
    await wrapped.list();
    wrapped.release([B]);
    await untilAnnounced(wrapped);
    await wrapped.call('book', { room: 'Blue' });
    await wrapped.call('book', { room: 'Blue' });
    assert.equal(announced(wrapped), 1);
  });

  it('has its person told of a release, once, with the next call; each call is logged', async (t) => {
    const state = mkdtempSync(join(tmpdir(), 'konnichiwagwan-release-'));
    t.after(() => remove(state));
    const host = startServer(
      t,
      `on = ({ id, method }) => { if (method !== 'go') return false; tools = [...tools, { name: 'other', inputSchema: schema() }]; answer(id, {}); return true; };`,
      { words: ['--name', 'demo'], env: { KONNICHIWAGWAN_HOME: state } },
    );
    const verdicts = (): string[] =>
      readdirSync(join(state, 'activity')).flatMap((day) =>
        [...readFileSync(join(state, 'activity', day), 'utf8').matchAll(/"verdict":"(\w+)"/g)].map(
          ([, one = '']) => one,
        ),
      );
    const call = async (count: number): Promise<string[]> => {
      assert.equal((await host.call('note', { text: 'x' })).isError, undefined);
      for (let waited = 0; verdicts().length < count && waited < 20_000; waited += 20) await sleep(20);
      return verdicts();
    };
    await host.begin();
    assert.deepEqual(await call(1), ['silence']);
    assert.equal(host.stderr(), '');
    await host.ask('go');
    assert.deepEqual(await call(2), ['silence', 'notice']);
    assert.deepEqual(await call(3), ['silence', 'notice', 'silence']);
    assert.match(host.stderr(), /^[^\n]*demo[^\n]*other[^\n]*\n$/);
    await host.ask('tools/list');
    assert.deepEqual((await call(4)).at(-1), 'silence', 'the host has it now');
  });

  it('is not told of a list that it was never given', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    wrapped.release([A, other]);
    await wrapped.call('book', { room: 'Blue' });
    await wrapped.call('book', { room: 'Blue' });
    assert.equal(announced(wrapped), 0);
  });

  it('is told a few times and no more where the list is another one each time', async (t) => {
    const wrapped = await startWrapped(t, [A]);
    for (let round = 0; round < 8; round++) {
      await wrapped.list();
      wrapped.release([A, { ...other, description: `It is ${round} o'clock.` }]);
      await wrapped.call('book', { room: 'Blue' });
    }
    assert.equal(announced(wrapped), 3);
    // After one unchanged list, the next change is announced again.
    await wrapped.list();
    await wrapped.call('book', { room: 'Blue' });
    wrapped.release([A]);
    await wrapped.call('book', { room: 'Blue' });
    assert.equal(announced(wrapped), 4);
  });

  it('learns from `initialize` that changes are announced, and nothing else of it differs', async (t) => {
    const answers = await Promise.all(
      [[], ['--list-changed']].map(async (flags) => (await startWrapped(t, [A], { flags })).told[0]),
    );
    for (const answer of answers) {
      assert.deepEqual(answer, {
        jsonrpc: '2.0',
        id: 0,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'konnichiwagwan-fixture', version: '1.0.0' },
        },
      });
    }
  });
});

/** A server of the newer revision: it needs no `initialize`, and sends nothing on the requested streams. */
const MODERN = `
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  if (method === 'subscriptions/listen') {
    send({ method: 'notifications/subscriptions/acknowledged', params: { notifications: params.notifications, _meta } });
  } else if (method === 'initialize') send({ id, error: { code: -32022, message: 'Unsupported protocol version' } });
  else if (method === 'tools/list') send({ id, result: { resultType: 'complete', ...JSON.parse(readFileSync(process.argv[2], 'utf8')) } });
  else if (method === 'tools/call') send({ id, result: { resultType: 'complete', content: [{ type: 'text', text: 'served' }] } });
  else if (id !== undefined) send({ id, result: {} });
}).on('close', () => process.exit(0));
`;
const NAMED: JsonObject = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'a-host', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('a list with very long pages', () => {
  it('is not read to its end', async () => {
    let count = 0;
    const own = new OwnRequests({
      send: (line) => {
        const { id } = JSON.parse(String(line));
        const page = { tools: [], more: 'x'.repeat(15 * 1024 * 1024), nextCursor: String(++count) };
        setImmediate(() => own.take(Buffer.from(`${JSON.stringify({ id, result: page })}\n`)));
      },
    });
    assert.deepEqual(await own.list(undefined), { failed: 'its list of tools is too long' });
    assert.equal(count, 5);
  });
});

describe('a tool that is nested more deeply than JSON is written', () => {
  it('is unchecked once it changed, and the other tools are judged as ever', async (t) => {
    const host = startServer(
      t,
      `let levels = 1;
       list = (id) => {
         const value = '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
         const deep = '{"name":"deep","inputSchema":{"type":"object","default":' + value + '}}';
         process.stdout.write('{"id":' + JSON.stringify(id) + ',"result":{"tools":[' + JSON.stringify(tools[0]) + ',' + deep + ']}}\\n');
       };
       on = ({ id, method, params }) => {
         if (method === 'x/levels') levels = params.levels;
         if (method === 'x/levels') answer(id, {});
         return method === 'x/levels';
       };`,
    );
    await host.begin();
    await host.ask('x/levels', { levels: 9_000 });
    assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
    const called = JSON.stringify(await host.call('deep', {}));
    assert.match(called, /could not check this call of `deep`/);
    const { result } = await host.ask('tools/list');
    assert.deepEqual(
      result.tools.map(({ name }: { name: string }) => name),
      ['note', 'deep'],
    );
    assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
  });
});

describe('a call that waits behind another one', () => {
  it('is judged by the tools that its server announces meanwhile', async (t) => {
    const host = startServer(
      t,
      `tools.push({ name: 'slow', inputSchema: schema() });
       let [asked, first] = [0];
       list = (id) => {
         asked++;
         if (asked === 2) {
           first = id;
           say({ method: 'notifications/asked' });
           return;
         }
         answer(id, { tools });
         if (asked !== 3) return;
         setTimeout(() => {
           tools[0] = { name: 'note', inputSchema: schema('words') };
           say({ method: 'notifications/tools/list_changed' });
           setTimeout(() => answer(first, { tools }), 200);
         }, 300);
       };`,
    );
    await host.begin();
    host.send({ id: 'a', method: 'tools/call', params: { name: 'slow', arguments: {} } });
    await host.next(({ method }) => method === 'notifications/asked');
    host.send({ id: 'b', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    const { result } = await host.next(({ id }) => id === 'b');
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /words/);
    assert.equal((await host.next(({ id }) => id === 'a')).result.content[0].text, '{}');
  });
});

describe('a list of several pages that changes while wrap reads it', () => {
  /** The server moves its tool `note` to the other page between two pages, and says so, as often as `moves` tells. */
  const CODE = `
    const other = { name: 'other', inputSchema: schema() };
    let [moves, isFirst, says] = [0, false, true];
    list = (id, params) => {
      const [one, two] = isFirst ? [tools[0], other] : [other, tools[0]];
      answer(id, params?.cursor ? { tools: [two] } : { tools: [one], nextCursor: 'rest' });
      if (params?.cursor || moves === 0) return;
      moves--;
      isFirst = !isFirst;
      if (says) say({ method: 'notifications/tools/list_changed' });
    };
    on = ({ id, method, params }) => {
      if (method !== 'x/moves') return false;
      ({ moves } = params);
      isFirst = false;
      answer(id, {});
      return true;
    };`;
  it('is read again: no tool that was there all the time is told to be gone', async (t) => {
    const host = startServer(t, CODE);
    await host.begin();
    const { result } = await host.ask('tools/list', { cursor: 'rest' });
    assert.equal(result.tools[0].name, 'note');
    for (const moves of [1, 2]) {
      await host.ask('x/moves', { moves });
      assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
    }
    await host.ask('x/moves', { moves: 1_000_000 });
    const { content, isError } = await host.call('note', { text: 'x' });
    assert.notEqual(isError, true);
    assert.match(content[0].text, /could not check this call of `note`: its list of tools changed while it was read/);
  });
});

describe('a call that is judged again because its server announces a change', () => {
  it('still tells what is told once: it was not told before', async (t) => {
    const state = mkdtempSync(join(tmpdir(), 'konnichiwagwan-again-'));
    t.after(() => remove(state));
    writeFileSync(join(state, 'config.json'), JSON.stringify({ mode: 'warn' }));
    const code = `
      const named = schema('server_name', 'tool_name');
      const inputSchema = { ...named, properties: { ...named.properties, arguments: { type: 'object' } } };
      tools.push({ name: 'mcp_invoke_tool', inputSchema });
      let asked = 0;
      list = (id) => {
        answer(id, { tools });
        if (++asked === 2 || asked === 4) say({ method: 'notifications/tools/list_changed' });
      };`;
    const words = ['--lock', join(state, 'none.lock.json')];
    const locked = startServer(t, code, { words, env: { KONNICHIWAGWAN_HOME: state } });
    await locked.begin();
    const noted = async () => (await locked.call('note', { text: 'x' })).content[0].text;
    assert.match(await noted(), /^konnichiwagwan/);
    assert.equal(await noted(), '{"text":"x"}');
    assert.equal(locked.stderr().match(/does not exist/g)?.length, 1);

    const hub = startServer(t, code);
    await hub.begin();
    const args = { server_name: 'mail', tool_name: 'post', arguments: {} };
    const invoked = async () => (await hub.call('mcp_invoke_tool', args)).content[0].text;
    assert.match(await invoked(), /^konnichiwagwan could not check this call of `post`/);
    assert.doesNotMatch(await invoked(), /konnichiwagwan/);
  });
});

describe('what an announcing server listed last', () => {
  it('lets no call pass while something that the server said waits for a host that does not read', async (t) => {
    const [fromHost, toHost, fromServer, toServer] = Array.from({ length: 4 }, () => new PassThrough()) as [
      PassThrough,
      PassThrough,
      PassThrough,
      PassThrough,
    ];
    t.after(() => {
      toHost.resume();
      fromServer.end();
    });
    const since = thisMoment();
    relay({
      host: { output: fromHost, input: toHost },
      server: { output: fromServer, input: toServer, listeningSince: () => since },
      judge: async () => ({ pass: true }),
    });
    const asked = createInterface({ input: toServer })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await asked.next()).value);
    const send = (side: PassThrough, message: object) => side.write(`${JSON.stringify(message)}\n`);
    const list = (what: { id: unknown }) => send(fromServer, { id: what.id, result: { tools: [A] } });
    const call = (id: string) => {
      send(fromHost, { id, method: 'tools/call', params: { name: 'book', arguments: { room: 'Blue' } } });
      return next();
    };
    send(fromHost, { id: 'l', method: 'tools/list' });
    list(await next());
    await sleep(5);
    list(await call('a'));
    assert.equal((await next()).id, 'a');
    assert.equal((await call('b')).id, 'b', 'the last list counts');
    send(fromServer, { method: 'notifications/message', params: { data: 'x'.repeat(100_000) } });
    await sleep(50);
    send(fromServer, { method: METHOD });
    await sleep(50);
    assert.equal((await call('c')).method, 'tools/list');
  });
});

describe('a host of the newer revision behind wrap', () => {
  it('is told on the stream that it asked for, and nowhere else', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-modern-'));
    t.after(() => remove(folder));
    const script = join(folder, 'modern.mjs');
    writeFileSync(script, MODERN);
    const wrapped = await startWrapped(t, [A], { script, initialize: false });
    const ask = (method: string, params: JsonObject = {}) => wrapped.request(method, { ...params, _meta: NAMED });
    const stale = () => ask('tools/call', { name: 'book', arguments: { room: 'Blue' } });
    await ask('tools/list');
    wrapped.release([B]);
    assert.match(JSON.stringify(await stale()), /stopped this call/);
    assert.equal(announced(wrapped), 0, 'it never asked to be told');
    // This request is answered only by what is told while it is open.
    ask('subscriptions/listen', { notifications: { toolsListChanged: true } }).catch(() => {});
    await ask('tools/list');
    wrapped.release([A, other]);
    await stale();
    const [first, ...more] = wrapped.told.filter(({ method }) => method === METHOD);
    assert.deepEqual(more, []);
    const subscription = wrapped.told.find(({ method }) => String(method).endsWith('acknowledged'));
    const _meta = own(subscription?.params, '_meta');
    assert.deepEqual(first, { jsonrpc: '2.0', method: METHOD, params: { _meta } });
  });
});

describe('what a host is told, by what it asked for and was given', () => {
  const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
  const WHOLE = { isFirst: true, isLast: true };
  /** A host, and for each announcement that it got since the last look, the stream; undefined for none. */
  const host = () => {
    const got: unknown[] = [];
    const announcements = new Announcements((line) => {
      const { method, params } = JSON.parse(line.toString());
      assert.equal(method, METHOD);
      got.push(params?._meta[SUBSCRIPTION]);
    });
    return { announcements, got: () => got.splice(0) };
  };
  const listening = (id: number) => {
    const one = host();
    one.announcements.asked({
      id,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true } },
    });
    return one;
  };
  const acknowledge = (announcements: Announcements, id: number): void =>
    announcements.heard({
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { [SUBSCRIPTION]: id } },
    });
  /** A host of the older revision that was given a list. */
  const given = (...tools: unknown[]) => {
    const one = host();
    one.announcements.asked({ id: 0, method: 'initialize', params: {} });
    one.announcements.given(tools, WHOLE);
    return one;
  };

  it('nothing before its stream is acknowledged, and nothing once it has taken that back', () => {
    const { announcements, got } = listening(7);
    announcements.announce();
    assert.deepEqual(got(), []);
    acknowledge(announcements, 7);
    announcements.announce();
    assert.deepEqual(got(), [7]);
    // Another request that is cancelled is not the stream.
    announcements.asked({ method: 'notifications/cancelled', params: { requestId: 8 } });
    announcements.announce();
    assert.deepEqual(got(), [7]);
    announcements.asked({ method: 'notifications/cancelled', params: { requestId: 7 } });
    announcements.announce();
    assert.deepEqual(got(), []);
  });

  it('nothing on a stream that it cancelled before it was acknowledged, or never asked for', () => {
    const { announcements, got } = listening(7);
    announcements.asked({ method: 'notifications/cancelled', params: { requestId: 7 } });
    for (const id of [7, 9]) acknowledge(announcements, id);
    announcements.announce();
    assert.deepEqual(got(), []);
  });

  it('nothing while it is given a list, page after page, and of all its pages after that', () => {
    const { announcements, got } = given(A);
    announcements.given([A], { isFirst: true, isLast: false });
    announcements.looked([B]);
    assert.deepEqual(got(), []);
    announcements.given([other], { isFirst: false, isLast: true });
    announcements.looked([A, other]);
    assert.deepEqual(got(), []);
    announcements.looked([other]);
    assert.deepEqual(got(), [undefined]);
  });

  it('once of each change, and again if the list was as it was given meanwhile', () => {
    const { announcements, got } = given(A);
    for (const [tools, times] of [
      [[B], 1],
      [[B], 0],
      [[B, other], 1],
      [[A], 0],
      [[B], 1],
    ] as const) {
      announcements.looked(tools);
      assert.equal(got().length, times, JSON.stringify(tools));
    }
  });

  it('again when it was given the new list, and the tools change back', () => {
    const { announcements, got } = given(A);
    const now = [B];
    announcements.looked(now);
    announcements.given(now, WHOLE);
    got();
    announcements.looked([A]);
    assert.deepEqual(got(), [undefined]);
  });

  it('nothing of `_meta`, icons, or another order; but of a title, and of what is no tool', () => {
    const { announcements, got } = given(A, other);
    announcements.looked([other, { ...A, _meta: { at: 1 }, icons: [] }]);
    assert.deepEqual(got(), []);
    announcements.looked([{ ...A, title: 'Book' }, other]);
    assert.equal(got().length, 1);
    announcements.looked([A, other, null, 'book']);
    assert.equal(got().length, 1);
  });

  it('nothing of the list that we looked at, after the server said itself that it changed', () => {
    const { announcements, got } = given(A);
    announcements.heard({ method: METHOD, params: {} });
    announcements.looked([B]);
    assert.deepEqual(got(), []);
    announcements.given([B], WHOLE);
    announcements.looked([A]);
    assert.equal(got().length, 1);
  });
});
