// The agent cannot approve for a person: the rules that the installer writes, against the real client's own tools.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { type Version, versions } from './client.ts';
import { installHooks, removeSandboxes, runHeadless, type Sandbox, sandbox } from './run.ts';
import { type Json, toolResults } from './stub-model.ts';

after(removeSandboxes);

type Call = { what: string; tool: string; input: Json };

const before = '{"a":1}\n';
const lockfile = 'mcp-contracts.lock.json';

const put = (file: string): string => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, before);
  return file;
};

const write = (what: string, file: string): Call => ({
  what,
  tool: 'Write',
  input: { file_path: file, content: '{}' },
});

/** An edit requires that the file was read, which is allowed. */
const edit = (what: string, file: string): Call[] => [
  { what: '', tool: 'Read', input: { file_path: file } },
  { what, tool: 'Edit', input: { file_path: file, old_string: '1', new_string: '2' } },
];

const bash = (command: string): Call => ({ what: command, tool: 'Bash', input: { command, description: 'x' } });

/** Makes all these calls in one session: which ones a rule denied, and what Claude Code said about each. */
const attempt = async (t: TestContext, version: Version, box: Sandbox, mode: string, calls: Call[]) => {
  const run = await runHeadless({
    version,
    home: box.home,
    cwd: box.cwd,
    steps: calls.map(({ tool, input }) => ({ tool, input, delayMs: 0 })),
    // Without a rule each Bash command would run: so only our rules refuse the calls below.
    settings: { permissions: { allow: ['Bash', 'Edit', 'Write'] } },
    args: ['--permission-mode', mode, '--add-dir', box.home],
    // Without IS_SANDBOX the client refuses to bypass permissions as root. No npx may reach a registry.
    env: { IS_SANDBOX: '1', npm_config_offline: 'true' },
  });
  const results = toolResults(run.requests.at(-1)?.body);
  assert.equal(results.length, calls.length, run.stderr);
  for (const [index, { what }] of calls.entries()) t.diagnostic(`${what}: ${results[index]?.text.slice(0, 120)}`);
  const isDenied = (index: number): boolean =>
    results[index]?.isError === true &&
    /denied by your permission settings|Permission to use \w+ .*has been denied/s.test(results[index].text);
  assert.doesNotMatch(run.stderr, /rule/i, 'the client has something to say about our rules');
  return calls.filter((_, index) => isDenied(index)).map(({ what }) => what);
};

for (const version of versions) {
  describe(`Claude Code ${version}`, () => {
    for (const mode of ['acceptEdits', 'bypassPermissions']) {
      test(`${mode}: lockfiles and state are denied, other files are not`, async (t) => {
        const box = sandbox();
        installHooks(box.home);
        const lock = put(join(box.cwd, lockfile));
        const outside = put(join(box.home, 'elsewhere', lockfile));
        const state = put(join(box.home, '.claude/konnichiwagwan/config.json'));
        const fresh = join(box.cwd, 'packages/a', lockfile);
        const ordinary = join(box.cwd, 'ordinary.json');
        const forbidden = [
          ...[...edit('edit the lockfile', lock), write('write the lockfile', lock)],
          write('write a new lockfile, deeper', fresh),
          write('write a lockfile outside', outside),
          ...[...edit('edit the state', state), write('write the state', state)],
          bash(`echo x > ${lockfile}`),
        ];
        const denied = await attempt(t, version, box, mode, [...forbidden, write('write another file', ordinary)]);
        assert.deepEqual(
          denied,
          forbidden.map(({ what }) => what).filter((what) => what !== ''),
        );
        for (const file of [lock, outside, state]) assert.equal(readFileSync(file, 'utf8'), before, file);
        assert.ok(!existsSync(fresh));
        assert.equal(readFileSync(ordinary, 'utf8'), '{}');
      });
    }

    test('bypassPermissions: approve is denied however it is started, other commands are not', async (t) => {
      const box = sandbox();
      installHooks(box.home);
      const cli = join(box.home, '.claude/skills/konnichiwagwan/dist/cli.cjs');
      const forbidden = [
        'kwg approve',
        'konnichiwagwan approve server/tool --spawn',
        'npx konnichiwagwan approve',
        'npx -y konnichiwagwan@0.1.0 approve',
        'npx -p konnichiwagwan kwg approve',
        `node ${cli} approve`,
        `node "${cli}" approve`,
        './node_modules/.bin/kwg approve',
        'cd . && kwg approve',
        'env -u CLAUDECODE setsid kwg approve',
        'script -qc "kwg approve" /dev/null',
        'bash -c "konnichiwagwan approve"',
      ];
      const free = [`node ${cli} verify`, 'echo approve', 'ls'];
      assert.deepEqual(
        await attempt(t, version, box, 'bypassPermissions', [...forbidden, ...free].map(bash)),
        forbidden,
      );
    });
  });
}
