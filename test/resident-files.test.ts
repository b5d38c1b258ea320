// What the resident guard reads from the state folder, and what it puts back there.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { baselineCopy } from '../scripts/resident/baseline-copy.ts';
import { storedAnswer } from '../scripts/resident/stored.ts';
import { readHead, writeHead } from '../scripts/sources/head.ts';
import { keepAnswer } from '../scripts/sources/live.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { headPath, sessionPath } from '../scripts/state/paths.ts';
import { tool } from './sandbox.ts';

const folder = (test: Pick<TestContext, 'after'>): string => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-resident-'));
  test.after(() => remove(home));
  return home;
};

describe('the copy of a baseline', () => {
  const world = (test: TestContext) => {
    const home = folder(test);
    const program = join(home, 'guard.cjs');
    const path = sessionPath(home, 's1');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'one');
    writeFileSync(program, '');
    const copy = baselineCopy(program);
    copy.keep(home, 's1');
    return { home, program, path, copy };
  };

  it('is written again where the file is gone, with what it held last', (test) => {
    const { home, path, copy } = world(test);
    writeFileSync(path, 'two, by another process');
    copy.keep(home, 's1');
    for (const _time of [1, 2]) {
      rmSync(path);
      copy.keep(home, 's1');
      copy.restore(home, 's1');
      assert.equal(readFileSync(path, 'utf8'), 'two, by another process');
    }
  });

  it('is not written over a file that is there, nor for another session', (test) => {
    const { home, path, copy } = world(test);
    writeFileSync(path, 'newer');
    copy.restore(home, 's1');
    assert.equal(readFileSync(path, 'utf8'), 'newer');
    copy.restore(home, 's2');
    assert.equal(existsSync(sessionPath(home, 's2')), false);
  });

  it('is not written once our program is gone, too: we were uninstalled', (test) => {
    const { home, program, path, copy } = world(test);
    for (const gone of [path, program]) rmSync(gone);
    copy.restore(home, 's1');
    assert.equal(existsSync(path), false);
  });
});

describe('the answer of a source that is stored', () => {
  const source = { key: 'a'.repeat(32), name: 'demo' };
  const answered = (test: TestContext): string => {
    const home = folder(test);
    const list = { tools: [tool('weather', {})], advertised: new Map() };
    keepAnswer(home, source, { status: 'answered', list } as never, 60, thisMoment());
    return home;
  };

  it('is given with its head', (test) => {
    const stored = storedAnswer(answered(test), source.key);
    assert.deepEqual(
      stored?.live.tools.map(({ name }) => name),
      ['weather'],
    );
    assert.equal(stored?.head.digest, stored?.live.digest);
  });

  it('is not given where there is none, where the last question failed, or where it is of another moment than its head', (test) => {
    const home = answered(test);
    assert.equal(storedAnswer(home, 'b'.repeat(32)), undefined);
    const head = readHead(home, source.key);
    assert.ok(head);
    writeHead(home, source.key, { ...head, failure: { status: 'unreachable', why: 'no answer in time' } });
    assert.equal(storedAnswer(home, source.key), undefined);
    writeHead(home, source.key, { ...head, digest: 'other' });
    assert.equal(storedAnswer(home, source.key), undefined);
    writeHead(home, source.key, head);
    assert.ok(storedAnswer(home, source.key));
    rmSync(headPath(home, source.key));
    assert.equal(storedAnswer(home, source.key), undefined);
  });
});
