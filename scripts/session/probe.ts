import { toBaseline, writeBaseline } from '../baseline/baseline.ts';
import { baselineByHand } from '../baseline/by-hand.ts';
import { otherAddress } from '../baseline/other-address.ts';
import { readBaseline, type SessionBaseline, type SourceBaseline, sessionsIn } from '../baseline/sessions.ts';
import { type LoadedConfig, loadConfig, policyFor } from '../config/config.ts';
import { sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { meaningHash } from '../contract/meaning.ts';
import type { Contract } from '../contract/types.ts';
import { addressesOf } from '../servers/address.ts';
import { realFolder } from '../servers/folder.ts';
import { type AllSources, allSources } from '../sources/all.ts';
import { askSource, type LiveAnswer } from '../sources/live.ts';
import type { Source, SourceProblem } from '../sources/source.ts';
import { speakersFor } from '../sources/speakers.ts';
import { isRunning } from '../state/running.ts';
import { plural } from '../text/plural.ts';
import { quoteName, quoteNames } from '../text/quote.ts';
import { say } from '../text/shown.ts';
import { freshnessOf } from './compare-baseline.ts';
import { type Freshness, type FreshnessState, reason, UNKNOWN } from './freshness.ts';
import { type Guarded, guardedOf } from './guarded.ts';

const DEADLINE = 10_000;
/** A program that is started may have to be downloaded first. */
const SPAWN_DEADLINE = 60_000;

/** What began a session whose start was not recorded. */
const PROBE = 'probe';

/**
 * The baseline that a probe compares with: the session's or, if none is named, that of the folder's newest session. One that
 * a probe made counts only where no session was started: its id may be a mistyped one.
 */
export const baselineFor = (
  home: string,
  project: string,
  session: string | undefined,
): SessionBaseline | undefined => {
  if (session !== undefined) return readBaseline(home, session);
  let made: SessionBaseline | undefined;
  for (const baseline of sessionsIn(home, project)) {
    if (baseline.source !== PROBE) return baseline;
    made ??= baseline;
  }
  return made;
};

/** The folder of a session, by which its sources were recorded: a terminal, or the agent's shell, may be in one below it. */
export const folderOf = (session: SessionBaseline | undefined, here: string): string =>
  session === undefined ? here : (session.project ?? session.cwd);

/** The id of the baseline that is recorded for a folder in which no session was started yet. */
export const idForFolder = (project: string): string => `manual-${sha256(realFolder(project)).slice(0, 12)}`;

const newBaseline = (session: string, cwd: string): SessionBaseline => ({
  session_id: session,
  recorded_at: new Date().toISOString(),
  source: PROBE,
  client: 0,
  cwd,
  project: cwd,
  sources: {},
  failed: {},
});

const record = (
  home: string,
  baseline: SessionBaseline,
  source: Source,
  asked: Extract<LiveAnswer, { status: 'live' }>,
): void => {
  // Late: a conversation that has already begun may have learned other contracts.
  baseline.sources[source.key] = toBaseline(source, asked, true);
  delete baseline.failed[source.key];
  // It was not started now: no other session stops being the newest.
  writeBaseline(home, baseline, true);
};

/**
 * Servers of a session that settings no longer name. Its client keeps the connection, and nothing tells how to ask them.
 * @param all what is configured for this client, whose command line may name servers
 */
const goneFrom = (session: SessionBaseline | undefined, all: (client: number) => AllSources): string[] => {
  // A session that has ended misses nothing.
  if (!session?.client || !isRunning(session.client)) return [];
  const { gateways, servers, problems, unaskable, configured } = all(session.client);
  const named = new Set([gateways, servers, problems, unaskable, configured].flat().map(({ name }) => name));
  const names = Object.values({ ...session.sources, ...session.failed }).map(({ name }) => name);
  // The variable need not be set where this runs.
  return [...new Set(names)].filter((name) => !named.has(name) && name !== 'GATEWAY_URL');
};

/**
 * Servers of a session whose entry names another address since: its client keeps the connection that it has.
 * @param client the one that asks; without it, the one that started the session last counts
 */
const movedIn = (
  session: SessionBaseline | undefined,
  configured: AllSources['configured'],
  client: number,
): SourceProblem[] =>
  session?.client && isRunning(session.client)
    ? configured.flatMap((server) => {
        const why = otherAddress(server, session, client || session.client);
        return why === undefined ? [] : [{ name: server.name, why }];
      })
    : [];

/** What a source answered, compared with what it had at the session's start. */
interface ComparedSource {
  source: Source;
  recorded: SourceBaseline | undefined;
  freshness: Freshness;
}

/**
 * The freshness of a server, but where a gateway that speaks for it does not list what changed: calls are judged by the
 * gateway then, so that nothing may be promised of them.
 * @param gateways those that speak for it
 */
const unlessHidden = ({ freshness, recorded }: ComparedSource, gateways: readonly ComparedSource[]): Freshness => {
  const { name, changes, tools, changed: _changed, ...rest } = freshness;
  const own = tools.filter((tool) => changes.some((change) => change.tool === tool.name));
  const equals = (one: Contract, tool: Contract): boolean =>
    tool.name === one.name && meaningHash(tool) === meaningHash(one);
  for (const { source, freshness: gateway } of gateways) {
    // One that names no servers may list another server's tool of this name.
    const isIts = (tool: Contract): boolean =>
      !source.covers(undefined) || (recorded?.tools.some((one) => equals(one, tool)) ?? false);
    const unlisted = own.filter((one) =>
      gateway.tools.some((tool) => tool.name === one.name && !equals(one, tool) && isIts(tool)),
    );
    if (unlisted.length === 0) continue;
    const names = quoteNames(
      unlisted.map((tool) => tool.name),
      5,
    );
    const note = say`⚠️ ${quoteName(name)} changed since this session started (${names}), and the gateway ${quoteName(gateway.name)} does not list that. Calls are judged by the gateway: a stale one may pass until it does.`;
    return { ...rest, name, changes, tools, note, hidden: true };
  }
  return freshness;
};

export interface Probe {
  config: LoadedConfig;
  /** Which servers are guarded. */
  guarded: Guarded;
  freshness: Freshness[];
  baseline?: SessionBaseline;
  /** Configured servers that are not asked because they are unapproved or disabled; and why. */
  unstarted: { name: string; state: string; why: string }[];
}

/**
 * The sources that are meant, and their folder: the session's. A folder below can have servers of its own: these are meant,
 * unless the session is named.
 */
const sourcesFor = (
  home: string,
  here: string,
  env: NodeJS.ProcessEnv,
  { session, before, spawn }: { session: string | undefined; before: SessionBaseline | undefined; spawn: boolean },
): { project: string; config: LoadedConfig; all: AllSources } => {
  // At a terminal CLAUDE_PID is not set: the session's client is used, whose command line may name servers.
  const client = session !== undefined && before?.client ? String(before.client) : undefined;
  const configuredIn = (project: string) => {
    const config = loadConfig(home, project, env);
    return {
      project,
      config,
      all: allSources(config, project, { ...env, CLAUDE_PID: env.CLAUDE_PID || client }, { spawn }),
    };
  };
  const addresses = (one: AllSources): string => JSON.stringify(addressesOf(one.configured));
  const started = folderOf(before, here);
  const ofSession = configuredIn(started);
  if (session !== undefined || started === here) return ofSession;
  const ofHere = configuredIn(here);
  return addresses(ofHere.all) === addresses(ofSession.all) ? ofSession : ofHere;
};

/** The freshness of a source that is not asked, and why. */
const unasked =
  (state: FreshnessState) =>
  ({ name, why }: SourceProblem): Freshness => ({
    ...UNKNOWN,
    name,
    where: '',
    kind: 'server',
    state,
    note: reason(why),
  });

/** What stands for all sources where there is none. @param unstarted how many servers Claude Code does not start */
const nothing = (unstarted: number): Freshness => ({
  ...UNKNOWN,
  name: '',
  where: '',
  kind: 'gateway',
  state: 'not-configured',
  note:
    unstarted === 0
      ? say`no gateway and no MCP server: set GATEWAY_URL, or "gateways" in config.json`
      : say`no gateway, and Claude Code starts none of the ${plural(unstarted, 'MCP server')} that ${unstarted === 1 ? 'is' : 'are'} configured here`,
});

/**
 * Compares what sources answered with a session's baseline, and adds those to it that it lacks.
 * @param baseline undefined if nothing was recorded for this folder
 * @param id the session's, by which a new baseline is recorded
 */
const compareAll = (
  home: string,
  project: string,
  config: LoadedConfig,
  answers: readonly (readonly [Freshness['kind'], Source, LiveAnswer])[],
  { baseline, id }: { baseline: SessionBaseline | undefined; id: string },
): ComparedSource[] => {
  // One baseline for all sources, so that recording one keeps those recorded before it.
  const completed = baseline ?? newBaseline(id, project);
  const gateways = answers.flatMap(([kind, { name }]) => (kind === 'gateway' ? [name] : []));
  // Only if nothing was recorded: a recorded baseline is better evidence.
  const byHand = baseline === undefined ? baselineByHand(home, gateways) : undefined;
  return answers.map(([kind, source, asked]) => {
    const { name, where, key } = source;
    const basis = { name, where, kind, key, mode: policyFor(config, name).mode };
    const recorded = baseline?.sources[key] ?? (kind === 'gateway' ? byHand?.get(name) : undefined);
    if (asked.status === 'live' && recorded === undefined) record(home, completed, source, asked);
    return { source, recorded, freshness: freshnessOf(basis, recorded, asked) };
  });
};

/**
 * Asks every source now, and compares its answer with the baseline. A source that is not in the baseline is added to it.
 * @param session id of the session; if undefined, that of the folder's newest session counts
 * @param around whether programs may be started in order to ask them, and how long an answer may take, in ms
 */
export const probeSources = async (
  home: string,
  here: string,
  env: NodeJS.ProcessEnv,
  session: string | undefined,
  { spawn = false, deadline = spawn ? SPAWN_DEADLINE : DEADLINE }: { spawn?: boolean; deadline?: number } = {},
): Promise<Probe> => {
  const before = baselineFor(home, here, session);
  const { project, config, all } = sourcesFor(home, here, env, { session, before, spawn });
  const { gateways, servers, problems, unaskable, configured } = all;
  const unstarted = configured
    .filter(({ state }) => state !== 'ready')
    .map(({ name, state, why = '' }) => ({ name, state, why }));
  const gone = goneFrom(before, (pid) => allSources(config, project, { ...env, CLAUDE_PID: String(pid) }));
  const moved = movedIn(before, configured, Number(env.CLAUDE_PID));
  const freshness = [...problems.map(unasked('invalid')), ...[...unaskable, ...moved].map(unasked('unaskable'))];
  if (gateways.length + servers.length + freshness.length + gone.length === 0) {
    const guarded = guardedOf(config, configured, problems, () => undefined);
    const baseline = baselineFor(home, project, session);
    return { config, guarded, ...defined({ baseline }), unstarted, freshness: [nothing(unstarted.length)] };
  }
  const options = { freshFor: config.user.freshFor, deadline, force: true, session };
  const ask = (kind: Freshness['kind']) => async (source: Source) =>
    [kind, source, await askSource(home, source, { ...options, everything: kind === 'server' })] as const;
  const reached = servers.filter((source) => !moved.some(({ name }) => name === source.name));
  const answers = await Promise.all([...gateways.map(ask('gateway')), ...reached.map(ask('server'))]);
  // Read again: the servers' secrets are known, in place of which the file holds digests, and while the sources were asked
  // the session's start may have recorded more.
  const baseline = baselineFor(home, project, session);
  const compared = compareAll(home, project, config, answers, { baseline, id: session ?? idForFolder(project) });
  const speaking = compared.slice(0, gateways.length);
  const speakersOf = (name: string): ComparedSource[] => {
    const theirs = speakersFor(config.user, gateways, [name]);
    return speaking.filter(({ source }) => theirs.includes(source));
  };
  freshness.push(...speaking.map((one) => one.freshness));
  freshness.push(...compared.slice(gateways.length).map((one) => unlessHidden(one, speakersOf(one.source.name))));
  const unless = gateways.length > 0 ? 'checked only where a gateway lists the tool' : 'not checked';
  const why = `its entry in the settings is gone, or cannot be read, since the session started: its calls are ${unless}`;
  freshness.push(...gone.map((name) => unasked('unaskable')({ name, why })));
  const whyUnaskable = new Map(
    freshness.filter(({ state }) => state === 'unaskable').map(({ name, note }) => [name, note]),
  );
  const guarded = guardedOf(config, configured, problems, (name) => whyUnaskable.get(name));
  return { config, guarded, ...defined({ baseline }), unstarted, freshness };
};
