import { IGNORED } from '../../contract/dialect.ts';
import { type Json, own } from '../../contract/types.ts';
import { assumptionsOf, type Conjunct, conjunctsOf } from '../conjuncts.ts';
import { unless } from '../derived.ts';
import { areDisjoint, operandsOf } from '../facts.ts';
import type { Proof } from '../proof.ts';
import type { Family } from './keyword.ts';

/** Proves that no given value satisfies a schema: a given `not` excludes all that do, or both are disjoint. */
const satisfiesNone = (proof: Proof, given: Conjunct[], schema: Json, root: Json): boolean => {
  const excluded = operandsOf(given, 'not').some((one) =>
    proof.provesOpenly(assumptionsOf(schema, root), one.operand, one.root),
  );
  if (excluded) return true;
  const others = conjunctsOf(schema, root);
  return others === false || areDisjoint(given, others);
};

/** Keywords that apply other schemas to the same value. */
export const COMBINATORS: Family = {
  /** A validator may apply these keywords or not, but does the same on both sides. If it does not, nothing is to prove. */
  [IGNORED]: (given, operand, { root }, proof) => {
    const heeded = operandsOf(given, IGNORED).map((one) => conjunctsOf(one.operand, one.root));
    return (
      heeded.includes(false) ||
      proof.proves([...given, ...heeded.flatMap((conjuncts) => conjuncts || [])], operand, root)
    );
  },
  not: (given, operand, { root }, proof) => satisfiesNone(proof, given, operand, root),
  /** Holds if all given values satisfy the same branch. If they satisfy different ones, splitting into cases proves it. */
  anyOf: (given, branches, { root }, proof) =>
    Array.isArray(branches) && branches.some((one) => proof.proves(given, one, root)),
  /** Holds if all given values satisfy the same branch, and none of them satisfies another one. */
  oneOf: (given, branches, { root }, proof) =>
    Array.isArray(branches) &&
    branches.some(
      (one, index) =>
        proof.proves(given, one, root) &&
        branches.every((other, at) => at === index || satisfiesNone(proof, given, other, root)),
    ),
  /** Proves `then` with the condition added to what is given, and `else` with its negation; skips one that never applies. */
  if: (given, condition, { schema, root }, proof) => {
    const whenTrue = own(schema, 'then') ?? true;
    const whenFalse = own(schema, 'else') ?? true;
    if (whenTrue === true && whenFalse === true) return true;
    const holds = conjunctsOf(condition, root);
    return (
      (holds === false ||
        satisfiesNone(proof, given, condition, root) ||
        proof.proves([...given, ...holds], whenTrue, root)) &&
      (proof.proves(given, condition, root) ||
        proof.proves([...given, { schema: unless(schema), root }], whenFalse, root))
    );
  },
};
