// A lock of several processes: who gets it, who takes it over, what is passed on. And a question that one of them asks for all.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce, release } from '../scripts/state/asking.ts';
import { tryLock } from '../scripts/state/exclusive.ts';
import { remove } from '../scripts/state/in-use.ts';
import { askingPath } from '../scripts/state/paths.ts';
import { noPipes } from './posix.ts';

/** The id of a process that has ended. */
const ended = spawnSync(process.execPath, ['-e', '']).pid;
const MINUTE = 60_000;

const place = (test: Pick<TestContext, 'after'>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-lock-'));
  test.after(() => remove(folder));
  return join(folder, 'work.lock');
};
/** Leaves a lock's file behind, as old as given, in ms. */
const left = (path: string, text: string, age: number): void => {
  writeFileSync(path, text);
  const at = (Date.now() - age) / 1000;
  utimesSync(path, at, at);
};

describe('a lock', () => {
  it('is held by one, until it is released', (test) => {
    const path = place(test);
    const first = tryLock(path);
    assert.deepEqual(first?.inherited, []);
    assert.equal(tryLock(path), undefined);
    first?.release();
    assert.ok(!existsSync(path));
    assert.ok(tryLock(path));
  });

  it('passes on what a killed holder had noted, and is then held', (test) => {
    const path = place(test);
    left(path, `${ended} ${hostname()} x\nfirst note\n\nsecond note`, 1_000);
    const next = tryLock(path);
    assert.deepEqual(next?.inherited, ['first note', 'second note']);
    assert.equal(tryLock(path), undefined);
    next?.note('third note');
    assert.deepEqual(
      readFileSync(path, 'utf8').split('\n').slice(1),
      ['first note', '', 'second note', 'third note'].filter(Boolean),
    );
    assert.ok(!existsSync(`${path}.takeover`));
  });

  for (const [name, text, age, isTaken] of [
    ['of a process that runs', `${process.pid} ${hostname()} x`, MINUTE, false],
    ['of a process that runs, for too long: its id is used again', `${process.pid} ${hostname()} x`, 11 * MINUTE, true],
    ['of another machine', `${ended} elsewhere x`, MINUTE, false],
    ['of another machine, for too long', `${ended} elsewhere x`, 11 * MINUTE, true],
    ['half written, just now', '', 1_000, false],
    ['half written, by a process that was killed', '', MINUTE, true],
    ['half written, with no more than an id', `${ended}`, 1_000, false],
  ] as const)
    it(`${name}: ${isTaken ? 'taken over' : 'respected'}`, (test) => {
      const path = place(test);
      left(path, text, age);
      assert.equal(tryLock(path) !== undefined, isTaken);
      if (!isTaken) assert.equal(readFileSync(path, 'utf8'), text);
    });

  it('is taken over by one at a time, and also where that one was killed', (test) => {
    const path = place(test);
    const stale = `${ended} ${hostname()} x\na note`;
    left(path, stale, 1_000);
    left(`${path}.takeover`, '', 1_000);
    assert.equal(tryLock(path), undefined);
    assert.ok(existsSync(`${path}.takeover`));
    left(`${path}.takeover`, '', MINUTE);
    // This try clears the way for the next one.
    assert.equal(tryLock(path), undefined);
    assert.deepEqual(tryLock(path)?.inherited, ['a note']);
  });

  it('that another process took over a moment ago is left to that one', (test) => {
    const path = place(test);
    left(path, `${ended} ${hostname()} x\na note`, 1_000);
    const write = fs.writeFileSync;
    const theirs = `${process.pid} ${hostname()} theirs\na note`;
    const writing = test.mock.method(fs, 'writeFileSync', (...given: Parameters<typeof write>) => {
      if (given[0] === `${path}.takeover`) write(path, theirs);
      write(...given);
    });
    syncBuiltinESMExports();
    try {
      assert.equal(tryLock(path)?.inherited, undefined);
    } finally {
      writing.mock.restore();
      syncBuiltinESMExports();
    }
    assert.equal(readFileSync(path, 'utf8'), theirs);
    assert.ok(!existsSync(`${path}.takeover`));
  });

  it('that somebody else took over is not released by its former holder', (test) => {
    const path = place(test);
    const former = tryLock(path);
    writeFileSync(path, `${process.pid} ${hostname()} another`);
    former?.release();
    assert.ok(existsSync(path));
    rmSync(path);
    former?.release();
  });

  it('whose file cannot be written is an error, and not a lock of somebody else', (test) => {
    const path = place(test);
    assert.throws(() => tryLock(join(path, 'in', 'no', 'folder')), { code: 'ENOENT' });
    mkdirSync(path);
    assert.equal(tryLock(path), undefined);
  });

  it('in whose place there is a pipe is not read', { skip: noPipes }, (test) => {
    const path = place(test);
    execFileSync('mkfifo', [path]);
    assert.equal(tryLock(path), undefined);
  });

  it('in whose place there is a link to itself is held by someone', { skip: noPipes }, (test) => {
    const path = place(test);
    fs.symlinkSync(path, path);
    assert.equal(tryLock(path), undefined);
  });
});

describe('a question that several have at the same time', () => {
  const world = (test: Pick<TestContext, 'after'>) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-asking-'));
    test.after(() => remove(home));
    const asked: string[] = [];
    let answer: string | undefined;
    return {
      asked,
      isHeld: (): boolean => existsSync(askingPath(home, 'key')),
      release: (): void => release(home, 'key'),
      know: (text: string | undefined): void => {
        answer = text;
      },
      /** Asks as one of them, which learns the answer after so many ms; the others hear of it unless it is `deaf`. */
      ask: (
        name: string,
        ms: number,
        { patience = 5_000, deaf = false, keep = false, fails = false } = {},
      ): Promise<string> =>
        askOnce(
          home,
          'key',
          patience,
          async () => {
            asked.push(name);
            await sleep(ms);
            if (fails) throw new Error('no answer');
            if (!deaf) answer = `of ${name}`;
            return `of ${name}`;
          },
          () => answer,
          () => keep,
        ),
    };
  };

  it('is asked by one of them, whose answer all get', async (test) => {
    const { ask, asked, isHeld } = world(test);
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => ask(name, 40)));
    assert.deepEqual([answers, asked, isHeld()], [['of a', 'of a', 'of a'], ['a'], false]);
  });

  it('is asked by each that has waited long enough', async (test) => {
    const { ask, asked, isHeld } = world(test);
    const answers = await Promise.all([ask('a', 200, { deaf: true }), ask('b', 0, { patience: 20, deaf: true })]);
    assert.deepEqual([answers, asked, isHeld()], [['of a', 'of b'], ['a', 'b'], false]);
  });

  it('is not asked where its answer came before it was this one’s turn', async (test) => {
    const { ask, asked, know, isHeld } = world(test);
    know('known');
    assert.deepEqual([await ask('a', 0), asked, isHeld()], ['known', [], false]);
  });

  it('keeps the others waiting behind its answer where that is to be written first', async (test) => {
    const { ask, asked, know, release, isHeld } = world(test);
    await ask('a', 0, { deaf: true, keep: true });
    assert.equal(isHeld(), true);
    const waiting = ask('b', 0);
    await sleep(30);
    know('written');
    release();
    assert.deepEqual([await waiting, asked, isHeld()], ['written', ['a'], false]);
  });

  it('that fails is asked by the next', async (test) => {
    const { ask, asked, isHeld } = world(test);
    await assert.rejects(ask('a', 0, { fails: true }), /no answer/);
    assert.deepEqual([await ask('b', 0), asked, isHeld()], ['of b', ['a', 'b'], false]);
  });
});
