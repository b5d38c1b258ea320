import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { everydayErrors } from '../scripts/contract/everyday.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { validateArguments, validateByLibrary } from '../scripts/contract/validate.ts';
import { checkRandomly, PAIRS } from './random-runs.ts';

const NAMES = ['a', 'b', 'constructor', 'x/y~z', '__proto__'];
const one = <T>(...values: T[]) => fc.constantFrom(...values);
const often = <T>(...values: [weight: number, arbitrary: fc.Arbitrary<T>][]) =>
  fc.oneof(...values.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const plainValue: fc.Arbitrary<Json> = often<Json>(
  [6, one<Json>('x', 'é😀', '', 0, 1, 2.5, -3, true, null)],
  [1, one<Json>([], {}, ['x', 1], { a: 'x' }, { b: [1, 'x'], a: null })],
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: often<Json>(
    [6, plainValue],
    [2, fc.array(tie('value'), { maxLength: 3 })],
    [4, fc.dictionary(one(...NAMES), tie('value'), { maxKeys: 4, noNullPrototype: true })],
  ),
}));
const args = fc.dictionary(one(...NAMES), value, { maxKeys: 4, noNullPrototype: true });

/** Mostly what servers write; sometimes what cannot be read, or is none of the everyday keywords. */
const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: often<Json>(
    [1, one<Json>(true, {}, false, { type: 'string' }, { type: ['string', 'null'] })],
    [
      12,
      fc.record(
        {
          type: often<Json>(
            [8, one<Json>('object', 'string', 'integer', 'number', 'array', 'boolean', 'null')],
            [2, one<Json>(['string', 'null'], ['object', 'array'], ['integer', 'string'])],
            [1, one<Json>([], 'text', ['string', 'text'], 5)],
          ),
          properties: often<Json>(
            [9, fc.dictionary(one(...NAMES), tie('schema'), { maxKeys: 4, noNullPrototype: true })],
            [1, one<Json>([], 5)],
          ),
          required: often<Json>([9, fc.array(one(...NAMES), { maxLength: 3 })], [1, one<Json>('a', [1])]),
          additionalProperties: often<Json>([6, one<Json>(false, true)], [2, tie('schema')], [1, one<Json>('no')]),
          items: often<Json>([4, tie('schema')], [1, one<Json>([{ type: 'string' }])]),
          enum: often<Json>([6, fc.array(plainValue, { minLength: 1, maxLength: 4 })], [1, one<Json>([], 'x')]),
          const: plainValue,
          anyOf: often<Json>([5, fc.array(tie('schema'), { minLength: 1, maxLength: 3 })], [1, one<Json>([])]),
          ...Object.fromEntries(
            ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) => [
              name,
              often<Json>([9, one<Json>(0, 1, 2.5)], [1, one<Json>('1', true)]),
            ]),
          ),
          ...Object.fromEntries(
            ['minLength', 'maxLength', 'minItems', 'maxItems'].map((name) => [
              name,
              often<Json>([9, one<Json>(0, 1, 2)], [1, one<Json>('1')]),
            ]),
          ),
          description: one<Json>('A text.', 5),
          default: plainValue,
          format: one<Json>('uri', 'nothing'),
          pattern: one<Json>('^x'),
          nullable: one<Json>(true),
          $schema: one<Json>('http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2019-09/schema'),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<Json>,
    ],
  ),
}));

/** A schema with few keywords at a time, as servers write them. */
const few = (given: Json, keep: number): Json => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const entries = Object.entries(given).filter((_entry, index) => ((keep >> (index % 20)) & 6) === 0);
  const inside = ([key, operand]: [string, Json]): [string, Json] => {
    if (key === 'properties' && operand && typeof operand === 'object' && !Array.isArray(operand))
      return [key, Object.fromEntries(Object.entries(operand).map(([name, part]) => [name, few(part, keep * 31)]))];
    if (key === 'items' || key === 'additionalProperties') return [key, few(operand, keep * 17)];
    return [key, key === 'anyOf' && Array.isArray(operand) ? operand.map((part) => few(part, keep * 13)) : operand];
  };
  return Object.fromEntries(entries.map(inside));
};

describe('arguments under everyday keywords', () => {
  it('have the errors that the validator finds', (test) => {
    const seen = { valid: 0, invalid: 0, beyond: 0 };
    checkRandomly(
      test,
      fc.property(schema, fc.integer(), args, (given, keep, some) => {
        const made = few(given, keep);
        if (typeof made !== 'object' || made === null || Array.isArray(made)) return;
        const errors = everydayErrors(made, some);
        if (errors === undefined) {
          seen.beyond++;
          return;
        }
        seen[errors.length === 0 ? 'valid' : 'invalid']++;
        assert.deepEqual(validateArguments(made, some), validateByLibrary(made, some));
      }),
      { numRuns: PAIRS },
    );
    assert.ok(seen.valid > PAIRS / 10 && seen.invalid > PAIRS / 10, JSON.stringify(seen));
  });

  it('are left to the validator where another keyword has a say', () => {
    const property = (more: JsonObject): JsonObject => ({ properties: { a: more } });
    for (const more of [
      { pattern: '^x' },
      { $ref: '#/$defs/a' },
      { oneOf: [{}] },
      { not: {} },
      { nullable: true },
      { type: 'text' },
      { enum: [] },
      { minimum: 5 },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ] as JsonObject[])
      assert.equal(everydayErrors(property(more), { a: 1 }), undefined, JSON.stringify(more));
    // Also where the arguments have nothing of it.
    assert.equal(everydayErrors(property({ $ref: '#/$defs/a' }), {}), undefined);
    assert.equal(everydayErrors({ type: 'object', patternProperties: {} }, {}), undefined);
    assert.deepEqual(everydayErrors(property({ anyOf: [{ type: 'null' }, { type: 'integer' }] }), { a: 1 }), []);
  });

  it('are left to the validator where there is too much to look at, or it is nested too deep', () => {
    const many = { properties: { a: { items: { enum: Array.from({ length: 200 }, (_, index) => index) } } } };
    assert.equal(everydayErrors(many, { a: Array(100).fill(300) }), undefined);
    assert.equal(everydayErrors(many, { a: Array(10).fill(300) })?.length, 10);
    let [nested, deep]: [JsonObject, Json] = [{}, 1];
    for (let level = 0; level < 12_000; level++) [nested, deep] = [{ properties: { a: nested } }, { a: deep }];
    assert.equal(everydayErrors(nested, deep), undefined);
  });
});
