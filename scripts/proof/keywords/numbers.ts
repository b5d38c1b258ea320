import { EXACT } from '../../contract/steps.ts';
import type { Json } from '../../contract/types.ts';
import type { Conjunct } from '../conjuncts.ts';
import { lowerBound, operandsOf, typesOf, upperBound } from '../facts.ts';
import { type NumberRange, sizeOf } from '../sizes.ts';
import { about, limit, type Obligation } from './keyword.ts';

/** Bounds that exclude only whole numbers which JSON cannot carry exactly. */
const NO_BOUND: NumberRange = { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** A step, in whole parts that are small enough to be exact; undefined if it has none: validators round others as they like. */
const partsOf = (step: Json): number | undefined => {
  const parts = typeof step === 'number' ? step * EXACT : Number.NaN;
  return Number.isSafeInteger(parts) && parts > 0 ? parts : undefined;
};

/** Holds if the same step is given, or if what all given steps have in common is a multiple of this one. */
const isMultiple = (given: Conjunct[], step: number): boolean => {
  const steps = operandsOf(given, 'multipleOf').map(({ operand }) => operand);
  if (steps.includes(step)) return true;
  if (!typesOf(given).has('fraction')) steps.push(1);
  const wanted = partsOf(step);
  let common = 1;
  for (const one of steps) {
    const parts = partsOf(one);
    if (parts === undefined) continue;
    const both = (common / divisor(common, parts)) * parts;
    if (Number.isSafeInteger(both)) common = both;
  }
  return wanted !== undefined && common % wanted === 0;
};

/** In draft-04 `true` makes the bound next to it an open one. */
const opens =
  (keyword: string, bound: string, isTighter: (its: number, limit: number) => boolean, holds: Obligation): Obligation =>
  (given, operand, claim, proof) => {
    if (typeof operand !== 'boolean') return holds(given, operand, claim, proof);
    const wanted = claim.schema[bound];
    if (!operand || typeof wanted !== 'number') return !operand;
    return (
      holds(given, wanted, claim, proof) ||
      given.some(({ schema }) => {
        const its = schema[bound];
        return schema[keyword] === true && typeof its === 'number' && isTighter(its, wanted);
      })
    );
  };

/** Whether a bound means none: libraries such as zod write one that whole numbers reach only inexactly. */
const isNoBound = (given: Conjunct[], bound: number): boolean =>
  bound >= NO_BOUND.most && !typesOf(given).has('fraction');

/** The bounds that given formats set, each undefined for a format that stores fractions. */
const sizesOf = (given: Conjunct[]): NumberRange[] =>
  operandsOf(given, 'format').flatMap(({ operand }) => (typeof operand === 'string' ? (sizeOf(operand) ?? []) : []));

/** Whether a format can store each number that satisfies all that is given. */
const isStorable: Obligation = (given, format) => {
  const size = typeof format === 'string' ? sizeOf(format) : undefined;
  if (size === undefined) return true;
  const sizes = sizesOf(given);
  if (sizes.length === 0 && typesOf(given).has('fraction')) return false;
  const least = Math.max(lowerBound(given).at, ...sizes.map((one) => one.least));
  const most = Math.min(upperBound(given).at, ...sizes.map((one) => one.most));
  // Libraries write a format of 64 bits when they mean any whole number.
  return (least >= size.least || size.least <= NO_BOUND.least) && (most <= size.most || size.most >= NO_BOUND.most);
};

/** Bounds are proven from the given bounds, which are rounded to whole numbers if only those are possible. */
export const NUMBERS = about(['integer', 'fraction'], {
  minimum: limit((given, least) => lowerBound(given).at >= least || isNoBound(given, -least)),
  maximum: limit((given, most) => upperBound(given).at <= most || isNoBound(given, most)),
  exclusiveMinimum: opens(
    'exclusiveMinimum',
    'minimum',
    (its, wanted) => its >= wanted,
    limit((given, below) => {
      const { at, open } = lowerBound(given);
      return at > below || (at === below && open);
    }),
  ),
  exclusiveMaximum: opens(
    'exclusiveMaximum',
    'maximum',
    (its, wanted) => its <= wanted,
    limit((given, above) => {
      const { at, open } = upperBound(given);
      return at < above || (at === above && open);
    }),
  ),
  multipleOf: limit(isMultiple),
  format: isStorable,
});
