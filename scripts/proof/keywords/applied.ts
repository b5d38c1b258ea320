import { type Json, type JsonObject, own } from '../../contract/types.ts';
import type { Conjunct } from '../conjuncts.ts';
import { areObjects, objectAt, requiredOf } from '../facts.ts';
import type { Proof } from '../proof.ts';
import type { SchemaScope } from '../scope.ts';
import { satisfiesNone } from './combinators.ts';

/**
 * The schemas that certainly apply to every given value next to a claim's `unevaluated…` keywords: what they name is
 * evaluated. These are the schema itself, `allOf`, `$ref`, branches that all given values satisfy, conditions that are
 * decided, and `dependentSchemas` of properties that are present.
 */
export const appliedBy = (given: Conjunct[], claim: Conjunct, proof: Proof): [JsonObject, SchemaScope][] => {
  const whole = claim.within ?? claim.schema;
  const found = new Map<JsonObject, SchemaScope>();
  const open: [Json, SchemaScope][] = [[whole, claim.scope]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [one, scope] = next;
    if (typeof one !== 'object' || one === null || Array.isArray(one) || found.has(one)) continue;
    found.set(one, scope);
    const add = (schema: Json | undefined) => schema !== undefined && open.push([schema, scope]);
    const all = own(one, 'allOf');
    if (Array.isArray(all)) all.forEach(add);
    const target = scope.resolve(own(one, '$ref') ?? null);
    if (target !== undefined) open.push(target);
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = own(one, keyword);
      if (Array.isArray(branches)) branches.filter((branch) => proof.proves(given, branch, scope)).forEach(add);
    }
    const condition = own(one, 'if');
    if (condition !== undefined && proof.proves(given, condition, scope)) {
      add(condition);
      add(own(one, 'then'));
    } else if (condition !== undefined && satisfiesNone(proof, given, condition, scope)) add(own(one, 'else'));
    for (const [name, schema] of Object.entries(objectAt(one, 'dependentSchemas'))) {
      if (areObjects(given) && requiredOf(given).has(name)) add(schema);
    }
  }
  return [...found];
};
