/** What work returns; `otherwise` if it throws: only for work of which every error means that. */
export const attempt = <T>(work: () => T, otherwise: T): T => {
  try {
    return work();
  } catch {
    return otherwise;
  }
};

/** Does work on which nothing depends: it may throw. */
export const quietly = (work: () => void): void => attempt(work, undefined);
