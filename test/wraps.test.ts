// What wrap and the guard leave for each other: which wraps run, whose handoff a call takes, and what is cleared away.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Handoff, handoffPath, writeHandoff } from '../scripts/state/handoff.ts';
import { remove } from '../scripts/state/in-use.ts';
import { wrapFolder } from '../scripts/state/paths.ts';
import {
  announceWrap,
  listedDigest,
  noteStopped,
  pruneWraps,
  type RunningWrap,
  runningWraps,
  takeHandoff,
  wasStopped,
  wordsDigest,
} from '../scripts/state/wraps.ts';

const ended = spawnSync(process.execPath, ['-e', '']).pid;
const ID = 'toolu_01AbC';

const place = (test: Pick<TestContext, 'after'>): string => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-wraps-'));
  test.after(() => remove(home));
  return home;
};
const wrapOf = (pid: number, more: Partial<RunningWrap> = {}): RunningWrap => ({
  pid,
  parent: 1,
  session: 'one',
  project: '/project',
  words: wordsDigest(['--name', 'demo', '--', 'node', 'x']),
  socket: '/tmp/x',
  began: 5,
  ...more,
});
const run = (home: string, wrap: RunningWrap): RunningWrap => {
  mkdirSync(wrapFolder(home, wrap.pid), { recursive: true });
  announceWrap(home, wrap);
  return wrap;
};
const handoff: Handoff = {
  mode: 'guard',
  source: 'demo-key',
  listed: 'abc',
  logged: { session: 'one', server: 'demo', tool: 'search' },
};

describe('wraps that run', () => {
  it('are those whose process does, the newest first, and whose description is whole', (test) => {
    const home = place(test);
    assert.deepEqual(runningWraps(home), []);
    run(home, wrapOf(process.pid, { began: 5 }));
    run(home, wrapOf(process.ppid, { began: 7 }));
    run(home, wrapOf(ended, { began: 9 }));
    mkdirSync(join(wrapFolder(home, 1), '..', 'other'));
    assert.deepEqual(
      runningWraps(home).map(({ pid }) => pid),
      [process.ppid, process.pid],
    );
    for (const damaged of [{ socket: undefined }, { words: 5 }, { session: null }]) {
      run(home, { ...wrapOf(process.ppid), ...damaged } as unknown as RunningWrap);
      assert.deepEqual(
        runningWraps(home).map(({ pid }) => pid),
        [process.pid],
        JSON.stringify(damaged),
      );
    }
    writeFileSync(join(wrapFolder(home, process.ppid), 'about.json'), '{"pid":');
    assert.deepEqual(
      runningWraps(home).map(({ pid }) => pid),
      [process.pid],
    );
  });

  it('leave nothing behind once they have ended', (test) => {
    const home = place(test);
    run(home, wrapOf(process.pid));
    run(home, wrapOf(ended));
    pruneWraps(home);
    assert.deepEqual(
      [process.pid, ended].map((pid) => existsSync(wrapFolder(home, pid))),
      [true, false],
    );
  });
});

describe('a handoff', () => {
  it('is taken once, by the wrap that it was left for', (test) => {
    const home = place(test);
    const own = run(home, wrapOf(process.pid));
    writeHandoff(wrapFolder(home, own.pid), ID, handoff);
    assert.equal(takeHandoff(home, own, 'toolu_02'), undefined);
    assert.deepEqual(takeHandoff(home, own, ID), handoff);
    assert.equal(takeHandoff(home, own, ID), undefined);
    assert.ok(!existsSync(handoffPath(wrapFolder(home, own.pid), ID)));
  });

  for (const [name, more, isTaken] of [
    ['another one of the same session and command line', {}, true],
    ['one of another session', { session: 'two' }, false],
    ['one with another command line', { words: wordsDigest(['--', 'node', 'y']) }, false],
  ] as [string, Partial<RunningWrap>, boolean][])
    it(`that was left for ${name} is ${isTaken ? '' : 'not '}taken`, (test) => {
      const home = place(test);
      const own = run(home, wrapOf(process.pid));
      run(home, wrapOf(ended, more));
      writeHandoff(wrapFolder(home, ended), ID, handoff);
      assert.deepEqual(takeHandoff(home, own, ID), isTaken ? handoff : undefined);
      assert.equal(existsSync(handoffPath(wrapFolder(home, ended), ID)), !isTaken);
    });

  it('that is damaged, or whose id is a path, is none', (test) => {
    const home = place(test);
    const own = run(home, wrapOf(process.pid));
    const path = handoffPath(wrapFolder(home, own.pid), ID);
    for (const text of [
      '{',
      '[]',
      'null',
      JSON.stringify({ ...handoff, mode: 'lax' }),
      JSON.stringify({ ...handoff, source: 5 }),
      JSON.stringify({ ...handoff, logged: { session: 'one' } }),
      JSON.stringify({ ...handoff, logged: { ...handoff.logged, server: 5 } }),
    ]) {
      writeFileSync(path, text);
      assert.equal(takeHandoff(home, own, ID), undefined, text);
    }
    assert.equal(takeHandoff(home, own, '../../config'), undefined);
  });
});

it('a call that wrap stopped is known as that, and no other one', (test) => {
  const home = place(test);
  const own = run(home, wrapOf(process.pid));
  assert.equal(wasStopped(home, ID), false);
  noteStopped(home, own, ID);
  noteStopped(home, own, '../outside');
  noteStopped(home, wrapOf(ended), 'toolu_03');
  assert.deepEqual(
    [ID, 'toolu_02', '../outside', 'toolu_03'].map((id) => wasStopped(home, id)),
    [true, false, false, false],
  );
  assert.ok(!existsSync(join(wrapFolder(home, own.pid), '..', 'outside.stopped')));
});

it('digests tell words and contracts apart', () => {
  assert.notEqual(wordsDigest(['a b']), wordsDigest(['a', 'b']));
  assert.equal(listedDigest({ name: 'a' }).length, 32);
  assert.notEqual(listedDigest({ name: 'a' }), listedDigest({ name: 'b' }));
});
