import { isNamed, isServer, legacyOf, type Named, type OfferedTools, twinOf } from './names.ts';
import type { Use } from './tally.ts';

export type Role = 'legacy' | 'twin' | 'other';

export interface ToolUse extends Named {
  role: Role;
  calls: number;
  /** How many of them were made through another tool, which is also counted itself. */
  through: number;
  /** How many sessions called it. */
  sessions: number;
  first: number;
  last: number;
  days: Map<string, number>;
}

export interface TwinPair {
  server: string;
  legacy: string;
  twin: string;
}

export interface LegacySession {
  session: string;
  /** Where more than one machine is counted. */
  machine?: string;
  /** The time of its last call of a legacy tool. */
  last: number;
  tools: { server: string; tool: string; calls: number }[];
}

export interface Summary {
  calls: number;
  sessions: number;
  tools: ToolUse[];
  pairs: TwinPair[];
  /** Sessions that called a legacy tool, the newest first. */
  legacySessions: LegacySession[];
  /** How many there are: of very many, only the newest are listed. */
  legacyCount: number;
  /** Calls by day and role. */
  days: Record<Role, Map<string, number>>;
}

export interface Filter {
  server?: string;
  /** A tool; its twin, or the tool that it is the twin of, is included. */
  tool?: string;
}

const add = (into: Map<string, number>, days: Iterable<readonly [string, number]>): void => {
  for (const [day, calls] of days) into.set(day, (into.get(day) ?? 0) + calls);
};

const keyOf = ({ server, tool }: Named): string => `${server} ${tool}`;

/** A use, with the names of its server and tool. */
export interface NamedUse extends Named {
  use: Use;
}

/** A test for tools that have a twin: both were called, or the server, or a gateway that speaks for it, offers both. */
const hasTwin = (uses: readonly Named[], offered: readonly OfferedTools[]): ((tool: Named) => boolean) => {
  const called = new Set(uses.map(keyOf));
  const servers = new Set(uses.map(({ server }) => server));
  return ({ server, tool }) => {
    const twin = twinOf(tool);
    if (called.has(keyOf({ server, tool })) && called.has(keyOf({ server, tool: twin }))) return true;
    return offered.some(
      ({ source, tools }) =>
        (isServer(source, server) || ![...servers].some((other) => isServer(source, other))) &&
        tools.has(tool) &&
        tools.has(twin),
    );
  };
};

const roleOf = (named: Named, twinned: (tool: Named) => boolean): Role => {
  if (twinned(named)) return 'legacy';
  const legacy = legacyOf(named.tool);
  return legacy !== undefined && twinned({ server: named.server, tool: legacy }) ? 'twin' : 'other';
};

const related = (named: Named, wanted: string): boolean => {
  const legacy = legacyOf(named.tool);
  return [named.tool, twinOf(named.tool), ...(legacy === undefined ? [] : [legacy])].some((tool) =>
    isNamed({ server: named.server, tool }, wanted),
  );
};

const BY_NAME = (a: Named, b: Named): number =>
  a.server < b.server ? -1 : a.server > b.server ? 1 : a.tool < b.tool ? -1 : a.tool > b.tool ? 1 : 0;

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** A function that gives the role of a tool; undefined if the filter leaves the tool out. */
export const sorter = (
  all: readonly Named[],
  offered: readonly OfferedTools[],
  { server, tool }: Filter,
): ((named: Named) => Role | undefined) => {
  const twinned = hasTwin(all, offered);
  return (named) =>
    (server === undefined || isServer(named.server, server)) && (tool === undefined || related(named, tool))
      ? roleOf(named, twinned)
      : undefined;
};

/** A summary of tools that are counted. `twice`: how many calls are in it as two, because one was made through the other. */
export const summaryOf = (
  tools: readonly ToolUse[],
  rest: Pick<Summary, 'sessions' | 'legacySessions' | 'legacyCount'> & { twice: number },
): Summary => {
  const { twice, ...counts } = rest;
  const pairs = new Map<string, TwinPair>();
  const days: Summary['days'] = { legacy: new Map(), twin: new Map(), other: new Map() };
  for (const { server, tool, role, days: own } of tools) {
    add(days[role], own);
    if (role === 'other') continue;
    const legacy = role === 'legacy' ? tool : (legacyOf(tool) as string);
    pairs.set(keyOf({ server, tool: legacy }), { server, legacy, twin: twinOf(legacy) });
  }
  return {
    ...counts,
    calls: total(tools.map(({ calls }) => calls)) - twice,
    tools: [...tools].sort(BY_NAME),
    pairs: [...pairs.values()].sort((a, b) => BY_NAME({ ...a, tool: a.legacy }, { ...b, tool: b.legacy })),
    days,
  };
};

/** Summarizes calls by tool, session and day. */
export const summarize = (all: readonly NamedUse[], offered: readonly OfferedTools[], filter: Filter): Summary => {
  const roleIn = sorter(all, offered, filter);
  const kept = all.flatMap((named) => {
    const role = roleIn(named);
    return role === undefined ? [] : [{ ...named, role }];
  });
  const tools = new Map<string, ToolUse>();
  const sessions = new Map<string, Set<string>>();
  const legacySessions = new Map<string, LegacySession>();
  for (const { server, tool, role, use } of kept) {
    const key = keyOf({ server, tool });
    const { session, calls, first, last } = use;
    const found: ToolUse = tools.get(key) ?? {
      server,
      tool,
      role,
      calls: 0,
      through: 0,
      sessions: 0,
      first,
      last,
      days: new Map(),
    };
    tools.set(key, found);
    found.calls += calls;
    found.through += use.through ?? 0;
    const known = sessions.get(key) ?? new Set();
    sessions.set(key, known.add(session));
    found.sessions = known.size;
    found.first = Math.min(found.first, first);
    found.last = Math.max(found.last, last);
    add(found.days, use.days);
    if (role === 'legacy') {
      const one = legacySessions.get(session) ?? { session, last, tools: [] };
      legacySessions.set(session, one);
      one.last = Math.max(one.last, last);
      const same = one.tools.find((known) => known.server === server && known.tool === tool);
      if (same) same.calls += calls;
      else one.tools.push({ server, tool, calls });
    }
  }
  return summaryOf([...tools.values()], {
    sessions: new Set(kept.map(({ use }) => use.session)).size,
    legacySessions: [...legacySessions.values()]
      .map((one) => ({ ...one, tools: one.tools.sort(BY_NAME) }))
      .sort((a, b) => b.last - a.last || (a.session < b.session ? -1 : 1)),
    legacyCount: legacySessions.size,
    // If both tools are counted here, a call of one through the other counts once.
    twice: Math.min(total(kept.map(({ use }) => use.through ?? 0)), total(kept.map(({ use }) => use.invoked ?? 0))),
  });
};
