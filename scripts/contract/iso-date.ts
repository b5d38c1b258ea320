const FORM = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}))?$/;

/**
 * An ISO 8601 date as milliseconds since 1970; undefined for anything else, the 31st of February included. A time may
 * follow the date, since two edits on one day need two versions.
 */
export const isoTime = (text: string): number | undefined => {
  const day = FORM.exec(text)?.[1];
  const at = Date.parse(text);
  if (day === undefined || Number.isNaN(at)) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return new Date(midnight).toISOString().startsWith(day) ? at : undefined;
};

const HOUR = 3_600_000;
/** How far the clocks of two machines may differ, in ms. */
const SKEW = HOUR / 12;

/** Whether a version is a day that has not begun anywhere on earth, or a time in the future. */
export const isAhead = (version: string, now: number): boolean => {
  const at = isoTime(version);
  return at !== undefined && at > now + (version.includes('T') ? SKEW : 14 * HOUR);
};

/** The version for a change made now: today's date, and the time if the date alone would not be later. */
export const nextVersion = (current: string | undefined, now: number): string => {
  const last = isoTime(current ?? '') ?? Number.NEGATIVE_INFINITY;
  const text = new Date(now).toISOString();
  const today = text.slice(0, 10);
  if (Date.parse(today) > last) return today;
  const minute = `${text.slice(0, 16)}Z`;
  // A version in the future must be followed by one further in the future.
  return Date.parse(minute) > last ? minute : new Date(last + 60_000).toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z');
};
