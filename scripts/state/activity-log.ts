import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { defined, present } from '../contract/defined.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { LEVELS } from '../diff/types.ts';
import type { Activity, Called } from './activity.ts';
import { CLIENT_ID, TOOL_NAME } from './client-names.ts';
import { isContractHash } from './contracts.ts';
import { eachLine, readFrom } from './files.ts';
import { nothingRead, type ReadCount, type Span, within } from './history.ts';
import { streamLines } from './lines.ts';
import { activityPath } from './paths.ts';

const DAY_FILE = /^(\d{4}-\d\d-\d\d)\.jsonl$/;
const LONGEST_SERVER = 256;

/** A line of the log, as `logActivity` wrote it. */
export interface LoggedCall extends Activity {
  /** Milliseconds since 1970. */
  at: number;
}

/** All days from one on that have a log file; undefined if the folder cannot be read. */
export const daysOf = (home: string, from: string): string[] | undefined => {
  try {
    return readdirSync(dirname(activityPath(home, from)))
      .map((file) => DAY_FILE.exec(file)?.[1] ?? '')
      .filter((day) => day >= from)
      .sort();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : undefined;
  }
};

/** Whether it names a tool behind a call. The names become parts of the client's names. */
const isCalled = (inner: unknown): inner is Called =>
  isObject(inner) &&
  [inner.server ?? '', inner.tool].every((name) => typeof name === 'string' && /^[\w-]{0,200}$/.test(name)) &&
  inner.tool !== '';

/** How each entry begins. In a text of an entry, these quotation marks are escaped. */
const BEGINNING = '{"at":';

/**
 * The call in a line; undefined if the line is not ours. A full disk or a process that was ended leaves half a line, behind
 * which the next entry stands.
 */
export const callIn = (line: Buffer): LoggedCall | undefined => {
  const text = line.toString('utf8');
  const entry = parsedJson(text) ?? parsedJson(text.slice(Math.max(0, text.lastIndexOf(BEGINNING))));
  const { at, session, tool, server, inner, verdict, level, rule, mode, from, to, pinned, again } = isObject(entry)
    ? entry
    : {};
  const hash = (value: unknown): string | undefined => (isContractHash(value) ? value : undefined);
  const word = (value: unknown): string | undefined =>
    typeof value === 'string' && /^[a-z-]{1,60}$/.test(value) ? value : undefined;
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  const named = typeof tool === 'string' && TOOL_NAME.test(tool);
  if (!named || typeof session !== 'string' || !CLIENT_ID.test(session) || Number.isNaN(time)) return undefined;
  return {
    at: time,
    session,
    tool,
    verdict: String(verdict) as Activity['verdict'],
    ...(inner === null || isCalled(inner) ? { inner } : {}),
    ...(typeof server === 'string' && server.length <= LONGEST_SERVER ? { server } : {}),
    ...(again === true ? { again } : {}),
    ...defined({ level: LEVELS.find((one) => one === level), rule: word(rule), mode: word(mode) }),
    ...defined({ from: hash(from), to: hash(to), pinned: hash(pinned) }),
  };
};

/**
 * Calls `see` with every call in the activity log, from a day on. A denied call counts, too, because the model asked for
 * that tool.
 * @param only the session to read; lines that do not name it are skipped
 */
export const readActivity = (
  home: string,
  span: Span,
  see: (call: LoggedCall) => void,
  { only, progress }: { only?: string; progress?: (bytes: number) => void } = {},
): ReadCount => {
  const read = nothingRead();
  const name = only === undefined ? undefined : Buffer.from(`"${only}"`);
  const days = daysOf(home, span.from);
  if (days === undefined) read.unread += 1;
  for (const day of days ?? []) {
    const error = streamLines(activityPath(home, day), read, (line) => {
      if (line.length === 0 || (name !== undefined && line.indexOf(name) === -1)) return;
      const call = callIn(line);
      // Half an entry before another one is lost.
      if (call === undefined || line.lastIndexOf(BEGINNING) > 0) read.damaged += 1;
      if (call === undefined) return;
      if ((only === undefined || call.session === only) && within(span, call.at, read)) see(call);
    });
    if (error !== undefined) read.unread += 1;
    progress?.(read.bytes);
  }
  return read;
};

/** How much of a file is read at once, in bytes. No line of ours is that long. */
const AT_ONCE = 1024 * 1024;

/**
 * Reads complete lines of a file that may still grow, from a place in it on.
 * @param see gets each line and its place; false ends the reading before that line
 * @returns where the reading ended
 */
export const readLinesFrom = (
  path: string,
  from: number,
  see: (line: Buffer, at: number) => boolean,
  to = Number.POSITIVE_INFINITY,
): number => {
  for (let at = from; ; ) {
    const { bytes } = readFrom(path, at, Math.min(AT_ONCE, to - at)) ?? {};
    if (bytes === undefined || bytes.length === 0) return at;
    let stopped: number | undefined;
    const used = eachLine(bytes, (start, end) => {
      if (stopped === undefined && !see(bytes.subarray(start, end), at + start)) stopped = start;
    });
    if (stopped !== undefined) return at + stopped;
    if (used === 0 && bytes.length < AT_ONCE) return at;
    // Data without a line end is passed over.
    at += used === 0 ? AT_ONCE : used;
  }
};

/**
 * Follows the log: each look gives the calls that were appended since the last one, or since this was called.
 * @param now ms since 1970
 */
export const followActivity = (home: string, now: number): ((now: number) => LoggedCall[]) => {
  const fileOf = (at: number): string => activityPath(home, new Date(at).toISOString().slice(0, 10));
  let path = fileOf(now);
  let from = readFrom(path, 0, 0)?.size ?? 0;
  const more = (): LoggedCall[] => {
    const calls: (LoggedCall | undefined)[] = [];
    // An unfinished line is read once it is complete.
    from = readLinesFrom(path, from, (line) => {
      calls.push(callIn(line));
      return true;
    });
    return present(calls);
  };
  return (at) => {
    const calls = more();
    if (fileOf(at) === path) return calls;
    // A new day: the rest of the old one was just read.
    [path, from] = [fileOf(at), 0];
    return [...calls, ...more()];
  };
};
