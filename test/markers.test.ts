// What is said once: by one of two hooks that come at the same time, and again if a marker was damaged.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Contract } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import {
  anyMarked,
  firstLook,
  firstTime,
  keepFirstLook,
  mark,
  notingMarks,
  readMarker,
  takeBack,
  unmark,
  wasMarked,
} from '../scripts/state/markers.ts';
import { firstEver, wasToldEver } from '../scripts/state/once.ts';
import { sessionFolder, toldPath } from '../scripts/state/paths.ts';
import { tool } from './sandbox.ts';

const folder = (test: Pick<TestContext, 'after'>): string => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-markers-'));
  test.after(() => remove(home));
  return home;
};

describe('a marker', () => {
  const about = { session: 's1', server: 'demo', tool: 'weather' };
  const markerIn = (home: string): string => {
    const [name = ''] = readdirSync(sessionFolder(home, 's1'));
    return join(sessionFolder(home, 's1'), name);
  };
  const other = { ...about, tool: 'forecast' };

  it('is set once for each thing', (test) => {
    const home = folder(test);
    assert.equal(anyMarked(home, 'notice', 's1'), false);
    const said = [about, about, other, other].map((one) => firstTime(home, 'notice', one));
    assert.deepEqual(said, [true, false, true, false]);
    assert.deepEqual([anyMarked(home, 'notice', 's1'), anyMarked(home, 'asked', 's1')], [true, false]);
    for (const name of readdirSync(sessionFolder(home, 's1')))
      utimesSync(join(sessionFolder(home, 's1'), name), 1_700_000_000, 1_700_000_000);
    assert.equal(firstTime(home, 'notice', about), false, 'also a long time after it was set');
  });
  it('that nobody read is taken back: what was marked before it stays, and what is a fact', (test) => {
    const home = folder(test);
    const contract: Contract = { name: 'weather', inputSchema: true };
    mark(home, 'told', about, { call: 1 });
    const { value, marks } = notingMarks(() => {
      mark(home, 'told', about, { call: 2 });
      mark(home, 'told', about, { call: 3 });
      keepFirstLook(home, about, contract);
      return firstTime(home, 'notice', about) && !firstTime(home, 'notice', about);
    });
    firstTime(home, 'notice', other);
    assert.equal(value, true);
    takeBack(marks);
    assert.deepEqual([wasMarked(home, 'notice', about), wasMarked(home, 'notice', other)], [false, true]);
    assert.equal(readMarker(home, 'told', about)?.call, 1);
    assert.deepEqual(firstLook(home, about), contract);
    // Once is enough.
    takeBack(marks);
  });
  it('that two hooks set at once is taken back for each of them, in any order', (test) => {
    for (const [taken, left] of [
      [['a', 'b'], undefined],
      [['b', 'a'], undefined],
      [['a'], 'b'],
      [['b'], 'a'],
    ] as const) {
      const home = folder(test);
      const said = (call: string) => notingMarks(() => mark(home, 'told', about, { call })).marks;
      const marks = { a: said('a'), b: said('b') };
      for (const call of taken) takeBack(marks[call]);
      assert.equal(readMarker(home, 'told', about)?.call, left, taken.join());
    }
  });
  it('that another hook is still writing is set: only one of them speaks', (test) => {
    const home = folder(test);
    firstTime(home, 'notice', about);
    writeFileSync(markerIn(home), '');
    assert.equal(firstTime(home, 'notice', about), false);
  });
  it('that was damaged is not set, unless just now: better to say something twice than never', (test) => {
    for (const when of [1_700_000_000, 4_000_000_000]) {
      const home = folder(test);
      firstTime(home, 'notice', about);
      const path = markerIn(home);
      writeFileSync(path, 'damaged');
      utimesSync(path, when, when);
      assert.equal(wasMarked(home, 'notice', about), false);
      assert.deepEqual(
        [1, 2].map(() => firstTime(home, 'notice', about)),
        [true, false],
      );
    }
  });
  it('of the first look at a tool stays, until it is removed', (test) => {
    const home = folder(test);
    const [had, has] = [true, false].map((readOnlyHint) => tool('weather', {}, {}, { annotations: { readOnlyHint } }));
    assert.equal(firstLook(home, about), undefined);
    for (const contract of [had, has]) keepFirstLook(home, about, contract as Contract);
    assert.deepEqual(firstLook(home, about), had);
    assert.equal(firstLook(home, other), undefined);
    unmark(home, 'first', about);
    keepFirstLook(home, about, has as Contract);
    assert.deepEqual(firstLook(home, about), has);
  });
});

describe('what is told once on a machine', () => {
  it('is told to the first that asks, and of a thousand things the oldest are forgotten', (test) => {
    const home = folder(test);
    assert.deepEqual([firstEver(home, 'a'), firstEver(home, 'a'), wasToldEver(home, 'a')], [true, false, true]);
    assert.equal(wasToldEver(home, 'b'), false);
    for (let at = 0; at < 1_000; at++) {
      writeFileSync(toldPath(home, `k${at}`), '');
      utimesSync(toldPath(home, `k${at}`), 1_000 + at, 1_000 + at);
    }
    assert.equal(firstEver(home, 'b'), true);
    const known = ['a', 'b', 'k0', 'k1', 'k2', 'k999'].filter((key) => wasToldEver(home, key));
    assert.deepEqual(known, ['a', 'b', 'k2', 'k999']);
  });
});
