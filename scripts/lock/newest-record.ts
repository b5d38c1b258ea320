import { recordsOf } from './records.ts';
import { consentsIn, type Lock } from './types.ts';

/** The time of the newest record in a lockfile, in ISO 8601; undefined if it has none. */
export const newestRecord = (lock: Lock): string | undefined => {
  const consents = [...lock.values()].flatMap((pins) => [
    ...[...pins.values(), ...(pins.removed?.values() ?? [])].flatMap(recordsOf).flatMap(consentsIn),
    ...(pins.refused?.values() ?? []),
  ]);
  const times = consents.map(({ at }) => at);
  return times.reduce<string | undefined>(
    (newest, at) => (newest === undefined || Date.parse(at) > Date.parse(newest) ? at : newest),
    undefined,
  );
};
