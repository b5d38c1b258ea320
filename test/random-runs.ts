// Reliable random tests: the same values on every run, then a free run whose failure does not fail the test.
import type { TestContext } from 'node:test';
import fc, { type IProperty } from 'fast-check';
import { defined } from '../scripts/contract/defined.ts';

const VARIABLE = 'KONNICHIWAGWAN_SEED';
const SEED = 20_261_121;
/** The free run of a test ends after this many ms, however many values it saw: longer where the built files are tested. */
const FREE_MS = process.env.KONNICHIWAGWAN_BUILT === '1' ? 500 : 150;

/** How many random pairs are compared: more where the built files are tested. PAIRS sets another number. */
export const PAIRS = Number(process.env.PAIRS ?? (process.env.KONNICHIWAGWAN_BUILT === '1' ? 20_000 : 2_000));

const givenSeed = (): number | undefined => {
  const given = process.env[VARIABLE];
  if (given === undefined || given === '') return undefined;
  if (!/^-?\d+$/.test(given)) throw new Error(`${VARIABLE} is a whole number, not ${JSON.stringify(given)}`);
  return Number(given) | 0;
};

/** The seed for tests with their own random values: the given one, or the fixed one. */
export const seedOf = (): number => givenSeed() ?? SEED;

/**
 * Any character but half of a pair: what fast-check calls the unit `binary`, with the same values. That recognizes a character
 * by a table of them all, which takes a second, and a memory that makes each start of a program slower.
 */
export const anyCharacter = fc.nat(0x10ffff - 0x800).map(
  (at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800),
  (text) => {
    const [character = '', ...more] = String(text);
    const code = character.codePointAt(0) ?? 0xd800;
    if (more.length > 0 || (code >= 0xd800 && code < 0xe000)) throw new Error('not one character');
    return code < 0xd800 ? code : code - 0x800;
  },
);

interface Runs {
  numRuns?: number;
  seed?: number;
  /** Set if the values are seeds: smaller seeds are not simpler, so shrinking is useless. */
  endOnFailure?: boolean;
}

/**
 * Checks a property with many random values: those of a fixed seed, or of KONNICHIWAGWAN_SEED. With the fixed seed, a free
 * run follows, with the clock as its seed. It runs after the test has ended, so that it does not affect the test's counts.
 * If it fails, that is only reported, with how to run it again: the cause may be older than the change under test.
 */
export const checkRandomly = <T>(test: TestContext, property: IProperty<T>, runs: Runs = {}): void => {
  const given = givenSeed();
  const all = { numRuns: 100, seed: SEED, ...runs, ...defined({ seed: given }) };
  test.diagnostic(`seed ${all.seed}, ${all.numRuns} runs`);
  if (given === undefined) {
    test.after(() => {
      const seed = Date.now() | 0;
      const limits = { interruptAfterTimeLimit: FREE_MS, markInterruptAsFailure: false };
      const found = fc.check(property, { ...all, seed, ...limits });
      test.diagnostic(`free run: seed ${seed}, ${found.numRuns} runs`);
      if (!found.failed) return;
      const why = found.errorInstance instanceof Error ? found.errorInstance.message : String(found.errorInstance);
      const what = `${why.slice(0, 1_000)} for ${fc.stringify(found.counterexample).slice(0, 1_000)}`;
      // The runner looks for these words, and repeats the line at the end of its output.
      test.diagnostic(`free run failed: ${VARIABLE}=${seed} npm test runs "${test.name}" so again. ${what}`);
    });
  }
  fc.assert(property, all);
};
