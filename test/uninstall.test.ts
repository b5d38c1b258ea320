// `uninstall --purge` as a user meets it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { freshHome, listing } from './install-home.ts';

describe('--purge', () => {
  const STATE = [
    ...['config.json', 'session_schema.json', 'sessions/a.json', 'live/x.json', 'activity/2026-01-01.jsonl'],
    ...['trace.jsonl', 'trace.before.jsonl', 'telemetry/sent.json', 'shared/approvals', 'agreed.json', 'wrapped.json'],
    ...['told/x', 'contracts/x.json', 'locks/x.json', 'wrap/1/about.json'],
  ];

  it('removes the state, and with it the last trace', async () => {
    const { home, claude, ok, write } = freshHome();
    await ok(['install']);
    for (const file of [...STATE, 'config.json.12.0.tmp', 'trace.jsonl.1.23.tmp'])
      write('{}', join(claude, 'konnichiwagwan', file));
    await ok(['uninstall', '--purge']);
    assert.deepEqual(listing(home), {});
  });

  it('without it the state stays', async () => {
    const { claude, ok, write } = freshHome();
    await ok(['install']);
    for (const file of STATE) write('{}', join(claude, 'konnichiwagwan', file));
    await ok(['uninstall']);
    assert.deepEqual(readdirSync(claude), ['konnichiwagwan']);
    assert.match((await ok(['uninstall', '--purge'])).stdout, /Removed/);
    assert.deepEqual(readdirSync(claude), []);
  });

  it('leaves a foreign file and says so', async () => {
    const { root, ok, write } = freshHome();
    const state = join(root, 'my state');
    const env = { KONNICHIWAGWAN_HOME: state };
    await ok(['install'], { env });
    for (const file of [...STATE, 'diary.txt', 'photos/cat.jpg']) write('{}', join(state, file));
    const { stdout } = await ok(['uninstall', '--purge'], { env });
    assert.deepEqual(readdirSync(state).sort(), ['diary.txt', 'photos']);
    assert.match(stdout, /kept .*diary\.txt \(not ours\)/);
  });

  it('says in its JSON what became of the state', async () => {
    const { claude, ok, write } = freshHome();
    const folder = join(claude, 'konnichiwagwan');
    write('{}', join(folder, 'config.json'));
    const state = async (...args: string[]) =>
      JSON.parse((await ok(['uninstall', ...args, '--json'])).stdout).data.state;
    assert.equal(await state(), null);
    assert.deepEqual(await state('--project', '--purge', '--dry-run'), { path: folder, purged: true });
    await ok(['install']);
    assert.deepEqual(await state('--project', '--purge'), { path: folder, purged: false });
    assert.deepEqual(await state('--purge'), { path: folder, purged: true });
  });

  it("never touches a home, Claude Code's folder or the current one", async () => {
    const { home, claude, project, ok, write } = freshHome();
    for (const folder of [home, claude, project]) write('{}', join(folder, 'sessions/theirs.json'));
    for (const state of [home, claude, project, '/', '.', '..']) {
      const before = listing(dirname(home));
      const env = { KONNICHIWAGWAN_HOME: state };
      assert.match((await ok(['uninstall', '--purge'], { env })).stdout, /kept .*\(it holds/);
      assert.deepEqual(listing(dirname(home)), before);
    }
  });

  it("of a project leaves the state that the user's own installation needs", async () => {
    const { claude, ok, write } = freshHome();
    await ok(['install']);
    await ok(['install', '--project']);
    write('{}', join(claude, 'konnichiwagwan/config.json'));
    assert.match((await ok(['uninstall', '--project', '--purge'])).stdout, /kept .*for all projects uses it/);
    assert.ok(existsSync(join(claude, 'konnichiwagwan/config.json')));
  });
});
