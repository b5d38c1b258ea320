import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { contractHash } from '../scripts/contract/canonical.ts';
import { defined } from '../scripts/contract/defined.ts';
import type { Contract } from '../scripts/contract/types.ts';
import { viewHash } from '../scripts/contract/view.ts';
import { within } from '../scripts/sources/deadline.ts';
import { type Head, isLive } from '../scripts/sources/head.ts';
import { get } from '../scripts/sources/http.ts';
import { askSource, keepAnswer, readLive } from '../scripts/sources/live.ts';
import { exchange } from '../scripts/sources/request.ts';
import type { Source, SourceAnswer } from '../scripts/sources/source.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { tool } from './sandbox.ts';

const slowSource = (ms: number): Source => ({
  key: 'slow',
  name: 'slow',
  where: 'nowhere',
  covers: () => true,
  ask: async () => {
    await sleep(ms);
    return { status: 'answered', list: { tools: [tool('list', {})], advertised: new Map() } };
  },
});

describe('a live answer', () => {
  it('is as old as the question: what the server did while it was on its way is not in it', async (test) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    const asked = await askSource(home, slowSource(400), { freshFor: 0.3, deadline: 2_000 });
    assert.equal(asked.status, 'live');
    assert.ok(asked.head.freshUntil <= Date.now(), 'an answer that was under way for longer than freshFor is not live');
  });
});

describe('how long an answer over MCP counts', () => {
  for (const [what, url, cacheScope, seconds] of [
    ['its own time, where it is asked without credentials', 'http://127.0.0.1:1/mcp', 'private', 30],
    ['its own time, where it says that it is the same for all', undefined, 'public', 30],
    ['the time of the settings, where it is for some credentials alone', undefined, 'private', 3],
    ['the time of the settings, where it was asked with credentials and says nothing', undefined, undefined, 3],
  ] as const)
    it(`is ${what}`, (test) => {
      const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
      test.after(() => remove(home));
      const list = { tools: [tool('list', {})], advertised: new Map(), ttlMs: 30_000, ...defined({ cacheScope }) };
      const mcp = { protocol: '2025-06-18', session: false, ...defined({ url }) };
      const { head } = keepAnswer(home, slowSource(0), { status: 'answered', list, mcp }, 3, thisMoment());
      assert.equal(head.freshUntil - head.checkedAt, seconds * 1_000);
    });
});

describe('a question that must be asked', () => {
  it('is asked even if the last answer came within the same millisecond', async (test) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    let asked = 0;
    const source: Source = {
      ...slowSource(0),
      ask: async () => ({
        status: 'answered',
        list: { tools: [tool(`v${++asked}`, {})], advertised: new Map() },
      }),
    };
    for (let nth = 1; nth <= 100; nth++) {
      const answer = await askSource(home, source, { freshFor: 60, deadline: 2_000, force: true });
      assert.equal(answer.status === 'live' && answer.live.tools[0]?.name, `v${nth}`);
    }
  });
});

describe('a source that says when it changed last', () => {
  it('is asked again if that was after its last answer, however long this would count', async (test) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    let [asked, changedAt] = [0, 0];
    const source: Source = {
      ...slowSource(0),
      changedAt: () => changedAt,
      ask: async () => ({ status: 'answered', list: { tools: [tool(`v${++asked}`, {})], advertised: new Map() } }),
    };
    const toolNow = async (): Promise<string | undefined> => {
      const answer = await askSource(home, source, { freshFor: 60, deadline: 2_000 });
      return answer.status === 'live' ? answer.live.tools[0]?.name : undefined;
    };
    assert.deepEqual([await toolNow(), await toolNow()], ['v1', 'v1']);
    changedAt = Date.now();
    await sleep(5);
    assert.deepEqual([await toolNow(), await toolNow()], ['v2', 'v2']);
  });
});

describe('a short question', () => {
  it('is not enough where the answer is the first of several pages', async (test) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    let tools = [tool('list', {})];
    const source: Source = {
      ...slowSource(0),
      key: 'paged',
      repeat: () => ({ url: 'http://127.0.0.1:9/', headers: {}, etag: '' }),
      ask: async () => ({
        status: 'answered',
        list: { tools, advertised: new Map() },
        mcp: { protocol: '2026-07-28', session: false },
      }),
    };
    const namesNow = async (): Promise<string[]> => {
      const result = { tools: tools.slice(0, 1), nextCursor: '2' };
      const again = async () => ({ status: 'other' as const, text: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) });
      const asked = await askSource(home, source, { freshFor: 0, deadline: 2_000, force: true, again });
      return asked.status === 'live' ? asked.live.tools.map(({ name }) => name) : [asked.why];
    };
    assert.deepEqual(await namesNow(), ['list']);
    tools = [tool('list', {}), tool('read', {})];
    assert.deepEqual(await namesNow(), ['list', 'read']);
  });
});

describe('an advertised hash', () => {
  it('is right in any case, and with the name of its algorithm', (test) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    const listed = tool('list', {});
    const hash = contractHash(listed);
    const isWrong = (advertised: string): boolean => {
      const list = { tools: [listed], advertised: new Map([['list', advertised]]) };
      const kept = keepAnswer(home, { key: 'k', name: 's' }, { status: 'answered', list }, 2, thisMoment());
      return kept.status === 'live' && kept.live.mismatched.includes('list');
    };
    for (const right of [hash, hash.toUpperCase(), `sha256:${hash}`, `SHA256-${hash}`])
      assert.equal(isWrong(right), false, right);
    for (const wrong of [hash.slice(1), `sha512:${hash}`, `sha256:${hash}0`, `sha256:sha256:${hash}`, ''])
      assert.equal(isWrong(wrong), true, wrong);
  });
});

describe('contracts of before', () => {
  it('stay known by their hashes, the newest last: a tool that had them and has another one now is stale', (test) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    const versions = Array.from({ length: 26 }, (_, nth) => tool('list', { [`p${nth}`]: { type: 'string' } }));
    const answer = (one: Contract): SourceAnswer => ({
      status: 'answered',
      list: { tools: [one, tool('other', {})], advertised: new Map() },
    });
    const pastAfter = (count: number): string[] | undefined => {
      const source = { key: `s${count}`, name: 's' };
      for (const one of versions.slice(0, count)) keepAnswer(home, source, answer(one), 2, thisMoment());
      const past = readLive(home, source.key)?.past ?? {};
      assert.deepEqual(Object.keys(past), count > 1 ? ['list'] : []);
      return past.list;
    };
    const hashes = versions.map(viewHash);
    assert.equal(pastAfter(1), undefined);
    assert.deepEqual(pastAfter(4), hashes.slice(0, 3));
    assert.deepEqual(pastAfter(26), hashes.slice(5, 25));
  });
});

describe('an answer that says how long it counts', () => {
  it('counts for a minute at most, and not at all if a clock puts it in the future', () => {
    const asked = (secondsAgo: number, lasts: number): Head => {
      const { at, up } = thisMoment();
      const checkedAt = at - secondsAgo * 1_000;
      return {
        name: 's',
        digest: 'd',
        checkedAt,
        checkedUp: up - secondsAgo * 1_000,
        freshUntil: checkedAt + lasts * 1_000,
      };
    };
    const counts = [asked(58, 1e9), asked(62, 1e9), asked(3, 2), asked(1, 2), asked(-30, 1e9)];
    assert.deepEqual(
      counts.map((head) => isLive(head, undefined)),
      [true, false, false, true, false],
    );
    assert.deepEqual(
      ['a', 'b', undefined].map((session) => isLive({ ...asked(1, 2), session: 'a' }, session)),
      [true, false, false],
    );
  });
});

describe('one request', () => {
  /** A server that answers with the status in the path, and names another address. */
  const serve = async (test: TestContext) => {
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(Number(url.slice(1)), { location: '/200' }).end(url === '/200' ? 'x'.repeat(100) : '');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    test.after(() => server.close());
    return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  it('follows a redirect, and no other answer that names an address', async (test) => {
    const { asked, url } = await serve(test);
    const answerTo = (status: number) =>
      within(5_000, (deadline) => get(new URL(`${url}/${status}`), {}, 'x', deadline));
    for (const status of [302, 307, 308]) assert.equal((await answerTo(status)).status, 'text', `HTTP ${status}`);
    for (const [status, kind] of [
      [202, 'invalid'],
      [304, 'same'],
      [401, 'invalid'],
      [404, 'invalid'],
      [503, 'unreachable'],
    ] as const) {
      asked.length = 0;
      assert.equal((await answerTo(status)).status, kind, `HTTP ${status}`);
      assert.deepEqual(asked, [`/${status}`]);
    }
  });

  it('is read up to its limit', async (test) => {
    const { url } = await serve(test);
    for (const [longest, status] of [
      [100, 200],
      [99, 'failed'],
    ] as const)
      assert.equal((await exchange({ url: `${url}/200`, headers: {}, longest }, 5_000)).status, status);
  });
});

describe('a source that fails', () => {
  it('in the middle of its answer has failed at once, and not only when its time is over', async (test) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"tools":', () => response.destroy());
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    test.after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    assert.deepEqual(await exchange({ url, headers: {} }, 5_000), { status: 'failed' });
  });

  const waitsOf = async (test: TestContext, ask: Source['ask'], tries: number): Promise<number[]> => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    const waits: number[] = [];
    for (let times = 0; times < tries; times++) {
      const since = { at: Date.now() + 1, up: Number.MAX_SAFE_INTEGER };
      const { head } = await askSource(
        home,
        { ...slowSource(0), ask },
        { freshFor: 2, deadline: 1_000, force: true, since },
      );
      waits.push(head.freshUntil - head.checkedAt);
    }
    return waits;
  };

  it('is left alone twice as long each time, up to a limit, and is asked at once when it is forced', async (test) => {
    const slowly = async (): Promise<SourceAnswer> => {
      await sleep(800);
      return { status: 'unreachable', why: 'ECONNRESET' };
    };
    for (const [times, wait] of (await waitsOf(test, slowly, 4)).entries()) {
      const base = Math.min(5_000 * 2 ** times, 15_000);
      assert.ok(wait >= base / 2 && wait <= base * 1.5, `${times}: ${wait} ms`);
    }
  });

  it('that fails quickly, as while it is replaced, is asked again soon, however often it failed', async (test) => {
    const quickly = async (): Promise<SourceAnswer> => ({ status: 'invalid', why: 'HTTP 503' });
    for (const wait of await waitsOf(test, quickly, 6)) assert.ok(wait >= 500 && wait < 5_000, `${wait} ms`);
    const never = async (): Promise<SourceAnswer> => ({ status: 'unaskable', why: 'it is not a URL' });
    const [, , last = 0] = await waitsOf(test, never, 3);
    assert.ok(last >= 10_000, `what only a person can mend is left alone: ${last} ms`);
  });
});
