const EVERY = 1_000;

/** Reports progress if something takes longer than a second, and then every second. */
export const reporter = (progress: (line: string) => void): ((text: () => string) => void) => {
  let next = Date.now() + EVERY;
  return (text) => {
    if (Date.now() < next) return;
    next = Date.now() + EVERY;
    progress(text());
  };
};
