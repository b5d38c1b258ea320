import { existsSync } from 'node:fs';
import { readBaseline, type SessionBaseline, sessionsIn } from '../baseline/sessions.ts';
import { trustsWords } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { diffOffered } from '../diff/offered.ts';
import { ofContract } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { twinless } from '../lint/lint.ts';
import { knownIn } from '../lint/settings.ts';
import { withoutWords } from '../reports/changes.ts';
import type { Activity } from '../state/activity.ts';
import { readActivity } from '../state/activity-log.ts';
import { sessionPath } from '../state/paths.ts';
import { readCalls } from '../transcript/calls.ts';
import type { Freshness } from './freshness.ts';
import type { Guarded } from './guarded.ts';
import { type Probe, probeSources } from './probe.ts';

/** The six phases as data that the model may read: without the prose of servers that the user does not trust. */
export interface StatusReport {
  session?: string;
  baseline?: SessionBaseline;
  /** The file of the session's baseline, if it is there and cannot be used. */
  unusable?: string;
  freshness: Freshness[];
  /** Changes since the session before this one, by source. */
  sinceLast: { name: string; changes: FoundChange[] }[];
  discipline: { twinless: string[]; unbumped: string[]; mismatched: string[] };
  verdicts: Partial<Record<Activity['verdict'], number>>;
  /** Tools of which it was not silent, by the client's names. */
  told: string[];
  servers: {
    server: string;
    calls: number;
    /** Whether any of them was checked. */
    checked: boolean;
    /** How many were not, and for how many of these no source listed the tool. */
    unchecked: number;
    uncovered: number;
    isOff?: true;
  }[];
  /** Which servers are guarded. */
  guarded: Guarded;
  /** Servers that the client does not start, or starts only where no person can be asked; and why. */
  unstarted: { name: string; state: string; why: string }[];
  /** MCP calls in the transcript that the guard never saw. */
  unseen: number;
  problems: string[];
}

/** The session of this folder that was recorded last before the given one. */
const previous = (
  home: string,
  project: string,
  baseline: SessionBaseline | undefined,
): SessionBaseline | undefined => {
  if (baseline === undefined) return undefined;
  const others = [...sessionsIn(home, project)].filter(
    ({ session_id, recorded_at }) => session_id !== baseline.session_id && recorded_at < baseline.recorded_at,
  );
  return others.sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1))[0];
};

/**
 * What the guard decided in a session, from the activity logs of its days.
 * @param since ISO 8601 date of the first day
 */
const activityOf = (home: string, session: string, since: string): Activity[] => {
  const from = since.slice(0, 10);
  const found: Activity[] = [];
  const see = (call: Activity): void => {
    const judged = call.again ? found.findLastIndex(({ tool }) => tool === call.tool) : -1;
    if (judged === -1) found.push(call);
    else found[judged] = call;
  };
  readActivity(home, { from, since: Date.parse(from), now: Date.now() }, see, { only: session });
  return found;
};

/** How many calls of MCP tools the transcripts hold: a guard that was killed logs nothing. */
const countCalls = (env: NodeJS.ProcessEnv, session: string): number =>
  readCalls(env, { from: '', since: 0, now: Date.now() }, { only: session }).calls.length;

const serversIn = (activity: Activity[]): StatusReport['servers'] => {
  const servers = new Map<string, Omit<StatusReport['servers'][number], 'server'>>();
  for (const { server = 'unknown', verdict, mode } of activity) {
    const known = servers.get(server) ?? { calls: 0, checked: false, unchecked: 0, uncovered: 0 };
    const checked = verdict !== 'unchecked' && verdict !== 'not-covered' && verdict !== 'failed';
    const isOff = !checked && mode === 'off';
    servers.set(server, {
      ...known,
      calls: known.calls + 1,
      checked: known.checked || checked,
      unchecked: known.unchecked + Number(!checked),
      uncovered: known.uncovered + Number(verdict === 'not-covered'),
      ...(isOff ? { isOff } : {}),
    });
  }
  return [...servers].map(([server, rest]) => ({ server, ...rest }));
};

/** Verdicts that say something of a tool's contract. */
const TOLD: ReadonlySet<Activity['verdict']> = new Set(['notice', 'ask', 'deny']);

const tally = (activity: Activity[]): StatusReport['verdicts'] => {
  const verdicts: StatusReport['verdicts'] = {};
  for (const { verdict } of activity) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  return verdicts;
};

const unusableIn = (home: string, session: string): string | undefined => {
  const path = sessionPath(home, session);
  return readBaseline(home, session) === undefined && existsSync(path) ? path : undefined;
};

/**
 * Gathers the six phases: asks every source once, and reads what the guard did in the session.
 * @param session id of the session; if undefined, the newest one of this folder
 */
export const report = async (
  home: string,
  project: string,
  env: NodeJS.ProcessEnv,
  session: string | undefined,
): Promise<StatusReport> => {
  // To ask the sources may record another one.
  const unusable = session === undefined ? undefined : unusableIn(home, session);
  const probe: Probe = await probeSources(home, project, env, session);
  const { freshness, config } = probe;
  const baseline = probe.baseline ?? (session === undefined ? undefined : readBaseline(home, session));
  const known = knownIn(project);
  const last = previous(home, project, baseline);
  const id = session ?? baseline?.session_id;
  const activity = id === undefined ? [] : activityOf(home, id, baseline?.recorded_at ?? new Date().toISOString());
  return {
    ...defined({ session: id, baseline, unusable }),
    freshness: freshness.map((one) =>
      trustsWords(config, one) ? one : { ...one, changes: withoutWords(one.changes) },
    ),
    sinceLast: freshness.flatMap(({ name, key, offered }) => {
      const before = key === undefined ? undefined : last?.sources[key];
      if (before === undefined || offered === undefined) return [];
      return [{ name, changes: ofContract(diffOffered(before, offered)) }];
    }),
    discipline: {
      twinless: freshness.flatMap(({ kind, tools }) => twinless(tools, { ...known, gateway: kind === 'gateway' })),
      unbumped: freshness.filter(({ state }) => state === 'silent-drift').map(({ name }) => name),
      mismatched: freshness.flatMap(({ mismatched }) => mismatched),
    },
    verdicts: tally(activity),
    told: [...new Set(activity.filter(({ verdict }) => TOLD.has(verdict)).map(({ tool }) => tool))],
    servers: serversIn(activity),
    guarded: probe.guarded,
    unstarted: probe.unstarted,
    unseen: id === undefined ? 0 : Math.max(0, countCalls(env, id) - activity.length),
    problems: config.problems,
  };
};
