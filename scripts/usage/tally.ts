import { dayOf } from './days.ts';

/** The calls of one tool in one session. */
export interface Use {
  session: string;
  /** As the client writes it: `mcp__server__tool`. */
  tool: string;
  calls: number;
  /** Milliseconds. */
  first: number;
  last: number;
  /** Calls by UTC day: nearly always one, for which a map would take ten times the room. */
  days: [day: string, calls: number][];
}

/** By session and tool. */
export type Tally = Map<string, Use>;

/** More pairs of session and tool are not counted, and said to be missing. */
const MOST_USES = 200_000;

/** Counts one call. False where there are too many sessions to remember. */
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
 * Both sources as one. The log has no ids, so calls of one tool in one session cannot be told apart between the two: the
 * source that saw more of them counts, and never the sum.
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
