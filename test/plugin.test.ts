// The plugin's folder in the marketplace: has everything that its hooks start, and nothing that makes a client install
// packages.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runProgram, sandbox, tool } from './sandbox.ts';

const marketplace = JSON.parse(readFileSync('.claude-plugin/marketplace.json', 'utf8'));
const root = resolve(marketplace.plugins[0].source);

describe('the plugin of the marketplace', () => {
  it('is what the build made, and not the checkout, which has nothing to start until it is built', () => {
    assert.equal(marketplace.plugins.length, 1);
    assert.equal(root, resolve('plugin'));
    assert.match(readFileSync('.gitignore', 'utf8'), /^\/plugin\/$/m);
  });

  it('holds every file that its manifest and its hooks name', () => {
    const named = ['hooks/hooks.json', '.claude-plugin/plugin.json'].flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\$\{CLAUDE_PLUGIN_ROOT\}\/([^"]+)/g)].map(
        ([, path]) => path,
      ),
    );
    assert.ok(named.length >= 6);
    for (const path of named) assert.ok(existsSync(join(root, path as string)), path);
    for (const file of readdirSync('dist').filter((name) => name.endsWith('.cjs')))
      assert.ok(readFileSync(join('dist', file)).equals(readFileSync(join(root, 'dist', file))), file);
  });

  it('has no package.json, for which a client would install what development needs', () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((path) => /(^|\/)(package.*\.json|node_modules)$|\.ts$/.test(path)),
      [],
    );
  });

  it('runs where it was copied to, and can install itself', async (test: TestContext) => {
    const { env, project } = await sandbox(test, [tool('a', {})]);
    const run = (...args: string[]) => runProgram(process.execPath, args, { env, cwd: project });
    const skill = await run(join(root, 'skills/konnichiwagwan/scripts/kwg.cjs'), 'status', '--json');
    assert.equal(JSON.parse(skill.stdout).ok, true);
    const { stdout } = await run(join(root, 'dist/cli.cjs'), 'install', '--dry-run', '--json');
    assert.equal(JSON.parse(stdout).data.version, JSON.parse(readFileSync('package.json', 'utf8')).version);
  });
});
