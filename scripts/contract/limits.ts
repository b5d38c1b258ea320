/** Largest answer of a source that is read, in bytes. */
export const LONGEST_ANSWER = 16 * 1024 * 1024;

/** The part of a deadline that is reserved for cleaning up (closing a session, ending a program). Both in ms. */
export const restOf = (ms: number): number => Math.min(ms / 2, 1_000, Math.max(200, ms / 10));
