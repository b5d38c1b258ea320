import { toBaseline, writeBaseline } from '../baseline/baseline.ts';
import { readBaseline, readNewest, type SessionBaseline, type SourceBaseline } from '../baseline/sessions.ts';
import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import type { Contract, ListKind, Unread } from '../contract/types.ts';
import { diffOffered, type Offered } from '../diff/offered.ts';
import { ofContract } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { upgradeNote } from '../diff/upgrade.ts';
import { allSources } from '../sources/all.ts';
import { askSource, type LiveAnswer } from '../sources/live.ts';
import type { Source, SourceProblem } from '../sources/source.ts';
import { plural } from '../text/plural.ts';
import { quoteText } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { type ListStates, listStates } from './lists.ts';

export type State =
  | 'fresh'
  | 'drift'
  | 'silent-drift'
  | 'version-only'
  | 'no-baseline'
  | 'unreachable'
  | 'invalid'
  | 'unaskable'
  | 'not-configured';

/** How fresh one source is, compared with the session's baseline. */
export interface Freshness {
  state: State;
  name: string;
  where: string;
  /** Whether it is a gateway, which speaks for servers, or a server itself. */
  kind: 'gateway' | 'server';
  /** The versions that the source claimed, at the session's start and now. */
  before?: string;
  after?: string;
  changes: FoundChange[];
  tools: Contract[];
  /** Tools whose advertised hash is not the hash of what was sent. */
  mismatched: string[];
  /** What happened, in one line. */
  note: Shown;
  /** Signs of a new build with other libraries, and what the server announced while it was asked. */
  upgrade?: Shown;
  /** Each list of it apart; absent where it did not answer. */
  lists?: ListStates;
  /** Why some of its lists could not be read. */
  unread?: Shown[];
}

export const EXIT: Record<State, 0 | 1 | 2> = {
  fresh: 0,
  drift: 1,
  'silent-drift': 1,
  'version-only': 0,
  'no-baseline': 0,
  unreachable: 2,
  invalid: 2,
  unaskable: 2,
  'not-configured': 0,
};

const DEADLINE = 10_000;

/** A version is the server's own text. */
export const versionText = (version: string | undefined, otherwise: string): Shown =>
  version === undefined || /^[\w.:+-]{1,40}$/.test(version)
    ? visible(version ?? otherwise, { max: 40 })
    : quoteText(version, 40);

/** Why something could not be asked. */
export const reason = (why: string): Shown => visible(why, { max: 500 });

/** The warning that every stale session sees, word for word. */
const driftLine = (kind: Freshness['kind'], before: Shown, after: Shown): Shown =>
  say`⚠️ Tool schema drift detected — session started ${before}, ${kind} advertises ${after}. Restart Claude Code to avoid silent field-strip bugs.`;

/** Lists that the server called changed while they were read, and that could be read after that. */
const announcement = (signals: readonly ListKind[] = [], unread: Unread = {}): Shown | undefined => {
  const settled = signals.filter((kind) => kind === 'tools' || unread[kind] === undefined);
  if (settled.length === 0) return undefined;
  const kinds = joined(
    settled.map((kind) => say`${kind}`),
    ', ',
  );
  return say`its ${kinds} changed while being read, and were read once more`;
};

const unreadLists = ({ unread }: Offered): Pick<Freshness, 'unread'> =>
  defined({ unread: unread && Object.values(unread).map(reason) });

const compare = (
  basis: Pick<Freshness, 'name' | 'where' | 'kind'>,
  baseline: SourceBaseline,
  asked: Extract<LiveAnswer, { status: 'live' }>,
): Freshness => {
  const { live } = asked;
  const [before, after] = [baseline.schema_version, live.schemaVersion];
  const changes = ofContract(diffOffered(baseline, live));
  const note = upgradeNote(baseline, live, changes);
  const announced = announcement(live.signals, live.unread);
  const signs = [note, announced].filter((sign) => sign !== undefined);
  const upgrade = signs.length > 0 ? joined(signs, '; ') : undefined;
  const { tools, mismatched } = live;
  const lists = listStates(basis.kind, baseline, live, changes);
  const found = {
    ...basis,
    ...defined({ before, after, upgrade }),
    changes,
    tools,
    mismatched,
    lists,
    ...unreadLists(live),
  };
  const [was, is] = [versionText(before, baseline.recorded_at.slice(0, 10)), versionText(after, 'other contracts')];
  if (changes.length === 0) {
    return before === after
      ? { ...found, state: 'fresh', note: say`${plural(tools.length, 'tool')} as this session learned them` }
      : { ...found, state: 'version-only', note: say`the version went from ${was} to ${is}, and no contract changed` };
  }
  if (before !== undefined && before === after) {
    const silent = say`⚠️ Silent tool schema drift — contracts changed and the gateway still advertises ${is}: its SCHEMA_VERSION was not bumped.`;
    return { ...found, state: 'silent-drift', note: silent };
  }
  return { ...found, state: 'drift', note: driftLine(basis.kind, was, is) };
};

/** The baseline that a probe compares with: the session's, or the newest one's. */
export const baselineFor = (home: string, session: string | undefined): SessionBaseline | undefined =>
  session === undefined ? readNewest(home) : readBaseline(home, session);

const newBaseline = (session: string, cwd: string): SessionBaseline => ({
  session_id: session,
  recorded_at: new Date().toISOString(),
  source: 'probe',
  client: 0,
  cwd,
  sources: {},
  failed: {},
});

const record = (
  home: string,
  baseline: SessionBaseline,
  source: Source,
  asked: Extract<LiveAnswer, { status: 'live' }>,
): void => {
  // A conversation that is under way may have learned something else before: this baseline does not tell.
  baseline.sources[source.key] = toBaseline(source, asked, true);
  delete baseline.failed[source.key];
  writeBaseline(home, baseline);
};

export interface Probe {
  config: LoadedConfig;
  freshness: Freshness[];
  baseline?: SessionBaseline;
  /** Configured servers that are not asked because nobody approved them, or somebody said no; and why. */
  unstarted: { name: string; state: string; why: string }[];
}

/**
 * Asks every source now and compares with the baseline. A source without one is recorded now.
 * @param session the session's id; without it, the newest session's baseline counts
 * @param spawn whether programs may be started to be asked
 */
export const probeSources = async (
  home: string,
  project: string,
  env: NodeJS.ProcessEnv,
  session: string | undefined,
  spawn = false,
): Promise<Probe> => {
  const config = loadConfig(home, project, env);
  const baseline = baselineFor(home, session);
  // At a terminal nobody says which client it is about: the session's own, for what was given on its command line.
  const client = session !== undefined && baseline?.client ? String(baseline.client) : undefined;
  const known = allSources(config, project, { ...env, CLAUDE_PID: env.CLAUDE_PID || client }, spawn);
  const { gateways, servers, problems, unaskable, configured } = known;
  const unstarted = configured
    .filter(({ state }) => state !== 'ready')
    .map(({ name, state, why = '' }) => ({ name, state, why }));
  const none = { changes: [], tools: [], mismatched: [] };
  const unasked =
    (state: State) =>
    ({ name, why }: SourceProblem): Freshness => ({
      ...none,
      name,
      where: '',
      kind: 'server',
      state,
      note: reason(why),
    });
  const freshness: Freshness[] = [...problems.map(unasked('invalid')), ...unaskable.map(unasked('unaskable'))];
  if (gateways.length + servers.length + freshness.length === 0) {
    const note = say`no gateway and no MCP server: set GATEWAY_URL, or "gateways" in config.json`;
    const nothing = { ...none, name: '', where: '', kind: 'gateway', state: 'not-configured', note } as const;
    return { config, ...defined({ baseline }), unstarted, freshness: [nothing] };
  }
  const options = { freshFor: config.user.freshFor, deadline: DEADLINE, force: true, session };
  const ask = (kind: Freshness['kind']) => async (source: Source) =>
    [kind, source, await askSource(home, source, { ...options, everything: kind === 'server' })] as const;
  // One for all of them: what is recorded for a source stays when the next one is.
  const completed = baseline ?? newBaseline(session ?? 'manual', project);
  const answers = await Promise.all([...gateways.map(ask('gateway')), ...servers.map(ask('server'))]);
  for (const [kind, source, asked] of answers) {
    const basis = { name: source.name, where: source.where, kind };
    const recorded = baseline?.sources[source.key];
    if (asked.status === 'failed') {
      freshness.push({ ...none, ...basis, state: asked.kind, note: reason(asked.why) });
    } else if (recorded === undefined) {
      record(home, completed, source, asked);
      const { tools, mismatched, schemaVersion } = asked.live;
      const note = say`no baseline yet: recorded now (${plural(tools.length, 'tool')})`;
      const lists = listStates(kind, undefined, asked.live, []);
      const known = { tools, mismatched, ...defined({ after: schemaVersion }), lists, ...unreadLists(asked.live) };
      freshness.push({ ...none, ...basis, ...known, state: 'no-baseline', note });
    } else {
      freshness.push(compare(basis, recorded, asked));
    }
  }
  return { config, ...defined({ baseline }), unstarted, freshness };
};

/**
 * One exit code for several sources: drift that was found counts before what could not be checked. A list that could not
 * be read is not fresh.
 */
export const exitOf = (freshness: readonly Freshness[]): 0 | 1 | 2 => {
  const exits = freshness.map(({ state, unread = [] }) => EXIT[state] || (unread.length > 0 ? 2 : 0));
  return exits.includes(1) ? 1 : exits.includes(2) ? 2 : 0;
};
