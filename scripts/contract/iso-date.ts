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
/** By as much the clocks of two machines may differ. */
const SKEW = HOUR / 12;

/** Whether a version is a day that no place on earth has yet, or a time that is still to come. */
export const isAhead = (version: string, now: number): boolean => {
  const at = isoTime(version);
  return at !== undefined && at > now + (version.includes('T') ? SKEW : 14 * HOUR);
};

/** The version that a change made now should get: today's date, and the time where that alone would not be later. */
export const nextVersion = (current: string | undefined, now: number): string => {
  const last = isoTime(current ?? '') ?? Number.NEGATIVE_INFINITY;
  const text = new Date(now).toISOString();
  const today = text.slice(0, 10);
  if (Date.parse(today) > last) return today;
  const minute = `${text.slice(0, 16)}Z`;
  // What lies ahead already can only be followed by what lies further ahead.
  return Date.parse(minute) > last ? minute : new Date(last + 60_000).toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z');
};
