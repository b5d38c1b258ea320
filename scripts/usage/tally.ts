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
}

/** Uses by session and tool. */
export type Tally = Map<string, Use>;

/** Most pairs of session and tool that are counted; more are reported as missing. */
const MOST_USES = 200_000;

/** Counts one call, at a time in ms. False if there are too many pairs of session and tool. */
export const count = (tally: Tally, session: string, tool: string, at: number): boolean => {
  const key = `${session} ${tool}`;
  const use = tally.get(key) ?? { session, tool, calls: 0, first: at, last: at, days: [] };
  if (use.calls === 0) {
    if (tally.size >= MOST_USES) return false;
    tally.set(key, use);
  }
  const day = dayOf(at);
  use.calls += 1;
  use.first = Math.min(use.first, at);
  use.last = Math.max(use.last, at);
  const entry = use.days.find((known) => known[0] === day);
  if (entry) entry[1] += 1;
  else use.days.push([day, 1]);
  return true;
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
        first: Math.min(use.first, other.first),
        last: Math.max(use.last, other.last),
      });
    }
  }
  return [...merged.values()];
};
