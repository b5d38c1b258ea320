// How servers and gateways are asked: within one deadline, with nothing left behind, and without leaking a secret.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../scripts/contract/defined.ts';
import type { JsonObject } from '../scripts/contract/types.ts';
import { askList } from '../scripts/sources/mcp/ask-list.ts';
import { isRunning } from './running.ts';
import { drive, needProcesses, type Run, sandbox, tool } from './sandbox.ts';

const weather = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const SECRET = 's3cr3t-TOKEN-0123456789';
/** The guard asks for 2 s; on a busy machine, Node starts slowly. Claude Code ends a hook after 10 s. */
const IN_TIME = 9_000;

type Message = { id?: number; method?: string };
/** Returns true if it has answered, or never will. */
type Answer = (request: IncomingMessage, response: ServerResponse, message: Message, body: string) => boolean;

const json = (response: ServerResponse, { id }: Message, result: JsonObject, headers: JsonObject = {}): true => {
  response.writeHead(200, { 'content-type': 'application/json', ...(headers as Record<string, string>) });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  return true;
};

const BEGUN = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
};

const withSession = (response: ServerResponse, message: Message): true =>
  json(response, message, BEGUN, { 'mcp-session-id': 'abc' });

/** A server of the older kind that answers well, except for requests that a test answers itself; that can change. */
const serve = async (test: TestContext, odd: Answer = () => false) => {
  const seen: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const state = { odd };
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    let message: Message = {};
    try {
      message = JSON.parse(body) as Message;
    } catch {
      // Not a message: a GET, a DELETE.
    }
    seen.push(`${request.method} ${message.method ?? ''}`.trim());
    headers.push(request.headers);
    if (state.odd(request, response, message, body)) return;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message.method === 'initialize') return void json(response, message, BEGUN);
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'tools/list') return void json(response, message, { tools: [weather] } as never);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } }));
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  test.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { origin, url: `${origin}/mcp`, seen, headers, state };
};

/** A HOME that names one server and, if wanted, gateways. */
const world = async (test: TestContext, server: JsonObject | undefined, config: JsonObject = { freshFor: 0 }) => {
  const box = await sandbox(test, [], config);
  box.env.GATEWAY_URL = undefined;
  const mcpServers = defined({ demo: server });
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers, projects: {} }));
  box.show([weather], 'aaa1');
  return box;
};

const timed = async (run: () => Promise<Run>): Promise<Run & { ms: number }> => {
  const start = Date.now();
  const result = await run();
  return { ...result, ms: Date.now() - start };
};

const textsIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.tmp'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

/** Asserts that all these processes have ended, or end in a moment. */
const assertGone = async (file: string, count: number): Promise<void> => {
  const pids = readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).map(Number);
  assert.equal(pids.length, count, `${count} processes were started`);
  for (const end = Date.now() + 20_000; pids.some(isRunning) && Date.now() < end; ) await sleep(50);
  assert.deepEqual(pids.filter(isRunning), [], 'they still run');
};

const STATUS = [['status'], ['probe', '--json']];
const ALL_COMMANDS = [...STATUS, ['probe'], ['doctor']];

/** Everything that hooks and commands tell a person or a model about a call, and everything that they store. */
const everythingTold = async (box: Awaited<ReturnType<typeof world>>, commands = STATUS): Promise<string> => {
  const env = { ...box.env, KONNICHIWAGWAN: 'debug' };
  const command = (args: string[], input: string | null = null) => drive('cli.cjs', input, env, args, true);
  const call = (session_id: string) => box.call('weather', { city: 'x' }, { session_id }, env);
  const runs = [await box.start(), await call('s1')];
  const input = JSON.stringify(box.input('weather', { city: 'x' }));
  runs.push(
    ...(await Promise.all([
      box.fail('weather', { city: 'x' }, 'MCP error -32602: invalid params'),
      command(['explain'], input),
      ...commands.map((args) => command(args)),
    ])),
  );
  writeFileSync(join(box.state, 'config.json'), JSON.stringify({ servers: { demo: { mode: 'strict' } } }));
  runs.push(await call('s2'));
  return [...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]), textsIn(box.state)].join('\n');
};

describe('a headersHelper', { skip: process.platform === 'win32' ? 'no POSIX shell' : false }, () => {
  const odd: [string, string, RegExp][] = [
    ['no JSON', `echo 'Bearer ${SECRET}'; echo '${SECRET}' >&2`, /prints no JSON object of headers/],
    ['nothing', `echo '${SECRET}' >&2`, /prints no JSON object of headers/],
    ['null', 'echo null', /prints no JSON object of headers/],
    ['a list', `echo '["${SECRET}"]'`, /prints no JSON object of headers/],
    ['a number', 'echo 5', /prints no JSON object of headers/],
    ['a text', `echo '"${SECRET}"'`, /prints no JSON object of headers/],
    ['nested values', `echo '{"authorization":{"bearer":"${SECRET}"}}'`, /prints no JSON object of headers/],
    ['half of an object', `printf '{"authorization":"${SECRET}'`, /prints no JSON object of headers/],
    ['a name that is none', `echo '{"Bearer ${SECRET}":"x"}'`, /prints a header that HTTP does not allow/],
    ['a line break', `printf '{"authorization":"Bearer ${SECRET}\\\\nX"}'`, /prints a header that HTTP does not/],
    ['too much', `yes '${SECRET}' | head -c 100000`, /prints too much/],
    ['an error', `echo '${SECRET}'; echo '${SECRET}' >&2; exit 3`, /failed/],
  ];
  for (const [what, headersHelper, says] of odd) {
    it(`prints ${what}: the call is not blocked, the reason is told, and nothing that it printed`, async (test) => {
      const server = await serve(test);
      const box = await world(test, { type: 'http', url: server.url, headersHelper });
      assert.deepEqual((({ stdout, stderr, code }) => [stdout, stderr, code])(await box.start()), ['', '', 0]);
      const { answer, stderr, code } = await box.call('weather', { city: 'x' });
      assert.deepEqual([stderr, code], ['', 0]);
      assert.deepEqual(Object.keys(answer), ['systemMessage']);
      assert.match(answer.systemMessage, /could not check calls of server `demo`: its headersHelper .*run it by hand/);
      assert.match(answer.systemMessage, says);
      assert.deepEqual(server.seen, [], 'nothing was sent');
      assert.ok(!textsIn(box.state).includes(SECRET));
    });
  }

  it('whatever it prints, no command shows it either', async (test) => {
    const server = await serve(test);
    const headersHelper = `echo 'Bearer ${SECRET}'; echo '${SECRET}' >&2`;
    // Here the command line itself holds the secret, and a state folder stores no command line.
    const script = join((await world(test, undefined)).home, 'helper.sh');
    writeFileSync(script, headersHelper);
    const box = await world(test, { type: 'http', url: server.url, headersHelper: `sh ${script}` });
    const told = await everythingTold(box, ALL_COMMANDS);
    assert.match(told, /prints no JSON object of headers/);
    assert.match(told, /"permissionDecision":"ask"/, 'in strict mode a person is asked');
    assert.ok(!told.includes(SECRET), told);
    assert.doesNotMatch(told, /SyntaxError|TypeError|at Socket|node:/);
  });

  it('that is slow costs the deadline, and is ended with all that it started', async (test) => {
    const server = await serve(test);
    const box = await world(test, { type: 'http', url: server.url });
    const pids = join(box.home, 'pids');
    const headersHelper = `echo $$ >> ${pids}; sleep 61 & echo $! >> ${pids}; (sleep 62 & echo $! >> ${pids}) ; trap '' TERM; sleep 63; echo '{}'`;
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ mcpServers: { demo: { type: 'http', url: server.url, headersHelper } }, projects: {} }),
    );
    const { answer, code, ms } = await timed(() => box.call('weather', { city: 'x' }));
    assert.equal(code, 0);
    assert.match(answer.systemMessage, /its headersHelper gave no headers within 2 s: run it by hand/);
    assert.ok(ms < IN_TIME, `${ms} ms`);
    await assertGone(pids, 3);
  });

  it('that is well, but leaves something behind that holds its output, is waited for no longer', async (test) => {
    const server = await serve(test);
    const box = await world(test, { type: 'http', url: server.url });
    const pids = join(box.home, 'pids');
    const headersHelper = `(sleep 64 & echo $! >> ${pids}); echo '{"x-made":"by hand"}'`;
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ mcpServers: { demo: { type: 'http', url: server.url, headersHelper } }, projects: {} }),
    );
    const { stdout, ms } = await timed(() => box.call('weather', { city: 'x' }));
    // If its output were waited for, the deadline would have ended it, and nothing would have been sent.
    assert.ok(!stdout.includes('headersHelper'), stdout);
    assert.ok(ms < IN_TIME, `${ms} ms`);
    assert.ok(server.headers.length > 0 && server.headers.every((sent) => sent['x-made'] === 'by hand'));
    await assertGone(pids, 1);
  });

  it("ends with the session's start that does not wait for it", async (test) => {
    needProcesses(test);
    const server = await serve(test);
    const box = await world(test, { type: 'http', url: server.url });
    const pids = join(box.home, 'pids');
    // Slow only the first time: the process that goes on asking gets an answer.
    const headersHelper = `if mkdir ${box.home}/first; then echo $$ >> ${pids}; sleep 65; fi; echo '{}'`;
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ mcpServers: { demo: { type: 'http', url: server.url, headersHelper } }, projects: {} }),
    );
    await box.start();
    await assertGone(pids, 1);
    assert.match(readFileSync(join(box.state, 'sessions/s1.json'), 'utf8'), /"weather"/);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends with a guard that gets ${signal}`, async (test) => {
      const server = await serve(test);
      const box = await world(test, { type: 'http', url: server.url });
      const pids = join(box.home, 'pids');
      const headersHelper = `echo $$ >> ${pids}; sleep 66`;
      writeFileSync(
        join(box.home, '.claude.json'),
        JSON.stringify({ mcpServers: { demo: { type: 'http', url: server.url, headersHelper } }, projects: {} }),
      );
      const child = spawn(process.execPath, [resolve('dist/guard.cjs')], {
        env: { PATH: process.env.PATH, ...box.env },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      const ended = new Promise((done) => child.once('close', (_code, by) => done(by)));
      child.stdin.end(JSON.stringify(box.input('weather', { city: 'x' })));
      const isStarted = () => existsSync(pids) && readFileSync(pids, 'utf8') !== '';
      for (const end = Date.now() + 20_000; !isStarted() && Date.now() < end; ) await sleep(20);
      child.kill(signal);
      assert.equal(await ended, signal);
      await assertGone(pids, 1);
    });
  }
});

describe('a header that HTTP does not allow', { concurrency: 2 }, () => {
  const values = {
    'a line break': `Bearer ${SECRET}\n# the second line`,
    'a key of several lines': `-----BEGIN-----\n${SECRET}`,
    'a separator of lines': `Bearer ${SECRET}\u2028X`,
    'a NUL': `Bearer ${SECRET}\0`,
  };
  for (const [what, TOKEN] of Object.entries(values)) {
    // An environment cannot hold NUL.
    const [text, more] = TOKEN.includes('\0') ? [TOKEN, {}] : [`\${TOKEN}`, { TOKEN }];
    it(`${what}: the server's header is named, its value is told nowhere`, async (test) => {
      const server = await serve(test);
      const box = await world(test, { type: 'http', url: server.url, headers: { 'X-Api-Key': text } });
      Object.assign(box.env, more);
      const told = await everythingTold(box);
      assert.match(
        told,
        /server `demo`: the value of its header \\"X-Api-Key\\" has a line break or another character/,
      );
      assert.ok(!told.includes(SECRET), told);
      assert.deepEqual(server.seen, [], 'nothing was sent');
    });
  }

  it("a gateway's header, likewise", async (test) => {
    const server = await serve(test);
    const headers = { Authorization: `Bearer \${TOKEN}` };
    const box = await world(test, undefined, { gateways: { g: { url: server.origin, headers } } });
    box.env.TOKEN = values['a line break'];
    const started = await box.start();
    assert.match(started.answer.systemMessage, /gateway `g` cannot be asked: the value of its header "authorization"/);
    const told = await everythingTold(box);
    assert.ok(!told.includes(SECRET), told);
    assert.deepEqual(server.seen, []);
  });

  it('a name that is none is quoted', async (test) => {
    const server = await serve(test);
    const box = await world(test, { type: 'http', url: server.url, headers: { 'a b\u202e': 'c' } });
    const { answer } = await box.call('weather', { city: 'x' });
    assert.match(answer.systemMessage, /its header "a b\\u\{202e\}" is no name that HTTP allows/);
  });

  it('a line break at the end of a secret is none of it, as in every fetch', async (test) => {
    const server = await serve(test);
    const headers = { authorization: `Bearer \${TOKEN}` };
    const box = await world(test, { type: 'http', url: server.url, headers });
    box.env.TOKEN = `${SECRET}\n`;
    await box.start();
    for (const _look of [1, 2]) assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
    assert.ok(server.headers.length > 4);
    for (const sent of server.headers) assert.equal(sent.authorization, `Bearer ${SECRET}`);
  });
});

describe('what a server answers to our secret', { concurrency: 2 }, () => {
  const echoes: Record<string, Answer> = {
    'an error of the protocol': ({ headers }, response, { id, method }) => {
      if (method !== 'tools/list') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: `bad ${headers.authorization}` } }),
      );
      return true;
    },
    'HTTP 400': ({ headers }, response) => {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(`bad ${headers.authorization}`);
      return true;
    },
    'a content type': ({ headers }, response, { method }) => {
      if (method !== 'tools/list') return false;
      response.writeHead(200, { 'content-type': `text/${headers.authorization?.split(' ')[1]}` }).end('x');
      return true;
    },
    'no JSON': ({ headers }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`${headers.authorization}`);
      return true;
    },
    'a version of the protocol': ({ headers }, response, message) =>
      message.method === 'initialize' &&
      json(response, message, { ...BEGUN, protocolVersion: String(headers.authorization) }),
    'a redirect': ({ headers }, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:9/${headers.authorization?.split(' ')[1]}` }).end();
      return true;
    },
  };
  for (const [what, odd] of Object.entries(echoes)) {
    it(`${what} that holds it: neither shown nor kept`, async (test) => {
      const server = await serve(test, odd);
      const headers = { authorization: `Bearer ${SECRET}` };
      const box = await world(test, { type: 'http', url: server.url, headers });
      const told = await everythingTold(box);
      assert.match(told, /could not check calls of server `demo`/);
      assert.ok(!told.includes(SECRET), told);
    });
  }
});

describe('one deadline for all that asking does', { concurrency: 4 }, () => {
  const never: Answer = () => true;
  const initializedHangs: Answer = (_request, _response, { method }) => method === 'notifications/initialized';
  const stream = (response: ServerResponse, text: string): true => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.write(text) || true;
  };
  const hanging: Record<string, { type: 'http' | 'sse'; odd: Answer }> = {
    'no answer at all': { type: 'http', odd: never },
    'headers, and no body': {
      type: 'http',
      odd: (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.write(' ') || true;
      },
    },
    'no answer to notifications/initialized': { type: 'http', odd: initializedHangs },
    'no answer to it within a session': {
      type: 'http',
      odd: (request, response, message, body) =>
        message.method === 'initialize'
          ? withSession(response, message)
          : request.method === 'DELETE' || initializedHangs(request, response, message, body),
    },
    'no answer to tools/list': { type: 'http', odd: (_request, _response, { method }) => method === 'tools/list' },
    'a stream without a word': { type: 'sse', odd: never },
    'a stream without an endpoint': { type: 'sse', odd: (_request, response) => stream(response, ': x\n\n') },
    'an endpoint that does not answer': {
      type: 'sse',
      odd: ({ method }, response) => method !== 'GET' || stream(response, 'event: endpoint\ndata: /message\n\n'),
    },
    'an endpoint that does not answer notifications/initialized': {
      type: 'sse',
      odd: (() => {
        const open: ServerResponse[] = [];
        return ({ method }, response, message) => {
          if (method === 'GET') {
            open.push(response);
            return stream(response, 'event: endpoint\ndata: /message\n\n');
          }
          if (message.method !== 'initialize') return true;
          response.writeHead(202).end();
          const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: BEGUN });
          open.at(-1)?.write(`event: message\ndata: ${answer}\n\n`);
          return true;
        };
      })(),
    },
  };
  for (const [what, { type, odd }] of Object.entries(hanging)) {
    it(`${what} (${type}): the guard says so in time, and ends`, async (test) => {
      const server = await serve(test, odd);
      const box = await world(test, { type, url: type === 'sse' ? `${server.origin}/sse` : server.url });
      const { answer, stderr, code, ms } = await timed(() => box.call('weather', { city: 'x' }));
      assert.deepEqual([stderr, code], ['', 0]);
      assert.match(answer.systemMessage, /cannot be reached \(no answer within 2 s\)/);
      assert.ok(ms < IN_TIME, `${ms} ms`);
      if (!what.startsWith('no answer to it') && what !== 'a stream without an endpoint') return;
      const probed = await timed(() => drive('cli.cjs', null, box.env, ['probe'], true));
      assert.equal(probed.code, 2);
      assert.match(probed.stdout, /unreachable — no answer within 10 s/);
      assert.ok(probed.ms < 20_000, `${probed.ms} ms`);
    });
  }

  it('a session that began is ended, though nothing else was answered', async (test) => {
    const server = await serve(test, (request, response, message, body) =>
      message.method === 'initialize'
        ? withSession(response, message)
        : initializedHangs(request, response, message, body),
    );
    const box = await world(test, { type: 'http', url: server.url });
    await box.call('weather', { city: 'x' });
    // What the guard sent at its end may be read here after that.
    for (const end = Date.now() + 5_000; server.seen.at(-1) !== 'DELETE' && Date.now() < end; ) await sleep(20);
    assert.equal(server.seen.at(-1), 'DELETE', server.seen.join(', '));
    assert.equal(server.headers.at(-1)?.['mcp-session-id'], 'abc');
  });

  it('the end of the session belongs to it, on the fast way too', async (test) => {
    const server = await serve(test, ({ method }, response, message) => {
      if (message.method === 'tools/list')
        return Boolean(setTimeout(() => json(response, message, { tools: [] }), 200));
      return message.method === 'initialize' ? withSession(response, message) : method === 'DELETE';
    });
    const request = { url: server.url, headers: {}, protocol: '2025-11-25', session: true };
    // On a busy machine most of them may be late.
    const seen: string[] = [];
    for (let isInTime = false; !isInTime && seen.length < 10; ) {
      const start = Date.now();
      const { status } = await askList(request, 600);
      const ms = Date.now() - start;
      isInTime = status === 'text' && ms < 900;
      seen.push(isInTime ? 'in time' : `${status} after ${ms} ms`);
    }
    assert.equal(seen.at(-1), 'in time', seen.join(', '));
  });

  for (const hang of ['notifications/initialized', 'tools/list'] as const) {
    it(`the fast way, where ${hang} comes to hang: within the same time`, async (test) => {
      const session: Answer = (_request, response, message) =>
        message.method === 'initialize' && withSession(response, message);
      const server = await serve(test, session);
      const box = await world(test, { type: 'http', url: server.url });
      await box.start();
      for (const _look of [1, 2]) assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
      const live = join(box.state, 'live');
      // Without a stored session, a new one begins.
      for (const name of readdirSync(live)) if (name.endsWith('.session.json')) rmSync(join(live, name));
      server.state.odd = (request, response, message, body) =>
        session(request, response, message, body) || message.method === hang;
      const { answer, code, ms } = await timed(() => box.call('weather', { city: 'x' }));
      assert.equal(code, 0);
      assert.match(answer.systemMessage, /no answer in time/);
      assert.ok(ms < IN_TIME, `${ms} ms`);
    });
  }

  it('a gateway that says nothing, or never comes to an end', async (test) => {
    for (const odd of [never, (_request: unknown, response: ServerResponse) => response.write('{"tools": [') || true]) {
      const server = await serve(test, odd);
      const box = await world(test, undefined, { gateways: { g: { url: server.origin } } });
      const { answer, ms } = await timed(() => box.call('weather', { city: 'x' }));
      assert.match(answer.systemMessage, /no answer within 2 s/);
      assert.ok(ms < IN_TIME, `${ms} ms`);
    }
  });

  it('the look-up of a name that hangs, which nothing can cancel, keeps no process', async (test) => {
    // Stands in for an unreachable name server: the look-up keeps Node alive as long as it lasts.
    const slow = "require('node:dns').lookup = (...all) => setTimeout(() => all.at(-1)(new Error('late')), 15_000);";
    const preload = join((await world(test, undefined)).home, 'slow-names.cjs');
    writeFileSync(preload, slow);
    const named = 'http://name.invalid';
    const servers = [{ type: 'http', url: `${named}/mcp` }, { type: 'sse', url: `${named}/sse` }, undefined] as const;
    for (const server of servers) {
      const config: JsonObject = server === undefined ? { gateways: { g: { url: named } } } : { freshFor: 0 };
      const box = await world(test, server, config);
      box.env.NODE_OPTIONS = `--require=${preload}`;
      const { answer, code, ms } = await timed(() => box.call('weather', { city: 'x' }));
      assert.equal(code, 0);
      assert.match(answer.systemMessage, /no answer within 2 s/);
      assert.ok(ms < IN_TIME, `${ms} ms`);
    }
  });

  it('a server that asks us thousands of questions gets no thousands of answers', async (test) => {
    const server = await serve(test, (_request, response, message) => {
      if (message.method !== 'tools/list') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let id = 0; id < 3_000; id++) {
        response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`);
      }
      const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools: [weather] } });
      response.end(`event: message\ndata: ${answer}\n\n`);
      return true;
    });
    const times: number[] = [];
    // On a busy machine reading so much may take long: one of three calls has to be in time.
    while (times.length < 3 && times.every((ms) => ms >= IN_TIME)) {
      const before = server.seen.length;
      const box = await world(test, { type: 'http', url: server.url });
      const { code, ms } = await timed(() => box.call('weather', { city: 'x' }));
      assert.equal(code, 0);
      assert.ok(server.seen.length - before < 60, `${server.seen.length} requests`);
      times.push(ms);
    }
    assert.ok(Math.min(...times) < IN_TIME, `${times.join(', ')} ms`);
  });
});
