// How long what a remote server listed counts as what it lists now, without asking it again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../scripts/contract/types.ts';
import { type Moment, thisMoment } from '../scripts/state/circumstances.ts';
import { ListFreshness } from '../scripts/wrap/freshness.ts';
import { type Listed, OwnRequests, type WasListed } from '../scripts/wrap/own-requests.ts';

const WRITES = { name: 'write' };
const READS = { name: 'read', annotations: { readOnlyHint: true } };

/** A list as wrap reads it from a server that sends these pages. */
const ofPages = async (...pages: JsonObject[]): Promise<Listed> => {
  const own = new OwnRequests({
    send: (line) => {
      const { id, params } = JSON.parse(line.toString());
      const at = Number(params?.cursor ?? 0);
      const next = at + 1 < pages.length ? { nextCursor: String(at + 1) } : {};
      const result = { tools: at === 0 ? [WRITES] : [READS], ...pages[at], ...next };
      own.take(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`));
    },
  });
  return own.list(undefined);
};

const before = (seconds: number): Moment => {
  const { at, up } = thisMoment();
  return { at: at - seconds * 1000, up: up - seconds * 1000 };
};

/** Whether a list counts for a tool that was asked for some seconds ago, by a host that was answered just now. */
const listed = (
  ago: number,
  { ttl, listens = false, announced = false }: { ttl?: number; listens?: boolean; announced?: boolean } = {},
) => {
  const freshness = new ListFreshness(() => (listens ? before(3_600) : undefined));
  const result = ttl === undefined ? {} : { ttlMs: ttl * 1000 };
  freshness.learned({ tools: [WRITES, READS], result }, before(ago));
  if (announced) freshness.announced();
  return (name: string): boolean => freshness.known(name) !== undefined;
};

describe('a list counts without asking again', () => {
  it('for as long as it says, and for a minute at most', () => {
    assert.equal(listed(29, { ttl: 30 })('write'), true);
    assert.equal(listed(31, { ttl: 30 })('write'), false);
    assert.equal(listed(58, { ttl: 600 })('write'), true);
    assert.equal(listed(62, { ttl: 600 })('write'), false);
  });

  it('for as long as each of its pages says', async () => {
    const counts = async (...pages: JsonObject[]): Promise<boolean> => {
      const freshness = new ListFreshness(() => undefined);
      freshness.learned(await ofPages(...pages), thisMoment());
      return freshness.known('write') !== undefined;
    };
    const [none, short, long] = [{}, { ttlMs: 0 }, { ttlMs: 60_000 }];
    assert.deepEqual(
      await Promise.all([
        counts(long),
        counts(long, long),
        counts(long, short),
        counts(short, long),
        counts(long, none),
      ]),
      [true, true, false, false, false],
    );
    const { result } = (await ofPages(
      { ...long, cacheScope: 'public', other: 1 },
      { ttlMs: 5_000, cacheScope: 'private' },
    )) as WasListed;
    assert.deepEqual(
      result,
      { tools: [WRITES], other: 1, ttlMs: 5_000, cacheScope: 'private' },
      'what the host is told',
    );
  });

  it('while its server announces changes, and for some 60 seconds', () => {
    assert.equal(listed(40, { listens: true })('write'), true);
    assert.equal(listed(40)('write'), false);
    assert.equal(listed(80, { listens: true })('write'), false);
  });

  it('not if it was asked for before its server could announce a change', () => {
    const freshness = new ListFreshness(() => before(10));
    const list = { tools: [WRITES], result: {} };
    freshness.learned(list, before(20));
    assert.equal(freshness.known('write'), undefined);
    freshness.learned(list, before(5));
    assert.equal(freshness.known('write'), list);
  });

  it('not from a server that once changed it and announced nothing', () => {
    const freshness = new ListFreshness(() => before(3_600));
    const [first, second] = [WRITES, READS].map((tool): Listed => ({ tools: [tool], result: {} })) as [Listed, Listed];
    freshness.learned(first, before(9));
    freshness.learned(first, before(8));
    assert.equal(freshness.known('write'), first);
    freshness.learned(second, before(7));
    freshness.learned(second, before(6));
    assert.equal(freshness.known('write'), undefined);
    assert.equal(freshness.answered('read'), true, 'it is worth to ask before the next call');
  });

  it('from a server that announced each change of it', async () => {
    const freshness = new ListFreshness(() => before(3_600));
    freshness.learned({ tools: [WRITES], result: {} }, before(9));
    freshness.announced();
    await sleep(5);
    const list = { tools: [WRITES, READS], result: {} };
    freshness.learned(list, thisMoment());
    assert.equal(freshness.known('write'), list);
  });

  it('not once its server gave no list when it was asked again', () => {
    const freshness = new ListFreshness(() => before(3_600));
    freshness.learned({ tools: [WRITES], result: { ttlMs: 50_000 } }, before(3));
    freshness.learned({ failed: 'no answer in time' }, before(2));
    assert.equal(freshness.known('write'), undefined);
  });

  it('not after an announced change, whatever it says', () => {
    for (const options of [{ ttl: 30 }, { listens: true }, { ttl: 30, listens: true }]) {
      assert.equal(listed(5, options)('write'), true);
      assert.equal(listed(5, { ...options, announced: true })('write'), false);
      assert.equal(listed(0, { ...options, announced: true })('read'), false);
    }
  });

  it('for a tool that only reads, if it came after the last answer to the host', () => {
    const freshness = new ListFreshness(() => undefined);
    freshness.answered('read');
    freshness.learned({ tools: [WRITES, READS], result: {} }, thisMoment());
    assert.deepEqual([freshness.known('read') !== undefined, freshness.known('write')], [true, undefined]);
    assert.equal(listed(5)('read'), false);
  });
});
