// Full tier: a process for each installation.
// Programs started from a menu find Node although it is not on their PATH: the installation remembers its path.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { freshHome, listing, repository } from './install-home.ts';
import { noShell } from './posix.ts';

/** A PATH that leads to nothing but the shell. */
const MENU = '/nowhere';

let cases = 0;

const bench = (client?: string) => {
  const box = freshHome(`with 'quotes' and blanks ${++cases}`);
  const bin = join(box.root, 'bin');
  mkdirSync(bin);
  if (client !== undefined) {
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho "${client} (Claude Code)"\n`);
    chmodSync(join(bin, 'claude'), 0o755);
  }
  const env = { HOME: box.home, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const run = (node: string, ...args: string[]) =>
    spawnSync(node, [join(repository, 'dist/cli.cjs'), ...args], { cwd: box.project, env, encoding: 'utf8' });
  const install = (node = process.execPath, ...args: string[]): string => {
    const { status, stdout, stderr } = run(node, 'install', ...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const script = join(box.skill, 'scripts/node.sh');
  /** A command's output if the client was started from a menu. */
  const started = (command: string, args: string[], PATH = MENU) =>
    spawnSync(command, args, { env: { HOME: box.home, PATH }, encoding: 'utf8', input: '{}' });
  const uninstall = () => assert.equal(run(process.execPath, 'uninstall').status, 0);
  return { ...box, bin, run, install, uninstall, script, started };
};

describe('an installation for all projects', { skip: noShell }, () => {
  it('starts hooks and commands without a node on the PATH', () => {
    const { install, parsed, started, home, uninstall } = bench();
    install();
    for (const [event, groups] of Object.entries(parsed().hooks as Record<string, { hooks: never[] }[]>))
      for (const { command, args } of groups.flatMap(({ hooks }) => hooks as { command: string; args: string[] }[])) {
        const { error, status, stderr } = started(command, args);
        assert.deepEqual([event, error, status, stderr], [event, undefined, 0, '']);
      }
    for (const name of ['kwg', 'konnichiwagwan'])
      assert.match(started(join(home, '.local/bin', name), ['--version']).stdout, /^\d+\.\d+\.\d+/);
    uninstall();
    assert.deepEqual(listing(home), {});
  });

  it('as a folder that Claude Code loads: the guard that stays and each hook', () => {
    const { install, skill, script, started } = bench('2.1.330');
    install();
    const files = ['.claude-plugin/plugin.json', 'hooks/hooks.json'].map((path) =>
      readFileSync(join(skill, path), 'utf8'),
    );
    for (const text of files) assert.doesNotMatch(text, /"command": "node"/);
    const { mcpServers } = JSON.parse(files[0] as string);
    assert.equal(mcpServers.guard.command.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}/, skill), script);
    assert.equal(started(script, ['-p', 'process.version']).stdout, `${process.version}\n`);
    assert.match(install(), /nothing to change/);
  });

  it('takes the PATH where the Node that installed it is gone', () => {
    const { install, root, script, started } = bench();
    const other = join(root, 'versions/node');
    mkdirSync(join(root, 'versions'));
    copyFileSync(process.execPath, other);
    install(other);
    assert.match(readFileSync(script, 'utf8'), /versions\/node/);
    assert.equal(started(script, ['-p', 'process.execPath']).stdout, `${other}\n`);
    rmSync(other);
    const found = join(root, 'found');
    mkdirSync(found);
    symlinkSync(process.execPath, join(found, 'node'));
    assert.equal(started(script, ['-p', '1 + 1'], found).stdout, '2\n');
    assert.equal(started(script, ['-p', '1 + 1']).status, 127);
    // The next installation remembers the one that runs it.
    install();
    assert.equal(started(script, ['-p', '1 + 1']).stdout, '2\n');
  });

  it('that is repeated from its own folder stays as it is', () => {
    const { install, skill, script, home, uninstall, project } = bench('2.1.330');
    install();
    const before = listing(home);
    const again = spawnSync(script, [join(skill, 'dist/cli.cjs'), 'install'], {
      cwd: project,
      env: { HOME: home, PATH: `${join(home, '../bin')}${delimiter}${process.env.PATH}` },
      encoding: 'utf8',
    });
    assert.equal(again.status, 0, again.stderr);
    assert.deepEqual(Object.keys(listing(home)), Object.keys(before));
    assert.ok(existsSync(script));
    uninstall();
    assert.deepEqual(listing(home), {});
  });
});

describe('an installation in a project', { skip: noShell }, () => {
  it('names no path of this machine', () => {
    const { install, project } = bench('2.1.330');
    install(process.execPath, '--project');
    assert.equal(existsSync(join(project, '.claude/skills/konnichiwagwan/scripts/node.sh')), false);
    for (const file of ['.claude/settings.json', '.mcp.json']) {
      const text = readFileSync(join(project, file), 'utf8');
      assert.ok(!text.includes(process.execPath) && text.includes('"command": "node"'), text);
    }
  });
});

describe('doctor', { skip: noShell }, () => {
  const nodeCheck = ({ run }: ReturnType<typeof bench>) => {
    const { checks } = JSON.parse(run(process.execPath, 'doctor', '--json').stdout).data;
    return checks.find(({ name }: { name: string }) => name === 'node');
  };

  it('is content where the installation remembers its Node', () => {
    const box = bench();
    box.install();
    const { state, detail } = nodeCheck(box);
    assert.deepEqual([state, detail], ['ok', process.version]);
  });

  it('says what stops every call where only a shell finds Node', () => {
    const box = bench();
    box.install();
    // Like an older installation, with node in a folder that a shell's profile adds to the PATH.
    symlinkSync(process.execPath, join(box.bin, 'my-node'));
    writeFileSync(box.settings, readFileSync(box.settings, 'utf8').replaceAll(box.script, 'my-node'));
    const { state, detail, hint } = nodeCheck(box);
    assert.deepEqual([state, hint], ['note', 'konnichiwagwan install, which remembers where node is']);
    assert.equal(detail, `${process.version}; what a menu starts finds no node: there every MCP call would be stopped`);
    box.install();
    assert.equal(nodeCheck(box).state, 'ok');
  });

  it('names what hooks start where that is gone', () => {
    const box = bench();
    box.install();
    const gone = join(box.bin, 'gone/node');
    writeFileSync(box.settings, readFileSync(box.settings, 'utf8').replaceAll(box.script, gone));
    const { state, detail, hint } = nodeCheck(box);
    assert.deepEqual(
      [state, detail, hint],
      [
        'wrong',
        `"${gone}", by which hooks start Node, does not run`,
        'konnichiwagwan install, which remembers where node is',
      ],
    );
  });

  it('starts nothing that a repository names, where the user does not trust that', () => {
    const box = bench();
    const trap = join(box.root, 'sprung');
    writeFileSync(join(box.bin, 'trap'), `#!/bin/sh\ntouch '${trap.replaceAll("'", "'\\''")}'\n`);
    chmodSync(join(box.bin, 'trap'), 0o755);
    box.install(process.execPath, '--project');
    const file = join(box.project, '.claude/settings.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"command": "node"', '"command": "trap"'));
    assert.equal(nodeCheck(box).detail, process.version);
    assert.equal(existsSync(trap), false);
  });
});
