import { runningClients } from '../baseline/other-address.ts';
import { earlierSession, listedBefore, readBaseline, type SessionBaseline } from '../baseline/sessions.ts';
import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { quietly } from '../contract/attempt.ts';
import { defined } from '../contract/defined.ts';
import type { FoundChange } from '../diff/types.ts';
import { LEVELS } from '../diff/types.ts';
import { addressesOf } from '../servers/address.ts';
import { programFiles } from '../servers/program.ts';
import type { Server } from '../servers/types.ts';
import { allSources } from '../sources/all.ts';
import { endSessions } from '../sources/end-sessions.ts';
import type { Source, SourceProblem } from '../sources/source.ts';
import { makeFolder } from '../state/files.ts';
import { sessionsPath } from '../state/paths.ts';
import type { Shown } from '../text/shown.ts';
import { askSources } from './ask-sources.ts';
import { type Guarded, guardedOf } from './guarded.ts';
import { type RecordedAnswers, recorder } from './recording.ts';

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

/** How long a server may take to end a session that a killed client left, in ms; meanwhile all are asked. */
const SWEEPING = 300;

export interface Started extends Omit<RecordedAnswers, 'unaskable'> {
  baseline: SessionBaseline;
  config: LoadedConfig;
  problems: SourceProblem[];
  /** Which servers are guarded. */
  guarded: Guarded;
  /** Names of gateways, and of servers that the project's files name: what `pin` takes. */
  ofTeam: Set<string>;
}

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
 * To which addresses the clients of the session are connected. One keeps those that it had before another start of the
 * session, or in another session before a `/clear` or `/resume`.
 */
const connections = (
  { home, client, session, source }: Start,
  kept: SessionBaseline | undefined,
  configured: readonly Server[],
): NonNullable<SessionBaseline['addresses']> => {
  const mayGoOn = kept?.addresses?.[client] === undefined && ['clear', 'resume'].includes(source);
  const before = mayGoOn ? earlierSession(home, { client, session }) : kept;
  return {
    ...runningClients(kept),
    [client]: { ...addressesOf(configured), ...before?.addresses?.[client] },
  };
};

/** The baseline of a session before its sources answer. */
const beginBaseline = (
  start: Start,
  kept: SessionBaseline | undefined,
  known: SessionBaseline | undefined,
  configured: readonly Server[],
): SessionBaseline => {
  const { session, source, client, cwd, project, env } = start;
  return {
    session_id: session,
    recorded_at: kept?.recorded_at ?? new Date().toISOString(),
    source: kept?.source ?? source,
    client,
    cwd,
    project,
    sources: { ...kept?.sources },
    failed: {},
    // A person who has the servers asked again does not connect the client again.
    addresses: connections(start, known, configured),
    ...defined({ programs: kept?.programs ?? programsOf(configured, project, env) }),
  };
};

/** Shows wraps that start now that there is a guard. */
const showGuard = (home: string): void => {
  // If that fails, writing the baseline does, too, and that leads to a message.
  quietly(() => makeFolder(sessionsPath(home)));
};

/**
 * Asks every source what it runs now, and makes a baseline of that; does not write it. A session that already has a
 * baseline keeps it: only sources that are missing in it are added.
 * @param budget milliseconds to wait for all of them; slower ones are listed in `pending`
 * @param deadline milliseconds until a source counts as unreachable
 */
export const startSession = async (start: Start, budget: number, deadline: number): Promise<Started> => {
  const { home, project, env, session } = start;
  const config = loadConfig(home, project, env);
  const { gateways, servers, problems, configured } = allSources(config, project, env);
  const sources = [...gateways, ...servers];
  // A session's baseline is recorded once: if it is started a second time, the first baseline is kept.
  const known = readBaseline(home, session);
  const kept = start.again ? undefined : known;
  const baseline = beginBaseline(start, kept, known, configured);
  const keys = sources.map(({ key }) => key);
  // A client may go on showing what it listed after a `/clear`; no other start reads older baselines for that.
  const listedEarlier = start.source === 'clear' ? listedBefore(home, start, keys) : undefined;
  const { recorded, add } = recorder(start, baseline, kept, listedEarlier);
  if (servers.some(({ wrap }) => wrap !== undefined)) showGuard(home);
  // A server may show an old session old tools: the conversation that begins shares none with an earlier one.
  const swept = endSessions(home, servers, SWEEPING, start.finishing ? undefined : start.client);
  const isServer = (source: Source): boolean => servers.includes(source);
  const place = { home, session, freshFor: config.user.freshFor };
  for (const asked of await askSources(sources, place, isServer, budget, deadline))
    await add(asked, isServer(asked.source) ? 'server' : 'gateway');
  await swept;
  const { unaskable, ...rest } = recorded;
  const guarded = guardedOf(config, configured, problems, (name) => unaskable.get(name));
  const ours = configured.filter(({ state, scope }) => state === 'ready' && scope === 'project');
  const ofTeam = new Set([...gateways, ...ours].map(({ name }) => name));
  return { ...rest, baseline, config, problems, guarded, ofTeam };
};

/** The change with the worst level; undefined if there are no changes. */
export const worst = (changes: readonly FoundChange[]): FoundChange | undefined =>
  [...changes].sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level))[0];
