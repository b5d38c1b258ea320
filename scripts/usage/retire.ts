import { defined } from '../contract/defined.ts';
import { plural } from '../text/plural.ts';
import { isServer, type Named, twinOf } from './names.ts';
import type { NamedUse } from './summary.ts';

export type RetireAnswer = 'yes' | 'no' | 'not-enough-data';

interface Evidence {
  /** How many of the examined sessions called it. */
  sessions: number;
  calls: number;
  /** How many of them were made through another tool. */
  through: number;
  /** The last call ever, in ms since 1970. */
  last?: number;
}

export interface Retirement extends Named {
  twin: string;
  answer: RetireAnswer;
  /** How many sessions were to be examined, and how many there were. */
  wanted: number;
  found: number;
  /** When the oldest and the newest of them last called the server, in ms since 1970. */
  from?: number;
  to?: number;
  legacy: Evidence;
  twinUse: Evidence;
  /** What was found, in words. */
  because: string[];
}

export const EXIT: Record<RetireAnswer, 0 | 1 | 2> = { yes: 0, no: 1, 'not-enough-data': 2 };

/** When each session last called any tool of a server, the newest first. */
const sessionsOf = (uses: readonly NamedUse[]): { session: string; last: number }[] => {
  const sessions = new Map<string, number>();
  for (const { use } of uses) sessions.set(use.session, Math.max(sessions.get(use.session) ?? 0, use.last));
  return [...sessions]
    .map(([session, last]) => ({ session, last }))
    .sort((a, b) => b.last - a.last || (a.session < b.session ? -1 : 1));
};

const evidence = (uses: readonly NamedUse[], tool: string, looked: ReadonlySet<string>): Evidence => {
  const all = uses.filter((named) => named.tool === tool);
  const recent = all.filter(({ use }) => looked.has(use.session));
  return {
    sessions: recent.length,
    calls: recent.reduce((sum, { use }) => sum + use.calls, 0),
    through: recent.reduce((sum, { use }) => sum + (use.through ?? 0), 0),
    ...(all.length === 0 ? {} : { last: all.reduce((last, { use }) => Math.max(last, use.last), 0) }),
  };
};

/** Calls that may have been calls of any tool: of which invoker, and how many. Since when the sessions count. */
const hiddenCalls = (all: readonly NamedUse[], looked: ReadonlySet<string>, since: number): string[] => {
  const hidden = new Map<string, number>();
  for (const { tool, use } of all) {
    if (use.hidden && (looked.has(use.session) || use.last >= since))
      hidden.set(tool, (hidden.get(tool) ?? 0) + use.hidden);
  }
  return [...hidden].map(
    ([tool, calls]) =>
      `${plural(calls, 'call')} of ${tool}, which calls other tools: which ones is not known here. --transcripts may tell`,
  );
};

/**
 * Whether a legacy tool can be removed. A single call in the examined sessions means no. Yes takes as many sessions as were
 * asked for, a call of the twin in one of them, and that everything could be read: otherwise the tool may have been used
 * without being seen.
 */
export const retire = (
  all: readonly NamedUse[],
  { server, tool }: Named,
  wanted: number,
  gaps: readonly string[],
): Retirement => {
  const uses = all.filter((named) => isServer(named.server, server));
  const sessions = sessionsOf(uses).slice(0, wanted);
  const looked = new Set(sessions.map(({ session }) => session));
  const twin = twinOf(tool);
  const legacy = evidence(uses, tool, looked);
  const twinUse = evidence(uses, twin, looked);
  const nobody = ['no recorded session used its server: the name may be wrong, or the guard was not installed'];
  const tooFew = [
    ...(sessions.length < wanted ? [`only ${plural(sessions.length, 'session')} of ${wanted} used the server`] : []),
    ...(twinUse.calls === 0 ? [`none of them called ${twin}: nothing shows that the work moved there`] : []),
  ];
  const missing = [
    ...(sessions.length === 0 ? nobody : tooFew),
    ...gaps.map((gap) => `${gap}: a call may have been missed`),
    ...hiddenCalls(all, looked, sessions.at(-1)?.last ?? 0),
  ];
  const through = legacy.through > 0 ? ` (${plural(legacy.through, 'call')} of it through another tool)` : '';
  const still = `${legacy.sessions} of the last ${plural(sessions.length, 'session')} still called ${tool}${through}`;
  const [answer, because]: [RetireAnswer, string[]] =
    legacy.calls > 0
      ? ['no', [still]]
      : missing.length > 0
        ? ['not-enough-data', missing]
        : ['yes', [`none of the last ${plural(sessions.length, 'session')} called ${tool}`]];
  return {
    server,
    tool,
    twin,
    answer,
    wanted,
    found: sessions.length,
    ...defined({ from: sessions.at(-1)?.last, to: sessions[0]?.last }),
    legacy,
    twinUse,
    because,
  };
};
