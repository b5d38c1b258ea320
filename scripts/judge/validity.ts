import { bounded } from '../contract/bounded.ts';
import type { Json, JsonObject } from '../contract/types.ts';
import { type Validity, validateArguments } from '../contract/validate.ts';
import { accepts } from '../proof/check.ts';

/**
 * Keywords that the validator is known to be wrong about: elements that one of two branches with `items` evaluates, and
 * properties that the condition of an `if` inside a `oneOf` evaluates, count as unevaluated; and the code that it makes for
 * some nestings does not run.
 */
const DOUBTFUL = /"unevaluated(?:Items|Properties)":/;

/** Milliseconds for the second opinion. */
const BUDGET_MS = 100;

/** As `validateArguments`. Where that is known to be wrong, our own checker has the last word on what it refuses. */
export const validityOf = (schema: Json, args: JsonObject): Validity => {
  const found = validateArguments(schema, args);
  const isDoubtful = found.valid !== true && found.unread === undefined && DOUBTFUL.test(JSON.stringify(schema));
  if (!isDoubtful) return found;
  const second = bounded(() => accepts(schema, schema, args), BUDGET_MS);
  return second.done && second.value === true ? { valid: true } : found;
};
