// Sends the waiting part of the activity log to a collector, at least once: repeated events have the same ids.
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { loadConfig } from '../config/config.ts';
import type { TelemetryConfig } from '../config/settings.ts';
import { codeOf, within } from '../sources/deadline.ts';
import type { Posted } from '../sources/http.ts';
import { helped } from '../sources/mcp/headers-helper.ts';
import { tryLock } from '../state/exclusive.ts';
import { makeFolder } from '../state/files.ts';
import { telemetryPath } from '../state/paths.ts';
import { encoded, rejectedIn, TYPES } from './encode.ts';
import type { Origin, TelemetryEvent } from './events.ts';
import { isHeldBack, type Ledger, LONGEST_WAIT, machineId, writeLedger } from './ledger.ts';
import { type CollectorTarget, targetOf } from './target.ts';
import { bounded, ledgerOf, nextCounts, nextVerdicts } from './unsent.ts';

/** How long one request may take, with a helper that makes its headers, in ms. */
const LONGEST_REQUEST = 10_000;
/** How long all of them may take together, in ms. */
const LONGEST = 60_000;
/** How many bytes of an answer are read. */
const LARGEST_ANSWER = 64 * 1024;
/** The pause after a failure, in ms, before jitter; doubled with each one in a row, up to the longest. */
const PAUSE = 30_000;
const LONGEST_PAUSE = 3_600_000;
/** OTLP: a request that was answered so may be sent again. */
const PASSING = new Set([429, 502, 503, 504]);
/** The collector objects to the sender, not to the events: we try again after the longest pause. */
const OURS = new Set([401, 403, 404, 405, 407, 421]);

const zipped = promisify(gzip);

/** What came of a request. */
type Delivery =
  | { kind: 'taken'; rejected: number }
  | { kind: 'refused'; why: string }
  | { kind: 'later'; why: string; wait?: number };

/** What `retry-after` says, in ms from now; undefined if it says nothing. */
const orderedWait = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), LONGEST_WAIT) : undefined;
};

const outcomeOf = ({ status, retryAfter, body }: Posted, { encoding = 'protobuf' }: TelemetryConfig): Delivery => {
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedIn(body, encoding) };
  const why = `the collector answered HTTP ${status}`;
  if (PASSING.has(status)) {
    const wait = orderedWait(retryAfter, Date.now());
    return { kind: 'later', why, ...(wait === undefined ? {} : { wait }) };
  }
  if (status >= 300 && status < 400)
    return { kind: 'later', why: `${why}, a redirect, which is not followed`, wait: LONGEST_PAUSE };
  return OURS.has(status) ? { kind: 'later', why, wait: LONGEST_PAUSE } : { kind: 'refused', why };
};

const posted = async (
  events: readonly TelemetryEvent[],
  { url, headers }: CollectorTarget,
  config: TelemetryConfig,
): Promise<Delivery> => {
  const { encoding = 'protobuf', headersHelper } = config;
  const body = await zipped(encoded(events, encoding, Date.now()));
  const { post } = await import('../sources/http.ts');
  const outcome = await within(LONGEST_REQUEST, async (deadline): Promise<Delivery> => {
    const more =
      headersHelper === undefined ? { headers: {} } : await helped(headersHelper, 'telemetry', url.href, deadline);
    if ('why' in more) return { kind: 'later', why: more.why };
    const lower = Object.entries(more.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const all = {
      ...headers,
      ...Object.fromEntries(lower),
      'content-type': TYPES[encoding],
      'content-encoding': 'gzip',
    };
    try {
      return outcomeOf(await post(url, all, body, LARGEST_ANSWER, deadline.over), config);
    } catch (error) {
      return { kind: 'later', why: codeOf(error) ?? 'the connection was interrupted' };
    }
  });
  return 'status' in outcome ? { kind: 'later', why: outcome.why } : outcome;
};

/** Sends batch by batch, and notes after each what was sent. */
const sendAll = async (
  home: string,
  ledger: Ledger,
  config: TelemetryConfig,
  target: CollectorTarget,
): Promise<void> => {
  const origin: Origin = { machine: machineId(home), isNamed: config.machineId !== false };
  const end = Date.now() + LONGEST;
  const isSettled = async (events: readonly TelemetryEvent[]): Promise<boolean> => {
    const outcome = await posted(events, target, config);
    if (outcome.kind === 'later') {
      ledger.failures += 1;
      ledger.error = outcome.why;
      const pause = Math.min(LONGEST_PAUSE, PAUSE * 2 ** Math.min(ledger.failures - 1, 20));
      ledger.notBefore = Date.now() + Math.max(outcome.wait ?? 0, pause * (0.5 + Math.random() / 2));
      return false;
    }
    ledger.failures = 0;
    delete ledger.notBefore;
    delete ledger.error;
    if (outcome.kind === 'taken') ledger.sentAt = Date.now();
    else ledger.error = `${outcome.why}, and ${events.length} events are lost`;
    ledger.refused += outcome.kind === 'taken' ? outcome.rejected : events.length;
    return true;
  };
  while (Date.now() < end) {
    const { events, next } = nextVerdicts(home, ledger.verdicts, Date.now(), origin);
    if (events.length > 0 && !(await isSettled(events))) return;
    ledger.verdicts = next;
    writeLedger(home, ledger);
    if (events.length === 0) break;
  }
  while (Date.now() < end) {
    const { events, part } = nextCounts(home, ledger.counts, Date.now(), origin);
    if (events.length > 0) {
      // If this process is killed now, the next one counts the same lines.
      ledger.counts = part;
      writeLedger(home, ledger);
      if (!(await isSettled(events))) return;
    }
    ledger.counts = { day: part.day, offset: part.to };
    writeLedger(home, ledger);
    if (events.length === 0) break;
  }
};

/**
 * Sends what waits, if the user's settings say where to, and no other process is sending.
 * @param env without what a repository set
 * @throws if the state folder cannot be written
 */
export const sendEvents = async (home: string, project: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const config = loadConfig(home, project, env).user.telemetry;
  if (config === undefined) return;
  const path = telemetryPath(home, 'sending');
  makeFolder(dirname(path));
  const lock = tryLock(path);
  if (lock === undefined) return;
  try {
    const now = Date.now();
    const ledger = ledgerOf(home, now);
    if (isHeldBack(ledger, now)) return;
    ledger.triedAt = now;
    for (const which of ['verdicts', 'counts'] as const) {
      const { place, skipped } = bounded(home, ledger[which], now);
      if (skipped > 0) ledger[which] = place;
      if (which === 'verdicts') ledger.skipped += skipped;
    }
    const target = targetOf(config, env);
    if ('why' in target) ledger.error = target.why;
    else await sendAll(home, ledger, config, target);
    writeLedger(home, ledger);
  } finally {
    lock.release();
  }
};
