import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import { isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import { isSubset } from '../scripts/proof/subset.ts';
import { readJsonFile, shared } from './shared.ts';

const subschemas = shared('fixtures/haggholm-is-json-schema-subset/cases.json');
const sentry = shared('fixtures/getsentry-json-schema-diff/cases.json');

interface Pair {
  before: Json;
  after: Json;
  /** Whether the authors of the case say that something valid before is invalid after. */
  breaking: boolean;
}

/** Labels that contradict JSON Schema; with a value that is valid before and invalid after, if there is one. */
type Disputed = Record<number, { because: string; witness?: Json }>;

const isValid = (schema: Json, value: Json): boolean =>
  new Ajv({ strict: false, ownProperties: true, validateFormats: false, logger: false }).validate(
    schema as object,
    value,
  );

/** Compares with the labels. Every exception is named here, with its reason. */
const compare = (pairs: Pair[], disputed: Disputed, unproven: Record<number, string>): void => {
  const wrong = pairs.flatMap(({ breaking, before, after }, index) =>
    isSubset(before, after) === breaking ? [index] : [],
  );
  assert.deepEqual(
    wrong,
    [...Object.keys(disputed), ...Object.keys(unproven)].map(Number).sort((a, b) => a - b),
  );
  for (const [index, { witness }] of Object.entries(disputed)) {
    const { before, after, breaking } = pairs[Number(index)] as Pair;
    assert.equal(witness === undefined, breaking, 'who calls a change breaking has a value to show for it');
    if (witness !== undefined)
      assert.deepEqual([isValid(before, witness), isValid(after, witness)], [true, false], index);
  }
  const compatible = pairs.filter(({ breaking }, index) => !breaking && !(index in disputed)).length;
  assert.ok(
    Object.keys(unproven).length <= compatible * 0.05,
    'at most one in twenty compatible pairs is called breaking',
  );
};

describe('the proof, on cases that others labelled', () => {
  it('is-json-schema-subset: no breaking change missed', { skip: subschemas.skip }, () => {
    const cases = readJsonFile(subschemas.path) as {
      sub: Json;
      super: Json;
      is_subschema: boolean;
      options?: unknown;
    }[];
    const pairs = cases
      .filter(({ options }) => !options)
      .map(({ sub, super: after, is_subschema }) => ({
        before: tupled(sub),
        after: tupled(after),
        breaking: !is_subschema,
      }));
    compare(
      pairs,
      {
        1: { because: 'a tuple without additionalItems accepts any third element', witness: ['x', 'y', 3] },
        84: { because: 'an object that names no property takes any, so that foo may be a number', witness: { foo: 1 } },
        79: { because: 'an object without foo is valid under both branches of the oneOf', witness: {} },
      },
      {},
    );
  });

  it('json-schema-diff: no breaking change missed', { skip: sentry.skip }, () => {
    const cases = readJsonFile(sentry.path) as { lhs: Json; rhs: Json; any_breaking: boolean }[];
    compare(
      cases.map(({ lhs, rhs, any_breaking }) => ({ before: tupled(lhs), after: tupled(rhs), breaking: any_breaking })),
      {
        31: { because: 'at most 3 and at least 2 are all numbers' },
        34: { because: 'the branch without a type accepts what the removed branch accepted' },
        43: { because: 'a typed property was added to an open object: nobody who knows the old contract passes it' },
        72: { because: 'a minimum of 1 is above both exclusive minima' },
      },
      {},
    );
  });
});

/** Draft-07 tuples in the form of 2020-12, for ajv. */
function tupled(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(tupled);
  if (!isObject(schema)) return schema;
  const { $schema: _dialect, ...rest } = schema as JsonObject;
  const entries = Object.entries(rest).map(([key, value]): [string, Json] => [key, tupled(value)]);
  const renamed = entries.map(([key, value]): [string, Json] => [
    key === 'items' && Array.isArray(value) ? 'prefixItems' : key,
    value,
  ]);
  return Object.fromEntries(renamed);
}
