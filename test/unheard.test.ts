// Output that cannot be written: a stop must not become a pass, and the exit code must keep its meaning.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sandbox, tool } from './sandbox.ts';

const OLD = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const NEW = tool('weather', { city: { type: 'string' }, units: { enum: ['c', 'f'] } }, { required: ['city', 'units'] });

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a built file through a shell, which decides where its output goes. */
const runInShell = (script: string, input: string, env: NodeJS.ProcessEnv, cwd?: string): Promise<Ran> =>
  new Promise((done) => {
    const child = spawn('sh', ['-c', script], {
      env: { PATH: process.env.PATH, ...env },
      cwd,
      timeout: 20_000,
    });
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (ran.stdout += chunk));
    child.stderr.on('data', (chunk) => (ran.stderr += chunk));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => done({ ...ran, code }));
  });

const built = (file: string): string => `"${process.execPath}" "${resolve('dist', file)}"`;
const GUARD = built('guard.cjs');

const drifted = async (test: TestContext) => {
  const box = await sandbox(test, [OLD]);
  await box.start();
  box.show([OLD], 'aaa1');
  box.release([NEW]);
  const run = (script: string, args = { city: 'Rabat' }, env = {}) =>
    runInShell(script, JSON.stringify(box.input('weather', args)), { ...box.env, ...env });
  return { ...box, run };
};

const skip = !existsSync('/dev/full') && 'there is no /dev/full on this machine';

describe('a guard that cannot print', { skip }, () => {
  for (const [name, to] of [
    ['a full disk', '> /dev/full'],
    ['a closed output', '>&-'],
  ]) {
    it(`${name}: a stop is one all the same, and its reason is on standard error`, async (test) => {
      const { run } = await drifted(test);
      const { code, stdout, stderr } = await run(`exec ${GUARD} ${to}`);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^konnichiwagwan could not print its answer \(\w+\): .*stopped this call.*`weather`/);
      assert.doesNotMatch(stderr, /\n {4}at /, 'no stack trace');
    });

    it(`${name}: silence stays silence`, async (test) => {
      const { run, show } = await drifted(test);
      show([NEW], 'bbb1');
      assert.deepEqual(await run(`exec ${GUARD} ${to}`), { code: 0, stdout: '', stderr: '' });
    });
  }

  it('a reader that is gone hears nothing, so the exit code says it', async (test) => {
    const { run } = await drifted(test);
    const { stdout } = await run(`exec 3>&1; { sleep 0.1; ${GUARD} 2> /dev/null; echo "exit $?" >&3; } | true`);
    assert.match(stdout, /exit 2/);
  });

  it('a notice that nobody hears is an error, and stops nothing', async (test) => {
    const { run, release } = await drifted(test);
    release([
      tool('weather', { city: { type: 'string' }, more: { type: 'string', default: 'x' } }, { required: ['city'] }),
    ]);
    const { code, stderr } = await run(`exec ${GUARD} > /dev/full`);
    assert.equal(code, 1);
    assert.match(stderr, /could not print its answer/);
  });

  it('with nowhere to trace to, the verdict is the same', async (test) => {
    const { run } = await drifted(test);
    for (const to of ['2> /dev/full', '2>&-']) {
      const { code, stdout } = await run(`exec ${GUARD} ${to}`, undefined, { KONNICHIWAGWAN: 'debug' });
      assert.deepEqual([code, JSON.parse(stdout).hookSpecificOutput.permissionDecision], [0, 'deny']);
    }
  });
});

describe('a command that cannot print', { skip }, () => {
  const files = (home: string) => {
    const paths = [OLD, NEW].map((contract, index) => {
      const path = join(home, `${index}.json`);
      writeFileSync(path, JSON.stringify({ tools: [contract] }));
      return `"${path}"`;
    });
    return { same: `diff ${paths[0]} ${paths[0]}`, changed: `diff ${paths[0]} ${paths[1]}` };
  };
  const CLI = built('cli.cjs');

  it('a full disk: what was found is found, and nothing found is "could not check"', async (test) => {
    const { home, run } = await drifted(test);
    const { same, changed } = files(home);
    for (const [command, expected] of [
      [same, 2],
      [changed, 1],
    ] as const) {
      const { code, stderr } = await run(`exec ${CLI} ${command} > /dev/full`);
      assert.equal(code, expected);
      assert.equal(stderr, 'konnichiwagwan: the output cannot be written (ENOSPC)\n  check where it goes\n');
    }
  });

  it('a reader that went away changes no verdict', async (test) => {
    const { home, run } = await drifted(test);
    const { same, changed } = files(home);
    for (const [command, expected] of [
      [same, 0],
      [changed, 1],
    ] as const) {
      const { stdout, stderr } = await run(`exec 3>&1; { sleep 0.1; ${CLI} ${command}; echo "exit $?" >&3; } | true`);
      assert.deepEqual([stdout.trim(), stderr], [`exit ${expected}`, '']);
    }
  });

  it('with standard error full or closed, the exit code is the same', async (test) => {
    const { run } = await drifted(test);
    for (const to of ['2> /dev/full', '2>&-']) assert.equal((await run(`exec ${CLI} no-such-command ${to}`)).code, 2);
  });
});

describe('odd surroundings', { skip }, () => {
  const decision = ({ stdout }: Pick<Ran, 'stdout'>) => JSON.parse(stdout).hookSpecificOutput?.permissionDecision;

  it('a working folder that is gone, no HOME, no TMPDIR and another language change no verdict', async (test) => {
    const { home, run, call } = await drifted(test);
    const gone = `mkdir "${home}/gone"; cd "${home}/gone"; rmdir "${home}/gone"`;
    assert.equal(decision(await run(`${gone}; exec ${GUARD}`)), 'deny');
    // Node itself reads these.
    for (const env of ['-u PATH', 'LANG=C LC_ALL=C'])
      assert.equal(decision(await run(`exec env ${env} ${GUARD}`)), 'deny', env);
    for (const env of [{ HOME: undefined }, { TMPDIR: '/nowhere' }, { CLAUDE_PID: '../../x' }])
      assert.equal(decision(await call('weather', { city: 'Rabat' }, {}, env)), 'deny', JSON.stringify(env));
  });
});
