// Full tier: other versions of Node.
// A Node that is too old: every entry point says so in a line that names the version, and none lets a call pass.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { isAtLeast, OLDEST_NODE } from '../scripts/state/node-version.ts';
import { runProgram, sandbox, tool } from './sandbox.ts';

/** Simulates an old Node by its version. KONNICHIWAGWAN_OLD_NODE names a real one. */
const bench = async (test: TestContext) => {
  const box = await sandbox(test, [tool('search', { query: { type: 'string' } })]);
  const old = join(box.home, 'old.cjs');
  writeFileSync(old, `Object.defineProperty(process, 'version', { value: 'v18.20.8' });\n`);
  const real = process.env.KONNICHIWAGWAN_OLD_NODE;
  const [node, before] = real === undefined ? [process.execPath, ['-r', old]] : [real, []];
  const run = (file: string, input: object | null, env: NodeJS.ProcessEnv = {}, args: string[] = []) =>
    runProgram(node, [...before, resolve('dist', file), ...args], {
      input: input === null ? null : JSON.stringify(input),
      env: { ...box.env, ...env },
    });
  return { ...box, run };
};

const NAMES_NODE = /Node 20\.18\.1 or newer is needed, and this is Node 18\.\d+\.\d+ \(\/.*node\)/;

describe('on a Node that is too old', () => {
  it('the guard stops the call, and names Node and the way out', async (test) => {
    const { run, input } = await bench(test);
    for (const file of ['guard.cjs', 'offers.cjs']) {
      const { stdout, code } = await run(file, input('search', { query: 'x' }));
      const { hookSpecificOutput, systemMessage } = JSON.parse(stdout);
      assert.deepEqual([code, hookSpecificOutput.permissionDecision], [0, 'deny']);
      for (const text of [systemMessage, hookSpecificOutput.permissionDecisionReason]) {
        assert.match(text, NAMES_NODE);
        assert.match(text, /The call was not sent/);
        assert.match(text, /KONNICHIWAGWAN=off/);
      }
    }
  });

  it('the way out that it names is one', async (test) => {
    const { run, input } = await bench(test);
    const { stdout, code } = await run('guard.cjs', input('search', { query: 'x' }), { KONNICHIWAGWAN: 'off' });
    assert.deepEqual([stdout, code], ['', 0]);
  });

  it('a session is told at its start, and a failure when it happens', async (test) => {
    const { run, input } = await bench(test);
    for (const [file, hook_event_name] of [
      ['session-start.cjs', 'SessionStart'],
      ['tool-failure.cjs', 'PostToolUseFailure'],
      ['offers.cjs', 'PostToolUse'],
    ] as const) {
      const { stdout, code } = await run(file, input('search', {}, { hook_event_name, source: 'startup' }));
      const { systemMessage, hookSpecificOutput } = JSON.parse(stdout);
      assert.deepEqual([code, hookSpecificOutput], [0, undefined]);
      assert.match(systemMessage, NAMES_NODE);
      assert.match(systemMessage, /calls of MCP tools are stopped/);
    }
  });

  it('the resident guard stops the call, too', async (test) => {
    const { home, env, input } = await bench(test);
    const child = spawn(process.execPath, ['-r', join(home, 'old.cjs'), resolve('dist/resident.cjs')], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    test.after(() => child.kill('SIGKILL'));
    const { tool_input, mcp_server: _server, ...fields } = input('search', { query: 'x' });
    const check = { ...fields, tool_input: JSON.stringify(tool_input), mcp_server: 'demo', agent_id: '' };
    for (const message of [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'check', arguments: check } },
    ])
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line);
      if (id !== 2) continue;
      const { hookSpecificOutput } = JSON.parse(result.content[0].text);
      assert.equal(hookSpecificOutput.permissionDecision, 'deny');
      assert.match(hookSpecificOutput.permissionDecisionReason, NAMES_NODE);
      return;
    }
    assert.fail('no answer');
  });

  it('every command ends with that line, and the demo shows no success', async (test) => {
    const { run } = await bench(test);
    for (const command of ['demo', 'doctor', 'status', 'install', 'verify']) {
      const { stdout, stderr, code } = await run('cli.cjs', null, {}, [command]);
      assert.deepEqual([stdout, code], ['', 2], command);
      assert.match(stderr, NAMES_NODE);
      assert.match(stderr, /nodejs\.org/);
    }
    const { stdout } = await run('cli.cjs', null, {}, ['status', '--json']);
    assert.equal(JSON.parse(stdout).error.code, 'old-node');
  });

  it('a status line is not fresh', async (test) => {
    const { run, start } = await bench(test);
    await start();
    assert.equal((await run('cli.cjs', { session_id: 's1' }, {}, ['statusline'])).stdout, 'kwg needs a newer Node\n');
  });
});

describe('the version of Node', () => {
  it('is the one in package.json', () => {
    assert.equal(JSON.parse(readFileSync('package.json', 'utf8')).engines.node, `>=${OLDEST_NODE}`);
  });

  it('is compared number by number', () => {
    for (const [version, enough] of [
      ['v20.18.1', true],
      ['v20.18.0', false],
      ['v20.9.9', false],
      ['v18.20.8', false],
      ['v22.0.0', true],
      ['v100.0.0-nightly', true],
      ['20.18.2-rc.1', true],
      ['', false],
    ] as const)
      assert.equal(isAtLeast(version, OLDEST_NODE), enough, version);
  });
});

describe('doctor, of a Claude Code', () => {
  const withClient = async (test: TestContext, version: string) => {
    const { home, env } = await sandbox(test, []);
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho "${version} (Claude Code)"\n`);
    chmodSync(join(bin, 'claude'), 0o755);
    const { stdout } = await runProgram(process.execPath, [resolve('dist/cli.cjs'), 'doctor', '--json'], {
      env: { ...env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    });
    const { checks } = JSON.parse(stdout).data as { checks: { name: string; state: string; detail: string }[] };
    return checks.find(({ name }) => name === 'Claude Code');
  };

  it('that ignores `args` says that no call is checked', async (test) => {
    const { state, detail } = (await withClient(test, '2.1.138')) ?? assert.fail();
    assert.equal(state, 'wrong');
    assert.match(detail, /^2\.1\.138 ignores the `args` of hooks/);
  });

  it('that knows them says no such thing', async (test) => {
    assert.equal((await withClient(test, '2.1.139'))?.state, 'note');
    assert.equal((await withClient(test, '2.1.330'))?.state, 'ok');
  });
});
