// The marketplace of a clone, as the real client installs it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { remove } from '../../scripts/state/in-use.ts';
import { clientBinary, repo, versions } from './client.ts';
import { clientEnv, removeSandboxes, type Sandbox, sandbox } from './run.ts';

after(removeSandboxes);

const [version] = versions;

const market = ({ dir }: Sandbox, ...parts: string[]): string => {
  const folder = join(dir, 'clone');
  for (const part of ['.claude-plugin', 'package.json', 'package-lock.json', 'hooks/hooks.json', 'skills', ...parts]) {
    mkdirSync(dirname(join(folder, part)), { recursive: true });
    cpSync(join(repo, part), join(folder, part), { recursive: true });
  }
  return folder;
};

const claude = ({ home, cwd }: Sandbox, ...args: string[]) => {
  const env = clientEnv(home, 'http://127.0.0.1:9');
  const { status, stdout, stderr } = spawnSync(clientBinary(version), args, {
    cwd,
    env: { ...env, npm_config_offline: 'true' },
    encoding: 'utf8',
    timeout: 120_000,
  });
  return { status, out: stdout + stderr };
};

describe(`Claude Code ${version}: the plugin of a clone`, () => {
  it('that was built is installed with what ships, and with no packages', () => {
    const box = sandbox();
    assert.equal(claude(box, 'plugin', 'marketplace', 'add', market(box, 'plugin')).status, 0);
    const { status, out } = claude(box, 'plugin', 'install', 'konnichiwagwan@konnichiwagwan');
    assert.equal(status, 0, out);
    const list = join(box.home, '.claude/plugins/installed_plugins.json');
    const [{ installPath }] = JSON.parse(readFileSync(list, 'utf8')).plugins['konnichiwagwan@konnichiwagwan'];
    assert.ok(existsSync(join(installPath, 'dist/guard.cjs')));
    assert.deepEqual(
      readdirSync(installPath).filter((name) => /package|node_modules|scripts|test/.test(name)),
      [],
    );
  });

  it('that was not built is refused, and stops no call', () => {
    const box = sandbox();
    const clone = market(box);
    remove(join(clone, 'plugin'));
    claude(box, 'plugin', 'marketplace', 'add', clone);
    const { status, out } = claude(box, 'plugin', 'install', 'konnichiwagwan@konnichiwagwan');
    assert.equal(status, 1);
    assert.match(out, /Source path does not exist: .*\/plugin/);
  });
});
