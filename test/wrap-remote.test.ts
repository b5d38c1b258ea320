// wrap in front of a server that is reached over HTTP.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { remove } from '../scripts/state/in-use.ts';
import { OwnStream, type StreamReader } from '../scripts/wrap/remote/own-stream.ts';
import { startMcp } from './mcp-servers.ts';
import { events, hostOf, schema, startRemote, until } from './wrap-remote-server.ts';
import type { Host } from './wrap-sides.ts';

const noOpenssl = spawnSync('openssl', ['version']).status !== 0 && 'there is no openssl to make a certificate with';

/** The exit code; undefined if it takes longer. */
const endWithin = (host: Host, ms: number): Promise<number | null | undefined> =>
  Promise.race([host.end(), sleep(ms, undefined, { ref: false })]);

describe('a server over HTTP', () => {
  it('owes no list that the host took back, and none that wrap has answered', async (test) => {
    const remote = await startRemote(test);
    const hub = { type: 'object', properties: { tool_name: { type: 'string' }, arguments: { type: 'object' } } };
    remote.tools = [
      { name: 'call_tool', inputSchema: { ...hub, required: ['tool_name', 'arguments'] } },
      { name: 'list_tools', inputSchema: schema() },
    ];
    remote.on = ({ message }, response) => {
      if (message?.params?.cursor === 'late') return true;
      if (message?.params?.name !== 'list_tools') return false;
      const text = JSON.stringify({ tools: [{ name: 'inner', inputSchema: schema('text') }] });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text }] } }));
      return true;
    };
    const answered = hostOf(test, remote.url, ['--invoker']);
    await answered.begin();
    assert.equal(await endWithin(answered, 10_000), 0);
    const cancelling = hostOf(test, remote.url);
    await cancelling.begin();
    cancelling.send({ id: 'l', method: 'tools/list', params: { cursor: 'late' } });
    cancelling.send({ method: 'notifications/cancelled', params: { requestId: 'l' } });
    assert.equal(await endWithin(cancelling, 10_000), 0);
  });

  it('is spoken to with its session, revision and headers, and its session is ended', async (test) => {
    const remote = await startRemote(test);
    const secret = ['--header', 'Authorization: Bearer $' + '{TOKEN}', '--header', 'X-Other: $' + '{NONE:-other}'];
    const host = hostOf(test, remote.url, secret, { TOKEN: 'abc' });
    await host.begin();
    assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
    const { error } = await host.ask('nothing/known');
    assert.deepEqual(error, { code: -32601, message: 'no' });
    await until(() => remote.seen.includes('GET'));
    assert.equal(await host.end(), 0);
    assert.equal(remote.sessions.size, 0);
    const posts = remote.seen.filter((one) => one.startsWith('POST'));
    assert.deepEqual(
      posts,
      ['initialize', 'notifications/initialized', 'tools/list', 'tools/list', 'tools/call', 'nothing/known'].map(
        (one) => `POST ${one}`,
      ),
    );
    const [first = {}, second = {}] = remote.headers;
    assert.equal(first.authorization, 'Bearer abc');
    assert.equal(first['x-other'], 'other');
    assert.equal(first['mcp-session-id'], undefined);
    assert.equal(second['mcp-session-id'], 'session-0');
    assert.equal(second['mcp-protocol-version'], '2025-06-18');
    assert.ok(host.lines.every((line) => !/[\r\n]/.test(line)));
    assert.ok(
      remote.headers.every((one) => one['accept-encoding'] === 'identity' || one['content-length'] === undefined),
    );
    assert.equal(host.stderr(), '');
  });

  it('may begin what it says with a byte order mark', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    remote.on = ({ message }, response) => {
      const answer = JSON.stringify({ jsonrpc: '2.0', id: message?.id, result: { said: message?.method } });
      if (message?.method === 'stream') events(response, `\ufeffdata: ${answer}\n\n`);
      else if (message?.method === 'body')
        response.writeHead(200, { 'content-type': 'application/json' }).end(`\ufeff${answer}`);
      else return false;
      return true;
    };
    for (const method of ['stream', 'body']) assert.deepEqual((await host.ask(method)).result, { said: method });
  });

  for (const nextCursor of [null, ''])
    it(`may write ${JSON.stringify(nextCursor)} where there is no further page`, async (test) => {
      const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-remote-'));
      test.after(() => remove(folder));
      const file = join(folder, 'served.jsonl');
      const remote = await startRemote(test);
      remote.on = ({ message }, response) => {
        if (message?.method !== 'tools/list') return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        const result = { tools: remote.tools, nextCursor };
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
        return true;
      };
      const host = hostOf(test, remote.url, ['--record', file]);
      await host.begin();
      assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
      assert.match(readFileSync(file, 'utf8'), /"note"/, 'the list is whole, and recorded');
    });

  it('is not sent what a batch takes back, but what else is in it', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    const sent: unknown[] = [];
    remote.on = ({ message }, response) => {
      if (message?.method === 'notifications/slow') setTimeout(() => response.writeHead(202).end(), 300);
      else if (Array.isArray(message)) {
        sent.push(message.map(({ id, method }) => [id, method]));
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 'b', result: {} }));
      } else return false;
      return true;
    };
    const say = (more: object): object => ({ jsonrpc: '2.0', ...more });
    const cancel = say({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    host.send(
      [
        say({ method: 'notifications/slow' }),
        say({ id: 'a', method: 'x/a' }),
        [cancel, say({ id: 'b', method: 'x/b' })],
      ]
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(''),
    );
    await host.next(({ id }) => id === 'b');
    assert.deepEqual(sent, [[['b', 'x/b']]]);
    assert.ok(!remote.seen.includes('POST x/a'));
  });

  it('that forgot the session gets no call again that was taken back meanwhile', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    const calls: unknown[] = [];
    let forget = (): void => {};
    remote.on = ({ message, headers }, response) => {
      if (!Array.isArray(message)) return false;
      calls.push(message.map(({ id }) => id));
      if (headers['mcp-session-id'] === 'session-0')
        forget = () => {
          remote.sessions.clear();
          response.writeHead(404).end();
        };
      else {
        const result = { content: [{ type: 'text', text: 'done' }] };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 'b', result }));
      }
      return true;
    };
    const call = (id: string): object => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'note', arguments: { text: id } },
    });
    host.send(`${JSON.stringify([call('a'), call('b')])}\n`);
    await until(() => calls.length === 1);
    host.send({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    await until(() => remote.seen.includes('POST notifications/cancelled'));
    forget();
    await host.next(({ id }) => id === 'b');
    assert.deepEqual(calls, [['a', 'b'], ['b']]);
  });

  it('answers with events, of which some are for others, over several lines and in pieces', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    remote.on = ({ message }, response) => {
      if (message?.method !== 'long') return false;
      events(
        response,
        `: c\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: {"jsonrpc":"2.0",\rdata: "id":"${message.id}"`,
        false,
      );
      setTimeout(() => response.end(',\r\ndata:"result":{"text":"\u00e4"}}\r\n\r\n'), 50);
      return true;
    };
    host.send({ id: 'l', method: 'long' });
    const { result } = await host.next(({ id }) => id === 'l');
    assert.deepEqual(result, { text: '\u00e4' });
    assert.ok(host.lines.some((line) => line === '{"jsonrpc":"2.0","method":"notifications/progress"}'));
  });

  it('sends events of other types, of which the host hears nothing, and which have a place as any other', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    remote.on = ({ method, message, headers }, response) => {
      if (message?.method === 'long') events(response, 'retry: 20\nid: h1\nevent: heartbeat\ndata: 12:00\n\n');
      else if (method === 'GET' && headers['last-event-id'] === 'h1')
        events(response, 'event: ping\n\ndata: {"jsonrpc":"2.0","id":"l","result":{}}\n\n');
      else return false;
      return true;
    };
    host.send({ id: 'l', method: 'long' });
    assert.deepEqual((await host.next(({ id }) => id === 'l')).result, {});
    assert.ok(!host.lines.some((line) => line.includes('12:00')));
  });

  it('goes on with an answer on another stream, where its stream ended before', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    let last: unknown;
    remote.on = ({ method, message, headers }, response) => {
      if (message?.method === 'long')
        events(response, 'retry: 20\nid: e7\ndata: {"jsonrpc":"2.0","method":"notifications/one"}\n\n');
      else if (method === 'GET' && headers['last-event-id'] === 'e7') {
        last = headers['mcp-session-id'];
        events(response, 'data: {"jsonrpc":"2.0","id":"l","result":{}}\n\n');
      } else return false;
      return true;
    };
    host.send({ id: 'l', method: 'long' });
    await host.next(({ id }) => id === 'l');
    assert.equal(last, 'session-0');
    remote.on = ({ message }, response) => {
      if (message?.method === 'short') events(response, ': nothing\n\n');
      return message?.method === 'short';
    };
    const { error } = await host.ask('short');
    assert.match(error.message, /its stream ended before its answer/);
  });

  it('goes on from the same event, where the stream that went on ended without one', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    const from: unknown[] = [];
    remote.on = ({ method, message, headers }, response) => {
      const last = headers['last-event-id'];
      if (message?.method === 'long') events(response, 'retry: 20\nid: p3\ndata:\n\n');
      else if (method === 'GET' && last !== undefined) {
        from.push(last);
        const answer = 'data: {"jsonrpc":"2.0","id":"l","result":{}}\n\n';
        events(response, from.length < 6 ? 'retry: 1\n: at work\n\n' : answer);
      } else return false;
      return true;
    };
    host.send({ id: 'l', method: 'long' });
    const { result } = await host.next(({ id }) => id === 'l');
    assert.deepEqual(
      [result, from],
      [{}, Array(6).fill('p3')],
      'each stream was there, so none counts as an attempt that failed',
    );
  });

  it('says what it likes on a stream of its own, which is opened again where it ended', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    await until(() => remote.streams.size === 1);
    remote.announce();
    await host.next(({ method }) => method === 'notifications/tools/list_changed');
    for (const stream of remote.streams) stream.end();
    await until(() => remote.count('GET') === 2);
    assert.equal(remote.headers.at(-1)?.['last-event-id'], 'a1');
  });

  it('is left where it does not end a stream after its answer, or answers with a page without an end', async (test) => {
    const remote = await startRemote(test);
    const left: string[] = [];
    remote.on = ({ method, message }, response) => {
      if (method === 'GET') response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
      else if (message?.method === 'long')
        events(response, `data: {"jsonrpc":"2.0","id":"${message.id}","result":{}}\n\n`, false);
      else if (message?.method === 'notifications/odd')
        response.writeHead(200, { 'content-type': 'text/html' }).write('x'.repeat(1_000_000));
      else return false;
      response.on('close', () => left.push(message?.method ?? method));
      return true;
    };
    const host = hostOf(test, remote.url);
    await host.begin();
    await until(() => left.includes('GET'));
    host.send({ method: 'notifications/odd' });
    host.send({ id: 'l', method: 'long' });
    await host.next(({ id }) => id === 'l');
    await until(() => left.length === 3);
  });

  it('gets no event ID of a session that it has forgotten', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    await until(() => remote.streams.size === 1);
    remote.announce();
    await host.next(({ method }) => method === 'notifications/tools/list_changed');
    remote.sessions.clear();
    await host.call('note', { text: 'x' });
    await until(() => remote.count('GET') === 2);
    const [, stream] = remote.headers.filter((_, index) => remote.seen[index] === 'GET');
    assert.deepEqual([stream?.['mcp-session-id'], stream?.['last-event-id']], ['session-1', undefined]);
  });

  it('asks the host on it, and gets the answer', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    await until(() => remote.streams.size === 1);
    for (const stream of remote.streams) stream.write('data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}\n\n');
    await host.next(({ method }) => method === 'roots/list');
    host.send({ id: 'q', result: { roots: [] } });
    await until(() => remote.seen.includes('POST answer'));
  });

  for (const status of [404, 400]) {
    it(`that forgot the session (${status}) gets it again, and the call is judged again`, async (test) => {
      const remote = await startRemote(test);
      const host = hostOf(test, remote.url);
      await host.begin();
      await host.call('note', { text: 'x' });
      // The server loses the session between our question and the call, and comes back with another tool.
      remote.on = ({ message, headers }, response) => {
        if (message?.method === 'tools/call' && headers['mcp-session-id'] === 'session-0') {
          remote.sessions.clear();
          remote.tools = [{ name: 'note', inputSchema: schema('words') }];
        }
        if (message?.method === 'initialize' || remote.sessions.has(String(headers['mcp-session-id']))) return false;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(
          status === 404 ? '' : '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID"},"id":null}',
        );
        return true;
      };
      const refused = await host.call('note', { text: 'x' });
      assert.equal(refused.isError, true);
      assert.match(refused.content[0].text, /words/);
      const good = await host.call('note', { words: 'x' });
      assert.equal(good.content[0].text, '{"words":"x"}');
      assert.equal(remote.count('POST initialize'), 2);
      assert.equal(remote.count('POST notifications/initialized'), 2);
      assert.ok(!host.lines.some((line) => /konnichiwagwan-again/.test(line)));
      assert.equal(await endWithin(host, 10_000), 0, 'the server owes no answer to the call that was stopped');
    });
  }

  it('that forgot the session is asked again for the log level, and for what the host is subscribed to', async (test) => {
    const remote = await startRemote(test);
    const asked: string[] = [];
    remote.on = ({ message, headers }) => {
      const { uri, level, _meta } = message?.params ?? {};
      const meta = _meta === undefined ? '' : ` ${JSON.stringify(_meta)}`;
      if (uri ?? level) asked.push(`${headers['mcp-session-id']} ${message?.method} ${uri ?? level}${meta}`);
      return false;
    };
    const host = hostOf(test, remote.url);
    await host.begin();
    for (const [id, method, params] of [
      ['1', 'resources/subscribe', { uri: 'note:kept', _meta: { progressToken: 7 } }],
      ['2', 'resources/subscribe', { uri: 'note:left' }],
      ['3', 'resources/unsubscribe', { uri: 'note:left' }],
      ['4', 'logging/setLevel', { level: 'debug' }],
      ['5', 'logging/setLevel', { level: 'error' }],
    ] as const) {
      host.send({ id, method, params });
      await host.next((said) => said.id === id);
    }
    assert.ok(
      asked.some((one) => one.endsWith('note:kept {"progressToken":7}')),
      'the first time as the host said it',
    );
    asked.length = 0;
    remote.sessions.clear();
    await host.call('note', { text: 'x' });
    await until(() => asked.length === 2);
    assert.deepEqual(asked, ['session-1 resources/subscribe note:kept', 'session-1 logging/setLevel error']);
    assert.ok(!host.lines.some((line) => /konnichiwagwan-again/.test(line)));
    // A host that begins again asks for what it wants itself.
    await host.begin();
    asked.length = 0;
    remote.sessions.clear();
    await host.call('note', { text: 'x' });
    await until(() => remote.count('POST notifications/initialized') === 4);
    await host.call('note', { text: 'x' });
    assert.deepEqual(asked, []);
  });

  it('that forgets each session at once is sent a message twice, and no more', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    let asked = 0;
    remote.on = ({ message }, response) => {
      if (message?.method === 'resources/list') asked++;
      else if (message?.method !== 'ping') return false;
      // The second one only ends what would go on for ever.
      response.writeHead(asked < 9 ? 404 : 500).end();
      return true;
    };
    const { error } = await host.ask('resources/list');
    assert.match(error.message, /it answers with HTTP 404$/);
    assert.deepEqual([asked, remote.count('POST initialize')], [2, 2]);
  });

  it('that forgot the session lists its tools again for a call that only reads', async (test) => {
    const remote = await startRemote(test);
    const reading = (name: string) => ({
      name: 'note',
      inputSchema: schema(name),
      annotations: { readOnlyHint: true },
    });
    remote.tools = [reading('text')];
    const host = hostOf(test, remote.url);
    await host.begin();
    await host.call('note', { text: 'x' });
    // While the model thinks, wrap asks for the list that can let the next call pass.
    await until(() => remote.seen.at(-1) === 'POST tools/list');
    await sleep(200);
    remote.sessions.clear();
    remote.tools = [reading('words')];
    const refused = await host.call('note', { text: 'x' });
    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /words/);
  });

  it('may fail: the host is told for each request, and nothing is sent elsewhere', async (test) => {
    const remote = await startRemote(test);
    const other = await startRemote(test);
    const host = hostOf(test, remote.url, ['--header', 'Authorization: Bearer secret']);
    await host.begin();
    const cases: [string, (response: ServerResponse) => void, RegExp][] = [
      ['unavailable', (response) => response.writeHead(503).end('<html>'), /HTTP 503/],
      ['forbidden', (response) => response.writeHead(401).end(), /HTTP 401; check the headers/],
      [
        'elsewhere',
        (response) => response.writeHead(307, { location: other.url }).end(),
        /HTTP 307, which leads elsewhere/,
      ],
      [
        'odd',
        (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a'),
        /is no message/,
      ],
      [
        'broken',
        (response) =>
          response
            .writeHead(200, { 'content-type': 'application/json', 'content-length': '50' })
            .write('{', () => response.destroy()),
        /broke off/,
      ],
      ['gone', (response) => response.destroy(), /cannot be reached/],
    ];
    for (const [method, answer, expected] of cases) {
      remote.on = ({ message }, response) => {
        if (message?.method !== method) return false;
        answer(response);
        return true;
      };
      const { error } = await host.ask(method);
      assert.equal(error.code, -32_000);
      assert.match(error.message, expected);
      assert.doesNotMatch(error.message, /secret/);
    }
    assert.deepEqual(other.seen, []);
    const unnamed = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no' } };
    remote.on = ({ message }, response) => {
      if (message?.method !== 'unnamed') return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(unnamed));
      return true;
    };
    assert.deepEqual((await host.ask('unnamed')).error, unnamed.error, 'an error without an ID is that of the request');
    assert.ok(!host.lines.some((line) => line.includes('"id":null')), 'and nothing else');
    assert.equal((await host.call('note', { text: 'x' })).isError, undefined);
  });

  it('that closes a kept connection is sent again what only asks, and no batch with a call', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    const seen: string[] = [];
    const kept: unknown[] = [];
    remote.on = ({ message, headers }, response) => {
      if (!Array.isArray(message)) return false;
      kept.push(headers.connection);
      const methods = message.map(({ method }) => method).join(' ');
      if (seen.push(methods) === 1 || methods.includes('call')) response.destroy();
      else events(response, message.map(({ id }) => `data: {"jsonrpc":"2.0","id":"${id}","result":{}}\n\n`).join(''));
      return true;
    };
    const ask = (id: string, method = 'ping', params = {}) => ({ jsonrpc: '2.0', id, method, params });
    const asks = [ask('a'), ask('b', 'prompts/get', { name: 'x' })];
    host.send(`${JSON.stringify(asks)}\n`);
    assert.deepEqual((await host.next(({ id }) => id === 'b')).result, {});
    assert.deepEqual(kept, ['keep-alive', 'close'], 'again over one of its own, which nothing else uses');
    host.send(`${JSON.stringify([ask('c'), ask('d', 'tools/call', { name: 'note', arguments: { text: 'x' } })])}\n`);
    const { error, result } = await host.next(({ id }) => id === 'd');
    assert.match(JSON.stringify(error ?? result), /not sent again/);
    assert.deepEqual(seen, ['ping prompts/get', 'ping prompts/get', 'ping tools/call']);
  });

  it('is followed to another path of its own', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url.replace('/mcp', '/old'));
    remote.on = (_, response) => {
      if (!response.req.url?.startsWith('/old')) return false;
      response.writeHead(308, { location: '/mcp' }).end();
      return true;
    };
    await host.begin();
    assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
  });

  it('has its stream, and the end of its session, where a redirect led, with the name and password of its URL', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url.replace('//', '//me:pw@').replace('/mcp', '/old'));
    const elsewhere: unknown[] = [];
    remote.on = ({ method, headers }, response) => {
      if (!response.req.url?.startsWith('/old')) {
        if (headers.authorization !== `Basic ${btoa('me:pw')}`) elsewhere.push(headers.authorization);
        return false;
      }
      if (method !== 'POST') elsewhere.push(method);
      response.writeHead(307, { location: remote.url }).end();
      return true;
    };
    await host.begin();
    await until(() => remote.streams.size === 1);
    assert.equal(await host.end(), 0);
    assert.equal(remote.sessions.size, 0);
    assert.deepEqual(elsewhere, []);
  });

  it('gets the last notifications of a host that says no more', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    remote.on = ({ message }, response) => {
      if (!message?.method?.startsWith('notifications/')) return false;
      setTimeout(() => response.writeHead(202).end(), 50);
      return true;
    };
    const last = ['one', 'two', 'three'].map((name) => `notifications/${name}`);
    host.send(last.map((method) => `{"jsonrpc":"2.0","method":"${method}"}\n`).join(''));
    assert.equal(await host.end(), 0);
    assert.deepEqual(
      remote.seen.filter((one) => last.includes(one.slice('POST '.length))),
      last.map((method) => `POST ${method}`),
    );
  });

  it('that cannot be reached at all is told to the host, which may go on', async (test) => {
    const host = hostOf(test, 'http://127.0.0.1:9/mcp');
    const { error } = await host.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    assert.match(error.message, /"127\.0\.0\.1:9": it cannot be reached \(ECONNREFUSED\)/);
    assert.equal(await host.end(), 0);
  });

  it('whose certificate is not accepted was sent nothing', { skip: noOpenssl }, async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-remote-'));
    test.after(() => remove(folder));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
      ...['-subj', '/CN=localhost', '-keyout', key, '-out', cert],
    ]);
    assert.equal(made.status, 0, String(made.stderr));
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    test.after(() => server.close());
    const host = hostOf(test, `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const { error } = await host.ask('x/delete');
    assert.match(error.message, /it cannot be reached \(\w*CERT\w*\)$/);
  });

  it('of the newer revisions is sent the headers that it demands', async (test) => {
    const tools = [
      {
        name: 'note',
        inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
      },
    ];
    const remote = await startMcp('modern', { tools: tools as never });
    test.after(() => remote.close());
    const host = hostOf(test, remote.url);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    assert.equal((await host.ask('server/discover', { _meta })).error, undefined);
    const listed = await host.ask('tools/list', { _meta: { ...(_meta as object), progressToken: 1 } });
    assert.equal(listed.result.tools[0].name, 'note');
    assert.equal(listed.result.resultType, 'complete');
    await host.ask('tools/call', { name: 'note', arguments: { region: 'Zürich' }, _meta });
    const headers = remote.headers();
    assert.equal(headers['mcp-method'], 'tools/call');
    assert.equal(headers['mcp-name'], 'note');
    assert.equal(headers['mcp-protocol-version'], '2026-07-28');
    assert.equal(headers['mcp-param-region'], `=?base64?${Buffer.from('Zürich').toString('base64')}?=`);
    assert.equal(remote.seen.filter((one) => one === 'POST tools/list').length, 2);
  });
});

describe('what a server over HTTP listed last', () => {
  it('does not count for a tool that may write: it is asked before each call', async (test) => {
    const remote = await startRemote(test);
    const host = hostOf(test, remote.url);
    await host.begin();
    for (let at = 0; at < 3; at++) await host.call('note', { text: 'x' });
    assert.equal(remote.count('POST tools/list'), 4);
  });

  it('counts for a tool that only reads, if it was asked for while the model thought', async (test) => {
    const remote = await startRemote(test);
    remote.tools = [{ name: 'note', inputSchema: schema('text'), annotations: { readOnlyHint: true } }];
    const host = hostOf(test, remote.url);
    await host.begin();
    const untilAsked = () => until(() => remote.seen.at(-1) === 'POST tools/list');
    // On a busy machine wrap reads the answer later than the server sends it.
    for (let first = '', tries = 0; first !== 'POST tools/call'; tries++) {
      assert.ok(tries < 20, 'it never counts');
      await host.call('note', { text: 'x' });
      await untilAsked();
      await sleep(20 * tries);
      const before = remote.seen.length;
      await host.call('note', { text: 'x' });
      first = remote.seen[before] ?? '';
      await untilAsked();
    }
    // It now lists another tool: a refusal is never based on facts from before the call.
    remote.tools = [{ name: 'note', inputSchema: schema('words'), annotations: { readOnlyHint: true } }];
    await host.call('note', { text: 'x' });
    await untilAsked();
    remote.tools = [{ name: 'note', inputSchema: schema('text'), annotations: { readOnlyHint: true } }];
    await host.next(({ method }) => method === 'notifications/tools/list_changed');
    const passed = await host.call('note', { text: 'x' });
    assert.equal(passed.isError, undefined);
  });

  it('counts until something is announced, where changes are announced', async (test) => {
    const remote = await startRemote(test);
    remote.listChanged = true;
    const host = hostOf(test, remote.url);
    await host.begin();
    await until(() => remote.streams.size === 1);
    // On a busy machine wrap learns of its stream later than the server.
    let before = -1;
    for (let tries = 0; before !== remote.count('POST tools/list'); tries++) {
      assert.ok(tries < 100, 'its silence never counts');
      before = remote.count('POST tools/list');
      await sleep(50);
      await host.call('note', { text: 'x' });
    }
    for (let at = 0; at < 3; at++) await host.call('note', { text: 'x' });
    assert.equal(remote.count('POST tools/list'), before);
    remote.tools = [{ name: 'note', inputSchema: schema('words') }];
    remote.announce();
    await host.next(({ method }) => method === 'notifications/tools/list_changed');
    assert.equal((await host.call('note', { text: 'x' })).isError, true);
    // Without its stream its silence means nothing.
    remote.tools = [{ name: 'note', inputSchema: schema('text') }];
    remote.on = ({ method }, response) => {
      if (method === 'GET') response.writeHead(503).end();
      return method === 'GET';
    };
    const streams = remote.count('GET');
    for (const stream of remote.streams) stream.destroy();
    // It asks for another stream, and so knows that the first one is lost.
    await until(() => remote.count('GET') > streams);
    const counted = remote.count('POST tools/list');
    await host.call('note', { text: 'x' });
    await host.call('note', { text: 'x' });
    assert.equal(remote.count('POST tools/list'), counted + 2);
  });
});

describe('the silence of a server over HTTP', () => {
  const reading = () => {
    const asked: EventEmitter[] = [];
    const ask = () => {
      const request = Object.assign(new EventEmitter(), { end: () => {}, destroy: () => {} });
      asked.push(request);
      return request as unknown as ReturnType<StreamReader['ask']>;
    };
    const begin = (at: number) => {
      const headers = { 'content-type': 'text/event-stream' };
      const response = Object.assign(new PassThrough(), { statusCode: 200, headers });
      asked[at]?.emit('response', response);
      return response;
    };
    return { asked, begin, stream: new OwnStream({ ask, take: () => {} }) };
  };

  it('counts until its stream ends, and not in the pause before the next one', () => {
    const { asked, begin, stream } = reading();
    stream.open(true);
    assert.equal(stream.since, undefined);
    begin(0);
    assert.notEqual(stream.since, undefined);
    asked[0]?.emit('close');
    assert.equal(stream.since, undefined);
    stream.drop();
  });

  it('does not count for a stream that comes after another one was asked for, or without a session', () => {
    const { begin, stream } = reading();
    stream.open(true);
    stream.open(true);
    assert.equal(begin(0).destroyed, true);
    assert.equal(stream.since, undefined);
    stream.open(false);
    begin(2);
    assert.equal(stream.since, undefined);
    stream.drop();
  });
});
