// The commands that a shell finds after an installation.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ownLaunchers, planLaunchers, removeLaunchers, writeLaunchers } from '../scripts/install/launchers.ts';
import { placeOf } from '../scripts/install/layout.ts';
import { remove } from '../scripts/state/in-use.ts';
import { freshHome, listing } from './install-home.ts';
import { noModes } from './posix.ts';

const NAMES = ['konnichiwagwan', 'kwg'];
/** Windows has one for each shell. */
const FILES = NAMES.flatMap((name) => (process.platform === 'win32' ? [name, `${name}.cmd`, `${name}.ps1`] : [name]));

const windowsHome = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), "kwg Jörg's 100% "));
  test.after(() => remove(home));
  const io = { env: { HOME: home, PATH: '' }, cwd: home };
  return { home, io, cli: join(home, '.claude/skills/konnichiwagwan/dist/cli.cjs') };
};

const bench = (name?: string) => {
  const box = freshHome(name);
  const bin = join(box.home, '.local/bin');
  const onPath = { env: { PATH: `${bin}${delimiter}${process.env.PATH}` } };
  const shell = (line: string) =>
    spawnSync(line, {
      shell: true,
      cwd: box.project,
      encoding: 'utf8',
      env: { PATH: onPath.env.PATH, HOME: box.home },
    });
  return { ...box, bin, onPath, shell };
};

describe('on Windows', { concurrency: 1 }, () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  const onWindows = (test: TestContext) => {
    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    test.after(() => Object.defineProperty(process, 'platform', platform));
  };

  it('each shell gets a file that it finds, with the path quoted for it', (test) => {
    const { home, cli, io } = windowsHome(test);
    onWindows(test);
    const plan = planLaunchers(placeOf(io, false), io, undefined, 'node');
    assert.deepEqual(
      plan?.write.map((path) => path.slice(join(home, '.local/bin/').length)),
      NAMES.flatMap((name) => [`${name}.cmd`, `${name}.ps1`, name]),
    );
    const textOf = (name: string) => plan?.texts.get(join(home, '.local/bin', name))?.split(/\r?\n/)[1];
    const way = join('../../.claude/skills/konnichiwagwan/dist/cli.cjs');
    assert.equal(textOf('kwg.cmd'), `@"node" "%~dp0${way}" %* & exit /b`);
    assert.equal(textOf('kwg.ps1'), `& 'node' '${cli.replaceAll("'", "''")}' @args`);
    const bytes = plan?.texts.get(join(home, '.local/bin/kwg.ps1'));
    assert.equal(bytes?.charCodeAt(0), 0xfeff, 'PowerShell knows its encoding');
    writeLaunchers(plan as NonNullable<typeof plan>);
    assert.deepEqual(planLaunchers(placeOf(io, false), io, undefined, 'node')?.write, []);
    removeLaunchers(ownLaunchers(placeOf(io, false), io), plan?.record, io);
    assert.deepEqual(listing(home), {});
  });

  it('they are found and removed, whichever Node they start', (test) => {
    const { home, io } = windowsHome(test);
    onWindows(test);
    for (const node of [join(home, 'AppData/fnm/100%/node.exe'), 'node']) {
      const plan = planLaunchers(placeOf(io, false), io, undefined, node) as NonNullable<
        ReturnType<typeof planLaunchers>
      >;
      writeLaunchers(plan);
      if (node !== 'node') {
        const text = readFileSync(join(home, '.local/bin/kwg.cmd'), 'utf8');
        assert.ok(text.includes(`@"%~dp0${join('../../AppData/fnm/100%%/node.exe')}" "%~dp0`), text);
      }
      assert.equal(ownLaunchers(placeOf(io, false), io).length, 6);
      assert.deepEqual(ownLaunchers(placeOf({ ...io, env: { ...io.env, CLAUDE_CONFIG_DIR: '/x' } }, false), io), []);
    }
    removeLaunchers(ownLaunchers(placeOf(io, false), io), { made: ['.local', '.local/bin'] }, io);
    assert.deepEqual(listing(home), {});
  });
});

describe('install', () => {
  it('puts commands where a shell finds them, says so before and after, and uninstall leaves no trace', async () => {
    const { home, bin, onPath, ok, shell } = bench(`Größe, with 'quotes' and $dollars`);
    const preview = (await ok(['install', '--dry-run'], onPath)).stdout;
    assert.deepEqual(listing(home), {});
    const { stdout } = await ok(['install'], onPath);
    for (const name of NAMES) {
      assert.ok(preview.includes(join(bin, name)), preview);
      assert.ok(stdout.includes(join('~/.local/bin', name)), stdout);
      if (!noModes) assert.equal(statSync(join(bin, name)).mode & 0o777, 0o755);
      const { stdout: help, status } = shell(`${name} uninstall --help`);
      assert.deepEqual([status, help.split('\n')[0]?.split(' ')[0]], [0, 'konnichiwagwan']);
    }
    assert.match((await ok(['install'], onPath)).stdout, /nothing to change/);
    // The printed line, as if pasted.
    const [, undo = ''] = /Undo: (.*)$/m.exec(stdout) ?? [];
    assert.equal(undo, 'konnichiwagwan uninstall');
    assert.equal(shell(undo).status, 0);
    assert.deepEqual(listing(home), {});
  });

  it('says what to add where that folder is not on the PATH, and names no command that is not found', async () => {
    const { bin, ok } = bench();
    const { stdout } = await ok(['install']);
    const line = process.platform === 'win32' ? `';${bin}', 'User')` : `export PATH="${bin}:$PATH"`;
    assert.ok(stdout.includes(line), stdout);
    assert.match(stdout, /Undo: node .*cli\.cjs'? uninstall$/m);
  });

  it('leaves commands of others, and says so', async () => {
    const { bin, home, ok, onPath } = bench();
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'kwg'), '#!/bin/sh\necho mine\n');
    chmodSync(join(bin, 'kwg'), 0o755);
    const untouched = listing(home);
    assert.match((await ok(['install'], onPath)).stderr, /kwg is something else, and stays/);
    assert.equal(readFileSync(join(bin, 'kwg'), 'utf8'), '#!/bin/sh\necho mine\n');
    await ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });

  it('leaves the folder that was there, and those of another installation', async () => {
    const { bin, home, ok } = bench();
    mkdirSync(bin, { recursive: true });
    const other = { env: { CLAUDE_CONFIG_DIR: join(home, 'other') } };
    await ok(['install']);
    await ok(['install'], other);
    await ok(['uninstall']);
    assert.deepEqual(readdirSync(bin).sort(), FILES);
    await ok(['uninstall'], other);
    assert.deepEqual(readdirSync(bin), []);
  });

  it('in a project makes none', async () => {
    const { home, ok } = bench();
    await ok(['install', '--project']);
    assert.equal(existsSync(join(home, '.local')), false);
  });

  it('makes a command right that somebody has changed or removed', async () => {
    const { bin, ok } = bench();
    await ok(['install']);
    const installed = listing(bin);
    for (const path of FILES.map((name) => join(bin, name))) {
      remove(path);
      assert.notDeepEqual(listing(bin), installed);
      await ok(['install']);
      assert.deepEqual(listing(bin), installed);
      if (noModes) continue;
      chmodSync(path, 0o644);
      assert.notDeepEqual(listing(bin), installed);
      await ok(['install']);
      assert.deepEqual(listing(bin), installed);
    }
  });
});
