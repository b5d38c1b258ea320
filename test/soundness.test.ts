import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { accepts } from '../scripts/proof/check.ts';
import { acceptsCallsOf } from '../scripts/proof/subset.ts';
import { compile } from './ajv-judge.ts';
import { checkRandomly, PAIRS } from './random-runs.ts';
import { instance, mutate, random, rootSchema, withAnyValue } from './random-schema.ts';

const INSTANCES = 40;
const SCHEMAS = PAIRS / 2;
const VALUES_OF_EACH = 6;

/** ajv treats elements that `items` of a branch evaluates as unevaluated: then a second validator decides. */
const isMistaken = (errors: Errors, after: JsonObject, value: Json): boolean =>
  errors?.some(({ keyword }) => keyword === 'unevaluatedItems') === true && accepts(after, after, value) === true;
type Errors = ReturnType<typeof compile>['errors'];

/** Whether a value may have an empty list where `prefixItems` stands beside `contains`: ajv accepts it there. */
const misjudges = (schema: JsonObject): ((value: Json) => boolean) => {
  const text = JSON.stringify(schema);
  const isLax = ['"contains":', '"prefixItems":'].every((keyword) => text.includes(keyword));
  return (value) => isLax && JSON.stringify(value).includes('[]');
};

/** A value that is valid before and invalid after, if one is found, and how many valid ones were tried. */
const witness = (seed: number, before: JsonObject, after: JsonObject): { value?: Json; tried: number } => {
  let tried = 0;
  try {
    const valid = compile(before);
    const source = random(seed ^ 0x5eed);
    const isMisjudged = misjudges(before);
    // Half of this test's time is compiling: schemas that check no value are not compiled.
    let stillValid: ReturnType<typeof compile> | undefined;
    for (let count = 0; count < INSTANCES; count++) {
      const value = instance(source, before, before);
      if (!valid(value) || isMisjudged(value)) continue;
      stillValid ??= compile(after);
      tried++;
      if (!stillValid(value) && !isMistaken(stillValid.errors, after, value)) return { value, tried };
    }
  } catch {
    // ajv gives up on references that lead back to themselves for the same value, and on those that lead nowhere or to
    // several places after a mutation; and its code for some nestings of unevaluatedProperties does not run.
  }
  return { tried };
};

/** Keywords that ajv may report in error: it accepted too much within them, or took too much for unevaluated. */
const MISLED = /^(?:unevaluated|oneOf$|not$|if$|contains$)/;

/** Tells whether values are valid; undefined where the judge gives up, or errs as it is known to. */
const judgeOf = (schema: JsonObject): ((value: Json) => boolean | undefined) => {
  let valid: ReturnType<typeof compile> | undefined;
  // ajv counts what a branch evaluates that the value does not fit: then too little is left unevaluated. And where a value
  // lacks the property of a `dependentSchemas`, it forgets what the keywords beside it evaluated.
  const errs = JSON.stringify(schema).includes('"unevaluated');
  const isMisjudged = misjudges(schema);
  return (value) => {
    try {
      valid ??= compile(schema);
      const isValid = valid(value);
      const isSure = !errs || (!isValid && !valid.errors?.some(({ keyword }) => MISLED.test(keyword)));
      return isSure && !isMisjudged(value) ? isValid : undefined;
    } catch {
      // See above.
      return undefined;
    }
  };
};

describe('soundness', () => {
  it(`what is proven compatible breaks nobody, in ${PAIRS} random pairs`, (test) => {
    let [proven, judged] = [0, 0];
    checkRandomly(
      test,
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const before = rootSchema(source);
        const after = mutate(source, before);
        if (!acceptsCallsOf(before, after)) return;
        proven++;
        // Many mutations change nothing: equal schemas need no check.
        if (JSON.stringify(before) === JSON.stringify(after)) return;
        const { value, tried } = witness(seed, before, after);
        if (tried > 0) judged++;
        assert.equal(value, undefined, JSON.stringify({ seed, value, before, after }));
      }),
      { numRuns: PAIRS, seed: 20261121, endOnFailure: true },
    );
    // A proof that never succeeds would be sound, too.
    assert.ok(proven > PAIRS / 5, `${proven} of ${PAIRS} pairs were proven`);
    assert.ok(judged > PAIRS / 5, `the judge tried values on ${judged} of ${PAIRS} pairs`);
  });

  it(`what is said of a value is what a validator says, for ${SCHEMAS} random schemas`, (test) => {
    let known = 0;
    checkRandomly(
      test,
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const schema = rootSchema(source);
        const judge = judgeOf(schema);
        for (let count = 0; count < VALUES_OF_EACH; count++) {
          const value = withAnyValue(source, instance(source, schema, schema));
          const said = accepts(schema, schema, value);
          if (said === undefined) continue;
          const truth = judge(value);
          if (truth === undefined) continue;
          known++;
          assert.equal(said, truth, JSON.stringify({ seed, value, schema }));
        }
      }),
      { numRuns: SCHEMAS, seed: 20261121, endOnFailure: true },
    );
    assert.ok(known > SCHEMAS * 3, `${known} values were judged`);
  });
});
