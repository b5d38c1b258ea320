// What was anything before and is limited now: a call that meets the limit is right as it stands.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { type Judgement, judge } from '../scripts/judge/judge.ts';
import { judgedCall } from './judged-call.ts';

const tool = (schema: Json) => ({ name: 'note_down', inputSchema: { type: 'object', properties: { given: schema } } });

const judged = (before: Json, after: Json, value: Json): Judgement => {
  const [believed, live] = [tool(before), tool(after)];
  return judgedCall(believed, live, { given: value });
};
const decided = (before: Json, after: Json, value: Json): string => judged(before, after, value).decision;

const list = (rest: JsonObject = {}): JsonObject => ({ type: 'array', ...rest });
const map = (rest: JsonObject = {}): JsonObject => ({ type: 'object', ...rest });
const text: JsonObject = { type: 'string' };
const whole: JsonObject = { type: 'integer' };

describe('a limit that came where anything was taken', () => {
  const cases: [what: string, before: Json, after: Json, fits: Json, broken: Json][] = [
    ['elements', list(), list({ items: text }), ['x', 'y'], ['x', 4]],
    ['elements that were called anything', list({ items: true }), list({ items: whole }), [4], ['4']],
    ['elements of elements', list(), list({ items: list({ items: whole }) }), [[1], []], [['1']]],
    ['elements of two types', list(), list({ items: { anyOf: [text, { type: 'null' }] } }), [null], [1]],
    ['values of a map', map(), map({ additionalProperties: whole }), { height: 3 }, { height: '3' }],
    ['values of an open map', map({ additionalProperties: true }), map({ additionalProperties: text }), {}, { a: 1 }],
    ['lists in a map', map(), map({ additionalProperties: list({ items: text }) }), { a: ['b'] }, { a: [2] }],
    ['excluded values', text, { ...text, not: { const: 'all' } }, 'some', 'all'],
    ['one of the elements', list(), list({ contains: { enum: ['x', 'z'] } }), ['y', 'z'], ['y']],
  ];
  for (const [what, before, after, fits, broken] of cases) {
    it(`tells of ${what} when the call meets it, and stops one that does not`, () => {
      assert.deepEqual(
        [fits, broken].map((value) => decided(before, after, value)),
        ['notice', 'deny'],
      );
    });
  }

  it('tells of fewer names when the call has one of these, and stops a call with another', () => {
    const before = map({ patternProperties: { '.*': whole } });
    for (const rest of [{}, { additionalProperties: false }]) {
      const after = map({ patternProperties: { '^[a-z]{2}$': whole, '^x-': whole }, ...rest });
      const found = [{ de: 1, 'x-1': 2 }, { deu: 1 }].map((value) => decided(before, after, value));
      assert.deepEqual(found, ['notice', 'deny']);
    }
  });

  it('stops a call with a name that a map without patterns took', () => {
    const after = map({ patternProperties: { '^x-': text } });
    const found = [{ 'x-a': 'b' }, { y: 'b' }].map((value) =>
      decided(map({ additionalProperties: text }), after, value),
    );
    assert.deepEqual(found, ['silence', 'deny']);
  });

  it('tells that what was said of them is gone', () => {
    const said = { ...whole, description: 'Heights in mm' };
    for (const of of [(items: Json) => list({ items }), (additionalProperties: Json) => map({ additionalProperties })])
      assert.deepEqual(
        diffContract(tool(of(said)), tool(of(whole))).map(({ message }) => message),
        ['new description: "Heights in mm" → none'],
      );
  });

  it('elements that may be anything are no change, in whichever words', () => {
    assert.deepEqual(
      [
        [list(), list({ items: {} })],
        [list({ items: true }), list()],
        [list({ items: {} }), list({ items: true })],
      ].map(([before, after]) => decided(before as Json, after as Json, [1])),
      ['silence', 'silence', 'silence'],
    );
  });
});

describe('what came and may tell what a value means', () => {
  const cases: [what: string, before: Json, after: Json, value: Json][] = [
    ['words of elements', list(), list({ items: { ...whole, description: 'Heights in mm' } }), [3]],
    ['a format of elements', list(), list({ items: { ...text, format: 'date' } }), ['tomorrow']],
    ['a scale of elements', list(), list({ items: { type: 'number', maximum: 100 } }), [0.5]],
    ['the first place of elements', list(), list({ items: { type: 'integer', minimum: 1 } }), [3]],
    ['fields of elements', list(), list({ items: map({ properties: { mass: whole } }) }), [{ weight: 3 }]],
    ['words deep inside', list(), list({ items: list({ items: { ...whole, title: 'Cents' } }) }), [[3]]],
    ['an unknown keyword', map(), map({ additionalProperties: { type: 'number', 'x-unit': 'oz' } }), { a: 1 }],
    ['a default of values', map(), map({ additionalProperties: { ...text, default: 'none' } }), { a: 'b' }],
    ['values of some names', map(), map({ patternProperties: { '^x-': text } }), { 'x-a': 'b' }],
    [
      'values of other names',
      map({ patternProperties: { '^a': whole } }),
      map({ patternProperties: { '^[ab]': whole } }),
      { b1: 3 },
    ],
    [
      'fewer names with other values',
      map({ patternProperties: { '^.*$': { ...whole, description: 'Price in EUR' } } }),
      map({ patternProperties: { '^[A-Z]+$': { ...whole, description: 'Price in cents' } } }),
      { AB: 3 },
    ],
    [
      'fewer names, of which some have a scale',
      map({ patternProperties: { '.*': whole } }),
      map({ patternProperties: { '^a': whole, '^b': { ...whole, maximum: 100 } } }),
      { b1: 3 },
    ],
    ['words of one element', list(), list({ contains: { ...text, description: 'The owner' } }), ['ann']],
  ];
  for (const [what, before, after, value] of cases) {
    it(`is asked about: ${what}`, () => {
      assert.equal(decided(before, after, value), 'ask');
    });
  }
});

describe('a map, as libraries write it', () => {
  const price = { type: 'number', description: 'Price in EUR' };
  const forms = (value: Json): Json[] => [
    map({ additionalProperties: value }),
    map({ patternProperties: { '^(.*)$': value } }),
    map({ patternProperties: { '(.*)': value } }),
    map({ patternProperties: { '^(?:.*)$': value }, additionalProperties: false }),
  ];

  it('is the same in each form, also inside another one', () => {
    for (const before of forms(price).slice(0, 3))
      for (const after of forms(price).slice(0, 3)) {
        assert.deepEqual(diffContract(tool(before), tool(after)), []);
        assert.equal(decided(before, after, { a: 3 }), 'silence');
      }
    for (const before of forms(price)) assert.notEqual(decided(before, forms(price)[3] as Json, { a: 3 }), 'ask');
    const [plain, ...others] = forms(map({ additionalProperties: text }));
    for (const other of others) assert.notEqual(decided(other, plain as Json, { a: { b: 'c' } }), 'ask');
  });

  it('has other words in another form', () => {
    const now = { ...price, description: 'Price in cents' };
    for (const before of forms(price))
      for (const after of forms(now)) assert.equal(decided(before, after, { a: 3 }), 'ask');
  });

  it('is no map of the same in a form that is about listed properties as well', () => {
    const listed = { properties: { sum: price } };
    const before = map({ ...listed, additionalProperties: text });
    const after = map({ ...listed, patternProperties: { '^(.*)$': text } });
    assert.equal(decided(before, after, { sum: 3 }), 'deny');
  });
});

describe('a name that is listed no longer', () => {
  const saidOf = (before: Json, after: Json, value: Json): string[] =>
    judged(before, after, value).reasons.map(({ change }) => change?.message ?? '');
  const before = map({ patternProperties: { '^.*$': whole } });

  it('is refused where all others are', () => {
    const after = map({ patternProperties: { '^ROW-': whole }, additionalProperties: false });
    assert.deepEqual(saidOf(before, after, { seat: 4 }), ['removed: `seat` (the server refuses it now)']);
  });

  it('is ignored in an open map', () => {
    const after = map({ patternProperties: { '^ROW-': whole } });
    assert.deepEqual(saidOf(before, after, { seat: 4 }), [
      'removed: `seat` (no longer listed; still accepted, like any unknown name)',
    ]);
  });

  it('is not called accepted if its form is gone', () => {
    const form = (kind: string, more: JsonObject) => ({
      ...map({ properties: { kind: { const: kind }, ...more } }),
      required: ['kind'],
    });
    const forms = [form('train', {}), form('ferry', { deck: text })];
    const found = saidOf({ oneOf: forms }, { oneOf: forms.slice(0, 1) }, { kind: 'ferry', deck: 'B' });
    assert.ok(found.includes('removed: `deck` (no longer listed)'), found.join('\n'));
  });
});

describe('the default of a whole object', () => {
  const frame = (rest: JsonObject = {}): JsonObject =>
    map({ properties: { tone: { ...text, default: 'warm' }, label: text }, ...rest });

  it('is a new one, also if its fields had it: before, a call that left it out had no frame', () => {
    const [believed, live] = [tool(frame()), tool(frame({ default: { tone: 'warm' } }))];
    const policy = { mode: 'guard' as const, trusted: false };
    assert.equal(judge({ believed, live, tools: [live], args: {}, policy, settled: () => false }).decision, 'ask');
  });
});

describe('a field that an open object took unlisted, and that is declared now', () => {
  const crate = (field: JsonObject): JsonObject => map({ properties: { mass: field } });
  const open = map({ additionalProperties: true });

  it('is asked about if its words tell a unit', () => {
    const after = crate({ type: 'number', description: 'Mass in pounds' });
    assert.equal(decided(open, after, { mass: 12 }), 'ask');
    assert.equal(decided(map(), after, { mass: 12 }), 'ask');
  });

  it('is told if they do not', () => {
    assert.equal(decided(open, crate({ type: 'number', description: 'Mass' }), { mass: 12 }), 'notice');
    assert.equal(decided(open, crate({ type: 'number' }), { mass: 12 }), 'notice');
  });

  it('matters to no call that leaves it out', () => {
    const after = crate({ type: 'number', description: 'Mass in pounds' });
    assert.notEqual(decided(open, after, {}), 'ask');
  });
});
