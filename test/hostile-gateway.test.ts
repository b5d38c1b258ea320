// Full tier: the time and memory of a process.
// Gateways that mean harm or are merely broken, against the built hooks: invalid answers, redirects, entity tags.
import assert from 'node:assert/strict';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  type Answer,
  assertPlain,
  assertUnchecked,
  decision,
  type Envelope,
  GOOD,
  isInTime,
  listen,
  listOf,
  MOST_MB,
  machine,
  send,
  sendText,
  startGateway,
  text,
  tool,
} from './hostile-machine.ts';

const repeat = (piece: string, times: number): Answer => {
  const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    let left = times;
    const more = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
};

const drip: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"tools":[');
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

type Bad = { what: string; answer: Answer; state?: 'unreachable' | 'invalid'; says?: RegExp };

const BAD: Bad[] = [
  { what: '100 MB', answer: repeat(' ', 100 * 1024 * 1024), state: 'invalid', says: /larger than/ },
  { what: 'an answer that never ends', answer: drip, state: 'unreachable', says: /no answer within/ },
  { what: 'no answer at all', answer: () => {}, state: 'unreachable', says: /no answer within/ },
  {
    what: 'headers and nothing more',
    answer: (_request, response) => response.writeHead(200).flushHeaders(),
    state: 'unreachable',
    says: /no answer within/,
  },
  {
    what: 'a schema of depth 10,000',
    answer: sendText(`{"tools":[{"name":"search","inputSchema":${nested(10_000)}}]}`),
    state: 'invalid',
    says: /deeper than/,
  },
  {
    what: 'a hundred thousand brackets',
    answer: sendText('['.repeat(100_000)),
    state: 'invalid',
    says: /deeper than/,
  },
  {
    what: '50,000 tools',
    answer: listOf(Array.from({ length: 50_000 }, (_, index) => ({ name: `t${index}`, inputSchema: true }))),
    state: 'invalid',
    says: /\/tools/,
  },
  {
    what: 'a number for a version',
    answer: send({ schema_version: 7, tools: GOOD }),
    state: 'invalid',
    says: /\/schema_version/,
  },
  {
    what: 'a version of 10 kB',
    answer: listOf(GOOD, 'v'.repeat(10_000)),
    state: 'invalid',
    says: /\/schema_version/,
  },
  { what: 'HTTP 500', answer: sendText('{}', {}, 500), says: /500/ },
  { what: 'HTTP 404', answer: sendText('{}', {}, 404), says: /404/ },
  { what: 'HTTP 401', answer: sendText('{}', {}, 401), says: /401/ },
  { what: 'HTTP 204', answer: (_request, response) => response.writeHead(204).end() },
  { what: 'no JSON', answer: sendText('<html>\u001b[31m\u202e\u200b</html>'), state: 'invalid', says: /not JSON/ },
  { what: 'nothing', answer: sendText(''), state: 'invalid', says: /not JSON/ },
  {
    what: 'truncated JSON',
    answer: sendText(JSON.stringify({ tools: GOOD }).slice(0, -20)),
    state: 'invalid',
    says: /not JSON/,
  },
  { what: 'null', answer: send(null), state: 'invalid' },
  { what: 'a text', answer: send('tools'), state: 'invalid' },
  { what: 'a tool without a name', answer: listOf([{ inputSchema: {} } as never]), state: 'invalid' },
  { what: 'a tool that is null', answer: send({ tools: [null] }), state: 'invalid', says: /\/tools\/0/ },
  { what: 'an error of JSON-RPC', answer: send({ jsonrpc: '2.0', id: 1, error: { code: -1 } }), state: 'invalid' },
  {
    what: 'a content-length that is too long',
    answer: (_request, response) => {
      const body = JSON.stringify({ tools: GOOD });
      response.writeHead(200, { 'content-length': body.length + 500 });
      response.write(body);
      setTimeout(() => response.destroy(), 20);
    },
  },
  {
    what: 'a content-length that is too short',
    answer: (_request, response) => {
      const body = JSON.stringify({ tools: GOOD });
      response.socket?.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length - 9}\r\n\r\n${body}`);
    },
  },
  {
    what: 'a gzip bomb',
    answer: sendText(gzipSync(Buffer.alloc(100 * 1024 * 1024, 32)), { 'content-encoding': 'gzip' }),
    state: 'invalid',
  },
  {
    what: 'a compressed answer that nobody asked for',
    answer: sendText(gzipSync(JSON.stringify({ tools: GOOD })), { 'content-encoding': 'gzip' }),
    state: 'invalid',
  },
  {
    what: 'HTTP 304 to a question without conditions',
    answer: (_request, response) => response.writeHead(304).end(),
    state: 'invalid',
    says: /304/,
  },
  {
    what: 'a redirect that goes round',
    answer: (request, response) => response.writeHead(302, { location: `${request.url}x` }).end(),
    says: /redirect/,
  },
  {
    what: 'a redirect to nowhere',
    answer: (_request, response) => response.writeHead(302, { location: 'http://[' }).end(),
  },
  {
    what: 'a redirect to a file',
    answer: (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    state: 'invalid',
  },
];

/** Cases that hooks meet, too, at the start and later, each bad in its own way. Commands meet all cases. */
const MET = new Set([
  '100 MB',
  'an answer that never ends',
  'no answer at all',
  'headers and nothing more',
  'a schema of depth 10,000',
  '50,000 tools',
  'HTTP 500',
  'no JSON',
  'a gzip bomb',
  'a content-length that is too long',
]);

describe('a gateway that gives no good answer', { concurrency: 4 }, () => {
  it('the ones that are met exist', () => {
    assert.equal(BAD.filter(({ what }) => MET.has(what)).length, MET.size);
  });

  for (const { what, answer } of BAD.filter((bad) => MET.has(bad.what))) {
    it(`${what}, at the start and later`, async () => {
      const gateway = await startGateway(answer);
      try {
        const user = machine(gateway.url);
        assert.deepEqual(await user.start(), {}, 'the first call that goes unchecked says it');
        assertUnchecked(await user.guard('search', { query: 'x' }));
        assert.deepEqual(await user.guard('other', { query: 'x' }), {}, 'it is said once');

        gateway.set(listOf(GOOD, '1', { etag: '"1"' }));
        const other = machine(gateway.url);
        await other.begin();
        assert.deepEqual(await other.guard('search', { query: 'x' }), {});
        gateway.set(answer);
        assertUnchecked(await other.guard('search', { query: 'x' }));
      } finally {
        gateway.close();
      }
    });
  }

  it('all of them at the start of one session', async () => {
    const all = await Promise.all(BAD.map(async (bad) => ({ ...bad, gateway: await startGateway(bad.answer) })));
    try {
      const gateways = Object.fromEntries(all.map(({ what, gateway }) => [what, { url: gateway.url, timeout: 1.5 }]));
      assert.deepEqual(await machine('', { config: { gateways } }).start(), {});
    } finally {
      for (const { gateway } of all) gateway.close();
    }
  });

  it('each has its state in Phase F, and none hides another', async () => {
    const all = await Promise.all(BAD.map(async (bad) => ({ ...bad, gateway: await startGateway(bad.answer) })));
    try {
      // A shorter time limit than the default for those that hang, so that the test does not wait for ten seconds.
      const gateways = Object.fromEntries(
        all.map(({ what, gateway, says }) => [
          what,
          { url: gateway.url, ...(says?.test('no answer within') ? { timeout: 1.5 } : {}) },
        ]),
      );
      const user = machine('', { config: { gateways } });
      const { exit, stdout, stderr, ms, mb } = await user.cli(['probe', '--json']);
      assert.deepEqual([exit, stderr], [2, '']);
      assertPlain(stdout, 'probe');
      assert.ok(isInTime('cli', ms) && mb < MOST_MB, `probe took ${ms} ms and ${Math.round(mb)} MB`);
      const envelope = JSON.parse(stdout) as Envelope;
      assert.deepEqual([envelope.ok, envelope.error], [false, null]);
      const wrong = all.filter(({ what, state, says = /./ }) => {
        const found = envelope.data?.sources.find(({ name }) => name === what);
        return (
          !found ||
          !(state ? found.state === state : /^(unreachable|invalid)$/.test(found.state)) ||
          !says.test(found.note)
        );
      });
      assert.deepEqual(
        wrong.map(({ what }) => [what, envelope.data?.sources.find(({ name }) => name === what)]),
        [],
      );
      const text = await user.cli(['status']);
      assert.equal(text.exit, 2);
      assertPlain(text.stdout, 'status');
      assert.match(text.stdout, /could not check/);
    } finally {
      for (const { gateway } of all) gateway.close();
    }
  });

  it('several that hang cost no more than one', async () => {
    const gateway = await startGateway(() => {});
    try {
      const names = ['one', 'two', 'three', 'four', 'five', 'six'];
      const gateways = Object.fromEntries(names.map((name) => [name, { url: `${gateway.url}/${name}` }]));
      const user = machine('', { config: { gateways } });
      await user.start();
      assertUnchecked(await user.guard('search', { query: 'x' }));
    } finally {
      gateway.close();
    }
  });

  for (const [what, talk] of [
    ['no HTTP', (socket: Socket) => socket.end('\u001b]0;owned\u0007 hello\r\n\r\n')],
    ['a connection that breaks', (socket: Socket) => socket.destroy()],
  ] as const) {
    it(what, async () => {
      const server = createSocketServer((socket) => {
        socket.on('error', () => {});
        talk(socket);
      });
      const url = await listen(server);
      try {
        const user = machine(url);
        assert.deepEqual(await user.start(), {});
        assertUnchecked(await user.guard('search', { query: 'x' }));
        const { exit, stdout } = await user.cli(['probe', '--json']);
        assert.deepEqual([exit, (JSON.parse(stdout) as Envelope).data?.sources[0]?.state], [2, 'unreachable']);
      } finally {
        server.close();
      }
    });
  }
});

describe('redirects', { concurrency: 4 }, () => {
  it('another origin is not asked, and gets no header', async () => {
    const other = await startGateway(listOf(GOOD));
    const gateway = await startGateway((_request, response) =>
      response.writeHead(307, { location: `${other.url}/api/tools/list` }).end(),
    );
    try {
      const user = machine('', {
        config: { gateways: { gw: { url: gateway.url, headers: { authorization: 'Bearer secret' } } } },
      });
      assert.deepEqual(await user.start(), {});
      const answer = await user.guard('search', { query: 'x' });
      assertUnchecked(answer);
      assert.match(answer.systemMessage ?? '', /another origin/);
      const { exit, stdout } = await user.cli(['probe', '--json']);
      assert.equal(exit, 2);
      assert.equal((JSON.parse(stdout) as Envelope).data?.sources[0]?.state, 'invalid');
      assert.deepEqual(other.requests, []);
      assert.equal(gateway.requests[0]?.headers.authorization, 'Bearer secret');
    } finally {
      gateway.close();
      other.close();
    }
  });

  it('another origin is not asked either once the answer is known', async () => {
    const other = await startGateway(listOf(GOOD));
    const gateway = await startGateway(listOf(GOOD, '1', { etag: '"1"' }));
    try {
      const user = machine(gateway.url);
      await user.begin();
      assert.deepEqual(await user.guard('search', { query: 'x' }), {});
      gateway.set((_request, response) => response.writeHead(302, { location: other.url }).end());
      assertUnchecked(await user.guard('search', { query: 'x' }));
      assert.deepEqual(other.requests, []);
    } finally {
      gateway.close();
      other.close();
    }
  });

  it('the same origin is followed', async () => {
    const gateway = await startGateway((request, response) =>
      request.url === '/api/tools/list'
        ? response.writeHead(301, { location: '/v2/tools' }).end()
        : listOf(GOOD)(request, response),
    );
    try {
      const user = machine(gateway.url);
      await user.begin();
      assert.deepEqual(await user.guard('search', { query: 'x' }), {});
      assert.deepEqual(
        gateway.requests.slice(0, 2).map(({ url }) => url),
        ['/api/tools/list', '/v2/tools'],
      );
      const { exit, stdout } = await user.cli(['probe', '--json']);
      assert.deepEqual([exit, (JSON.parse(stdout) as Envelope).data?.sources[0]?.state], [0, 'fresh']);
    } finally {
      gateway.close();
    }
  });
});

describe('entity tags', { concurrency: 4 }, () => {
  const drifted = [tool('search', { q: text })];

  it('HTTP 304 to a question without conditions proves nothing, even where an answer is known', async () => {
    const gateway = await startGateway(listOf(GOOD));
    try {
      const user = machine(gateway.url);
      await user.begin();
      gateway.set((_request, response) => response.writeHead(304).end());
      const { exit, stdout } = await user.cli(['probe', '--json']);
      assert.equal(gateway.requests.at(-1)?.headers['if-none-match'], undefined);
      assert.deepEqual([exit, (JSON.parse(stdout) as Envelope).data?.sources[0]?.state], [2, 'invalid']);
    } finally {
      gateway.close();
    }
  });

  it('another tag for the same body is no change', async () => {
    let tag = 0;
    const gateway = await startGateway((request, response) =>
      listOf(GOOD, '1', { etag: `"${++tag}"` })(request, response),
    );
    try {
      const user = machine(gateway.url);
      await user.begin();
      assert.deepEqual(await user.guard('search', { query: 'x' }), {});
      assert.deepEqual(await user.guard('search', { query: 'x' }), {});
      assert.deepEqual(
        gateway.requests.map(({ headers }) => headers['if-none-match']),
        [undefined, '"1"', '"2"'],
      );
    } finally {
      gateway.close();
    }
  });

  for (const [what, tag] of [
    ['beyond Latin-1', Buffer.from('"\u2603"').toString('latin1')],
    ['of 8 kB', `"${'x'.repeat(8_000)}"`],
  ] as const) {
    it(`a tag ${what} does not keep a change from being seen`, async () => {
      const gateway = await startGateway(listOf(GOOD, '1', { etag: tag }));
      try {
        const user = machine(gateway.url);
        await user.begin();
        assert.deepEqual(await user.guard('search', { query: 'x' }), {});
        assert.deepEqual(await user.guard('search', { query: 'x' }), {}, 'and nothing is said while nothing changes');
        gateway.set(listOf(drifted, '2', { etag: tag }));
        assert.equal(decision(await user.guard('search', { query: 'x' })), 'deny');
        assert.equal((await user.cli(['probe', '--json'])).exit, 1);
      } finally {
        gateway.close();
      }
    });
  }
});
