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
