// Calls that the resident guard remembers: those of each conversation, and those of the process before it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sentBefore } from '../scripts/resident/sent-call.ts';
import { SentCalls } from '../scripts/resident/sent-calls.ts';
import type { ChangedTool } from '../scripts/resident/tell.ts';
import type { Threads } from '../scripts/resident/threads.ts';
import { writeHead } from '../scripts/sources/head.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { takenPath } from '../scripts/state/paths.ts';

/** Calls, in a state folder where one source answered last; `compared` are the changes that were looked at. */
const world = (test: Pick<TestContext, 'after'>) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-sent-'));
  test.after(() => remove(home));
  const compared: ChangedTool[] = [];
  const threads = {
    run: async (_of: string, { change }: { change: ChangedTool }) => void compared.push(change),
  } as unknown as Threads;
  const calls = new SentCalls(threads, () => []);
  const input = (toolUseId: string, agent?: string) => ({
    session: 's1',
    transcript: join(home, 'transcript.jsonl'),
    cwd: home,
    event: 'PreToolUse',
    toolName: 'mcp__demo__weather',
    arguments: {},
    toolUseId,
    agent,
  });
  const answer = (digest: string): void => {
    const { at, up } = thisMoment();
    writeHead(home, 'a', { name: 'demo', checkedAt: at, checkedUp: up, freshUntil: at + 1_000, digest });
  };
  const send = (toolUseId: string, agent?: string): void => {
    calls.add(input(toolUseId, agent), { sources: [{ key: 'a', digest: 'old' }], reads: false, stopped: false });
    calls.answered('s1', toolUseId);
  };
  const note = (toolUseId: string, moment: { at: number; up: number }): string =>
    JSON.stringify([
      0,
      'answered',
      toolUseId,
      { tool: `mcp__demo__${toolUseId}`, digests: [['a', 'old']], reads: false, ...moment },
    ]);
  const around = { home, project: home, env: {}, since: thisMoment() };
  const messages = (agent?: string) => calls.messages({ session: 's1', agent }, around, () => false);
  return { home, calls, compared, input, answer, send, note, around, messages };
};

describe('calls that were sent', () => {
  it('replace an earlier one of the same tool that was compared, but not that of another conversation', (test) => {
    const { home, calls, answer, send } = world(test);
    answer('old');
    for (const [id, agent] of [['toolu_1'], ['toolu_2', 'agent1']] as const) send(id, agent);
    answer('old');
    calls.settle(home, () => false);
    send('toolu_3', 'agent1');
    const isKept = ['toolu_1', 'toolu_2', 'toolu_3'].map((id) => calls.noteOn('s1', id) !== undefined);
    assert.deepEqual(isKept, [true, false, true]);
  });
  it('are looked at once if their source answers otherwise, and not if it does not', async (test) => {
    const { compared, answer, send, messages } = world(test);
    send('toolu_1');
    answer('old');
    await messages();
    assert.equal(compared.length, 0);
    answer('new');
    for (const _ of [1, 2]) await messages();
    assert.deepEqual(
      compared.map(({ input, isRecalled }) => [input.toolUseId, isRecalled]),
      [['toolu_1', false]],
    );
  });
  it('are none where a person was asked, until the answer comes', async (test) => {
    const { calls, compared, input, answer, messages } = world(test);
    for (const id of ['toolu_1', 'toolu_2'])
      calls.add(input(id), { sources: [{ key: 'a', digest: 'old' }], reads: false, stopped: false, asked: true });
    assert.equal(calls.noteOn('s1', 'toolu_1'), undefined);
    calls.answered('s1', 'toolu_2');
    answer('new');
    await messages();
    assert.deepEqual(
      compared.map(({ input }) => input.toolUseId),
      ['toolu_2'],
    );
  });
  it('of a subagent are looked at for it and for the main conversation, and no others for it', async (test) => {
    const { compared, answer, send, messages } = world(test);
    send('toolu_1');
    send('toolu_2', 'agent1');
    answer('new');
    await messages('agent2');
    assert.equal(compared.length, 0);
    await messages('agent1');
    send('toolu_3', 'agent2');
    await messages();
    assert.deepEqual(
      compared.map(({ input }) => input.toolUseId),
      ['toolu_2', 'toolu_1', 'toolu_3'],
    );
  });
  it('are none where the client gave up the check, unless an answer comes', async (test) => {
    const { calls, compared, input, answer, messages } = world(test);
    calls.add(input('toolu_1'), { sources: [{ key: 'a', digest: 'old' }], reads: false, stopped: false });
    calls.withdraw('s1', 'toolu_1');
    answer('new');
    await messages();
    assert.deepEqual([compared.length, calls.noteOn('s1', 'toolu_1')], [0, undefined]);
    calls.answered('s1', 'toolu_1');
    await messages();
    assert.equal(compared.length, 1);
  });
  it('with other arguments than were checked are looked at with these', async (test) => {
    const { calls, compared, input, send, around } = world(test);
    send('toolu_1');
    for (const [id, args] of [
      ['toolu_1', {}],
      ['toolu_1', { city: 'Rabat' }],
      ['toolu_2', { city: 'x' }],
    ] as const)
      assert.deepEqual(await calls.sentAs({ ...input(id), arguments: args }, around), {});
    assert.deepEqual(
      compared.map(({ input, isRewritten, isOver }) => [input.arguments, isRewritten, isOver]),
      [[{ city: 'Rabat' }, true, true]],
    );
  });
  it('before the machine restarted are over: a change concerns only later calls', async (test) => {
    const { home, calls, compared, input, answer, note, messages } = world(test);
    const path = takenPath(home, 's1');
    mkdirSync(dirname(path), { recursive: true });
    const { at, up } = thisMoment();
    writeFileSync(path, `${note('recent', { at, up })}\n${note('restarted', { at, up: up + 1e9 })}\n`);
    calls.recall(home, input('toolu_1'));
    answer('new');
    await messages();
    assert.deepEqual(
      compared.map(({ input, isRecalled, isOver }) => [input.toolUseId, isRecalled, isOver]),
      [
        ['recent', true, false],
        ['restarted', true, true],
      ],
    );
  });
});

describe('calls of the process before', () => {
  /** What is remembered of calls: each an id, the number of its tool, and the subagent whose call it is. */
  const before = (test: TestContext, calls: readonly (readonly [string, number, string?])[]): string[] => {
    const { home, input } = world(test);
    const path = takenPath(home, 's1');
    mkdirSync(dirname(path), { recursive: true });
    const lines = calls.map(([id, at, agent]) => {
      const note = { tool: `mcp__far__t${at}`, agent, digests: [['b', 'd']], reads: true, ...thisMoment() };
      return `${JSON.stringify([0, 'answered', id, note])}\n`;
    });
    writeFileSync(path, lines.join(''));
    return sentBefore(home, input('toolu_now')).map(({ input: { toolUseId } }) => toolUseId);
  };

  it('are the last one of each tool, of the conversation and of each subagent, by their time', (test) => {
    assert.deepEqual(
      before(test, [
        ['a', 1],
        ['b', 1, 'agent1'],
        ['c', 2],
        ['d', 1],
        ['e', 2, 'agent2'],
        ['f', 1, 'agent1'],
        ['g', 2, 'agent2'],
      ]),
      ['c', 'd', 'f', 'g'],
    );
  });

  it('are those of the last fifty tools: one that is called again is among them', (test) => {
    const calls = [...Array.from({ length: 53 }, (_, at) => [`u${at}`, at] as const), ['again', 0] as const];
    assert.deepEqual(
      before(test, calls),
      [...calls.slice(4, 53), ['again']].map(([id]) => id),
    );
  });
});
