import { boundedForCall } from '../contract/bounded.ts';
import type { Json, JsonObject } from '../contract/types.ts';
import { type Validity, validateArguments } from '../contract/validate.ts';
import { accepts } from '../proof/check.ts';
import { say } from '../text/shown.ts';

/**
 * Keywords that the validator is known to get wrong: it treats elements that one of two branches with `items` evaluates, and
 * properties that the condition of an `if` inside a `oneOf` evaluates, or that stand beside a `dependentSchemas` for a missing
 * property, as unevaluated; it acts as if `contains` evaluated every element; and the code that it makes for some nestings
 * does not run.
 */
const DOUBTFUL = /"unevaluated(?:Items|Properties)":/;

/** Milliseconds for the second opinion. */
const BUDGET_MS = 100;

/** As `validateArguments`. Where that is known to be wrong, our own checker has the last word, if it reaches a result. */
export const validityOf = (schema: Json, args: JsonObject): Validity => {
  const found = validateArguments(schema, args);
  if ((found.valid !== true && found.unread !== undefined) || !DOUBTFUL.test(JSON.stringify(schema))) return found;
  const second = boundedForCall({ schemas: [schema], args }, () => accepts(schema, schema, args), BUDGET_MS);
  if (!second.done || second.value === undefined || second.value === found.valid) return found;
  if (second.value) return { valid: true };
  // If the validator refuses, or could not tell, its answer says more.
  return found.valid === true
    ? { valid: false, errors: [{ text: say`the arguments hold something that no part of the schema is for` }] }
    : found;
};
