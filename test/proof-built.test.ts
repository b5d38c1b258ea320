// What the built `diff` calls harmless, and what not: pairs that need a proof, not only a rule.
// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { drive, sandbox } from './sandbox.ts';

const TEXT = { type: 'string' };
const MAYBE = { type: ['string', 'null'] };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const define = (schema: Json, $defs: JsonObject): JsonObject => object({ value: schema }, { $defs });

/** A tree whose nodes are of several kinds, each of which holds further nodes. */
const tree = (kinds: number, first: JsonObject, union = 'anyOf'): JsonObject => {
  const node = { $ref: '#/$defs/node' };
  const kind = (index: number): [string, Json] => [
    `kind${index}`,
    object(
      { kind: { const: `k${index}` }, text: index === 0 ? first : TEXT, nodes: { type: 'array', items: node }, node },
      { required: ['kind'] },
    ),
  ];
  const members = numbered(kinds, (index) => ({ $ref: `#/$defs/kind${index}` }));
  return define(node, { node: { [union]: members }, ...Object.fromEntries(numbered(kinds, kind)) });
};
/** Definitions that all refer to each other. */
const mutual = (count: number, text: JsonObject): JsonObject => {
  const all = Object.fromEntries(numbered(count, (index) => [`to${index}`, { $ref: `#/$defs/one${index}` }]));
  return define(
    { $ref: '#/$defs/one0' },
    Object.fromEntries(numbered(count, (index) => [`one${index}`, object({ text, ...all })])),
  );
};
/** An object in an object in an object, each behind a reference. */
const chain = (length: number, last: JsonObject): JsonObject =>
  define(
    { $ref: '#/$defs/link0' },
    {
      ...Object.fromEntries(
        numbered(length, (index) => [`link${index}`, object({ next: { $ref: `#/$defs/link${index + 1}` } })]),
      ),
      [`link${length}`]: last,
    },
  );
/** A definition under an anchor, and one in an embedded document with definitions of the same names as the outer ones. */
const anchored = (named: JsonObject): JsonObject =>
  object({ at: { $ref: '#here' }, told: TEXT }, { $defs: { one: { $anchor: 'here', ...named } } });
const embedded = (inner: JsonObject): JsonObject =>
  object(
    { at: { $ref: 'inner.json' }, to: { $ref: '#/$defs/document' } },
    {
      $defs: {
        type: { type: 'integer' },
        document: { $id: 'inner.json', ...object({ is: { $ref: '#/$defs/type' } }), $defs: { type: inner } },
      },
    },
  );
const everywhere = (count: number, inner: JsonObject): JsonObject =>
  object(Object.fromEntries(numbered(count, (index) => [`at${index}`, { $ref: '#/$defs/one' }])), {
    $defs: { one: object({ inner }) },
  });
const choice = (count: number, word = ''): JsonObject => ({
  oneOf: numbered(count, (index) => ({ const: `value ${index}`, title: `${word}${index}` })),
});
const described = (description: string): JsonObject => ({ ...TEXT, description });

const extra = (more: JsonObject): JsonObject => ({
  patternProperties: { '^x-': {} },
  additionalProperties: TEXT,
  ...more,
});

/** Names that match the pattern have numbers, all others have texts: so do those that begin with `a`, unless they match. */
const besideRest = (pattern: string): JsonObject => ({
  allOf: [
    { patternProperties: { '^a': {} }, additionalProperties: MAYBE },
    { patternProperties: { [pattern]: { type: 'integer' } }, additionalProperties: TEXT },
  ],
});

/** The change, the old and the new schema: of one parameter or, if both are objects with `properties`, of the tool. */
const HARMLESS: [string, JsonObject, JsonObject][] = [
  [
    'an optional property in an object that names others',
    object({ a: object({ b: TEXT }) }),
    object({ a: object({ b: TEXT, c: TEXT }) }),
  ],
  ['a first parameter', object({}), object({ a: TEXT })],
  [
    'a property that is only described, in a map',
    object({ a: { type: 'object' } }),
    object({ a: object({ b: { description: 'x' } }) }),
  ],
  ['patterns beside a rest', object({ a: described('x') }, extra({})), object({ a: described('y') }, extra({}))],
  [
    'both of them widened',
    object({}, extra({ patternProperties: { '^x-': { type: 'integer' } } })),
    object({}, extra({ patternProperties: { '^x-': { type: 'number' } }, additionalProperties: MAYBE })),
  ],
  [
    'a pattern whose values the rest takes, too',
    object({}, extra({ patternProperties: { '^x-': { type: 'null' } } })),
    object({}, { additionalProperties: MAYBE }),
  ],
  [
    'patterns that no name can match at once',
    object({}, { patternProperties: { '^a': TEXT, '^b': { type: 'integer' } } }),
    object({}, { patternProperties: { '^a': MAYBE, '^b': { type: 'number' } } }),
  ],
  [
    'a pattern, where the names of another one begin otherwise',
    object({}, besideRest('^b')),
    object({}, { patternProperties: { '^a': TEXT } }),
  ],
  ['steps of one, now of a half', { type: 'number', multipleOf: 1 }, { type: 'number', multipleOf: 0.5 }],
  ['steps of three, now of one and a half', { type: 'number', multipleOf: 3 }, { type: 'number', multipleOf: 1.5 }],
  ['whole numbers, now in halves', { type: 'integer' }, { type: 'number', multipleOf: 0.5 }],
  ['what took nothing', { not: {} }, TEXT],
  [
    'what took nothing, as the rest of an object',
    object({ a: TEXT }, { additionalProperties: { not: {} } }),
    object({ a: TEXT }, { additionalProperties: false }),
  ],
  ['a double negation', TEXT, { not: { not: TEXT } }],
  ['all but one type, listed', { not: TEXT }, { type: ['array', 'boolean', 'integer', 'null', 'number', 'object'] }],
  ['a negation of less', { not: { enum: ['a', 'b'] } }, { not: { const: 'a' } }],
  [
    'a range in two parts',
    { type: 'integer', minimum: 0, maximum: 900 },
    {
      type: 'integer',
      anyOf: [
        { minimum: 0, maximum: 400 },
        { minimum: 401, maximum: 900 },
      ],
    },
  ],
  [
    'a range of fractions in two parts that exclude each other',
    { type: 'number' },
    { type: 'number', oneOf: [{ maximum: 0 }, { exclusiveMinimum: 0 }] },
  ],
  ['lengths in two parts', TEXT, { ...TEXT, anyOf: [{ maxLength: 3 }, { minLength: 4 }] }],
  [
    'types of names as branches',
    { type: 'object', propertyNames: MAYBE },
    { type: 'object', propertyNames: { anyOf: [TEXT, { type: 'null' }] } },
  ],
  [
    'types as branches, in one of several',
    { oneOf: [{ ...MAYBE, maxLength: 3 }, { type: 'integer' }] },
    { oneOf: [{ anyOf: [{ ...TEXT, maxLength: 4 }, { type: 'null' }] }, { type: 'integer' }] },
  ],
  [
    'an optional property where nothing else is evaluated',
    object({ a: TEXT }, { unevaluatedProperties: false }),
    object({ a: TEXT, b: TEXT }, { unevaluatedProperties: false }),
  ],
  [
    'the same, beside a branch',
    object(
      { c: TEXT },
      {
        anyOf: [object({ a: {} }, { required: ['a'] }), object({ b: {} }, { required: ['b'] })],
        unevaluatedProperties: false,
      },
    ),
    object(
      { c: TEXT, d: TEXT },
      {
        anyOf: [object({ a: {} }, { required: ['a'] }), object({ b: {} }, { required: ['b'] })],
        unevaluatedProperties: false,
      },
    ),
  ],
  ['one more of many values', { enum: numbered(1_500, String) }, { enum: numbered(1_501, String) }],
  [
    'what comes together, in newer words',
    object({ a: {}, b: {} }, { dependencies: { a: ['b'] } }),
    object({ a: {}, b: {} }, { dependentRequired: { a: ['b'] } }),
  ],
  [
    'the same, as a schema',
    object({ a: {}, b: {} }, { dependencies: { a: ['b'] } }),
    object({ a: {}, b: {} }, { dependentSchemas: { a: { required: ['b'] } } }),
  ],
  [
    'the same, as a condition',
    object({ a: {}, b: {} }, { if: { required: ['a'] }, then: { required: ['b'] } }),
    object({ a: {}, b: {} }, { dependentRequired: { a: ['b'] } }),
  ],
  ...[5, 14].map((kinds): [string, JsonObject, JsonObject] => [
    `one word in a tree of ${kinds} kinds`,
    tree(kinds, described('x')),
    tree(kinds, described('y')),
  ]),
  ['one type more in a tree of exclusive kinds', tree(9, TEXT, 'oneOf'), tree(9, MAYBE, 'oneOf')],
  ['definitions that refer to each other', mutual(7, TEXT), mutual(7, MAYBE)],
  ['many definitions that refer to each other', mutual(20, TEXT), mutual(20, MAYBE)],
  ['the end of a long chain', chain(120, TEXT), chain(120, MAYBE)],
  ['a definition under an anchor', anchored(TEXT), anchored(MAYBE)],
  ['a definition in an embedded document', embedded(TEXT), embedded(MAYBE)],
  ['a definition that stands everywhere', everywhere(600, TEXT), everywhere(600, MAYBE)],
  ['titles of many constants', choice(400), choice(400, 'the ')],
  ['one of many constants more', choice(400), choice(401)],
  ['constants as a list', choice(60), { enum: numbered(60, (index) => `value ${index}`) }],
];

const HARMFUL: [string, JsonObject, JsonObject][] = [
  ['a typed property in a map', object({ a: { type: 'object' } }), object({ a: object({ b: TEXT }) })],
  [
    '… in elements',
    object({ a: { type: 'array', items: { type: 'object' } } }),
    object({ a: { type: 'array', items: object({ b: TEXT }) } }),
  ],
  ['… in what may be anything', object({ a: {} }), object({ a: { properties: { b: TEXT } } })],
  [
    '… in the open one of two branches',
    object({ a: { anyOf: [object({ c: TEXT }), { type: 'object' }] } }),
    object({ a: { anyOf: [object({ c: TEXT }), object({ b: TEXT })] } }),
  ],
  [
    '… in what only says what depends on others',
    object({ a: { type: 'object', dependentSchemas: { b: { minProperties: 1 } } } }),
    object({ a: { type: 'object', dependentSchemas: { b: { minProperties: 1, enum: ['x'] } } } }),
  ],
  [
    '… beside two branches of which one is open',
    object({ a: { anyOf: [object({ c: TEXT }), { type: 'object' }] } }),
    object({ a: { anyOf: [object({ c: TEXT }), { type: 'object' }], properties: { b: TEXT } } }),
  ],
  [
    'what has to come together, beside a branch that takes any name',
    object({ c: TEXT }, { anyOf: [{ patternProperties: { '^x': TEXT } }, { minProperties: 1 }] }),
    object(
      { c: TEXT },
      { anyOf: [{ patternProperties: { '^x': TEXT } }, { minProperties: 1 }], dependentRequired: { xa: ['c'] } },
    ),
  ],
  [
    '… in what may be anything, behind a condition',
    object({ a: {} }),
    object({ a: { if: { type: 'object' }, then: { properties: { b: { properties: { c: TEXT } } } } } }),
  ],
  [
    'a pattern whose values the rest refuses',
    object({}, extra({ patternProperties: { '^x-': { type: 'integer' } } })),
    object({}, { additionalProperties: MAYBE }),
  ],
  [
    'patterns that a name can match at once',
    object({}, { patternProperties: { '^a': TEXT } }),
    object({}, { patternProperties: { '^a': TEXT, b: { type: 'integer' } } }),
  ],
  [
    'a pattern, where a name can match another one, too',
    object({}, besideRest('b')),
    object({}, { patternProperties: { '^a': TEXT } }),
  ],
  ['larger steps', { type: 'number', multipleOf: 0.5 }, { type: 'number', multipleOf: 1 }],
  ['steps that are rounded', { type: 'number', multipleOf: 0.3 }, { type: 'number', multipleOf: 0.1 }],
  [
    'a range with a gap',
    { type: 'integer', minimum: 0, maximum: 900 },
    {
      type: 'integer',
      anyOf: [
        { minimum: 0, maximum: 400 },
        { minimum: 402, maximum: 900 },
      ],
    },
  ],
  [
    'parts that overlap, of which only one may hold',
    { type: 'number' },
    { type: 'number', oneOf: [{ maximum: 0 }, { minimum: 0 }] },
  ],
  [
    'nothing else is evaluated, and the branch that evaluated went',
    object({ c: {} }, { anyOf: [object({ a: {} })], unevaluatedProperties: false }),
    object({ c: {} }, { unevaluatedProperties: false }),
  ],
  [
    'nothing else is evaluated, and the condition that evaluated went',
    object({ c: {} }, { if: object({ a: {} }), then: {}, unevaluatedProperties: false }),
    object({ c: {} }, { unevaluatedProperties: false }),
  ],
  ['one of many values less', { enum: numbered(1_501, String) }, { enum: numbered(1_500, String) }],
  [
    'what has to come together',
    object({ a: {}, b: {} }),
    object({ a: {}, b: {} }, { dependentRequired: { a: ['b'] } }),
  ],
  ['one type less in a tree', tree(12, MAYBE), tree(12, TEXT)],
  ['one type less in definitions that refer to each other', mutual(20, MAYBE), mutual(20, TEXT)],
  ['one type less at the end of a long chain', chain(120, MAYBE), chain(120, TEXT)],
  ['one type less under an anchor', anchored(MAYBE), anchored(TEXT)],
  ['one type less in an embedded document', embedded(MAYBE), embedded(TEXT)],
  ['one type less in a definition that stands everywhere', everywhere(600, MAYBE), everywhere(600, TEXT)],
  ['one of many constants less', choice(401), choice(400)],
];

const PAIRS = [...HARMLESS, ...HARMFUL];
/** A schema that is not an object with properties is a parameter's. */
const asTool = (schema: JsonObject, index: number): Json => ({
  name: `tool${index}`,
  inputSchema: schema.type === 'object' && schema.properties ? schema : object({ value: schema }),
});

interface Found {
  tool: string;
  level: string;
  message: string;
}

describe('the built diff', () => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-proof-'));
  after(() => remove(folder));
  let changes: Found[] = [];
  before(async () => {
    const files = ['before', 'after'].map((side, at) => {
      const file = join(folder, `${side}.json`);
      const tools = PAIRS.map((pair, index) => asTool(pair[at + 1] as JsonObject, index));
      writeFileSync(file, JSON.stringify({ tools }));
      return file;
    });
    const { answer } = await drive('cli.cjs', null, {}, ['diff', ...files, '--json']);
    changes = answer.data.changes;
  });

  for (const [index, [what]] of PAIRS.entries()) {
    const isHarmless = index < HARMLESS.length;
    it(`${isHarmless ? 'breaks nobody' : 'breaks somebody'}: ${what}`, () => {
      const its = changes.filter(({ tool }) => tool === `tool${index}`);
      assert.ok(its.length > 0, 'nothing was found');
      const harmful = its.filter(({ level }) => level === 'breaking' || level === 'unclassified');
      assert.equal(harmful.length === 0, isHarmless, JSON.stringify(its));
      // A schema that could not be compared at all would be harmful for another reason.
      assert.ok(!its.some(({ message }) => message.startsWith('could not be compared')), JSON.stringify(its));
    });
  }
});

describe('what no validator checks, in the built diff', () => {
  const levelsOf = async (test: TestContext, before: Json, now: Json): Promise<string[]> => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-told-'));
    test.after(() => remove(folder));
    const files = [before, now].map((tool, index) => {
      writeFileSync(join(folder, `${index}.json`), JSON.stringify({ tools: [tool] }));
      return join(folder, `${index}.json`);
    });
    const { answer } = await drive('cli.cjs', null, {}, ['diff', ...files, '--json']);
    const changes = answer.data.changes as Found[];
    for (const { message } of changes) assert.doesNotMatch(message, /means the same/);
    return changes.map(({ level }) => level);
  };
  const told: [string, Json, Json][] = [
    ['contentEncoding', 'base16', 'base64'],
    ['contentMediaType', 'text/plain', 'text/html'],
    ['enumDescriptions', ['all', 'none'], ['none', 'all']],
    ['x-unit', 's', 'ms'],
  ];
  for (const [keyword, had, has] of told) {
    it(`${keyword} means something else: semantic`, async (test) => {
      const [before, now] = [had, has].map((value) => asTool(object({ a: { ...TEXT, [keyword]: value } }), 0));
      assert.deepEqual(await levelsOf(test, before as Json, now as Json), ['semantic']);
    });
  }

  it('a tool that runs as a task only refuses plain calls; its default need not be said', async (test) => {
    const tool = (more: JsonObject): Json => ({ name: 'run', inputSchema: { type: 'object' }, ...more });
    const supports = (taskSupport: string) => tool({ execution: { taskSupport } });
    assert.deepEqual(await levelsOf(test, tool({}), supports('required')), ['breaking']);
    assert.deepEqual(await levelsOf(test, supports('required'), supports('optional')), ['compatible']);
    assert.deepEqual(await levelsOf(test, supports('forbidden'), tool({})), []);
  });
});

describe('the built guard', () => {
  it('stops a call that gives what is typed now another type, and sends one that does not', async (test) => {
    const find = (filter: JsonObject) => ({ name: 'find', inputSchema: object({ filter }) });
    const [free, typed] = [find({ type: 'object' }), find(object({ _id: TEXT }))];
    const { start, show, release, call } = await sandbox(test, [free]);
    await start();
    show([free], 'aaa1');
    assert.equal((await call('find', { filter: { _id: 5 } })).stdout, '');
    release([typed]);
    const stopped = await call('find', { filter: { _id: 5 } });
    assert.equal(stopped.answer.hookSpecificOutput.permissionDecision, 'deny');
    assert.match(
      stopped.answer.hookSpecificOutput.permissionDecisionReason,
      /`filter\._id`: `_id` is listed now, and must be `string`/,
    );
    for (const filter of [{ _id: 'x' }, { other: 5 }]) {
      const sent = await call('find', { filter });
      assert.equal(sent.answer?.hookSpecificOutput?.permissionDecision, undefined, sent.stdout);
    }
  });
});
