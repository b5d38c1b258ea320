import { ageOf, keep, type Moment, recall } from '../state/circumstances.ts';
import { headPath } from '../state/paths.ts';
import type { Failure, McpWay } from './source.ts';

/** The part of a source's last answer that the fast path reads. Times are milliseconds since 1970. */
export interface Head {
  /** The source's name in the settings. */
  name: string;
  /** When it was asked, not when it answered: the answer may miss what happened on the server in between. */
  checkedAt: number;
  /** The same on the machine's monotonic clock, in ms. */
  checkedUp: number;
  /** The time until which the answer counts as live, or a source that failed is left alone. */
  freshUntil: number;
  /** Changes when any contract changes. */
  digest: string;
  etag?: string;
  ttlMs?: number;
  mcp?: McpWay;
  /** Set if the credentials are made for each session: the only session for which the answer is valid. */
  session?: string;
  /** Why the last question failed, and how many failed in a row; it is not asked again before `freshUntil`. */
  failure?: { status: Failure; why: string; times?: number };
}

/** Longest time for which an answer can count as live, whatever its source says, in ms. */
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

/** The head of a source's last answer; undefined if there is none. */
export const readHead = (home: string, key: string): Head | undefined => {
  const head = recall(headPath(home, key), { source: key });
  return isHead(head) ? head : undefined;
};

/** @throws if it cannot be written */
export const writeHead = (home: string, key: string, head: Head): void =>
  keep(headPath(home, key), { source: key }, head);

/** How long ago the source was asked, in ms; undefined if a clock puts that in the future. */
export const ageOfHead = ({ checkedAt, checkedUp }: Head, now?: Moment): number | undefined =>
  ageOf({ at: checkedAt, up: checkedUp }, now);

/** Whether the answer still counts as live for this session, or a source that failed is still to be left alone. */
export const isLive = (head: Head, session: string | undefined): boolean => {
  if (head.session !== undefined && head.session !== session) return false;
  const age = ageOfHead(head);
  const most = head.failure === undefined ? LONGEST_TTL : LONGEST_PAUSE;
  return age !== undefined && age < Math.min(head.freshUntil - head.checkedAt, most);
};
