// The program that the skill names: it only reads.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { compileFunction } from 'node:vm';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { noShell } from './posix.ts';
import { runsHere } from './programs-here.ts';
import { drive, runBuilt, sandbox, tool } from './sandbox.ts';

const PROGRAM = resolve('skills/konnichiwagwan/scripts/kwg.cjs');
const SKILL = readFileSync('skills/konnichiwagwan/SKILL.md', 'utf8');

class Ended {
  constructor(readonly code: number) {}
}
const HANDED_OVER = Symbol('handed over');

const program = compileFunction(readFileSync(PROGRAM, 'utf8'), ['require', 'process', 'console', '__dirname']);
const itsRequire = createRequire(PROGRAM);

/** What the program refuses, in this process; undefined if it hands over to the command line. */
const refusal = (
  args: string[],
  env: NodeJS.ProcessEnv,
): { code: number; stdout: string; stderr: string } | undefined => {
  let stderr = '';
  const its = {
    require: (name: string) => {
      if (name.startsWith('node:')) return itsRequire(name);
      assert.equal(name, resolve('dist/cli.cjs'));
      throw HANDED_OVER;
    },
    process: {
      env,
      argv: [process.execPath, PROGRAM, ...args],
      exit: (code: number) => {
        throw new Ended(code);
      },
    },
    console: {
      error: (text: string) => {
        stderr += `${text}\n`;
      },
    },
  };
  try {
    program(its.require, its.process, its.console, dirname(PROGRAM));
  } catch (thrown) {
    if (thrown === HANDED_OVER) return undefined;
    if (thrown instanceof Ended) return { code: thrown.code, stdout: '', stderr };
    throw thrown;
  }
  throw new Error('it did nothing');
};

const bench = async (test: TestContext) => {
  const box = await sandbox(test, [tool('a', {})]);
  const start = (args: string[], env: NodeJS.ProcessEnv = {}) =>
    runBuilt(PROGRAM, null, { ...box.env, ...env }, args, true);
  const run = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
    const env = { ...box.env, ...more };
    if (!runsHere(env, args)) return start(args, more);
    return refusal(args, env) ?? drive('cli.cjs', null, env, args, true);
  };
  return { ...box, run, start };
};

describe('the skill’s program', () => {
  it('runs every command that SKILL.md names, and the name of old instructions', async (test) => {
    const { run, start } = await bench(test);
    const named = [
      ...new Set(
        [...SKILL.matchAll(/`(status|doctor|probe|baseline|diff|explain)\b/g)].map(([, one]) => one as string),
      ),
    ];
    assert.deepEqual(named.sort(), ['baseline', 'diff', 'doctor', 'explain', 'probe']);
    for (const command of ['status', ...named]) {
      const { code, stdout } = await run([command, '--help']);
      assert.deepEqual([code, stdout.split('\n')[0]?.split(' ')[1]], [0, command]);
    }
    const { stdout } = await start(['status', '--session', 's1', '--json']);
    assert.equal(JSON.parse(stdout).ok, true);
    if (noShell) return;
    const old = spawnSync('/bin/sh', ['skills/konnichiwagwan/scripts/check_tool_freshness.sh', '--help'], {
      encoding: 'utf8',
    });
    assert.match(old.stdout, /konnichiwagwan probe/);
  });

  it('knows no command that writes, whatever stands around its name', async (test) => {
    const { run, project, state } = await bench(test);
    for (const args of [
      [],
      ['--help'],
      ...['approve', 'pin', 'verify', 'install', 'uninstall', 'demo', 'lint', 'nope', '__proto__', 'constructor'].map(
        (one) => [one],
      ),
      ['--json', 'approve'],
      ['--', 'approve'],
      ['-h', 'approve'],
      ['status=1', 'approve'],
      ['approve', 'status'],
      [' approve'],
    ]) {
      const { code, stdout, stderr } = await run(args, { npm_config_argv: 'approve', KWG_COMMAND: 'approve' });
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(
        stderr,
        /^konnichiwagwan: ".*" is no command of this skill: the first word is one of status, doctor, .*a person runs/,
      );
    }
    assert.equal(existsSync(join(project, LOCKFILE)), false);
    assert.equal(existsSync(join(state, 'sessions')), false);
  });

  it('takes no option that writes or replaces', async (test) => {
    const { run, project } = await bench(test);
    const file = join(project, 'tools.json');
    writeFileSync(file, '[]');
    for (const args of [
      ['baseline', '--record'],
      ['baseline', '--session', 's1', '--record'],
      ['baseline', '--record=true'],
      ['baseline', '--json', '--record'],
      ['diff', file, file, '--output', join(project, LOCKFILE)],
      ['diff', file, file, '-o', join(project, LOCKFILE)],
      ['diff', file, file, `-o${join(project, LOCKFILE)}`],
      ['diff', file, file, `--output=${join(project, LOCKFILE)}`],
    ]) {
      const { code, stderr } = await run(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, /is no option of (baseline|diff) in this skill/);
    }
    assert.equal(existsSync(join(project, LOCKFILE)), false);
    assert.equal((await run(['diff', file, file])).code, 0);
  });
});
