import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { rulesPage } from '../scripts/diff/rules-page.ts';
import { registrations } from '../scripts/install/hooks.ts';

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-pack-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const cache = join(folder, 'cache');
  // prepack builds again; the bundles that the other tests run must not change under them.
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, '--cache', cache], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as unknown;
  const [{ filename, files }] = Object.values(packed as object) as [{ filename: string; files: { path: string }[] }];

  it('contains all that the plugin needs, and nothing else', () => {
    const paths = files.map(({ path }) => path).sort();
    for (const path of paths) {
      assert.match(path, /^(\.claude-plugin|dist|docs|hooks|skills)\/|^(package\.json|README\.md|LICENSE)$/);
      assert.doesNotMatch(path, /\.ts$|\.map$/);
    }
    for (const needed of [
      '.claude-plugin/plugin.json',
      '.claude-plugin/marketplace.json',
      'hooks/hooks.json',
      'skills/konnichiwagwan/SKILL.md',
      'skills/konnichiwagwan/scripts/kwg.cjs',
      'skills/konnichiwagwan/scripts/check_tool_freshness.sh',
      ...['guard', 'judge-call', 'session-start', 'tool-failure', 'http', 'cli'].map((name) => `dist/${name}.cjs`),
    ]) {
      assert.ok(paths.includes(needed), needed);
    }
  });

  it('runs where it is unpacked, with no other package beside it', () => {
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder]);
    const run = (args: string[]) =>
      execFileSync(process.execPath, args, {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: folder },
      });
    const skill = join(folder, 'package/skills/konnichiwagwan/scripts/kwg.cjs');
    const { data } = JSON.parse(run([skill, 'demo', '--json']));
    assert.deepEqual([data.silently_wrong, data.caught], [3, 4]);
  });
});

describe('what Claude Code reads', () => {
  it('the plugin registers the same hooks as the installer', () => {
    const { hooks } = JSON.parse(readFileSync('hooks/hooks.json', 'utf8'));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code's own placeholder
    for (const { event, matcher, hook } of registrations('${CLAUDE_PLUGIN_ROOT}/dist')) {
      assert.deepEqual(hooks[event], [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }]);
    }
    assert.equal(Object.keys(hooks).length, 3);
  });

  it('versions agree', () => {
    const version = (file: string) => JSON.parse(readFileSync(file, 'utf8')).version;
    assert.equal(version('.claude-plugin/plugin.json'), version('package.json'));
  });

  it('the page of rules is that of the rules', () => {
    assert.equal(readFileSync('skills/konnichiwagwan/references/rules.md', 'utf8'), rulesPage(), 'run: npm run rules');
  });

  it('scripts that are called by name can be run', { skip: process.platform === 'win32' }, () => {
    for (const file of ['install.sh', 'skills/konnichiwagwan/scripts/check_tool_freshness.sh', '.ci/run']) {
      assert.notEqual(statSync(file).mode & 0o100, 0, file);
    }
  });
});

describe('the repository', () => {
  const ignored = new Set(['node_modules', '.git', 'dist', '.build', '.e2e']);
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (ignored.has(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? walk(path) : [path];
    });

  it('every relative link in its documents leads somewhere', () => {
    for (const file of walk('.').filter((path) => path.endsWith('.md'))) {
      for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)) {
        assert.ok(statSync(resolve(file, '..', target), { throwIfNoEntry: false }), `${file} links to ${target}`);
      }
    }
  });

  it('the lock file names no place to download from', () => {
    assert.doesNotMatch(readFileSync('package-lock.json', 'utf8'), /"resolved"/);
  });
});
