import { toBaseline, writeBaseline } from '../baseline/baseline.ts';
import { baselineByHand } from '../baseline/by-hand.ts';
import { readBaseline, type SessionBaseline, sessionsIn } from '../baseline/sessions.ts';
import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { realFolder } from '../servers/folder.ts';
import { allSources } from '../sources/all.ts';
import { askSource, type LiveAnswer } from '../sources/live.ts';
import type { Source, SourceProblem } from '../sources/source.ts';
import { plural } from '../text/plural.ts';
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

/** The id of the baseline that is recorded for a folder in which no session was started yet. */
export const noSession = (project: string): string => `manual-${sha256(realFolder(project)).slice(0, 12)}`;

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
 * Asks every source now, and compares its answer with the baseline. A source that is not in the baseline is added to it.
 * @param session id of the session; if undefined, that of the folder's newest session counts
 * @param around whether programs may be started in order to ask them, and how long an answer may take, in ms
 */
export const probeSources = async (
  home: string,
  project: string,
  env: NodeJS.ProcessEnv,
  session: string | undefined,
  { spawn = false, deadline = spawn ? SPAWN_DEADLINE : DEADLINE }: { spawn?: boolean; deadline?: number } = {},
): Promise<Probe> => {
  const config = loadConfig(home, project, env);
  const before = baselineFor(home, project, session);
  // At a terminal CLAUDE_PID is not set: the session's client is used, whose command line may name servers.
  const client = session !== undefined && before?.client ? String(before.client) : undefined;
  const known = allSources(config, project, { ...env, CLAUDE_PID: env.CLAUDE_PID || client }, spawn);
  const { gateways, servers, problems, unaskable, configured } = known;
  const unstarted = configured
    .filter(({ state }) => state !== 'ready')
    .map(({ name, state, why = '' }) => ({ name, state, why }));
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
  const freshness: Freshness[] = [...problems.map(unasked('invalid')), ...unaskable.map(unasked('unaskable'))];
  if (gateways.length + servers.length + freshness.length === 0) {
    const note =
      unstarted.length === 0
        ? say`no gateway and no MCP server: set GATEWAY_URL, or "gateways" in config.json`
        : say`no gateway, and Claude Code starts none of the ${plural(unstarted.length, 'MCP server')} that ${unstarted.length === 1 ? 'is' : 'are'} configured here`;
    const nothing = { ...UNKNOWN, name: '', where: '', kind: 'gateway', state: 'not-configured', note } as const;
    return {
      config,
      guarded: guardedOf(config, configured, () => undefined),
      ...defined({ baseline: baselineFor(home, project, session) }),
      unstarted,
      freshness: [nothing],
    };
  }
  const options = { freshFor: config.user.freshFor, deadline, force: true, session };
  const ask = (kind: Freshness['kind']) => async (source: Source) =>
    [kind, source, await askSource(home, source, { ...options, everything: kind === 'server' })] as const;
  const answers = await Promise.all([...gateways.map(ask('gateway')), ...servers.map(ask('server'))]);
  // Read again: the servers' secrets are known, in place of which the file holds digests, and while the sources were asked
  // the session's start may have recorded more.
  const baseline = baselineFor(home, project, session);
  // One baseline for all sources, so that recording one keeps those recorded before it.
  const completed = baseline ?? newBaseline(session ?? noSession(project), project);
  // Only if nothing was recorded: a recorded baseline is better evidence.
  const byHand =
    baseline === undefined
      ? baselineByHand(
          home,
          gateways.map(({ name }) => name),
        )
      : undefined;
  for (const [kind, source, asked] of answers) {
    const basis = { name: source.name, where: source.where, kind, key: source.key };
    const recorded = baseline?.sources[source.key] ?? (kind === 'gateway' ? byHand?.get(source.name) : undefined);
    if (asked.status === 'live' && recorded === undefined) record(home, completed, source, asked);
    freshness.push(freshnessOf(basis, recorded, asked));
  }
  const whyUnaskable = new Map(
    freshness.filter(({ state }) => state === 'unaskable').map(({ name, note }) => [name, note]),
  );
  const guarded = guardedOf(config, configured, (name) => whyUnaskable.get(name));
  return { config, guarded, ...defined({ baseline }), unstarted, freshness };
};
