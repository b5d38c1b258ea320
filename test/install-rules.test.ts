// The rules that the installer writes, which leave approving to people.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freshHome, listing, packageRoot, permissions, RULES, repository } from './install-home.ts';
import { noLinks } from './posix.ts';

describe('rules that leave approving to people', () => {
  const spread = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const recordOf = (skill: string) => JSON.parse(readFileSync(join(skill, 'install.json'), 'utf8'));

  it('are shown before they come and before they go, and are told as JSON', async () => {
    const { ok, write } = freshHome();
    write(spread({ permissions: { deny: [RULES[0], 'Bash(rm:*)'] } }));
    const shown = (await ok(['install', '--dry-run'])).stdout;
    for (const rule of RULES.slice(1))
      assert.ok(shown.includes(`+    ${JSON.stringify(rule)}`.replace('+', '+  ')), rule);
    const { rules } = JSON.parse((await ok(['install', '--json'])).stdout).data.settings;
    assert.deepEqual(rules, { wanted: RULES, added: RULES.slice(1) });
    const gone = (await ok(['uninstall', '--dry-run'])).stdout;
    for (const rule of RULES.slice(1)) assert.match(gone, new RegExp(`-.*${rule.replace(/[^\w ]/g, '\\$&')}`));
  });

  for (const edited of [false, true]) {
    it(`that somebody had before stay${edited ? ', also if the settings were edited since' : ''}`, async () => {
      const { ok, write, read, parsed } = freshHome();
      const text = spread({ model: 'opus', permissions: { deny: [RULES[2], 'Bash(rm:*)', RULES[0]], allow: [] } });
      write(text);
      await ok(['install']);
      assert.deepEqual(parsed().permissions.deny.slice(0, 3), [RULES[2], 'Bash(rm:*)', RULES[0]]);
      assert.deepEqual([...parsed().permissions.deny].sort(), [...RULES, 'Bash(rm:*)'].sort());
      if (edited) write(read().replace('opus', 'haiku'));
      const planned = (await ok(['uninstall', '--dry-run'])).stdout;
      assert.match(planned, /^ {2}keep {3}~[/\\]\.claude[/\\]settings\.json \(its 2 rules like ours/m);
      const { stdout } = await ok(['uninstall']);
      assert.equal(read(), edited ? text.replace('opus', 'haiku') : text);
      assert.match(stdout, /kept +~[/\\]\.claude[/\\]settings\.json \(its 2 rules like ours/);
    });
  }

  it('leave no empty list or object behind, but those that were there', async () => {
    for (const before of [{ a: 1 }, { a: 1, permissions: {} }, { a: 1, permissions: { allow: ['x'], deny: [] } }]) {
      const { ok, write, parsed } = freshHome();
      write(spread(before));
      await ok(['install']);
      write(spread({ ...parsed(), a: 2 }));
      await ok(['uninstall']);
      assert.deepEqual(parsed(), { ...before, a: 2 });
    }
  });

  it('that somebody added besides ours stay, and so does what holds them', async () => {
    const { ok, write, parsed } = freshHome();
    await ok(['install']);
    const { deny } = parsed().permissions;
    write(spread({ ...parsed(), permissions: { deny: ['Read(.env)', ...deny, RULES[3]] } }));
    await ok(['install']);
    await ok(['uninstall']);
    assert.deepEqual(parsed(), { permissions: { deny: ['Read(.env)', RULES[3]] } });
  });

  it('come with an update of a version that had none, and go with it', async () => {
    const { home, skill, ok, write, read, parsed } = freshHome();
    write('{"model":"opus"}');
    const untouched = listing(home);
    await ok(['install']);
    const { permissions: _, ...old } = parsed();
    write(JSON.stringify(old));
    const record = recordOf(skill);
    delete record.settings.rules;
    record.settings.made = record.settings.made.filter((pointer: string) => pointer.startsWith('/hooks'));
    record.settings.after = createHash('sha256').update(read()).digest('hex');
    writeFileSync(join(skill, 'install.json'), `${JSON.stringify(record, null, 2)}\n`);

    assert.match((await ok(['install'])).stdout, /Installed/);
    assert.deepEqual(parsed(), { ...old, permissions });
    assert.deepEqual(recordOf(skill).settings.rules, RULES);
    assert.match((await ok(['install'])).stdout, /nothing to change/);
    await ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });

  it('of an older version make room for those of now', async () => {
    const { home, skill, ok, write, parsed } = freshHome();
    write(spread({ model: 'opus' }));
    const untouched = listing(home);
    await ok(['install']);
    const older = [...RULES.slice(0, 2), 'Bash(*konnichiwagwan approve*)', 'Bash(*kwg approve*)'];
    write(spread({ ...parsed(), permissions: { deny: ['Bash(rm:*)', ...older] } }));
    const record = recordOf(skill);
    record.settings.rules = older;
    writeFileSync(join(skill, 'install.json'), JSON.stringify(record));
    await ok(['install']);
    assert.deepEqual(parsed().permissions.deny.toSorted(), ['Bash(rm:*)', ...RULES].toSorted());
    await ok(['uninstall']);
    assert.deepEqual(parsed(), { model: 'opus', permissions: { deny: ['Bash(rm:*)'] } });
    assert.deepEqual(Object.keys(listing(home)), Object.keys(untouched));
  });

  it('come back when they were lost, and are taken out of what was there then', async () => {
    const { ok, write, read, parsed } = freshHome();
    await ok(['install']);
    const { hooks } = parsed();
    write(spread({ hooks, permissions: { deny: RULES.slice(0, 2) } }));
    await ok(['install']);
    assert.deepEqual(parsed().permissions, permissions);
    // Only the hooks are lost: the remaining settings do not count as the state before the installation.
    write(spread({ a: 1, permissions }));
    await ok(['install']);
    await ok(['uninstall']);
    assert.equal(read(), spread({ a: 1 }));
  });

  it('odd entries between them do not matter', async () => {
    const { ok, write, read, parsed } = freshHome();
    const text = '{"permissions":{"deny":[null,{"a":[]},3]}}';
    write(text);
    await ok(['install']);
    assert.deepEqual(parsed().permissions.deny, [null, { a: [] }, 3, ...RULES]);
    await ok(['uninstall']);
    assert.equal(read(), text);
  });

  it('name the state folder wherever it is, by its real name too', { skip: noLinks }, async () => {
    const { root, home, ok, parsed } = freshHome();
    const stateRules = async (folder: string): Promise<string[]> => {
      await ok(['install'], { env: { KONNICHIWAGWAN_HOME: folder } });
      const { deny } = parsed().permissions;
      assert.equal(deny.length, new Set(deny).size);
      return deny.filter((rule: string) => rule.startsWith('Edit(') && rule !== RULES[0]);
    };
    assert.deepEqual(await stateRules(join(home, 'my state')), ['Edit(~/my state/**)']);
    assert.deepEqual(await stateRules(join(root, 'far [away]*')), [`Edit(/${root}/far \\[away\\]\\*/**)`]);
    assert.deepEqual(await stateRules(home), [`Edit(/${home}/**)`]);
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(home, 'link'));
    assert.deepEqual(await stateRules(join(home, 'link/state')), [
      'Edit(~/link/state/**)',
      `Edit(/${root}/real/state/**)`,
    ]);
    await ok(['uninstall']);
    assert.deepEqual(Object.keys(listing(home)), [join(home, 'link')]);
  });

  it('of a project name no folder of this machine, and that is said where it matters', async () => {
    const { root, project, ok, read } = freshHome();
    const env = { KONNICHIWAGWAN_HOME: join(root, 'moved') };
    const { warnings } = JSON.parse((await ok(['install', '--project', '--json'], { env })).stdout);
    assert.match(warnings.join(), /moved is not protected/);
    assert.doesNotMatch(read(join(project, '.claude/settings.json')), /moved/);
  });

  it('of other people stay, whatever the record of a repository says that we added', async () => {
    const { project, ok, write, parsed } = freshHome();
    const [settings, skill] = [join(project, '.claude/settings.json'), join(project, '.claude/skills/konnichiwagwan')];
    await ok(['install', '--project']);
    const { hooks, permissions: ours } = parsed(settings);
    const theirs = ['Edit(~/vault/**)', 'Bash(curl *)'];
    write(spread({ hooks, permissions: { deny: [...theirs, ...ours.deny] } }), settings);
    const record = recordOf(skill);
    record.settings.rules.push(...theirs);
    writeFileSync(join(skill, 'install.json'), JSON.stringify(record));
    await ok(['install', '--project']);
    assert.deepEqual(parsed(settings).permissions.deny, [...theirs, ...ours.deny]);
    writeFileSync(join(skill, 'install.json'), JSON.stringify(record));
    await ok(['uninstall', '--project']);
    assert.deepEqual(parsed(settings), { permissions: { deny: theirs } });
  });

  it('doctor says whether they are there, were never there, or were lost', async () => {
    const { home, project, ok, run, write, parsed } = freshHome();
    const rules = async (env = {}) => {
      const { stdout } = await run(['doctor', '--json'], { cli: join(repository, 'dist/cli.cjs'), env });
      return JSON.parse(stdout).data.checks.find((check: { name: string }) => check.name === 'rules');
    };
    assert.equal((await rules()).state, 'note');
    assert.match(
      (await rules({ CLAUDE_PLUGIN_ROOT: packageRoot })).hint,
      /disable the plugin then\): konnichiwagwan install$/,
    );
    await ok(['install', '--project']);
    assert.equal((await rules()).state, 'ok');
    write('{"permissions":[]}', join(project, '.claude/settings.json'));
    assert.match((await rules()).hint, /install --project$/);
    await ok(['install']);
    assert.equal((await rules()).state, 'ok');
    rmSync(join(project, '.claude'), { recursive: true });
    write(JSON.stringify({ ...parsed(), permissions: { deny: RULES.slice(1) } }));
    const { state, detail } = await rules();
    assert.equal(state, 'wrong');
    assert.ok(detail.includes(home) && detail.includes(RULES[0]), detail);
  });
});
