// What a call relies on, wherever its schema is: the declarations for its actual values, before and now.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readToolList } from '../scripts/contract/read.ts';
import { isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { type Judgement, judge } from '../scripts/judge/judge.ts';
import { closedRoot, holds, withoutConditions } from './ajv-judge.ts';
import { checkRandomly, PAIRS } from './random-runs.ts';
import { instance, mutate, random, rootSchema } from './random-schema.ts';
import { readJsonFile, shared } from './shared.ts';

const text = { type: 'string' };
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest });
const under = (schema: JsonObject, $defs: JsonObject = {}): JsonObject => object({ parent: schema }, { $defs });

const judged = (before: Json, after: Json, args: JsonObject, told: ReadonlySet<string> = new Set()): Judgement => {
  const [believed, live] = [before, after].map((inputSchema) => ({ name: 't', inputSchema })) as [
    { name: string; inputSchema: Json },
    { name: string; inputSchema: Json },
  ];
  const policy = { mode: 'guard' as const, trusted: false };
  return judge({ believed, live, tools: [live], args, policy, settled: (key) => told.has(key) });
};

/** Whether the diff has a change that makes a call fail, or lose a part. */
const isToldByDiff = (before: Json, after: Json): boolean =>
  diffContract({ name: 't', inputSchema: before }, { name: 't', inputSchema: after }).some(({ level }) =>
    ['breaking', 'unclassified', 'silent'].includes(level),
  );

const P = {
  oneOf: [
    object({ page_id: text }, { required: ['page_id'] }),
    object({ database_id: text }, { required: ['database_id'] }),
  ],
};
const kind = (name: string, more: JsonObject): JsonObject =>
  object({ kind: { const: name }, ...more }, { required: ['kind'] });
const a = object({ a: text });
const user = object({ user: text });
/** A parameter whose schema is a separate document: its `one` is not the tool's `one`. */
const embedding = (reference: string, type: Json, name = 'x', rest: JsonObject = {}): JsonObject =>
  object(
    { box: { $ref: 'box.json' }, ...rest },
    {
      $defs: {
        one: { $anchor: 'one', ...object({ never: text }) },
        box: {
          $id: 'box.json',
          ...object({ in: { $ref: reference } }),
          $defs: { one: { $anchor: 'one', ...object({ [name]: type }) } },
        },
      },
    },
  );
const described = (description: string): JsonObject => ({ type: 'string', description });

describe('a call is judged by what is declared for its values', () => {
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    [
      'a form became a reference to several',
      under(object({ page_id: text })),
      under({ $ref: '#/$defs/P' }, { P }),
      { parent: { page_id: 'x' } },
      'notice',
    ],
    ['the root: behind a reference', a, { type: 'object', $ref: '#/$defs/A', $defs: { A: a } }, { a: 'x' }, 'notice'],
    ['the root: behind allOf', a, { type: 'object', allOf: [a] }, { a: 'x' }, 'notice'],
    ['the root: behind anyOf', a, { type: 'object', anyOf: [a, user] }, { a: 'x' }, 'notice'],
    [
      'the root: behind oneOf',
      a,
      {
        type: 'object',
        oneOf: [
          { ...a, required: ['a'] },
          { ...user, required: ['user'] },
        ],
      },
      { a: 'x' },
      'notice',
    ],
    [
      'a reference became allOf',
      { type: 'object', $ref: '#/$defs/A', $defs: { A: a } },
      { type: 'object', allOf: [a] },
      { a: 'x' },
      'notice',
    ],
    ['a pattern of names', a, { type: 'object', patternProperties: { '^a$': text } }, { a: 'x' }, 'notice'],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ['a condition', a, { type: 'object', if: { required: ['a'] }, then: a }, { a: 'x' }, 'notice'],
    ['what another parameter brings with it', a, { type: 'object', dependentSchemas: { a } }, { a: 'x' }, 'notice'],
    ['what nobody else declares', a, { type: 'object', unevaluatedProperties: text }, { a: 'x' }, 'notice'],
    ['all other names', a, object({ b: text }, { additionalProperties: text }), { a: 'x' }, 'notice'],
    [
      'gone from a branch that it does not take',
      { type: 'object', oneOf: [kind('a', { x: text }), kind('b', { x: text })] },
      { type: 'object', oneOf: [kind('a', {}), kind('b', { x: text })] },
      { kind: 'b', x: 'y' },
      'notice',
    ],
    [
      'gone from the branch that it takes',
      { type: 'object', oneOf: [kind('a', { x: text }), kind('b', { x: text })] },
      { type: 'object', oneOf: [kind('a', {}), kind('b', { x: text })] },
      { kind: 'a', x: 'y' },
      'deny',
    ],
    [
      're-described in a branch that it does not take',
      { type: 'object', oneOf: [kind('a', { x: described('in euros') }), kind('b', { x: described('a name') })] },
      { type: 'object', oneOf: [kind('a', { x: described('in cents') }), kind('b', { x: described('a name') })] },
      { kind: 'b', x: 'y' },
      'notice',
    ],
    [
      're-described in the branch that it takes',
      { type: 'object', oneOf: [kind('a', { x: described('in euros') }), kind('b', { x: described('a name') })] },
      { type: 'object', oneOf: [kind('a', { x: described('in cents') }), kind('b', { x: described('a name') })] },
      { kind: 'a', x: 'y' },
      'ask',
    ],
    [
      're-described on the way behind a reference',
      object({ x: described('in euros') }),
      { type: 'object', $ref: '#/$defs/X', $defs: { X: object({ x: described('in cents') }) } },
      { x: 'y' },
      'ask',
    ],
    [
      'words of elements that are gone',
      object({ list: { type: 'array', items: { description: 'a name' } } }),
      object({ list: { type: 'array', items: {} } }),
      { list: ['x'] },
      'notice',
    ],
    ['an object that is free now', object({ o: a }), object({ o: { type: 'object' } }), { o: { a: 'x' } }, 'notice'],
    ['an object that takes none now', object({ o: a }), object({ o: object({}) }), { o: { a: 'x' } }, 'deny'],
    ['a tool that takes none now', a, { type: 'object' }, { a: 'x' }, 'deny'],
    [
      'gone with a part of allOf',
      { type: 'object', allOf: [a, user] },
      { type: 'object', allOf: [a] },
      { user: 'x' },
      'deny',
    ],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ['gone with a condition', { ...a, if: true, then: user }, { ...a, if: true, then: a }, { user: 'x' }, 'deny'],
    [
      'gone with what another brought',
      { ...a, dependentSchemas: { a: user } },
      { ...a, dependentSchemas: { a } },
      { a: 'x', user: 'x' },
      'deny',
    ],
    [
      'gone with a pattern',
      { ...a, patternProperties: { '^user$': text } },
      { ...a, patternProperties: { '^x': text } },
      { user: 'x' },
      'deny',
    ],
    [
      'gone with a branch beside an open one',
      { type: 'object', anyOf: [a, user] },
      { type: 'object', anyOf: [a] },
      { user: 'x' },
      'deny',
    ],
    [
      'declared in a branch alone that refuses what else is there',
      { type: 'object', anyOf: [object({ user: text, q: text }), a] },
      { type: 'object', anyOf: [object({ q: text }), object({ user: text }, { unevaluatedProperties: false })] },
      { user: 'x', q: 'y' },
      'deny',
    ],
    [
      'declared in a branch that takes all that is there',
      { type: 'object', anyOf: [object({ user: text, q: text }), a] },
      {
        type: 'object',
        anyOf: [
          object({ q: text }),
          object({ user: text }, { allOf: [object({ q: text })], unevaluatedProperties: false }),
        ],
      },
      { user: 'x', q: 'y' },
      'notice',
    ],
    [
      'gone from a closed branch beside an open one',
      { type: 'object', anyOf: [{ type: 'object' }, object({ c: text }, { unevaluatedProperties: false })], ...a },
      { type: 'object', anyOf: [{ type: 'object' }, object({}, { unevaluatedProperties: false })], ...a },
      { c: 'x' },
      'deny',
    ],
    [
      'gone from a definition of an embedded document, whose name another one has outside',
      embedding('#/$defs/one', text),
      embedding('#/$defs/one', { type: 'integer' }, 'y'),
      { box: { in: { x: 'y' } } },
      'deny',
    ],
    [
      'gone from what an anchor in an embedded document names, as another one outside',
      embedding('#one', text),
      embedding('#one', { type: 'integer' }, 'y'),
      { box: { in: { x: 'y' } } },
      'deny',
    ],
    [
      'still in a definition of an embedded document',
      embedding('#/$defs/one', text),
      embedding('#one', text, 'x', { other: text }),
      { box: { in: { x: 'y' } } },
      'notice',
    ],
    [
      'a document of another place that is named as before, beside a new parameter',
      object({ a: { $ref: 'https://schemas.test/a.json' } }),
      object({ a: { $ref: 'https://schemas.test/a.json' }, b: text }),
      { a: 'x' },
      'notice',
    ],
    ['never declared', a, object({ a: text, b: text }), { zz: 1 }, 'notice'],
  ];
  for (const [what, before, after, args, decision] of cases) {
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found.reasons));
      if (decision === 'deny') assert.ok(isToldByDiff(before, after), 'the diff calls nothing of it harmful');
    });
  }
});

describe('what is declared beside a condition', () => {
  it('is no new name of what went from the condition', () => {
    const [before, after] = [
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      { ...a, if: true, then: user },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      { ...a, if: true, then: a },
    ];
    const { reasons, corrected } = judged(before, after, { user: 'x' });
    assert.deepEqual(
      reasons.map(({ change }) => change?.message),
      ['removed: `user` (no longer listed; still accepted, like any unknown name)'],
    );
    assert.equal(corrected, undefined);
  });

  it('does not go with it', () => {
    const after = object({ a: text, user: text });
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    const before = { ...after, if: true, then: user };
    assert.equal(judged(before, after, { user: 'x' }).decision, 'silence');
  });
});

describe('how a tool is called now', () => {
  const called = (schema: Json): string =>
    String(judged(object({ a: text, gone: text }), object({ a: schema }), { gone: 'x' }).signature);
  it('says what takes no value, and the type of what is only limited', () => {
    assert.equal(called({ enum: [] }), 't(a?: never)');
    assert.equal(called({ not: {} }), 't(a?: never)');
    assert.equal(called({ type: 'string', anyOf: [{ minLength: 1 }, { maxLength: 5 }] }), 't(a?: string)');
  });
});

describe('a change in an embedded document', () => {
  const [before, after] = [embedding('#/$defs/one', text), embedding('#/$defs/one', { type: 'integer' }, 'y')];
  it('is told where it stands', () => {
    const changes = diffContract({ name: 't', inputSchema: before }, { name: 't', inputSchema: after });
    const inside = '/inputSchema/$defs/box/$defs/one/properties';
    assert.deepEqual(
      changes.map(({ rule, path, parameter }) => `${rule} ${path} ${parameter?.join('.')}`),
      [`input-property-removed ${inside}/x box.in.x`, `input-property-added ${inside}/y box.in.y`],
    );
  });

  it('shows in how the tool is called now', () => {
    const { signature } = judged(before, after, { box: { in: { x: 'y' } } });
    assert.equal(signature, 't(box?: { in?: { y?: integer } })');
  });
});

const captures = shared('corpus/captures/@notionhq__notion-mcp-server');

describe('a call of a real tool whose schema was written again', { skip: captures.skip }, () => {
  const tools = (version: string) =>
    new Map(readToolList(readJsonFile(`${captures.path}/${version}.json`) as Json).tools.map((one) => [one.name, one]));
  const rich = [{ text: { content: 'x' } }];
  const calls: [string, string, string, JsonObject, RegExp][] = [
    [
      '1.9.1',
      '2.0.0',
      'API-post-page',
      { parent: { page_id: 'x' }, properties: { title: rich } },
      /parent: \{ page_id/,
    ],
    [
      '1.9.1',
      '2.0.0',
      'API-patch-block-children',
      { block_id: 'x', children: [{ paragraph: { rich_text: rich }, type: 'paragraph' }] },
      /children: /,
    ],
    ['2.0.0', '2.2.1', 'API-post-page', { parent: { page_id: 'x' }, properties: { title: rich } }, /parent: \{/],
  ];
  for (const [from, to, name, args, called] of calls) {
    it(`${name} ${from} → ${to}`, () => {
      const [before, after] = [tools(from).get(name), tools(to).get(name)];
      const found = judged(before?.inputSchema ?? null, after?.inputSchema ?? null, args);
      assert.equal(found.decision, 'notice', JSON.stringify(found.reasons));
      assert.match(found.signature ?? '', called);
    });
  }
});

/** The schema without any declaration of a property. */
const withoutProperty = (schema: Json, name: string): Json => {
  if (Array.isArray(schema)) return schema.map((one) => withoutProperty(one, name));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema as JsonObject).map(([key, value]): [string, Json] => {
    const less = withoutProperty(value, name);
    if (key !== 'properties' || !isObject(less)) return [key, less];
    return [key, Object.fromEntries(Object.entries(less as JsonObject).filter(([one]) => one !== name))];
  });
  return Object.fromEntries(entries);
};

const uses = (schema: JsonObject, args: JsonObject): boolean | undefined =>
  holds(closedRoot(withoutConditions(schema) as JsonObject), args);

const CALLS = Math.min(PAIRS / 2, 2_000);

describe('a stop can be satisfied', () => {
  const pairs = (seed: number) => {
    const source = random(seed);
    const before = rootSchema(source);
    return { source, before, after: mutate(source, before) };
  };
  it('no call that is valid now and uses what is declared now alone is stopped, once it was told', (test) => {
    let tried = 0;
    checkRandomly(
      test,
      fc.property(fc.integer(), (seed) => {
        const { source, before, after } = pairs(seed);
        const args = instance(source, after, after);
        if (!isObject(args) || !holds(after, args as JsonObject) || !uses(after, args as JsonObject)) return;
        tried++;
        const first = judged(before, after, args as JsonObject);
        const what = JSON.stringify({ seed, args, before, after, reasons: first.reasons });
        assert.notEqual(first.decision, 'deny', what);
        const told = new Set(first.reasons.map(({ key }) => key));
        const again = judged(before, after, args as JsonObject, told).decision;
        assert.ok(again !== 'deny' && again !== 'ask', what);
      }),
      { numRuns: CALLS, seed: 23, endOnFailure: true },
    );
    assert.ok(tried > CALLS * 0.15, `${tried} calls were tried`);
  });

  it('a call that uses what is declared no more is stopped', (test) => {
    let tried = 0;
    checkRandomly(
      test,
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const before = rootSchema(source);
        const args = instance(source, before, before);
        if (!isObject(args) || !holds(before, args as JsonObject) || !uses(before, args as JsonObject)) return;
        const names = Object.keys(args);
        if (names.length === 0) return;
        const after = withoutProperty(before, source.pick(names)) as JsonObject;
        if (!holds(after, args as JsonObject) || uses(after, args as JsonObject) !== false) return;
        tried++;
        const { decision, changes } = judged(before, after, args as JsonObject);
        assert.ok(decision === 'deny' || decision === 'ask', JSON.stringify({ seed, args, before, after, changes }));
        assert.ok(isToldByDiff(before, after), JSON.stringify({ seed, before, after }));
      }),
      { numRuns: CALLS, seed: 29, endOnFailure: true },
    );
    assert.ok(tried > CALLS / 15, `${tried} calls were tried`);
  });

  it('the call that is proposed is accepted', (test) => {
    let proposed = 0;
    checkRandomly(
      test,
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const before = rootSchema(source);
        const [old] = Object.keys(before.properties as JsonObject);
        const { [old as string]: moved, ...rest } = before.properties as JsonObject;
        const after = mutate(source, { ...before, properties: { ...rest, renamedNow: moved as Json } });
        const args = instance(source, before, before);
        if (!isObject(args) || !holds(before, args as JsonObject)) return;
        const { corrected, decision } = judged(before, after, args as JsonObject);
        if (corrected === undefined || decision !== 'deny') return;
        proposed++;
        assert.notEqual(judged(before, after, corrected).decision, 'deny', JSON.stringify({ seed, args, corrected }));
      }),
      { numRuns: CALLS, seed: 31, endOnFailure: true },
    );
    assert.ok(proposed > CALLS / 34, `${proposed} calls were proposed`);
  });
});
