/** As much as one answer may bring, in bytes. */
export const LONGEST_ANSWER = 32 * 1024 * 1024;
