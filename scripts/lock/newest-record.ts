import type { Approved, Consent, Lock } from './types.ts';

const timesOf = ({ approved, earlier = [] }: { approved?: Approved; earlier?: Approved[] }): string[] =>
  [...earlier, ...(approved ? [approved] : [])].flatMap(({ at, second }: Consent & { second?: Consent }) =>
    second === undefined ? [at] : [at, second.at],
  );

/** The time of the newest record in a lockfile, in ISO 8601; undefined if it has none. */
export const newestRecord = (lock: Lock): string | undefined => {
  const times = [...lock.values()].flatMap((pins) => [
    ...[...pins.values(), ...(pins.removed?.values() ?? [])].flatMap(timesOf),
    ...[...(pins.refused?.values() ?? [])].map(({ at }) => at),
  ]);
  return times.reduce<string | undefined>(
    (newest, at) => (newest === undefined || Date.parse(at) > Date.parse(newest) ? at : newest),
    undefined,
  );
};
