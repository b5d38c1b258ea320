import type { Json } from '../../contract/types.ts';
import type { Type } from '../check.ts';
import type { Conjunct } from '../conjuncts.ts';
import { typesOf } from '../facts.ts';
import type { Proof } from '../proof.ts';

/**
 * Proves what one keyword of a claim demands, for each value that satisfies all that is given. False: not proven.
 * @param given what holds for the value
 * @param operand the value of the keyword in the claim
 * @param claim the schema that has the keyword, for keywords that are read together with others
 * @param proof proves the smaller claims that this one depends on
 */
export type Obligation = (given: Conjunct[], operand: Json, claim: Conjunct, proof: Proof) => boolean;

/** Obligations by keyword. */
export type Family = Record<string, Obligation>;

/** A family of keywords that restrict values of some types only: for all other values they hold. */
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

/** An obligation whose operand is a number; with any other operand nothing is proven. */
export const limit =
  (holds: (given: Conjunct[], limit: number) => boolean): Obligation =>
  (given, operand) =>
    typeof operand === 'number' && holds(given, operand);
