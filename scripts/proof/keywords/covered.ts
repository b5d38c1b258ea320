import { IGNORED } from '../../contract/dialect.ts';
import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { assumptionsOf, type Conjunct } from '../conjuncts.ts';
import { objectsWith, unless } from '../derived.ts';
import { asObject, objectAt } from '../facts.ts';
import type { Proof } from '../proof.ts';
import { MADE, type SchemaScope } from '../scope.ts';

/** A schema that may evaluate parts of a value, and what holds for the value if it does. */
interface Evaluating {
  schema: JsonObject;
  scope: SchemaScope;
  holds: Conjunct[];
}

/** Keywords that may evaluate anything, or nothing. */
const UNKNOWN = ['$dynamicRef', '$recursiveRef', IGNORED];

/** Most places that are searched. */
const MOST = 60;

/** A schema in another one that applies to the same value, and what holds for the value if it does. */
type Applied = [schema: Json, holds: Conjunct[]];

/** What holds if a schema applies that is read only where other conditions hold, too. */
const appliedIf = (schema: Json | undefined, scope: SchemaScope, ...conditions: Conjunct[]): Applied[] =>
  schema === undefined ? [] : [[schema, [...conditions, ...assumptionsOf(schema, scope)]]];

const listAt = (schema: JsonObject, keyword: string): Json[] => [own(schema, keyword) ?? []].flat();

const fromCondition = (schema: JsonObject, scope: SchemaScope): Applied[] => {
  const condition = own(schema, 'if');
  if (condition === undefined) return [];
  return [
    ...appliedIf(condition, scope),
    ...appliedIf(own(schema, 'then'), scope, ...assumptionsOf(condition, scope)),
    ...appliedIf(own(schema, 'else'), scope, { schema: unless(schema), scope }),
  ];
};

const fromDependencies = (schema: JsonObject, keyword: string, scope: SchemaScope): Applied[] =>
  Object.entries(objectAt(schema, keyword)).flatMap(([name, one]) => {
    if (Array.isArray(one)) return [];
    const present = objectsWith(asObject(own(schema, keyword)), name);
    return appliedIf(one, scope, { schema: present, scope: MADE });
  });

const appliedBy = (schema: JsonObject, scope: SchemaScope): Applied[] => [
  ...listAt(schema, 'allOf').map((each): Applied => [each, []]),
  ...['anyOf', 'oneOf'].flatMap((keyword) => listAt(schema, keyword).flatMap((each) => appliedIf(each, scope))),
  ...fromCondition(schema, scope),
  ...['dependentSchemas', 'dependencies'].flatMap((keyword) => fromDependencies(schema, keyword, scope)),
];

/** All schemas that apply next to a given schema's `unevaluated…`, each with its conditions; null if too many. */
const evaluatingIn = ({ within, scope }: Conjunct): Evaluating[] | null => {
  const found: Evaluating[] = [];
  const seen = new Set<Json>();
  const open: [Json, SchemaScope, Conjunct[]][] = [[within as JsonObject, scope, []]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [one, around, holds] = next;
    if (!isObject(one)) continue;
    const schema = one as JsonObject;
    if (found.length >= MOST) return null;
    // A cycle about the same value evaluates nothing more.
    if (holds.length === 0 && seen.has(schema)) continue;
    seen.add(schema);
    if (UNKNOWN.some((keyword) => Object.hasOwn(schema, keyword))) return null;
    const its = around.at(schema);
    found.push({ schema, scope: its, holds });
    const reference = own(schema, '$ref');
    if (reference !== undefined) {
      const target = its.resolve(reference);
      if (target === undefined) return null;
      open.push([...target, holds]);
    }
    for (const [each, more] of appliedBy(schema, its)) open.push([each, its, [...holds, ...more]]);
  }
  return found;
};

/**
 * Whether the claim evaluates everything that a given schema evaluates, and what that schema says about the rest proves what
 * the claim says about it: then the claim holds, whichever branches apply.
 * @param reaches whether what a schema evaluates is evaluated by the claim for all values that satisfy these conjuncts
 */
export const isCovered = (
  given: Conjunct[],
  keyword: 'unevaluatedProperties' | 'unevaluatedItems',
  claim: Conjunct,
  proof: Proof,
  reaches: (evaluating: Conjunct, holds: Conjunct[], isWhole: boolean) => boolean,
): boolean =>
  given.some((one) => {
    const rest = own(one.schema, keyword);
    if (one.within === undefined || rest === undefined) return false;
    const operand = claim.schema[keyword] as Json;
    if (!proof.provesInside(assumptionsOf(rest, one.scope), operand, claim.scope)) return false;
    return (
      evaluatingIn(one)?.every(({ schema, scope, holds }) =>
        reaches({ schema, scope }, [...given, ...holds], schema === one.within),
      ) ?? false
    );
  });
