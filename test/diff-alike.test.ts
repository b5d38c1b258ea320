// A part that says the same in another way is not told as broken once something else changed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { toldOf } from '../scripts/guard/told.ts';

const tool = (part: Json, other: string): Contract => ({
  name: 'brew_tea',
  inputSchema: { type: 'object', properties: { part, other: { type: 'string', description: other } } },
});
const told = (before: Json, after: Json): string[] =>
  toldOf(diffContract(tool(before, 'Seconds'), tool(after, 'Minutes')))
    .filter(({ parameter }) => parameter?.[0] === 'part')
    .map(({ level, message }) => `${level} ${message}`);

const CONSTS = ['green', 'black', 'white'].map((value) => ({ const: value, type: 'string' }));
const TITLED = ['green', 'black'].map((value) => ({ const: value, title: `${value} leaves` }));
const form = (kind: string, more: object) => ({
  type: 'object',
  properties: { kind: { const: kind }, ...more },
  required: ['kind'],
});

describe('what is written in another way, beside a real change', () => {
  const same: [string, Json, Json][] = [
    ['single values as an enum', { anyOf: CONSTS }, { type: 'string', enum: ['green', 'black', 'white'] }],
    ['an enum as single values', { type: 'string', enum: ['green', 'black', 'white'] }, { oneOf: CONSTS }],
    ['a constant with its type', { const: 'pot' }, { const: 'pot', type: 'string' }],
    ['nullable', { type: 'integer', nullable: true }, { type: ['null', 'integer'] }],
    ['types in another order', { type: ['string', 'null'] }, { type: ['null', 'string'] }],
  ];
  for (const [what, before, after] of same)
    it(`is not told: ${what}`, () => {
      assert.deepEqual(told(before, after), []);
    });

  it('is told if nothing else changed', () => {
    const changes = diffContract(tool({ anyOf: CONSTS }, 'x'), tool({ enum: ['green', 'black', 'white'] }, 'x'));
    assert.deepEqual(
      toldOf(changes).map(({ level, quiet }) => [level, quiet]),
      changes.map(() => ['compatible', true]),
    );
  });

  it('its titles are told, that went and that came', () => {
    const plain = { type: 'string', enum: ['green', 'black'] };
    for (const [before, after] of [
      [plain, { oneOf: TITLED }],
      [{ oneOf: TITLED }, plain],
    ] as const) {
      const lines = told(before, after);
      assert.match(lines.join('\n'), /title|words changed/);
      assert.doesNotMatch(lines.join('\n'), /enum|const|no longer taken|type changed/);
    }
  });

  it('names the values that really went and came', () => {
    assert.deepEqual(told({ enum: ['green', 'red', 'white'] }, { anyOf: CONSTS }), [
      'breaking enum narrowed: dropped "red", added "black"',
    ]);
    assert.deepEqual(told({ anyOf: CONSTS }, { enum: ['green', 'black', 'white', 'red'] }), [
      'compatible enum widened: added "red"',
    ]);
  });

  it('names the values of all forms, where these list several', () => {
    const lists = (...forms: string[][]) => ({ anyOf: forms.map((values) => ({ enum: values })) });
    const before = lists(['a', 'b'], ['c', 'd']);
    assert.deepEqual(told(before, lists(['a', 'c'], ['b', 'd'])), []);
    assert.deepEqual(told(before, lists(['a', 'c'], ['b'])), ['breaking enum narrowed: dropped "d"']);
  });

  it('tells of the only form that it takes more, as it did not become one', () => {
    const only = (...values: string[]) => ({ anyOf: [{ type: 'object', properties: { leaf: { enum: values } } }] });
    assert.deepEqual(told(only('a'), only('a', 'b')), ['compatible enum widened: added "b"']);
  });

  it('says that forms became one', () => {
    const before = {
      oneOf: [form('steep', { minutes: { type: 'integer' } }), form('boil', { celsius: { type: 'number' } })],
    };
    const after = {
      type: 'object',
      properties: { kind: { enum: ['steep', 'boil'] }, minutes: { type: 'integer' }, celsius: { type: 'number' } },
      required: ['kind'],
    };
    assert.deepEqual(told(before, after), [
      'breaking its forms became one, { kind, minutes, celsius }, which may not take all that they took',
    ]);
  });

  it('says that anything could be passed before', () => {
    assert.deepEqual(told({}, { anyOf: [{ type: 'string' }, { type: 'integer' }] }).slice(0, 1), [
      'breaking could be anything, and has to have one of these forms now: `string`, `integer`',
    ]);
  });

  it('but a value that went is told as before', () => {
    assert.deepEqual(told({ enum: ['a', 'b'] }, { enum: ['a'] }), ['breaking enum narrowed: dropped "b"']);
  });
});
