// What the sending of events remembers from one process to the next.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject } from '../contract/types.ts';
import { makeFolder, readJson, readText, writeAtomic } from '../state/files.ts';
import { telemetryPath } from '../state/paths.ts';

/** A place in the activity log: a day, `YYYY-MM-DD`, and bytes of its file. */
export interface LogPlace {
  day: string;
  offset: number;
}

export interface Ledger {
  /** Verdicts are sent up to here. */
  verdicts: LogPlace;
  /** Silent calls are counted and sent up to here. `to`: the end of the part that is being sent. */
  counts: LogPlace & { to?: number };
  /** When it was last tried, and last succeeded; and before when it is not tried again. In ms since 1970. */
  triedAt?: number;
  sentAt?: number;
  notBefore?: number;
  /** How often it failed in a row. */
  failures: number;
  /** What was wrong the last time, in our own words. */
  error?: string;
  /** Events that the collector refused for good. */
  refused: number;
  /** Bytes of the log that were never sent, because too much was waiting. */
  skipped: number;
}

const count = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isPlace = (value: unknown): value is LogPlace =>
  isObject(value) && /^\d{4}-\d\d-\d\d$/.test(String(value.day)) && count(value.offset);
const isLedger = (value: unknown): value is Ledger =>
  isObject(value) &&
  isPlace(value.verdicts) &&
  isPlace(value.counts) &&
  [value.failures, value.refused, value.skipped].every(count) &&
  [value.triedAt, value.sentAt, value.notBefore, (value.counts as { to?: unknown }).to].every(
    (one) => one === undefined || (typeof one === 'number' && one >= 0),
  ) &&
  (value.error === undefined || typeof value.error === 'string');

/** What is remembered; undefined if nothing is, or if it is damaged. Then everything is sent again, with the same ids. */
export const readLedger = (home: string): Ledger | undefined => {
  const found = readJson(telemetryPath(home, 'ledger.json'));
  return isLedger(found) ? found : undefined;
};

/** @throws if it cannot be written */
export const writeLedger = (home: string, ledger: Ledger): void =>
  writeAtomic(telemetryPath(home, 'ledger.json'), JSON.stringify(ledger));

/** A random id of this machine, which is made on first use. @throws if it cannot be kept */
export const machineId = (home: string): string => {
  const path = telemetryPath(home, 'machine');
  const kept = (): string | undefined => /^[0-9a-f]{32}/.exec(readText(path) ?? '')?.[0];
  const known = kept();
  if (known !== undefined) return known;
  makeFolder(dirname(path));
  const made = randomBytes(16).toString('hex');
  // Damaged: the process that keeps it holds the lock, and writes it whole.
  writeFileSync(path, `${made}\n`, { mode: 0o600 });
  return kept() ?? made;
};

/** The longest that sending is put off, in ms. */
export const LONGEST_WAIT = 24 * 3_600_000;

/** Whether it is too early to try again. After a clock was set back, a time too far in the future does not count. */
export const isHeldBack = ({ notBefore = 0 }: Ledger, now: number): boolean =>
  notBefore > now && notBefore <= now + LONGEST_WAIT;
