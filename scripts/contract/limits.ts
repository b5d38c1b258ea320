/** As much as one answer may bring, in bytes. */
export const LONGEST_ANSWER = 16 * 1024 * 1024;

/** What of a deadline is kept for ending what was begun (a session, a program), in ms. */
export const restOf = (ms: number): number => Math.min(ms / 2, 1_000, Math.max(200, ms / 10));
