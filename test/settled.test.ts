// What need not be told or asked again, and in which conversations of a session.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Json } from '../scripts/contract/types.ts';
import { firstWarned, noteFailed, noteTold, ofPerson, settledIn } from '../scripts/guard/settled.ts';
import { remove } from '../scripts/state/in-use.ts';
import { mark } from '../scripts/state/markers.ts';
import { newestBehind } from '../scripts/transcript/rewind.ts';

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

    it('is settled if it gave a result, and is not if the person refused it', (test) => {
      const { ask, result, isSettled } = question(test);
      ask('toolu_1');
      result('toolu_1');
      assert.equal(isSettled(), false);
      ask('toolu_2');
      result('toolu_2', false);
      assert.equal(isSettled(), true);
    });
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

it('a rewind is seen however long the conversation is, by what was written since the last look', async (test) => {
  const home = place(test);
  const transcript = join(home, 'long.jsonl');
  let [count, prompt] = [0, 0];
  const write = (parentUuid: string | null, content: Json): string => {
    const uuid = `u${++count}`;
    const record = { parentUuid, isSidechain: false, promptId: `p${prompt}`, type: 'user', message: { content }, uuid };
    appendFileSync(transcript, `${JSON.stringify(record)}\n`);
    return uuid;
  };
  const about = { session: 's1', about: 'new words' };
  const here = { session: 's1', transcript };
  const knows = (request = 2): boolean => settledIn(home, here)({ about: 'new words' }, request);
  const first = write(null, 'a');
  const call = { from: statSync(transcript).size, toolUseId: 'toolu_1' };
  noteTold(home, about, call, 1);
  assert.equal(firstWarned(home, here, about, call), true);
  prompt++;
  const told = write(write(first, 'the call'), [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'new words' }]);
  const long = 'x'.repeat(300_000);
  prompt++;
  const second = write(write(told, long), 'c');
  assert.equal(knows(), true);
  assert.equal(knows(1), false, 'all calls of a turn are made before an answer is read');
  assert.equal(firstWarned(home, here, about, call), false);
  // The next look begins behind this: it does not see what the long record follows now.
  const follow = (from: string, to: string): void =>
    writeFileSync(
      transcript,
      readFileSync(transcript, 'utf8').replace(`"parentUuid":"${from}"`, `"parentUuid":"${to}"`),
    );
  follow(told, 'u0');
  prompt++;
  write(second, 'b');
  assert.equal(knows(), true);
  follow('u0', told);
  prompt++;
  const between = write(told, 'not the second, but what was told before it');
  assert.equal(knows(), true);
  prompt++;
  write(between, long);
  assert.equal(knows(), true);
  prompt++;
  write(first, 'again from the beginning');
  assert.equal(knows(), false);
  assert.equal(firstWarned(home, here, about, call), true);
});

it('what a subagent wrote meanwhile is no rewind of the conversation that started it', (test) => {
  const transcript = join(place(test), 'both.jsonl');
  const write = (parentUuid: string | null, uuid: string, isSidechain: boolean, promptId: string): void =>
    appendFileSync(
      transcript,
      `${JSON.stringify({ parentUuid, isSidechain, promptId, type: 'user', message: { content: 'x' }, uuid })}\n`,
    );
  write(null, 'a', false, 'p1');
  write('a', 'said', false, 'p1');
  write('said', 'b', false, 'p2');
  write(null, 'side 1', true, 's1');
  write('b', 'c', false, 'p3');
  write('side 1', 'side 2', true, 's2');
  const newest = (uuid: string) => {
    const found = newestBehind(transcript, { from: 0, uuid });
    return typeof found === 'object' ? found.uuid : found;
  };
  assert.deepEqual([newest('b'), newest('side 1')], ['c', 'side 2']);
  write('a', 'b again', false, 'p4');
  write('side 2', 'side 3', true, 's3');
  assert.deepEqual([newest('b'), newest('side 1')], ['rewound', 'side 3']);
});

it('answers to calls that were made at once are one prompt; where prompts have no ids, only their places tell', (test) => {
  const home = place(test);
  // Of the calls, the first alone is before both the third answer and the next record.
  const cases: [promptId: string | undefined, next: string | undefined, uuid: string, parent: string, found: string][] =
    [
      ['p1', 'p1', 'answer 3', 'answer 1', 'reply'],
      ['p1', 'p2', 'answer 3', 'answer 1', 'reply'],
      ['p1', 'p2', 'answer 3', 'call 0', 'rewound'],
      [undefined, undefined, 'answer 3', 'answer 1', 'rewound'],
      [undefined, undefined, 'answer 1', 'answer 3', 'reply'],
    ];
  for (const [promptId, next, uuid, parent, expected] of cases) {
    const transcript = join(home, `${promptId} ${next} ${uuid} ${parent}.jsonl`);
    const write = (uuid: string, parentUuid: string, type: string, id?: string): void =>
      appendFileSync(transcript, `${JSON.stringify({ parentUuid, isSidechain: false, promptId: id, type, uuid })}\n`);
    for (const number of [1, 2, 3]) write(`call ${number}`, `call ${number - 1}`, 'assistant');
    for (const number of [1, 2, 3]) write(`answer ${number}`, `call ${number}`, 'user', promptId);
    write('next', parent, 'user', next);
    write('reply', 'next', 'assistant');
    // What the client notes is no part of what the model reads.
    write('note', 'elsewhere', 'system');
    const found = newestBehind(transcript, { from: 0, uuid });
    assert.equal(typeof found === 'object' ? found.uuid : found, expected, `${next} behind ${parent}, after ${uuid}`);
  }
});
