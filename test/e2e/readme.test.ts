// The README from top to bottom, as a new user follows it: a fresh clone, an empty HOME, each command as printed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { remove } from '../../scripts/state/in-use.ts';
import { clientBinary, repo } from './client.ts';

const readme = readFileSync(join(repo, 'README.md'), 'utf8');

/** The commands in the README's blocks, in order, without the remarks next to them. */
const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== ''),
);

/** What each command has to show; a command that is missing here fails the test. */
const SHOWS: Record<string, { shows: RegExp; leaves?: (home: string, clone: string) => void }> = {
  './install.sh --demo': {
    shows: /3 silently wrong[\s\S]*4 caught/,
    leaves: (home) => assert.equal(existsSync(join(home, '.claude')), false),
  },
  './install.sh': {
    shows: /konnichiwagwan/,
    leaves: (home) => assert.ok(existsSync(join(home, '.claude/skills/konnichiwagwan/SKILL.md'))),
  },
  './install.sh --project': {
    shows: /konnichiwagwan/,
    leaves: (_home, clone) => assert.ok(existsSync(join(clone, '.claude/skills/konnichiwagwan/program/guard.cjs'))),
  },
  './install.sh --dry-run': { shows: /nothing|already|up to date/i },
  './install.sh --uninstall': {
    shows: /konnichiwagwan/,
    leaves: (home) => assert.equal(existsSync(join(home, '.claude/skills')), false),
  },
  'claude mcp add github -- konnichiwagwan wrap -- npx -y @modelcontextprotocol/server-github': {
    shows: /Added.* github/,
  },
  'konnichiwagwan wrap --list': { shows: /- +files[\s\S]*wrapped +github/ },
  'konnichiwagwan wrap --add files --dry-run': { shows: /konnichiwagwan[\s\S]*wrap/ },
};
describe('the README', { skip: process.platform === 'win32' }, () => {
  it('can be followed from top to bottom, and nothing is left of it', () => {
    const root = mkdtempSync(join(tmpdir(), 'kwg-readme-'));
    try {
      const [home, clone, bin] = ['home', 'clone', 'bin'].map((name) => join(root, name)) as [string, string, string];
      for (const folder of [home, bin]) mkdirSync(folder);
      execFileSync('git', ['clone', '--quiet', repo, clone]);
      symlinkSync(clientBinary('2.1.332'), join(bin, 'claude'));
      const local = join(home, '.local/bin');
      const env = {
        PATH: `${local}:${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: home,
        npm_config_cache: join(root, 'npm'),
      };
      const sh = (command: string, exit = 0) => {
        const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
          cwd: clone,
          env,
          encoding: 'utf8',
          timeout: 300_000,
        });
        assert.equal(status, exit, `${command}\n${stdout}${stderr}`);
        return stdout + stderr;
      };
      for (const command of commands) {
        // The commands below the installation are for readers who kept it.
        if (!command.startsWith('./') && !existsSync(join(local, 'konnichiwagwan'))) {
          sh('./install.sh');
          sh('claude mcp add files -- npx -y @modelcontextprotocol/server-filesystem .');
        }
        const expected = SHOWS[command];
        assert.ok(expected, `nobody looks at what this prints: ${command}`);
        assert.match(sh(command), expected.shows, command);
        expected.leaves?.(home, clone);
        if (command !== './install.sh') continue;
        // Checks what the text says about it.
        for (const name of ['konnichiwagwan', 'kwg']) {
          assert.ok(readme.includes(`\`${name} doctor\``));
          assert.match(sh(`${name} doctor`), /guard, stale call[^\n]*is stopped/);
        }
        // Claude Code has not been used here yet.
        assert.match(sh('konnichiwagwan scan', 2), /transcripts/);
      }
      sh('./install.sh --uninstall --purge');
      const left = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => /konnichi|kwg/.test(path));
      assert.deepEqual(left, []);
    } finally {
      remove(root);
    }
  });
});
