import { type Json, type JsonObject, own } from '../../contract/types.ts';
import { assumptionsOf, type Conjunct } from '../conjuncts.ts';
import { elementOf, isRefused, largest, mostItems, operandsOf, prefixLength, sameText } from '../facts.ts';
import type { Proof } from '../proof.ts';
import type { SchemaScope } from '../scope.ts';
import { appliedBy } from './applied.ts';
import { isCovered } from './covered.ts';
import { about, limit, type Obligation } from './keyword.ts';

/**
 * Proves that each element from an index on satisfies a schema. After the longest given tuple all positions are alike, so
 * one of them is enough.
 */
const everyElement = (proof: Proof, given: Conjunct[], from: number, schema: Json, scope: SchemaScope): boolean => {
  const last = Math.max(prefixLength(given), from);
  const most = mostItems(given);
  for (let index = from; index <= last && index < most; index++) {
    if (!proof.provesInside(elementOf(given, index), schema, scope)) return false;
  }
  return true;
};

const lengthOf = (list: Json | undefined): number => (Array.isArray(list) ? list.length : 0);

/** Proves a tuple by position (a position that no given array reaches holds), else all elements after `prefixItems`. */
const items: Obligation = (given, operand, { schema, scope }, proof) =>
  Array.isArray(operand)
    ? operand.every(
        (one, index) => index >= mostItems(given) || proof.provesInside(elementOf(given, index), one, scope),
      )
    : everyElement(proof, given, lengthOf(own(schema, 'prefixItems')), operand, scope);

const COUNTS = ['minContains', 'maxContains'];

/** Whether what is given has equal `contains`, `minContains` and `maxContains`, with the same definitions. */
const isSameCount = (given: Conjunct[], operand: Json, { schema, scope }: Conjunct, proof: Proof): boolean =>
  given.some((one) => {
    const its = own(one.schema, 'contains');
    return (
      its !== undefined &&
      COUNTS.every((key) => sameText(own(one.schema, key) ?? null, own(schema, key) ?? null)) &&
      proof.isSame(its, one.scope, operand, scope)
    );
  });

/** Whether enough elements of a stricter kind are given: each of them is also of this kind. */
const hasStricter = (given: Conjunct[], least: number, operand: Json, scope: SchemaScope, proof: Proof): boolean =>
  given.some((one) => {
    const its = own(one.schema, 'contains');
    const count = own(one.schema, 'minContains') ?? 1;
    if (its === undefined || typeof count !== 'number' || count < least) return false;
    return proof.provesInside(assumptionsOf(its, one.scope), operand, scope);
  });

/** Whether at most as many elements of a looser kind are given: each of this kind is also one of those. */
const hasLooser = (given: Conjunct[], most: number, operand: Json, scope: SchemaScope, proof: Proof): boolean =>
  mostItems(given) <= most ||
  given.some((one) => {
    const its = own(one.schema, 'contains');
    const count = own(one.schema, 'maxContains');
    if (its === undefined || typeof count !== 'number' || count > most) return false;
    return proof.provesInside(assumptionsOf(operand, scope), its, one.scope);
  });

/** How many first elements the schemas that apply evaluate; infinity if all. */
const evaluated = (schemas: JsonObject[]): number =>
  Math.max(
    ...schemas.map((schema) => {
      const [items, prefix] = [own(schema, 'items'), own(schema, 'prefixItems')];
      if (Array.isArray(items)) return own(schema, 'additionalItems') === undefined ? items.length : Infinity;
      return items === undefined ? lengthOf(prefix) : Number.POSITIVE_INFINITY;
    }),
  );

export const ARRAYS = about(['array'], {
  minItems: limit((given, least) => largest(given, 'minItems', isRefused(given, []) ? 1 : 0) >= least),
  maxItems: limit((given, most) => mostItems(given) <= most),
  /** Holds if it is given, or if there is at most one element. */
  uniqueItems: (given, unique) =>
    unique === false ||
    mostItems(given) <= 1 ||
    operandsOf(given, 'uniqueItems').some(({ operand }) => operand === true),
  items,
  prefixItems: (given, operand, ...rest) => Array.isArray(operand) && items(given, operand, ...rest),
  /** Has no effect unless `items` is a tuple. */
  additionalItems: (given, operand, { schema, scope }, proof) => {
    const prefix = own(schema, 'items');
    return !Array.isArray(prefix) || everyElement(proof, given, prefix.length, operand, scope);
  },
  /** Elements that nothing next to it certainly evaluates satisfy the operand. */
  unevaluatedItems: (given, operand, claim, proof) => {
    const beside = (known: Conjunct[]) => appliedBy(known, claim, proof).map(([schema]) => schema);
    const from = evaluated(beside(given));
    const reaches = ({ schema, scope }: Conjunct, known: Conjunct[], isWhole: boolean): boolean => {
      const isAll = !isWhole && own(schema, 'unevaluatedItems') !== undefined;
      const [upTo, contained] = [isAll ? Infinity : evaluated([schema]), own(schema, 'contains')];
      if (upTo <= 0 && contained === undefined) return true;
      const its = beside(known);
      const isContained =
        contained === undefined ||
        its.some((one) => {
          const wanted = own(one, 'contains');
          return wanted !== undefined && proof.provesInside(assumptionsOf(contained, scope), wanted, claim.scope);
        });
      return (isContained && evaluated(its) >= upTo) || proof.proves(known, false, claim.scope);
    };
    if (isCovered(given, 'unevaluatedItems', claim, proof, reaches)) return true;
    return from === Number.POSITIVE_INFINITY || everyElement(proof, given, from, operand, claim.scope);
  },
  /** Holds if the same is given, or enough elements of a stricter kind, or if all elements match and there are enough. */
  contains: (given, operand, claim, proof) => {
    const { schema, scope } = claim;
    const least = own(schema, 'minContains') ?? 1;
    const most = own(schema, 'maxContains');
    if (least === 0 && most === undefined) return true;
    if (isSameCount(given, operand, claim, proof)) return true;
    if (typeof least !== 'number') return false;
    if (most !== undefined && (typeof most !== 'number' || !hasLooser(given, most, operand, scope, proof)))
      return false;
    if (least === 0 || hasStricter(given, least, operand, scope, proof)) return true;
    return largest(given, 'minItems') >= Math.max(1, least) && everyElement(proof, given, 0, operand, scope);
  },
});
