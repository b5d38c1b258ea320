import { defined } from '../contract/defined.ts';
import { waysToRead } from '../contract/names.ts';
import type { Called } from '../state/activity.ts';
import { dayOf } from './days.ts';

/** The calls of one tool in one session. */
export interface Use {
  session: string;
  /** The client's name for it: `mcp__server__tool`. */
  tool: string;
  calls: number;
  /** The first and the last call, in ms since 1970. */
  first: number;
  last: number;
  /** Calls by UTC day. A list, because there is mostly one, and a map would need ten times the memory. */
  days: [day: string, calls: number][];
  /** How many of them were made through a generic invoker, which is also counted itself. */
  through?: number;
  /** Only its name is known: it was called through a tool that finds the server itself. */
  anyServer?: true;
  /** For a generic invoker: calls that called another tool. */
  invoked?: number;
  /** Calls whose inner tool is unknown. */
  hidden?: number;
  /** Calls that went out: not stopped, and not answered with an error, as far as the source shows. */
  sent?: number;
  /** The key under which the tool behind its last call is counted. */
  behind?: string;
}

/** Uses by session and tool. */
export type Tally = Map<string, Use>;

/** Most pairs of session and tool that are counted; more are reported as missing. */
const MOST_USES = 200_000;

/** One call, and the tool called behind it: null for none, undefined if unknown. */
export interface CountedCall {
  session: string;
  tool: string;
  at: number;
  inner: Called | null | undefined;
  sent: boolean;
}

/** Counts one call, and the one behind it. False if there are too many sessions to remember. */
export const count = (tally: Tally, { session, tool, at, inner, sent }: CountedCall): boolean => {
  const outer = add(tally, `${session} ${tool}`, { session, tool }, at);
  if (outer === undefined) return false;
  delete outer.behind;
  if (sent) outer.sent = (outer.sent ?? 0) + 1;
  if (inner === undefined) outer.hidden = (outer.hidden ?? 0) + 1;
  if (!inner) return true;
  outer.invoked = (outer.invoked ?? 0) + 1;
  const owner = inner.server ?? waysToRead(tool, undefined)[0]?.server ?? 'unknown';
  const name = `mcp__${owner}__${inner.tool}`;
  const key = `${session} ${inner.server === undefined ? `?__${inner.tool}` : name}`;
  outer.behind = key;
  const anyServer = inner.server === undefined ? true : undefined;
  const found = add(tally, key, { session, tool: name, ...defined({ anyServer }) }, at);
  if (found === undefined) return false;
  found.through = (found.through ?? 0) + 1;
  if (sent) found.sent = (found.sent ?? 0) + 1;
  return true;
};

/** Takes back that the last call of a tool, and the one behind it, went out. */
export const unsent = (tally: Tally, session: string, tool: string): void => {
  const outer = tally.get(`${session} ${tool}`);
  for (const use of [outer, tally.get(outer?.behind ?? '')]) if (use?.sent) use.sent -= 1;
};

const add = (
  tally: Tally,
  key: string,
  of: Pick<Use, 'session' | 'tool' | 'anyServer'>,
  at: number,
): Use | undefined => {
  const use: Use = tally.get(key) ?? { ...of, calls: 0, first: at, last: at, days: [] };
  if (use.calls === 0) {
    if (tally.size >= MOST_USES) return undefined;
    tally.set(key, use);
  }
  const day = dayOf(at);
  use.calls += 1;
  use.first = Math.min(use.first, at);
  use.last = Math.max(use.last, at);
  const entry = use.days.find((known) => known[0] === day);
  if (entry) entry[1] += 1;
  else use.days.push([day, 1]);
  return use;
};

/**
 * Merges both sources. The log has no ids of calls, so it is not known which calls are in both. For each tool and session,
 * the source that saw more calls counts, never the sum.
 */
export const merge = (log: Tally, transcripts: Tally): Use[] => {
  const merged = new Map(log);
  for (const [key, use] of transcripts) {
    const other = merged.get(key);
    if (other === undefined) merged.set(key, use);
    else {
      const fuller = use.calls >= other.calls ? use : other;
      merged.set(key, {
        ...fuller,
        // The log tells no arguments: where it counts more calls, those that the transcript leaves in doubt stay so.
        ...defined({ hidden: Math.max(fuller.hidden ?? 0, use.hidden ?? 0) || undefined }),
        first: Math.min(use.first, other.first),
        last: Math.max(use.last, other.last),
      });
    }
  }
  return [...merged.values()];
};
