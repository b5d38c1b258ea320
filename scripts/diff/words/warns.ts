import type { Json } from '../../contract/types.ts';

/** A longer title is not searched. */
const LONGEST = 5_000;

/** Says that something should not be used any more, or is to be used otherwise. */
const WARNING =
  /\b(?:deprecat|obsolete|legacy|retire|remove|replace|unsupported|instead|no longer|do not|don['’]t|never)/i;

/** Whether a title, which the model is not shown, came with a warning in it. */
export const warns = (before: Json | undefined, after: Json | undefined): boolean =>
  typeof after === 'string' &&
  WARNING.test(after.slice(0, LONGEST)) &&
  !(typeof before === 'string' && WARNING.test(before));
