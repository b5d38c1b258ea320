// What is started with a version of Node that is too old: nobody may take that for a guard that works.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runProgram } from './sandbox.ts';

const world = (test: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-node-'));
  test.after(() => rmSync(home, { recursive: true, force: true }));
  const run = async (version: string, file: string, args: string[] = [], input = '{"session_id":"s1"}') => {
    const preload = join(home, `node-${version}.cjs`);
    const versions = `{ ...process.versions, node: '${version}' }`;
    writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
    return runProgram(process.execPath, ['-r', preload, resolve(file), ...args], {
      input,
      env: { HOME: home, KONNICHIWAGWAN_HOME: home },
    });
  };
  return { home, run };
};

const SAID = /^konnichiwagwan needs Node 20\.18\.1 or newer, and was started with Node 18\.20\.4 \(.+\)/;

describe('a Node that is too old', { concurrency: 3 }, () => {
  for (const file of ['dist/cli.cjs', 'skills/konnichiwagwan/scripts/kwg.cjs', 'dist/resident.cjs'])
    it(`${file} says so, and does nothing else`, async (test) => {
      const { run } = world(test);
      const { code, stdout, stderr } = await run('18.20.4', file, ['status']);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, SAID);
    });

  for (const file of ['guard', 'offers', 'session-start'])
    it(`the hook ${file} tells the user once in a session`, async (test) => {
      const { run } = world(test);
      const hook = `dist/${file}.cjs`;
      const first = await run('18.20.4', hook);
      assert.deepEqual([first.code, first.stderr], [0, '']);
      const { systemMessage, ...rest } = JSON.parse(first.stdout);
      assert.match(systemMessage, SAID);
      assert.match(systemMessage, /calls of MCP tools are not checked/);
      assert.deepEqual(rest, {});
      assert.equal((await run('18.20.4', hook)).stdout, '');
      assert.notEqual((await run('18.20.4', hook, [], '{"session_id":"s2"}')).stdout, '');
      for (const odd of ['', '{', '{"session_id":"../x"}'])
        assert.match(JSON.parse((await run('18.20.4', hook, [], odd)).stdout).systemMessage, SAID);
    });

  it('in mode strict the guard asks, every time', async (test) => {
    const { home, run } = world(test);
    writeFileSync(join(home, 'config.json'), '{\n  "mode": "strict"\n}');
    for (const _call of [1, 2]) {
      const { hookSpecificOutput: out } = JSON.parse((await run('18.20.4', 'dist/guard.cjs')).stdout);
      assert.equal(out.permissionDecision, 'ask');
      assert.match(out.permissionDecisionReason, SAID);
    }
  });

  for (const [version, fits] of [
    ['9.11.2', false],
    ['18.20.4', false],
    ['20.0.0', false],
    ['20.18.0', false],
    ['20.18.1', true],
    ['20.19.0', true],
    ['22.0.0', true],
    ['100.1.0', true],
  ] as const)
    it(`${version} ${fits ? 'fits' : 'does not'}`, async (test) => {
      const { stderr } = await world(test).run(version, 'dist/cli.cjs', ['hash', '-'], '{"tools":[]}');
      assert.equal(stderr === '', fits, stderr);
    });
});
