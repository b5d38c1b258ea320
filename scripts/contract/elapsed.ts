/** Milliseconds on a clock that only goes forward. Loading `performance` takes two of them. */
export const elapsed = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
};
