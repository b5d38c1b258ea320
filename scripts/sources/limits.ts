/** As much as one answer may bring, in bytes. */
export const LONGEST_ANSWER = 16 * 1024 * 1024;
