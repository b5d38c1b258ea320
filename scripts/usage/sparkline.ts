const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** One character for each number, scaled to the highest; a dot for 0, to distinguish no call from one call. */
export const sparkline = (numbers: readonly number[]): string => {
  const most = Math.max(0, ...numbers);
  return numbers
    .map((number) => (number === 0 ? '·' : BARS[Math.min(7, Math.floor((number / most) * 7.999))]))
    .join('');
};
