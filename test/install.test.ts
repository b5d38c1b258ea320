// The installer as a user runs it: `node dist/cli.cjs install`, in a separate HOME and package folder.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { describe, it } from 'node:test';
import type { InstallPlace } from '../scripts/install/layout.ts';
import { oneAtATime } from '../scripts/install/one-at-a-time.ts';
import { readRecord } from '../scripts/install/record.ts';
import { isRegistered } from '../scripts/install/settings.ts';
import {
  backups,
  FILES,
  freshHome,
  groups,
  hook,
  listing,
  PROGRAM,
  packageRoot,
  permissions,
  THEIRS,
} from './install-home.ts';
import { noLinks, noModes, noPipes } from './posix.ts';

describe('a fresh HOME', () => {
  it('gets the skill and the hooks, and uninstall leaves no trace', async () => {
    const { home, skill, ok, read, parsed } = freshHome();
    const { stdout } = await ok(['install']);
    assert.deepEqual(parsed(), { hooks: groups(join(skill, 'dist')), permissions });
    assert.equal(read(), `${JSON.stringify(parsed(), null, 2)}\n`);
    assert.deepEqual(
      Object.keys(listing(skill))
        .filter((path) => lstatSync(path).isFile())
        .map((path) => path.slice(skill.length + 1))
        .sort(),
      FILES,
    );
    for (const [path, entry] of noModes ? [] : Object.entries(listing(home))) {
      const mode = /\.sh$|\/\.local\/bin\//.test(path) ? '755 ' : '644 ';
      assert.ok(entry === 'folder 755' || entry.startsWith(mode), `${path}: ${entry.slice(0, 12)}`);
    }
    for (const shown of [join('~/.claude/skills/konnichiwagwan'), join('~/.claude/settings.json'), '1.2.3'])
      assert.ok(stdout.includes(shown), stdout);
    assert.match(
      (await ok(['uninstall'])).stdout,
      /^Removed konnichiwagwan(.*\n)+Restart sessions that are open now\.\n$/,
    );
    assert.deepEqual(listing(home), {});
  });

  it('may be none at all, or a CLAUDE_CONFIG_DIR of many levels', async () => {
    const { home, ok } = freshHome();
    const env = { CLAUDE_CONFIG_DIR: join(home, 'a/b/c') };
    await ok(['install'], { env });
    assert.ok(existsSync(join(home, 'a/b/c/skills/konnichiwagwan/SKILL.md')));
    await ok(['uninstall', '--purge'], { env });
    assert.deepEqual(listing(home), {});
  });

  it('with an empty settings file, which Claude Code accepts', async () => {
    const { home, skill, ok, write, parsed } = freshHome();
    write('');
    const untouched = listing(home);
    await ok(['install']);
    assert.deepEqual(parsed(), { hooks: groups(join(skill, 'dist')), permissions });
    await ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });

  it('umask does not matter', { skip: noModes }, async () => {
    const { home, skill } = freshHome();
    const result = spawnSync('sh', ['-c', `umask 077; exec node '${packageRoot}/dist/cli.cjs' install`], {
      env: { PATH: process.env.PATH, HOME: home },
      cwd: home,
    });
    assert.equal(result.status, 0);
    assert.equal(statSync(skill).mode & 0o777, 0o755);
    assert.equal(statSync(join(skill, 'dist/guard.cjs')).mode & 0o777, 0o644);
  });
});

describe('the backup', () => {
  it('holds the bytes from before, with their mode, and is made once', async () => {
    const { claude, settings, ok, write } = freshHome();
    write('{"a":1}');
    chmodSync(settings, 0o600);
    await ok(['install']);
    await ok(['install']);
    const [name, ...more] = backups(claude);
    assert.match(name as string, /^settings\.json\.konnichiwagwan-\d{8}T\d{6}Z\.bak$/);
    assert.deepEqual(more, []);
    assert.equal(readFileSync(join(claude, name as string), 'utf8'), '{"a":1}');
    if (!noModes) assert.equal(statSync(join(claude, name as string)).mode & 0o777, 0o600);
  });

  it('of others stays', async () => {
    const { home, claude, ok, write } = freshHome();
    write('{"a":1}');
    write('x', join(claude, 'settings.json.konnichiwagwan-mine.bak'));
    write('x', join(claude, 'settings.json.20200101T000000Z.bak'));
    const untouched = listing(home);
    await ok(['install']);
    await ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });
});

describe('--dry-run', () => {
  it('shows every change and writes nothing', async () => {
    const { root, home, skill, settings, ok, write } = freshHome();
    write(`${JSON.stringify(THEIRS, null, 2)}\n`);
    const untouched = listing(root);
    const { stdout } = await ok(['install', '--dry-run']);
    assert.deepEqual(listing(root), untouched);
    const { skill: planned } = JSON.parse((await ok(['install', '--dry-run', '--json'])).stdout).data;
    for (const file of FILES) assert.ok(planned.created.includes(file) || file === 'install.json', file);
    assert.ok(stdout.includes(`create ${planned.created.length} files in ${skill}\n`), stdout);
    assert.ok(stdout.includes(`update ${settings}`));
    assert.match(stdout, /create .*settings\.json\.konnichiwagwan-.*\.bak/);
    assert.match(stdout, /^ +\+ +"matcher": "mcp__\.\*"/m);
    assert.match(stdout, /Nothing was written/);

    await ok(['install']);
    const installed = listing(root);
    assert.match((await ok(['uninstall', '--dry-run'])).stdout, /^ +- +"matcher": "mcp__\.\*"/m);
    assert.deepEqual(listing(root), installed);
    await ok(['uninstall']);
    assert.deepEqual(listing(home), untouchedIn(untouched, home));
  });

  it('shows no secret of a settings file on one line', async () => {
    const { ok, write } = freshHome();
    write(JSON.stringify(THEIRS));
    const { stdout } = await ok(['install', '--dry-run', '--json']);
    assert.doesNotMatch(stdout, /sk-very-secret/);
    assert.match(stdout, /API_KEY/);
  });

  it('shows what nobody sees, and the tabs of a settings file as they are', async () => {
    const { ok, write } = freshHome();
    write('{\n\t"name\u3164\u200b": 1\n}\n');
    assert.match((await ok(['install', '--dry-run'])).stdout, /\t"name\\u\{3164\}\\u\{200b\}": 1/);
  });
});

const untouchedIn = (all: Record<string, string>, folder: string): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([path]) => path.startsWith(`${folder.replaceAll(sep, '/')}/`)));

it('--json tells the same facts', async () => {
  const { skill, settings, claude, ok, write } = freshHome();
  write('{}');
  const { data, warnings } = JSON.parse((await ok(['install', '--json'])).stdout);
  assert.deepEqual(warnings, []);
  assert.equal(data.changed, true);
  assert.equal(data.version, '1.2.3');
  assert.deepEqual(
    data.skill.created.toSorted?.() ?? [...data.skill.created].sort(),
    FILES.filter((file) => file !== 'install.json'),
  );
  assert.equal(data.skill.path, skill);
  assert.equal(data.settings.path, settings);
  assert.equal(data.settings.action, 'update');
  assert.equal(data.settings.backup, join(claude, backups(claude)[0] as string));
  assert.deepEqual(
    data.settings.hooks.map((one: { event: string }) => one.event),
    [
      'SessionStart',
      'PreToolUse',
      'PreToolUse',
      'PostToolUse',
      'UserPromptExpansion',
      'PostToolUseFailure',
      'SessionEnd',
    ],
  );
  assert.equal(JSON.parse((await ok(['install', '--json'])).stdout).data.changed, false);
  const removed = JSON.parse((await ok(['uninstall', '--json'])).stdout).data;
  assert.equal(removed.settings.action, 'restore');
  assert.equal(removed.installed, true);
  // The files, the backup, and two commands, each for three shells on Windows.
  assert.equal(removed.removed.length, FILES.length + 1 + (process.platform === 'win32' ? 6 : 2));
});

describe('links', { skip: noLinks }, () => {
  it('settings are written through a link, which stays', async () => {
    const { root, home, claude, settings, ok, parsed } = freshHome();
    const dotfiles = join(root, 'dotfiles');
    mkdirSync(dotfiles);
    mkdirSync(claude);
    writeFileSync(join(dotfiles, 'claude.json'), '{"a":1}\n', { mode: 0o600 });
    symlinkSync('../../dotfiles/claude.json', settings);
    const untouched = listing(root);
    await ok(['install']);
    assert.ok(lstatSync(settings).isSymbolicLink());
    assert.ok(parsed(join(dotfiles, 'claude.json')).hooks.PreToolUse);
    assert.deepEqual(readdirSync(dotfiles), ['claude.json']);
    assert.equal(statSync(join(dotfiles, 'claude.json')).mode & 0o777, 0o600);
    assert.equal(backups(claude).length, 1);
    await ok(['uninstall']);
    assert.deepEqual(listing(root), untouched);
    assert.ok(existsSync(home));
  });

  it('a relative link in a folder that is a link itself', async () => {
    const { root, home, claude, ok, parsed } = freshHome();
    const dotfiles = join(root, 'dotfiles', 'claude');
    mkdirSync(dotfiles, { recursive: true });
    symlinkSync(dotfiles, claude, 'junction');
    symlinkSync('../real.json', join(dotfiles, 'settings.json'));
    const real = join(root, 'dotfiles', 'real.json');
    writeFileSync(real, '{"a":1}\n');
    const untouched = listing(root);
    await ok(['install']);
    assert.ok(parsed(real).hooks.PreToolUse);
    assert.deepEqual(
      readdirSync(home).filter((name) => name === 'real.json'),
      [],
    );
    await ok(['uninstall']);
    assert.deepEqual(listing(root), untouched);
  });

  it('a link to a file that is not there yet', async () => {
    const { root, claude, settings, ok } = freshHome();
    mkdirSync(claude);
    symlinkSync(join(root, 'later.json'), settings);
    const untouched = listing(root);
    await ok(['install']);
    assert.ok(existsSync(join(root, 'later.json')));
    await ok(['uninstall']);
    assert.deepEqual(listing(root), untouched);
  });

  it('a link in a circle', async () => {
    const { home, claude, settings, run } = freshHome();
    mkdirSync(claude);
    symlinkSync('settings.json', settings);
    const untouched = listing(home);
    assert.equal((await run(['install'])).exit, 2);
    assert.deepEqual(listing(home), untouched);
  });

  it('a skill folder that is a link (to a checkout, say) is not written into', async () => {
    const { root, claude, skill, run } = freshHome();
    mkdirSync(join(root, 'checkout'));
    mkdirSync(join(claude, 'skills'), { recursive: true });
    symlinkSync(join(root, 'checkout'), skill);
    const untouched = listing(root);
    const { exit, stderr } = await run(['install']);
    assert.equal(exit, 2);
    assert.match(stderr, /is a link to/);
    assert.deepEqual(listing(root), untouched);
  });
});

it('paths with spaces, quotes, dollars and letters of all kinds', async () => {
  const { home, skill, ok, parsed, write } = freshHome(
    noModes ? "it's here $HOME ünï 日本" : `it's "here" $HOME \\ ünï 日本 `,
  );
  write('{}');
  const untouched = listing(home);
  await ok(['install']);
  assert.deepEqual(parsed().hooks, groups(join(skill, 'dist')));
  // Without a shell, as Claude Code starts it.
  const { command, args } = parsed().hooks.PreToolUse[0].hooks[0];
  assert.equal(spawnSync(command, args, { input: '{}', env: { PATH: process.env.PATH, HOME: home } }).status, 0);
  assert.match((await ok(['install'])).stdout, /nothing to change/);
  await ok(['uninstall']);
  assert.deepEqual(listing(home), untouched);
});

describe('--project', () => {
  const folder = '$' + '{CLAUDE_PROJECT_DIR}/.claude/skills/konnichiwagwan/program';

  it('installs into the project alone, with paths that can be committed', async () => {
    const { home, project, ok, parsed } = freshHome();
    writeFileSync(join(project, 'README.md'), 'x');
    const untouched = listing(project);
    await ok(['install', '--project']);
    const claude = join(project, '.claude');
    const settings = parsed(join(claude, 'settings.json'));
    assert.deepEqual(settings, { hooks: groups(folder, settings.hooks.PreToolUse[0].hooks[0].args[1]), permissions });
    assert.deepEqual(readdirSync(claude).sort(), ['settings.json', 'skills']);
    assert.deepEqual(listing(home), {});
    for (const file of ['settings.json', 'skills/konnichiwagwan/install.json']) {
      assert.ok(!readFileSync(join(claude, file), 'utf8').includes(project), `${file} names this machine's folder`);
    }
    assert.match((await ok(['install', '--project'])).stdout, /nothing to change/);
    assert.match((await ok(['uninstall'])).stdout, /not installed/);
    await ok(['uninstall', '--project']);
    assert.deepEqual(listing(project), untouched);
  });

  it('keeps what the project had', async () => {
    const { project, ok, write } = freshHome();
    write(JSON.stringify(THEIRS, null, '\t'), join(project, '.claude/settings.json'));
    write('{}', join(project, '.claude/settings.local.json'));
    const untouched = listing(project);
    await ok(['install', '--project']);
    await ok(['uninstall', '--project', '--purge']);
    assert.deepEqual(listing(project), untouched);
  });

  for (const link of ['.claude', '.claude/skills', '.claude/settings.json']) {
    it(`is refused where a link of the repository leads out of it: ${link}`, { skip: noLinks }, async () => {
      const { root, project, run, ok, write } = freshHome();
      const elsewhere = join(root, 'elsewhere');
      if (link.endsWith('.json')) write('{}', elsewhere);
      else mkdirSync(elsewhere);
      mkdirSync(dirname(join(project, link)), { recursive: true });
      symlinkSync(elsewhere, join(project, link));
      const untouched = listing(root);
      const { exit, stderr } = await run(['install', '--project']);
      assert.equal(exit, 2);
      assert.match(stderr, /leads out of the project/);
      const refused = await run(['uninstall', '--project']);
      assert.equal(refused.exit, 2);
      assert.match(refused.stderr, /leads out of the project/);
      assert.deepEqual(listing(root), untouched);
      // Within the project, the link may lead anywhere.
      rmSync(join(project, link));
      renameSync(elsewhere, join(project, 'inside'));
      symlinkSync(join(project, 'inside'), join(project, link));
      await ok(['install', '--project']);
    });
  }

  it("uninstall takes nothing out of the user's own folder, to which a link of the repository leads", {
    skip: noLinks,
  }, async () => {
    const { home, claude, project, ok, run, write } = freshHome();
    await ok(['install']);
    write('mine', join(claude, 'skills/.konnichiwagwan-4194000/note.txt'));
    mkdirSync(join(project, '.claude'), { recursive: true });
    symlinkSync(join(claude, 'skills'), join(project, '.claude/skills'));
    const untouched = listing(home);
    for (const command of ['install', 'uninstall']) {
      assert.match((await run([command, '--project'])).stderr, /leads out of the project/);
      assert.deepEqual(listing(home), untouched);
    }
  });

  it('an installer that was killed is not looked for behind a link of the repository', { skip: noLinks }, async () => {
    const { root, project, ok, write } = freshHome();
    write('mine', join(root, 'elsewhere/old/note.txt'));
    mkdirSync(join(project, '.claude/skills'), { recursive: true });
    symlinkSync(join(root, 'elsewhere'), join(project, '.claude/skills/.konnichiwagwan-4194000'));
    await ok(['install', '--project']);
    assert.equal(readFileSync(join(root, 'elsewhere/old/note.txt'), 'utf8'), 'mine');
  });

  it('is refused where the "project" is the home folder', async () => {
    const { home, run } = freshHome();
    assert.equal((await run(['install', '--project'], { cwd: home })).exit, 2);
    assert.deepEqual(listing(home), {});
  });

  it('beside an installation for all projects: says so', async () => {
    const { ok } = freshHome();
    await ok(['install']);
    const { warnings } = JSON.parse((await ok(['install', '--project', '--json'])).stdout);
    assert.match(warnings.join(), /Installed in .* as well/);
  });
});

describe('a newer version', () => {
  /** The package like an older version: with one more file and a changed one. */
  const older = (root: string): string => {
    const folder = join(root, 'older');
    cpSync(packageRoot, folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"version":"1.0.0"}');
    writeFileSync(join(folder, 'dist/guard.cjs'), '// the old guard\n');
    writeFileSync(join(folder, 'dist/retired.cjs'), '');
    mkdirSync(join(folder, 'skills/konnichiwagwan/references/old'));
    writeFileSync(join(folder, 'skills/konnichiwagwan/references/old/x.md'), '');
    return join(folder, 'dist/cli.cjs');
  };

  it('replaces the files, removes the retired ones, keeps foreign ones and does not rewrite identical ones', async () => {
    const { root, home, skill, ok, write } = freshHome();
    write('{"a":1}');
    const untouched = listing(home);
    await ok(['install'], { cli: older(root) });
    writeFileSync(join(skill, 'references/my notes.md'), 'mine');
    const before = statSync(join(skill, 'SKILL.md'), { bigint: true });
    const { data } = JSON.parse((await ok(['install', '--json'])).stdout);
    assert.deepEqual(data.skill.updated, ['dist/guard.cjs']);
    assert.deepEqual(data.skill.removed, ['dist/retired.cjs', 'references/old/x.md']);
    assert.deepEqual(data.skill.kept, ['references/my notes.md']);
    assert.equal(data.settings.action, 'unchanged');
    const now = statSync(join(skill, 'SKILL.md'), { bigint: true });
    assert.deepEqual([now.ino, now.mtimeNs], [before.ino, before.mtimeNs]);
    assert.equal(readFileSync(join(skill, 'dist/guard.cjs'), 'utf8'), '// guard\n');
    assert.ok(!existsSync(join(skill, 'references/old')));
    assert.deepEqual(readdirSync(dirname(skill)), ['konnichiwagwan']);
    rmSync(join(skill, 'references/my notes.md'));
    await ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });

  it('says what it leaves in the skill folder', async () => {
    const { skill, ok } = freshHome();
    await ok(['install']);
    writeFileSync(join(skill, 'references/my notes.md'), 'mine');
    assert.match((await ok(['uninstall'])).stdout, /kept .*my notes\.md \(not ours\)/);
    assert.deepEqual(
      Object.keys(listing(skill)).map((path) => path.slice(skill.length + 1)),
      ['references', 'references/my notes.md'],
    );
  });

  it('puts its registration in the place of an older one, never a second', async () => {
    const { skill, ok, write, parsed } = freshHome();
    const audit = { type: 'command', command: '/opt/audit.sh' };
    const old = '/somewhere/else/.claude/skills/konnichiwagwan/dist';
    write(
      JSON.stringify({
        hooks: {
          SessionStart: [
            { hooks: [{ type: 'command', command: `node "${old}/session-start.cjs"`, timeout: 5 }] },
            { hooks: [audit] },
          ],
          PreToolUse: [
            { matcher: 'mcp__.*', hooks: [hook(old, 'guard', { timeout: 60 }), audit] },
            { matcher: 'mcp__.*', hooks: [hook(old, 'guard')] },
            { matcher: 'mcp__.*', hooks: [hook('/elsewhere/dist', 'guard')] },
          ],
          PostToolUse: [{ matcher: 'mcp__.*', hooks: [hook(old, 'tool-failure')] }],
          PostToolUseFailure: [{ matcher: 'mcp__old', hooks: [hook(old, 'tool-failure'), audit] }],
          SessionEnd: [{ matcher: 'logout', hooks: [hook(old, 'session-end')] }],
        },
      }),
    );
    await ok(['install']);
    const ours = groups(join(skill, 'dist'));
    assert.deepEqual(parsed().hooks, {
      ...ours,
      SessionStart: [...ours.SessionStart, { hooks: [audit] }],
      PreToolUse: [
        { matcher: 'mcp__.*', hooks: [ours.PreToolUse[0]?.hooks[0], audit] },
        { matcher: 'mcp__.*', hooks: [hook('/elsewhere/dist', 'guard')] },
        ours.PreToolUse[1],
      ],
      PostToolUseFailure: [{ matcher: 'mcp__old', hooks: [audit] }, ...ours.PostToolUseFailure],
    });
    assert.match((await ok(['install'])).stdout, /nothing to change/);
    await ok(['uninstall']);
    assert.deepEqual(parsed().hooks, {
      SessionStart: [{ hooks: [audit] }],
      PreToolUse: [
        { matcher: 'mcp__.*', hooks: [audit] },
        { matcher: 'mcp__.*', hooks: [hook('/elsewhere/dist', 'guard')] },
      ],
      PostToolUseFailure: [{ matcher: 'mcp__old', hooks: [audit] }],
    });
  });
});

describe('the installed copy', () => {
  it('installs and removes itself', async () => {
    const { home, skill, settings, ok } = freshHome();
    await ok(['install']);
    const cli = join(skill, 'dist/cli.cjs');
    const installed = listing(home);
    assert.match((await ok(['install'], { cli })).stdout, /nothing to change/);
    assert.deepEqual(listing(home), installed);
    rmSync(settings);
    await ok(['install'], { cli });
    assert.ok(isRegistered(readFileSync(settings, 'utf8')));
    // On Windows the folder that a process runs in cannot be removed.
    await ok(['uninstall', '--purge'], { cli, ...(process.platform !== 'win32' && { cwd: join(skill, 'dist') }) });
    assert.deepEqual(listing(home), {});
  });

  it('can be installed from into a project', async () => {
    const { project, skill, ok } = freshHome();
    await ok(['install']);
    await ok(['install', '--project'], { cli: join(skill, 'dist/cli.cjs') });
    const copy = join(project, '.claude/skills/konnichiwagwan');
    const shared = FILES.filter((file) => file !== 'scripts/node.sh');
    for (const file of shared) assert.ok(existsSync(join(copy, file.replace('dist/', 'program/'))), file);
    await ok(['uninstall', '--project'], { cli: join(copy, 'program/cli.cjs') });
    assert.deepEqual(listing(project), {});
  });

  it('that lost its record, or was copied by hand, is taken over', async () => {
    const { claude, skill, ok, parsed } = freshHome();
    await ok(['install']);
    rmSync(join(skill, 'install.json'));
    writeFileSync(join(skill, 'dist/retired.cjs'), '');
    await ok(['install']);
    assert.ok(!existsSync(join(skill, 'dist/retired.cjs')));
    assert.equal(parsed().hooks.PreToolUse.length, 2);
    assert.match((await ok(['uninstall'])).stdout, /kept .*settings\.json \(its 6 rules like ours/);
    assert.deepEqual(readdirSync(claude).sort(), ['settings.json', 'skills']);
    // It is no longer known whose rules these are, so they stay.
    assert.deepEqual(parsed(), { permissions });
  });

  it('a record and a backup that a repository brought put nothing new into the settings', async () => {
    const { project, ok, write, parsed } = freshHome();
    const claude = join(project, '.claude');
    const settings = join(claude, 'settings.json');
    write('{"model":"opus"}', settings);
    await ok(['install', '--project']);
    const file = join(claude, 'skills/konnichiwagwan/install.json');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    for (const evil of ['{"hooks":{"Stop":[]},"model":"opus"}', '{}', '[]', 'null', 'x', 'absent']) {
      write(evil, join(claude, 'settings.json.evil.bak'));
      const before = evil === 'absent' ? evil : hash(evil);
      write(
        JSON.stringify({ ...record, settings: { ...record.settings, before, backup: 'settings.json.evil.bak' } }),
        file,
      );
      await ok(['uninstall', '--project']);
      assert.deepEqual(parsed(settings), { model: 'opus' }, evil);
      await ok(['install', '--project']);
    }
  });

  it('a record of which any part is malformed is not believed', () => {
    const { root } = freshHome();
    const settings = { existed: true, before: null, after: 'a', backup: 'settings.json.bak', made: ['/hooks'] };
    const lists = { rules: ['mcp__a'], enabled: ['guard'] };
    const record = { version: null, installed_at: 'now', files: ['SKILL.md'], folders: ['..'] };
    const sound = { ...record, settings: { ...settings, ...lists }, mcp: { made: ['file'] }, launchers: { made: [] } };
    const readOf = (written: object) => {
      writeFileSync(join(root, 'install.json'), JSON.stringify(written));
      return readRecord(root);
    };
    assert.deepEqual(readOf(sound), sound);
    assert.deepEqual(readOf({ ...record, settings }), { ...record, settings: { ...settings, rules: [], enabled: [] } });
    for (const key of [...Object.keys(record), 'settings', 'mcp', 'launchers'])
      for (const wrong of [7, [7], { made: 7 }, { made: [7] }])
        assert.equal(readOf({ ...sound, [key]: wrong }), undefined, `${key}: ${JSON.stringify(wrong)}`);
    for (const key of Object.keys(sound.settings))
      for (const wrong of [7, [7], {}])
        assert.equal(readOf({ ...sound, settings: { ...sound.settings, [key]: wrong } }), undefined, `settings.${key}`);
  });

  it('a record that names files outside is not believed', async () => {
    const { root, skill, ok } = freshHome();
    await ok(['install']);
    const record = JSON.parse(readFileSync(join(skill, 'install.json'), 'utf8'));
    writeFileSync(join(root, 'precious'), 'x');
    record.files.push('../../../../precious');
    writeFileSync(join(skill, 'install.json'), JSON.stringify(record));
    await ok(['uninstall']);
    assert.ok(existsSync(join(root, 'precious')));
    assert.ok(!existsSync(skill));
  });
});

describe('accidents', () => {
  it('a link to a checkout in the place of the skill folder survives uninstall, files and all', {
    skip: noLinks,
  }, async () => {
    const { root, claude, skill, ok } = freshHome();
    const checkout = join(root, 'checkout');
    cpSync(join(packageRoot, 'skills/konnichiwagwan'), checkout, { recursive: true });
    mkdirSync(join(claude, 'skills'), { recursive: true });
    symlinkSync(checkout, skill);
    const untouched = listing(root);
    assert.match((await ok(['uninstall'])).stdout, /kept .*skills\/konnichiwagwan/);
    assert.deepEqual(listing(root), untouched);
  });

  for (const [file, says] of [
    ['.claude/skills/konnichiwagwan/install.json', /holds something that is not konnichiwagwan/],
    ['.claude/skills/konnichiwagwan/SKILL.md', /holds something that is not konnichiwagwan/],
    ['.konnichiwagwan-install.lock', /another install or uninstall is under way/],
  ] as const)
    it(`a pipe that a repository holds in the place of ${file} is not read`, { skip: noPipes }, async () => {
      const { project, run, write } = freshHome();
      write('x', join(project, 'README.md'));
      mkdirSync(dirname(join(project, file)), { recursive: true });
      execFileSync('mkfifo', [join(project, file)]);
      const { stdout, stderr } = await run(['install', '--project']);
      assert.match(stdout + stderr, says);
    });

  it('an install that another one holds up for half a minute gives up, and names the lock', (test) => {
    const { home, write } = freshHome();
    write('x', join(home, 'notes'));
    const lock = join(home, '.konnichiwagwan-install.lock');
    writeFileSync(lock, `${process.pid} ${hostname()} x`);
    const [began, now] = [Date.now(), Date.now.bind(Date)];
    // Half a minute later, as soon as it has looked once.
    let looks = 0;
    test.mock.method(Date, 'now', () => (looks++ === 0 ? began : now() + 30_001));
    const install = (): void =>
      oneAtATime({ claude: join(home, '.claude') } as InstallPlace, () => assert.fail('runs'));
    assert.throws(install, /another install or uninstall is under way: .*\.konnichiwagwan-install\.lock is held/);
    assert.ok(existsSync(lock), 'it belongs to the other one');
  });

  it("somebody else's skill of that name is not touched", async () => {
    const { home, skill, run } = freshHome();
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: greetings\n---\n');
    const untouched = listing(home);
    const { exit, stderr } = await run(['install']);
    assert.equal(exit, 2);
    assert.match(stderr, /not konnichiwagwan/);
    assert.deepEqual(listing(home), untouched);
  });

  it('a package that was not built', async () => {
    const { root, home, run } = freshHome();
    mkdirSync(join(root, 'half/dist'), { recursive: true });
    for (const name of PROGRAM) cpSync(join(packageRoot, 'dist', name), join(root, 'half/dist', name));
    const { exit, stderr } = await run(['install'], { cli: join(root, 'half/dist/cli.cjs') });
    assert.equal(exit, 2);
    assert.match(stderr, /SKILL\.md, dist\/guard\.cjs.* missing/);
    assert.deepEqual(listing(home), {});
  });

  it('an installer that was killed between two renames is cleared up after', async () => {
    const { root, home, skill, ok } = freshHome();
    await ok(['install']);
    const installed = listing(home);
    // A free process ID: that of a process that just ended.
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const staging = join(dirname(skill), `.konnichiwagwan-${pid}`);
    mkdirSync(join(staging, 'new'), { recursive: true });
    renameSync(skill, join(staging, 'old'));
    await ok(['install']);
    assert.deepEqual(listing(home), installed);
    assert.ok(existsSync(root));
  });

  it('settings that cannot be written: said plainly, and nothing is left behind', {
    skip: noModes || process.getuid?.() === 0,
  }, async () => {
    const { home, root, claude, settings, run } = freshHome();
    mkdirSync(join(root, 'locked'));
    mkdirSync(claude);
    writeFileSync(join(root, 'locked/settings.json'), '{}');
    symlinkSync(join(root, 'locked/settings.json'), settings);
    chmodSync(join(root, 'locked'), 0o555);
    const untouched = listing(home);
    const { exit, stderr } = await run(['install']);
    assert.equal(exit, 2);
    chmodSync(join(root, 'locked'), 0o755);
    assert.match(stderr, /permission denied/);
    assert.deepEqual(listing(home), untouched);
  });

  it('a disk that is full halfway: the same, and the first try that has room works', {
    skip: process.platform === 'win32' && 'there is no ulimit',
  }, async () => {
    const { home, settings, write, read, ok } = freshHome();
    write('{}');
    const untouched = listing(home);
    for (const blocks of [0, 1, 8]) {
      // Limits the size of files, to simulate a full disk.
      const script = `ulimit -f ${blocks}; exec node ${JSON.stringify(join(packageRoot, 'dist/cli.cjs'))} install`;
      const env = { PATH: process.env.PATH, HOME: home };
      const { status, stderr } = spawnSync('bash', ['-c', script], { cwd: home, env, encoding: 'utf8' });
      assert.deepEqual([status, /EFBIG|too large/i.test(stderr)], [2, true], stderr);
      assert.deepEqual(listing(home), untouched);
    }
    await ok(['install']);
    await ok(['uninstall']);
    assert.equal(read(settings), '{}');
    assert.deepEqual(listing(home), untouched);
  });

  it('settings whose folder is gone: the same', { skip: noLinks }, async () => {
    const { home, root, claude, settings, run } = freshHome();
    mkdirSync(claude);
    symlinkSync(join(root, 'gone/settings.json'), settings);
    const untouched = listing(home);
    const { exit, stderr } = await run(['install']);
    assert.equal(exit, 2);
    assert.match(stderr, /gone/);
    assert.deepEqual(listing(home), untouched);
  });

  it('several installers at once', async () => {
    const { home, skill, settings, ok } = freshHome();
    const ends = Array.from({ length: 8 }, () => {
      const child = spawn(process.execPath, [join(packageRoot, 'dist/cli.cjs'), 'install'], {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home },
        stdio: 'ignore',
      });
      return new Promise((resolve) => child.on('close', resolve));
    });
    for (const exit of await Promise.all(ends)) assert.ok(exit === 0 || exit === 2, `exit ${exit}`);
    // Some may have given way to others; in any case, hooks never name a missing file.
    if (existsSync(settings)) assert.ok(existsSync(join(skill, 'dist/guard.cjs')));
    await ok(['install']);
    assert.deepEqual(JSON.parse(readFileSync(settings, 'utf8')).hooks, groups(join(skill, 'dist')));
    assert.deepEqual(readdirSync(dirname(skill)), ['konnichiwagwan']);
  });

  it('hooks switched off, or no node on the PATH: a warning', async () => {
    const { ok, write, settings, project } = freshHome();
    write('{"disableAllHooks":true}');
    const warned = async (...args: string[]): Promise<string> =>
      JSON.parse(
        (await ok(['install', '--json', ...args], { env: { PATH: '/nowhere' }, cwd: project })).stdout,
      ).warnings.join('\n');
    // Hooks for all projects name the path of Node; those of a project must work on other machines, too.
    assert.match(
      await warned(),
      process.platform === 'win32' ? /not on the PATH.*\n.*disableAllHooks/ : /^[^`]+ has "disableAllHooks"/,
    );
    rmSync(settings);
    assert.match(await warned('--project'), /^`node` is not on the PATH/);
  });

  it('words that mean nothing are not ignored', async () => {
    const { home, run } = freshHome();
    for (const args of [
      ['install', 'project'],
      ['uninstall', 'now'],
      ['install', '--purge'],
    ]) {
      assert.equal((await run(args)).exit, 2, args.join(' '));
    }
    assert.deepEqual(listing(home), {});
  });

  it('nothing installed: uninstall says so', async () => {
    const { home, ok, write } = freshHome();
    assert.match((await ok(['uninstall'])).stdout, /not installed/);
    assert.match((await ok(['uninstall', '--purge'])).stdout, /not installed/);
    assert.deepEqual(listing(home), {});
    write('{ "hooks": {"PreToolUse": [] } }');
    const untouched = listing(home);
    assert.match((await ok(['uninstall'])).stdout, /not installed/);
    assert.deepEqual(listing(home), untouched);
  });
});
