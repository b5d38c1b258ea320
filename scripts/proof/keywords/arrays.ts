import { type Json, type JsonObject, own } from '../../contract/types.ts';
import { assumptionsOf, type Conjunct } from '../conjuncts.ts';
import { elementOf, largest, mostItems, operandsOf, prefixLength, sameText } from '../facts.ts';
import type { Proof } from '../proof.ts';
import { about, limit, type Obligation } from './keyword.ts';

/**
 * Proves that each element from an index on satisfies a schema. Behind the longest given tuple all positions are alike, so
 * one of them is enough.
 */
const everyElement = (proof: Proof, given: Conjunct[], from: number, schema: Json, root: Json): boolean => {
  const last = Math.max(prefixLength(given), from);
  const most = mostItems(given);
  for (let index = from; index <= last && index < most; index++) {
    if (!proof.provesInside(elementOf(given, index), schema, root)) return false;
  }
  return true;
};

const lengthOf = (list: Json | undefined): number => (Array.isArray(list) ? list.length : 0);

/** Proves a tuple by position (one that no given array reaches holds), else all elements behind `prefixItems`. */
const items: Obligation = (given, operand, { schema, root }, proof) =>
  Array.isArray(operand)
    ? operand.every((one, index) => index >= mostItems(given) || proof.provesInside(elementOf(given, index), one, root))
    : everyElement(proof, given, lengthOf(own(schema, 'prefixItems')), operand, root);

const COUNTED = ['contains', 'minContains', 'maxContains'];

/** Whether what is given has equal `contains`, `minContains` and `maxContains`, with the same definitions. */
const isSameCount = (given: Conjunct[], schema: JsonObject, proof: Proof): boolean =>
  given.some(
    (one) =>
      COUNTED.every((key) => sameText(own(one.schema, key) ?? null, own(schema, key) ?? null)) && proof.sameDocuments,
  );

/** Whether at least as many elements of a stricter kind are given: each of them is also of this kind. */
const hasStricter = (given: Conjunct[], least: number, operand: Json, root: Json, proof: Proof): boolean =>
  given.some((one) => {
    const its = own(one.schema, 'contains');
    const count = own(one.schema, 'minContains') ?? 1;
    if (its === undefined || typeof count !== 'number' || count < least) return false;
    return proof.provesInside(assumptionsOf(its, one.root), operand, root);
  });

export const ARRAYS = about(['array'], {
  minItems: limit((given, least) => largest(given, 'minItems') >= least),
  maxItems: limit((given, most) => mostItems(given) <= most),
  /** Holds if it is given, or if there is at most one element. */
  uniqueItems: (given, unique) =>
    unique !== true ||
    mostItems(given) <= 1 ||
    operandsOf(given, 'uniqueItems').some(({ operand }) => operand === true),
  items,
  prefixItems: items,
  /** Has no effect unless `items` is a tuple. */
  additionalItems: (given, operand, { schema, root }, proof) => {
    const prefix = own(schema, 'items');
    return !Array.isArray(prefix) || everyElement(proof, given, prefix.length, operand, root);
  },
  /** Has no effect if `items` is one schema for all elements. The claim has no branches here: with branches it is opaque. */
  unevaluatedItems: (given, operand, { schema, root }, proof) => {
    const { prefixItems, items: rest } = schema;
    if (rest !== undefined && !Array.isArray(rest)) return true;
    return everyElement(proof, given, lengthOf(rest ?? prefixItems), operand, root);
  },
  /** Holds if the same is given, or enough elements of a stricter kind, or if all elements match and there are enough. */
  contains: (given, operand, { schema, root }, proof) => {
    const least = own(schema, 'minContains') ?? 1;
    const most = own(schema, 'maxContains');
    if (least === 0 && most === undefined) return true;
    if (isSameCount(given, schema, proof)) return true;
    if (typeof least !== 'number' || most !== undefined) return false;
    if (hasStricter(given, least, operand, root, proof)) return true;
    return largest(given, 'minItems') >= Math.max(1, least) && everyElement(proof, given, 0, operand, root);
  },
});
