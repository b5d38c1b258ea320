// An unreadable tool of a gateway only affects itself, not the rest of the answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readListed } from '../scripts/contract/read.ts';
import type { Contract, Json } from '../scripts/contract/types.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const GOOD = tool('good', { words: text });
const odd = (branches: Json) => tool('odd', { shape: text }, {}, { branches });

const nestedIn = (levels: number): Json => {
  let value: Json = text;
  for (let level = 0; level < levels; level++) value = { properties: { a: value } };
  return value;
};

const DEFECTS: [string, Contract][] = [
  ['a branch of the wrong type', odd(['a', 7])],
  ['branches that are no list', odd('a')],
  ['too many branches', odd(Array.from({ length: 1_001 }, (_, index) => `b${index}`))],
  ['branches that are nested too deeply', odd([{ name: 'a', schema: nestedIn(80) }])],
  ['a schema of no type', { ...odd(['a']), inputSchema: 7 } as Contract],
];

describe('a tool that cannot be read', () => {
  for (const [what, bad] of DEFECTS) {
    it(`${what}: it could not be checked, and the others are checked as usual`, async (test) => {
      const box = await sandbox(test, [GOOD, odd(['a'])], { freshFor: 0 });
      box.release([GOOD, odd(['a'])], '1');
      await box.start();
      box.release([tool('good', { terms: text }, { required: ['terms'] }), bad], '1');
      const call = async (name: string, args: Record<string, Json>, id: string) =>
        (await box.call(name, args, { tool_use_id: id })).answer;
      const unchecked = await call('odd', { shape: 'a' }, 'toolu_1');
      assert.equal(unchecked.hookSpecificOutput?.permissionDecision, undefined);
      assert.match(JSON.stringify(unchecked), /could not be read/);
      assert.doesNotMatch(JSON.stringify(unchecked), /is gone|removed/);
      const stopped = await call('good', { words: 'x' }, 'toolu_2');
      assert.equal(stopped.hookSpecificOutput.permissionDecision, 'deny');
      const { answer } = await drive('cli.cjs', null, box.env, ['probe', '--json']);
      const [source] = answer.data.sources;
      assert.equal(source.state, 'silent-drift');
      assert.deepEqual([...new Set(source.changes.map((change: { tool: string }) => change.tool))], ['good']);
      assert.match(source.unread.join(), /`odd` could not be read/);
    });
  }

  it('listed twice: nothing is said if both are equal, else it could not be checked, and the others are', async (test) => {
    const box = await sandbox(test, [GOOD, odd(['a'])], { freshFor: 0 });
    const probed = async () => {
      const { answer, code } = await drive('cli.cjs', null, box.env, ['probe', '--json']);
      return [code, answer.data.sources[0].unread?.join()];
    };
    await box.start();
    box.release([odd(['a']), GOOD, odd(['a'])], '1');
    assert.deepEqual(await probed(), [0, undefined]);
    for (const twins of [
      [odd(['a']), odd(['b'])],
      [odd(['a']), odd(['b']), odd(['a'])],
    ]) {
      box.release([...twins, GOOD], '1');
      assert.deepEqual(await probed(), [2, 'its tool `odd` could not be read: it is listed twice, differently']);
    }
    const unchecked = (await box.call('odd', { shape: 'a' }, { tool_use_id: 'toolu_1' })).answer;
    assert.match(JSON.stringify(unchecked), /its tool `odd` could not be read: it is listed twice, differently/);
    assert.deepEqual((await box.call('good', { words: 'x' }, { tool_use_id: 'toolu_2' })).answer, undefined);
  });

  it('is never fresh, also where it was unread before', async (test) => {
    const tools = [GOOD, odd([7])];
    const box = await sandbox(test, tools, { freshFor: 0 });
    box.release(tools, '1');
    await box.start();
    const { answer, code } = await drive('cli.cjs', null, box.env, ['probe', '--json']);
    assert.equal(code, 2);
    assert.match(answer.data.sources[0].unread.join(), /`odd` could not be read/);
    for (const id of ['toolu_1', 'toolu_2']) {
      const run = await box.call('odd', { shape: 'a' }, { tool_use_id: id });
      if (id === 'toolu_1') assert.match(JSON.stringify(run.answer), /could not be read/);
    }
    const status = await drive('cli.cjs', null, box.env, ['status'], true);
    assert.equal(status.code, 2);
    assert.doesNotMatch(status.stdout, /✅/);
  });

  it('however deep it is, the others are read', () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const list = `{"tools":[{"name":"odd","inputSchema":{},"branches":[${deep}]},${JSON.stringify(GOOD)}]}`;
    const { tools } = readListed(list);
    assert.deepEqual(
      tools.map(({ name, defect }) => [name, defect]),
      [
        ['odd', '/tools/0: is nested deeper than 100 levels'],
        ['good', undefined],
      ],
    );
  });

  it('what is no list at all, or has none that can be read, is an error', () => {
    for (const wrong of ['7', '{"tools":7}', '{"tools":[7]}', JSON.stringify([odd([7])]), '['.repeat(5_000)])
      assert.throws(() => readListed(wrong));
  });
});
