// Loaded in the background at every refresh, so it compares no contracts.
import { consentsIn, type Lock, type Pin, type Removed } from './types.ts';

/** All approvals in an entry, oldest first. */
export const recordsOf = ({ approved, earlier = [] }: Partial<Pick<Pin & Removed, 'approved' | 'earlier'>>) => [
  ...earlier,
  ...(approved ? [approved] : []),
];

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
