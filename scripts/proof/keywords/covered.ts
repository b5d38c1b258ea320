import { IGNORED } from '../../contract/dialect.ts';
import { type Json, type JsonObject, own } from '../../contract/types.ts';
import { assumptionsOf, type Conjunct } from '../conjuncts.ts';
import { derived, unless } from '../derived.ts';
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

/** All schemas that apply next to a given schema's `unevaluated…`, each with its conditions; null if too many. */
const evaluatingIn = ({ within, scope }: Conjunct): Evaluating[] | null => {
  const found: Evaluating[] = [];
  const seen = new Set<Json>();
  const open: [Json, SchemaScope, Conjunct[]][] = [[within as JsonObject, scope, []]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [one, around, holds] = next;
    if (typeof one !== 'object' || one === null || Array.isArray(one)) continue;
    if (found.length >= MOST) return null;
    // A cycle about the same value evaluates nothing more.
    if (holds.length === 0 && seen.has(one)) continue;
    seen.add(one);
    const its = around.at(one);
    found.push({ schema: one, scope: its, holds });
    const go = (schema: Json, more: Conjunct[] = []) => open.push([schema, its, [...holds, ...more]]);
    const reference = own(one, '$ref');
    const target = reference === undefined ? undefined : its.resolve(reference);
    if (target !== undefined) open.push([...target, holds]);
    if ((target === undefined && reference !== undefined) || UNKNOWN.some((keyword) => Object.hasOwn(one, keyword)))
      return null;
    for (const each of [own(one, 'allOf') ?? []].flat()) go(each);
    for (const keyword of ['anyOf', 'oneOf'])
      for (const each of [own(one, keyword) ?? []].flat()) go(each, assumptionsOf(each, its));
    const [condition, whenTrue, whenFalse] = ['if', 'then', 'else'].map((keyword) => own(one, keyword));
    if (condition !== undefined) {
      const yes = assumptionsOf(condition, its);
      go(condition, yes);
      if (whenTrue !== undefined) go(whenTrue, [...yes, ...assumptionsOf(whenTrue, its)]);
      const no = { schema: unless(one), scope: its };
      if (whenFalse !== undefined) go(whenFalse, [no, ...assumptionsOf(whenFalse, its)]);
    }
    for (const keyword of ['dependentSchemas', 'dependencies']) {
      for (const [name, each] of Object.entries(objectAt(one, keyword))) {
        if (Array.isArray(each)) continue;
        const present = derived(asObject(own(one, keyword)), `has ${name}`, () => ({ required: [name] }));
        go(each, [{ schema: present, scope: MADE }, ...assumptionsOf(each, its)]);
      }
    }
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
