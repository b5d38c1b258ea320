import { referencesIn } from '../contract/references.ts';
import type { Json } from '../contract/types.ts';
import { bare, changedReferences, conjunctsOf, isFree, leadsThroughForms, plain } from './conjuncts.ts';
import { isClosed } from './facts.ts';
import { Proof } from './proof.ts';
import { SchemaScope } from './scope.ts';

/**
 * Whether it can be proven that `after` accepts every value that `before` accepts. Values are those that a caller who knows
 * `before` can send: objects hold the properties that it declares, and others only if it says something about their values
 * or names no property at all.
 * True is a proof; false means that none was found, not that it is untrue.
 *
 * How it works, and where:
 * - A schema is a conjunction of schemas, since `allOf` and `$ref` are expanded (conjuncts.ts). What `before` says is given;
 *   each schema in the conjunction of `after` is a claim, and each keyword in a claim is an obligation (keywords/).
 * - A family of keywords proves its obligations from what is known about the values (facts.ts), and from smaller claims:
 * about   an element, a property, a branch. If that does not prove a claim, what is given is split into cases (cases.ts).
 * - All claims of one proof share its fuel, so that hostile schemas end, too, and its results: a claim is proven once, and
 *   may depend on itself only for a smaller value (proof.ts).
 * - If the values are few (`enum`, `const`, booleans), they are tried one by one (check.ts).
 *
 * A part that we do not understand is ignored if given, and not proven if claimed, so that no proof depends on it.
 * @param beforeRoot the document that references in `before` point into
 * @param afterRoot the same for `after`
 */
export const isSubset = (before: Json, after: Json, beforeRoot: Json = before, afterRoot: Json = after): boolean =>
  proverFor(beforeRoot, afterRoot)(before, after);

const NONE: ReadonlySet<string> = new Set();

/**
 * The same for many parts of two documents: results about one part are reused for the next. `isCall`: the parts are the
 * input schemas of a tool, and one that names no parameter takes none.
 */
export const proverFor = (
  beforeRoot: Json,
  afterRoot: Json,
): ((before: Json, after: Json, isCall?: boolean) => boolean) => {
  const references = [beforeRoot, afterRoot].flatMap((root) => [...referencesIn(root)]);
  const simple = references.some(leadsThroughForms) ? bare : plain;
  const [had, has] = [simple(beforeRoot), simple(afterRoot)];
  // Leaving out words adds no references to a schema.
  const proof = new Proof(references.length === 0 ? NONE : changedReferences(had, has));
  const [from, to] = [new SchemaScope(had, 'before'), new SchemaScope(has, 'after')];
  return (before, after, isCall = false) => {
    const given = conjunctsOf(simple(before), from);
    return given === false || proof.about(given, simple(after), to, isCall);
  };
};

/** Whether every call of a tool that was valid still is. */
export const acceptsCallsOf = (before: Json, after: Json): boolean => proverFor(before, after)(before, after, true);

/** Whether a schema names no property of an object at all, so that a caller may pass any. */
export const namesNothing = (schema: Json, root: Json): boolean => {
  const its = conjunctsOf(schema, new SchemaScope(root, 'before'));
  return its !== false && isFree(its) && !isClosed(its);
};
