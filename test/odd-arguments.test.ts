// Absurd arguments: nested thousands of levels deep, with a hundred thousand keys, tens of MB long.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeeper } from '../scripts/contract/depth.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const anything = { description: 'anything' };
const closed = { required: ['city'], additionalProperties: false };
const BEFORE = tool('weather', { city: { type: 'string' }, extra: anything }, closed);
const RENAMED = tool(
  'weather',
  { town: { type: 'string' }, extra: anything },
  { required: ['town'], additionalProperties: false },
);
const NARROWED = tool(
  'weather',
  { city: { type: 'string' }, units: { enum: ['c', 'f'] }, extra: anything },
  { required: ['city', 'units'], additionalProperties: false },
);
const RECURSIVE = tool(
  'weather',
  { city: { type: 'string' }, extra: { $ref: '#/$defs/list' } },
  { ...closed, $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } } },
);
const TWIN = tool('weather_raw', { payload: { type: 'string' } }, { required: ['payload'] });
const DEPTHS = [900, 5_000, 100_000];

/** A hook's input with a value that no recursive serializer could write. */
const withDeep = (input: JsonObject, depth: number): string =>
  JSON.stringify(input).replace('"DEEP"', '['.repeat(depth) + ']'.repeat(depth));

const decisionOf = (answer: { hookSpecificOutput?: { permissionDecision?: string } } | undefined) =>
  answer?.hookSpecificOutput?.permissionDecision;

describe('odd arguments', () => {
  it('are measured without a call for each level', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    assert.deepEqual(
      [isDeeper('text', 0), isDeeper([], 0), isDeeper(nested(3), 3), isDeeper(nested(4), 3)],
      [false, true, false, true],
    );
    assert.equal(isDeeper({ a: [{ b: nested(100_000) }] }, 100_000), true);
  });

  for (const [name, after] of [
    ['a renamed parameter', [RENAMED, TWIN]],
    ['a new required one', [NARROWED, TWIN]],
    ['a tool that is gone', [TWIN]],
  ] as [string, Contract[]][]) {
    it(`however deep they are nested, a stale call is stopped: ${name}`, async (test) => {
      const box = await sandbox(test, [BEFORE, TWIN]);
      await box.start();
      box.show([BEFORE, TWIN], 'aaa1');
      box.release(after);
      for (const depth of DEPTHS) {
        const input = withDeep(box.input('weather', { city: 'Rabat', extra: 'DEEP' }), depth);
        const { answer, stderr, code } = await drive('guard.cjs', input, box.env);
        assert.deepEqual([stderr, code, decisionOf(answer)], ['', 0, 'deny'], `${depth} levels`);
        assert.ok(answer.hookSpecificOutput.permissionDecisionReason.length < 5_000);
      }
    });
  }

  it('where the schema itself goes as deep, it is told that they could not be checked', async (test) => {
    const box = await sandbox(test, [BEFORE]);
    await box.start();
    box.show([BEFORE], 'aaa1');
    box.release([RECURSIVE]);
    const input = withDeep(box.input('weather', { city: 'Rabat', extra: 'DEEP' }), 100_000);
    const { answer, stderr, code } = await drive('guard.cjs', input, box.env);
    assert.deepEqual([stderr, code], ['', 0]);
    assert.match(JSON.stringify(answer), /nested too deeply|permissionDecision":"(?:ask|deny)/);
    assert.doesNotMatch(JSON.stringify(answer), /RangeError/);
  });

  it('inside a call of a generic invoker they are judged as well', async (test) => {
    const invoker = tool(
      'call_tool',
      { server: { type: 'string' }, tool: { type: 'string' }, arguments: { type: 'object' } },
      { required: ['server', 'tool'] },
    );
    const box = await sandbox(test, [invoker, NARROWED]);
    await box.start();
    box.show([invoker], 'aaa1');
    const inner = { server: 'demo', tool: 'weather', arguments: { city: 'Rabat', extra: 'DEEP' } };
    for (const depth of DEPTHS) {
      const { answer, stderr, code } = await drive(
        'guard.cjs',
        withDeep(box.input('call_tool', inner), depth),
        box.env,
      );
      assert.deepEqual([stderr, code, decisionOf(answer)], ['', 0, 'deny'], `${depth} levels`);
      assert.match(answer.hookSpecificOutput.permissionDecisionReason, /`units` is required/);
    }
  });

  it('a failed call with them is explained, too', async (test) => {
    const box = await sandbox(test, [BEFORE, TWIN]);
    await box.start();
    box.show([BEFORE, TWIN], 'aaa1');
    box.release([RENAMED, TWIN]);
    const input = box.input(
      'weather',
      { city: 'Rabat', extra: 'DEEP' },
      { hook_event_name: 'PostToolUseFailure', error: 'MCP error -32602: invalid arguments' },
    );
    const { answer, code } = await drive('tool-failure.cjs', withDeep(input, 100_000), box.env);
    assert.equal(code, 0);
    assert.match(answer.hookSpecificOutput.additionalContext, /looks like drift.*\n- renamed: `city` → `town`/);
  });

  it('100,000 keys, 20 MB of text and a key called __proto__ change no verdict', async (test) => {
    const box = await sandbox(test, [BEFORE, TWIN]);
    await box.start();
    box.show([BEFORE, TWIN], 'aaa1');
    box.release([RENAMED, TWIN]);
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]));
    const proto = JSON.parse('{"city":"Rabat","__proto__":{"town":"x"},"constructor":1}') as JsonObject;
    for (const args of [
      { city: 'Rabat', extra: many },
      { ...many, city: 'Rabat' },
      { city: 'x'.repeat(20e6) },
      proto,
    ]) {
      const { answer, stderr, code } = await box.call('weather', args);
      assert.deepEqual([stderr, code, decisionOf(answer)], ['', 0, 'deny']);
    }
  });
});
