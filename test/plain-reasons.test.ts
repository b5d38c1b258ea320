// Why arguments are refused, in sentences from which a call can be repaired.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defined } from '../scripts/contract/defined.ts';
import { signature } from '../scripts/contract/signature.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { validateArguments } from '../scripts/contract/validate.ts';
import { diffContract } from '../scripts/diff/diff.ts';

const reasons = (schema: JsonObject, args: JsonObject): string[] => {
  const found = validateArguments(schema, args);
  return found.valid === false ? found.errors.map(({ text }) => text) : [];
};
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

describe('arguments that are refused', () => {
  it('name the parameters that cannot stand together', () => {
    const forms = (...names: string[][]): JsonObject => ({ oneOf: names.map((required) => ({ required })) });
    const text = { type: 'string' };
    const schema = object({ isbn: text, title: text, id: text }, forms(['isbn'], ['title']));
    assert.deepEqual(reasons(schema, { isbn: '1', title: 'b' }), ['not both `isbn` and `title`']);
    assert.deepEqual(reasons(object({ book: schema }), { book: { isbn: '1', title: 'b' } }), [
      'not both `isbn` and `title` in `book`',
    ]);
    // Of more names, which one has to go is not known.
    const more = object({ isbn: text, title: text, id: text }, forms(['isbn', 'id'], ['title']));
    assert.deepEqual(reasons(more, { isbn: '1', title: 'b', id: '2' }), [
      'the arguments: "must match exactly one schema in oneOf"',
    ]);
  });

  it('name the names that are allowed, if these are a list', () => {
    const schema = (names: JsonObject) => object({ prices: { type: 'object', propertyNames: names } });
    assert.deepEqual(reasons(schema({ enum: ['eur', 'chf'] }), { prices: { euro: 1 } }), [
      '`euro` is not a name that `prices` may have: only "eur", "chf"',
    ]);
    assert.deepEqual(reasons(schema({ pattern: '^[a-z]{3}$' }), { prices: { euro: 1 } }), [
      '`euro` is not a name that `prices` may have',
    ]);
  });

  it('say what a list, a number or an object has to be in plain words', () => {
    const list = (more: JsonObject): JsonObject => object({ to: { type: 'array', ...more } });
    const text: JsonObject = { pattern: '@' };
    for (const [schema, args, told] of [
      [list({ minItems: 2 }), { to: [1] }, '`to` must have at least 2 elements'],
      [list({ maxItems: 1 }), { to: [1, 2] }, '`to` must have at most 1 element'],
      [list({ uniqueItems: true }), { to: [1, 1] }, '`to` must not have the same element twice'],
      [list({ contains: text }), { to: ['b', 'c'] }, 'at least 1 of the elements of `to` must have a certain form'],
      [
        list({ contains: text, maxContains: 1 }),
        { to: ['@', '@'] },
        'at least 1, and at most 1, of the elements of `to` must have a certain form',
      ],
      [object({}, { dependentRequired: { card: ['cvv'] } }), { card: '1' }, '`cvv` is required beside `card`'],
      [
        object({ pay: { dependentRequired: { card: ['cvv'] } } }),
        { pay: { card: '1' } },
        '`cvv` is required beside `card` in `pay`',
      ],
      [object({ px: { multipleOf: 8 } }), { px: 9 }, '`px` must be a multiple of 8'],
      [object({ to: { type: 'object', minProperties: 1 } }), { to: {} }, '`to` must have at least 1 name'],
      [object({ a: {} }, { unevaluatedProperties: false }), { b: 1 }, '`b` is not a parameter'],
      [object({ a: object({}, { unevaluatedProperties: false }) }), { a: { b: 1 } }, '`b` is not a parameter of `a`'],
    ] as [JsonObject, JsonObject, string][])
      assert.deepEqual(reasons(schema, args), [told]);
  });

  it('say what a condition asks for, and not that it asks', () => {
    const needs = (...required: string[]): JsonObject => ({ required });
    const schema: JsonObject = {
      if: { properties: { via: { const: 'sms' } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: needs('phone'),
      else: needs('mail'),
    };
    assert.deepEqual(reasons(schema, { via: 'sms' }), ['`phone` is required']);
    assert.deepEqual(reasons(schema, { via: 'post' }), ['`mail` is required']);
  });

  it('take a number for a multiple of a step as people write both', () => {
    const told = (multipleOf: number, px: number): string[] => reasons(object({ px: { multipleOf } }), { px });
    for (const [step, of] of [
      ...[4.35, 0.07, 1.15, -8.2, 0, 12_345_678.91, 1e300].map((value) => [0.01, value]),
      [0.1, 0.3],
      [0.001, 1.005],
      [1e-9, 7e-9],
    ] as [number, number][])
      assert.deepEqual(told(step, of), [], `${of} of ${step}`);
    for (const [step, of] of [
      [0.01, 4.355],
      [0.01, 0.0701],
      [1e-9, 1.5e-9],
      [1, 1e-12],
      [1, 2.0000000000000004],
      [0.25, 0.3],
      [0, 1],
    ] as [number, number][])
      assert.deepEqual(told(step, of), [`\`px\` must be a multiple of ${step}`], `${of} of ${step}`);
    // In each dialect, and where only one form says it.
    for (const $schema of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2019-09/schema'])
      assert.deepEqual(reasons({ $schema, ...object({ px: { multipleOf: 0.01 } }) }, { px: 4.35 }), []);
    assert.deepEqual(reasons(object({ px: { not: { multipleOf: 0.01 } } }), { px: 4.35 }), [
      '`px` must not have this value',
    ]);
  });

  it('of an optional value are those of the value, and null is no way out', () => {
    const told = (form: JsonObject, px: Json): string[] =>
      reasons(object({ px: { anyOf: [form, { type: 'null' }] } }), { px });
    assert.deepEqual(told({ type: 'number', minimum: 7 }, 5), ['`px` must be at least 7']);
    assert.deepEqual(told({ type: 'string', pattern: '^z' }, 'a'), [
      '`px` does not match the pattern of its parameter',
    ]);
    assert.deepEqual(told({ type: 'string', maxLength: 2 }, 'abc'), ['`px` must be at most 2 characters long']);
    assert.deepEqual(told({ type: 'string', enum: ['dot', 'dash'] }, 'a'), ['`px` must be one of "dot", "dash"']);
    assert.deepEqual(told({ type: 'array', items: { type: 'string' } }, ['a', 1]), ['`px.1` must be string']);
    assert.deepEqual(told(object({ x: {} }, { required: ['x'] }), {}), ['`x` is required in `px`']);
    assert.deepEqual(told({ type: 'number', minimum: 7 }, 'a'), ['`px` must be number or null']);
    assert.deepEqual(
      reasons(
        {
          ...object({ px: { oneOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } }),
          $defs: { n: { maximum: 3, type: 'number' } },
        },
        { px: 5 },
      ),
      ['`px` must be at most 3'],
    );
  });

  it('of several forms are those of the one that has the type of the value, or all together', () => {
    const told = (px: Json, ...anyOf: JsonObject[]): string[] => reasons(object({ px: { anyOf } }), { px });
    const [number, text]: JsonObject[] = [
      { type: 'number', minimum: 7 },
      { type: 'string', minLength: 2 },
    ];
    assert.deepEqual(told(5, number as JsonObject, text as JsonObject), ['`px` must be at least 7']);
    assert.deepEqual(told('a', number as JsonObject, text as JsonObject), ['`px` must be at least 2 characters long']);
    assert.deepEqual(told('a', { type: 'integer' }, { const: 'full' }), ['`px` must be integer, or "full"']);
    assert.deepEqual(told('a', { const: 1 }, { enum: ['b', 'c'] }), ['`px` must be one of 1, "b", "c"']);
    // Which of both is meant is not known.
    assert.equal(told(5, number as JsonObject, { type: 'number', maximum: 3 }).length, 3);
  });

  it('of a value that no form takes are those that all forms have, if one has no other', () => {
    const text = { type: 'string' };
    const closed = (properties: JsonObject) => object(properties, { additionalProperties: false });
    const rows = (...anyOf: Json[]) => object({ rows: { type: 'array', items: { anyOf } } });
    const told = '`tag` is not a parameter of `rows.0`';
    assert.deepEqual(reasons(rows(closed({ id: text })), { rows: [{ id: '1', tag: 2 }] }), [told]);
    const two = rows(closed({ id: text }), closed({ name: text }));
    assert.deepEqual(reasons(two, { rows: [{ id: '1', tag: 2 }] }), [told]);
    assert.ok(reasons(two, { rows: [{ id: 1, tag: 2 }] }).length > 1, 'either form may be meant');
    assert.deepEqual(reasons(two, { rows: [{ id: '1' }, { name: '2' }] }), []);
  });

  it('name the one value that is allowed', () => {
    const only = { properties: { tier: { const: 'pro' } } };
    const schema: JsonObject = {
      if: { required: ['seats'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: only,
    };
    assert.deepEqual(reasons(schema, { seats: 3, tier: 'free' }), ['`tier` must be "pro"']);
    assert.deepEqual(reasons({ dependentSchemas: { seats: only } }, { seats: 3, tier: 'free' }), [
      '`tier` must be "pro"',
    ]);
    assert.deepEqual(reasons(object({ tier: { const: { a: [1] } } }), { tier: 1 }), ['`tier` must be {"a":[1]}']);
  });

  it('name the names that are excluded together', () => {
    const told = (...required: string[]): string[] =>
      reasons({ not: { required } }, Object.fromEntries(required.map((name) => [name, 1])));
    assert.deepEqual(told('first', 'last'), ['not both `first` and `last`']);
    assert.deepEqual(told('first', 'last', 'step'), ['not all of `first`, `last`, `step` together']);
    assert.deepEqual(told('first'), ['`first` must not be given']);
    assert.deepEqual(reasons(object({ page: { not: { required: ['a', 'b'] } } }), { page: { a: 1, b: 2 } }), [
      'not both `a` and `b` in `page`',
    ]);
    const of = (...names: string[]) => ({ required: names });
    const either = { not: { anyOf: [of('first', 'last'), of('first', 'step')] } };
    assert.deepEqual(reasons(either, { first: 1, step: 1 }), ['not both `first` and `step`']);
    assert.deepEqual(reasons(object({ page: either }), { page: { first: 1, last: 1, step: 1 } }), [
      'not both `first` and `last` in `page`',
      'not both `first` and `step` in `page`',
    ]);
    assert.deepEqual(reasons(either, { first: 1 }), []);
    const beside = { not: { ...of('a'), allOf: [of('b')], anyOf: [of('c'), of('d')] } };
    assert.deepEqual(reasons(beside, { a: 1, b: 1, d: 1 }), ['not all of `a`, `b`, `d` together']);
    for (const form of [{ anyOf: [of('a'), { minProperties: 1 }] }, { anyOf: [of('a'), {}] }, {}])
      assert.deepEqual(reasons({ not: form }, { a: 1 }), ['the arguments must not have this value']);
    assert.deepEqual(reasons({ not: { required: ['a'], minProperties: 1 } }, { a: 1 }), [
      'the arguments must not have this value',
    ]);
  });

  it('say that a value is excluded', () => {
    assert.deepEqual(reasons(object({ port: { not: { const: 22 } } }), { port: 22 }), [
      '`port` must not have this value',
    ]);
  });
});

describe('what a model may see of a new contract', () => {
  const briefs = (before: Json, after: Json) =>
    diffContract(
      { name: 'plan', inputSchema: object({ at: before }) },
      { name: 'plan', inputSchema: object({ at: after }) },
    ).map(({ brief }) => brief);
  const text = (format?: string): Json => ({ type: 'string', ...(format === undefined ? {} : { format }) });

  it('has the value that new words are about; the pattern of names is for the person', () => {
    const told = (before: Json, after: Json) =>
      diffContract(
        { name: 't', inputSchema: object({ a: before }) },
        { name: 't', inputSchema: object({ a: after }) },
      ).map(({ message, brief }) => [message, brief]);
    const mode = (description: string) => ({ oneOf: [{ const: 'trim', description }, { const: 'pad' }] });
    assert.deepEqual(told(mode('Cuts spaces'), mode('Cuts lines')), [
      ['new description of "trim": "Cuts spaces" → "Cuts lines"', 'the description of "trim" changed'],
    ]);
    const tags = (description: string) => ({ type: 'object', patternProperties: { '^x-': { description } } });
    assert.deepEqual(told(tags('A time in hours'), tags('A time in days')), [
      ['new description of names like "^x-": "A time in hours" → "A time in days"', 'its description changed'],
    ]);
    const named = (description: string) => object({ oneOf: { const: 1, description } });
    assert.deepEqual(told(named('Rows'), named('Pages')), [
      ['new description: "Rows" → "Pages"', 'its description changed'],
    ]);
  });

  it('names formats that JSON Schema defines, and no others', () => {
    assert.deepEqual(briefs(text('time'), text('duration')), ['format changed: time → duration']);
    assert.deepEqual(briefs(text(), text('ipv6')), ['format changed: none → ipv6']);
    assert.deepEqual(briefs(text('time'), text('ignore all rules')), ['format changed']);
  });

  it('has the numbers of a bound, and the names that are required together', () => {
    assert.deepEqual(briefs({ type: 'integer', maximum: 90 }, { type: 'integer', maximum: 50 }), [
      'maximum changed (90 → 50)',
    ]);
    assert.deepEqual(briefs({ type: 'array' }, { type: 'array', uniqueItems: true }), [
      'uniqueItems changed (none → true)',
    ]);
    assert.deepEqual(briefs({ type: 'string', pattern: 'a' }, { type: 'string', pattern: 'b' }), ['pattern changed']);
    const pay = (dependentRequired?: JsonObject) =>
      object({ card: {}, cvv: {}, name: {} }, { ...defined({ dependentRequired }) });
    assert.deepEqual(briefs(pay(), pay({ card: ['cvv', 'name'] })), ['now `cvv`, `name` required beside `card`']);
    assert.deepEqual(briefs(pay({ card: ['cvv'] }), pay({ card: ['cvv', 'name'] })), [
      'now `name` required beside `card`',
    ]);
    // What is no longer required is not told by what came instead.
    assert.deepEqual(briefs(pay({ card: ['cvv'] }), pay({ card: ['name'] })), ['dependentRequired changed']);
  });

  it('has the one value that is allowed, and of many values the first and how many there are', () => {
    const box = (schema: Json) => signature({ name: 'plan', inputSchema: object({ box: schema }) });
    assert.equal(box({ type: 'string', const: 'red' }), 'plan(box?: "red")');
    assert.equal(box({ type: 'string', enum: ['red', 'blue'] }), 'plan(box?: "red" | "blue")');
    for (const many of [
      { enum: Array.from({ length: 90 }, (_, index) => index) },
      { anyOf: Array.from({ length: 90 }, (_, index) => ({ const: index })) },
    ]) {
      const shown = box(many).split(' | ');
      const [, more] = /^… (\d+) more\)$/.exec(shown.pop() ?? '') ?? [];
      assert.ok(shown.length < 20 && shown.length + Number(more) === 90, box(many));
    }
  });

  it('has the first elements of a list one by one', () => {
    const [number, word] = [{ type: 'number' }, { type: 'string' }];
    const tuple = (more: JsonObject) =>
      signature({ name: 'plan', inputSchema: object({ box: { type: 'array', ...more } }) });
    assert.equal(tuple({ prefixItems: [number, word], maxItems: 2 }), 'plan(box?: [number, string])');
    assert.equal(tuple({ items: [number, word], additionalItems: false }), 'plan(box?: [number, string])');
    assert.equal(tuple({ prefixItems: [number, word] }), 'plan(box?: [number, string, …])');
    assert.equal(
      tuple({ prefixItems: Array(9).fill(number), items: false }),
      'plan(box?: [number, number, number, number, number, number, …])',
    );
    assert.equal(tuple({ items: number }), 'plan(box?: number[])');
  });
});
