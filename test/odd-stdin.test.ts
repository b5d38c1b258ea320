// Inputs that Claude Code never sends, and unhandled errors: each hook says that it could not check.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';
import { drive, runBuilt, runProgram, sandbox, tool } from './sandbox.ts';

const OLD = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const NEW = tool('weather', { town: { type: 'string' } }, { required: ['town'] });
const HOOKS = ['guard.cjs', 'session-start.cjs', 'tool-failure.cjs', 'offers.cjs'];

describe('an input with odd fields', () => {
  const deep = '['.repeat(3_000) + ']'.repeat(3_000);
  const odd: [string, (input: JsonObject) => string][] = [
    ['no server', (input) => JSON.stringify({ ...input, mcp_server: undefined })],
    ...[null, 'demo', 5, [], { name: '' }, { name: null }, { name: { a: 1 } }, { name: 'x'.repeat(1e6) }].map(
      (mcp_server): [string, (input: JsonObject) => string] => [
        `a server that is ${JSON.stringify(mcp_server).slice(0, 30)}`,
        (input) => JSON.stringify({ ...input, mcp_server }),
      ],
    ),
    ['a server with controls', (input) => JSON.stringify({ ...input, mcp_server: { name: '\u001b[31m\u202e\nx' } })],
    ...[null, '/', '/dev/null', '/a\0b', `/${'x'.repeat(10_000)}`, '../../etc/passwd', '/proc/self/mem'].map(
      (transcript_path): [string, (input: JsonObject) => string] => [
        `a transcript that is ${JSON.stringify(transcript_path).slice(0, 30)}`,
        (input) => JSON.stringify({ ...input, transcript_path }),
      ],
    ),
    ...['/a\0b', '/does/not/exist', 7].map((cwd): [string, (input: JsonObject) => string] => [
      `a folder that is ${JSON.stringify(cwd)}`,
      (input) => JSON.stringify({ ...input, cwd }),
    ]),
    ['an event to come', (input) => JSON.stringify({ ...input, hook_event_name: 'FutureEvent' })],
    ['no arguments', (input) => JSON.stringify({ ...input, tool_input: undefined })],
    ['a session called __proto__', (input) => JSON.stringify({ ...input, session_id: '__proto__' })],
    ['__proto__', (input) => JSON.stringify(input).replace('{', '{"__proto__":{"session_id":"x"},')],
    ['a field that is nested', (input) => JSON.stringify(input).replace('{', `{"x":${deep},`)],
    [
      '100,000 fields',
      (input) =>
        JSON.stringify(input).replace('{', `{${Array.from({ length: 1e5 }, (_, i) => `"f${i}":${i},`).join('')}`),
    ],
  ];
  for (const [what, write] of odd) {
    it(`hides no stale call: ${what.replace('\0', '')}`, async (test) => {
      const box = await sandbox(test, [OLD]);
      for (const session_id of ['s1', '__proto__']) await box.start({ session_id });
      box.release([NEW]);
      const { answer, stderr, code } = await drive('guard.cjs', write(box.input('weather', { city: 'x' })), box.env);
      assert.deepEqual([stderr, code, answer?.hookSpecificOutput?.permissionDecision], ['', 0, 'deny']);
    });
  }
});

describe('a hook', () => {
  it('that is given no input, half of one, or something else, says that it could not check', async (test) => {
    const { env, input } = await sandbox(test, [OLD]);
    const whole = JSON.stringify(input('weather', { city: 'Rabat' }));
    const inputs = [
      '',
      '  \n',
      'hello',
      'null',
      '[]',
      '5',
      '"x"',
      '{}',
      whole.slice(0, -5),
      `${whole}\0`,
      whole + whole,
    ];
    for (const file of HOOKS) {
      for (const text of [...inputs, '{"session_id":5}', '{"session_id":"../x","hook_event_name":"PreToolUse"}']) {
        const { answer, stderr, code } = await drive(file, text, env);
        assert.deepEqual([stderr, code], ['', 0], `${file} ${text.slice(0, 40)}`);
        assert.match(answer.systemMessage, /^konnichiwagwan could not check: .*Run: konnichiwagwan doctor$/);
      }
    }
  });

  it('whose standard input is no stream of bytes says that it could not check', {
    skip: process.platform === 'win32' && 'no folder can be read there',
  }, async (test) => {
    const { env } = await sandbox(test, [OLD]);
    const { stdout, code } = await runProgram('bash', ['-c', `exec ${process.execPath} dist/guard.cjs < /`], {
      input: null,
      env: { PATH: process.env.PATH, ...env },
      cwd: process.cwd(),
    });
    assert.equal(code, 0);
    assert.match(JSON.parse(stdout).systemMessage, /could not check: standard input cannot be read \(EISDIR\)/);
  });

  it('that is given 60 MB says so, and reads no more of it than it may', async (test) => {
    const { env, input } = await sandbox(test, [OLD]);
    const text = JSON.stringify(input('weather', { city: 'x'.repeat(60e6) }));
    for (const file of HOOKS) {
      const { answer, stderr, code } = await runBuilt(file, text, env);
      assert.deepEqual([stderr, code], ['', 0]);
      assert.match(answer.systemMessage, /could not check: .*larger than 52428800 bytes/);
    }
  });

  it('in which something fails that nobody waits for says so, and does not end as if all were well', async (test) => {
    const box = await sandbox(test, [OLD]);
    await box.start();
    box.show([OLD], 'aaa1');
    box.release([NEW]);
    const stray = join(box.home, 'stray.cjs');
    writeFileSync(stray, 'setImmediate(() => { throw new Error("the socket is gone"); });');
    const { answer, stderr, code } = await box.call(
      'weather',
      { city: 'Rabat' },
      {},
      { NODE_OPTIONS: `--require ${JSON.stringify(stray)}` },
    );
    assert.deepEqual([stderr, code], ['', 0]);
    assert.match(
      answer.systemMessage,
      /could not check: an internal error \(Error\)\. The call went through unchecked\./,
    );
  });
});
