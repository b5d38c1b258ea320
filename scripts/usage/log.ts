import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LoadedConfig } from '../config/config.ts';
import { isObject } from '../contract/types.ts';
import { type Called, mayInvoke } from '../guard/invoker/called.ts';
import { activityPath } from '../state/paths.ts';
import { streamLines } from './lines.ts';
import { nothingRead, type ReadCount, type Span, within } from './source.ts';
import { count, oneCopy, SESSION_ID, type Tally, TOOL_NAME } from './tally.ts';

const DAY_FILE = /^(\d{4}-\d\d-\d\d)\.jsonl$/;
const MOST_SERVERS = 10_000;

/** Every day that has a file. None where the guard never ran. */
const daysOf = (home: string, from: string): string[] | undefined => {
  try {
    return readdirSync(dirname(activityPath(home, from)))
      .map((file) => DAY_FILE.exec(file)?.[1] ?? '')
      .filter((day) => day >= from)
      .sort();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : undefined;
  }
};

/** What was written as the tool that was called behind another one; it becomes a part of a client's name. */
const isCalled = (inner: unknown): inner is Called =>
  isObject(inner) &&
  [inner.server ?? '', inner.tool].every((name) => typeof name === 'string' && /^[\w-]{0,200}$/.test(name)) &&
  inner.tool !== '';

export interface Logged {
  uses: Tally;
  /** Names of servers as the user wrote them: the client's names for tools have another spelling. */
  servers: Set<string>;
  read: ReadCount;
}

/** The activity log, from a day on. A call that the guard denied counts: the model asked for that tool. */
export const readLog = (home: string, span: Span, config: LoadedConfig, progress: (bytes: number) => void): Logged => {
  const uses: Tally = new Map();
  const servers = new Set<string>();
  const read = nothingRead();
  const once = oneCopy();
  const see = (line: Buffer): void => {
    if (line.length === 0) return;
    let entry: unknown;
    try {
      entry = JSON.parse(line.toString('utf8'));
    } catch {
      read.damaged += 1;
      return;
    }
    const { at, session, tool, server, inner } = isObject(entry) ? entry : {};
    const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
    const named = typeof tool === 'string' && TOOL_NAME.test(tool);
    if (!named || typeof session !== 'string' || !SESSION_ID.test(session) || Number.isNaN(time)) {
      read.damaged += 1;
      return;
    }
    if (typeof server === 'string' && server.length <= 256 && servers.size < MOST_SERVERS) servers.add(server);
    const called = isCalled(inner) ? inner : inner === null || !mayInvoke(config, tool) ? null : undefined;
    if (called?.server !== undefined && servers.size < MOST_SERVERS) servers.add(called.server);
    const call = { session: once(session), tool: once(tool), at: time, inner: called };
    if (within(span, time, read) && !count(uses, call)) read.overflow = true;
  };
  const days = daysOf(home, span.from);
  if (days === undefined) read.unread += 1;
  for (const day of days ?? []) {
    const { bytes, tooLong, error } = streamLines(activityPath(home, day), see);
    read.files += 1;
    read.bytes += bytes;
    read.tooLong += tooLong;
    if (error !== undefined) read.unread += 1;
    progress(read.bytes);
  }
  return { uses, servers, read };
};
