// Our programs on file systems like those of Windows and macOS, which foreign-fs.cjs simulates. It is loaded before the
// programs, so the tests use built files.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { listing } from './install-home.ts';
import { runBuilt, runProgram, sandbox, tool, untilRecorded } from './sandbox.ts';

type Kind = 'fold' | 'nfd' | 'busy';

/** Each kind with the system that it stands for. */
const SYSTEMS: Record<string, Kind[]> = {
  'names in any case (Windows, macOS)': ['fold'],
  'decomposed names (macOS)': ['fold', 'nfd'],
  'files that are in use at first (Windows)': ['busy'],
};

const foreign = (root: string, kinds: Kind[]): NodeJS.ProcessEnv => ({
  FOREIGN_FS: JSON.stringify({ root, kinds }),
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(resolve('test/foreign-fs.cjs'))}`.trim(),
  // For programs that take this for Windows.
  TEMP: tmpdir(),
});

const folder = (test: TestContext): string => {
  const made = mkdtempSync(join(tmpdir(), 'kwg-foreign-'));
  test.after(() => remove(made));
  return made;
};

const SETTINGS = '{\r\n\t"model": "opus",\r\n\t"permissions": { "deny": ["Read(./.env)"] }\r\n}';

for (const [name, kinds] of Object.entries(SYSTEMS))
  describe(name, () => {
    it('an installation is made, guards a server, is repeated, and is taken back byte for byte', async (test) => {
      const home = folder(test);
      mkdirSync(join(home, '.claude'));
      writeFileSync(join(home, '.claude/settings.json'), SETTINGS);
      const servers = '{"mcpServers":{"Größe":{"command":"nothing","args":["a b"]}},\t"numStartups":1}\n';
      writeFileSync(join(home, '.claude.json'), servers);
      const before = listing(home);
      const env = { ...process.env, HOME: home, USERPROFILE: home, ...foreign(home, kinds) };
      const ours = (...args: string[]) =>
        runProgram(process.execPath, [resolve('dist/cli.cjs'), ...args], { env, cwd: tmpdir() });
      const first = await ours('install', '--yes', '--json');
      assert.equal(first.code, 0, first.stdout + first.stderr);
      assert.match(readFileSync(join(home, '.claude.json'), 'utf8'), /"wrap"/);
      const again = await ours('install', '--yes', '--json');
      assert.equal(JSON.parse(again.stdout).data.changed, false);
      const removed = await ours('uninstall', '--purge');
      assert.equal(removed.code, 0, removed.stdout + removed.stderr);
      assert.deepEqual(listing(home), before);
    });

    it('a session is recorded, and a stale call is stopped', async (test) => {
      const takes = (parameter: string) => tool('a', { [parameter]: { type: 'string' } }, { required: [parameter] });
      const box = await sandbox(test, [takes('city')]);
      const env = { ...process.env, ...box.env, ...foreign(box.home, kinds) };
      const start = {
        session_id: 's1',
        transcript_path: box.transcript,
        cwd: box.project,
        hook_event_name: 'SessionStart',
        source: 'startup',
      };
      const started = await runBuilt('session-start.cjs', JSON.stringify(start), env, [], true);
      assert.deepEqual([started.code, started.stderr], [0, '']);
      await untilRecorded(box.state, 's1');
      const call = () => runBuilt('guard.cjs', JSON.stringify(box.input('a', { city: 'x' })), env);
      for (let time = 0; time < 2; time++) {
        const fresh = await call();
        assert.deepEqual([fresh.code, fresh.stdout, fresh.stderr], [0, '', '']);
      }
      box.release([takes('place')]);
      const { answer, stdout } = await call();
      assert.match(stdout, /"permissionDecision":"deny"/, JSON.stringify(answer));
    });
  });

describe('a project by another spelling of its folder', () => {
  const ready = async (test: TestContext, kinds: Kind[], at: string, spelled: string) => {
    const root = folder(test);
    const project = join(root, at);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { demo: { command: 'nothing' } } }));
    const trust = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['demo'] };
    writeFileSync(join(root, '.claude.json'), JSON.stringify({ projects: { [project.normalize('NFC')]: trust } }));
    const env = { ...process.env, HOME: root, USERPROFILE: root, CLAUDE_PROJECT_DIR: join(root, spelled) };
    const args = [resolve('dist/cli.cjs'), 'status', '--json'];
    const { stdout } = await runProgram(process.execPath, args, {
      env: { ...env, ...foreign(root, kinds) },
      cwd: root,
    });
    return (JSON.parse(stdout).data.unstarted as { name: string }[]).map(({ name }) => name);
  };

  it('is the one that the user trusts, where the file system says so', async (test) => {
    assert.deepEqual(await ready(test, ['fold'], 'Code/Project', 'code/PROJECT'), []);
    assert.deepEqual(await ready(test, ['fold', 'nfd'], 'Code/Gr\u00fc\u00dfe', 'code/gru\u0308\u00dfe'), []);
  });

  it('is another one, where it does not', { skip: process.platform !== 'linux' && 'knows no case' }, async (test) => {
    const root = folder(test);
    for (const name of ['Project', 'project']) mkdirSync(join(root, name));
    const trust = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['demo'] };
    writeFileSync(join(root, '.claude.json'), JSON.stringify({ projects: { [join(root, 'Project')]: trust } }));
    writeFileSync(join(root, 'project/.mcp.json'), JSON.stringify({ mcpServers: { demo: { command: 'nothing' } } }));
    const env = { ...process.env, HOME: root, CLAUDE_PROJECT_DIR: join(root, 'project') };
    const args = [resolve('dist/cli.cjs'), 'status', '--json'];
    const { stdout } = await runProgram(process.execPath, args, { env, cwd: root });
    assert.deepEqual(
      JSON.parse(stdout).data.unstarted.map(({ name }: { name: string }) => name),
      ['demo'],
    );
  });
});
