// What need not be told or asked again, and in which conversations of a session.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { noteFailed, ofPerson, settledIn } from '../scripts/guard/settled.ts';
import { remove } from '../scripts/state/in-use.ts';
import { mark } from '../scripts/state/markers.ts';

const place = (test: Pick<TestContext, 'after'>): string => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-settled-'));
  test.after(() => remove(home));
  return home;
};
/** A session without a transcript. */
const s1 = { session: 's1', transcript: '' };
const reason = { source: 'a', server: 'demo', tool: 'weather', about: 'the unit changed' };
const [main, sub] = [reason, { ...reason, agent: 'agent1' }];

describe('a reason', () => {
  it('that was told is settled for the conversation that was told, and for no other', (test) => {
    const home = place(test);
    mark(home, 'told', { ...sub, session: 's1' });
    assert.deepEqual(
      [settledIn(home, s1)(sub), settledIn(home, s1)(main), settledIn(home, { ...s1, session: 's2' })(sub)],
      [true, false, false],
    );
  });
  it("with a person's yes is settled for every conversation of the session, and for no other session", (test) => {
    const home = place(test);
    const asked = { ...sub, session: 's1' };
    const transcript = join(home, 'transcript.jsonl');
    writeFileSync(transcript, '');
    mark(home, 'asked', ofPerson(asked), { from: 0, toolUseId: 'toolu_1' });
    const isSettled = (ran: readonly string[], session = 's1') =>
      settledIn(home, { session, transcript }, (toolUseId) => ran.includes(toolUseId));
    // The call has not run yet, so the person may still say no.
    assert.equal(isSettled([])(sub), false);
    assert.equal(isSettled(['toolu_2'])(sub), false);
    assert.equal(isSettled(['toolu_1'])(sub), true);
    // The yes is kept: the transcript need not show it.
    for (const one of [main, sub, { ...reason, agent: 'agent2' }]) assert.equal(isSettled([])(one), true);
    assert.equal(isSettled(['toolu_1'], 's2')(sub), false);
    assert.equal(isSettled([])({ ...sub, about: 'the default changed' }), false);
  });

  describe('about which a person was asked, for a call whose result is an error', () => {
    const question = (test: Pick<TestContext, 'after'>) => {
      const home = place(test);
      const transcript = join(home, 'transcript.jsonl');
      writeFileSync(transcript, `${JSON.stringify({ type: 'summary' })}\n`);
      let moved: string | undefined;
      const call = { session: 's1', transcript, cwd: home, event: '', toolName: 'mcp__demo__weather', arguments: {} };
      return {
        ask: (toolUseId: string) =>
          mark(home, 'asked', { ...main, session: 's1' }, { from: statSync(transcript).size, toolUseId }),
        fails: (toolUseId: string, agent?: string) => noteFailed(home, { ...call, toolUseId, agent }),
        result: (tool_use_id: string, is_error = true) => {
          const content = [{ type: 'tool_result', tool_use_id, content: 'x', ...(is_error ? { is_error } : {}) }];
          appendFileSync(transcript, `${JSON.stringify({ type: 'user', message: { content } })}\n`);
        },
        /** Its session enters a worktree. */
        move: () => {
          moved = join(home, 'moved.jsonl');
          renameSync(transcript, moved);
        },
        isSettled: (...ran: string[]) =>
          settledIn(home, { session: 's1', transcript: moved ?? transcript }, (id) => ran.includes(id))(main),
      };
    };

    it('is settled if the tool failed, once the result is there', (test) => {
      const { ask, fails, result, isSettled } = question(test);
      ask('toolu_1');
      fails('toolu_1');
      assert.equal(isSettled(), false);
      result('toolu_1');
      assert.equal(isSettled(), true);
    });
    it('is settled as well if the transcript moved since', (test) => {
      const { ask, fails, result, move, isSettled } = question(test);
      ask('toolu_1');
      fails('toolu_1');
      result('toolu_1');
      move();
      assert.equal(isSettled(), true);
    });
    it('is not settled if the person said no', (test) => {
      const { ask, fails, result, isSettled } = question(test);
      ask('toolu_1');
      fails('toolu_2');
      fails('toolu_1', 'agent1');
      result('toolu_1');
      assert.equal(isSettled(), false);
    });
    it('is not settled by another call with the same id, earlier or later', (test) => {
      const { ask, fails, result, isSettled } = question(test);
      ask('other');
      fails('call_0');
      result('call_0');
      ask('call_0');
      result('call_0');
      assert.equal(isSettled(), false, 'the earlier one failed');
      fails('call_0');
      result('call_0');
      assert.equal(isSettled(), false, 'the later one failed');
      result('call_0', false);
      assert.equal(isSettled('call_0'), false, 'the later one ran');
      ask('call_0');
      fails('call_0');
      result('call_0');
      assert.equal(isSettled(), true);
    });
  });
});
