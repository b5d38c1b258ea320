import { type Json, type JsonObject, own } from '../contract/types.ts';
import type { Type } from './check.ts';
import { assumptionsOf, type Conjunct, declaredKeys } from './conjuncts.ts';
import { derived, unless, without } from './derived.ts';
import { typesOf } from './facts.ts';

const TYPE: Record<Type, JsonObject> = {
  array: { type: 'array' },
  boolean: { type: 'boolean' },
  fraction: { type: 'number', not: { type: 'integer' } },
  integer: { type: 'integer' },
  null: { type: 'null' },
  object: { type: 'object' },
  string: { type: 'string' },
};

/** A conjunct that accepts all values of one type, and no others. */
export const isOfType = (type: Type): Conjunct => ({ schema: TYPE[type], root: true });

/**
 * Splits what is given into cases: every given value satisfies at least one of these conjunctions. There is one for each
 * branch of the first union or condition, or else one for each type. Null if there is nothing to split.
 */
export const casesOf = (given: Conjunct[]): Conjunct[][] | null => {
  for (const one of given) {
    const branches = branchesOf(one.schema);
    if (branches === null) continue;
    const others = given.filter((other) => other !== one);
    // A caller may pass a property that one branch declares also with another branch.
    const names = declaring(one.schema, [...declaredKeys(given)].sort());
    return branches.map(({ rest, added }) => [
      ...others,
      { schema: rest, root: one.root },
      { schema: names, root: true },
      ...added.flatMap((schema) => assumptionsOf(schema, one.root)),
    ]);
  }
  const types = [...typesOf(given)];
  return types.length > 1 ? types.map((type) => [...given, isOfType(type)]) : null;
};

/** One way to satisfy a schema: the rest of it, and the schemas that hold besides. */
interface Branch {
  rest: JsonObject;
  added: Json[];
}

const branchesOf = (schema: JsonObject): Branch[] | null => {
  const any = own(schema, 'anyOf');
  if (Array.isArray(any)) return any.map((each) => ({ rest: without(schema, 'anyOf'), added: [each] }));
  const exactly = own(schema, 'oneOf');
  if (Array.isArray(exactly)) {
    return exactly.map((each, index) => {
      const noOther = derived(schema, `oneOf${index}`, () => ({
        not: { anyOf: exactly.filter((_other, at) => at !== index) },
      }));
      return { rest: without(schema, 'oneOf'), added: [each, noOther] };
    });
  }
  const [condition, whenTrue, whenFalse] = ['if', 'then', 'else'].map((keyword) => own(schema, keyword));
  if (condition === undefined || (whenTrue === undefined && whenFalse === undefined)) return null;
  const rest = without(schema, 'if', 'then', 'else');
  return [
    { rest, added: [condition, whenTrue ?? true] },
    { rest, added: [unless(schema), whenFalse ?? true] },
  ];
};

/** A schema that declares properties without restricting them; cached by the names, which differ between conjunctions. */
const declaring = (schema: JsonObject, names: string[]): JsonObject =>
  derived(schema, `declares ${JSON.stringify(names)}`, () => ({
    properties: Object.fromEntries(names.map((name) => [name, true])),
  }));
