import { ageOf, keep, type Moment, recall } from '../state/circumstances.ts';
import { headPath } from '../state/paths.ts';
import type { Failure, McpWay } from './source.ts';

/** Of a source's last answer, the few bytes that the fast path reads. Times are milliseconds since 1970. */
export interface Head {
  /** What the settings call the source. */
  name: string;
  /** When it was asked, not when it answered: what happened on the server in between may be missing. */
  checkedAt: number;
  /** The same on the clock of the machine, in ms since it was started. */
  checkedUp: number;
  /** Until then the answer counts as live. */
  freshUntil: number;
  /** Changes when any contract changes. */
  digest: string;
  etag?: string;
  ttlMs?: number;
  mcp?: McpWay;
  /** Whose credentials it was asked with, where they are made anew for each session: it holds for that one alone. */
  session?: string;
  /** Why the last asking failed; until `freshUntil` nobody asks again. */
  failure?: { status: Failure; why: string; times?: number };
}

/** Longest time for which a source can have its answer taken as live, in ms. */
export const LONGEST_TTL = 60_000;
/** Longest time for which a source that failed is left alone, in ms. */
const LONGEST_PAUSE = 90_000;

const isHead = (value: unknown): value is Head => {
  const head = value as Head | undefined;
  return (
    typeof head?.name === 'string' &&
    typeof head.digest === 'string' &&
    [head.checkedAt, head.checkedUp, head.freshUntil].every(Number.isFinite) &&
    (head.failure === undefined || typeof head.failure?.why === 'string')
  );
};

export const readHead = (home: string, key: string): Head | undefined => {
  const head = recall(headPath(home, key), { source: key });
  return isHead(head) ? head : undefined;
};

/** @throws where it cannot be written */
export const writeHead = (home: string, key: string, head: Head): void =>
  keep(headPath(home, key), { source: key }, head);

/** How long ago it was asked, in ms; undefined where a clock says that it is yet to happen. */
export const ageOfHead = ({ checkedAt, checkedUp }: Head, now?: Moment): number | undefined =>
  ageOf({ at: checkedAt, up: checkedUp }, now);

/** Whether the answer still counts as live, by whichever clock says less. */
export const isLive = (head: Head, session: string | undefined): boolean => {
  if (head.session !== undefined && head.session !== session) return false;
  const age = ageOfHead(head);
  const most = head.failure === undefined ? LONGEST_TTL : LONGEST_PAUSE;
  return age !== undefined && age < Math.min(head.freshUntil - head.checkedAt, most);
};
