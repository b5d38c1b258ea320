import type { Json } from '../contract/types.ts';
import { conjunctsOf, sameDefinitions } from './conjuncts.ts';
import { OutOfFuel, Proof } from './proof.ts';

/**
 * Proves that every value that `before` accepts, `after` accepts, too. Values are what a caller who knows `before` can
 * send: objects hold the properties that it declares, and others only where it says something of their values. True is
 * a proof; false means that there is none, which need not mean that it is not so.
 *
 * How it works, and where:
 * - A schema is a conjunction of keywords, with its `allOf` and `$ref` opened (conjuncts.ts). What `before` says is given;
 *   each schema in the conjunction of `after` is a claim, and each keyword in a claim is an obligation (keywords/).
 * - A family of keywords proves its obligations from what is known of the values (facts.ts), and from smaller claims: about
 *   an element, a property, a branch. Where a claim cannot be proven at once, what is given is split into cases (cases.ts).
 * - All work on one proof shares its fuel, so that hostile schemas end, and its results: a claim is proven once, and may
 *   rest on itself only about a smaller value (proof.ts).
 * - Few values (`enum`, `const`, booleans) are not reasoned about but tried one by one (check.ts).
 *
 * Whatever is not understood is dropped where it is given, and not proven where it is claimed: no proof rests on it.
 * @param beforeRoot the document that references in `before` mean
 * @param afterRoot the same for `after`
 */
export const isSubset = (before: Json, after: Json, beforeRoot: Json = before, afterRoot: Json = after): boolean => {
  const proof = new Proof(sameDefinitions(beforeRoot, afterRoot));
  const given = conjunctsOf(before, beforeRoot);
  if (given === false) return true;
  try {
    return proof.proves(given, after, afterRoot);
  } catch (error) {
    if (error instanceof OutOfFuel || error instanceof RangeError) return false;
    throw error;
  }
};
