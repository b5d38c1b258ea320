import type { Json } from '../../contract/types.ts';
import type { Type } from '../check.ts';
import type { Conjunct } from '../conjuncts.ts';
import { typesOf } from '../facts.ts';
import type { Proof } from '../proof.ts';

/**
 * Proves what one keyword of a claim says, of each value that satisfies all that is given. False: it could not be proven.
 * @param given what is taken for granted of the value
 * @param operand what the claim has under the keyword
 * @param claim the schema that the keyword stands in, for those that are read together with others
 * @param proof for claims that this one rests on
 */
export type Obligation = (given: Conjunct[], operand: Json, claim: Conjunct, proof: Proof) => boolean;

/** Obligations by keyword. */
export type Family = Record<string, Obligation>;

/** A family that speaks of values of some types alone: it holds of all others. */
export const about = (types: readonly Type[], family: Family): Family =>
  Object.fromEntries(
    Object.entries(family).map(([keyword, obligation]): [string, Obligation] => [
      keyword,
      (given, operand, claim, proof) => {
        const possible = typesOf(given);
        return !types.some((type) => possible.has(type)) || obligation(given, operand, claim, proof);
      },
    ]),
  );

/** An obligation whose operand is a number; of any other operand nothing is proven. */
export const limit =
  (holds: (given: Conjunct[], limit: number) => boolean): Obligation =>
  (given, operand) =>
    typeof operand === 'number' && holds(given, operand);
