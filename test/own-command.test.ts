// Messages name commands that the reader can type as they are.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { asTyped } from '../scripts/state/own-command.ts';
import { runProgram } from './sandbox.ts';

const CLI = `node ${resolve('dist/cli.cjs')}`;

const place = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'kwg-typed-'));
  test.after(() => remove(home));
  const put = (folder: string, ...names: string[]): void => {
    mkdirSync(join(home, folder), { recursive: true });
    for (const name of names) writeFileSync(join(home, folder, name), '#!/bin/sh\n', { mode: 0o755 });
  };
  return { home, put, env: { HOME: home, PATH: join(home, 'bin') } };
};
const TEXT =
  'Run: konnichiwagwan doctor, or kwg wrap --add --all. kwg is short for konnichiwagwan; konnichiwagwan is not.';

describe('a command in a message', { skip: process.platform === 'win32' }, () => {
  it('stays where a shell finds it, by this name or the other one', (test) => {
    const { env, put } = place(test);
    put('bin', 'kwg');
    assert.match(asTyped(TEXT, env), /^Run: kwg doctor, or kwg wrap --add --all\. kwg is short for konnichiwagwan;/);
    put('bin', 'konnichiwagwan');
    assert.equal(asTyped(TEXT, env), TEXT);
  });

  it('is the installed one by its path, else the program that speaks', (test) => {
    const { env, put } = place(test);
    const expected = TEXT.replace('konnichiwagwan doctor', `${CLI} doctor`).replace('kwg wrap', `${CLI} wrap`);
    assert.equal(asTyped(TEXT, env), expected);
    put('.local/bin', 'kwg', 'konnichiwagwan');
    assert.match(
      asTyped(TEXT, env),
      /^Run: ~\/\.local\/bin\/konnichiwagwan doctor, or ~\/\.local\/bin\/kwg wrap --add --all\./,
    );
  });

  it('in what commands print, errors and help included; not in JSON', async (test) => {
    const { env } = place(test);
    const nodeOnly = { ...env, PATH: dirname(process.execPath) };
    const run = (...args: string[]) =>
      runProgram(process.execPath, [resolve('dist/cli.cjs'), ...args], { env: nodeOnly, cwd: env.HOME });
    assert.ok((await run('probe', '--nope')).stderr.includes(`${CLI} help probe`));
    assert.ok((await run('pin', '--help')).stdout.startsWith(`${CLI} pin `));
    assert.match((await run('pin', '--nope', '--json')).stdout, /konnichiwagwan help pin/);
  });
});
