const LENGTH = 86_400_000;

/**
 * The UTC day, `YYYY-MM-DD`, of a moment in ms. UTC as for the log's files: a call is on the same day for everyone, and
 * no day has 23 or 25 hours.
 */
export const dayOf = (at: number): string => {
  const nth = Math.floor(at / LENGTH);
  // Cached: neighbours in a log are mostly of one day, and formatting it costs more than all other work of counting.
  if (nth !== last.nth) last = { nth, day: new Date(at).toISOString().slice(0, 10) };
  return last.day;
};

let last = { nth: 0, day: '1970-01-01' };

/** The day that is `count` days later; earlier if `count` is negative. */
export const addDays = (day: string, count: number): string => dayOf(Date.parse(`${day}T00:00:00Z`) + count * LENGTH);

/** How many days there are from one day to another, both included. */
const daysBetween = (from: string, to: string): number =>
  Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / LENGTH) + 1);

/** Some days in a row, as one bar of a chart. */
export interface Bucket {
  from: string;
  to: string;
}

/** At most `most` buckets of `size` days each, in order; the oldest one may be shorter. */
export const bucketsOf = (from: string, to: string, most: number): { size: number; buckets: Bucket[] } => {
  const count = daysBetween(from, to);
  const size = Math.max(1, Math.ceil(count / Math.max(1, most)));
  const buckets: Bucket[] = [];
  for (let end = to; end >= from && buckets.length < most; end = addDays(end, -size)) {
    const start = addDays(end, 1 - size);
    buckets.unshift({ from: start < from ? from : start, to: end });
  }
  return { size, buckets };
};

/** How many calls fall into each bucket. @param days numbers of calls by day */
export const fill = (buckets: readonly Bucket[], days: Iterable<readonly [string, number]>): number[] => {
  const filled = buckets.map(() => 0);
  for (const [day, calls] of days) {
    const at = buckets.findIndex(({ from, to }) => from <= day && day <= to);
    if (at !== -1) filled[at] = (filled[at] as number) + calls;
  }
  return filled;
};
