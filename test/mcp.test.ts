// Asking servers over MCP: both eras, every transport, and what goes wrong.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../scripts/contract/defined.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import type { Server } from '../scripts/servers/types.ts';
import { within } from '../scripts/sources/deadline.ts';
import { boundedFetch } from '../scripts/sources/mcp/bounded-fetch.ts';
import { endProgram } from '../scripts/sources/mcp/end-program.ts';
import { listOverMcp } from '../scripts/sources/mcp/list-over-mcp.ts';
import { keyOf, mcpSource } from '../scripts/sources/mcp/mcp.ts';
import { askAgain } from '../scripts/sources/revalidate.ts';
import type { Source, SourceAnswer } from '../scripts/sources/source.ts';
import { ERAS, type Era, type Offer, startMcp } from './mcp-servers.ts';
import { noShell } from './posix.ts';
import { tool } from './sandbox.ts';

const DEADLINE = 5_000;
const weather = tool(
  'weather',
  { city: { type: 'string', 'x-own': [1] } },
  { required: ['city'] },
  { title: 'Weather' },
);

const many = (count: number): Contract[] => Array.from({ length: count }, (_none, index) => tool(`t${index}`, {}));

const serve = async (test: TestContext, era: Era, offer: Offer, refuse?: () => number | undefined) => {
  const server = await startMcp(era, offer, refuse);
  test.after(() => server.close());
  return server;
};

const configured = (url: string, more: Partial<Extract<Server['launch'], { type: 'http' | 'sse' }>> = {}): Server => {
  const launch = { type: url.endsWith('/sse') ? ('sse' as const) : ('http' as const), url, headers: {}, ...more };
  return { name: 'fx', scope: 'user', launch, configured: launch, unset: [], state: 'ready' };
};

const sourceOf = (server: Server): Source => {
  const source = mcpSource(server, '/project', false);
  assert.ok('key' in source, JSON.stringify(source));
  return source;
};

const answered = (answer: SourceAnswer): Extract<SourceAnswer, { status: 'answered' }> => {
  assert.equal(answer.status, 'answered', JSON.stringify(answer));
  return answer as Extract<SourceAnswer, { status: 'answered' }>;
};

describe('asking over MCP', () => {
  for (const era of ERAS) {
    it(`${era}: the contracts come as the server sent them, and nothing is left open`, async (test) => {
      const server = await serve(test, era, { tools: [weather], ttlMs: 1_500 });
      const { list, mcp } = answered(await sourceOf(configured(server.url)).ask(undefined, DEADLINE));
      assert.deepEqual(list.tools, [weather]);
      assert.equal(list.ttlMs, 1_500);
      assert.deepEqual(list.identity, {
        name: 'test-server',
        version: '1.0.0',
        protocol: era === 'modern' ? '2026-07-28' : '2025-11-25',
      });
      assert.equal(server.open(), 0, 'the session was not ended');
      assert.equal(mcp?.session, { modern: false, stateless: false, session: true, sse: undefined }[era]);
      assert.equal(list.offers, undefined, 'prompts were asked for, and nobody wanted them');
    });

    it(`${era}: prompts, resources and templates, where everything is wanted`, async (test) => {
      const server = await serve(test, era, {
        tools: [weather],
        prompts: [{ name: 'review', arguments: [{ name: 'code', required: true }, { name: 'style' }] }],
        resources: [{ uri: 'file:///a', name: 'a', mimeType: 'text/plain' }],
        resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'files' }],
      });
      const { list } = answered(await sourceOf(configured(server.url)).ask(undefined, DEADLINE, true));
      assert.deepEqual(
        list.offers?.map(({ name }) => name),
        ['prompt review', 'resource file:///a', 'resource template file:///{path}'],
      );
    });

    it(`${era}: every page, and all over again when a cursor is no longer known`, async (test) => {
      const server = await serve(test, era, { tools: many(25), pageSize: 10, badCursors: era === 'modern' ? 0 : 1 });
      const { list, mcp } = answered(await sourceOf(configured(server.url)).ask(undefined, DEADLINE));
      assert.equal(list.tools.length, 25);
      assert.equal(mcp, undefined, 'what has pages cannot be asked again by one request');
    });

    it(`${era}: no page again when one fails for another reason`, async (test) => {
      let asked = 0;
      const before = () => {
        if (++asked === 2) throw new Error('out of order');
      };
      const server = await serve(test, era, { tools: many(9), pageSize: 4, before });
      const { status } = await sourceOf(configured(server.url)).ask(undefined, DEADLINE);
      assert.deepEqual([status, asked], ['invalid', 2]);
    });

    it(`${era}: a list of pages lives as long as each of them, and a private one is not kept`, async (test) => {
      const [short, long] = [
        { ttlMs: 2_000, cacheScope: 'public' },
        { ttlMs: 60_000, cacheScope: 'public' },
      ];
      const cases: [JsonObject[], number | undefined][] = [
        [[long, short], 2_000],
        [[short, long], 2_000],
        [[long, long], 60_000],
        [[long, {}], undefined],
        [[{}, long], undefined],
        [[long, { ...long, ttlMs: 0 }], undefined],
        [[long, { ...long, cacheScope: 'private' }], undefined],
        [[{ ttlMs: 60_000 }, { ttlMs: 60_000 }], undefined],
      ];
      const offer: Offer = { tools: many(2), pageSize: 1 };
      const server = await serve(test, era, offer);
      for (const [caching, ttlMs] of cases) {
        offer.caching = caching;
        const { list } = answered(await sourceOf(configured(server.url)).ask(undefined, DEADLINE));
        assert.deepEqual([list.tools.length, list.ttlMs], [2, ttlMs], JSON.stringify(caching));
      }
    });

    it(`${era}: wants a sign-in: unaskable, with the reason`, async (test) => {
      const server = await serve(test, era, { tools: [] }, () => 401);
      const answer = await sourceOf(configured(server.url)).ask(undefined, DEADLINE);
      assert.deepEqual(answer, {
        status: 'unaskable',
        why: 'it wants a sign-in, and only Claude Code has the token',
      });
    });

    it(`${era}: an error of the server is no tool list`, async (test) => {
      const server = await serve(test, era, { tools: [] }, () => 500);
      const answer = await sourceOf(configured(server.url)).ask(undefined, DEADLINE);
      assert.equal(answer.status, 'unreachable', JSON.stringify(answer));
    });

    if (era !== 'sse') {
      it(`${era}: asked again with one request, and the same answer is told from another one`, async (test) => {
        const server = await serve(test, era, { tools: [weather] });
        const source = sourceOf(configured(server.url));
        const { mcp } = answered(await source.ask(undefined, DEADLINE));
        server.seen.length = 0;
        const ask = (etag?: string) => {
          const repeat = source.repeat?.(defined({ mcp, etag }));
          assert.ok(repeat);
          return askAgain(repeat, DEADLINE);
        };
        const first = await ask();
        assert.equal(first.status, 'other');
        assert.ok(first.status === 'other' && first.text.includes('x-own'));
        assert.deepEqual(await ask(first.etag), { status: 'same' });
        server.offer.tools = [{ ...weather, description: 'other words' }];
        assert.equal((await ask(first.etag)).status, 'other');
        assert.equal(server.open(), 0, 'the session was not ended');
        const lists = server.seen.filter((request) => request === 'POST tools/list').length;
        assert.equal(lists, 3);
        if (era !== 'session') assert.equal(server.seen.length, 3, server.seen.join(', '));
      });
    }
  }

  it('a server that hangs costs its deadline, and no more', async (test) => {
    const server = await serve(test, 'modern', { tools: [], before: () => new Promise(() => {}) });
    const start = Date.now();
    const answer = await sourceOf(configured(server.url)).ask(undefined, 700);
    assert.deepEqual(answer, { status: 'unreachable', why: 'no answer within 0.7 s' });
    assert.ok(Date.now() - start < 6_000, `${Date.now() - start} ms`);
  });

  it('nobody there', async () => {
    const server = await startMcp('modern', { tools: [] });
    await server.close();
    for (const headers of [{}, { authorization: 'Bearer secret' }] as Record<string, string>[]) {
      const answer = await sourceOf(configured(server.url, { headers })).ask(undefined, DEADLINE);
      assert.deepEqual(answer, { status: 'unreachable', why: 'ECONNREFUSED' });
    }
  });

  /** Waits until messages on one connection have arrived, before a test sends on another. */
  const heard = () => sleep(50);
  it('a list that changes while it is read is read once more', async (test) => {
    let times = 0;
    const server = await serve(test, 'session', {
      tools: [weather],
      before: async (notify) => {
        if (times++ > 0) return;
        server.offer.tools = many(2);
        await notify();
        await heard();
      },
    });
    const { list } = answered(await sourceOf(configured(server.url)).ask(undefined, DEADLINE));
    assert.equal(list.tools.length, 2);
    assert.deepEqual(list.signals, ['tools']);
  });

  it('a list that keeps changing is no answer', async (test) => {
    const server = await serve(test, 'session', { tools: [weather], before: (notify) => notify().then(heard) });
    const answer = await sourceOf(configured(server.url)).ask(undefined, DEADLINE);
    assert.deepEqual(answer, {
      status: 'invalid',
      why: 'its tools changed while being read, and again when they were read once more: reconnect it or start it again',
    });
  });

  it('headers of the settings and of a headersHelper are sent, and never kept', async (test) => {
    const server = await serve(test, 'modern', { tools: [weather] });
    const headersHelper = `"${process.execPath}" -p "JSON.stringify({ 'x-made': 'made' })"`;
    const source = sourceOf(configured(server.url, { headers: { authorization: 'Bearer secret' }, headersHelper }));
    const { mcp } = answered(await source.ask(undefined, DEADLINE));
    assert.equal(server.headers().authorization, 'Bearer secret');
    assert.equal(server.headers()['x-made'], 'made');
    assert.deepEqual(mcp, { protocol: '2026-07-28', session: false });
  });

  it('with headers a list of several pages is read in full', async (test) => {
    const server = await serve(test, 'modern', { tools: [weather, { ...weather, name: 'tides' }], pageSize: 1 });
    const source = sourceOf(configured(server.url, { headers: { authorization: 'Bearer secret' } }));
    const { list, mcp } = answered(await source.ask(undefined, DEADLINE));
    assert.deepEqual([list.tools.length, mcp], [2, undefined]);
  });

  it('user and password in an address are sent as a header, and in no message', async (test) => {
    const server = await serve(test, 'modern', { tools: [weather] });
    const url = server.url.replace('//', '//me:s3cret@');
    const source = sourceOf(configured(url));
    const { mcp } = answered(await source.ask(undefined, DEADLINE));
    assert.equal(server.headers().authorization, `Basic ${Buffer.from('me:s3cret').toString('base64')}`);
    assert.doesNotMatch(JSON.stringify([source.where, source.key, mcp]), /s3cret/);
    await server.close();
    assert.doesNotMatch(JSON.stringify(await source.ask(undefined, DEADLINE)), /s3cret/);
  });

  it('a headersHelper that fails is a reason of its own', async (test) => {
    const server = await serve(test, 'modern', { tools: [weather] });
    const answer = await sourceOf(configured(server.url, { headersHelper: 'exit 3' })).ask(undefined, DEADLINE);
    assert.deepEqual(answer, {
      status: 'unaskable',
      why: 'its headersHelper failed: run it by hand to see why',
    });
    assert.deepEqual(server.seen, []);
  });

  it('an address that holds a key is neither shown nor kept', async (test) => {
    const server = await serve(test, 'modern', { tools: [weather] });
    const url = `${server.url}/s/0123456789abcdef0123456789abcdef`;
    const source = sourceOf(configured(url));
    assert.doesNotMatch(source.where, /0123456789/);
    const { mcp } = answered(await source.ask(undefined, DEADLINE));
    assert.equal(mcp?.url, undefined);
  });

  it('a program is asked only with spawn, and is gone afterwards', async () => {
    const launch = {
      type: 'stdio' as const,
      command: process.execPath,
      args: [resolve('test/stdio-server.mjs')],
      env: {},
    };
    const server: Server = { name: 'fx', scope: 'user', launch, configured: launch, unset: [], state: 'ready' };
    assert.ok(!('key' in mcpSource(server, '/', false)));
    const listed = await within(DEADLINE, (deadline) => listOverMcp({ ...launch, cwd: '/' }, ['tools'], deadline));
    assert.equal(listed.status, 'listed', JSON.stringify(listed));
    const pid = Number((listed.status === 'listed' ? listed.lists.tools?.[0]?.description : '') ?? '');
    assert.ok(pid > 0);
    assert.throws(() => process.kill(pid, 0), 'the program still runs');
  });

  it('a program is ended with all that was started for it, one by the other', { skip: noShell }, async () => {
    const behind = (program: string, depth: number): string =>
      depth === 0 ? program : `sh -c ${JSON.stringify(`${behind(program, depth - 1)}; :`)}`;
    const words = ['-c', behind('echo; sleep 20', 4)];
    const started = spawn('sh', words, { stdio: ['pipe', 'pipe', 'ignore'] });
    await once(started.stdout, 'data');
    started.stdout.resume();
    // As long as one of them runs, it holds the output.
    const closed = once(started, 'close');
    await endProgram(
      started.pid as number,
      () => started.stdin.end(),
      closed,
      () => 4_000,
    );
    assert.notEqual(await Promise.race([closed, sleep(500, 'open')]), 'open');
  });

  it('a server is one source in all projects, unless it is configured for one of them', () => {
    const http = configured('http://127.0.0.1:1/mcp');
    const stdio = (project: string): Server => {
      const launch = {
        type: 'stdio' as const,
        command: 'x',
        args: [],
        env: { CLAUDE_PROJECT_DIR: project },
        cwd: project,
      };
      return { ...http, launch, configured: launch };
    };
    for (const scope of ['user', 'plugin', 'managed', 'project', 'local'] as const) {
      const isOfOne = scope === 'project' || scope === 'local';
      assert.equal(keyOf({ ...http, scope }, '/a') !== keyOf({ ...http, scope }, '/b'), isOfOne, scope);
      const [a, b] = ['/a', '/b'].map((project) => keyOf({ ...stdio(project), scope }, project));
      assert.equal(a !== b, isOfOne, `a program, ${scope}`);
    }
  });

  it('a server that the client does not start is never asked', () => {
    for (const state of ['unapproved', 'rejected', 'disabled'] as const) {
      const server = { ...configured('http://127.0.0.1:9/mcp'), state };
      assert.deepEqual(mcpSource(server, '/', true), { name: 'fx', why: `it is ${state}` });
    }
  });

  it('a request of the library ends when the library ends it, or when it is too late', async () => {
    const ended = async (signal: AbortSignal | undefined, late: AbortSignal): Promise<unknown> => {
      const hanging = createServer(() => {}).listen(0, '127.0.0.1');
      await once(hanging, 'listening');
      const { port } = hanging.address() as AddressInfo;
      const asked = boundedFetch({ ms: 9_000, late, over: late, left: () => 9_000 });
      const request = asked(`http://127.0.0.1:${port}`, signal ? { signal } : {});
      const end = await Promise.race([request.catch(({ name }) => name), sleep(2_000, 'goes on', { ref: false })]);
      hanging.closeAllConnections();
      hanging.close();
      return end;
    };
    const never = new AbortController().signal;
    assert.deepEqual(
      await Promise.all([
        ended(AbortSignal.timeout(20), never),
        ended(undefined, AbortSignal.timeout(20)),
        ended(never, AbortSignal.timeout(20)),
      ]),
      ['TimeoutError', 'TimeoutError', 'TimeoutError'],
    );
  });
});
