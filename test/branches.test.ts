// Branches that a server lists next to the schema: how calls show which one they mean.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { type Judgement, judge } from '../scripts/judge/judge.ts';
import { judgedCall } from './judged-call.ts';
import { sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const when = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const nested = (value: Json): JsonObject => when({ action: when({ type: { const: value } }) });
const flat = {
  action: { type: 'object' },
  shape: text,
  size: { type: ['integer', 'boolean'] },
  label: text,
  title: text,
};
const listing = (branches: Json, more: JsonObject = {}): Contract =>
  tool('draw', { ...flat, ...more }, {}, { branches });

const judged = (before: Json, after: Json, args: JsonObject, more?: JsonObject): Judgement => {
  const [believed, live] = [listing(before), listing(after, more)];
  return judgedCall(believed, live, args);
};

describe('a branch that is gone stops the calls that mean it, and no other', () => {
  const cases: [string, Json[], JsonObject, JsonObject][] = [
    [
      'a constant, whatever the branch is called',
      [
        { name: 'A circle.', schema: when({ shape: { const: 'circle' } }) },
        { name: 'A square.', schema: when({ shape: { const: 'square' } }) },
      ],
      { shape: 'circle' },
      { shape: 'square', title: 'A circle.' },
    ],
    [
      'inside an object, without a name',
      [{ schema: nested('fill') }, { schema: nested('erase') }],
      { action: { type: 'fill' } },
      { action: { type: 'erase' } },
    ],
    [
      'a number',
      [{ schema: when({ size: { const: 1 } }) }, { schema: when({ size: { const: 2 } }) }],
      { size: 1 },
      { size: 2 },
    ],
    [
      'true and false',
      [
        { name: 'p', schema: when({ size: { const: false } }) },
        { name: 'q', schema: when({ size: { const: true } }) },
      ],
      { size: false },
      { size: true },
    ],
    [
      'one of several values',
      [
        { schema: when({ shape: { enum: ['oval', 'circle'] } }) },
        { schema: when({ shape: { enum: ['box', 'square'] } }) },
      ],
      { shape: 'circle' },
      { shape: 'box' },
    ],
    [
      'where a reference leads',
      [
        { schema: { $ref: '#/$defs/a', $defs: { a: when({ shape: { const: 'circle' } }) } } },
        { schema: when({ shape: { const: 'square' } }) },
      ],
      { shape: 'circle' },
      { shape: 'square' },
    ],
    [
      'two constants, of which one is shared',
      [
        { schema: when({ shape: { const: 'box' }, size: { const: 1 } }) },
        { schema: when({ shape: { const: 'box' }, size: { const: 2 } }) },
      ],
      { shape: 'box', size: 1 },
      { shape: 'box', size: 2 },
    ],
    [
      'beside a branch that is only named',
      [{ schema: when({ shape: { const: 'circle' } }) }, 'square'],
      { shape: 'circle' },
      { shape: 'square' },
    ],
  ];
  for (const [what, branches, meant, other] of cases) {
    it(what, () => {
      const stopped = judged(branches, branches.slice(1), meant);
      assert.equal(stopped.decision, 'deny');
      assert.equal(stopped.reasons[0]?.change?.rule, 'tool-branch-changed');
      assert.notEqual(judged(branches, branches.slice(1), other).decision, 'deny');
      assert.equal(judged(branches, branches.slice(1), { title: 'x' }).decision, 'notice');
    });
  }

  it('the call that is stopped is told which ones are left, by their names', () => {
    const one = (name: string) => ({ name, schema: when({ shape: { const: name } }) });
    const found = judged([one('oval'), one('box')], [one('box')], { shape: 'oval' });
    assert.deepEqual([found.decision, found.branches], ['deny', ['box']]);
  });

  it('a list of branches is told by eight names, and the number of others', () => {
    const told = (count: number): string | undefined => {
      const names = Array.from({ length: count }, (_, at) => `b${at}`);
      return diffContract(tool('draw', flat), listing(names))[0]?.message;
    };
    assert.match(told(8) ?? '', /`b0`, .*`b6`, `b7`$/);
    assert.match(told(10) ?? '', /`b6`, `b7` and 2 more$/);
  });

  it('a branch that another one took over is not gone', () => {
    const one = (...values: string[]) => ({ schema: when({ shape: { enum: values } }) });
    const found = judged([one('a'), one('b'), one('c')], [one('a', 'b'), one('c')], { shape: 'b' });
    assert.notEqual(found.decision, 'deny');
  });

  it('another name alone stops nothing', () => {
    const one = (name: string) => [{ name, schema: when({ shape: { const: 'a' } }) }];
    assert.notEqual(judged(one('Old name'), one('New name'), { shape: 'a' }).decision, 'deny');
  });

  it('is named by any text, if the parameter with a usual name holds no branch', () => {
    const to = (args: JsonObject) => judged(['circle', 'square'], ['square'], args, { mode: text }).decision;
    assert.equal(to({ mode: 'circle' }), 'deny');
    assert.equal(to({ mode: 'fast', shape: 'circle' }), 'deny');
    assert.notEqual(to({ mode: 'square', shape: 'circle' }), 'deny');
    assert.notEqual(to({ mode: 'fast', shape: 'round' }), 'deny');
    const USUAL = [
      'type',
      'kind',
      'branch',
      'variant',
      'action',
      'operation',
      'op',
      'mode',
      'event',
      'command',
      'method',
    ];
    for (const name of [...USUAL, 'shape_type', 'drawMode', 'mode_name', 'upper']) {
      const args = { [name]: 'square', shape: 'circle' };
      const { decision } = judged(['circle', 'square'], ['square'], args, { action: {}, [name]: text });
      assert.equal(decision === 'deny', ['mode_name', 'upper'].includes(name), name);
    }
  });

  it('is named by the parameter that a branch fixes to its name, or that lists names, before one with a usual name', () => {
    const circle = { name: 'circle', schema: when({ shape: { const: 'circle' } }) };
    const to = (left: Json, args: JsonObject) =>
      judged(['oval', left], [left], args, { label: { enum: ['oval', 'circle'] }, mode: text }).decision;
    assert.equal(to('circle', { label: 'oval', mode: 'circle' }), 'deny');
    assert.notEqual(to('circle', { label: 'circle', mode: 'oval' }), 'deny');
    assert.equal(to(circle, { shape: 'oval', label: 'circle' }), 'deny');
    assert.notEqual(to(circle, { shape: 'circle', label: 'oval' }), 'deny');
  });

  it('the call that is stopped in the built guard names what it meant', async (test) => {
    const of = (branches: Json) => [listing(branches)];
    const box = await sandbox(test, of([{ schema: nested('fill') }, { schema: nested('erase') }]), { freshFor: 0 });
    await box.start();
    box.release(of([{ schema: nested('erase') }]), '2026-04-10');
    const run = await box.call('draw', { action: { type: 'fill' } });
    assert.equal(run.answer.hookSpecificOutput.permissionDecision, 'deny');
    assert.match(
      run.answer.hookSpecificOutput.permissionDecisionReason,
      /branch removed: where `action.type` is `fill`/,
    );
  });
});

describe('a field of a branch that was renamed', () => {
  const of = (field: string, kind = 'circle') => ({
    schema: when({ shape: { const: kind }, [field]: { ...text, description: 'What is written on it.' } }),
  });
  const before = [of('label'), of('label', 'square')];
  const after = [of('caption'), of('label', 'square')];

  it('stops the call that uses it, with the new name and the corrected call', () => {
    const found = judged(before, after, { shape: 'circle', label: 'x' }, { caption: text });
    assert.equal(found.decision, 'deny');
    assert.equal(found.reasons[0]?.change?.renamedTo, 'caption');
    assert.deepEqual(found.corrected, { shape: 'circle', caption: 'x' });
  });

  it('is not corrected to a call that its branch does not take', () => {
    const needs = (field: string, ...more: string[]) => ({
      schema: { ...of(field).schema, required: ['shape', field, ...more] },
    });
    const corrected = (...more: string[]) =>
      judged([needs('label')], [needs('caption', ...more)], { shape: 'circle', label: 'x' }, { caption: text })
        .corrected;
    assert.deepEqual([corrected(), corrected('title')], [{ shape: 'circle', caption: 'x' }, undefined]);
  });

  it('and no call of another branch, or without it', () => {
    for (const args of [{ shape: 'square', label: 'x' }, { shape: 'circle' }] as JsonObject[])
      assert.notEqual(judged(before, after, args, { caption: text }).decision, 'deny');
  });
});

describe('branches that are listed on the sibling', () => {
  it('are told of only if they changed', () => {
    const twin = tool('draw_raw', { payload: text }, { required: ['payload'] });
    const found = (live: Json): Judgement =>
      judge({
        believed: twin,
        live: { ...twin, description: 'Draws.' },
        tools: [twin],
        sibling: { believed: listing([{ schema: nested('fill') }]), live: listing(live) },
        args: { payload: JSON.stringify({ action: { type: 'fill' } }) },
        policy: { mode: 'guard', trusted: false },
        settled: () => false,
      });
    assert.equal(found([{ schema: nested('fill') }]).sibling, undefined);
    const { name, changes = [] } = found([{ schema: nested('fill') }, { schema: nested('erase') }]).sibling ?? {};
    assert.deepEqual([name, changes.length], ['draw', 1]);
  });

  it('are no answer where the twin listed its own, and lists none now', () => {
    const branches = [{ schema: nested('fill') }, { schema: nested('erase') }];
    const twin = tool('draw_raw', { payload: text }, { required: ['payload'] });
    const found = judge({
      believed: { ...twin, branches },
      live: twin,
      tools: [twin],
      sibling: { believed: listing(branches), live: listing(branches) },
      args: { payload: JSON.stringify({ action: { type: 'fill' } }) },
      policy: { mode: 'guard', trusted: false },
      settled: () => false,
    });
    assert.equal(found.decision, 'notice');
    assert.match(String(found.changes[0]?.message), /^its branches are no longer listed/);
  });

  it('hold for what the payload of its twin means', async (test) => {
    const twin = tool('draw_raw', { payload: text }, { required: ['payload'] });
    const pair = (branches: Json) => [listing(branches), twin] as Contract[];
    const box = await sandbox(test, pair([{ schema: nested('fill') }, { schema: nested('erase') }]), { freshFor: 0 });
    await box.start();
    box.release(pair([{ schema: nested('erase') }]), '2026-04-10');
    const call = async (type: string, id: string) => {
      const payload = JSON.stringify({ action: { type } });
      const { answer } = await box.call('draw_raw', { payload }, { tool_use_id: id });
      return answer?.hookSpecificOutput?.permissionDecision;
    };
    assert.equal(await call('erase', 'toolu_1'), undefined);
    assert.equal(await call('fill', 'toolu_2'), 'deny');
    assert.equal(await call('erase', 'toolu_3'), undefined);
    assert.equal(await call('fill', 'toolu_4'), 'deny');
  });
});
