// Full tier: a process for each installation.
// An installation that Claude Code loads by itself: one folder, and no hook in the settings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { freshHome, groups, listing, permissions, repository, THEIRS } from './install-home.ts';

const bench = (version = '2.1.330') => {
  const box = freshHome();
  const bin = join(box.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho "${version} (Claude Code)"\n`);
  chmodSync(join(bin, 'claude'), 0o755);
  const options = { cli: join(repository, 'dist/cli.cjs'), env: { PATH: `${bin}${delimiter}${process.env.PATH}` } };
  const older = { ...options, env: {} };
  return {
    ...box,
    bin,
    /** Installs with a Claude Code of this version on the PATH. */
    install: (...args: string[]) => box.ok(['install', ...args], options),
    uninstall: (...args: string[]) => box.ok(['uninstall', ...args], options),
    /** Installs with hooks in the settings, as an older version of ours does, or without Claude Code on the PATH. */
    installHooks: () => box.ok(['install'], older),
  };
};

describe('a folder that Claude Code loads by itself', () => {
  it('is a plugin, beside rules in the settings and no hook; uninstall leaves no trace', async () => {
    const { home, skill, install, uninstall, parsed } = bench();
    const preview = (await install('--dry-run')).stdout;
    assert.match(
      preview,
      /The guard runs as a Claude Code plugin from .*skills\/konnichiwagwan\. The settings get only deny rules\./,
    );
    assert.deepEqual(listing(home), {});
    assert.match((await install()).stdout, /guard +runs as a Claude Code plugin from that folder/);
    assert.deepEqual(parsed(), { permissions });
    for (const path of ['SKILL.md', '.claude-plugin/plugin.json', 'hooks/hooks.json', 'dist/resident.cjs'])
      assert.ok(existsSync(join(skill, path)), path);
    assert.match((await install()).stdout, /nothing to change/);
    await uninstall();
    assert.deepEqual(listing(home), {});
  });

  it('takes the hooks of an older installation out of the settings, and nothing else', async () => {
    const { home, skill, settings, install, uninstall, installHooks, write, read, parsed } = bench();
    write(`${JSON.stringify(THEIRS, null, 2)}\n`);
    const untouched = listing(home);
    await installHooks();
    assert.match(read(settings), /dist\/guard\.cjs/);
    const { data } = JSON.parse((await install('--json')).stdout);
    assert.deepEqual([data.guard, data.settings.hooks], ['resident', []]);
    assert.deepEqual(parsed().hooks, THEIRS.hooks);
    // Running sessions still start the old programs.
    assert.ok(existsSync(join(skill, 'dist/guard.cjs')));
    await uninstall();
    assert.deepEqual(listing(home), untouched);
  });

  it('gives way to hooks where the client does not load it, and comes back', async () => {
    const { skill, install, installHooks, uninstall, parsed, home } = bench();
    await install();
    await installHooks();
    assert.deepEqual(parsed().hooks, groups(join(skill, 'dist')));
    assert.equal(existsSync(join(skill, '.claude-plugin')), false);
    await install();
    assert.deepEqual(parsed(), { permissions });
    await uninstall();
    assert.deepEqual(listing(home), {});
  });

  for (const version of ['2.1.329', '1.0.0', 'no version'])
    it(`is not made for Claude Code ${version}`, async () => {
      const { install, skill, parsed } = bench(version);
      await install();
      assert.deepEqual(parsed().hooks, groups(join(skill, 'dist')));
      assert.equal(existsSync(join(skill, '.claude-plugin')), false);
    });

  it('is not made in a project, whose folder Claude Code does not load', async () => {
    const { install, project, parsed } = bench();
    await install('--project');
    assert.ok(parsed(join(project, '.claude/settings.json')).hooks.PreToolUse);
    assert.equal(existsSync(join(project, '.claude/skills/konnichiwagwan/.claude-plugin')), false);
  });

  it('can be installed again from itself, when the package is gone', async () => {
    const { skill, install, ok, home, bin, uninstall } = bench();
    await install();
    const before = listing(home);
    const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
    assert.match((await ok(['install'], { cli: join(skill, 'dist/cli.cjs'), env })).stdout, /nothing to change/);
    assert.deepEqual(listing(home), before);
    await uninstall();
    assert.deepEqual(listing(home), {});
  });

  for (const whose of ['the package', 'the folder itself'])
    it(`passes the doctor of ${whose}, which calls it the judge`, async () => {
      const { install, ok, bin, skill } = bench();
      await install();
      const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
      const cli = join(whose === 'the package' ? repository : skill, 'dist/cli.cjs');
      const { data } = JSON.parse((await ok(['doctor', '--json'], { cli, env })).stdout);
      const judge = data.checks.find(({ name }: { name: string }) => name === 'calls are judged by');
      assert.match(judge.detail, /^the resident guard of plugin konnichiwagwan@skills-dir/);
      const rules = data.checks.find(({ name }: { name: string }) => name === 'rules');
      assert.equal(rules.state, 'ok');
    });

  it('fails doctor where the client is an older one, which does not load it', async () => {
    const { install, run, bin } = bench();
    await install();
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "2.1.150 (Claude Code)"\n');
    const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
    const { stdout, exit } = await run(['doctor', '--json'], { cli: join(repository, 'dist/cli.cjs'), env });
    const client = JSON.parse(stdout).data.checks.find(({ name }: { name: string }) => name === 'Claude Code');
    assert.deepEqual([exit, client.state], [1, 'wrong']);
    assert.match(client.detail, /^2\.1\.150 is not known to keep .* calls can go unchecked/);
    assert.match(client.hint, /^konnichiwagwan install/);
  });

  it('is not made from a package without the guard that stays', async () => {
    const { root, ok, bin, skill } = bench();
    const copy = join(root, 'package');
    for (const part of ['dist', 'skills', 'package.json', '.claude-plugin', 'hooks/hooks.json'])
      cpSync(join(repository, part), join(copy, part), { recursive: true });
    rmSync(join(copy, 'dist/resident.cjs'));
    await ok(['install'], { cli: join(copy, 'dist/cli.cjs'), env: { PATH: `${bin}${delimiter}${process.env.PATH}` } });
    assert.equal(existsSync(join(skill, '.claude-plugin')), false);
  });
});

describe('a project whose hooks ask a guard that stays', () => {
  const inProject = (version?: string) => {
    const box = bench(version);
    const [mcp, settings] = [join(box.project, '.mcp.json'), join(box.project, '.claude/settings.json')];
    return { ...box, mcp, settings };
  };
  const team = `${JSON.stringify({ mcpServers: { sky: { command: 'sky' } } }, null, 2)}\n`;
  const isResident = (settings: { hooks?: object }): boolean =>
    JSON.stringify(settings.hooks ?? {}).includes('mcp_tool');

  it('gets its server beside those of the team; uninstall gives back every byte', async () => {
    const { project, mcp, settings, write, parsed, install, uninstall } = inProject();
    write(team, mcp);
    write(`${JSON.stringify(THEIRS)}\n`, settings);
    const before = listing(project);
    assert.match((await install('--project', '--dry-run')).stdout, /update .*\.mcp\.json[\s\S]*konnichiwagwan-guard/);
    assert.deepEqual(listing(project), before);
    await install('--project');
    assert.deepEqual(Object.keys(parsed(mcp).mcpServers), ['sky', 'konnichiwagwan-guard']);
    assert.deepEqual(parsed(settings).enabledMcpjsonServers, ['konnichiwagwan-guard']);
    assert.ok(isResident(parsed(settings)));
    assert.match((await install('--project')).stdout, /nothing to change/);
    assert.match((await uninstall('--project')).stdout, /\.mcp\.json: our guard taken out/);
    assert.deepEqual(listing(project), before);
  });

  it('gets a program for each call where the client is older, and each way leads to the other', async () => {
    const { project, mcp, settings, parsed, install, uninstall, ok } = inProject();
    const old = { cli: join(repository, 'dist/cli.cjs') };
    await install('--project');
    assert.ok(isResident(parsed(settings)) && existsSync(mcp));
    await ok(['install', '--project'], old);
    assert.ok(!isResident(parsed(settings)) && !existsSync(mcp));
    assert.equal(parsed(settings).enabledMcpjsonServers, undefined);
    await install('--project');
    assert.ok(isResident(parsed(settings)) && existsSync(mcp));
    await uninstall('--project');
    assert.deepEqual(listing(project), {});
  });

  it('gets one, too, where git keeps .mcp.json from those who clone it', async () => {
    const { project, mcp, settings, write, parsed, install } = inProject();
    spawnSync('git', ['init', '-q'], { cwd: project });
    write('.mcp.json\n', join(project, '.gitignore'));
    await install('--project');
    assert.ok(!isResident(parsed(settings)) && !existsSync(mcp));
  });

  it('is refused with nothing changed where .mcp.json is not what it has to be, or leads out of the project', async () => {
    const { project, mcp, write, run, bin, root } = inProject();
    const options = { cli: join(repository, 'dist/cli.cjs'), env: { PATH: `${bin}${delimiter}${process.env.PATH}` } };
    for (const text of ['[]', '{"mcpServers": 1}', '{', '{"mcpServers":{"konnichiwagwan-guard":{"url":"x"}}}']) {
      write(text, mcp);
      const before = listing(project);
      const { exit, out } = await run(['install', '--project'], options);
      assert.notEqual(exit, 0, text);
      assert.match(out, /\.mcp\.json.*Nothing was changed/s);
      assert.deepEqual(listing(project), before);
    }
    rmSync(mcp);
    write(team, join(root, 'elsewhere.json'));
    symlinkSync(join(root, 'elsewhere.json'), mcp);
    assert.match((await run(['install', '--project'], options)).out, /leads out of the project/);
  });

  it('is as it was if its settings cannot be written', async () => {
    const { project, mcp, settings, write, run, bin } = inProject();
    const options = { cli: join(repository, 'dist/cli.cjs'), env: { PATH: `${bin}${delimiter}${process.env.PATH}` } };
    write(team, mcp);
    mkdirSync(join(project, '.claude'));
    symlinkSync(join(project, 'gone/settings.json'), settings);
    const before = listing(project);
    const { exit, out } = await run(['install', '--project'], options);
    assert.equal(exit, 2, out);
    assert.match(out, /gone/);
    assert.deepEqual(listing(project), before);
  });

  it('is refused with nothing changed where a folder of ours is a link, which a repository may hold', async () => {
    const { project, run, bin, root } = inProject();
    const options = { cli: join(repository, 'dist/cli.cjs'), env: { PATH: `${bin}${delimiter}${process.env.PATH}` } };
    const [skill, elsewhere] = [join(project, '.claude/skills/konnichiwagwan'), join(root, 'elsewhere')];
    mkdirSync(skill, { recursive: true });
    mkdirSync(elsewhere);
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: konnichiwagwan\n---\n');
    symlinkSync(elsewhere, join(skill, 'program'), 'junction');
    const before = listing(project);
    const { exit, out } = await run(['install', '--project'], options);
    assert.notEqual(exit, 0);
    assert.match(out, /program is a link.*Nothing was changed/s);
    assert.deepEqual([listing(project), listing(elsewhere)], [before, {}]);
  });
});
