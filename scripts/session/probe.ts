import { toBaseline, writeBaseline } from '../baseline/baseline.ts';
import { baselineByHand } from '../baseline/by-hand.ts';
import {
  changedLine,
  driftLine,
  silentLine,
  unseenLine,
  versionlessLine,
  versionText,
} from '../baseline/drift-line.ts';
import { readBaseline, type SessionBaseline, type SourceBaseline, sessionsIn } from '../baseline/sessions.ts';
import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { contractHash, sha256 } from '../contract/canonical.ts';
import { defined } from '../contract/defined.ts';
import { isAhead } from '../contract/iso-date.ts';
import { listOf } from '../contract/offers.ts';
import type { Contract, ListKind, Unread } from '../contract/types.ts';
import { ofReadable } from '../diff/diff.ts';
import { diffOffered, type Offered } from '../diff/offered.ts';
import { ofContract } from '../diff/table.ts';
import type { FoundChange } from '../diff/types.ts';
import { upgradeNote } from '../diff/upgrade.ts';
import { realFolder } from '../servers/folder.ts';
import { allSources } from '../sources/all.ts';
import { askSource, type Live, type LiveAnswer } from '../sources/live.ts';
import type { Source, SourceProblem } from '../sources/source.ts';
import { plural } from '../text/plural.ts';
import { quoteName } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { type Guarded, guardedOf } from './guarded.ts';
import { IS_OFFER, type ListStates, listStates } from './lists.ts';

export type FreshnessState =
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
  state: FreshnessState;
  name: string;
  where: string;
  /** Whether the source is a gateway, which speaks for servers, or a server itself. */
  kind: 'gateway' | 'server';
  /** The versions that the source advertised, at the session's start and now. */
  before?: string;
  after?: string;
  changes: FoundChange[];
  tools: Contract[];
  /** By which its baselines are kept; absent if it was not asked. */
  key?: string;
  /** All that it offers now; absent if it did not answer. */
  offered?: Offered;
  /** The baseline was recorded after the conversation had begun: what the model learned before that is not known. */
  late?: boolean;
  /** Tools whose advertised hash is not the hash of their contract. */
  mismatched: string[];
  /** What happened, in one line. */
  note: Shown;
  /** How many tools changed of a server that tells no version: several such servers are told in one line. */
  changed?: number;
  /** Further messages, each in one line. */
  remarks: Shown[];
  /** Hashes of all its contracts, if it has no version. */
  contracts?: { before: string; after: string };
  /** Signs of a new build with other library versions, and what the server announced while it was asked. */
  upgrade?: Shown;
  /** The state of each of its lists; absent if it did not answer. */
  lists?: ListStates;
  /** Why some of its lists could not be read. */
  unread?: Shown[];
}

export const EXIT: Record<FreshnessState, 0 | 1 | 2> = {
  fresh: 0,
  drift: 1,
  'silent-drift': 1,
  'version-only': 1,
  'no-baseline': 0,
  unreachable: 2,
  invalid: 2,
  unaskable: 2,
  'not-configured': 0,
};

const DEADLINE = 10_000;
/** A program that is started may have to be downloaded first. */
const SPAWN_DEADLINE = 60_000;

/** The version that a gateway advertises, and the one that the session started with; undefined for anything else. */
export const versionLine = ({ state, kind, before, after, contracts }: Freshness): Shown | undefined => {
  if (kind !== 'gateway' || state === 'not-configured') return undefined;
  // Nothing was recorded, so what the session started with is unknown.
  const isOut = EXIT[state] === 2;
  const started = say`the session started with ${versionText(before, isOut ? 'none that is known' : 'none')}`;
  if (isOut) return say`SCHEMA_VERSION: not known now; ${started}`;
  // Without a version, its contents distinguish two releases.
  const [was, is] = [contracts && ` (contracts ${contracts.before})`, contracts && ` (contracts ${contracts.after})`];
  const now = say`SCHEMA_VERSION: ${versionText(after, 'none')}${visible(is ?? '')}`;
  if (contracts) return say`${now}; ${started}${visible(was ?? '')}`;
  return state === 'no-baseline' ? say`${now}, recorded now` : say`${now}; ${started}`;
};

/** What began a session whose start was not recorded. */
const PROBE = 'probe';

/** The reason why something could not be asked, bounded and made safe. */
export const reason = (why: string): Shown => visible(why, { max: 500 });

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

/** Lists and single tools that could not be read in an answer, or in the one before. */
const unreadIn = ({ unread = {}, tools }: Offered, before?: Offered): Pick<Freshness, 'unread'> => {
  const ofTools = (list: readonly Contract[], when: Shown): Shown[] =>
    list.flatMap(({ name, defect }) =>
      defect === undefined ? [] : [say`its tool ${quoteName(name)} could not be ${when}: ${reason(defect)}`],
    );
  const now = ofTools(tools, say`read`);
  const dark = new Set(tools.flatMap(({ name, defect }) => (defect === undefined ? [] : [name])));
  const earlier = (before?.tools ?? []).filter(({ name }) => !dark.has(name));
  const all = [...Object.values(unread).map(reason), ...now, ...ofTools(earlier, say`read when the session started`)];
  return all.length > 0 ? { unread: all } : {};
};

const MOST_NAMED = 8;

/** Messages about an answer by itself, without comparing it. */
const remarksOn = ({ schemaVersion, tools }: Pick<Live, 'schemaVersion' | 'tools'>): Shown[] => {
  const unlisted = tools.filter(({ schemaless }) => schemaless).map(({ name }) => quoteName(name));
  const more = unlisted.length > MOST_NAMED ? say` and ${unlisted.length - MOST_NAMED} more` : '';
  const ahead = schemaVersion !== undefined && isAhead(schemaVersion, Date.now());
  return [
    ...(unlisted.length > 0
      ? [
          say`listed by branches alone, without an input schema, so that any object is taken for valid: ${joined(unlisted.slice(0, MOST_NAMED), ', ')}${more}`,
        ]
      : []),
    ...(ahead
      ? [say`its version ${versionText(schemaVersion, '')} lies in the future: it is no date of a change`]
      : []),
  ];
};

/** Since when contracts are what they are. A baseline that was recorded late does not show what the model learned. */
const learned = ({ late, recorded_at }: SourceBaseline): Shown =>
  late ? say`as recorded on ${visible(recorded_at.slice(0, 10), { max: 40 })}` : say`as this session learned them`;

/** For prompts and resources: no tool call is concerned. */
const offersLine = (name: string, kinds: ReadonlySet<ListKind>): Shown => {
  const lists = joined(
    [...kinds].map((kind) => say`${kind}`),
    ' & ',
  );
  return say`⚠️ The ${lists} of ${quoteName(name)} changed since this session learned them; its tools did not.`;
};

/** Hashes of all contracts, then and now; undefined where they are the same. */
const hashesOf = (baseline: SourceBaseline, { tools }: Live): Freshness['contracts'] => {
  const hash = (list: readonly Contract[]): string =>
    sha256(
      list
        .map((tool) => `${tool.name} ${contractHash(tool)}`)
        .sort()
        .join('\n'),
    ).slice(0, 8);
  const [before, after] = [hash(baseline.tools), hash(tools)];
  return before === after ? undefined : { before, after };
};

const compare = (
  basis: Pick<Freshness, 'name' | 'where' | 'kind' | 'key'>,
  baseline: SourceBaseline,
  asked: Extract<LiveAnswer, { status: 'live' }>,
): Freshness => {
  const { live } = asked;
  const [before, after] = [baseline.schema_version, live.schemaVersion];
  const changes = ofReadable(ofContract(diffOffered(baseline, live)), baseline.tools, live.tools);
  const note = upgradeNote(baseline, live, changes);
  const announced = announcement(live.signals, live.unread);
  const signs = [note, announced].filter((sign) => sign !== undefined);
  const upgrade = signs.length > 0 ? joined(signs, '; ') : undefined;
  const { tools, mismatched } = live;
  const remarks = remarksOn(live);
  const lists = listStates(basis.kind, baseline, live, changes);
  const hashes = hashesOf(baseline, live);
  const found = {
    ...basis,
    ...(baseline.late ? { late: true } : {}),
    offered: live,
    ...defined({ before, after }),
    ...defined({ contracts: before === undefined && after === undefined ? hashes : undefined }),
    changes,
    tools,
    mismatched,
    remarks,
    lists,
    ...unreadIn(live, baseline),
  };
  const [then, now] = [versionText(before, baseline.recorded_at.slice(0, 10)), versionText(after, 'no version')];
  // If the day of the recording serves as version, two of the same day differ by their contents.
  const beside = then === now && hashes !== undefined;
  const was = beside ? say`${then} (contracts ${visible(hashes.before)})` : then;
  // A version that went away leads to a message; one that never existed does not.
  const is = beside
    ? say`${now} (contracts ${visible(hashes.after)})`
    : after === undefined && before === undefined && changes.length > 0
      ? say`other contracts`
      : now;
  if (changes.length === 0 && before !== after) {
    const bumped = { ...found, remarks: [unseenLine(basis.kind), ...remarks], ...defined({ upgrade: announced }) };
    return { ...bumped, state: 'version-only', note: driftLine(basis.kind, was, is) };
  }
  const told = { ...found, ...defined({ upgrade }) };
  if (changes.length === 0)
    return { ...told, state: 'fresh', note: say`${plural(tools.length, 'tool')} ${learned(baseline)}` };
  const kinds = new Set(changes.map(({ tool }) => listOf({ name: tool })));
  if (changes.every(({ tool }) => IS_OFFER.test(tool))) {
    const line = offersLine(basis.name, kinds);
    const note = before === after ? line : say`${line} Its version was ${was} and is ${is}.`;
    return { ...told, state: before !== undefined && before === after ? 'silent-drift' : 'drift', note };
  }
  if (before !== undefined && before === after) {
    return { ...told, state: 'silent-drift', note: silentLine(before) };
  }
  if (basis.kind === 'gateway' && before === undefined && after === undefined)
    return { ...told, state: 'silent-drift', note: versionlessLine() };
  const hasNoVersion = basis.kind === 'server' && before === undefined && after === undefined;
  if (!hasNoVersion) return { ...told, state: 'drift', note: driftLine(basis.kind, was, is) };
  const changed = new Set(changes.flatMap(({ tool }) => (IS_OFFER.test(tool) ? [] : [tool]))).size;
  return { ...told, state: 'drift', note: changedLine([basis.name], changed), changed };
};

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
  const none = { changes: [], tools: [], mismatched: [], remarks: [] };
  const unasked =
    (state: FreshnessState) =>
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
    const note =
      unstarted.length === 0
        ? say`no gateway and no MCP server: set GATEWAY_URL, or "gateways" in config.json`
        : say`no gateway, and Claude Code starts none of the ${plural(unstarted.length, 'MCP server')} that ${unstarted.length === 1 ? 'is' : 'are'} configured here`;
    const nothing = { ...none, name: '', where: '', kind: 'gateway', state: 'not-configured', note } as const;
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
    if (asked.status === 'failed') {
      const before = defined({ before: recorded?.schema_version });
      freshness.push({ ...none, ...basis, ...before, state: asked.kind, note: reason(asked.why) });
    } else if (recorded === undefined) {
      record(home, completed, source, asked);
      const { tools, mismatched, schemaVersion } = asked.live;
      const note = say`no baseline yet: recorded now (${plural(tools.length, 'tool')})`;
      const lists = listStates(kind, undefined, asked.live, []);
      const version = defined({ after: schemaVersion });
      const known = {
        tools,
        offered: asked.live,
        mismatched,
        remarks: remarksOn(asked.live),
        ...version,
        lists,
        ...unreadIn(asked.live),
      };
      freshness.push({ ...none, ...basis, ...known, state: 'no-baseline', note });
    } else {
      freshness.push(compare(basis, recorded, asked));
    }
  }
  const whyUnaskable = new Map(
    freshness.filter(({ state }) => state === 'unaskable').map(({ name, note }) => [name, note]),
  );
  const guarded = guardedOf(config, configured, (name) => whyUnaskable.get(name));
  return { config, guarded, ...defined({ baseline }), unstarted, freshness };
};

/**
 * One exit code for several sources: 1 if any drifted, else 2 if any could not be checked, else 0. A list that could not
 * be read is not fresh.
 */
export const exitOf = (freshness: readonly Freshness[]): 0 | 1 | 2 => {
  const exits = freshness.map(({ state, unread = [] }) => EXIT[state] || (unread.length > 0 ? 2 : 0));
  return exits.includes(1) ? 1 : exits.includes(2) ? 2 : 0;
};
