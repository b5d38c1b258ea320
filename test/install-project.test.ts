// A committed installation: what reaches those who clone the project, and what they see if it does not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { noGit } from './git.ts';
import { freshHome, listing, repository } from './install-home.ts';

const withRepository = (ignore?: string) => {
  const box = freshHome();
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd: box.project,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: box.home, GIT_CONFIG_NOSYSTEM: '1' },
    });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  git('init', '-q');
  if (ignore !== undefined) writeFileSync(join(box.project, '.gitignore'), ignore);
  const warnings = async (): Promise<string[]> =>
    JSON.parse((await box.ok(['install', '--project', '--json'])).stdout).warnings;
  const committed = (): string[] => {
    git('add', '.');
    return git('ls-files')
      .split('\n')
      .filter((path) => path.endsWith('.cjs'));
  };
  return { ...box, git, warnings, committed };
};

describe('a project whose repository ignores dist/', { skip: noGit }, () => {
  it('gets its programs committed all the same', async () => {
    const { warnings, committed } = withRepository('node_modules/\ndist/\n');
    assert.deepEqual(await warnings(), []);
    assert.ok(committed().includes('.claude/skills/konnichiwagwan/program/guard.cjs'));
  });
});

describe('programs that git ignores', { skip: noGit }, () => {
  it('are named with the line that ignores them, and with a remedy that works', async () => {
    const { project, warnings, committed } = withRepository('x\nprogram/\n');
    assert.match(
      (await warnings()).join(),
      /^Git ignores the programs \(\.gitignore:2: program\/\).*every MCP call of other people in this project/,
    );
    assert.deepEqual(committed(), []);
    const [, line = ''] = /Add the line (\S+) to/.exec((await warnings()).join()) ?? [];
    writeFileSync(join(project, '.gitignore'), `x\nprogram/\n${line}\n`);
    assert.deepEqual(await warnings(), []);
    assert.ok(committed().includes('.claude/skills/konnichiwagwan/program/guard.cjs'));
  });

  it('are named where *.cjs is ignored, until they are added all the same', async () => {
    const { git, warnings } = withRepository('*.cjs\n');
    const [, command = ''] = /run: git (.*)$/.exec((await warnings()).join()) ?? [];
    git(...command.split(' '));
    assert.deepEqual(await warnings(), []);
  });

  it('do not matter where the hooks are not committed either, or there is no repository', async () => {
    assert.deepEqual(await withRepository('.claude/\n').warnings(), []);
    const { ok } = freshHome();
    assert.deepEqual(JSON.parse((await ok(['install', '--project', '--json'])).stdout).warnings, []);
  });
});

describe('a clone without the programs', () => {
  /** Runs the hook as Claude Code does, with its placeholder filled in. */
  const run = (box: ReturnType<typeof freshHome>, env: NodeJS.ProcessEnv = {}, at = 0) => {
    const { command, args } = box.parsed(join(box.project, '.claude/settings.json')).hooks.PreToolUse[at].hooks[0];
    const filled = args.map((one: string) => one.replace('$' + '{CLAUDE_PROJECT_DIR}', box.project));
    return spawnSync(command, filled, {
      input: '{}',
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: box.home, CLAUDE_PROJECT_DIR: box.project, ...env },
    });
  };

  it('has its calls stopped by a message of ours, which names the way out', async () => {
    const box = freshHome();
    await box.ok(['install', '--project']);
    rmSync(join(box.project, '.claude/skills/konnichiwagwan/program'), { recursive: true });
    for (const at of [0, 1]) {
      const { stdout, stderr, status } = run(box, {}, at);
      assert.deepEqual([stderr, status], ['', 0]);
      const { systemMessage, hookSpecificOutput } = JSON.parse(stdout);
      assert.equal(hookSpecificOutput.permissionDecision, 'deny');
      for (const text of [systemMessage, hookSpecificOutput.permissionDecisionReason]) {
        assert.match(text, /^konnichiwagwan cannot start: Cannot find module .*\(Node v\d/);
        assert.match(text, /konnichiwagwan install --project.*\.claude\/settings\.json.*KONNICHIWAGWAN=off/);
      }
    }
    const off = run(box, { KONNICHIWAGWAN: 'off' });
    assert.deepEqual([off.stdout, off.stderr, off.status], ['', '', 0]);
  });

  it('is not needed for that where they are there: the guard itself answers', async () => {
    const box = freshHome();
    await box.ok(['install', '--project']);
    const program = join(box.project, '.claude/skills/konnichiwagwan/program');
    for (const name of readdirSync(join(repository, 'dist')).filter((one) => one.endsWith('.cjs')))
      cpSync(join(repository, 'dist', name), join(program, name));
    const { stdout, status } = run(box);
    assert.equal(status, 0);
    assert.match(JSON.parse(stdout).systemMessage, /could not check: "session_id" of the hook input/);
  });
});

describe('an older installation in a project', () => {
  /** An installation of an older version. */
  const older = async () => {
    const box = freshHome();
    const untouched = listing(box.project);
    await box.ok(['install', '--project']);
    const claude = join(box.project, '.claude');
    const skill = join(claude, 'skills/konnichiwagwan');
    cpSync(join(skill, 'program'), join(skill, 'dist'), { recursive: true });
    rmSync(join(skill, 'program'), { recursive: true });
    for (const file of [join(claude, 'settings.json'), join(skill, 'install.json')])
      box.write(box.read(file).replaceAll('program/', 'dist/'), file);
    return { ...box, untouched, skill, settings: join(claude, 'settings.json') };
  };

  it('keeps its programs for sessions that run, until it is installed once more', async () => {
    const { ok, skill, read, settings } = await older();
    await ok(['install', '--project']);
    assert.ok(!read(settings).includes('konnichiwagwan/dist/'));
    for (const folder of ['dist', 'program']) assert.ok(existsSync(join(skill, folder, 'guard.cjs')), folder);
    await ok(['install', '--project']);
    assert.deepEqual(existsSync(join(skill, 'dist')), false);
    assert.match((await ok(['install', '--project'])).stdout, /nothing to change/);
  });

  it('is taken out whole, before and after that', async () => {
    for (const times of [0, 1, 2]) {
      const { ok, project, untouched } = await older();
      for (let at = 0; at < times; at += 1) await ok(['install', '--project']);
      await ok(['uninstall', '--project']);
      assert.deepEqual(listing(project), untouched, String(times));
    }
  });
});
