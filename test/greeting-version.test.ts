// The drift line in the greeting of a session.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const FIND = tool('find', { words: text });
const WIDER = tool('find', { words: text, page: { type: 'integer' } });
const LINE =
  '⚠️ Tool schema drift detected — session started 2031-01-05, gateway advertises 2031-02-06. Restart Claude Code to avoid silent field-strip bugs.';

describe('the greeting tells of a new version', () => {
  for (const [what, after, more] of [
    ['with contracts', WIDER, /1 tool of `GATEWAY_URL` changed since this session began/],
    ['alone', FIND, /its list doesn't show/],
  ] as const) {
    it(`${what}, since this session began, and the first call does not repeat it`, async (test) => {
      const box = await sandbox(test, [FIND], { freshFor: 0 });
      box.release([FIND], '2031-01-05');
      await box.start();
      box.release([after], '2031-02-06');
      const { answer } = await box.greet({ source: 'resume' });
      assert.ok(answer.systemMessage.includes(LINE), answer.systemMessage);
      assert.match(answer.systemMessage, more);
      const called = await box.call('find', { words: 'x' });
      assert.doesNotMatch(called.answer?.systemMessage ?? '', /Tool schema drift/);
      box.release([after], '2031-03-07');
      const next = await box.call('find', { words: 'x' }, { tool_use_id: 'toolu_2' });
      assert.match(next.answer.systemMessage, /session started 2031-01-05, gateway advertises 2031-03-07/);
    });

    it(`${what}, since the last session`, async (test) => {
      const box = await sandbox(test, [FIND]);
      box.release([FIND], '2031-01-05');
      await box.start();
      box.release([after], '2031-02-06');
      const { answer } = await box.greet({ session_id: 'another' });
      assert.ok(answer.systemMessage.includes(`since the last session: ${LINE}`), answer.systemMessage);
    });
  }

  it('and says nothing of one that is the same', async (test) => {
    const box = await sandbox(test, [FIND]);
    box.release([FIND], '2031-01-05');
    await box.start();
    const { answer } = await box.greet({ session_id: 'another' });
    assert.doesNotMatch(answer?.systemMessage ?? '', /drift/);
  });
});
