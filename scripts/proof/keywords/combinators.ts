import { IGNORED } from '../../contract/dialect.ts';
import { type Json, own } from '../../contract/types.ts';
import { assumptionsOf, type Conjunct, conjunctsOf } from '../conjuncts.ts';
import { unless } from '../derived.ts';
import { operandsOf } from '../facts.ts';
import type { Proof } from '../proof.ts';
import type { SchemaScope } from '../scope.ts';
import type { Family } from './keyword.ts';

/** Proves that no given value satisfies a schema: adding it to what is given leaves no value. */
export const satisfiesNone = (proof: Proof, given: Conjunct[], schema: Json, scope: SchemaScope): boolean => {
  const others = conjunctsOf(schema, scope);
  return others === false || proof.proves([...given, ...others], false, scope);
};

/** Keywords that apply other schemas to the same value. */
export const COMBINATORS: Family = {
  /** A validator may apply these keywords or not, but does the same on both sides. If not, there is nothing to prove. */
  [IGNORED]: (given, operand, { scope }, proof) => {
    const heeded = operandsOf(given, IGNORED).map((one) => conjunctsOf(one.operand, one.scope));
    return (
      heeded.includes(false) ||
      proof.proves([...given, ...heeded.flatMap((conjuncts) => conjuncts || [])], operand, scope)
    );
  },
  not: (given, operand, { scope }, proof) => satisfiesNone(proof, given, operand, scope),
  /** Holds if all given values satisfy the same branch. If they satisfy different ones, splitting into cases proves it. */
  anyOf: (given, branches, { scope }, proof) =>
    Array.isArray(branches) && branches.some((one) => proof.proves(given, one, scope)),
  /** Holds if all given values satisfy the same branch, and none of them satisfies another one. */
  oneOf: (given, branches, { scope }, proof) =>
    Array.isArray(branches) &&
    branches.some(
      (one, index) =>
        proof.proves(given, one, scope) &&
        branches.every((other, at) => at === index || satisfiesNone(proof, given, other, scope)),
    ),
  /** Proves `then` with the condition added to what is given, and `else` with its negation; skips one that never applies. */
  if: (given, condition, { schema, scope }, proof) => {
    const whenTrue = own(schema, 'then') ?? true;
    const whenFalse = own(schema, 'else') ?? true;
    if (whenTrue === true && whenFalse === true) return true;
    return (
      (satisfiesNone(proof, given, condition, scope) ||
        proof.proves([...given, ...assumptionsOf(condition, scope)], whenTrue, scope)) &&
      (proof.proves(given, condition, scope) ||
        proof.proves([...given, { schema: unless(schema), scope }], whenFalse, scope))
    );
  },
};
