/** A number is exact if it is a whole number of these parts of 1, as binary fractions are. */
export const EXACT = 1_048_576;
/** How far a quotient may be off, in its own size: a value, a step and their quotient are each rounded once. */
const ROUNDED = 2 * Number.EPSILON;

/**
 * Whether a number is a multiple of a step, as people write both: 19.99 is one of 0.01, though the quotient of their binary
 * fractions is not whole. The libraries that servers use, zod and pydantic, say the same.
 */
export const isMultipleOf = (value: number, step: number): boolean => {
  if (step === 0) return false;
  const quotient = value / step;
  if (Number.isInteger(quotient) || Number.isInteger(step * EXACT)) return Number.isInteger(quotient);
  return !(Math.abs(quotient - Math.round(quotient)) > ROUNDED * Math.abs(quotient));
};
