// The part of the activity log that was not sent yet.
import { callIn, daysOf, type LoggedCall, readLinesFrom } from '../state/activity-log.ts';
import { eachLine, readFrom } from '../state/files.ts';
import { activityPath } from '../state/paths.ts';
import { Counts, HOUR, isCounted, isVerdict, type Origin, type TelemetryEvent, verdictEvent } from './events.ts';
import { type Ledger, type LogPlace, readLedger } from './ledger.ts';

const DAY = 24 * HOUR;
/** Older days, and more bytes than that, are not sent any longer. */
const OLDEST = 30 * DAY;
const MOST_WAITING = 100 * 1024 * 1024;
/** Most events of one request. */
const MOST_EVENTS = 500;
/** How many ms late a line may be written: until then the log of a past day or hour may still grow. */
const LATE = 60_000;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const sizeOf = (home: string, day: string): number => readFrom(activityPath(home, day), 0, 0)?.size ?? 0;

/** Whether a day's file has stopped growing. */
const isOver = (day: string, now: number): boolean => day < dayOf(now - LATE);

/** Whether a day has not come yet: a clock was wrong when its log was written. */
const isAhead = (day: string, now: number): boolean => day > dayOf(now + LATE);

/** The next day that has a log, after one that is over. One that has not come yet would keep all real ones out. */
const nextDay = (home: string, { day }: LogPlace, now: number): LogPlace | undefined => {
  if (!isOver(day, now)) return undefined;
  const next = (daysOf(home, day) ?? []).find((one) => one > day && !isAhead(one, now));
  return next === undefined ? undefined : { day: next, offset: 0 };
};

/**
 * What was sent. Where nothing is known of that, or it was said by a wrong clock, all in the log is sent again, as far as it is
 * not too old: with the same ids.
 */
export const ledgerOf = (home: string, now: number): Ledger => {
  const known = readLedger(home);
  if (known && ![known.verdicts, known.counts].some(({ day }) => isAhead(day, now))) return known;
  const from = { day: dayOf(now - OLDEST), offset: 0 };
  return { failures: 0, refused: 0, skipped: 0, ...known, verdicts: from, counts: from };
};

/** A place from which only as much waits as is sent, and how many bytes were skipped. */
export const bounded = (home: string, from: LogPlace, now: number): { place: LogPlace; skipped: number } => {
  const oldest = dayOf(now - OLDEST);
  let place = from;
  let skipped = 0;
  const rest = (day: string): number => Math.max(0, sizeOf(home, day) - (day === from.day ? from.offset : 0));
  const days = daysOf(home, from.day) ?? [];
  let waiting = days.reduce((sum, day) => sum + rest(day), 0);
  for (const day of days) {
    const size = rest(day);
    // Nothing of this day is left; a later one may still be too old, or too much.
    if (size === 0) continue;
    const excess = day < oldest ? size : Math.min(size, waiting - MOST_WAITING);
    if (excess <= 0) break;
    // In the midst of a line: the rest of it is no line of ours, and is passed over.
    place = { day, offset: (day === from.day ? from.offset : 0) + excess };
    skipped += excess;
    waiting -= excess;
    if (excess < size) break;
  }
  return { place, skipped };
};

/** Reads complete lines of one day's log, see `readLinesFrom`. A shorter file is not the one that was read before. */
const readLines = (
  home: string,
  { day, offset }: LogPlace,
  see: (line: Buffer, offset: number) => boolean,
  to?: number,
): number => readLinesFrom(activityPath(home, day), sizeOf(home, day) < offset ? 0 : offset, see, to);

/** Whether a line is only counted, without reading all of it. Within a name the quotes would be escaped. */
const isSilent = (line: Buffer): boolean =>
  line.includes('"verdict":"silence"') || line.includes('"verdict":"not-covered"');

/** The next events of verdicts, and the place after them; no events where none are waiting. */
export const nextVerdicts = (
  home: string,
  from: LogPlace,
  now: number,
  origin: Origin,
): { events: TelemetryEvent[]; next: LogPlace } => {
  const events: TelemetryEvent[] = [];
  let place: LogPlace | undefined = from;
  let next = from;
  while (place !== undefined && events.length < MOST_EVENTS) {
    const { day } = place;
    const end = readLines(home, place, (line, offset) => {
      if (events.length >= MOST_EVENTS) return false;
      const call = isSilent(line) ? undefined : callIn(line);
      if (call !== undefined && isVerdict(call)) events.push(verdictEvent(call, line, { day, offset }, origin));
      return true;
    });
    next = { day, offset: end };
    place = nextDay(home, next, now);
  }
  return { events, next };
};

/** Whether a call was silent. A second verdict on a call is no second call. */
const counts = (call: LoggedCall): boolean => isCounted(call) && call.again !== true;

/**
 * The next counts of hours that are over, and the part of the log that they are of; no events where there are none.
 * @param from `to`: a part that was begun before is counted again as it was
 */
export const nextCounts = (
  home: string,
  from: Ledger['counts'],
  now: number,
  origin: Origin,
): { events: TelemetryEvent[]; part: LogPlace & { to: number } } => {
  const until = Math.floor((now - LATE) / HOUR) * HOUR;
  let place: Ledger['counts'] | undefined = from;
  let part = { ...from, to: from.offset };
  while (place !== undefined) {
    const found = new Counts();
    const { day, offset, to } = place;
    const end = readLines(
      home,
      place,
      (line) => {
        const call = callIn(line);
        if (to === undefined && call !== undefined && (call.at >= until || found.size >= MOST_EVENTS)) return false;
        if (call !== undefined && counts(call)) found.add(call);
        return true;
      },
      to,
    );
    part = { day, offset, to: end };
    if (found.size > 0) return { events: found.events(part, origin), part };
    place = nextDay(home, part, now);
  }
  return { events: [], part };
};

/** How much is waiting: verdicts, and bytes of the log. */
export const waitingOf = (home: string, from: LogPlace): { verdicts: number; bytes: number } => {
  let verdicts = 0;
  let bytes = 0;
  for (const day of daysOf(home, from.day) ?? []) {
    const offset = day === from.day ? from.offset : 0;
    bytes += Math.max(0, sizeOf(home, day) - offset);
    readLines(home, { day, offset }, (line) => {
      const call = isSilent(line) ? undefined : callIn(line);
      if (call !== undefined && isVerdict(call)) verdicts += 1;
      return true;
    });
  }
  return { verdicts, bytes };
};

/** How much of the log is looked at to see whether a process is worth starting, in bytes. */
const LOOK = 256 * 1024;

/** Whether something waits that may be sent now. Looks at a bounded part of the log. */
export const isWaiting = (home: string, { verdicts, counts: counted }: Ledger, now: number): boolean => {
  if ([verdicts, counted].some((place) => nextDay(home, place, now) !== undefined)) return true;
  const { bytes } = readFrom(activityPath(home, verdicts.day), verdicts.offset, LOOK) ?? {};
  let hasNews = bytes?.length === LOOK;
  if (bytes !== undefined)
    eachLine(bytes, (start, end) => {
      hasNews ||= !isSilent(bytes.subarray(start, end));
    });
  if (hasNews) return true;
  const until = Math.floor((now - LATE) / HOUR) * HOUR;
  const [first] =
    readFrom(activityPath(home, counted.day), counted.offset, LOOK)?.bytes.toString('utf8').split('\n') ?? [];
  const call = first ? callIn(Buffer.from(first)) : undefined;
  return call !== undefined && call.at < until;
};
