// What commands print at terminals of different widths, and with what colours.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { run } from '../scripts/cli/run.ts';
import { fold } from '../scripts/text/fold.ts';
import { painter } from '../scripts/text/paint.ts';
import { outputTo } from './own-process.ts';
import { sandbox } from './sandbox.ts';

const at = async (args: string[], env: NodeJS.ProcessEnv, isTTY: boolean, columns = 80) => {
  let printed = '';
  const see = (text: string): void => {
    printed += text;
  };
  await run(args, {
    env,
    cwd: () => env.HOME ?? '/',
    stdin: Readable.from([]),
    stdout: outputTo(see, { isTTY, columns }),
    stderr: outputTo(() => {}),
  });
  return printed;
};
const COLOUR = /\[(?:3\d|1)m/;

describe('at a terminal', () => {
  it('help and doctor fit into 80 and 50 columns, commands are never broken', async (test) => {
    const { env } = await sandbox(test, []);
    for (const columns of [80, 50]) {
      for (const line of (await at(['--help'], env, true, columns)).split('\n'))
        assert.ok(line.length <= columns || !line.includes('  '), `${columns}: ${line}`);
      const doctor = await at(['doctor'], { ...env, NO_COLOR: '1' }, true, columns);
      for (const line of doctor.split('\n'))
        assert.ok(line.length <= columns || line.includes('→') || !/\S\s+\S+\s/.test(line.slice(columns)), line);
    }
    assert.match(await at(['--help'], env, true, 50), /^Guard your servers:\n {2}install +/m);
  });

  it('no command prints a line that a terminal would break inside of a word', async (test) => {
    const { env } = await sandbox(test, []);
    for (const columns of [80, 50])
      for (const args of [
        ['install'],
        ['install'],
        ['status'],
        ['wrap', '--help'],
        ['uninstall', '--dry-run'],
        ['uninstall'],
      ])
        for (const line of (await at(args, { ...env, NO_COLOR: '1' }, true, columns)).split('\n'))
          assert.ok(
            line.length <= columns ||
              /^\s*\S+$|^\s*[+-]\s|(?:konnichiwagwan|kwg|cli\.cjs'?) [a-z]|export PATH=/.test(line),
            `${args.join(' ')} at ${columns}: ${line}`,
          );
  });

  it('lines are broken between words, below their first column; commands and files are not', () => {
    const cases: [string, number, string][] = [
      ['  one two three', 10, '  one two\n    three'],
      ['  label    one two three', 22, '  label    one two\n           three'],
      [
        'Not guarded: x, for which there is: kwg wrap --add x --scope project',
        40,
        'Not guarded: x, for which there is:\n  kwg wrap --add x --scope project',
      ],
      ["Undo: node '/a b/cli.cjs' uninstall", 12, "Undo:\n  node '/a b/cli.cjs' uninstall"],
      ['it is guarded by konnichiwagwan in each session', 30, 'it is guarded by\n  konnichiwagwan in each\n  session'],
      ['b → kwg wrap -- npx -y a b c d e f g', 20, 'b\n  → kwg wrap -- npx -y a b c d e f g'],
      ['2026-01-01 12:00Z  deny   mcp__a__b  x', 34, '2026-01-01 12:00Z  deny\n  mcp__a__b  x'],
      ['  label    /a/path/that/does/not/fit x', 24, '  label    /a/path/that/does/not/fit\n           x'],
      ['    +  "a": "b c d e f g h i j k l m n o"', 20, '    +  "a": "b c d e f g h i j k l m n o"'],
      ['/a/very/long/path/that/does/not/fit', 10, '/a/very/long/path/that/does/not/fit'],
      ['one two', Number.POSITIVE_INFINITY, 'one two'],
    ];
    for (const [text, columns, expected] of cases) assert.equal(fold(text, columns), expected);
    const red = painter(true)('red', 'one two');
    assert.equal(fold(red, 7), red, 'colours take no room');
    assert.equal(fold(red, 6), red.replace(' ', '\n  '));
  });

  it('a line of a file is shown as it is written, even if it holds a command', async (test) => {
    const { env } = await sandbox(test, []);
    const project = join(env.HOME as string, 'somewhere');
    mkdirSync(project);
    let printed = '';
    const see = (text: string): void => {
      printed += text;
    };
    await run(['install', '--project', '--dry-run'], {
      env: { ...env, PATH: '' },
      cwd: () => project,
      stdin: Readable.from([]),
      stdout: outputTo(see),
      stderr: outputTo(() => {}),
    });
    assert.match(printed, /\(konnichiwagwan install --project\)/);
  });

  it('-v is --version', async () => {
    assert.match(await at(['-v'], {}, false), /^\d+\.\d+\.\d+\n$/);
  });

  it('colours: at a terminal that can, where nobody forbids or forces them', async (test) => {
    const { env } = await sandbox(test, []);
    const cases: [NodeJS.ProcessEnv, boolean, boolean][] = [
      [{}, true, true],
      [{}, false, false],
      [{ TERM: 'dumb' }, true, false],
      [{ NO_COLOR: '1' }, true, false],
      [{ FORCE_COLOR: '1' }, false, true],
      [{ FORCE_COLOR: '0' }, true, false],
      [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
      [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
    ];
    for (const [more, isTTY, expected] of cases)
      assert.equal(COLOUR.test(await at(['doctor'], { ...env, ...more }, isTTY)), expected, JSON.stringify(more));
  });

  it('every command stands in one group of the help', async (test) => {
    const { env } = await sandbox(test, []);
    const help = await at(['--help'], env, false);
    const named = [...help.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name);
    assert.equal(new Set(named).size, named.length);
    assert.equal(named.length, 21);
  });
});
