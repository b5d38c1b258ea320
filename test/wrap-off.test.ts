// Who may switch wrap off: the user's settings and a flag in the entry, but no file in a folder.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { usersEnvironment } from '../scripts/wrap/users-environment.ts';
import { startServer } from './wrap-sides.ts';

const SERVER = `
  on = ({ id, method }) => {
    if (method !== 'go') return false;
    tools = [{ name: 'note', inputSchema: schema('body') }];
    answer(id, {});
    return true;
  };`;

interface World {
  /** Files of the folder in which the host works, by name. */
  files?: Record<string, string>;
  env?: NodeJS.ProcessEnv;
  words?: string[];
  /** The config.json in the user's own state folder. */
  config?: object;
}

const run = async (test: TestContext, { files = {}, env = {}, words, config }: World) => {
  const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-off-'));
  test.after(() => remove(root));
  const project = join(root, 'repository/inside');
  const home = join(root, 'home/.claude/konnichiwagwan');
  for (const folder of [project, home, join(root, 'evil/konnichiwagwan')]) mkdirSync(folder, { recursive: true });
  for (const path of ['evil/config.json', 'evil/konnichiwagwan/config.json'])
    writeFileSync(join(root, path), JSON.stringify({ mode: 'off' }));
  if (config) writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, 'repository', name)), { recursive: true });
    writeFileSync(join(root, 'repository', name), text.replaceAll('ROOT', root));
  }
  const filled = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value?.replaceAll('ROOT', root)]));
  const given = { HOME: join(root, 'home'), KONNICHIWAGWAN_HOME: undefined, CLAUDE_PROJECT_DIR: project, ...filled };
  const host = startServer(test, SERVER, { env: given, ...(words ? { words } : {}) });
  await host.begin();
  await host.ask('go');
  const { content, isError } = await host.call('note', { text: 'stale' });
  return { isStopped: isError === true, text: content[0].text, stderr: host.stderr() };
};

describe('a folder', () => {
  const evil = { KONNICHIWAGWAN_HOME: 'ROOT/evil' };
  const cases: [what: string, world: World][] = [
    ['KONNICHIWAGWAN=off', { files: { '.env': 'KONNICHIWAGWAN=off\n' }, env: { KONNICHIWAGWAN: 'off' } }],
    ['the same from nowhere', { env: { KONNICHIWAGWAN: 'off' } }],
    ['a state folder', { files: { '.env': 'A=b\nexport KONNICHIWAGWAN_HOME="ROOT/evil"\n' }, env: evil }],
    [
      'one for Gemini CLI, in a folder above',
      { files: { '.gemini/.env': 'KONNICHIWAGWAN_HOME=ROOT/evil' }, env: evil },
    ],
    ['one for Qwen Code', { files: { 'inside/.qwen/.env': '  KONNICHIWAGWAN_HOME : ROOT/evil' }, env: evil }],
    [
      'a folder of settings',
      { files: { 'inside/.env.local': 'CLAUDE_CONFIG_DIR=ROOT/evil' }, env: { CLAUDE_CONFIG_DIR: 'ROOT/evil' } },
    ],
  ];
  for (const [what, world] of cases)
    it(`does not switch it off, and its try is told: ${what}`, async (test) => {
      const { isStopped, stderr } = await run(test, world);
      assert.ok(isStopped);
      assert.match(stderr, /is ignored: |does not switch wrap off/);
    });

  it('sets nothing of ours by a file for any other host, either', (test) => {
    const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-off-'));
    test.after(() => remove(root));
    const name = 'CLAUDE_CONFIG_DIR';
    for (const [at, file] of ['.codex/.env', '.cursor/.env', '.env.development'].entries()) {
      const folder = join(root, String(at));
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${name}: /evil`);
      assert.deepEqual(
        usersEnvironment({ HOME: root, [name]: '/evil' }, folder, [name], () => {}),
        { HOME: root },
        file,
      );
    }
  });

  it('sets nothing of ours by a file that is too large to be read, and a folder of that name sets nothing', (test) => {
    const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-off-'));
    test.after(() => remove(root));
    const given = { HOME: root, GATEWAY_URL: 'http://evil.example' };
    const told: string[] = [];
    const left = (folder: string) =>
      usersEnvironment(given, folder, ['GATEWAY_URL'], (name, file) => told.push(name, file));
    const [large, venv] = ['large', 'venv'].map((name) => join(root, name)) as [string, string];
    for (const folder of [large, join(venv, '.env')]) mkdirSync(folder, { recursive: true });
    const file = join(large, '.env');
    writeFileSync(file, 'GATEWAY_URL=http://evil.example\n');
    truncateSync(file, 65 * 1024 * 1024);
    assert.deepEqual([left(large), told], [{ HOME: root }, ['GATEWAY_URL', file]]);
    assert.deepEqual(left(venv), given);
  });

  it('may set what is not ours', async (test) => {
    const { isStopped, stderr } = await run(test, { files: { '.env': 'TOKEN=x\nMY_KONNICHIWAGWAN=off\n' } });
    assert.ok(isStopped);
    assert.equal(stderr, '');
  });
});

describe('the user', () => {
  it('switches it off by the settings, or by a flag of the entry; both are told', async (test) => {
    for (const world of [{ config: { mode: 'off' } }, { words: ['--off'] }]) {
      const { isStopped, stderr } = await run(test, world);
      assert.ok(!isStopped);
      assert.match(stderr, /calls (?:of this server )?are not checked/);
    }
  });

  it('says where the state folder is', async (test) => {
    const { isStopped } = await run(test, { env: { KONNICHIWAGWAN_HOME: 'ROOT/evil' } });
    assert.ok(!isStopped);
  });
});
