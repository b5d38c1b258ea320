// Small schemas against each other: what a claim must not be proven for shows already where each says one thing. Unlike random
// pairs, these leave out no pair of their keywords, and most of them name no type.
// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import { isSubset } from '../scripts/proof/subset.ts';
import { closedRoot, compile } from './ajv-judge.ts';

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const SIZES = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
/** What stands within a keyword. */
const INNER: Json[] = [true, false, { type: 'integer' }, { type: 'object' }, { minItems: 1 }, { required: ['a'] }];
const HOLDERS: ((inner: Json) => JsonObject)[] = [
  ...['items', 'contains', 'not', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'].map(
    (keyword) => (inner: Json) => ({ [keyword]: inner }),
  ),
  ...['prefixItems', 'allOf'].map((keyword) => (inner: Json) => ({ [keyword]: [inner] })),
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies'].map((keyword) => (inner: Json) => ({
    [keyword]: { a: inner },
  })),
  (inner) => ({ anyOf: [inner, { type: 'boolean' }] }),
  (inner) => ({ oneOf: [inner, { minimum: 0 }] }),
  (inner) => ({ if: inner, then: { type: 'integer' } }),
  (inner) => ({ if: inner, else: { type: 'object' } }),
  (inner) => ({ not: { properties: { a: inner } } }),
];
const SCHEMAS: JsonObject[] = [
  {},
  ...TYPES.map((type) => ({ type })),
  { type: ['array', 'object'] },
  { enum: [1, 'a', null] },
  { enum: [[], {}] },
  { const: { a: 1 } },
  ...[0, 1].flatMap((bound) => [...NUMBERS, ...SIZES].map((keyword) => ({ [keyword]: bound }))),
  ...[1, 2, 0.5].map((multipleOf) => ({ multipleOf })),
  ...['^a', '1'].map((pattern) => ({ pattern })),
  ...[true, false].map((uniqueItems) => ({ uniqueItems })),
  ...HOLDERS.flatMap((held) => INNER.map(held)),
  ...[0, 2].map((minContains) => ({ contains: { type: 'integer' }, minContains })),
  { contains: true, maxContains: 1 },
  { properties: { a: true, b: true } },
  ...[['a'], ['b'], ['a', 'b']].map((required) => ({ required })),
  { propertyNames: { enum: ['a'] } },
  { propertyNames: false },
  { dependentRequired: { a: ['b'] } },
  { dependencies: { a: ['b'] } },
  { required: ['a'], dependentSchemas: { a: { type: 'object' } } },
  { required: ['a'], dependencies: { a: { items: { type: 'integer' } } } },
  { not: { required: ['a'] } },
  { not: { contains: true } },
  { not: { $ref: '' } },
  { $ref: '#/$defs/a', $defs: { a: { type: 'integer' } } },
];
const VALUES: Json[] = [
  ...[null, true, false, 0, 1, 1.5, 2, -1, '', 'a', 'ab', '1'],
  ...[[], [1], ['a'], [1, 1], [1, 'a'], [null], [{}], [[]]],
  ...[{}, { a: 1 }, { a: 'a' }, { a: {} }, { a: [] }, { b: 1 }, { a: 1, b: 1 }, { a: 'a', b: 'a' }, { a: [1], b: 2 }],
];

/** The values that ajv finds valid, or those that it finds invalid; where it gives up, neither. */
const judged = (schema: JsonObject, isValid: boolean): Json[] => {
  const valid = compile(schema);
  return VALUES.filter((value) => {
    try {
      return valid(value) === isValid;
    } catch {
      return false;
    }
  });
};

/** Whether someone who knows a schema may send a value: objects hold only what it declares. */
const sendableBy = (schema: JsonObject): ((value: Json) => boolean) => {
  const isDeclared = compile(closedRoot(schema));
  return (value) => !isObject(value) || Object.keys(value).length === 0 || isDeclared(value);
};

it(`no claim of one of ${SCHEMAS.length} schemas about another is proven that a value refutes`, () => {
  const known = SCHEMAS.map((schema) => {
    const maySend = sendableBy(schema);
    return { schema, accepted: judged(schema, true).filter(maySend) };
  });
  let refuted = 0;
  for (const { schema: after } of known) {
    const refused = new Set(judged(after, false));
    for (const { schema: before, accepted } of known) {
      const value = accepted.find((one) => refused.has(one));
      if (value === undefined) continue;
      refuted++;
      assert.equal(isSubset(before, after), false, JSON.stringify({ before, after, value }));
    }
  }
  assert.ok(refuted > 10_000, String(refuted));
});
