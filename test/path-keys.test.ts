// One folder, many names: how the client's settings name it, on each platform.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { describe, it } from 'node:test';
import { pathKey, projectEntry } from '../scripts/servers/folder.ts';
import { remove } from '../scripts/state/in-use.ts';
import { homeOf, stateHome } from '../scripts/state/paths.ts';

const keys = (platform: NodeJS.Platform, ...paths: string[]): string[] => [
  ...new Set(paths.map((path) => pathKey(path, platform))),
];

describe('the key of a folder', () => {
  it('on Windows is the same for every spelling', () => {
    const spellings = ['c:\\Code\\x', 'C:\\Code\\x', 'C:/Code/x', '\\\\?\\C:\\Code\\x', 'c:/Code/x/', 'C:\\Code/x\\\\'];
    assert.deepEqual(keys('win32', ...spellings), ['C:/Code/x']);
    assert.deepEqual(keys('win32', '\\\\server\\share\\a', '//server/share/a', '\\\\?\\UNC\\server\\share\\a'), [
      '//server/share/a',
    ]);
    assert.deepEqual(keys('win32', 'c:\\', 'C:/'), ['C:/'], 'a root stays one');
    assert.deepEqual(keys('win32', '\\\\wsl$\\Debian\\home\\x', '//wsl.localhost/Debian/home/x'), [
      '//wsl.localhost/Debian/home/x',
    ]);
    assert.equal(keys('win32', '//wsl$x/a')[0], '//wsl$x/a', 'another share');
  });
  it('on macOS is the same for composed and decomposed names', () => {
    assert.deepEqual(keys('darwin', '/Users/x/Gr\u00fc\u00dfe', '/Users/x/Gru\u0308\u00dfe'), [
      '/Users/x/Gr\u00fc\u00dfe',
    ]);
  });
  it('elsewhere keeps backslashes and case', () => {
    assert.deepEqual(keys('linux', '/a\\b', '/a/b', '/A/b').length, 3);
  });
});

describe('the home folder', () => {
  const env = { HOME: '/h', USERPROFILE: 'C:\\Users\\me' };
  it('on Windows is that of the user, whatever HOME says; elsewhere it is HOME', () => {
    assert.equal(homeOf(env, 'win32'), env.USERPROFILE);
    assert.equal(homeOf({ HOME: env.HOME }, 'win32'), env.HOME);
    for (const platform of ['linux', 'darwin'] as const) assert.equal(homeOf(env, platform), env.HOME);
  });
  it('is that of the account where HOME is empty: never the folder that the client works in', () => {
    for (const HOME of ['', undefined]) {
      assert.equal(homeOf({ HOME }, 'linux'), userInfo().homedir);
      assert.ok(isAbsolute(stateHome({ HOME })));
    }
  });
});

describe('what the settings say of a folder', () => {
  const one = () => true;
  const projects = { 'c:/code/X': { hasTrustDialogAccepted: true }, 'D:\\b': 2, __proto__: { 'C:/evil': 3 } };
  it('on Windows is found by any spelling and case', () => {
    for (const path of ['C:\\Code\\x', 'c:/CODE/x', '\\\\?\\c:\\code\\x'])
      assert.deepEqual(
        projectEntry(projects, pathKey(path, 'win32'), 'win32', one),
        { hasTrustDialogAccepted: true },
        path,
      );
    assert.equal(projectEntry(projects, pathKey('d:/b', 'win32'), 'win32', one), 2);
  });
  it('on Windows is not that of a folder whose name differs in case, where the disk keeps them apart', () => {
    assert.equal(
      projectEntry(projects, pathKey('C:/CODE/x', 'win32'), 'win32', () => false),
      undefined,
    );
  });
  it('on Windows is found by a short name of DOS', {
    skip: process.platform !== 'win32' && 'there are none',
  }, (test) => {
    const parent = mkdtempSync(join(tmpdir(), 'kwg-'));
    test.after(() => remove(parent));
    const folder = join(parent, 'A long name of a folder');
    mkdirSync(folder);
    const listed = execFileSync('cmd.exe', ['/c', 'dir', '/x', parent], { encoding: 'utf8' });
    const short = /(\S+~\S+)\s+A long name of a folder/.exec(listed)?.[1];
    if (short === undefined) return test.skip('this disk makes no short names');
    assert.equal(projectEntry({ [folder]: 1 }, pathKey(join(parent, short))), 1);
    assert.equal(projectEntry({ [join(parent, short)]: 1 }, pathKey(folder)), 1);
    assert.equal(projectEntry({ [join(parent, 'OTHER~1')]: 1 }, pathKey(folder)), undefined);
  });
  it('is that of no other folder', () => {
    for (const path of ['C:\\Code', 'C:\\Code\\x\\y', 'C:\\Code\\xx', 'E:\\Code\\x', 'C:\\evil'])
      assert.equal(projectEntry(projects, pathKey(path, 'win32'), 'win32', one), undefined, path);
  });
  it('elsewhere is found by that very name alone: another case is another folder', () => {
    for (const platform of ['linux', 'darwin'] as const) {
      assert.equal(projectEntry({ '/srv/X': 1 }, '/srv/x', platform), undefined);
      assert.equal(projectEntry({ '/srv/X': 1 }, '/srv/X', platform), 1);
    }
  });
});
