// What the proof must not prove, beside what it must: each pair of claims differs in one condition of it.
// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { isSubset } from '../scripts/proof/subset.ts';

const self: JsonObject = { $ref: '#/$defs/a' };
/** Lists of another value differ only in a definition: the schemas that refer to it are equal. */
const listOf = (value: Json, key = '$defs'): JsonObject => ({
  $ref: `#/${key}/list`,
  [key]: {
    list: { type: 'object', properties: { value: { $ref: `#/${key}/value` }, next: { $ref: `#/${key}/list` } } },
    value,
  },
});
const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const object = (more: JsonObject): JsonObject => ({ type: 'object', ...more });

/** What is claimed, what is given, and what then holds for every value. */
const PROVEN: [string, Json, Json][] = [
  ['an open bound from the same', { ...NUMBER, exclusiveMinimum: 1, maximum: 9 }, { exclusiveMinimum: 1 }],
  ['an open bound from a tighter closed one', { ...NUMBER, minimum: 2 }, { exclusiveMinimum: 1 }],
  ['an open bound of whole numbers', { type: 'integer', exclusiveMaximum: 10 }, { maximum: 9 }],
  ['a step from a multiple of it', { type: 'integer', multipleOf: 4 }, { multipleOf: 2 }],
  ['unique elements of one', { type: 'array', maxItems: 1 }, { uniqueItems: true }],
  ['a longer tuple than there can be', { type: 'array', items: TEXT, maxItems: 1 }, { prefixItems: [TEXT, NUMBER] }],
  ['a longer text', { ...TEXT, minLength: 3 }, { minLength: 2 }],
  ['one of two branches that exclude each other', TEXT, { oneOf: [TEXT, NUMBER] }],
  ['a branch by cases', { type: ['string', 'null'] }, { anyOf: [TEXT, { type: 'null' }] }],
  ['what a given negation excludes', { not: TEXT, minimum: 1 }, { not: { ...TEXT, minLength: 1 } }],
  ['a list from a list that is stricter all the way', listOf({ type: 'integer' }), listOf(NUMBER)],
  [
    'the same definitions of an older draft',
    listOf(TEXT, 'definitions'),
    { ...listOf(TEXT, 'definitions'), title: 'x' },
  ],
  [
    'a property that the pattern does not match',
    object({ properties: { a: TEXT }, additionalProperties: false }),
    { patternProperties: { '^b': NUMBER } },
  ],
  [
    'what a pattern matches, from what all properties hold',
    object({ additionalProperties: NUMBER }),
    { patternProperties: { b: NUMBER } },
  ],
  [
    'a property, from what all properties hold',
    object({ additionalProperties: NUMBER }),
    { properties: { x: NUMBER } },
  ],
  ['a property that must be there', object({ required: ['a', 'b'] }), { required: ['b'] }],
  [
    'a dependent that is required',
    object({ properties: { a: {} }, required: ['b'] }),
    { dependentRequired: { a: ['b'] } },
  ],
  ['a condition that never applies', TEXT, { if: NUMBER, then: false }],
];

const UNPROVEN: [string, Json, Json][] = [
  ['an open bound from the closed one at the same place', { ...NUMBER, minimum: 1 }, { exclusiveMinimum: 1 }],
  ['an open upper bound, likewise', { ...NUMBER, maximum: 1 }, { exclusiveMaximum: 1 }],
  ['an open bound of fractions', { ...NUMBER, exclusiveMaximum: 10 }, { maximum: 9 }],
  ['a step from a divisor of it', { type: 'integer', multipleOf: 2 }, { multipleOf: 4 }],
  ['unique elements of two', { type: 'array', maxItems: 2 }, { uniqueItems: true }],
  ['a tuple that is reached', { type: 'array', items: TEXT, maxItems: 2 }, { prefixItems: [TEXT, NUMBER] }],
  ['a shorter text', { ...TEXT, minLength: 2 }, { minLength: 3 }],
  ['one of two branches that both hold', { type: 'integer' }, { oneOf: [{ type: 'integer' }, NUMBER, TEXT] }],
  ['a branch that one case lacks', { type: ['string', 'null'] }, { anyOf: [TEXT, NUMBER] }],
  [
    'what a given negation does not exclude: an object with a property that nobody declared',
    { not: object({ properties: { a: TEXT } }) },
    { not: { type: 'object' } },
  ],
  ['a list from a list that is looser', listOf(NUMBER), listOf({ type: 'integer' })],
  ['a list whose definition changed, of an older draft', listOf(NUMBER, 'definitions'), listOf(TEXT, 'definitions')],
  ['a claim from itself', TEXT, { ...self, $defs: { a: { anyOf: [self, NUMBER] } } }],
  [
    'a claim from itself through two others',
    TEXT,
    { ...self, $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { anyOf: [self] } } },
  ],
  ['a property that the pattern matches', object({ properties: { a: TEXT } }), { patternProperties: { '^a': NUMBER } }],
  [
    'a property that an unreadable pattern may match',
    object({ properties: { a: TEXT }, additionalProperties: false }),
    { patternProperties: { '(': NUMBER } },
  ],
  [
    'what a pattern matches, from what all others hold',
    object({ patternProperties: { '^a': TEXT }, additionalProperties: NUMBER }),
    { patternProperties: { b: NUMBER } },
  ],
  [
    'a property that a given pattern may match, which is unreadable here',
    object({ patternProperties: { '(?i)^x': TEXT }, additionalProperties: NUMBER }),
    { properties: { x: NUMBER } },
  ],
  ['a property that may be missing', object({ properties: { b: TEXT }, required: ['a'] }), { required: ['b'] }],
  ['a dependent that may be missing', object({ properties: { a: {}, b: {} } }), { dependentRequired: { a: ['b'] } }],
  ['a condition that may apply', { type: ['string', 'number'] }, { if: NUMBER, then: false }],
  ['a condition whose other way is closed', TEXT, { if: NUMBER, then: true, else: false }],
  ['a reference that leads nowhere', TEXT, { $ref: '#/$defs/nothing' }],
  ['another pattern', { ...TEXT, pattern: '^a' }, { pattern: 'a' }],
  ['a listed value that was dropped', { enum: ['a', 'b'] }, { enum: ['a'] }],
];

describe('the proof', () => {
  for (const [what, before, after] of PROVEN) it(`proves: ${what}`, () => assert.equal(isSubset(before, after), true));
  for (const [what, before, after] of UNPROVEN)
    it(`does not prove: ${what}`, () => assert.equal(isSubset(before, after), false));
});
