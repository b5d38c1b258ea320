import { toBaseline } from '../baseline/baseline.ts';
import {
  lastOf,
  listedBefore,
  readBaseline,
  readNewest,
  type SessionBaseline,
  type SourceBaseline,
} from '../baseline/sessions.ts';
import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { canonical } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { elapsed } from '../contract/elapsed.ts';
import type { Contract, Json } from '../contract/types.ts';
import type { Offered } from '../diff/offered.ts';
import type { FoundChange } from '../diff/types.ts';
import { LEVELS } from '../diff/types.ts';
import { programFiles } from '../servers/program.ts';
import type { Server } from '../servers/types.ts';
import { allSources } from '../sources/all.ts';
import { orPending } from '../sources/deadline.ts';
import { endSessions } from '../sources/end-sessions.ts';
import { readHead } from '../sources/head.ts';
import { askSource, type Live, type LiveAnswer } from '../sources/live.ts';
import type { Source, SourceProblem } from '../sources/source.ts';
import { makeFolder } from '../state/files.ts';
import { sessionsPath } from '../state/paths.ts';
import type { Shown } from '../text/shown.ts';
import { type Guarded, guardedOf } from './guarded.ts';

export interface Start {
  home: string;
  project: string;
  env: NodeJS.ProcessEnv;
  session: string;
  /** What started it: startup, resume, clear or compact. */
  source: string;
  cwd: string;
  /** Process id of the client. */
  client: number;
  /** This completes a baseline, with sources that were too slow at first. */
  finishing?: boolean;
  /** Replace the baseline that was recorded, because a person wants that. */
  again?: boolean;
}

/** What changed in the tools of one source since the last session, or since this one began. */
export interface SourceDrift {
  name: string;
  since: 'last session' | 'this session began';
  changes: FoundChange[];
  /** The version changed: the warning of the probe. */
  bumped?: Shown;
  /** By which a session is told of a release once; of a source that released since this session began. */
  release?: { source: string; digest: string };
  /** Signs of a new build with other library versions; changes that it explains are not in `changes`. */
  upgrade?: Shown;
}

/** How long a source may take that is slower than most, in ms. */
const USUAL = 420;

/** How long a source that gave no answer last time is waited for beyond the others, in ms. */
const MOMENT = 100;

/** How long a server may take to end a session that a killed client left, in ms; meanwhile all are asked. */
const SWEEPING = 300;

export interface Started {
  baseline: SessionBaseline;
  config: LoadedConfig;
  drifts: SourceDrift[];
  problems: SourceProblem[];
  /** Sources that had not answered when the time was up. */
  pending: string[];
  /** Which servers are guarded. */
  guarded: Guarded;
  /** Names of gateways, and of servers that the project's files name: what `pin` takes. */
  shared: Set<string>;
  /** Sources whose advertised hashes are wrong. */
  mismatched: { name: string; key: string; live: Live }[];
}

const offersOf = ({ offers, unread }: Offered): Json => [offers ?? null, unread ?? null] as unknown as Json;

/** Whether an answer holds what another one held: then there is nothing to compare. */
const isSame = (before: SourceBaseline, live: Live): boolean =>
  before.digest === live.digest && canonical(offersOf(before)) === canonical(offersOf(live));

/** The files of the programs that the client starts now, because these cannot be asked later. */
const programsOf = (
  configured: readonly Server[],
  project: string,
  env: NodeJS.ProcessEnv,
): SessionBaseline['programs'] => {
  const programs = configured
    .filter(({ state, launch }) => state === 'ready' && launch.type === 'stdio')
    .map(({ name, launch }) => [name, programFiles(launch, project, env)] as const);
  return programs.length === 0 ? undefined : Object.fromEntries(programs);
};

/**
 * Waits for answers: `budget` ms for all of them. Once most are there, the others get as long again, and USUAL at the least:
 * a session with many servers does not wait for the one that hangs.
 */
const mostOf = async <T>(work: readonly Promise<T>[], budget: number): Promise<(T | 'pending')[]> => {
  const began = elapsed();
  const timers: NodeJS.Timeout[] = [];
  let answered = 0;
  const late = new Promise<'pending'>((resolve) => {
    const end = (ms: number): void => void timers.push(setTimeout(() => resolve('pending'), ms));
    end(budget);
    for (const one of work) {
      one.then(
        () => {
          const took = elapsed() - began;
          if (++answered === Math.floor(work.length / 2) + 1) end(Math.max(USUAL - took, took));
        },
        // The caller that awaits the answers gets the error.
        () => {},
      );
    }
  });
  const answers = await Promise.all(work.map((one) => Promise.race([one, late])));
  for (const timer of timers) clearTimeout(timer);
  return answers;
};

/**
 * Asks every source what it runs now, and makes a baseline of that; does not write it. A session that already has a
 * baseline keeps it: only sources that are missing in it are added.
 * @param budget milliseconds to wait for all of them; slower ones are listed in `pending`
 * @param deadline milliseconds until a source counts as unreachable
 */
export const startSession = async (start: Start, budget: number, deadline: number): Promise<Started> => {
  const { home, project, env } = start;
  const config = loadConfig(home, project, env);
  const { gateways, servers, problems, configured } = allSources(config, project, env);
  // A session's baseline is recorded once: if it is started a second time, the first baseline is kept.
  const kept = start.again ? undefined : readBaseline(home, start.session);
  const goesOn = start.source === 'resume' || start.source === 'compact' || (kept !== undefined && !start.finishing);
  const newest = readNewest(home);
  // A client may go on showing what it listed after a `/clear`; no other start reads older baselines for that.
  const keys = [...gateways, ...servers].map(({ key }) => key);
  const listedEarlier = start.source === 'clear' ? listedBefore(home, start, keys) : undefined;
  const now = new Date().toISOString();
  const baseline: SessionBaseline = {
    session_id: start.session,
    recorded_at: kept?.recorded_at ?? now,
    source: kept?.source ?? start.source,
    client: start.client,
    cwd: start.cwd,
    project: start.project,
    sources: { ...kept?.sources },
    failed: {},
    ...defined({ programs: kept?.programs ?? programsOf(configured, project, env) }),
  };
  const drifts: SourceDrift[] = [];
  const mismatched: Started['mismatched'] = [];
  /** The lists that wraps gave the client, which may have started before they were asked. */
  const served = new Map<string, Contract[] | undefined>();
  const pending: string[] = [];
  /** Servers that answer Claude Code alone, and why. */
  const unaskableNow = new Map<string, string>();

  const record = async (source: Source, asked: LiveAnswer | 'pending'): Promise<void> => {
    if (asked === 'pending') {
      pending.push(source.key);
      baseline.failed[source.key] = { name: source.name, where: source.where, status: 'pending', why: 'no answer yet' };
      return;
    }
    if (asked.status === 'failed') {
      if (asked.kind === 'unaskable' && servers.includes(source)) unaskableNow.set(source.name, asked.why);
      baseline.failed[source.key] = { name: source.name, where: source.where, status: asked.kind, why: asked.why };
      return;
    }
    const { name, key } = source;
    if (asked.live.mismatched.length > 0) mismatched.push({ name, key, live: asked.live });
    const mine = kept?.sources[source.key];
    const before = mine ?? lastOf(home, source.key, newest);
    if (before && !isSame(before, asked.live)) {
      const kind = gateways.includes(source) ? 'gateway' : 'server';
      // A server's own version changes with every build: between sessions, that is irrelevant.
      const isNews = before.schema_version !== asked.live.schemaVersion && (mine !== undefined || kind === 'gateway');
      const { driftBetween } = await import('./what-changed.ts');
      const drift = driftBetween(before, asked.live, isNews ? kind : undefined);
      const since = mine ? 'this session began' : 'last session';
      const release = mine && { source: source.key, digest: asked.live.digest };
      if (drift) drifts.push({ name: source.name, since, ...defined({ release }), ...drift });
    }
    if (mine) return;
    const given = served.get(source.key);
    const { digest, ...answered } = toBaseline(source, asked, goesOn);
    const recorded: SourceBaseline = { ...answered, ...(given ? { tools: given } : defined({ digest })) };
    const listed = listedEarlier?.get(source.key);
    const carried = listed ? (await import('./what-changed.ts')).carriedOn(listed, asked.live.tools) : [];
    baseline.sources[source.key] = {
      ...recorded,
      ...(carried.length > 0 ? { carried } : {}),
      // The list that the client was given is known at any time.
      ...(start.finishing && !given ? { completed: true } : {}),
    };
  };

  if (servers.some(({ wrap }) => wrap !== undefined)) {
    try {
      // By this a wrap that starts now sees that there is a guard.
      makeFolder(sessionsPath(home));
    } catch {
      // Writing the baseline fails, too, and that leads to a message.
    }
  }
  // Always asked, and never taken from another session's answer, which may be from before a rollback.
  const options = { freshFor: config.user.freshFor, deadline, force: true, session: start.session };
  // A server may show an old session old tools: the conversation that begins shares none with an earlier one.
  const swept = endSessions(home, servers, SWEEPING, start.finishing ? undefined : start.client);
  const ask = async (source: Source): Promise<LiveAnswer> => {
    const until = Date.now() + deadline;
    // The client starts it about now.
    await source.wrap?.appears(until);
    const asked = await askSource(home, source, { ...options, everything: servers.includes(source) });
    if (asked.status === 'live') served.set(source.key, await source.wrap?.served(Math.max(1, until - Date.now())));
    return asked;
  };
  const questions = [...gateways, ...servers].map((source) => {
    const isDoubtful = budget < deadline && readHead(home, source.key)?.failure !== undefined;
    return { source, isDoubtful, asked: ask(source) };
  });
  const usual = questions.filter(({ isDoubtful }) => !isDoubtful).map(({ asked }) => asked);
  // A session's start ends at its budget; the background process waits for all.
  const others =
    budget < deadline ? mostOf(usual, budget) : Promise.all(usual.map((asked) => orPending(asked, budget)));
  // A server that gave no answer last time gets only a moment longer than the others take.
  const doubtful = questions
    .filter(({ isDoubtful }) => isDoubtful)
    .map(({ asked }) => Promise.race([asked, others.then(() => orPending(asked, MOMENT))]));
  const [known, unsure] = await Promise.all([others, Promise.all(doubtful)]);
  for (const { source, isDoubtful } of questions)
    await record(source, (isDoubtful ? unsure : known).shift() ?? 'pending');
  await swept;
  const guarded = guardedOf(config, configured, (name) => unaskableNow.get(name));
  const ours = configured.filter(({ state, scope }) => state === 'ready' && scope === 'project');
  const shared = new Set([...gateways, ...ours].map(({ name }) => name));
  return { baseline, config, drifts, problems, pending, guarded, shared, mismatched };
};

/** The change with the worst level; undefined if there are no changes. */
export const worst = (changes: readonly FoundChange[]): FoundChange | undefined =>
  [...changes].sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level))[0];
