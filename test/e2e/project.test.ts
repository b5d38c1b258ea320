// A project's installation as a colleague gets it: cloned, and run in the real client, which starts the resident guard.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { clientBinary, repo, type Version, versions } from './client.ts';
import { HttpServer } from './http-server.ts';
import { closeTerminals, hasTmux, Interactive } from './interactive.ts';
import { clientEnv, removeSandboxes, runHeadless, type Sandbox, sandbox } from './run.ts';
import type { Script } from './stub-model.ts';

after(async () => {
  closeTerminals();
  await removeSandboxes();
});

const tool = (parameter: string) => ({
  name: 'forecast',
  description: 'Says how the weather will be',
  inputSchema: {
    type: 'object',
    properties: { [parameter]: { type: 'string' } },
    required: [parameter],
    additionalProperties: false,
  },
});
const [stale, current] = [{ town: 'Ghent' }, { place: 'Ghent' }];

/** Makes a repository with this client version's installation and a server of the team; then its clone. */
const cloned = async (
  t: TestContext,
  installer: Version,
  era: 'modern' | 'session',
): Promise<{ box: Sandbox; server: HttpServer }> => {
  const server = await HttpServer.start({ era, tools: [tool('town')] });
  t.after(() => server.close());
  const box = sandbox();
  const [origin, bin] = [join(box.dir, 'origin'), join(box.dir, 'bin')];
  for (const folder of [origin, bin]) mkdirSync(folder);
  symlinkSync(clientBinary(installer), join(bin, 'claude'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: origin,
      stdio: 'pipe',
      encoding: 'utf8',
    });
  git('init', '-q');
  const mcp = { mcpServers: { sky: server.entry } };
  writeFileSync(join(origin, '.mcp.json'), JSON.stringify(mcp, null, 2));
  mkdirSync(join(origin, '.claude'));
  const settings = { permissions: { allow: ['mcp__sky'] }, enabledMcpjsonServers: ['sky'] };
  writeFileSync(join(origin, '.claude/settings.json'), JSON.stringify(settings));
  git('add', '-A');
  git('commit', '-qm', 'before');
  // The built package's programs, as installed.
  const root = join(box.dir, 'package');
  for (const part of ['dist', 'skills', 'package.json'])
    cpSync(join(repo, part), join(root, part), { recursive: true });
  const env = { ...clientEnv(join(box.dir, 'installer'), 'http://127.0.0.1:9') };
  execFileSync(process.execPath, [join(root, 'dist/cli.cjs'), 'install', '--project'], {
    cwd: origin,
    env: { ...env, PATH: `${bin}:${env.PATH}` },
    stdio: 'pipe',
  });
  git('add', '-A');
  git('commit', '-qm', 'guarded');
  execFileSync('git', ['clone', '-q', origin, box.cwd], { stdio: 'pipe' });
  return { box, server };
};

const steps = (server: HttpServer, era: 'modern' | 'session', stays: boolean): Script => [
  { tool: 'mcp__sky__forecast', input: stale },
  {
    tool: 'mcp__sky__forecast',
    input: stale,
    before: async () => {
      if (stays) return server.announceToGuard([tool('place')]);
      await server.outlive();
      server.announce([tool('place')]);
    },
  },
  { tool: 'mcp__sky__forecast', input: current },
  { text: `the end, ${era}` },
];

const trusted = ({ home, cwd }: Sandbox): void => {
  const state = { hasCompletedOnboarding: true, projects: { [cwd]: { hasTrustDialogAccepted: true } } };
  writeFileSync(join(home, '.claude.json'), JSON.stringify(state));
};

const names = (value: unknown): number => JSON.stringify(value).split('konnichiwagwan stopped this call').length - 1;

for (const version of versions) {
  for (const [title, installer] of [
    ['with a guard that stays', '2.1.332'],
    ['with a program for each call', '2.1.197'],
  ] as const) {
    const stays = installer === '2.1.332';
    describe(`Claude Code ${version}: a clone of a project that was installed ${title}`, () => {
      for (const era of ['modern', 'session'] as const) {
        test(`headless, ${era}: the stale call is stopped, the corrected one arrives`, async (t) => {
          const { box, server } = await cloned(t, installer, era);
          trusted(box);
          const run = await runHeadless({ version, ...box, steps: steps(server, era, stays) });
          assert.equal(run.code, 0, run.stderr);
          assert.deepEqual(
            server.calls.map((one) => one.arguments),
            [stale, current],
          );
          assert.ok(names(run.requests) > 0, 'the model was not told');
          const judged = run.hooks.filter(({ event }) => event === 'PreToolUse').map(({ stdout }) => stdout);
          // A resident guard has to answer in any case.
          assert.equal(judged[0], stays ? '{}' : '');
        });
      }

      test('interactive: nobody is asked about it, and the stale call is stopped', {
        skip: hasTmux ? false : 'tmux is not installed',
      }, async (t) => {
        const { box, server } = await cloned(t, installer, 'session');
        const terminal = await Interactive.start({ version, ...box, steps: steps(server, 'session', stays) });
        t.after(() => terminal.kill());
        await terminal.type('go');
        await terminal.waitFor(/the end, session/);
        assert.deepEqual(
          server.calls.map((one) => one.arguments),
          [stale, current],
        );
        assert.ok(names(terminal.requests) > 0, 'the model was not told');
      });
    });
  }
}

test('what is committed is small, and uninstalling gives back every byte', async (t) => {
  const { box } = await cloned(t, '2.1.332', 'modern');
  const origin = join(box.dir, 'origin');
  const skill = join(origin, '.claude/skills/konnichiwagwan');
  const files = readdirSync(skill, { recursive: true, encoding: 'utf8' }).map((file) => statSync(join(skill, file)));
  const bytes = files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0);
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes < 1_150_000, `${bytes} bytes`);
  const cli = join(skill, 'program/cli.cjs');
  execFileSync(process.execPath, [cli, 'uninstall', '--project'], {
    cwd: origin,
    env: clientEnv(join(box.dir, 'installer'), ''),
    stdio: 'pipe',
  });
  const left = execFileSync('git', ['diff', '--stat', 'HEAD~1'], { cwd: origin, encoding: 'utf8' });
  assert.equal(left, '');
});
