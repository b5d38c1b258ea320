// Commands that npm installs on Windows: scripts that Windows does not start by itself.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { keepsGuards } from '../scripts/install/client.ts';
import { remove } from '../scripts/state/in-use.ts';
import { runProgram, startProgram } from '../scripts/state/programs.ts';
import { startHostProcess } from './wrap-sides.ts';

const skip = process.platform !== 'win32' && 'there are no .cmd files';

/** Installs a command as npm does, which runs a script. Returns its path. */
const command = (test: TestContext, name: string, script: string, below = 'Jörg&Söhne'): string => {
  const folder = mkdtempSync(join(tmpdir(), 'kwg-commands-'));
  test.after(() => remove(folder));
  const own = join(folder, below);
  mkdirSync(own);
  writeFileSync(join(own, `${name}.cjs`), script);
  const path = join(own, `${name}.cmd`);
  writeFileSync(path, `@ECHO off\r\n"${process.execPath}" "%~dp0${name}.cjs" %*\r\n`);
  // Git Bash's, which Windows cannot start.
  writeFileSync(join(own, name), '#!/bin/sh\n');
  return path;
};

describe('a command that npm installed', { skip }, () => {
  it('is found: the version of claude.cmd', (test) => {
    for (const [version, keeps] of [
      ['2.1.330', true],
      ['2.1.197', false],
    ] as const) {
      const path = command(test, 'claude', `console.log('${version} (Claude Code)')`);
      assert.equal(keepsGuards({ ...process.env, PATH: join(path, '..') }), keeps);
    }
  });

  const WORDS = ['a b', '', 'ü', 'x&y', '"q"', 'c:\\d e\\', '--url=https://x.test/?a=1&b=2', '(x)', 'a|b', '<c>', '^'];
  it('gets the words that it was given', async (test) => {
    const path = command(test, 'echo-words', 'console.log(JSON.stringify(process.argv.slice(2)))');
    for (const name of [path, path.slice(0, -'.cmd'.length)]) {
      const { stdout } = runProgram(name, WORDS, { env: process.env });
      assert.deepEqual(JSON.parse(stdout), WORDS, name);
    }
    const child = startProgram(path, WORDS, { stdio: ['ignore', 'pipe', 'inherit'] });
    const said: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => said.push(chunk));
    await once(child, 'close');
    assert.deepEqual(JSON.parse(String(Buffer.concat(said))), WORDS);
  });

  it('runs in a folder whose name has a blank', (test) => {
    const path = command(test, 'echo-words', 'console.log(process.argv[2])', 'Program Files (x86)');
    assert.equal(runProgram(path, ['a b'], { env: process.env }).stdout, 'a b\n');
  });

  it('is a server that wrap starts', async (test) => {
    const path = command(test, 'server', 'process.stdin.pipe(process.stdout)');
    const host = startHostProcess(test, [path, 'a&b']);
    host.send({ jsonrpc: '2.0', method: 'x' });
    host.child.stdin?.end();
    const { stdout } = await host.closed;
    assert.equal(String(stdout), '{"jsonrpc":"2.0","method":"x"}\n');
  });
});
