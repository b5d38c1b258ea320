// One folder, many names: how the client's settings name it, on each platform.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathKey, projectEntry } from '../scripts/servers/folder.ts';

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

describe('what the settings say of a folder', () => {
  const projects = { 'c:/code/X': { hasTrustDialogAccepted: true }, 'D:\\b': 2, __proto__: { 'C:/evil': 3 } };
  it('on Windows is found by any spelling and case', () => {
    for (const path of ['C:\\Code\\x', 'c:/CODE/x', '\\\\?\\c:\\code\\x'])
      assert.deepEqual(projectEntry(projects, pathKey(path, 'win32'), 'win32'), { hasTrustDialogAccepted: true }, path);
    assert.equal(projectEntry(projects, pathKey('d:/b', 'win32'), 'win32'), 2);
  });
  it('is that of no other folder', () => {
    for (const path of ['C:\\Code', 'C:\\Code\\x\\y', 'C:\\Code\\xx', 'E:\\Code\\x', 'C:\\evil'])
      assert.equal(projectEntry(projects, pathKey(path, 'win32'), 'win32'), undefined, path);
  });
  it('elsewhere is found by that very name alone: another case is another folder', () => {
    for (const platform of ['linux', 'darwin'] as const) {
      assert.equal(projectEntry({ '/srv/X': 1 }, '/srv/x', platform), undefined);
      assert.equal(projectEntry({ '/srv/X': 1 }, '/srv/X', platform), 1);
    }
  });
});
