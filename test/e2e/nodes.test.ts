// The packed package under every Node version that it supports, from npm.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { remove } from '../../scripts/state/in-use.ts';
import { nodeBinary, repo } from './client.ts';

/** The oldest that `engines` allows, and the newest of each later line. */
const NODES = ['20.18.1', '22', '24', '26'];
const skip = process.platform !== 'linux' || process.arch !== 'x64' ? 'npm has these Nodes for Linux on x64' : false;

describe('the packed package under other Nodes', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-nodes-'));
  process.on('exit', () => remove(folder));
  const dist = join(folder, 'package/dist');
  before(() => {
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, '--cache', join(folder, 'cache')];
    const packed = Object.values(JSON.parse(execFileSync('npm', pack, { cwd: repo, encoding: 'utf8' })) as object);
    execFileSync('tar', ['-xzf', join(folder, (packed[0] as { filename: string }).filename), '-C', folder]);
  });

  it('engines names the oldest of them', () => {
    const { engines } = JSON.parse(readFileSync(join(repo, 'package.json'), 'utf8'));
    assert.equal(engines.node, `>=${NODES[0]}`);
  });

  for (const version of NODES) {
    it(`Node ${version}: the demo, a diff, and each hook`, () => {
      const node = nodeBinary(version);
      const home = mkdtempSync(join(folder, 'home-'));
      const env = { PATH: process.env.PATH, HOME: home };
      const run = (args: string[], input = '') =>
        spawnSync(node, args, { cwd: home, env, encoding: 'utf8', input, timeout: 60_000 });
      const cli = (...args: string[]) => run([join(dist, 'cli.cjs'), ...args]);
      assert.match(run(['--version']).stdout, new RegExp(`^v${version.replaceAll('.', '\\.')}`));

      const { data } = JSON.parse(cli('demo', '--json').stdout);
      assert.deepEqual([data.silently_wrong, data.caught], [3, 4]);

      const list = (name: string): string =>
        JSON.stringify({
          tools: [{ name: 't', inputSchema: { type: 'object', properties: { [name]: { type: 'string' } } } }],
        });
      const [old, now] = ['old.json', 'now.json'].map((file) => join(home, file)) as [string, string];
      for (const [file, name] of [
        [old, 'query'],
        [now, 'q'],
      ] as const)
        execFileSync(node, ['-e', 'require("fs").writeFileSync(process.argv[1], process.argv[2])', file, list(name)]);
      const diff = cli('diff', old, now, '--json');
      assert.deepEqual([diff.status, diff.stderr], [1, '']);
      assert.deepEqual(
        JSON.parse(diff.stdout).data.changes.map(({ rule }: { rule: string }) => rule),
        ['input-property-renamed'],
      );
      for (const hook of ['guard', 'session-start', 'tool-failure', 'offers']) {
        const { status, stderr } = run([join(dist, `${hook}.cjs`)], '{}');
        assert.ok(status === 0 || status === 2, `${hook}: ${status}`);
        assert.doesNotMatch(stderr, /ReferenceError|SyntaxError|is not a function|Warning/, hook);
      }
    });
  }
});
