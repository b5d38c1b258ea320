import { IGNORED } from '../../contract/dialect.ts';
import { type Json, own } from '../../contract/types.ts';
import { assumptionsOf, type Conjunct, conjunctsOf } from '../conjuncts.ts';
import { unless } from '../derived.ts';
import { areDisjoint, operandsOf } from '../facts.ts';
import type { Proof } from '../proof.ts';
import type { Family } from './keyword.ts';

/** No given value satisfies a schema: all that do are excluded by a given `not`, or what both say rules each other out. */
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
  /** Whether it is heeded is not known; where it is on one side, it is on the other one, too. */
  [IGNORED]: (given, operand, { root }, proof) => {
    const heeded = operandsOf(given, IGNORED).map((one) => conjunctsOf(one.operand, one.root));
    return (
      heeded.includes(false) ||
      proof.proves([...given, ...heeded.flatMap((conjuncts) => conjuncts || [])], operand, root)
    );
  },
  not: (given, operand, { root }, proof) => satisfiesNone(proof, given, operand, root),
  /** All given values satisfy one and the same branch. Where each has its own, cases are what proves it. */
  anyOf: (given, branches, { root }, proof) =>
    Array.isArray(branches) && branches.some((one) => proof.proves(given, one, root)),
  /** The same, and none of them satisfies another branch. */
  oneOf: (given, branches, { root }, proof) =>
    Array.isArray(branches) &&
    branches.some(
      (one, index) =>
        proof.proves(given, one, root) &&
        branches.every((other, at) => at === index || satisfiesNone(proof, given, other, root)),
    ),
  /** `then` from what is given and the condition, `else` from what is given and its opposite; each unless it never comes to that. */
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
