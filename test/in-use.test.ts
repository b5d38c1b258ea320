// A file system that fails like Windows': an open file cannot be replaced at once.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeFolder, replaceFile, writeAtomic } from '../scripts/state/files.ts';
import { remove, rename } from '../scripts/state/in-use.ts';

const real = fs.renameSync;
const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;

/** For one test: sets the platform, and the errors of renames before one succeeds. */
const failing = (test: TestContext, on: NodeJS.Platform, codes: string[]): { tries: number } => {
  const seen = { tries: 0 };
  fs.renameSync = (from, to) => {
    seen.tries++;
    const code = codes.shift();
    if (code !== undefined) throw Object.assign(new Error(`${code}: in use`), { code });
    real(from, to);
  };
  Object.defineProperty(process, 'platform', { ...platform, value: on });
  syncBuiltinESMExports();
  test.after(() => {
    fs.renameSync = real;
    Object.defineProperty(process, 'platform', platform);
    syncBuiltinESMExports();
  });
  return seen;
};
const folder = (test: TestContext): string => {
  const made = mkdtempSync(join(tmpdir(), 'kwg-in-use-'));
  test.after(() => remove(made));
  return made;
};

describe('replacing a file that somebody has open', { concurrency: 1 }, () => {
  for (const code of ['EPERM', 'EBUSY', 'EACCES'])
    it(`on Windows, ${code}: it is tried again until it works`, (test) => {
      const path = join(folder(test), 'a.json');
      writeFileSync(path, 'old');
      const seen = failing(test, 'win32', [code, code, code, code]);
      writeAtomic(path, 'new');
      assert.deepEqual([readFileSync(path, 'utf8'), seen.tries], ['new', 5]);
    });

  it('on Windows, for ever: it gives up within a second, and nothing is lost or left', (test) => {
    const at = folder(test);
    const path = join(at, 'a.json');
    writeFileSync(path, 'old');
    failing(test, 'win32', Array(1_000).fill('EPERM'));
    const times: number[] = [];
    // On a busy machine each of its waits may take longer: one attempt has to be in time.
    while (times.length < 5 && times.every((ms) => ms >= 1_500)) {
      const start = Date.now();
      assert.throws(() => replaceFile(path, 'new'), { code: 'EPERM' });
      times.push(Date.now() - start);
    }
    assert.ok(Math.min(...times) < 1_500, `${times.join()} ms`);
    assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(at)], ['old', ['a.json']]);
  });

  it('elsewhere these errors stay, and so do others on Windows: nothing is waited for', (test) => {
    const at = folder(test);
    writeFileSync(join(at, 'a'), '');
    const seen = failing(test, 'linux', ['EPERM']);
    assert.throws(() => rename(join(at, 'a'), join(at, 'b')), { code: 'EPERM' });
    assert.equal(seen.tries, 1);
  });

  it('on Windows an error of another kind is thrown at once', (test) => {
    const seen = failing(test, 'win32', ['ENOSPC']);
    assert.throws(() => rename('a', 'b'), { code: 'ENOSPC' });
    assert.equal(seen.tries, 1);
  });
});

describe('removing a folder that a program still writes into', { concurrency: 1 }, () => {
  /** A program that writes one file after the other below a folder, for 200 ms or until its end. */
  const writing = async (test: TestContext, at: string): Promise<() => void> => {
    const source = `
      const fs = require('node:fs');
      const end = Date.now() + 200;
      process.stdout.write('on');
      for (let i = 0; Date.now() < end; i++)
        try { fs.writeFileSync(process.argv[1] + '/live/' + i, ''); } catch {}
    `;
    const child = spawn(process.execPath, ['-e', source, at], { stdio: ['ignore', 'pipe', 'inherit'] });
    const end = (): void => void child.kill('SIGKILL');
    test.after(end);
    await once(child.stdout, 'data');
    return end;
  };

  it('empties it again until it stays empty', async (test) => {
    for (let round = 0; round < 5; round++) {
      const at = folder(test);
      mkdirSync(join(at, 'live'));
      for (let i = 0; i < 200; i++) writeFileSync(join(at, 'live', `old-${i}`), '');
      const end = await writing(test, at);
      remove(at);
      assert.equal(existsSync(at), false);
      end();
    }
  });

  for (const [code, tries] of [
    ['ENOTEMPTY', 10],
    ['EACCES', process.platform === 'win32' ? 10 : 1],
  ] as const)
    it(`tries ${tries} times where it always fails with ${code}`, (test) => {
      const { rmSync: removed } = fs;
      let tried = 0;
      fs.rmSync = () => {
        tried++;
        throw Object.assign(new Error(code), { code });
      };
      syncBuiltinESMExports();
      test.after(() => {
        fs.rmSync = removed;
        syncBuiltinESMExports();
      });
      assert.throws(() => remove('anything'), { code });
      assert.equal(tried, tries);
    });
});

describe('a folder for state', () => {
  it('is made with those above it, for its owner only, and may be there', {
    skip: process.platform === 'win32',
  }, (test) => {
    const path = join(folder(test), 'a', 'b', 'c');
    for (const _time of [1, 2]) makeFolder(path);
    for (const one of [path, dirname(path)]) assert.equal(statSync(one).mode & 0o777, 0o700);
  });

  it('cannot be made where a file stands, or a folder can hold none: that is said at once', (test) => {
    const file = join(folder(test), 'file');
    writeFileSync(file, '');
    assert.throws(() => makeFolder(file), { code: 'EEXIST' });
    assert.throws(() => makeFolder(join(file, 'below', 'it')), { code: /^E(?:NOTDIR|NOENT|EXIST)$/ });
    if (process.platform === 'linux') assert.throws(() => makeFolder('/proc/self/state/sessions'), { code: 'ENOENT' });
  });
});
