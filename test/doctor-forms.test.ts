// Full tier: a process for each form.
// doctor runs the registered guard in each possible form: settings, a plugin, a folder of skills.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runProgram, sandbox, tool } from './sandbox.ts';

interface Check {
  name: string;
  state: string;
  detail: string;
  hint?: string;
}

const bench = async (test: TestContext) => {
  const box = await sandbox(test, [tool('a', {})]);
  const { KONNICHIWAGWAN_HOME: _state, ...env } = box.env;
  const write = (path: string, value: unknown): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  };
  const run = (...args: string[]) =>
    runProgram(process.execPath, [resolve('dist/cli.cjs'), ...args], { env, cwd: box.project });
  const doctor = async () => {
    const { stdout, code } = await run('doctor', '--json');
    const { checks } = JSON.parse(stdout).data as { checks: Check[] };
    const named = (name: string): Check =>
      checks.find((check) => check.name === name) ?? assert.fail(`${name}: ${JSON.stringify(checks, null, 1)}`);
    return { code, checks, named, wrong: checks.filter(({ state }) => state === 'wrong').map(({ name }) => name) };
  };
  const install = async (...args: string[]) => {
    const { code, stderr } = await run('install', ...args);
    assert.equal(code, 0, stderr);
  };
  const settings = join(box.home, '.claude/settings.json');
  /** The files that `plugin install` leaves behind for a marketplace that is not a folder of this machine. */
  const plugin = (root: string): string => {
    const id = 'konnichiwagwan@market';
    const known = existsSync(settings) ? JSON.parse(readFileSync(settings, 'utf8')) : {};
    write(settings, { ...known, enabledPlugins: { [id]: true } });
    const plugins = { [id]: [{ scope: 'user', installPath: root }] };
    write(join(box.home, '.claude/plugins/installed_plugins.json'), { version: 2, plugins });
    write(join(box.home, '.claude/plugins/known_marketplaces.json'), {});
    return root;
  };
  const trust = () =>
    write(join(box.home, '.claude.json'), { projects: { [box.project]: { hasTrustDialogAccepted: true } } });
  return { ...box, run, doctor, install, plugin, write, settings, trust };
};

describe('doctor, of a plugin', () => {
  it('that was installed as it ships: the resident guard judges', async (test) => {
    const { doctor, plugin } = await bench(test);
    const root = plugin(resolve('plugin'));
    const { code, named, wrong } = await doctor();
    assert.deepEqual([code, wrong], [0, []]);
    assert.equal(named('guard, stale call').state, 'ok');
    assert.equal(named('calls are judged by').detail, `the resident guard of plugin konnichiwagwan@market (${root})`);
  });

  it('of a clone that was not built fails, and names the remedy', async (test) => {
    const { doctor, plugin, home } = await bench(test);
    const root = join(home, 'clone');
    for (const part of ['.claude-plugin', 'hooks/hooks.json', 'skills', 'package.json'])
      cpSync(part, join(root, part), { recursive: true });
    plugin(root);
    const { code, named, checks } = await doctor();
    assert.equal(code, 1);
    const { state, detail, hint } = named('hook guard');
    assert.equal(state, 'wrong');
    assert.match(detail, /dist\/resident\.cjs, which is not there: every MCP call is stopped/);
    assert.ok(hint?.includes(`npm ci && npm run build in ${root}; or claude plugin uninstall konnichiwagwan@market`));
    assert.equal(named('guard, stale call').state, 'wrong');
    assert.ok(!checks.some(({ name }) => name === 'calls are judged by'));
  });

  it('whose folder is gone fails, and names the remedy', async (test) => {
    const { doctor, plugin, home } = await bench(test);
    plugin(join(home, 'gone/plugin'));
    const { code, named } = await doctor();
    assert.equal(code, 1);
    assert.match(named('hooks').detail, /plugin konnichiwagwan@market is switched on, and there are no hooks/);
    assert.match(named('hooks').hint ?? '', /claude plugin uninstall konnichiwagwan@market/);
  });

  it('whose resident guard does nothing fails', async (test) => {
    const { doctor, plugin, home } = await bench(test);
    cpSync('plugin', join(home, 'copy'), { recursive: true });
    plugin(join(home, 'copy'));
    for (const text of ['', 'console.log("no JSON")', 'throw new Error()']) {
      writeFileSync(join(home, 'copy/dist/resident.cjs'), text);
      const { code, wrong } = await doctor();
      assert.deepEqual([code, wrong], [1, ['guard, fresh call', 'guard, stale call']], text);
    }
  });

  it('beside an installation: names both, and how to keep one', async (test) => {
    const { doctor, plugin, install } = await bench(test);
    await install();
    plugin(resolve('plugin'));
    const { code, named } = await doctor();
    assert.equal(code, 0);
    const { state, detail, hint } = named('calls are judged by');
    assert.equal(state, 'note');
    assert.match(detail, /installed twice/);
    assert.match(hint ?? '', /konnichiwagwan uninstall, or claude plugin uninstall konnichiwagwan@market/);
  });

  it('that is switched off counts for nothing', async (test) => {
    const { doctor, plugin, settings } = await bench(test);
    plugin(resolve('plugin'));
    writeFileSync(settings, '{"enabledPlugins":{"konnichiwagwan@market":false}}');
    const { code, wrong } = await doctor();
    assert.deepEqual([code, wrong], [1, ['hooks']]);
  });
});

describe('doctor, of a folder of skills that is a plugin', () => {
  it('runs it, unless it is switched off', async (test) => {
    const { doctor, home, write, settings } = await bench(test);
    cpSync('plugin', join(home, '.claude/skills/konnichiwagwan'), { recursive: true });
    const { code, named } = await doctor();
    assert.equal(code, 0);
    assert.match(named('calls are judged by').detail, /^the resident guard of plugin konnichiwagwan@skills-dir/);
    write(settings, { enabledPlugins: { 'konnichiwagwan@skills-dir': false } });
    assert.equal((await doctor()).code, 1);
  });
});

describe('doctor, of a project', () => {
  it('runs the hooks of its settings where the user trusts the folder', async (test) => {
    const { doctor, install, trust } = await bench(test);
    await install('--project');
    trust();
    const { code, named } = await doctor();
    assert.equal(code, 0);
    assert.match(
      named('calls are judged by').detail,
      /^a process for each call, with the hooks of settings\.json of the project/,
    );
  });

  it('starts nothing of a repository that nobody trusts, and says so', async (test) => {
    const { doctor, install, project, home } = await bench(test);
    await install('--project');
    const program = join(project, '.claude/skills/konnichiwagwan/program');
    for (const name of ['guard', 'session-start'])
      writeFileSync(
        join(program, `${name}.cjs`),
        `require('fs').writeFileSync(${JSON.stringify(join(home, 'ran'))}, '')`,
      );
    const { named } = await doctor();
    assert.equal(named('guard').state, 'note');
    assert.match(named('guard').detail, /does not trust this folder/);
    assert.equal(existsSync(join(home, 'ran')), false);
  });

  it('whose programs git ignores fails, and names the line and a remedy that works', async (test) => {
    const { doctor, install, project, trust } = await bench(test);
    const git = (...args: string[]) => assert.equal(spawnSync('git', args, { cwd: project }).status, 0);
    git('init', '-q');
    writeFileSync(join(project, '.gitignore'), '*.cjs\n');
    await install('--project');
    trust();
    const { code, named } = await doctor();
    assert.equal(code, 1);
    assert.match(named('programs in git').detail, /\.gitignore:1: \*\.cjs/);
    const [, command = ''] = /run: git (.*)$/.exec(named('programs in git').hint ?? '') ?? [];
    git(...command.split(' '));
    assert.equal((await doctor()).code, 0);
  });

  it('whose programs are missing in a clone fails', async (test) => {
    const { doctor, install, project, trust } = await bench(test);
    await install('--project');
    rmSync(join(project, '.claude/skills/konnichiwagwan/program'), { recursive: true });
    trust();
    const { code, named } = await doctor();
    assert.equal(code, 1);
    assert.match(named('hook guard').detail, /program\/guard\.cjs, which is not there: every MCP call is stopped/);
    assert.equal(named('hook guard').hint, 'konnichiwagwan install --project');
    assert.match(named('guard, stale call').detail, /cannot start: Cannot find module/);
  });
});
