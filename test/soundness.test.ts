import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { accepts } from '../scripts/proof/check.ts';
import { acceptsCallsOf } from '../scripts/proof/subset.ts';
import { compile } from './ajv-judge.ts';
import { checkRandomly, PAIRS } from './random-runs.ts';
import { instance, mutate, random, rootSchema } from './random-schema.ts';

const INSTANCES = 40;

/** ajv treats elements that `items` of a branch evaluates as unevaluated: then a second validator decides. */
const isMistaken = (errors: Errors, after: JsonObject, value: Json): boolean =>
  errors?.some(({ keyword }) => keyword === 'unevaluatedItems') === true && accepts(after, after, value) === true;
type Errors = ReturnType<typeof compile>['errors'];

/** A value that is valid before and invalid after, if one is found, and how many valid ones were tried. */
const witness = (seed: number, before: JsonObject, after: JsonObject): { value?: Json; tried: number } => {
  let tried = 0;
  try {
    const valid = compile(before);
    const source = random(seed ^ 0x5eed);
    // Half of this test's time is compiling: schemas that check no value are not compiled.
    let stillValid: ReturnType<typeof compile> | undefined;
    for (let count = 0; count < INSTANCES; count++) {
      const value = instance(source, before, before);
      if (!valid(value)) continue;
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
});
