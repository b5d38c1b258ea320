// Full tier: the time and memory of a process.
// Attacks of a server over HTTP on calls through wrap: making wrap send them twice or forever, send stale ones, or use up
// all memory.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { events, type Remote, schema, startRemote, until } from './wrap-remote-server.ts';
import { type Said, startHostProcess } from './wrap-sides.ts';

const CHANGED = 'notifications/tools/list_changed';

const begun = async (test: TestContext, change: (remote: Remote) => void = () => {}) => {
  const remote = await startRemote(test);
  change(remote);
  const host = startHostProcess(test, [], { words: ['--url', remote.url] });
  await host.begin();
  return { remote, host };
};

/** Answers calls in a special way, and counts them. */
const onCalls = (remote: Remote, answer: (response: ServerResponse, message: Said) => void) => {
  const calls: string[] = [];
  remote.on = ({ message }, response) => {
    if (message?.method !== 'tools/call') return false;
    calls.push(String(message.params.arguments.text));
    answer(response, message);
    return true;
  };
  return calls;
};

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

describe('a call that may have run', () => {
  const breaks: [string, (response: ServerResponse) => void][] = [
    ['at once', (response) => void response.destroy()],
    ['later', (response) => void setTimeout(() => response.destroy(), 300)],
    ['by an end', (response) => void response.socket?.end()],
    ['by a reset', (response) => void response.socket?.resetAndDestroy()],
    [
      'within an answer',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write('{"jsonrpc":', () => response.destroy());
      },
    ],
    [
      'within an event',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"jsonrpc":', () => response.destroy());
      },
    ],
  ];
  for (const [how, broken] of breaks) {
    it(`is sent once where its connection breaks ${how}, and the host hears that its outcome is unknown`, async (test) => {
      const { remote, host } = await begun(test);
      await host.call('note', { text: 'kept' });
      const calls = onCalls(remote, broken);
      const { error } = await host.ask('tools/call', { name: 'note', arguments: { text: 'pay' } });
      assert.deepEqual(calls, ['pay']);
      assert.match(error.message, /whether it was carried out is not known, so it is not sent again/);
      remote.on = () => false;
      assert.equal((await host.call('note', { text: 'next' })).content[0].text, '{"text":"next"}');
    });
  }

  it('is one by any method that is no question', async (test) => {
    const { remote, host } = await begun(test);
    let count = 0;
    remote.on = ({ message }, response) => {
      if (!/^(tasks\/run|prompts\/list)$/.test(message?.method)) return false;
      if (++count > 1 && message.method === 'prompts/list') return false;
      response.destroy();
      return true;
    };
    assert.match((await host.ask('tasks/run')).error.message, /not known/);
    assert.equal(count, 1);
    // A request that only reads is repeated, on a separate connection.
    count = 0;
    await host.ask('ping');
    await host.ask('prompts/list');
    assert.equal(remote.count('POST prompts/list'), 2);
  });
});

describe('an answer that is an error of HTTP', () => {
  const cases: [number, object | undefined, string][] = [
    [404, { error: { code: -32602, message: 'Unknown tool' } }, 'Unknown tool'],
    [404, { error: { code: -32602, message: 'Session of the theatre not found' } }, 'Session of the theatre not found'],
    [400, { error: { code: -32602, message: 'booking_session is not known' } }, 'booking_session is not known'],
    [404, undefined, 'HTTP 404'],
    [409, { error: { code: 1, message: 'session busy' } }, 'session busy'],
    [500, undefined, 'HTTP 500'],
  ];
  for (const [status, body, expected] of cases) {
    it(`is passed on while the session lives: ${status}, ${expected}`, async (test) => {
      const { remote, host } = await begun(test);
      const calls = onCalls(remote, (response, { id }) =>
        json(response, status, body ? { jsonrpc: '2.0', id, ...body } : {}),
      );
      const { error } = await host.ask('tools/call', { name: 'note', arguments: { text: 'x' } });
      assert.ok(error.message.includes(expected), error.message);
      assert.deepEqual(calls, ['x']);
      assert.equal(remote.count('POST initialize'), 1);
    });
  }

  it('ends in one where the server forgets each session that it begins', async (test) => {
    const { remote, host } = await begun(test);
    const calls = onCalls(remote, (response) => {
      remote.sessions.clear();
      response.writeHead(404).end();
    });
    const { error } = await host.ask('tools/call', { name: 'note', arguments: { text: 'x' } });
    assert.match(error.message, /HTTP 404/);
    assert.equal(calls.length, 2);
  });

  it('ends where the host takes the call back while the session is begun again', async (test) => {
    const { remote, host } = await begun(test);
    const calls = onCalls(remote, (response) => {
      remote.sessions.clear();
      response.writeHead(404).end();
    });
    const usual = remote.on;
    let go = (): void => {};
    remote.on = (request, response) => {
      if (request.message?.method !== 'initialize') return usual(request, response);
      remote.sessions.add('s');
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'r', version: '1' },
      };
      go = () => {
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result }));
      };
      return true;
    };
    host.send({ id: 'c', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    await until(() => remote.count('POST initialize') === 2);
    host.send({ method: 'notifications/cancelled', params: { requestId: 'c' } });
    // Nothing shows that wrap has read this: no request is sent until the session has begun.
    await sleep(1_000);
    go();
    await sleep(1_000);
    assert.equal(calls.length, 1);
    assert.ok(!host.lines.some((line) => line.includes('"c"')));
  });
});

describe('an answer that is asked for on other streams', () => {
  for (const [retry, event] of [
    ['retry: 0', 'data: '],
    ['retry: 1', 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}'],
    [': none', 'data: '],
  ]) {
    it(`is asked for less and less often, until the host takes it back (${retry}, ${event?.slice(0, 12)})`, async (test) => {
      const { remote, host } = await begun(test);
      let count = 0;
      remote.on = ({ method, message, headers }, response) => {
        if (method === 'GET' && headers['last-event-id'] !== undefined) count++;
        else if (message?.method !== 'tools/call') return false;
        events(response, `${retry}\nid: ${count}\n${event}\n\n`);
        return true;
      };
      host.send({ id: 'c', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
      await until(() => count > 1);
      await sleep(1_000);
      assert.ok(count < 12, `${count} requests`);
      host.send({ method: 'notifications/cancelled', params: { requestId: 'c' } });
      await until(() => remote.count('POST notifications/cancelled') > 0);
      // What was asked before that has arrived.
      await sleep(500);
      const before = count;
      await sleep(2_000);
      assert.equal(count, before);
      assert.ok(!host.lines.some((line) => line.includes('"c"')));
      assert.equal(remote.count('POST notifications/cancelled'), 1);
    });
  }

  it('is not asked for by an id that no header can hold, and no more where it is too long', async (test) => {
    const { remote, host } = await begun(test);
    onCalls(remote, (response) => events(response, 'retry: 0\nid: \u4e00\r\ndata: \n\n'));
    const { error } = await host.ask('tools/call', { name: 'note', arguments: { text: 'x' } });
    assert.match(error.message, /its stream ended before its answer/);
  });
});

describe('an answer', () => {
  const odd: [string, (response: ServerResponse, id: unknown) => void, RegExp][] = [
    [
      'to something else',
      (response) => json(response, 200, { jsonrpc: '2.0', id: 'x', result: {} }),
      /answers something else/,
    ],
    ['that says 202', (response) => response.writeHead(202).end(), /answers with nothing \(HTTP 202\)/],
    [
      'that is an error without an id',
      (response) => json(response, 200, { jsonrpc: '2.0', id: null, error: { code: 7, message: 'odd' } }),
      /^odd$/,
    ],
    [
      'that is empty',
      (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(),
      /answers with nothing/,
    ],
    ['that is an empty list', (response) => json(response, 200, []), /is no message/],
  ];
  for (const [name, answer, expected] of odd) {
    it(`${name} leaves no request without one`, async (test) => {
      const { remote, host } = await begun(test);
      onCalls(remote, (response, { id }) => answer(response, id));
      const { error } = await host.ask('tools/call', { name: 'note', arguments: { text: 'x' } });
      assert.match(error.message, expected);
    });
  }

  it('that comes twice is given once', async (test) => {
    const { remote, host } = await begun(test);
    onCalls(remote, (response, { id }) => {
      const event = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`;
      events(response, event + event);
    });
    host.send({ id: 'c', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    await host.next(({ id }) => id === 'c');
    await host.ask('ping');
    assert.equal(host.lines.filter((line) => line.includes('"c"')).length, 1);
  });

  const many: [string, string][] = [
    ['lines of data', 'data:x\n'],
    ['empty lines of data', 'data\n'],
    ['comments', ':\n'],
    ['ids', 'id:1\n'],
  ];
  for (const [name, line] of many) {
    it(`of very many ${name} takes little memory`, async (test) => {
      const { remote, host } = await begun(test);
      let peak = 0;
      const look = setInterval(() => {
        const status = readFileSync(`/proc/${host.child.pid}/status`, 'utf8');
        peak = Math.max(peak, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
      }, 50);
      test.after(() => clearInterval(look));
      const lines = line.repeat(10_000);
      onCalls(remote, (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        let left = 24 * 1024 * 1024;
        const go = (): void => {
          while (left > 0) {
            left -= lines.length;
            if (!response.write(lines)) return void response.once('drain', go);
          }
          response.end('\n');
        };
        go();
      });
      const { error } = await host.ask('tools/call', { name: 'note', arguments: { text: 'x' } }, 120_000);
      clearInterval(look);
      assert.ok(error);
      assert.ok(peak < 250, `${Math.round(peak)} MB`);
    });
  }
});

it('a protocol version that no header can hold is not sent back', async (test) => {
  const { remote, host } = await begun(test, (one) => {
    one.on = ({ message }, response) => {
      if (message?.method !== 'initialize') return false;
      const result = {
        protocolVersion: '2025-06-18\n\u4e00',
        capabilities: {},
        serverInfo: { name: 'r', version: '1' },
      };
      one.sessions.add('odd');
      response.setHeader('mcp-session-id', 'odd');
      json(response, 200, { jsonrpc: '2.0', id: message.id, result });
      return true;
    };
  });
  assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
  assert.equal(remote.headers.at(-1)?.['mcp-protocol-version'], undefined);
  assert.equal(await host.end(), 0);
});

describe('silence', () => {
  const stale = async (test: TestContext, change: (remote: Remote) => void) => {
    const { remote, host } = await begun(test, change);
    await sleep(200);
    await host.call('note', { text: 'x' });
    remote.tools = [{ name: 'note', inputSchema: schema('words') }];
    await sleep(50);
    const { isError } = await host.call('note', { text: 'x' });
    assert.equal(isError, true);
  };

  it('is not believed on a stream that belongs to no session', (test) =>
    stale(test, (remote) => {
      remote.listChanged = true;
      remote.on = ({ method, message }, response) => {
        if (method === 'GET') events(response, ': hi\n\n', false);
        else if (message?.method === 'initialize') {
          const capabilities = { tools: { listChanged: true } };
          const result = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'r', version: '1' } };
          json(response, 200, { jsonrpc: '2.0', id: message.id, result });
          remote.sessions.add('undefined');
        } else return false;
        return true;
      };
    }));

  it('is not believed where nothing was declared', (test) => stale(test, () => {}));

  it('is not believed where the stream is none of events', (test) =>
    stale(test, (remote) => {
      remote.listChanged = true;
      remote.on = ({ method }, response) => {
        if (method === 'GET') response.writeHead(200, { 'content-type': 'application/json' }).write('{');
        return method === 'GET';
      };
    }));
});

describe('an announcement', () => {
  const forms: [string, string][] = [
    ['with escaped slashes', CHANGED.replaceAll('/', '\\/')],
    ['with a unicode escape', CHANGED.replace('_', '\\u005f')],
    ['all in unicode escapes', [...CHANGED].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')],
  ];
  const lines: [string, string][] = [
    ...forms.map(([name, method]): [string, string] => [name, `{"jsonrpc":"2.0","method":"${method}"}`]),
    [
      'with 5 kB beside it',
      JSON.stringify({ jsonrpc: '2.0', method: CHANGED, params: { _meta: { x: 'y'.repeat(5_000) } } }),
    ],
    [
      'behind 100 kB',
      JSON.stringify({ params: { _meta: { x: '\\"'.repeat(50_000) } }, jsonrpc: '2.0', method: CHANGED }),
    ],
    [
      'behind 2 MB',
      JSON.stringify({ params: { _meta: { x: '\\"'.repeat(1_000_000) } }, jsonrpc: '2.0', method: CHANGED }),
    ],
    ['in a batch', `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","method":"${CHANGED}"}]`],
    ['with blanks', `  {\t"method" : "${CHANGED}" ,\r\ndata: "jsonrpc" : "2.0" }  `],
    ['with an id of its own within', `{"jsonrpc":"2.0","params":{"_meta":{"id":1,"result":{}}},"method":"${CHANGED}"}`],
  ];
  for (const [name, line] of lines) {
    it(`${name} is heard`, async (test) => {
      const { remote, host } = await begun(test, (one) => {
        one.listChanged = true;
      });
      await until(() => remote.streams.size === 1);
      await sleep(50);
      await host.call('note', { text: 'x' });
      remote.tools = [{ name: 'note', inputSchema: schema('words') }];
      const before = host.lines.length;
      for (const stream of remote.streams) stream.write(`data: ${line}\n\n`);
      // The host gets it, too, and so wrap has read it.
      await until(() => host.lines.length > before);
      assert.equal((await host.call('note', { text: 'x' })).isError, true);
    });
  }
});

describe('SIGTERM', () => {
  it('ends wrap also where nobody reads what it says, and the server does not answer', async (test) => {
    const { remote, host } = await begun(test);
    host.child.stdout?.pause();
    onCalls(remote, (response, { id }) =>
      json(response, 200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x'.repeat(8_000_000) }] } }),
    );
    host.send({ id: 'c', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    await until(() => remote.seen.includes('POST tools/call'));
    await sleep(300);
    remote.on = () => true;
    const at = Date.now();
    const exited = new Promise<NodeJS.Signals | null>((done) => host.child.once('exit', (_, signal) => done(signal)));
    host.child.kill('SIGTERM');
    assert.equal(await exited, 'SIGTERM');
    // The session may take 0.5 s to end, however the server behaves.
    assert.ok(Date.now() - at < 10_000);
    host.child.stdout?.resume();
  });
});
