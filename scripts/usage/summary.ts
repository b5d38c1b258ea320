import { isNamed, isServer, legacyOf, type Named, type OfferedTools, twinOf } from './names.ts';
import type { Use } from './tally.ts';

export type Role = 'legacy' | 'twin' | 'other';

export interface ToolUse extends Named {
  role: Role;
  calls: number;
  /** How many of them were made through another tool, which is also counted itself. */
  through: number;
  /** Ids of the sessions that called it. */
  sessions: Set<string>;
  first: number;
  last: number;
  days: Map<string, number>;
}

export interface TwinPair {
  server: string;
  legacy: string;
  twin: string;
}

interface LegacySession {
  session: string;
  /** The time of its last call of a legacy tool. */
  last: number;
  tools: { server: string; tool: string; calls: number }[];
}

export interface Summary {
  calls: number;
  sessions: number;
  tools: ToolUse[];
  pairs: TwinPair[];
  legacySessions: LegacySession[];
  /** Calls by day and role. */
  /** Sessions that called a legacy tool, the newest first. */
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
const hasTwin = (uses: readonly NamedUse[], offered: readonly OfferedTools[]): ((tool: Named) => boolean) => {
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

/** Summarizes calls by tool, session and day. */
export const summarize = (all: readonly NamedUse[], offered: readonly OfferedTools[], filter: Filter): Summary => {
  const twinned = hasTwin(all, offered);
  const kept = all.filter(
    (named) =>
      (filter.server === undefined || isServer(named.server, filter.server)) &&
      (filter.tool === undefined || related(named, filter.tool)),
  );
  const tools = new Map<string, ToolUse>();
  const pairs = new Map<string, TwinPair>();
  const legacySessions = new Map<string, LegacySession>();
  const days: Summary['days'] = { legacy: new Map(), twin: new Map(), other: new Map() };
  for (const { server, tool, use } of kept) {
    const key = keyOf({ server, tool });
    const { session, calls, first, last } = use;
    const found: ToolUse = tools.get(key) ?? {
      server,
      tool,
      role: roleOf({ server, tool }, twinned),
      calls: 0,
      through: 0,
      sessions: new Set(),
      first,
      last,
      days: new Map(),
    };
    tools.set(key, found);
    found.calls += calls;
    found.through += use.through ?? 0;
    found.sessions.add(session);
    found.first = Math.min(found.first, first);
    found.last = Math.max(found.last, last);
    add(found.days, use.days);
    add(days[found.role], use.days);
    if (found.role !== 'other') {
      const legacy = found.role === 'legacy' ? tool : (legacyOf(tool) as string);
      pairs.set(keyOf({ server, tool: legacy }), { server, legacy, twin: twinOf(legacy) });
    }
    if (found.role === 'legacy') {
      const one = legacySessions.get(session) ?? { session, last, tools: [] };
      legacySessions.set(session, one);
      one.last = Math.max(one.last, last);
      one.tools.push({ server, tool, calls });
    }
  }
  // A call through another tool is one, where both of them are counted here.
  const twice = Math.min(
    total(kept.map(({ use }) => use.through ?? 0)),
    total(kept.map(({ use }) => use.invoked ?? 0)),
  );
  return {
    calls: total([...tools.values()].map(({ calls }) => calls)) - twice,
    sessions: new Set(kept.map(({ use }) => use.session)).size,
    tools: [...tools.values()].sort(BY_NAME),
    pairs: [...pairs.values()].sort((a, b) => BY_NAME({ ...a, tool: a.legacy }, { ...b, tool: b.legacy })),
    legacySessions: [...legacySessions.values()]
      .map((one) => ({ ...one, tools: one.tools.sort(BY_NAME) }))
      .sort((a, b) => b.last - a.last || (a.session < b.session ? -1 : 1)),
    days,
  };
};
