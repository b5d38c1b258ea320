import { waysToRead } from '../contract/names.ts';
import type { Called } from '../guard/invoker/called.ts';
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
  /** How many of them were made through a generic invoker, which is counted for itself, too. */
  through?: number;
  /** It is known by its name alone: it was called through a tool that finds its server by itself. */
  anyServer?: true;
  /** Of a generic invoker: calls by which another tool was called. */
  invoked?: number;
  /** Of a tool that is called like a generic invoker: calls of which nobody knows what they called. */
  hidden?: number;
}

/** By session and tool. */
export type Tally = Map<string, Use>;

/** What the client can write. Everything else is not its work, so no name needs more care than this on its way out. */
export const TOOL_NAME = /^mcp__[A-Za-z0-9_-]{1,250}$/;
export const SESSION_ID = /^[A-Za-z0-9_-]{1,100}$/;

/** More pairs of session and tool are not counted, and said to be missing. */
const MOST_USES = 200_000;

/** Keeps one copy of each text: half a million calls are of few tools in few sessions. */
export const oneCopy = (): ((text: string) => string) => {
  const texts = new Map<string, string>();
  return (text) => texts.get(text) ?? (texts.set(text, text) && text);
};

/** One call, and which tool was called behind it: null for none, undefined where nobody knows. */
export interface CountedCall {
  session: string;
  tool: string;
  at: number;
  inner: Called | null | undefined;
}

/** Counts one call, and the one behind it. False where there are too many sessions to remember. */
export const count = (tally: Tally, { session, tool, at, inner }: CountedCall): boolean => {
  const outer = add(tally, `${session} ${tool}`, { session, tool }, at);
  if (outer && inner === undefined) outer.hidden = (outer.hidden ?? 0) + 1;
  if (outer && inner) outer.invoked = (outer.invoked ?? 0) + 1;
  if (!outer || !inner) return outer !== undefined;
  const owner = inner.server ?? waysToRead(tool, undefined)[0]?.server ?? 'unknown';
  const name = `mcp__${owner}__${inner.tool}`;
  const found =
    inner.server === undefined
      ? add(tally, `${session} ?__${inner.tool}`, { session, tool: name, anyServer: true }, at)
      : add(tally, `${session} ${name}`, { session, tool: name }, at);
  if (found) found.through = (found.through ?? 0) + 1;
  return found !== undefined;
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
