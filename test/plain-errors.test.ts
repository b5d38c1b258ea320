// Errors say what is wrong, and where: programs of servers, settings, and names with slashes.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { knownError } from '../scripts/command/command.ts';
import type { JsonObject } from '../scripts/contract/types.ts';
import { workbench } from './lock-bench.ts';

const withServer = async (test: TestContext, server: JsonObject) => {
  const bench = await workbench(test);
  bench.env.GATEWAY_URL = '';
  writeFileSync(join(bench.home, '.claude.json'), JSON.stringify({ mcpServers: { one: server } }));
  return bench;
};
const node = (script: string, env: JsonObject = {}): JsonObject => ({
  command: process.execPath,
  args: ['-e', script],
  env,
});

describe('a program that does not answer', { concurrency: 3 }, () => {
  it('is named where it is not found', async (test) => {
    const bench = await withServer(test, { command: 'nosuchprogram', args: [] });
    const { code, stdout } = await bench.run(['pin', '--all', '--spawn']);
    assert.equal(code, 2);
    assert.match(stdout, /^one: could not be checked: its program `nosuchprogram` is not found: check its command/);
    assert.match((await bench.run(['probe', '--spawn'])).stdout, /its program `nosuchprogram` is not found/);
  });

  it('tells its exit code and its last line, without secrets, and to a model no line', async (test) => {
    const script =
      'const { API_KEY, ZONE } = process.env; console.error("first\\nno such key:", API_KEY, "in", ZONE, "\\u001b[31m"); process.exitCode = 3';
    const bench = await withServer(
      test,
      node(script, { KEY: 'sk-very', API_KEY: 'sk-very-secret', ZONE: 'north-2', AUTH: 'no' }),
    );
    const { stdout } = await bench.run(['pin', '--all', '--spawn']);
    const said =
      /its program ended with exit code 3: "no such key: \(the value of API_KEY\) in north-2 \\u\{1b\}\[31m"/;
    assert.match(stdout, said);
    assert.doesNotMatch(stdout, /first|sk-very-secret/);
    const { stdout: toModel } = await bench.run(['probe', '--spawn'], { CLAUDECODE: '1' });
    assert.match(toModel, /its program ended with exit code 3/);
    assert.doesNotMatch(toModel, /no such key/);
  });

  it('tells the signal that ended it', { skip: process.platform === 'win32' }, async (test) => {
    const bench = await withServer(test, node('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)'));
    assert.match((await bench.run(['pin', '--all', '--spawn'])).stdout, /its program ended by SIGTERM/);
  });

  it('gets as long as --timeout says', async (test) => {
    const bench = await withServer(test, node('setInterval(() => {}, 1000)'));
    for (const command of ['pin', 'probe']) {
      const { stdout } = await bench.run([
        command,
        ...(command === 'pin' ? ['--all'] : []),
        '--spawn',
        '--timeout',
        '1.5',
      ]);
      assert.match(stdout, /no answer within 1\.5 s/, command);
      for (const wrong of ['0', 'x', '99999'])
        assert.match(
          (await bench.run([command, '--timeout', wrong])).stderr,
          /--timeout is a number of seconds/,
          wrong,
        );
    }
  });
});

describe('settings that are no JSON', { concurrency: 3 }, () => {
  for (const [what, text, says] of [
    [
      'a trailing comma',
      '{\n  "mode": "strict",\n\n}\n',
      /config\.json: is not valid JSON: a comma too many in line 2;/,
    ],
    ['one in a list', '{\n  "gateways": {},\n  "x": [1,\n  2,\n  ]\n}', /a comma too many in line 4;/],
    ['a comma that is missing', '{\n  "mode": "strict"\n  "freshFor": 1\n}\n', /is not valid JSON: look at line 3;/],
    ['an end that is missing', '{\n  "mode": "strict"', /is not valid JSON/],
  ] as const)
    it(`${what} is named with its line`, async (test) => {
      const bench = await workbench(test);
      writeFileSync(join(bench.state, 'config.json'), text, { mode: 0o600 });
      assert.match((await bench.run(['doctor'])).stdout, says);
    });
});

describe('a name with a slash', () => {
  it('is shown as it is in every report for people', async (test) => {
    const bench = await workbench(test);
    const list = (type: string) => ({
      tools: [{ name: 'a', inputSchema: { type: 'object', properties: { '/tmp/x': { type } } } }],
    });
    const [before, after] = [bench.file(list('string'), 'b.json'), bench.file(list('number'), 'a.json')];
    for (const format of ['text', 'markdown', 'github', 'junit', 'html']) {
      const { stdout } = await bench.run(['diff', before, after, '--format', format]);
      assert.match(stdout, /\/tmp\/x/, format);
      assert.doesNotMatch(stdout, /~1/, format);
    }
    const { data } = await bench.envelope(['diff', before, after]);
    assert.equal(data.changes[0].path, '/inputSchema/properties/~1tmp~1x/type', 'programs get the pointer');
    const bad = bench.file({ tools: [{ name: 'a', inputSchema: {}, branches: { '/tmp/x': 5 } }] });
    const { stderr } = await bench.run(['hash', bad]);
    assert.match(stderr, /\/tmp\/x/);
    assert.doesNotMatch(stderr, /~1/);
  });
});

describe('an error of the file system', () => {
  const said = (error: Partial<NodeJS.ErrnoException>) => {
    const { message, hint } = knownError(Object.assign(new Error('x'), error)) ?? {};
    return [message, hint];
  };

  it('names the file if it is known, and what to do', () => {
    assert.deepEqual(said({ code: 'EACCES', syscall: 'open', path: '/a' }), [
      '/a cannot be used (EACCES)',
      'check that it exists and is yours',
    ]);
    assert.match(said({ code: 'ENOENT', syscall: 'uv_cwd' })[0] ?? '', /^the working folder cannot be used/);
  });

  it('of a full disk blames no folder', () => {
    for (const code of ['ENOSPC', 'EDQUOT'])
      assert.deepEqual(said({ code, syscall: 'write' }), [
        `a file cannot be written (${code})`,
        'make room on the disk',
      ]);
  });
});
