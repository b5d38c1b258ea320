import { defined } from '../contract/defined.ts';
import { plural } from '../text/plural.ts';
import { isServer, type Named, twinOf } from './names.ts';
import type { NamedUse } from './summary.ts';

export type RetireAnswer = 'yes' | 'no' | 'not-enough-data';

interface Evidence {
  /** Of the sessions that were looked at. */
  sessions: number;
  calls: number;
  /** Ever; milliseconds. */
  last?: number;
}

export interface Retirement extends Named {
  twin: string;
  answer: RetireAnswer;
  /** How many sessions were asked for, and how many of them there are. */
  wanted: number;
  found: number;
  /** When the oldest of them last called the server, and the newest. */
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
    ...(all.length === 0 ? {} : { last: all.reduce((last, { use }) => Math.max(last, use.last), 0) }),
  };
};

/**
 * Whether a legacy tool may go. One call in the sessions that count is a no, however few they are; a yes needs as many
 * sessions as were asked for, one of them with the twin, and nothing that could not be read: otherwise a tool that is
 * not used looks like one whose use was not seen.
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
  ];
  const still = `${legacy.sessions} of the last ${plural(sessions.length, 'session')} still called ${tool}`;
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
