/** Formats that say how a number is stored, and not what it counts. */
const SIZES = /^(?:(u?)int(8|16|32|64|128)?|float|double|decimal|number|integer)$/;

/** The whole numbers that a format can store, both ends included. */
export interface NumberRange {
  least: number;
  most: number;
}

/** Whether a format says only how a number is stored. */
export const isSize = (format: string): boolean => SIZES.test(format);

/** The whole numbers that a format can store; undefined if it stores fractions, too, or says something else. */
export const sizeOf = (format: string): NumberRange | undefined => {
  const [name, unsigned, bits] = SIZES.exec(format) ?? [];
  if (name === undefined || (unsigned === undefined && name !== 'integer')) return undefined;
  const least = unsigned === 'u' ? 0 : Number.NEGATIVE_INFINITY;
  if (bits === undefined) return { least, most: Number.POSITIVE_INFINITY };
  const half = 2 ** (Number(bits) - 1);
  return unsigned === 'u' ? { least, most: 2 * half - 1 } : { least: -half, most: half - 1 };
};

/** Whether a format can store a number. */
export const fits = (value: number, format: string): boolean => {
  const size = sizeOf(format);
  return size === undefined || (Number.isInteger(value) && value >= size.least && value <= size.most);
};
