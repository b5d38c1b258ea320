import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';

/** Each keyword of the input side: the keywords next to it, a loose value, and a tighter one. */
const KEYWORDS: Record<string, { beside?: JsonObject; loose: Json; tight: Json }> = {
  type: { loose: ['string', 'integer'], tight: 'string' },
  enum: { loose: ['a', 'b'], tight: ['a'] },
  minimum: { beside: { type: 'number' }, loose: 1, tight: 2 },
  maximum: { beside: { type: 'number' }, loose: 2, tight: 1 },
  exclusiveMinimum: { beside: { type: 'number' }, loose: 1, tight: 2 },
  exclusiveMaximum: { beside: { type: 'number' }, loose: 2, tight: 1 },
  multipleOf: { beside: { type: 'integer' }, loose: 2, tight: 4 },
  minLength: { beside: { type: 'string' }, loose: 1, tight: 2 },
  maxLength: { beside: { type: 'string' }, loose: 2, tight: 1 },
  minItems: { beside: { type: 'array' }, loose: 1, tight: 2 },
  maxItems: { beside: { type: 'array' }, loose: 2, tight: 1 },
  items: { beside: { type: 'array' }, loose: { type: ['string', 'null'] }, tight: { type: 'string' } },
  prefixItems: { beside: { type: 'array' }, loose: [{ type: ['string', 'null'] }], tight: [{ type: 'string' }] },
  contains: { beside: { type: 'array', minItems: 1 }, loose: { type: ['string', 'null'] }, tight: { type: 'string' } },
  minProperties: { beside: { type: 'object' }, loose: 1, tight: 2 },
  maxProperties: { beside: { type: 'object' }, loose: 2, tight: 1 },
  required: { beside: { type: 'object', properties: { a: {}, b: {} } }, loose: ['a'], tight: ['a', 'b'] },
  additionalProperties: { beside: { type: 'object' }, loose: { type: ['string', 'null'] }, tight: { type: 'string' } },
  propertyNames: { beside: { type: 'object' }, loose: { maxLength: 9 }, tight: { maxLength: 3 } },
  dependentRequired: {
    beside: { type: 'object', properties: { a: {}, b: {}, c: {} } },
    loose: { a: ['b'] },
    tight: { a: ['b', 'c'] },
  },
  dependentSchemas: {
    beside: { type: 'object', properties: { a: {}, b: {}, c: {} } },
    loose: { a: { required: ['b'] } },
    tight: { a: { required: ['b', 'c'] } },
  },
  allOf: { loose: [{ type: ['string', 'null'] }], tight: [{ type: 'string' }] },
  anyOf: { loose: [{ type: 'string' }, { type: 'null' }], tight: [{ type: 'string' }] },
  oneOf: { loose: [{ type: 'string' }, { type: 'null' }], tight: [{ type: 'string' }] },
  not: { loose: { const: 'a' }, tight: { enum: ['a', 'b'] } },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  if: { beside: { type: 'string', then: { minLength: 3 } }, loose: { const: 'a' }, tight: { enum: ['a', 'b'] } },
  uniqueItems: { beside: { type: 'array' }, loose: false, tight: true },
  const: { loose: 'a', tight: 'b' },
  pattern: { beside: { type: 'string' }, loose: '^a', tight: '^ab' },
  format: { beside: { type: 'string' }, loose: 'uri-reference', tight: 'uri' },
  patternProperties: {
    beside: { type: 'object' },
    loose: { '^a': { type: ['string', 'null'] } },
    tight: { '^a': { type: 'string' } },
  },
  unevaluatedProperties: { beside: { type: 'object' }, loose: true, tight: false },
  unevaluatedItems: { beside: { type: 'array' }, loose: true, tight: false },
};

/** Keywords for which it is the other way round, and why. */
const REVERSED: Record<string, string> = {
  'const loosened': 'another constant is neither looser nor tighter',
  'uniqueItems added': 'false is what its absence means',
  'unevaluatedProperties added': 'true is what its absence means',
  'unevaluatedItems added': 'true is what its absence means',
};

const levelsOf = (before: JsonObject, after: JsonObject): string[] => {
  const tool = (schema: JsonObject) => ({ name: 'a', inputSchema: { type: 'object', properties: { p: schema } } });
  return diffContract(tool(before), tool(after)).map(({ level }) => level);
};

const isHarmful = (levels: string[]): boolean =>
  levels.some((level) => level === 'breaking' || level === 'unclassified');

describe('every keyword, in every direction', () => {
  for (const [keyword, { beside = {}, loose, tight }] of Object.entries(KEYWORDS)) {
    const [none, some, more] = [beside, { ...beside, [keyword]: loose }, { ...beside, [keyword]: tight }];
    const directions: [string, JsonObject, JsonObject, boolean][] = [
      ['added', none, some, true],
      ['removed', some, none, false],
      ['tightened', some, more, true],
      ['loosened', more, some, false],
    ];
    for (const [direction, before, after, harmful] of directions) {
      const reversed = REVERSED[`${keyword} ${direction}`];
      it(`${keyword} ${direction}${reversed ? ` (${reversed})` : ''}`, () => {
        assert.notDeepEqual(before, after);
        const levels = levelsOf(before, after);
        assert.equal(isHarmful(levels), reversed ? !harmful : harmful, levels.join());
        assert.ok(levels.length > 0, 'nothing was found');
      });
    }
  }

  it('each reversal is of a keyword and a direction that there are', () => {
    for (const name of Object.keys(REVERSED)) {
      const [keyword = '', direction = ''] = name.split(' ');
      assert.ok(keyword in KEYWORDS && ['added', 'removed', 'tightened', 'loosened'].includes(direction), name);
    }
  });
});
