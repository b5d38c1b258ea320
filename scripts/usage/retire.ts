import { defined, present } from '../contract/defined.ts';
import { spelled } from '../contract/names.ts';
import { plural } from '../text/plural.ts';
import { meansTool } from './carries.ts';
import type { Gathered } from './gather.ts';
import { isServer, type Named, twinOf } from './names.ts';
import type { NamedUse } from './summary.ts';

export type RetireAnswer = 'yes' | 'no' | 'not-enough-data';

interface Evidence {
  /** How many of the examined sessions called it. */
  sessions: number;
  calls: number;
  /** How many of them were made through another tool. */
  through: number;
  /** How many of them went out. */
  sent: number;
  /** The last call ever, in ms since 1970. */
  last?: number;
}

export interface Retirement extends Named {
  twin: string;
  answer: RetireAnswer;
  /** How many sessions were asked for, and how many there were. */
  wanted: number;
  found: number;
  /** When the oldest and the newest of them last called the server, in ms since 1970. */
  from?: number;
  to?: number;
  legacy: Evidence;
  twinUse: Evidence;
  /** What was found, in words. */
  because: string[];
  /** What the answer rests on: sessions from each source, their calls, and calls of the twin that went out. */
  restsOn: { logged: number; transcripts: number; calls: number; twinSent: number };
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
  const sum = (of: 'calls' | 'through' | 'sent') => recent.reduce((total, { use }) => total + (use[of] ?? 0), 0);
  return {
    sessions: new Set(recent.map(({ use }) => use.session)).size,
    calls: sum('calls'),
    through: sum('through'),
    sent: sum('sent'),
    ...(all.length === 0 ? {} : { last: all.reduce((last, { use }) => Math.max(last, use.last), 0) }),
  };
};

/** The tools that a server is known to have: it offered them, or they were called by the client's names. */
const toolsOf = (server: string, uses: readonly NamedUse[], offered: Gathered['offered']): Set<string> =>
  new Set([
    ...uses.filter(({ use }) => use.calls > (use.through ?? 0)).map(({ tool }) => tool),
    ...offered.flatMap(({ source, gateway, tools }) => (!gateway && isServer(source, server) ? [...tools] : [])),
  ]);

/** Calls that may have been calls of the tool: of which tool, how many, and how to find out. */
const doubts = (
  all: readonly NamedUse[],
  { server, tool }: Named,
  own: ReadonlySet<string>,
  others: ReadonlySet<string>,
  isLooked: (named: NamedUse) => boolean,
): string[] => {
  const isMeant = meansTool(tool);
  const respelled = new Set<string>();
  const hidden = new Map<string, { tool: string; calls: number }>();
  const elsewhere = new Map<string, number>();
  for (const named of all.filter(isLooked)) {
    const { use } = named;
    if (use.hidden) hidden.set(use.tool, { tool: named.tool, calls: (hidden.get(use.tool)?.calls ?? 0) + use.hidden });
    if (!use.through) continue;
    // An invoker may use its own names for servers, and for tools.
    const isUnknown = !isServer(named.server, server) && !own.has(spelled(named.server));
    if (named.tool === tool && isUnknown) elsewhere.set(named.server, (elsewhere.get(named.server) ?? 0) + use.through);
    const mayReach = use.anyServer || isUnknown || isServer(named.server, server);
    if (named.tool !== tool && mayReach && !others.has(named.tool) && isMeant(named.tool)) respelled.add(named.tool);
  }
  return [
    ...[...hidden].map(
      ([name, { tool: outer, calls }]) =>
        `${plural(calls, 'call')} of ${outer}, which calls other tools or could: whether one was ${tool} is not known here. The transcripts tell, where they are kept; if ${outer} calls none, say so in config.json: "invokers": {"${name}": false}`,
    ),
    ...[...elsewhere].map(
      ([name, calls]) =>
        `${plural(calls, 'call')} of ${tool} through another tool named a server ${name} that Claude Code does not have: it may be ${server}. Sessions without such calls would tell`,
    ),
    ...[...respelled].map(
      (name) =>
        `${name} was called through another tool: it may be ${tool} under another name. Sessions without such calls would tell`,
    ),
  ];
};

/**
 * Whether a legacy tool can be removed. A single call in the examined sessions means no. A yes needs as many sessions as
 * were asked for, a call of the twin that went out in one of them, that everything could be read, and that no call can have
 * been a call of the tool under another name: otherwise the tool may have been used unseen.
 */
export const retire = (
  { uses: all, offered, own, logged, gaps }: Pick<Gathered, 'uses' | 'offered' | 'own' | 'logged' | 'gaps'>,
  { server, tool }: Named,
  wanted: number,
): Retirement => {
  const uses = all.filter((named) => isServer(named.server, server));
  const sessions = sessionsOf(uses).slice(0, wanted);
  const looked = new Set(sessions.map(({ session }) => session));
  const since = sessions.at(-1)?.last ?? 0;
  // A call through another tool may be in a session that never called the server by its name.
  const isLooked = ({ use }: NamedUse): boolean => looked.has(use.session) || use.last >= since;
  const twin = twinOf(tool);
  const legacy = evidence(uses, tool, looked);
  const twinUse = evidence(uses, twin, looked);
  const unused = ['no recorded session used its server: the name may be wrong, or the guard was not installed'];
  const unsent =
    twinUse.calls === 0
      ? `none of them called ${twin}: nothing shows that the work moved there`
      : `no call of ${twin} is known to have gone out: it was stopped, refused or answered with an error`;
  const tooFew = present([
    sessions.length < wanted && `only ${plural(sessions.length, 'session')} of ${wanted} used the server`,
    twinUse.sent === 0 && unsent,
  ]);
  const missing = [
    ...(sessions.length === 0 ? unused : tooFew),
    ...gaps.map((gap) => `${gap}: a call may have been missed`),
    ...doubts(all, { server, tool }, own, toolsOf(server, uses, offered), isLooked),
  ];
  const through = legacy.through > 0 ? ` (${plural(legacy.through, 'call')} of it through another tool)` : '';
  const still = `${legacy.sessions} of the last ${plural(sessions.length, 'session')} still called ${tool}${through}`;
  const [answer, because]: [RetireAnswer, string[]] =
    legacy.calls > 0
      ? ['no', [still]]
      : missing.length > 0
        ? ['not-enough-data', missing]
        : ['yes', [`none of the last ${plural(sessions.length, 'session')} called ${tool}`]];
  const known = all.filter(isLooked);
  const inLog = sessions.filter(({ session }) => logged.has(session)).length;
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
    restsOn: {
      logged: inLog,
      transcripts: sessions.length - inLog,
      calls: known.reduce((sum, { use }) => sum + use.calls, 0),
      twinSent: twinUse.sent,
    },
  };
};
