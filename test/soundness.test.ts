import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { judge, type Question } from '../scripts/judge/judge.ts';
import { omits, uses } from '../scripts/judge/touch.ts';
import { isSubset } from '../scripts/proof/subset.ts';
import { instance, mutate, random, rootSchema } from './random-schema.ts';

const PAIRS = Number(process.env.PAIRS ?? 20_000);
const INSTANCES = 40;

const newAjv = () =>
  new Ajv({
    strict: false,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    logger: false,
    code: { optimize: false },
  });
let ajv = newAjv();
let compiled = 0;
const compile = (schema: JsonObject) => {
  // It remembers every schema: a new one now and then keeps memory flat.
  if (++compiled % 200 === 0) ajv = newAjv();
  return ajv.compile(schema);
};

/** Undefined where the judge itself gives up. */
const holds = (schema: JsonObject, value: Json): boolean | undefined => {
  try {
    return compile(schema)(value) as boolean;
  } catch {
    return undefined;
  }
};

/** A value that is valid before and invalid after, if one is found. */
const witness = (seed: number, before: JsonObject, after: JsonObject): Json | undefined => {
  try {
    const [valid, stillValid] = [compile(before), compile(after)];
    const source = random(seed ^ 0x5eed);
    for (let count = 0; count < INSTANCES; count++) {
      const value = instance(source, before, before);
      if (valid(value) && !stillValid(value)) return value;
    }
  } catch (error) {
    // The judge gives up on references that lead back to themselves about the same value (RangeError), and the code that
    // it makes for some nestings of unevaluatedProperties does not run (ReferenceError, TypeError).
    if (!['RangeError', 'ReferenceError', 'TypeError'].includes((error as Error).name)) throw error;
  }
  return undefined;
};

describe('soundness', () => {
  it(`what is proven compatible breaks nobody, in ${PAIRS} random pairs`, () => {
    let proven = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const before = rootSchema(source);
        const after = mutate(source, before);
        if (!isSubset(before, after)) return;
        proven++;
        const value = witness(seed, before, after);
        assert.equal(value, undefined, JSON.stringify({ seed, value, before, after }));
      }),
      { numRuns: PAIRS, seed: 20261121, endOnFailure: true },
    );
    // A proof that never succeeds would be sound, too.
    assert.ok(proven > PAIRS / 5, `${proven} of ${PAIRS} pairs were proven`);
  });

  it('the diff calls something breaking or unclassified exactly where there is no proof', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const before = rootSchema(source);
        const after = mutate(source, before);
        const agrees = (): boolean => {
          const changes = diffContract({ name: 'a', inputSchema: before }, { name: 'a', inputSchema: after });
          const harmful = changes.some(({ level }) => level === 'breaking' || level === 'unclassified');
          return harmful === (changes.length > 0 && !isSubset(before, after));
        };
        // The diff is stopped when its time is up, and a busy machine can take that time away: but not three times.
        assert.ok(agrees() || agrees() || agrees(), JSON.stringify({ seed, before, after }));
      }),
      { numRuns: 2_000, seed: 7, endOnFailure: true },
    );
  });

  it('what the guard sends is valid, and uses nothing that changed its meaning', () => {
    let sent = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const before = rootSchema(source);
        const after = mutate(source, before);
        const args = instance(source, before, before);
        if (!isObject(args) || !holds(before, args as JsonObject)) return;
        const [believed, live] = [before, after].map((inputSchema) => ({ name: 'a', inputSchema }));
        const policy = { mode: 'guard' as const, trusted: false };
        const found = judge({
          believed,
          live,
          tools: [live],
          args: args as JsonObject,
          policy,
          settled: () => false,
        } as Question);
        if (found.decision !== 'silence' && found.decision !== 'notice') return;
        sent++;
        const told = JSON.stringify({ seed, args, before, after, changes: found.changes });
        assert.notEqual(holds(after, args as JsonObject), false, told);
        for (const { effect, parameter, rule } of found.changes) {
          const touched =
            parameter &&
            (effect?.when === 'used'
              ? uses(args as JsonObject, parameter)
              : effect?.when === 'omitted' && omits(args as JsonObject, parameter));
          assert.ok(!touched, `${rule} at ${parameter}: ${told}`);
        }
      }),
      { numRuns: 4_000, seed: 11, endOnFailure: true },
    );
    assert.ok(sent > 500, `${sent} calls were sent`);
  });
});
