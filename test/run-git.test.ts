// Git runs in repositories that may be anyone's: nothing of the repository or the environment makes it run a program.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runGit } from '../scripts/state/git.ts';
import { remove } from '../scripts/state/in-use.ts';
import { noGit } from './git.ts';

const repository = (test: TestContext, name: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'kwg-git-'));
  test.after(() => remove(folder));
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', join(folder, name), ...args], {
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    });
  mkdirSync(join(folder, name));
  git('init', '-q');
  git('config', 'user.name', name);
  return { folder, path: join(folder, name), git };
};
const env = (home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  ...more,
});
const timeout = 20_000;

describe('git in a repository', { skip: noGit }, () => {
  it('runs no program that its settings name', (test) => {
    const { folder, path, git } = repository(test, 'one');
    const mark = join(folder, 'ran');
    writeFileSync(join(folder, 'program.sh'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    writeFileSync(join(path, 'a.txt'), 'a');
    git('add', 'a.txt');
    git('config', 'core.fsmonitor', join(folder, 'program.sh'));
    // With these settings, git itself would run it.
    git('status');
    assert.ok(existsSync(mark), 'the trap is no trap');
    remove(mark);
    const ran = runGit(path, ['status', '--porcelain'], { timeout, env: env(folder) });
    assert.deepEqual([ran.status, ran.stdout, existsSync(mark)], [0, 'A  a.txt\n', false]);
  });

  it('is the one of the folder, whatever the environment says', (test) => {
    const [one, two] = [repository(test, 'one'), repository(test, 'two')];
    const mark = join(one.folder, 'ran');
    const more = {
      GIT_DIR: join(two.path, '.git'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'alias.name',
      GIT_CONFIG_VALUE_0: `!touch '${mark}'`,
    };
    const name = (...args: string[]) => runGit(one.path, args, { timeout, env: env(one.folder, more) });
    assert.equal(name('config', '--get', 'user.name').stdout, 'one\n');
    assert.notEqual(name('name').status, 0);
    assert.equal(existsSync(mark), false);
  });

  it("reads a person's own settings, where they are said to be", (test) => {
    const { folder, path } = repository(test, 'one');
    writeFileSync(join(folder, 'mine'), '[user]\n\temail = me@example.com\n');
    const asked = (more: NodeJS.ProcessEnv) =>
      runGit(path, ['config', '--get', 'user.email'], { timeout, env: env(folder, more) }).stdout;
    assert.deepEqual([asked({}), asked({ GIT_CONFIG_GLOBAL: join(folder, 'mine') })], ['', 'me@example.com\n']);
  });

  it('fails without throwing where there is no git, no folder, or too much to print', (test) => {
    const { folder, path } = repository(test, 'one');
    const code = (error: Error | undefined) => (error as NodeJS.ErrnoException | undefined)?.code;
    assert.equal(code(runGit(path, ['version'], { timeout, env: { PATH: folder } }).error), 'ENOENT');
    assert.notEqual(runGit(join(folder, 'none'), ['version'], { timeout, env: env(folder) }).status, 0);
    assert.equal(code(runGit(path, ['version'], { timeout, env: env(folder), maxBuffer: 3 }).error), 'ENOBUFS');
  });
});
