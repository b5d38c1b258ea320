// Each file that the client starts, as a separate process: silent, with something to say, and with an error. Other tests,
// most of them within their own process, check what these files say; see drive.ts.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readBaseline } from '../scripts/baseline/sessions.ts';
import type { JsonObject } from '../scripts/contract/types.ts';
import { type Run, runBuilt, runProgram, sandbox, startInTime, tool } from './sandbox.ts';

const OLD = tool('search', { query: { type: 'string' } }, { required: ['query'] });
const NEW = tool('search', { q: { type: 'string' } }, { required: ['q'] });

/** A sandbox whose session has begun, with all our programs as built files. */
const world = async (test: TestContext) => {
  const box = await sandbox(test, [OLD]);
  const run = (file: string, event: string, more: JsonObject = {}, env: NodeJS.ProcessEnv = {}): Promise<Run> =>
    runBuilt(file, JSON.stringify(box.input('search', { query: 'x' }, { hook_event_name: event, ...more })), {
      ...box.env,
      ...env,
    });
  const start = (session_id: string): Promise<Run> =>
    startInTime(box.state, session_id, (more) =>
      run('session-start.cjs', 'SessionStart', { source: 'startup', session_id }, more),
    );
  return { ...box, run, start };
};

const assertSilent = ({ stdout, stderr, code }: Run): void => {
  assert.deepEqual({ stdout, stderr, code }, { stdout: '', stderr: '', code: 0 });
};

const assertOrderly = ({ stderr, code, signal }: Run): void => {
  assert.deepEqual({ stderr, code, signal }, { stderr: '', code: 0, signal: null });
};

const HOOKS = [
  ['guard.cjs', 'PreToolUse'],
  ['offers.cjs', 'PreToolUse'],
  ['tool-failure.cjs', 'PostToolUseFailure'],
  ['session-start.cjs', 'SessionStart'],
  ['session-end.cjs', 'SessionEnd'],
] as const;

describe('the built files of the hooks', () => {
  it('guard: is silent while nothing changed, also the second time, and stops a call by the old contract', async (test) => {
    const box = await world(test);
    assertSilent(await box.start('s1'));
    assertSilent(await box.run('guard.cjs', 'PreToolUse'));
    assertSilent(await box.run('guard.cjs', 'PreToolUse', { tool_use_id: 'toolu_2' }));
    box.release([NEW]);
    const stopped = await box.run('guard.cjs', 'PreToolUse', { tool_use_id: 'toolu_3' });
    assertOrderly(stopped);
    assert.equal(stopped.answer.hookSpecificOutput.permissionDecision, 'deny');
    assert.match(stopped.answer.hookSpecificOutput.permissionDecisionReason, /`query` → `q`/);
  });

  it('session-start: is silent at first, and tells the next session what changed', async (test) => {
    const box = await world(test);
    assertSilent(await box.start('s1'));
    box.release([NEW]);
    const told = await box.start('s2');
    assertOrderly(told);
    assert.match(told.answer.systemMessage, /changed since the last session/);
  });

  it('session-start: completes a baseline in a process of its own, unless it is switched off', async (test) => {
    const { state, project, env } = await sandbox(test, [OLD]);
    const finish = (session: string, more: NodeJS.ProcessEnv = {}): Promise<Run> => {
      const start = { home: state, project, session, source: 'startup', cwd: project, client: 0 };
      return runBuilt('session-start.cjs', '', { ...env, ...more }, ['--finish', JSON.stringify(start)]);
    };
    assertSilent(await finish('s1'));
    assertSilent(await finish('s2', { KONNICHIWAGWAN: 'off' }));
    assert.deepEqual(
      ['s1', 's2'].map((session) => Object.values(readBaseline(state, session)?.sources ?? {}).length),
      [1, 0],
    );
  });

  it('tool-failure: is silent about other errors, and says which one looks like drift', async (test) => {
    const box = await world(test);
    await box.start('s1');
    box.release([NEW]);
    assertSilent(await box.run('tool-failure.cjs', 'PostToolUseFailure', { error: 'the disk is full' }));
    const told = await box.run('tool-failure.cjs', 'PostToolUseFailure', { error: '-32602 invalid params' });
    assertOrderly(told);
    assert.match(told.answer.hookSpecificOutput.additionalContext, /`q`/);
  });

  it('session-end: is silent', async (test) => {
    assertSilent(await (await world(test)).run('session-end.cjs', 'SessionEnd', { reason: 'other' }));
  });

  for (const [file, event] of HOOKS) {
    it(`${file}: is silent where it is switched off, whatever it reads`, async (test) => {
      const { env } = await sandbox(test, [OLD]);
      assertSilent(await runBuilt(file, '{', { ...env, KONNICHIWAGWAN: 'off' }));
    });

    // If there is nothing to end, the hook for a session's end reads nothing.
    if (event === 'SessionEnd') continue;
    for (const [what, input] of [
      ['no JSON', '{'],
      ['nothing', ''],
      ['no object', '[]'],
    ]) {
      it(`${file}: says that it could not check where it reads ${what}`, async (test) => {
        const { env } = await sandbox(test, [OLD]);
        const ran = await runBuilt(file, input ?? '', env);
        assertOrderly(ran);
        assert.match(ran.answer.systemMessage, /^konnichiwagwan could not check: the hook input is /);
        assert.equal(ran.answer.hookSpecificOutput, undefined);
      });
    }
  }

  for (const file of ['guard.cjs', 'offers.cjs']) {
    it(`${file}: an error stops the call in mode strict`, async (test) => {
      const { env } = await sandbox(test, [OLD], { mode: 'strict' });
      const ran = await runBuilt(file, '{', env);
      assertOrderly(ran);
      assert.equal(ran.answer.hookSpecificOutput.permissionDecision, 'deny');
    });
  }
});

const isWindows = process.platform === 'win32';

describe('a working folder that was deleted', { skip: isWindows && 'Windows keeps a folder that is in use' }, () => {
  for (const [mode, stops] of [
    ['strict', 'deny'],
    ['guard', undefined],
  ] as const)
    it(`is told of, in mode ${mode}`, async (test) => {
      const { home, env, input } = await sandbox(test, [OLD], { mode });
      const { CLAUDE_PROJECT_DIR: _project, ...rest } = env;
      const cwd = join(home, 'gone');
      mkdirSync(cwd);
      const program = [process.execPath, resolve('dist/guard.cjs')];
      const call = JSON.stringify(input('search', { query: 'x' }));
      const ran = await runProgram('/bin/sh', ['-c', 'rmdir "$PWD" && exec "$0" "$1"', ...program], {
        input: call,
        env: rest,
        cwd,
      });
      assert.deepEqual([ran.code, ran.stderr], [0, '']);
      const answer = JSON.parse(ran.stdout);
      assert.match(answer.systemMessage, /could not check/);
      assert.equal(answer.hookSpecificOutput?.permissionDecision, stops);
    });
});

describe('the built file of the commands', () => {
  const compare = async (test: TestContext, ...rest: string[]): Promise<Run> => {
    const { home, env } = await sandbox(test, [OLD]);
    const files = Object.entries({ old: OLD, new: NEW }).map(([name, contract]) => {
      writeFileSync(join(home, `${name}.json`), JSON.stringify({ tools: [contract] }));
      return join(home, `${name}.json`);
    });
    const named = rest.map((word) => (word === 'OLD' ? files[0] : word === 'NEW' ? files[1] : word) ?? '');
    return runBuilt('cli.cjs', null, env, named, true);
  };

  for (const [what, exit, out, err, ...words] of [
    ['the version', 0, /^\d+\.\d+\.\d+\n$/, /^$/, '--version'],
    ['all commands', 0, /^konnichiwagwan <command>.*\n {2}probe /s, /^$/, '--help'],
    ['the help of one', 0, /^konnichiwagwan diff /, /^$/, 'help', 'diff'],
    ['nothing found', 0, /./, /^$/, 'diff', 'OLD', 'OLD'],
    ['something found', 1, /`?query/, /^$/, 'diff', 'OLD', 'NEW'],
    ['something found, as JSON', 1, /^\{\n {2}"ok": false,\n {2}"data": \{/, /^$/, 'diff', 'OLD', 'NEW', '--json'],
    ['a file that is not there', 2, /^$/, /nowhere\.json/, 'diff', 'OLD', 'nowhere.json'],
    ['an error, as JSON', 2, /"error": \{\n {4}"code": "usage"/, /^$/, 'diff', '--what', '--json'],
    ['no command of that name', 2, /^$/, /there is no command "dif".*did you mean diff/s, 'dif'],
  ] as const) {
    it(`exits with ${exit}: ${what}`, async (test) => {
      const { stdout, stderr, code } = await compare(test, ...words);
      assert.equal(code, exit, stdout + stderr);
      assert.match(stdout, out);
      assert.match(stderr, err);
    });
  }
});
