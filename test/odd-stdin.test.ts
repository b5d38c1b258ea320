// Inputs that Claude Code never sends, and errors that nobody awaits: each hook says that it could not check.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runBuilt, sandbox, tool } from './sandbox.ts';

const OLD = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const NEW = tool('weather', { town: { type: 'string' } }, { required: ['town'] });
const HOOKS = ['guard.cjs', 'session-start.cjs', 'tool-failure.cjs', 'offers.cjs'];

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
        const { answer, stderr, code } = await runBuilt(file, text, env);
        assert.deepEqual([stderr, code], ['', 0], `${file} ${text.slice(0, 40)}`);
        assert.match(answer.systemMessage, /^konnichiwagwan could not check: .*Run: konnichiwagwan doctor$/);
      }
    }
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
      { NODE_OPTIONS: `--require "${stray}"` },
    );
    assert.deepEqual([stderr, code], ['', 0]);
    assert.match(
      answer.systemMessage,
      /could not check: an internal error \(Error\)\. The call went through unchecked\./,
    );
  });
});
