// `uninstall` if servers start through the program that it removes: it restores them first.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { listing } from './install-home.ts';
import { drive } from './sandbox.ts';
import { whyNoTerminal } from './terminal.ts';

/** An agent must not remove wrap: only people can run such tests. */
const skip = typeof whyNoTerminal === 'string' && whyNoTerminal.startsWith('it runs') ? whyNoTerminal : false;

const place = (test: TestContext) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'kwg-unwrap-')));
  test.after(() => remove(root));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  for (const folder of [home, project]) mkdirSync(folder);
  const env = { HOME: home, PATH: `${join(home, '.local/bin')}${delimiter}${process.env.PATH}` };
  const run = async (args: string[]) => {
    const ran = await drive('cli.cjs', null, env, args, true, project);
    assert.doesNotMatch(ran.stderr, /\n\s+at /, 'a stack trace');
    return ran;
  };
  const ok = async (args: string[]) => {
    const { code, stdout, stderr } = await run(args);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  const write = (file: string, text: string): string => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return { root, home, project, run, ok, write };
};

const NINE = Object.fromEntries(
  Array.from({ length: 9 }, (_, index) => [`s${index}`, { command: 'npx', args: ['-y', `server-${index}`] }]),
);

describe('uninstall with wrapped servers', { skip }, () => {
  it('puts every entry back, byte for byte, and says so; nothing is left', async (test) => {
    const at = place(test);
    at.write(join(at.home, '.claude.json'), `{ "mcpServers":\n${JSON.stringify(NINE, null, '\t')} , "x": 1}`);
    at.write(join(at.home, '.cursor/mcp.json'), '{"mcpServers":{"c":{"url":"https://mcp.test/mcp"}}}');
    const before = listing(at.root);
    await at.ok(['install']);
    for (const name of Object.keys(NINE)) await at.ok(['wrap', '--add', name, '--yes', '--host', 'claude']);
    await at.ok(['wrap', '--add', 'c', '--yes']);
    const wrapped = listing(at.root);
    const would = await at.ok(['uninstall', '--dry-run']);
    assert.match(would, /put back 9 servers of .*\.claude\.json\n[\s\S]*\+\s+"command": "npx"/);
    assert.deepEqual(listing(at.root), wrapped);
    const said = await at.ok(['uninstall']);
    assert.match(said, /servers +9 servers of .*\.claude\.json put back: the file has the same bytes as before/);
    assert.match(said, /servers +1 server of .*mcp\.json put back: the file has the same bytes/);
    assert.deepEqual(listing(at.root), before);
  });

  it('a file that was changed since: its values are put back, and that is said', async (test) => {
    const at = place(test);
    const mcpServers = { ...NINE, bare: { command: 'x', args: [] } };
    const file = at.write(join(at.home, '.claude.json'), JSON.stringify({ mcpServers }));
    await at.ok(['install']);
    await at.ok(['wrap', '--add', 's1', '--yes']);
    await at.ok(['wrap', '--add', 'bare', '--yes']);
    const now = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ numStartups: 3, ...now }, null, 2));
    assert.match(
      await at.ok(['uninstall']),
      /put back: other parts of the file have changed since then, and stay as they are/,
    );
    assert.equal(readFileSync(file, 'utf8'), JSON.stringify({ numStartups: 3, mcpServers }, null, 2));
    assert.deepEqual(
      Object.keys(listing(at.home)).filter((path) => path.includes('konnichiwagwan')),
      [],
    );
  });

  it('those of other folders, and those that were wrapped by hand', async (test) => {
    const at = place(test);
    const hand = (command: string) => ({ type: 'stdio', command, args: ['wrap', '--', 'x', 'y'] });
    const file = at.write(join(at.home, '.claude.json'), '{}');
    await at.ok(['install']);
    const program = join(at.home, '.claude/skills/konnichiwagwan/dist/cli.cjs');
    const servers = {
      far: hand('kwg'),
      other: hand('/opt/konnichiwagwan'),
      path: hand(join(at.home, '.local/bin/kwg')),
      file: { ...hand('node'), args: [program, 'wrap', '--', 'x', 'y'] },
    };
    writeFileSync(file, JSON.stringify({ projects: { '/far': { mcpServers: servers } } }));
    await at.ok(['uninstall']);
    const now = JSON.parse(readFileSync(file, 'utf8')).projects['/far'].mcpServers;
    const bare = { type: 'stdio', command: 'x', args: ['y'] };
    assert.deepEqual(now, { far: bare, other: servers.other, path: bare, file: bare }, 'another konnichiwagwan stays');
  });

  it('what cannot be put back is named with a command that works, and nothing is changed', async (test) => {
    const at = place(test);
    await at.ok(['install']);
    const launcher = join(at.home, '.local/bin/konnichiwagwan');
    at.write(
      join(at.home, '.codex/config.toml'),
      `[mcp_servers.t]\ncommand = ${JSON.stringify(launcher)}\nargs = [ "wrap", "--", "x" ]\n`,
    );
    at.write(
      join(at.home, '.claude.json'),
      JSON.stringify({ mcpServers: { s: { command: launcher, args: ['wrap', '--', 'x'] } } }),
    );
    const before = listing(at.root);
    const { code, stdout, stderr } = await at.run(['uninstall']);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /`t` \(Codex, .*TOML.*: konnichiwagwan wrap --remove t --host codex --scope user\n/);
    assert.deepEqual(listing(at.root), before);
    assert.match(
      await at.ok(['wrap', '--remove', 't', '--host', 'codex', '--scope', 'user']),
      /put in:\n +command = "x"/,
    );
    assert.ok(existsSync(launcher));
  });
});
