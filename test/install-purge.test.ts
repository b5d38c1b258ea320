// What an uninstallation removes of the state folder, which a variable may put anywhere.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { planPurge, purge } from '../scripts/install/purge.ts';
import { remove } from '../scripts/state/in-use.ts';
import { noLinks } from './posix.ts';

const world = (test: TestContext) => {
  const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-purge-'));
  test.after(() => remove(root));
  const at = (...path: string[]): string => join(root, ...path);
  for (const name of ['state', 'home', 'project']) mkdirSync(at(name));
  const plan = (folder = at('state'), shared = false) =>
    planPurge(folder, at('home', '.claude'), { env: { HOME: at('home') }, cwd: at('project') }, shared);
  return { at, plan };
};

describe('the state folder', () => {
  it('goes with all that we write in it', (test) => {
    const { at, plan } = world(test);
    for (const name of ['sessions', 'live']) mkdirSync(at('state', name));
    writeFileSync(at('state', 'sessions', 's1.json'), '{}');
    writeFileSync(at('state', 'config.json.4711.0.tmp'), '{');
    writeFileSync(at('state', 'config.json'), '{}');
    const planned = plan();
    assert.ok(planned);
    assert.deepEqual(
      [planned.remove.sort(), planned.foreign, planned.kept],
      [readdirSync(at('state')).sort(), [], null],
    );
    purge(planned);
    assert.equal(existsSync(at('state')), false);
    assert.equal(plan(), null);
  });

  it('stays with what is not ours: a file named like a folder of ours, too', (test) => {
    const { at, plan } = world(test);
    writeFileSync(at('state', 'sessions'), '');
    writeFileSync(at('state', 'notes.txt'), '');
    mkdirSync(at('state', 'config.json'));
    mkdirSync(at('state', 'live'));
    const planned = plan();
    assert.ok(planned);
    assert.deepEqual(planned.remove, ['live']);
    purge(planned);
    assert.deepEqual(readdirSync(at('state')).sort(), ['config.json', 'notes.txt', 'sessions']);
  });

  for (const [what, path] of [
    ['the working folder', 'project'],
    ['the home folder', 'home'],
    ['the folder of Claude Code', 'home/.claude'],
  ] as const)
    it(`stays as it is where it is ${what}, or holds it`, (test) => {
      const { at, plan } = world(test);
      mkdirSync(at(path, 'sessions'), { recursive: true });
      for (const folder of [at(path), at('.')]) {
        const planned = plan(folder);
        assert.match(planned?.kept ?? '', /^it holds /, folder);
        assert.deepEqual(planned?.remove, []);
        if (planned) purge(planned);
      }
      assert.ok(existsSync(at(path, 'sessions')));
    });

  it('stays where another installation uses it, or a link stands in its place', { skip: noLinks }, (test) => {
    const { at, plan } = world(test);
    mkdirSync(at('state', 'live'));
    assert.match(plan(at('state'), true)?.kept ?? '', /the installation for all projects uses it/);
    symlinkSync(at('state'), at('link'), 'dir');
    assert.match(plan(at('link'))?.kept ?? '', /not a folder of its own/);
    assert.ok(existsSync(at('state', 'live')));
  });
});
