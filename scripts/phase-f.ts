import type { Contract } from './contract/types.ts';
import { diffLists } from './diff/diff.ts';
import { ofContract } from './diff/table.ts';
import type { FoundChange } from './diff/types.ts';
import { allSources } from './sources/all.ts';
import { toBaseline, writeBaseline } from './state/baseline.ts';
import { type LoadedConfig, loadConfig } from './state/config.ts';
import { type Asked, askSource } from './state/live.ts';
import { readBaseline, readNewest, type SessionBaseline } from './state/sessions.ts';
import { plural } from './text/plural.ts';
import { quoteText } from './text/quote.ts';

export type State =
  | 'fresh'
  | 'drift'
  | 'silent-drift'
  | 'version-only'
  | 'no-baseline'
  | 'unreachable'
  | 'invalid'
  | 'not-configured';

/** How fresh one source is, compared with the session's baseline. */
export interface Freshness {
  state: State;
  name: string;
  where: string;
  /** The versions that the source claimed, at the session's start and now. */
  before?: string;
  after?: string;
  changes: FoundChange[];
  tools: Contract[];
  /** Tools whose advertised hash is not the hash of what was sent. */
  mismatched: string[];
  /** What happened, in one line. */
  note: string;
}

export const EXIT: Record<State, 0 | 1 | 2> = {
  fresh: 0,
  drift: 1,
  'silent-drift': 1,
  'version-only': 0,
  'no-baseline': 0,
  unreachable: 2,
  invalid: 2,
  'not-configured': 0,
};

const DEADLINE = 10_000;

/** A version is the server's own text. */
export const versionText = (version: string | undefined, otherwise: string): string =>
  version === undefined ? otherwise : /^[\w.:+-]{1,40}$/.test(version) ? version : quoteText(version, 40);

/** The warning that every stale session sees, word for word. */
const driftLine = (before: string, after: string): string =>
  `⚠️ Tool schema drift detected — session started ${before}, gateway advertises ${after}. Restart Claude Code to avoid silent field-strip bugs.`;

const compare = (
  basis: Pick<Freshness, 'name' | 'where'>,
  baseline: { schema_version?: string; recorded_at: string; tools: Contract[] },
  asked: Extract<Asked, { status: 'live' }>,
): Freshness => {
  const { live } = asked;
  const [before, after] = [baseline.schema_version, live.schemaVersion];
  const changes = ofContract(diffLists(baseline.tools, live.tools));
  const found = { ...basis, before, after, changes, tools: live.tools, mismatched: live.mismatched };
  const [was, is] = [versionText(before, baseline.recorded_at.slice(0, 10)), versionText(after, 'other contracts')];
  if (changes.length === 0) {
    return before === after
      ? { ...found, state: 'fresh', note: `${plural(live.tools.length, 'tool')} as this session learned them` }
      : { ...found, state: 'version-only', note: `the version went from ${was} to ${is}, and no contract changed` };
  }
  if (before !== undefined && before === after) {
    const note = `⚠️ Silent tool schema drift — contracts changed and the gateway still advertises ${is}: its SCHEMA_VERSION was not bumped.`;
    return { ...found, state: 'silent-drift', note };
  }
  return { ...found, state: 'drift', note: driftLine(was, is) };
};

/** The baseline that a probe compares with: the session's, or the newest one's. */
export const baselineFor = (home: string, session: string | undefined): SessionBaseline | undefined =>
  session === undefined ? readNewest(home) : readBaseline(home, session);

const record = (
  home: string,
  session: string,
  known: SessionBaseline | undefined,
  cwd: string,
  key: string,
  source: { name: string; where: string },
  asked: Extract<Asked, { status: 'live' }>,
): void => {
  const now = new Date().toISOString();
  const baseline: SessionBaseline = known ?? {
    session_id: session,
    recorded_at: now,
    source: 'probe',
    client: 0,
    cwd,
    sources: {},
    failed: {},
  };
  // A conversation that is under way may have learned something else before: this baseline does not tell.
  baseline.sources[key] = toBaseline(source, asked, true);
  delete baseline.failed[key];
  writeBaseline(home, baseline);
};

export interface Probe {
  config: LoadedConfig;
  freshness: Freshness[];
  baseline?: SessionBaseline;
}

/**
 * Asks every source now and compares with the baseline. A source without one is recorded now.
 * @param session the session's id; without it, the newest session's baseline counts
 */
export const probeSources = async (
  home: string,
  project: string,
  env: NodeJS.ProcessEnv,
  session: string | undefined,
): Promise<Probe> => {
  const config = loadConfig(home, project, env);
  const { sources, problems } = allSources(config, project, env);
  const baseline = baselineFor(home, session);
  const none = { changes: [], tools: [], mismatched: [] };
  const freshness: Freshness[] = problems.map(({ name, why }) => ({
    ...none,
    name,
    where: '',
    state: 'invalid',
    note: why,
  }));
  if (sources.length + problems.length === 0) {
    const note = 'no gateway: set GATEWAY_URL, or "gateways" in config.json';
    return { config, baseline, freshness: [{ ...none, name: '', where: '', state: 'not-configured', note }] };
  }
  const options = { freshFor: config.user.freshFor, deadline: DEADLINE, force: true };
  const answers = await Promise.all(
    sources.map(async (source) => [source, await askSource(home, source, options)] as const),
  );
  for (const [source, asked] of answers) {
    const basis = { name: source.name, where: source.where };
    const recorded = baseline?.sources[source.key];
    if (asked.status === 'failed') {
      const state = asked.kind === 'invalid' ? 'invalid' : 'unreachable';
      freshness.push({ ...none, ...basis, state, note: asked.why });
    } else if (recorded === undefined) {
      record(home, session ?? baseline?.session_id ?? 'manual', baseline, project, source.key, source, asked);
      const { tools, mismatched, schemaVersion } = asked.live;
      const note = `no baseline yet: recorded now (${plural(tools.length, 'tool')})`;
      freshness.push({ ...none, ...basis, tools, mismatched, after: schemaVersion, state: 'no-baseline', note });
    } else {
      freshness.push(compare(basis, recorded, asked));
    }
  }
  return { config, baseline, freshness };
};

/** One exit code for several sources: drift that was found counts before what could not be checked. */
export const exitOf = (freshness: readonly Freshness[]): 0 | 1 | 2 => {
  const exits = freshness.map(({ state }) => EXIT[state]);
  return exits.includes(1) ? 1 : exits.includes(2) ? 2 : 0;
};
