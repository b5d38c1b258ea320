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
import { notesBefore, takenCalls, wasJudged } from '../scripts/state/judging.ts';
import { headPath, sessionPath, takenPath } from '../scripts/state/paths.ts';
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

describe('the note that a resident guard took a call', () => {
  /** No system gives this number to a process. */
  const GONE = 999_999_999;
  const lines = (home: string, ...all: unknown[][]): void => {
    mkdirSync(dirname(takenPath(home, 's1')), { recursive: true });
    writeFileSync(takenPath(home, 's1'), all.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };

  it('leaves the call to it once it has answered, and no other call', async (test) => {
    const home = folder(test);
    const taken = takenCalls();
    taken.take(home, 's1', 'toolu_1');
    taken.answered(home, 's1', 'toolu_1');
    assert.equal(await wasJudged(home, 's1', 'toolu_1'), true);
    assert.equal(await wasJudged(home, 's2', 'toolu_1'), false, 'another session');
    assert.equal(await wasJudged(home, 's1', 'toolu_2'), false, 'another call');
    assert.equal(await wasJudged(home, 's1', ''), false, 'a call without an id');
    lines(home, [GONE, 'taken', 'toolu_1'], [GONE, 'answered', 'toolu_1']);
    assert.equal(await wasJudged(home, 's1', 'toolu_1'), true, 'it answered, and ended');
  });

  it('does not keep a command waiting for one that has ended', async (test) => {
    const home = folder(test);
    lines(home, [GONE, 'here', ''], [GONE, 'taken', 'toolu_1']);
    const began = performance.now();
    assert.equal(await wasJudged(home, 's1', 'toolu_1'), false);
    assert.equal(await wasJudged(home, 's1', 'toolu_2'), false);
    assert.ok(performance.now() - began < 200, 'it waited');
  });

  it('is waited for while it runs, until it answers', async (test) => {
    const home = folder(test);
    const taken = takenCalls();
    taken.take(home, 's1', 'toolu_1');
    const judged = wasJudged(home, 's1', 'toolu_1');
    setTimeout(() => taken.answered(home, 's1', 'toolu_1'), 300);
    assert.equal(await judged, true);
  });

  it('tells its successor of the calls of the ones before it, and not of its own; damaged lines tell nothing', (test) => {
    const home = folder(test);
    const note = { tool: 'mcp__demo__search' };
    lines(home, [GONE, 'answered', 'toolu_1', note], [GONE, 'answered', 'toolu_2'], [GONE, 'taken', 7, note]);
    writeFileSync(takenPath(home, 's1'), '{"half\n', { flag: 'a' });
    takenCalls().answered(home, 's1', 'toolu_3', note);
    assert.deepEqual(notesBefore(home, 's1'), [{ toolUseId: 'toolu_1', note }]);
  });

  it('starts its file again after five hundred lines, and never between two lines of one call', async (test) => {
    const home = folder(test);
    const taken = takenCalls();
    for (let call = 0; call <= 260; call++) {
      taken.take(home, 's1', `toolu_${call}`);
      taken.answered(home, 's1', `toolu_${call}`);
      assert.equal(await wasJudged(home, 's1', `toolu_${call}`), true, String(call));
    }
    const kept = readFileSync(takenPath(home, 's1'), 'utf8').trim().split('\n');
    assert.ok(kept.length < 100, `${kept.length} lines`);
  });
});
