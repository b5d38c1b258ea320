// A part of a schema that no validator reads is left out, and told where it concerns a call; all the rest is checked.
// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { validateArguments } from '../scripts/contract/validate.ts';

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const BROKEN = { pattern: '(' };

const validity = (schema: JsonObject, args: JsonObject): [boolean | 'unknown', string[] | undefined] => {
  const found = validateArguments(schema, args);
  return [found.valid, found.valid === true ? undefined : found.unread];
};

describe('what cannot be read is told, and what stands beside it is checked', () => {
  const UNREADABLE: [string, Json, Json?][] = [
    ['pattern', '('],
    ['pattern', 5],
    ['minimum', '1', 5],
    ['required', 'a', {}],
    ['enum', []],
    ['enum', 'x'],
    ['type', 'any'],
    ['items', 5, []],
    ['properties', 5, {}],
    ['patternProperties', { '(': {} }, {}],
    ['patternProperties', 5, {}],
    ['dependentRequired', { a: 'b' }, {}],
    ['anyOf', 'x'],
    ['$ref', '#/nowhere'],
    ['$ref', 5],
  ];
  for (const [keyword, operand, value = 'x'] of UNREADABLE)
    it(`${keyword}: ${JSON.stringify(operand)}`, () => {
      const schema = object({ a: { type: 'string' }, b: { [keyword]: operand } }, { additionalProperties: false });
      const unread = [`/properties/b/${keyword}`];
      assert.deepEqual(validity(schema, { a: 'x' }), [true, undefined], 'without it');
      assert.deepEqual(validity(schema, { a: 'x', b: value }), ['unknown', unread]);
      assert.deepEqual(validity(schema, { a: 1, b: value }), [false, unread], 'another one is wrong');
      assert.deepEqual(validity(schema, { a: 1 }), [false, undefined]);
      assert.equal(validity(schema, { c: 1 })[0], false, 'a name that is not listed');
    });

  const KEYWORDS: [JsonObject, Json, Json][] = [
    [{ type: 'string' }, 'x', 1],
    [{ type: ['string', 'null'] }, null, 1],
    [{ type: 'string', nullable: true }, null, 1],
    [{ nullable: true, minimum: 2 }, 2, 1],
    [{ const: 1 }, 1, 2],
    [{ enum: [1] }, 1, 2],
    [{ minimum: 5 }, 5, 4],
    [{ minimum: 5, exclusiveMinimum: true }, 6, 5],
    [{ maximum: 5, exclusiveMaximum: true }, 4, 5],
    [{ minimum: 5, exclusiveMinimum: false }, 5, 4],
    [{ exclusiveMaximum: true }, 5, undefined as unknown as Json],
    [{ exclusiveMaximum: 5 }, 4, 5],
    [{ multipleOf: 2 }, 4, 3],
    [{ minLength: 2 }, 'xx', 'x'],
    [{ pattern: '^x' }, 'x', 'y'],
    [{ required: ['a'] }, { a: 1 }, {}],
    [{ minProperties: 1 }, { a: 1 }, {}],
    [{ propertyNames: { maxLength: 1 } }, { a: 1 }, { aa: 1 }],
    [{ properties: { a: false } }, {}, { a: 1 }],
    [{ patternProperties: { '^a': false } }, {}, { a: 1 }],
    [{ additionalProperties: false }, {}, { a: 1 }],
    [{ unevaluatedProperties: false }, {}, { a: 1 }],
    [{ dependentRequired: { a: ['b'] } }, { b: 1 }, { a: 1 }],
    [{ dependencies: { a: ['b'] } }, { b: 1 }, { a: 1 }],
    [{ dependentSchemas: { a: false } }, {}, { a: 1 }],
    [{ items: { type: 'string' } }, ['x'], [1]],
    [{ prefixItems: [{ type: 'string' }] }, ['x'], [1]],
    [{ contains: { type: 'string' } }, [1, 'x'], [1]],
    [{ contains: { type: 'string' }, maxContains: 1 }, ['x', 1], ['x', 'x']],
    [{ uniqueItems: true }, [1, 2], [1, 1]],
    [{ maxItems: 1 }, [1], [1, 2]],
    [{ not: { type: 'string' } }, 1, 'x'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 1],
    [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 0.5, 1],
    [{ allOf: [{ type: 'string' }] }, 'x', 1],
    [{ if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } }, 2, 1],
    [{ if: { type: 'string' }, then: { minLength: 2 } }, 'xx', 'x'],
    [{ $ref: '#/$defs/d' }, 'x', 1],
    [{ $ref: '#d' }, 'x', 1],
  ];
  for (const [schema, right, wrong] of KEYWORDS)
    it(`beside it holds ${JSON.stringify(schema)}`, () => {
      const root = object({ a: schema, b: BROKEN }, { $defs: { d: { $anchor: 'd', type: 'string' } } });
      assert.deepEqual(validity(root, { a: right }), [true, undefined]);
      assert.deepEqual(validity(root, { a: right, b: 'x' }), ['unknown', ['/properties/b/pattern']]);
      assert.deepEqual(validity(root, { a: right, b: 5 }), [true, undefined], 'a number, which no pattern is about');
      if (wrong !== undefined) assert.equal(validity(root, { a: wrong, b: 'x' })[0], false);
    });
});

describe('what leans on a part that cannot be read refuses nothing', () => {
  const TABLE: [string, JsonObject, Json, boolean | 'unknown'][] = [
    ['other names, beside unreadable ones', { properties: 5, additionalProperties: false }, { x: 1 }, 'unknown'],
    [
      'other names, beside a pattern',
      { patternProperties: { '(': {} }, additionalProperties: false },
      { x: 1 },
      'unknown',
    ],
    [
      'names that are left, beside unreadable ones',
      { properties: 5, unevaluatedProperties: false },
      { x: 1 },
      'unknown',
    ],
    ['further elements', { prefixItems: 5, items: false }, [1], 'unknown'],
    ['how many are contained', { contains: BROKEN, minContains: 2 }, ['x'], false],
    ['what follows from a condition', { if: BROKEN, then: false }, 'x', 'unknown'],
    ['what follows otherwise', { if: BROKEN, else: false }, 'x', 'unknown'],
    ['what must not be', { not: BROKEN }, 'x', 'unknown'],
    ['what at most some may be', { contains: BROKEN, minContains: 0, maxContains: 1 }, ['x', 'x'], 'unknown'],
    ['null, beside an unknown type', { type: 'any', nullable: true }, null, 'unknown'],
    ['one of two forms', { oneOf: [BROKEN, { type: 'string' }] }, 'x', 'unknown'],
    [
      'one of two forms, none of which can fit',
      { oneOf: [{ ...BROKEN, type: 'number' }, { type: 'null' }] },
      'x',
      false,
    ],
    ['what must not be, behind a reference', { not: { $ref: '#/$defs/broken' } }, 'x', 'unknown'],
  ];
  for (const [what, schema, value, expected] of TABLE)
    it(what, () => {
      const root = object({ a: schema }, { $defs: { broken: BROKEN } });
      assert.equal(validity(root, { a: value })[0], expected);
      assert.equal(validity(root, {})[0], true);
    });
  it('beside a reference, where the dialect reads nothing else', () => {
    const at = (more: JsonObject): JsonObject =>
      object(
        { a: { $ref: '#/definitions/a', minimum: 'x', ...more }, b: BROKEN },
        { $schema: DRAFT_7, definitions: { a: { type: 'string' } } },
      );
    assert.deepEqual(validity(at({ const: 1 }), { a: 'x' }), [true, undefined]);
    assert.deepEqual(validity(at({ const: 1 }), { a: 1 }), [false, undefined]);
    assert.deepEqual(validity(at({ $ref: '#/nowhere' }), { a: 1 }), ['unknown', ['/properties/a/$ref']]);
  });
});
