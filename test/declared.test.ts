// What a call relies on, wherever its schema is: the declarations for its actual values, before and now.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defined } from '../scripts/contract/defined.ts';
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
const inUnit = (description: string): JsonObject =>
  object({ a: { anyOf: [{ type: 'integer', default: 5, description }, text] }, user: text });
const map = (names: JsonObject, values: JsonObject = text): JsonObject => ({
  type: 'object',
  propertyNames: names,
  additionalProperties: values,
});
const referring = (N: JsonObject): JsonObject =>
  object({ m: { $ref: '#/$defs/M' } }, { $defs: { M: map({ $ref: '#/$defs/N' }), N } });

/** An object that also has to meet what stands elsewhere. */
const dark = (...parts: JsonObject[]): JsonObject => ({
  ...object(Object.assign({}, ...parts.map(({ properties }) => properties))),
  $ref: 'https://schemas.test/more.json',
});
const elements = (words: string): JsonObject =>
  object({ list: { type: 'array', items: { $ref: '#/$defs/one' } } }, { $defs: { one: described(words) } });
const holding = (words: string): JsonObject =>
  object({ list: { type: 'array', contains: { const: 'x', description: words }, minContains: 0 } });

describe('a call is judged by what is declared for its values', () => {
  /** A map whose names are two, with words about the German one. */
  const german = (words: string): JsonObject => {
    const anyOf = [
      { const: 'de', ...described(words) },
      { const: 'en', ...described('b') },
    ];
    return object({ m: map({ anyOf }) });
  };
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
    ['a tool that takes any now', a, { type: 'object', additionalProperties: true }, { a: 'x' }, 'notice'],
    [
      'words that are gone beside a title',
      object({ a: { ...described('of the boat'), title: 'Range' } }),
      object({ a: { ...text, title: 'Range' } }),
      { a: 'x' },
      'notice',
    ],
    [
      'words with a unit that are gone beside a title',
      object({ a: { ...described('in miles'), title: 'Range' } }),
      object({ a: { ...text, title: 'Range' } }),
      { a: 'x' },
      'ask',
    ],
    ...(
      [
        [{ a: 1 }, 'ask'],
        [{ a: 'x' }, 'notice'],
        [{ user: 'x' }, 'ask'],
      ] as const
    ).map(([args, decision]): (typeof cases)[number] => [
      `the unit of a default, in the words of one form: ${JSON.stringify(args)}`,
      inUnit('in seconds'),
      inUnit('in minutes'),
      args,
      decision,
    ]),
    ...(['anyOf', 'oneOf'] as const).map((forms): (typeof cases)[number] => [
      `the default of a parameter that is left out, in ${forms}`,
      object({ a: text, size: { [forms]: [{ type: 'integer', default: 1 }, {}] } }),
      object({ a: text, size: { [forms]: [{ type: 'integer', default: 2 }, {}] } }),
      { a: 'x' },
      'ask',
    ]),
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
    ...(
      [
        ['const', { const: 'soft' }, { const: 'hard' }],
        ['enum', { enum: ['soft'] }, { enum: ['hard', 'harder'] }],
      ] as [string, JsonObject, JsonObject][]
    ).flatMap(([keyword, soft, hard]): [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] => {
      const forms = (one: string, other: string, way = 'oneOf') =>
        object({
          x: {
            [way]: [
              { ...soft, description: one },
              { ...hard, description: other },
            ],
          },
        });
      const before = forms('Keeps the files', 'Deletes the files');
      const swapped = forms('Deletes the files', 'Keeps the files');
      return [
        [`the words of two forms by ${keyword}, swapped`, before, swapped, { x: 'soft' }, 'ask'],
        [`the words of two forms by ${keyword}, swapped, and it passes neither`, before, swapped, {}, 'notice'],
        [
          `the words of the other form by ${keyword}`,
          before,
          forms('Keeps the files', 'Moves the files'),
          { x: 'soft' },
          'notice',
        ],
        [
          `the same words of forms by ${keyword}, under another keyword`,
          before,
          forms('Keeps the files', 'Deletes the files', 'anyOf'),
          { x: 'soft' },
          'notice',
        ],
      ];
    }),
    ...(
      [
        ['a map', 'ask', (names) => object({ m: map(names), x: text }), { m: { de: 'x' } }],
        ['a map that is empty', 'notice', (names) => object({ m: map(names), x: text }), { m: {} }],
        ['a map that it does not pass', 'notice', (names) => object({ m: map(names), x: text }), { x: 'y' }],
        ['a map in a map', 'ask', (names) => object({ m: map(text, map(names)) }), { m: { a: { de: 'x' } } }],
        ['a map in a map that is empty', 'notice', (names) => object({ m: map(text, map(names)) }), { m: { a: {} } }],
        ['a map behind references', 'ask', (names) => referring(names), { m: { de: 'x' } }],
        ['a map behind references that is empty', 'notice', (names) => referring(names), { m: {} }],
        ['a map in allOf', 'ask', (names) => object({ m: { allOf: [map(names)] } }), { m: { de: 'x' } }],
      ] as [string, Judgement['decision'], (names: JsonObject) => JsonObject, JsonObject][]
    ).map(([what, decision, schema, args]): [string, JsonObject, JsonObject, JsonObject, Judgement['decision']] => [
      `the words of the names of ${what}`,
      schema(described('ISO 639 code of the language')),
      schema(described('Name of the language in English')),
      args,
      decision,
    ]),
    ['the words of one name', german('a'), german('c'), { m: { de: 'x' } }, 'ask'],
    ['the words of another name', german('a'), german('c'), { m: { en: 'x' } }, 'notice'],
    [
      'the words of names that tell of the values now',
      object({ m: map(described('in euros')) }),
      object({ m: map(text, described('in euros')) }),
      { m: { a: 'x' } },
      'ask',
    ],
    [
      'the same words of names behind a reference now',
      object({ m: map(described('a name')) }),
      object({ m: map({ $ref: '#/$defs/N' }) }, { $defs: { N: described('a name') } }),
      { m: { de: 'x' } },
      'notice',
    ],
    ['never declared', a, object({ a: text, b: text }), { zz: 1 }, 'notice'],
    ...[true, {}].map((any): (typeof cases)[number] => [
      `gone from an object that takes other names, by ${JSON.stringify(any)}`,
      object({ a: text, user: text }, { additionalProperties: any }),
      object({ a: text }, { additionalProperties: any }),
      { user: 'x' },
      'deny',
    ]),
    [
      'one of many names, of which any are taken now',
      object({ a: text }, { additionalProperties: text }),
      object({ a: text }, { additionalProperties: true }),
      { user: 'x' },
      'notice',
    ],
    [
      'the words of what nobody else declares',
      object({ a: text }, { unevaluatedProperties: described('in miles') }),
      object({ a: text }, { unevaluatedProperties: described('in feet') }),
      { user: 'x' },
      'ask',
    ],
    [
      'gone beside a reference that nobody can read',
      under(dark(a, user)),
      under(dark(a)),
      { parent: { user: 'x' } },
      'deny',
    ],
    ['the words of elements behind a reference', elements('in miles'), elements('in feet'), { list: ['x'] }, 'ask'],
    ['the words of an element that has to be there', holding('a key'), holding('a name'), { list: ['x', 'y'] }, 'ask'],
    ['the words of one that is not passed', holding('a key'), holding('a name'), { list: ['y'] }, 'notice'],
  ];
  for (const [what, before, after, args, decision] of cases) {
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found.reasons));
      const told = found.reasons.map(({ change }) => change?.message);
      assert.equal(new Set(told).size, told.length, `told twice: ${told}`);
      if (decision === 'deny') assert.ok(isToldByDiff(before, after), 'the diff calls nothing of it harmful');
    });
  }
});

describe('words that changed beside other words of the same value', () => {
  const levels = (...descriptions: [string, string][]): JsonObject =>
    object({ p: { oneOf: descriptions.map(([title, description], at) => ({ const: at + 1, title, description })) } });
  const LEVELS: [string, string][] = [
    ['Low', 'Reads the disk'],
    ['High', 'Wipes the disk'],
  ];
  const listed = (...told: string[]): JsonObject =>
    object({ p: { enum: [1, 2], 'x-enum-titles': ['Low', 'High'], enumDescriptions: told } });
  const units = (one: string, description?: string): JsonObject =>
    object({ p: { ...(description ? { description } : {}), anyOf: [{ const: 1, description: one }, { const: 2 }] } });
  const forms = (one: string, description?: string): JsonObject =>
    object({ p: { ...defined({ description }), anyOf: [{ type: 'integer', description: one }, text] } });
  const plain = (description?: string): JsonObject =>
    object({ p: { ...defined({ description }), type: ['integer', 'string'] } });
  const named = (description: string): JsonObject => object({ p: { type: 'integer', title: 'Results', description } });
  const timeout = (description: string): JsonObject =>
    object({ p: { $ref: '#/$defs/D', description } }, { $defs: { D: { description: 'Timeout in seconds' } } });
  const cases: [string, JsonObject, JsonObject, Judgement['decision']][] = [
    [
      'title and description of a value were swapped with another one',
      levels(['Low', 'Keeps all files'], ['High', 'Deletes all files']),
      levels(['High', 'Deletes all files'], ['Low', 'Keeps all files']),
      'ask',
    ],
    ['a description that was only the title', named('Results'), named('Results to delete'), 'ask'],
    ['a description that became only the title', named('Results to delete'), named('Results'), 'ask'],
    [
      'over words at the other end of the reference',
      timeout('Timeout in seconds'),
      timeout('Timeout in minutes'),
      'ask',
    ],
    ['the first words of a value', object({ p: { anyOf: [{ const: 1 }, { const: 2 }] } }), units('in hours'), 'ask'],
    [
      'beside words that say the same',
      units('in hours', 'The timeout of calls.'),
      units('in days', 'The timeout of calls'),
      'ask',
    ],
    [
      'in the other value alone',
      levels(['Low', 'Keeps all files'], ['High', 'Deletes all files']),
      levels(['Low', 'Keeps all files'], ['Higher', 'Deletes the account']),
      'notice',
    ],
    [
      'that stand in a list by value now, swapped',
      levels(...LEVELS),
      listed('Wipes the disk', 'Reads the disk'),
      'ask',
    ],
    ['that stand in a list by value now', levels(...LEVELS), listed('Reads the disk', 'Wipes the disk'), 'notice'],
    ['that stood in a list by value, swapped', listed('Wipes the disk', 'Reads the disk'), levels(...LEVELS), 'ask'],
    ['that came in a list by value', object({ p: { enum: [1, 2] } }), listed('Reads', 'Wipes'), 'notice'],
    ['that went with a form, while others stay', forms('in cents', 'The amount'), plain('The amount'), 'ask'],
    ['that went with a form, and were all', forms('The amount'), plain(), 'notice'],
    ['that told a unit, went with a form, and were all', forms('in cents'), plain(), 'ask'],
    ['which only moved', named('Results'), object({ p: { type: 'integer', description: 'Results' } }), 'notice'],
  ];
  for (const [what, before, after, decision] of cases) {
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, { p: 1 });
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found));
    });
  }
});

describe('an object that the server fills in', () => {
  const page = (size: number, filled: JsonObject = {}): JsonObject => ({
    ...object({ size: { type: 'integer', default: size }, at: { type: 'integer' } }),
    default: filled,
  });
  const inside = (one: JsonObject): JsonObject => object({ v: text, page: one });
  const deeper = (size: number): JsonObject => inside({ ...object({ page: page(size) }), default: {} });
  const behind = (size: number): JsonObject =>
    object({ v: text, page: { $ref: '#/$defs/page' } }, { $defs: { page: page(size) } });
  const endless = (size: number): JsonObject => {
    const node = { ...object({ size: { default: size }, left: { $ref: '#/$defs/node' } }), default: {} };
    return object({ v: text, tree: { $ref: '#/$defs/node' } }, { $defs: { node } });
  };
  const mutual = (size: number): JsonObject => {
    const half = (name: string): JsonObject => ({
      ...object({ size: { default: size }, [name]: { $ref: `#/$defs/${name}` } }),
      default: {},
    });
    return object({ v: text, left: { $ref: '#/$defs/left' } }, { $defs: { left: half('right'), right: half('left') } });
  };
  const { default: _none, ...without } = page(10);
  const { default: _nothing, ...later } = page(20);
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    ['and then its default that changed', inside(page(10)), inside(page(20)), { v: 'x' }, 'ask'],
    ['and then one deeper in it', deeper(10), deeper(20), { v: 'x' }, 'ask'],
    ['and then one behind a reference', behind(10), behind(20), { v: 'x' }, 'ask'],
    ['that could hold itself', endless(10), endless(20), { v: 'x' }, 'ask'],
    ['that could hold another one, which could hold it', mutual(10), mutual(20), { v: 'x' }, 'ask'],
    ['that is given, without the default', inside(page(10)), inside(page(20)), { page: { at: 2 } }, 'ask'],
    ['that is given, with the default', inside(page(10)), inside(page(20)), { page: { size: 3 } }, 'notice'],
    ['with a value for the default', inside(page(10, { size: 5 })), inside(page(20, { size: 5 })), {}, 'notice'],
    ['never: it has no default', inside(without), inside(later), { v: 'x' }, 'notice'],
  ];
  for (const [what, before, after, args, decision] of cases)
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found));
    });
});

describe('what a parameter did for a call that leaves it out', () => {
  const stage = { ...text, default: 'trial' };
  const [had, has] = [object({ id: text, stage }), object({ id: text })];
  const inside = (schema: JsonObject): JsonObject =>
    object({ run: { $ref: '#/$defs/run' } }, { $defs: { run: schema } });
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    ['at the root', had, has, { id: 'x' }, 'ask'],
    ['in a part of allOf', { type: 'object', allOf: [had] }, { type: 'object', allOf: [has] }, { id: 'x' }, 'ask'],
    ['in an object that is passed', inside(had), inside(has), { run: { id: 'x' } }, 'ask'],
    ['in an object that is not passed', inside(had), inside(has), {}, 'notice'],
    ['goes on under another name', had, object({ id: text, stageName: stage }), { id: 'x' }, 'notice'],
    ['and it is passed', had, has, { id: 'x', stage: 'real' }, 'deny'],
  ];
  for (const [what, before, after, args, decision] of cases)
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found));
      // A call that gave it a value would be stopped.
      for (const { change } of found.reasons) assert.notEqual(change?.effect?.when, 'omitted');
    });
});

describe('a default that betrays another unit', () => {
  const timed = (value: number): JsonObject => object({ timeout: { type: 'integer', default: value } });
  const inside = (value: number): JsonObject =>
    object({ run: { $ref: '#/$defs/run' } }, { $defs: { run: timed(value) } });
  const [had, has] = [timed(30), timed(30_000)];
  const named = (value: number): JsonObject => object({ timeout_seconds: { type: 'integer', default: value } });
  const worded = (value: number): JsonObject =>
    object({ timeout: { type: 'integer', default: value, description: 'Longest wait, in seconds' } });
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    ['of a number that is passed', had, has, { timeout: 60 }, 'ask'],
    ['of one that is left out', had, has, {}, 'ask'],
    ['of one that is passed in an object', inside(30), inside(30_000), { run: { timeout: 60 } }, 'ask'],
    ['in an object that is not passed', inside(30), inside(30_000), {}, 'notice'],
    ['longer by default, in the same unit', timed(30), timed(45), { timeout: 60 }, 'notice'],
    ['longer by default, in the unit of its name', named(30), named(30_000), { timeout_seconds: 60 }, 'notice'],
    ['longer by default, in the unit of its words', worded(30), worded(30_000), { timeout: 60 }, 'notice'],
  ];
  for (const [what, before, after, args, decision] of cases)
    it(`${what}: ${decision}`, () => {
      assert.equal(judged(before, after, args).decision, decision);
    });
});

describe('elements under a type that is unknown', () => {
  for (const [keyword, value] of Object.entries({ items: false, contains: { type: 'number' }, prefixItems: [false] }))
    it(`which may be a list: ${keyword}`, () => {
      const of = (more: JsonObject): JsonObject => object({ tags: { type: 'any', ...more } });
      assert.equal(judged(of({}), of({ [keyword]: value }), { tags: ['a'] }).decision, 'deny');
    });
});

describe('what no validator checks, said elsewhere', () => {
  const unit = (of: string): JsonObject => ({ type: 'integer', 'x-unit': of });
  const nullable = [{ type: 'string' }, { type: 'null' }];
  const encoded = { type: 'string', contentEncoding: 'base64' };
  const tuple = (second: JsonObject): JsonObject => ({
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object({ f: { type: 'array', items: [text, second] } }),
  });
  const forced = (where: string): JsonObject => ({
    ...object({ k: { enum: ['a', 'b'] }, force: { type: 'boolean' } }),
    if: { properties: { k: { const: where } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { properties: { force: { default: false } } },
    else: { properties: { force: { default: true } } },
  });
  const dated = (format: string): JsonObject => object({ at: { type: 'string', format } });
  const keeping = (other: string): JsonObject => ({
    $defs: { m: { enum: ['a', 'b'], enumDescriptions: ['keeps', other] } },
  });
  const stamped = (format: string): JsonObject => object({ at: { type: 'integer', format } });
  const noted = (schema: JsonObject, region: string): JsonObject => ({ ...schema, 'x-region': region });
  const forms = (region: string): JsonObject => ({
    type: 'object',
    anyOf: [noted(object({ v: text }, { required: ['v'] }), region), object({ w: text }, { required: ['w'] })],
  });
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    [
      'an encoding where two forms became one',
      object({ data: { anyOf: nullable } }),
      object({ data: { ...encoded, type: ['string', 'null'] } }),
      { data: 'x' },
      'ask',
    ],
    [
      'the same encoding where two forms became one',
      object({ data: { anyOf: [encoded, { type: 'null' }] } }),
      object({ data: { ...encoded, type: ['string', 'null'] } }),
      { data: 'x' },
      'notice',
    ],
    ['the encoding of an element', tuple(text), tuple(encoded), { f: ['a', 'b'] }, 'ask'],
    ['the encoding of an element that is not there', tuple(text), tuple(encoded), { f: ['a'] }, 'notice'],
    [
      'a unit that moved into allOf and changed',
      object({ w: unit('s') }),
      { type: 'object', allOf: [object({ w: unit('ms') })] },
      { w: 5 },
      'ask',
    ],
    [
      'a unit that moved into allOf',
      object({ w: unit('s') }),
      { type: 'object', allOf: [object({ w: unit('s') })] },
      { w: 5 },
      'notice',
    ],
    [
      'a description that moved into allOf, beside which another one came',
      object({ w: { type: 'integer', description: 'The width.' } }),
      {
        type: 'object',
        allOf: ['The width', 'Given in miles.'].map((description) => object({ w: { type: 'integer', description } })),
      },
      { w: 3 },
      'ask',
    ],
    [
      'a unit behind a reference, of a parameter that is not passed',
      object({ w: { $ref: '#/$defs/u' }, v: text }, { $defs: { u: unit('s') } }),
      { type: 'object', allOf: [object({ w: unit('ms'), v: text })] },
      { v: 'x' },
      'notice',
    ],
    ['a default by another condition', forced('a'), forced('b'), { k: 'a' }, 'ask'],
    [
      'a default by another condition that is not left out',
      forced('a'),
      forced('b'),
      { k: 'a', force: true },
      'notice',
    ],
    [
      'what a value means, in another order of values, beside another change',
      object({ m: { enum: ['a', 'b'], enumDescriptions: ['keeps', 'deletes'] }, v: text }),
      object({ m: { enum: ['b', 'a'], enumDescriptions: ['deletes', 'keeps'] }, v: described('a name') }),
      { m: 'a' },
      'notice',
    ],
    [
      'what another value means, behind a reference now',
      object({ m: { enum: ['a', 'b'], enumDescriptions: ['keeps', 'deletes'] } }),
      object(
        { m: { $ref: '#/$defs/m' } },
        { $defs: { m: { enum: ['a', 'b'], enumDescriptions: ['keeps', 'moves'] } } },
      ),
      { m: 'a' },
      'notice',
    ],
    [
      'what the value means, behind a reference now',
      object({ m: { enum: ['a', 'b'], enumDescriptions: ['keeps', 'deletes'] } }),
      object(
        { m: { $ref: '#/$defs/m' } },
        { $defs: { m: { enum: ['b', 'a'], enumDescriptions: ['keeps', 'deletes'] } } },
      ),
      { m: 'a' },
      'ask',
    ],
    [
      'what the value means, of one of two parameters with one definition',
      object({ m: { $ref: '#/$defs/m' }, n: { $ref: '#/$defs/m' } }, keeping('deletes')),
      object({ m: { $ref: '#/$defs/m' }, n: { $ref: '#/$defs/m' } }, keeping('moves')),
      { n: 'b' },
      'ask',
    ],
    ['a format that the text does not have', object({ at: text }), dated('date-time'), { at: '2024-01-31' }, 'ask'],
    ['a format that the text has', object({ at: text }), dated('date'), { at: '2024-01-31' }, 'notice'],
    ['another format that the text has, too', dated('hostname'), dated('ipv4'), { at: '127.0.0.1' }, 'notice'],
    ['a format that no standard names', object({ at: text }), dated('our-date'), { at: '2024-01-31' }, 'ask'],
    ['a format for the encoding of any bytes', object({ at: text }), dated('byte'), { at: 'abcd' }, 'ask'],
    ['a format of a text that is not passed', object({ at: text }), dated('date-time'), {}, 'notice'],
    ['a format that went', dated('date'), object({ at: text }), { at: '2024-01-31' }, 'notice'],
    [
      'a format of elements, one of which does not have it',
      object({ to: { type: 'array', items: text } }),
      object({ to: { type: 'array', items: { type: 'string', format: 'email' } } }),
      { to: ['a@b.example', 'everyone'] },
      'ask',
    ],
    ['the format of a number', stamped('unix-seconds'), stamped('unix-millis'), { at: 5 }, 'ask'],
    ['the format of a number that is not passed', stamped('unix-seconds'), stamped('unix-millis'), {}, 'notice'],
    ['a note on all arguments', noted(object({ v: text }), 'eu'), noted(object({ v: text }), 'us'), {}, 'ask'],
    [
      'a note on all arguments behind a reference',
      { $ref: '#/$defs/all', $defs: { all: noted(object({ v: text }), 'eu') } },
      { $ref: '#/$defs/all', $defs: { all: noted(object({ v: text }), 'us') } },
      { v: 'x' },
      'ask',
    ],
    [
      'a note on all arguments that moved into allOf and changed',
      noted(object({ v: text }), 'eu'),
      { type: 'object', allOf: [noted(object({ v: text }), 'us')] },
      { v: 'x' },
      'ask',
    ],
    ['a note on the form of the arguments', forms('eu'), forms('us'), { v: 'x' }, 'ask'],
    ['a note on another form of the arguments', forms('eu'), forms('us'), { w: 'x' }, 'notice'],
    ['a first note on all arguments', object({ v: text }), noted(object({ v: text }), 'us'), { v: 'x' }, 'notice'],
    ...(
      [
        ['one of its forms', { oneOf: [{ type: 'number' }, { type: 'boolean' }] }],
        ['allOf', { allOf: [{ minimum: 0 }, { type: 'number' }] }],
        ['its choices', { enum: [7, 8] }],
        ['a definition', { $ref: '#/definitions/count' }],
        ['nothing', {}],
        ['types with text', { type: ['string', 'number'] }],
      ] as [string, JsonObject][]
    ).flatMap(([where, type]): [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] => {
      const sized = (format: string): JsonObject =>
        object(
          { size: { ...type, format }, v: text },
          { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { count: { type: 'integer' } } },
        );
      return [
        [`the format of a number by ${where}`, sized('bytes'), sized('kilobytes'), { size: 7 }, 'ask'],
        [`that of one that is not passed, by ${where}`, sized('bytes'), sized('kilobytes'), { v: 'x' }, 'notice'],
        [`a wider format by ${where}`, sized('float'), sized('double'), { size: 7 }, 'notice'],
      ];
    }),
    ['a wider format of a number', stamped('int32'), stamped('int64'), { at: 5 }, 'notice'],
  ];
  for (const [what, before, after, args, decision] of cases) {
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found));
      const levels = diffContract({ name: 't', inputSchema: before }, { name: 't', inputSchema: after }).map(
        ({ level }) => level,
      );
      if (decision === 'ask' && !what.includes('condition'))
        assert.ok(levels.includes('semantic') || levels.includes('breaking'), levels.join());
    });
  }

  it('a yes about one value is none about another one', () => {
    const listed = object({ m: { enum: ['a', 'b'], enumDescriptions: ['keeps', 'deletes'] } });
    const m = { enum: ['a', 'b'], enumDescriptions: ['moves', 'copies'] };
    const apart = (...words: string[]): JsonObject =>
      object({ m: { oneOf: words.map((description, at) => ({ const: 'ab'[at] ?? '', description })) } });
    for (const [before, after] of [
      [listed, object({ m })],
      [listed, { type: 'object', allOf: [object({ m })] }],
      [apart('keeps', 'deletes'), apart('moves', 'copies')],
    ] as [JsonObject, JsonObject][]) {
      const told = new Set(judged(before, after, { m: 'a' }).reasons.map(({ key }) => key));
      assert.equal(told.size, 1);
      assert.equal(judged(before, after, { m: 'a' }, told).decision, 'notice');
      assert.equal(judged(before, after, { m: 'b' }, told).decision, 'ask');
    }
  });
});

describe('what a value has to be now, which no validator checks', () => {
  const email = { type: 'string', format: 'email' };
  const fixed = { type: 'string', readOnly: true };
  /** A comment, and the answers to it. */
  const thread = (author: JsonObject): JsonObject =>
    object(
      { post: { $ref: '#/$defs/post' } },
      { $defs: { post: object({ author, body: text, reply: { $ref: '#/$defs/post' } }) } },
    );
  /** A folder, which is the whole tool. */
  const folder = (size: JsonObject): JsonObject => object({ size, in: { $ref: '#' } });
  const stored = (format: string): JsonObject => folder({ type: 'integer', format });
  /** A parameter of one name in two forms, which a tag tells apart. */
  const sent = (
    mail: JsonObject,
    call: JsonObject,
    tags: [Json, Json] = [{ const: 'mail' }, { const: 'call' }],
  ): JsonObject =>
    object({
      via: {
        oneOf: [mail, call].map((to, at) => object({ by: tags[at] as Json, to }, { required: ['by'] })),
      },
    });
  /** What a parameter has to be beside another one, in three ways to write that. */
  const beside: [string, (schema: JsonObject) => JsonObject][] = [
    ['allOf', (to) => ({ allOf: [{ properties: { to } }] })],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ['a condition', (to) => ({ if: { required: ['copy'] }, then: { properties: { to } } })],
    ['another parameter', (to) => ({ dependentSchemas: { copy: { properties: { to } } } })],
  ];
  const pair = (first: JsonObject, second: JsonObject): JsonObject =>
    object({ ends: { type: 'array', prefixItems: [first, second] } });
  const labels = (properties: JsonObject): JsonObject => object({ labels: { ...map({ maxLength: 40 }), properties } });
  const named = (names: JsonObject): JsonObject => object({ byId: map(names) });
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    [
      'a format of what refers to itself, one level deep',
      thread(text),
      thread(email),
      { post: { reply: { author: 'Ann' } } },
      'ask',
    ],
    ['one that the text has', thread(text), thread(email), { post: { reply: { author: 'ann@b.example' } } }, 'notice'],
    ['one of what is not passed there', thread(text), thread(email), { post: { reply: { body: 'Ann' } } }, 'notice'],
    [
      'a mark of what refers to itself, two levels deep',
      thread(text),
      thread(fixed),
      { post: { reply: { reply: { author: 'Ann' } } } },
      'ask',
    ],
    [
      'one of what is not passed at any depth',
      thread(text),
      thread(fixed),
      { post: { body: 'a', reply: { body: 'b' } } },
      'notice',
    ],
    ['one that went', thread(fixed), thread(text), { post: { reply: { author: 'Ann' } } }, 'notice'],
    [
      'a number that is too large deep in the tool',
      stored('int64'),
      stored('int32'),
      { in: { in: { size: 5e9 } } },
      'ask',
    ],
    ['one that is not', stored('int64'), stored('int32'), { in: { in: { size: 5e4 } } }, 'notice'],
    ['more bits deep in the tool', stored('int16'), stored('int32'), { in: { size: 7 } }, 'notice'],
    ...beside.flatMap(([where, also]): typeof cases => {
      const plain = object({ to: text, copy: text });
      return [
        [`a format by ${where}`, plain, { ...plain, ...also(email) }, { to: 'Ann', copy: 'x' }, 'ask'],
        [
          `a format that the text has, by ${where}`,
          plain,
          { ...plain, ...also(email) },
          { to: 'ann@b.example', copy: 'x' },
          'notice',
        ],
        [`a mark by ${where}`, plain, { ...plain, ...also(fixed) }, { to: 'Ann', copy: 'x' }, 'ask'],
        [`a mark of what is not passed, by ${where}`, plain, { ...plain, ...also(fixed) }, { copy: 'x' }, 'notice'],
        [
          `a mark that moved to ${where}`,
          object({ to: fixed, copy: text }),
          { ...plain, ...also(fixed) },
          { to: 'Ann', copy: 'x' },
          'notice',
        ],
      ];
    }),
    [
      'a format in the form that it has',
      sent(text, text),
      sent(email, text),
      { via: { by: 'mail', to: 'Ann' } },
      'ask',
    ],
    ['a format in another form', sent(text, text), sent(email, text), { via: { by: 'call', to: 'Ann' } }, 'notice'],
    ['a mark in another form', sent(text, text), sent(fixed, text), { via: { by: 'call', to: 'Ann' } }, 'notice'],
    [
      'an encoding in another form',
      sent(text, text),
      sent(text, { ...text, contentEncoding: 'base64' }),
      { via: { by: 'mail', to: 'Ann' } },
      'notice',
    ],
    [
      'an encoding in the form that it has',
      sent(text, text),
      sent(text, { ...text, contentEncoding: 'base64' }),
      { via: { by: 'call', to: 'Ann' } },
      'ask',
    ],
    [
      'a form with a format, which takes its tag now',
      sent(email, text, [{ const: 'mail' }, { enum: ['call', 'chat'] }]),
      sent(email, text, [{ enum: ['mail', 'chat'] }, { const: 'call' }]),
      { via: { by: 'chat', to: 'Ann' } },
      'ask',
    ],
    [
      'a form with a mark, which takes its tag now',
      sent(fixed, text, [{ const: 'mail' }, { enum: ['call', 'chat'] }]),
      sent(fixed, text, [{ enum: ['mail', 'chat'] }, { const: 'call' }]),
      { via: { by: 'chat', to: 'Ann' } },
      'ask',
    ],
    [
      'a form with a format, which takes another tag now',
      sent(email, text, [{ const: 'mail' }, { enum: ['call', 'chat'] }]),
      sent(email, text, [{ enum: ['mail', 'chat'] }, { const: 'call' }]),
      { via: { by: 'call', to: 'Ann' } },
      'notice',
    ],
    [
      'a format of one of two forms that any text has',
      object({ to: text }),
      object({ to: { anyOf: [email, text] } }),
      { to: 'Ann' },
      'notice',
    ],
    [
      'a format of each form that a text can have',
      object({ to: text }),
      object({ to: { anyOf: [email, { type: 'null' }] } }),
      { to: 'Ann' },
      'ask',
    ],
    [
      'a form for any text, which went',
      object({ to: { anyOf: [email, text] } }),
      object({ to: email }),
      { to: 'Ann' },
      'ask',
    ],
    ['a format of another element', pair(text, text), pair(text, email), { ends: ['Ann'] }, 'notice'],
    ['a mark of another element', pair(text, text), pair(text, fixed), { ends: ['Ann'] }, 'notice'],
    ['a mark of an element', pair(text, text), pair(text, fixed), { ends: ['Ann', 'Bob'] }, 'ask'],
    ['a format of a name that a map took', labels({}), labels({ owner: email }), { labels: { owner: 'Ann' } }, 'ask'],
    ['a format of another name', labels({}), labels({ owner: email }), { labels: { user: 'Ann' } }, 'notice'],
    ['a mark of a name that a map took', labels({}), labels({ owner: fixed }), { labels: { owner: 'Ann' } }, 'ask'],
    [
      'a mark of a name that anything took',
      object({ box: { type: 'object' } }),
      object({ box: object({ owner: fixed }) }),
      { box: { owner: 'Ann' } },
      'ask',
    ],
    [
      'a format of names',
      named({ maxLength: 50 }),
      named({ maxLength: 50, format: 'uuid' }),
      { byId: { Ann: 'x' } },
      'ask',
    ],
    [
      'a format that the names have',
      named({ maxLength: 50 }),
      named({ maxLength: 50, format: 'email' }),
      { byId: { 'ann@b.example': 'x' } },
      'notice',
    ],
    ['a unit of names', named({ 'x-unit': 's' }), named({ 'x-unit': 'ms' }), { byId: { 5: 'x' } }, 'ask'],
    [
      'forms that changed places behind a tag',
      ...(['here', 'there'].map(
        (first): JsonObject =>
          object(
            {
              to: {
                oneOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
                discriminator: { propertyName: 'by', mapping: { a: '#/$defs/a', b: '#/$defs/b' } },
              },
            },
            {
              $defs: Object.fromEntries(
                ['a', 'b'].map((name) => [
                  name,
                  object({ by: text, to: { ...text, maxLength: (name === 'a') === (first === 'here') ? 30 : 40 } }),
                ]),
              ),
            },
          ),
      ) as [JsonObject, JsonObject]),
      { to: { by: 'a', to: 'x'.repeat(35) } },
      'ask',
    ],
  ];
  for (const [what, before, after, args, decision] of cases) {
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found));
    });
  }
});

describe('what stands at a position of a list', () => {
  const number = { type: 'number' };
  const of = (...prefixItems: JsonObject[]): JsonObject => ({ type: 'array', prefixItems });
  const older = (...items: JsonObject[]): JsonObject => ({ type: 'array', items });
  const rgb = (colour: JsonObject): JsonObject => object({ colour });
  const opened = (how: string): JsonObject => of(text, { ...text, default: how });
  /** A shape in one of two forms, each with a list of numbers. */
  const shape = (point: JsonObject, line: JsonObject): JsonObject =>
    object({ shape: { oneOf: [kind('point', { at: point }), kind('line', { at: line })] } });
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    [
      'one that is not named now',
      rgb(of(number, number, text)),
      rgb(of(number, number)),
      { colour: [1, 2, 'a'] },
      'deny',
    ],
    ['one that is not given', rgb(of(number, number, text)), rgb(of(number, number)), { colour: [1, 2] }, 'notice'],
    [
      'one where anything may follow now',
      rgb(of(number, text)),
      rgb({ ...of(number), items: true }),
      { colour: [1, 'a'] },
      'deny',
    ],
    [
      'one where nothing may follow now',
      rgb(of(number, text)),
      rgb({ ...of(number), items: false }),
      { colour: [1, 'a'] },
      'deny',
    ],
    ['one that never was named', rgb(of(number, number)), rgb(of(number, text)), { colour: [1] }, 'notice'],
    [
      'one of a list in the older form',
      { ...rgb(older(number, text)), $schema: 'http://json-schema.org/draft-07/schema#' },
      { ...rgb(older(number)), $schema: 'http://json-schema.org/draft-07/schema#' },
      { colour: [1, 'a'] },
      'deny',
    ],
    [
      'one in a list in a list',
      rgb({ type: 'array', items: of(number, text) }),
      rgb({ type: 'array', items: of(number) }),
      { colour: [[1], [1, 'a']] },
      'deny',
    ],
    [
      'one of any number',
      rgb({ type: 'array', items: described('A tag') }),
      rgb(of(described('A tag'))),
      { colour: ['a', 'b'] },
      'deny',
    ],
    [
      'the first of any number',
      rgb({ type: 'array', items: described('A tag') }),
      rgb(of(described('A tag'))),
      { colour: ['a'] },
      'notice',
    ],
    ['one of a list of anything', rgb(of(number, number)), rgb({ type: 'array' }), { colour: [1, 2] }, 'notice'],
    [
      'one of another form',
      shape(of(number, number), { type: 'array', items: number }),
      shape(of(number), { type: 'array', items: number }),
      { shape: { kind: 'line', at: [1, 2, 3] } },
      'notice',
    ],
    [
      'one of its form',
      shape(of(number, number), { type: 'array', items: number }),
      shape(of(number), { type: 'array', items: number }),
      { shape: { kind: 'point', at: [1, 2] } },
      'deny',
    ],
    [
      'one with words, like all others now',
      rgb(of(described('Red'), described('Green'))),
      rgb({ type: 'array', items: text }),
      { colour: ['a'] },
      'ask',
    ],
    [
      'one without words, like all others now',
      rgb(of(text, text)),
      rgb({ type: 'array', items: text }),
      { colour: ['a', 'b'] },
      'ask',
    ],
    [
      'one that is not given, like all others now',
      rgb(of(text, described('Green'))),
      rgb({ ...of(text), items: text }),
      { colour: ['a'] },
      'ask',
    ],
    [
      'no more than are named',
      rgb(of(number, number)),
      rgb({ ...of(number, number), items: false }),
      { colour: [1, 2] },
      'notice',
    ],
    [
      'one more than are named',
      rgb(of(number, number)),
      rgb({ ...of(number, number), items: false }),
      { colour: [1, 2, 3] },
      'deny',
    ],
    [
      'as many of a kind as may be',
      rgb({ type: 'array', contains: { const: 'a' } }),
      rgb({ type: 'array', contains: { const: 'a' }, maxContains: 2 }),
      { colour: ['a', 'b', 'a'] },
      'notice',
    ],
    [
      'more of a kind than may be',
      rgb({ type: 'array', contains: { const: 'a' } }),
      rgb({ type: 'array', contains: { const: 'a' }, maxContains: 1 }),
      { colour: ['a', 'a'] },
      'deny',
    ],
    ['a default of one that is not given', rgb(opened('read')), rgb(opened('write')), { colour: ['a'] }, 'ask'],
    [
      'a default of one in a list in a list',
      rgb({ type: 'array', items: opened('read') }),
      rgb({ type: 'array', items: opened('write') }),
      { colour: [['a', 'read'], ['b']] },
      'ask',
    ],
    ['a default of one that is given', rgb(opened('read')), rgb(opened('write')), { colour: ['a', 'read'] }, 'notice'],
    ['a default in a list that is not given', rgb(opened('read')), rgb(opened('write')), {}, 'notice'],
    [
      'a default that stands elsewhere',
      rgb(opened('read')),
      rgb({ allOf: [opened('read')] }),
      { colour: ['a'] },
      'notice',
    ],
    ['a first default of one that is not given', rgb(of(text, text)), rgb(opened('write')), { colour: ['a'] }, 'ask'],
    ['a default that acted and is gone', rgb(opened('append')), rgb(of(text)), { colour: ['a'] }, 'ask'],
  ];
  for (const [what, before, after, args, decision] of cases) {
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found));
    });
  }
});

describe('what acts in a call that leaves it out, and was not there', () => {
  const on = (name = 'cascade'): JsonObject => ({ [name]: { type: 'boolean', default: true } });
  const work = object({ do: { enum: ['list', 'drop'] }, table: text });
  const where = (of: string, then: JsonObject): JsonObject => ({ if: { properties: { do: { const: of } } }, then });
  const dropping = { properties: on() };
  const forms = (
    list: JsonObject,
    drop: JsonObject,
    tags: [Json, Json] = [{ const: 'list' }, { const: 'drop' }],
  ): JsonObject => ({
    type: 'object',
    oneOf: [list, drop].map((more, at) => object({ do: tags[at] as Json, ...more }, { required: ['do'] })),
  });
  const tags: [Json, Json][] = [
    [{ enum: ['list', 'drop'] }, { const: 'purge' }],
    [{ const: 'list' }, { enum: ['drop', 'purge'] }],
  ];
  const step = (more: JsonObject): JsonObject => object({ name: text, ...more, next: { $ref: '#' } });
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    ['by a condition', work, { ...work, ...where('drop', dropping) }, { do: 'drop' }, 'ask'],
    ['by a condition that does not hold', work, { ...work, ...where('drop', dropping) }, { do: 'list' }, 'notice'],
    [
      'by a condition, and given',
      work,
      { ...work, ...where('drop', dropping) },
      { do: 'drop', cascade: false },
      'notice',
    ],
    [
      'by another condition',
      { ...work, ...where('list', dropping) },
      { ...work, ...where('drop', dropping) },
      { do: 'drop' },
      'ask',
    ],
    ['by one of all conditions', work, { ...work, allOf: [where('drop', dropping)] }, { do: 'drop' }, 'ask'],
    [
      'where a condition does not hold',
      work,
      { ...work, if: { properties: { do: { const: 'list' } } }, else: dropping },
      { do: 'drop' },
      'ask',
    ],
    [
      'beside another parameter',
      work,
      { ...work, dependentSchemas: { table: dropping } },
      { do: 'drop', table: 'a' },
      'ask',
    ],
    [
      'beside one that is not passed',
      work,
      { ...work, dependentSchemas: { table: dropping } },
      { do: 'drop' },
      'notice',
    ],
    [
      'by a condition, and keeping the call from doing anything',
      work,
      { ...work, ...where('drop', { properties: on('dry_run') }) },
      { do: 'drop' },
      'ask',
    ],
    [
      'by a condition, and harmless',
      work,
      { ...work, ...where('drop', { properties: on('compress') }) },
      { do: 'drop' },
      'notice',
    ],
    [
      'by a condition, after it was for all',
      object({ do: text, ...on() }),
      { ...object({ do: text }), ...where('drop', dropping) },
      { do: 'drop' },
      'notice',
    ],
    ['in its form', forms({}, {}), forms({}, on()), { do: 'drop' }, 'ask'],
    ['in another form', forms({}, {}), forms({}, on()), { do: 'list' }, 'notice'],
    [
      'in another form, beside a plain one of that name in its own',
      forms({}, {}),
      forms({ cascade: { type: 'boolean' } }, on()),
      { do: 'list' },
      'notice',
    ],
    ['in a form that takes its tag now', forms({}, on(), tags[0]), forms({}, on(), tags[1]), { do: 'drop' }, 'ask'],
    ['in a form that took another tag', forms({}, on(), tags[0]), forms({}, on(), tags[1]), { do: 'purge' }, 'notice'],
    ['deep in what refers to itself', step({}), step(on()), { cascade: false, next: { name: 'a' } }, 'ask'],
    [
      'deep in what refers to itself, and given',
      step({}),
      step(on()),
      { cascade: false, next: { cascade: false } },
      'notice',
    ],
    ['and has to be given', work, { ...work, allOf: [{ ...dropping, required: ['cascade'] }] }, { do: 'drop' }, 'deny'],
    [
      'in an object that took anything',
      object({ box: { type: 'object' } }),
      object({ box: object(on()) }),
      { box: {} },
      'notice',
    ],
  ];
  for (const [what, before, after, args, decision] of cases) {
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found));
    });
  }
});

describe('a parameter whose name has a form that is no longer listed', () => {
  const env = (more: JsonObject): JsonObject => object({ env: object({ path: text }, more) });
  const forms = { patternProperties: { '^my_': described('Passed on as it is') } };
  const anyName = { patternProperties: { '^.*$': text } };
  const cases: [string, JsonObject, JsonObject, JsonObject, Judgement['decision']][] = [
    ['any other is taken now', env(forms), env({ additionalProperties: true }), { env: { my_a: 'x' } }, 'deny'],
    ['another one is given', env(forms), env({ additionalProperties: true }), { env: { path: 'x' } }, 'notice'],
    ['one is given that never was', env(forms), env({ additionalProperties: true }), { env: { a: 'x' } }, 'notice'],
    [
      'all others are described like it',
      env(forms),
      env({ additionalProperties: described('Passed on as it is') }),
      { env: { my_a: 'x' } },
      'ask',
    ],
    [
      'another form is given, and no other is taken',
      env({ patternProperties: { ...forms.patternProperties, '^at_': text }, additionalProperties: false }),
      env({ ...forms, additionalProperties: false }),
      { env: { my_a: 'x' } },
      'notice',
    ],
    [
      'it is given, and no other is taken',
      env({ patternProperties: { ...forms.patternProperties, '^at_': text }, additionalProperties: false }),
      env({ ...forms, additionalProperties: false }),
      { env: { at_a: 'x' } },
      'deny',
    ],
    [
      'it says something else under a wider form',
      env(forms),
      env({ patternProperties: { '^my': described('Read as a path') } }),
      { env: { my_a: 'x' } },
      'ask',
    ],
    [
      'the form was that of any name',
      env(anyName),
      env({ additionalProperties: true }),
      { env: { my_a: 'x' } },
      'notice',
    ],
    [
      'a wider form has it',
      env(forms),
      env({ patternProperties: { '^my': described('Passed on as it is') } }),
      { env: { my_a: 'x' } },
      'ask',
    ],
  ];
  for (const [what, before, after, args, decision] of cases) {
    it(`${what}: ${decision}`, () => {
      const found = judged(before, after, args);
      assert.equal(found.decision === 'silence' ? 'notice' : found.decision, decision, JSON.stringify(found));
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

describe('what is declared where we cannot tell whether it applies', () => {
  // No engine reads this pattern.
  const unreadable = object({ a: { type: 'string', pattern: '(?<' } });
  const stopped = ({ decision, reasons }: Judgement) => [decision, ...reasons.map(({ change }) => change?.message)];
  const REMOVED = ['deny', 'removed: `user` (no longer listed; still accepted, like any unknown name)'];

  it('is relied on: in a branch beside one that applies', () => {
    const either = (other: JsonObject): JsonObject => ({
      type: 'object',
      anyOf: [a, { ...unreadable, properties: { ...(unreadable.properties as JsonObject), ...other } }],
    });
    assert.deepEqual(stopped(judged(either({ user: text }), either({}), { a: 'x', user: 'y' })), REMOVED);
  });

  it('is relied on: behind a condition, whether that holds or not', () => {
    for (const keyword of ['then', 'else']) {
      const rest = object({ a: text, b: text });
      const after = { ...rest, if: unreadable };
      assert.deepEqual(stopped(judged({ ...after, [keyword]: user }, after, { a: 'x', user: 'y' })), REMOVED, keyword);
    }
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

/** Whether a tool says that it takes any parameter, and names none: then any may still be meant. */
const takesAny = ({ properties, additionalProperties: rest = false }: JsonObject): boolean =>
  Object.keys(properties as JsonObject).length === 0 && ['true', '{}'].includes(JSON.stringify(rest));

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
        if (takesAny(after) || !holds(after, args as JsonObject) || uses(after, args as JsonObject) !== false) return;
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
        // The same name in another spelling is surely the same.
        const now = `${old}`.toUpperCase();
        const after = mutate(source, { ...before, properties: { ...rest, [now]: moved as Json } });
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
