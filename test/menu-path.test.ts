// Whether programs started from a menu find Node, and how an installation starts it where they do not.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { placeOf } from '../scripts/install/layout.ts';
import { menuPath } from '../scripts/install/menu-path.ts';
import { nodeInPlace, ownNode, withNode } from '../scripts/install/own-node.ts';
import { remove } from '../scripts/state/in-use.ts';
import { registryText } from '../scripts/state/programs.ts';

const folder = (test: TestContext): string => {
  const made = realpathSync.native(mkdtempSync(join(tmpdir(), 'kwg-menu-')));
  test.after(() => remove(made));
  return made;
};

describe('the PATH that a menu gives', () => {
  const env = { SystemRoot: 'C:\\Windows', userprofile: 'C:\\Users\\me' };
  it('on Windows is the system’s and the user’s, with variables filled in', () => {
    const asked: string[] = [];
    const registry = (key: string, name: string) => {
      asked.push(`${key.slice(0, 4)} ${name}`);
      return key.startsWith('HKLM') ? '%SYSTEMROOT%\\system32;%nothing%' : '%USERPROFILE%\\bin';
    };
    const path = menuPath(env, 'win32', registry);
    assert.equal(path, 'C:\\Windows\\system32;%nothing%;C:\\Users\\me\\bin');
    assert.deepEqual(asked, ['HKLM Path', 'HKCU Path']);
    assert.equal(
      menuPath(env, 'win32', () => undefined),
      undefined,
    );
  });

  it('on Windows itself is in its registry', { skip: process.platform !== 'win32' && 'there is none' }, () => {
    assert.match(menuPath(process.env) ?? '', /system32/i);
    assert.equal(registryText('HKCU\\Environment', 'No_such_value'), undefined);
  });

  it('on macOS is what launchctl says, or the usual folders', () => {
    assert.match(menuPath({ PATH: '/nowhere' }, 'darwin') ?? '', /\/usr\/bin:\/bin/);
  });
});

describe('Node for a user’s own installation on Windows', () => {
  const ready = (test: TestContext) => {
    const home = folder(test);
    const node = join(home, 'node.exe');
    copyFileSync(process.execPath, node);
    const io = { env: { HOME: home, USERPROFILE: home }, cwd: home };
    mkdirSync(join(home, 'project'));
    return { home, node, place: placeOf(io, false), shared: placeOf({ ...io, cwd: join(home, 'project') }, true) };
  };

  it('is the one on the PATH if a menu gives that PATH, or that is not known', (test) => {
    const { home, node, place } = ready(test);
    for (const path of [`C:\\x;${home}`, undefined])
      assert.deepEqual(
        ownNode(place, {}, 'win32', node, () => path),
        { command: 'node', inFolder: 'node' },
      );
  });

  it('is the one that installs if not, also in the files of the folder', (test) => {
    const { home, node, place } = ready(test);
    const own = ownNode(place, {}, 'win32', node, () => join(home, 'elsewhere'));
    assert.deepEqual(own, { command: node, inFolder: node });
    assert.equal(nodeInPlace(place, own), node);
    const text = (command: string) => Buffer.from(`{ "command": ${JSON.stringify(command)}, "args": ["a"] }`);
    const files = new Map(
      ['hooks/hooks.json', '.claude-plugin/plugin.json', 'dist/a.json'].map((path) => [path, text('node')]),
    );
    const written = withNode(files, own);
    assert.equal(String(written.get('hooks/hooks.json')), String(text(node)));
    assert.equal(String(written.get('.claude-plugin/plugin.json')), String(text(node)));
    assert.equal(String(written.get('dist/a.json')), String(text('node')));
    // An installation in a project, made from this one.
    const bare = withNode(written, { command: 'node', inFolder: 'node' });
    assert.deepEqual(
      [...bare].map(([path, bytes]) => [path, String(bytes)]),
      [...files].map(([path, bytes]) => [path, String(bytes)]),
    );
  });

  it('is that of the PATH in a project, and where another program runs this', (test) => {
    const { node, place, shared } = ready(test);
    assert.equal(ownNode(shared, {}, 'win32', node, () => 'C:\\x').command, 'node');
    assert.equal(ownNode(place, {}, 'win32', 'C:\\x\\bun.exe', () => 'C:\\x').command, 'node');
  });
});
