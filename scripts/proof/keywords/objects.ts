import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { isOfType } from '../cases.ts';
import { accepts, matches } from '../check.ts';
import { assumptionsOf, type Conjunct, declaredKeys } from '../conjuncts.ts';
import { objectsWith } from '../derived.ts';
import {
  isClosed,
  isRefused,
  largest,
  mostKeys,
  objectAt,
  operandsOf,
  patternsOf,
  propertyOf,
  requiredOf,
  unnamedOf,
} from '../facts.ts';
import type { Proof } from '../proof.ts';
import { MADE } from '../scope.ts';
import { appliedBy } from './applied.ts';
import { isCovered } from './covered.ts';
import { about, limit, type Obligation } from './keyword.ts';

/** Most patterns and combinations of them that are tried. */
const MOST_COMBINATIONS = 200;

/** All lists of at most `most` patterns, the empty one first; null if there are too many. */
const combinations = (patterns: string[], most: number): string[][] | null => {
  let found: string[][] = [[]];
  for (const pattern of patterns) {
    found = [...found, ...found.filter((one) => one.length < most).map((one) => [...one, pattern])];
    if (found.length > MOST_COMBINATIONS) return null;
  }
  return found;
};

/** The plain letters that a name must begin with to match a pattern. */
const beginning = (pattern: string): string =>
  /^\^([\w-]*)(?![*?{+\w-])/.exec(pattern.includes('|') ? '' : pattern)?.[1] ?? '';

/** Whether no name matches both patterns, because they begin differently. False if it may. */
const exclude = (one: string, other: string): boolean => {
  const [a, b] = [beginning(one), beginning(other)];
  return !a.startsWith(b) && !b.startsWith(a);
};

/**
 * Proves that properties which no given schema names satisfy a schema, if they match one pattern (`wanted`), or match none
 * of several (`unwanted`). Which other given patterns they match is unknown, so each combination is proven. From one given
 * schema a single pattern is enough, since more of them would only say more.
 */
const everyUnnamed = (
  proof: Proof,
  given: Conjunct[],
  [schema, claim]: [Json, Conjunct],
  { wanted, unwanted = [] }: { wanted?: string; unwanted?: Iterable<string> },
): boolean => {
  const lists = patternsOf(given);
  const excluded = new Set(unwanted);
  const patterns = [...new Set(lists.flat())].filter(
    (one) => one !== wanted && !excluded.has(one) && (wanted === undefined || !exclude(one, wanted)),
  );
  const combined = combinations(patterns, lists.length)?.filter(
    (list) => !list.some((one, index) => list.slice(index + 1).some((other) => exclude(one, other))),
  );
  return (
    combined?.every((list) => {
      const matched = new Set(wanted === undefined ? list : [...list, wanted]);
      return proof.provesInside(unnamedOf(given, matched), schema, claim.scope);
    }) ?? false
  );
};

/** Each property that is neither named nor matches a pattern satisfies a schema: declared ones, then all others. */
const everyOther = (
  proof: Proof,
  given: Conjunct[],
  [schema, claim]: [Json, Conjunct],
  names: ReadonlySet<string>,
  patterns: string[],
): boolean => {
  for (const name of declaredKeys(given)) {
    if (names.has(name) || patterns.some((pattern) => matches(pattern, name))) continue;
    if (!proof.provesInside(propertyOf(given, name), schema, claim.scope)) return false;
  }
  return everyUnnamed(proof, given, [schema, claim], { unwanted: patterns });
};

/** Each property that a caller can pass satisfies its schema. */
const properties: Obligation = (given, operand, { scope }, proof) =>
  isObject(operand) &&
  Object.entries(operand as JsonObject).every(
    ([name, schema]) => proof.isUnused(given, name) || proof.provesInside(propertyOf(given, name), schema, scope),
  );

/** Declared properties that may match satisfy the schema, and so does every other property that matches. */
const patternProperties: Obligation = (given, operand, claim, proof) =>
  isObject(operand) &&
  Object.entries(operand as JsonObject).every(
    ([pattern, schema]) =>
      [...declaredKeys(given)].every(
        (name) => matches(pattern, name) === false || proof.provesInside(propertyOf(given, name), schema, claim.scope),
      ) && everyUnnamed(proof, given, [schema, claim], { wanted: pattern }),
  );

const additionalProperties: Obligation = (given, operand, claim, proof) =>
  everyOther(
    proof,
    given,
    [operand, claim],
    new Set(Object.keys(objectAt(claim.schema, 'properties'))),
    Object.keys(objectAt(claim.schema, 'patternProperties')),
  );

/** What is certainly evaluated next to a claim's `unevaluatedProperties`; null for all. */
const evaluatedBeside = (
  given: Conjunct[],
  claim: Conjunct,
  proof: Proof,
): { names: Set<string>; patterns: string[] } | null => {
  const names = new Set<string>();
  const patterns = new Set<string>();
  for (const [schema] of appliedBy(given, claim, proof)) {
    const isInner = schema !== claim.within && own(schema, 'unevaluatedProperties') !== undefined;
    if (isInner || own(schema, 'additionalProperties') !== undefined) return null;
    for (const name of Object.keys(objectAt(schema, 'properties'))) names.add(name);
    for (const pattern of Object.keys(objectAt(schema, 'patternProperties'))) patterns.add(pattern);
  }
  return { names, patterns: [...patterns] };
};

/** Whether the properties that a given schema evaluates are evaluated next to the claim, too. */
const reaches =
  (claim: Conjunct, proof: Proof) =>
  ({ schema }: Conjunct, given: Conjunct[], isWhole: boolean): boolean => {
    const names = Object.keys(objectAt(schema, 'properties'));
    const patterns = Object.keys(objectAt(schema, 'patternProperties'));
    const all =
      own(schema, 'additionalProperties') !== undefined ||
      (!isWhole && own(schema, 'unevaluatedProperties') !== undefined);
    if (!all && names.length === 0 && patterns.length === 0) return true;
    const beside = evaluatedBeside(given, claim, proof);
    if (beside === null) return true;
    const isMatched = (name: string) => beside.patterns.some((pattern) => matches(pattern, name));
    const isNamed = (name: string) => beside.names.has(name) || isMatched(name);
    const isAll = !all && names.every(isNamed) && patterns.every((pattern) => beside.patterns.includes(pattern));
    return isAll || proof.proves(given, false, MADE);
  };

/** As `additionalProperties`, with all names in the schemas that apply next to it: some apply if a property is present. */
const unevaluatedProperties: Obligation = (given, operand, claim, proof) => {
  const always = evaluatedBeside(given, claim, proof);
  if (always === null || isCovered(given, 'unevaluatedProperties', claim, proof, reaches(claim, proof))) return true;
  const isEvaluatedWhereThere = (name: string): boolean => {
    const present = objectsWith(claim.schema, name);
    const there = [...given, { schema: present, scope: MADE }];
    if (proof.proves(there, false, MADE)) return true;
    const beside = evaluatedBeside(there, claim, proof);
    return beside === null || beside.names.has(name);
  };
  const names = [...declaredKeys(given)].filter((name) => !always.names.has(name) && isEvaluatedWhereThere(name));
  return everyOther(proof, given, [operand, claim], new Set([...always.names, ...names]), always.patterns);
};

/** Declared names are accepted, or refused by what is given about names; all others are, by what is given about them. */
const propertyNames: Obligation = (given, operand, { scope }, proof) => {
  const told = operandsOf(given, 'propertyNames');
  const isAccepted = (name: string): boolean =>
    accepts(operand, scope, name) === true ||
    told.some((one) => accepts(one.operand, one.scope, name) === false) ||
    proof.provesInside(propertyOf(given, name), false, scope);
  if (![...declaredKeys(given)].every(isAccepted)) return false;
  if (isClosed(given)) return true;
  const names = told.flatMap((one) => assumptionsOf(one.operand, one.scope));
  return proof.provesInside([...names, isOfType('string')], operand, scope);
};

export const OBJECTS = about(['object'], {
  properties,
  patternProperties,
  additionalProperties,
  unevaluatedProperties,
  propertyNames,
  required: (given, names) => {
    const has = requiredOf(given);
    return Array.isArray(names) && names.every((name) => typeof name === 'string' && has.has(name));
  },
  minProperties: limit(
    (given, least) =>
      Math.max(largest(given, 'minProperties', isRefused(given, {}) ? 1 : 0), requiredOf(given).size) >= least,
  ),
  maxProperties: limit((given, most) => mostKeys(given) <= most),
});
