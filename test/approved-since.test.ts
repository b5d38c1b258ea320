// Which approvals a pull request brings, and when the newest was given.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { approvedSince } from '../scripts/lock/approved-since.ts';
import { newestRecord } from '../scripts/lock/newest-record.ts';
import { makePin, makeRefused } from '../scripts/lock/seal.ts';
import { type Approved, type Lock, type Pin, toPins } from '../scripts/lock/types.ts';
import { FETCH, RENAMED, SEARCH } from './lock-bench.ts';

const approved: Approved = { by: 'Ada', at: '2026-01-02T03:04:05Z', why: 'read it', diff: 'd'.repeat(64) };
const later: Approved = { ...approved, at: '2026-02-02T03:04:05Z' };
const gone = new Map([['search', { approved, seal: 's'.repeat(64) }]]);
const pins = (...tools: Pin[]): Map<string, Pin> => new Map(tools.map((pin) => [pin.contract.name, pin]));
const pin = (contract: Pin['contract'], by?: Approved): Pin => ({
  ...makePin('demo', contract),
  ...(by === undefined ? {} : { approved: by }),
});
const lock = (...parts: Parameters<typeof toPins>): Lock => new Map([['demo', toPins(...parts)]]);
const since = (before: Lock, now: Lock): string[] => approvedSince(before, now).map(({ tool, at }) => `${tool} ${at}`);

describe('approvals since another lockfile', () => {
  const old = lock(pins(pin(SEARCH), pin(FETCH)));
  it('are those of pins that changed, came, or were approved again', () => {
    assert.deepEqual(since(old, old), []);
    assert.deepEqual(since(old, lock(pins(pin(RENAMED, approved), pin(FETCH)))), [`search ${approved.at}`]);
    assert.deepEqual(since(new Map(), lock(pins(pin(SEARCH, approved)))), [`search ${approved.at}`]);
    const again = lock(pins(pin(SEARCH, later)));
    assert.deepEqual(since(lock(pins(pin(SEARCH, approved))), again), [`search ${later.at}`]);
    assert.deepEqual(since(again, again), []);
  });
  it('are those of tools that were taken out since, not of those that were out already', () => {
    assert.deepEqual(since(old, lock(pins(pin(FETCH)), gone)), [`search ${approved.at}`]);
    assert.deepEqual(since(lock(pins(pin(FETCH)), gone), lock(pins(pin(FETCH)), gone)), []);
    const back = lock(pins(pin(SEARCH), pin(FETCH)), gone);
    assert.deepEqual(since(back, back), [], 'pinned again, with what is left of its removal');
    assert.deepEqual(since(back, lock(pins(pin(SEARCH, later), pin(FETCH)), gone)), [`search ${later.at}`]);
  });
});

describe('the newest record', () => {
  it('is none in a lockfile without one', () => {
    assert.equal(newestRecord(lock(pins(pin(SEARCH)))), undefined);
  });
  it('is the latest of all, wherever it stands', () => {
    const at = '2026-03-02T03:04:05Z';
    const newest = { ...approved, at };
    const record = (one: Approved): Pin => pin(FETCH, one);
    const no = makeRefused('demo', 'search', { by: 'Ada', at, why: 'it tells others' });
    for (const one of [
      lock(pins(record(newest))),
      lock(pins(record({ ...later, second: newest }))),
      lock(pins({ ...record(later), earlier: [newest] })),
      lock(pins(record(later)), new Map([['search', { approved: newest, seal: '' }]])),
      lock(pins(record(later)), undefined, new Map([['search', no]])),
    ])
      assert.equal(newestRecord(new Map([...one, ['other', toPins(pins(pin(SEARCH, approved)))]])), at);
  });
  it('goes by time, not by spelling', () => {
    const [second, moment] = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.500Z'];
    for (const times of [
      [second, moment],
      [moment, second],
    ]) {
      const all = [SEARCH, FETCH].map((tool, index) => pin(tool, { ...approved, at: times[index] as string }));
      assert.equal(newestRecord(lock(pins(...all))), moment);
    }
  });
});
