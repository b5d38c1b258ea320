import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { meaningOfSchema } from '../scripts/contract/meaning.ts';
import { isObject, type JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { judge, type Question } from '../scripts/judge/judge.ts';
import { omits, uses } from '../scripts/judge/touch.ts';
import { acceptsCallsOf } from '../scripts/proof/subset.ts';
import { holds } from './ajv-judge.ts';
import { checkRandomly, PAIRS } from './random-runs.ts';
import { instance, mutate, random, rootSchema } from './random-schema.ts';

const DECIDED_BY_VALUES =
  /^input-(property-(added|removed|renamed|marked|words-changed|default-changed)|annotation-changed|schema-rewritten)$/;

/** Members that are only refused now. */
const REFUSED_MEMBERS = /\/(?:(?:max|min)Contains|patternProperties)$/;
const REFUSED_IF_FALSE = /\/(?:additionalItems|items|unevaluatedItems)$/;

const CALLS = Math.min(PAIRS / 2, 4_000);

describe('the diff and the guard agree with the proof', () => {
  it('the random pairs depend on their seed alone, and stay as they were made', () => {
    const pair = (seed: number) => {
      const source = random(seed);
      const before = rootSchema(source);
      return { before, after: mutate(source, before) };
    };
    const made = JSON.stringify(pair(-467_115_686));
    // Takes a value from a list that other schemas share: none of them may lack it.
    const pairs = Object.values(pair(-865_000_980));
    assert.equal(JSON.stringify(pair(-467_115_686)), made);
    for (const schema of pairs) assert.throws(() => Object.assign(schema, { type: 'array' }), TypeError);
  });

  it('the diff calls something breaking or unclassified exactly where there is no proof', (test) => {
    let compared = 0;
    checkRandomly(
      test,
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const before = rootSchema(source);
        const after = mutate(source, before);
        const changes = diffContract({ name: 'a', inputSchema: before }, { name: 'a', inputSchema: after });
        // On a busy machine the time limit for comparing can hit any pair.
        if (changes.some(({ incomplete }) => incomplete)) return;
        compared++;
        const harmful = changes.some(({ level }) => level === 'breaking' || level === 'unclassified');
        const isProven = acceptsCallsOf(meaningOfSchema(before), meaningOfSchema(after));
        assert.equal(harmful, changes.length > 0 && !isProven, JSON.stringify({ seed, before, after }));
      }),
      { numRuns: CALLS, seed: 7, endOnFailure: true },
    );
    assert.ok(compared > CALLS * 0.95, `${compared} of ${CALLS} pairs were compared`);
  });

  it('what the guard sends is valid, and uses nothing that changed its meaning', (test) => {
    let judged = 0;
    checkRandomly(
      test,
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
        const stillValid = holds(after, args as JsonObject);
        if (stillValid !== undefined) judged++;
        const told = JSON.stringify({ seed, args, before, after, changes: found.changes });
        assert.notEqual(stillValid, false, told);
        // Where the values decide which schemas apply, a change is not judged by its place (see declared.test.ts).
        const isFlat = !/"(allOf|anyOf|oneOf|if|\$ref|\w+Properties|dependentSchemas|contains)":/.test(
          JSON.stringify([before, after].map(({ $defs: _, ...rest }) => rest)),
        );
        for (const { effect, parameter, rule, path, after: now } of found.changes) {
          if (!isFlat && DECIDED_BY_VALUES.test(rule)) continue;
          // That it meets these was checked; what they say of its values is compared one by one (see declared.test.ts).
          const isRefusal = REFUSED_MEMBERS.test(path) || (now === false && REFUSED_IF_FALSE.test(path));
          if (stillValid && rule === 'unclassified' && isRefusal) continue;
          const touched =
            parameter &&
            (effect?.when === 'used'
              ? uses(args as JsonObject, parameter)
              : effect?.when === 'omitted' && omits(args as JsonObject, parameter));
          assert.ok(!touched, `${rule} at ${parameter}: ${told}`);
        }
      }),
      { numRuns: CALLS, seed: 11, endOnFailure: true },
    );
    assert.ok(judged > CALLS / 8, `${judged} calls were sent and judged`);
  });
});
