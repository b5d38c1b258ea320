import type { Json } from '../../contract/types.ts';

/** A longer title is not searched. */
const LONGEST = 5_000;

/** Says that something should no longer be used, or should be used differently. */
const WARNING =
  /\b(?:deprecat|obsolete|legacy|retire|remove|replace|unsupported|instead|no longer|do not|don['’]t|never)/i;

/** Whether a title, which the model does not see, gained a warning. */
export const warns = (before: Json | undefined, after: Json | undefined): boolean =>
  typeof after === 'string' &&
  WARNING.test(after.slice(0, LONGEST)) &&
  !(typeof before === 'string' && WARNING.test(before));
