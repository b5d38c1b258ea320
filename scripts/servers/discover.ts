import { dirname, join, resolve } from 'node:path';
import { own } from '../contract/types.ts';
import { approvals, type ServerApproval } from './approval.ts';
import { seenSystem } from './client-line.ts';
import { type ClientOptions, readOptions } from './command-line.ts';
import { type EntriesFrom, MOST_SERVERS, toServers } from './entries.ts';
import { type FolderTrust, ownFolders, projectEntry, projectKey, realFolder, trustIn, withParents } from './folder.ts';
import { wordsOfClient } from './launched.ts';
import { type InstalledPlugin, pluginServers, pluginsOf } from './plugins.ts';
import { policy } from './policy.ts';
import { LARGEST_CONFIG, LARGEST_STATE, objectAt, parseObject, type ReadObject, readObject } from './read.ts';
import { loadSettings, names, pluginsOnly, serversIn, settingOf, stateFile } from './settings.ts';
import type { System } from './system.ts';
import type { ClientPlace, Server, ServerProblem } from './types.ts';

export type { ClientPlace } from './types.ts';

const MOST_PROBLEMS = 100;

const READY: ServerApproval = { state: 'ready' };

/** Whether the client runs without a user to ask: its options say so, or the entry point that it names to its hooks. */
const isUnasked = (options: ClientOptions, { env }: ClientPlace): boolean =>
  options.unasked || env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk') === true;

/** Equal for two servers that the client takes for the same: by command line or URL, not by environment. */
const signature = ({ launch }: Server): string =>
  JSON.stringify(launch.type === 'stdio' ? [launch.command, ...launch.args] : 'url' in launch ? launch.url : null);

/** What the configuration of a session says before any server is read. */
const sessionOf = (around: ClientPlace, system: System) => {
  const problems: ServerProblem[] = [];
  const place = { ...around, project: realFolder(around.project) };
  const options = readOptions(wordsOfClient(place, system));
  const settings = loadSettings(place, options, system, problems);
  const state = objectAt(stateFile(place), LARGEST_STATE, problems) ?? {};
  const trust = trustIn(own(state, 'projects'), place.project);
  const entry = projectEntry(own(state, 'projects'), projectKey(place.project));
  return { place, options, settings, state, entry, trust, problems };
};

type ConfiguredSession = ReturnType<typeof sessionOf>;

/** Reads entries; a server is disabled if the user or an organization turned it off, whatever its other state. */
const readerOf = ({ place, settings, entry, problems }: ConfiguredSession) => {
  const allows = policy(settings);
  const off = new Set(names(own(entry, 'disabledMcpServers')));
  const judged = (server: Server): Server => {
    const forbidden = allows(server);
    if (forbidden !== undefined) return { ...server, state: 'disabled', why: forbidden };
    // The client drops a server that is turned off in its own session; what another session turned off, it keeps.
    if (!off.has(server.name) || server.name === place.called) return server;
    return { ...server, state: 'disabled', why: 'it is disabled for this project: enable it in /mcp' };
  };
  const here = { place, problems, verdict: () => READY };
  return (
    entries: Iterable<[string, unknown]>,
    from: Pick<EntriesFrom, 'scope' | 'file'> & Partial<EntriesFrom>,
  ): Server[] => toServers(entries, { ...here, ...from }).map(judged);
};

type ReadEntries = ReturnType<typeof readerOf>;

/** The entries in `mcpServers` of a file. */
const entriesOf = (value: unknown, file: string, problems: ServerProblem[]): [string, unknown][] => {
  const servers = serversIn(value);
  if (servers === null) problems.push({ name: file, why: 'its mcpServers are not an object' });
  return Object.entries(servers ?? {});
};

/** The remote servers that an organization's settings give to everyone. */
const givenServers = ({ settings }: ConfiguredSession, read: ReadEntries): Server[] =>
  settingOf(settings, 'managedMcpServers').flatMap(({ from }) => {
    if (from.author !== 'managed') return [];
    const servers = Object.entries(serversIn(from.value, 'managedMcpServers') ?? {});
    const given = read(servers, { scope: 'managed', file: from.file });
    return given.filter(({ launch }) => launch.type === 'http' || launch.type === 'sse');
  });

/** The servers of `--mcp-config`. */
const dynamicServers = ({ options, place, problems }: ConfiguredSession, read: ReadEntries): Server[] =>
  options.configs.flatMap((config) => {
    const inline = config.trim().startsWith('{');
    const file = inline ? undefined : resolve(place.project, config);
    const parsed: ReadObject = file === undefined ? parseObject(config) : readObject(file, LARGEST_STATE);
    const name = file ?? '--mcp-config';
    if (parsed.status !== 'read') {
      problems.push({ name, why: parsed.status === 'bad' ? parsed.why : 'is not there' });
      return [];
    }
    return read(entriesOf(parsed.value, name, problems), { scope: 'dynamic', file });
  });

/** The user's servers, for all projects and for this one, and the project's that the client does not hide behind them. */
const ownServers = (
  session: ConfiguredSession,
  read: ReadEntries,
): { user: Server[]; local: Server[]; project: Server[] } => {
  const { place, options, settings, state, entry, trust, problems } = session;
  const closed = pluginsOnly(settings);
  const wanted = (scope: 'user' | 'project' | 'local'): boolean =>
    !closed && (options.sources?.includes(scope) ?? true);
  const stateName = stateFile(place);
  const inState = (scope: 'user' | 'local', value: unknown): Server[] =>
    wanted(scope) ? read(entriesOf(value, stateName, problems), { scope, file: stateName }) : [];
  const [user, local] = [inState('user', state), inState('local', entry)];
  const approval = approvals(settings, entry, stateName, trust);
  // Folders above count, too, up to the root and beyond the repository; the nearest file wins.
  const folders = wanted('project') ? withParents(place.project).reverse() : [];
  const approvedHere = new Set(place.approvesProject ? ownFolders(place.project) : []);
  const inFolder = (folder: string): Server[] => {
    const file = join(folder, '.mcp.json');
    const verdict = (name: string): ServerApproval => approval.verdict(name, approvedHere.has(folder));
    const value = objectAt(file, LARGEST_CONFIG, problems);
    return read(entriesOf(value, file, problems), { scope: 'project', file, verdict });
  };
  // A user's server takes precedence over a project's of the same name, unless the client starts the project's: then that
  // one answers.
  const known = byName(user, local);
  const unasked = isUnasked(options, place);
  const isSeen = ({ name, state, file = '' }: Server): boolean =>
    !known.has(name) || approval.starts(name, unasked) || (state === 'ready' && approvedHere.has(dirname(file)));
  return { user, local, project: [...byName(...folders.map(inFolder)).values()].filter(isSeen) };
};

/** The servers of plugins. One that is also configured by hand, or by an earlier plugin, is not started twice. */
const serversOfPlugins = (session: ConfiguredSession, read: ReadEntries, others: Iterable<Server>): Server[] => {
  const plugins = pluginServers(session).flatMap(({ servers, file, verdict, variables }) =>
    read(servers, { scope: 'plugin', file, verdict: () => verdict, variables }),
  );
  const running = new Set([...others].filter((one) => one.state === 'ready').map(signature));
  return plugins.filter((one) => {
    if (one.state !== 'ready' || one.launch.type === 'other') return true;
    const mark = signature(one);
    const { CLAUDE_PLUGIN_ROOT: _root, CLAUDE_PLUGIN_DATA: _data, ...env } = 'env' in one.launch ? one.launch.env : {};
    const exact = `${mark}${JSON.stringify(Object.entries(env).sort())}`;
    if (running.has(mark) || running.has(exact)) return false;
    running.add(exact);
    return true;
  });
};

/** One server of each name, of the later group; it says which it hides. */
const byName = (...groups: readonly Server[][]): Map<string, Server> => {
  const found = new Map<string, Server>();
  for (const server of groups.flat()) {
    const { scope, hides = [] } = found.get(server.name) ?? server;
    found.set(server.name, scope === server.scope ? server : { ...server, hides: [scope, ...hides] });
  }
  return found;
};

const allServers = (session: ConfiguredSession, system: System): Map<string, Server> => {
  const { options, problems } = session;
  if (options.none) return new Map();
  const read = readerOf(session);
  const managedFile = join(system.managed, 'managed-mcp.json');
  const managed = readObject(managedFile, LARGEST_CONFIG);
  if (managed.status === 'bad') problems.push({ name: managedFile, why: managed.why });
  // If this file exists, even a broken one, only its servers count.
  if (managed.status !== 'absent') {
    const entries = managed.status === 'read' ? entriesOf(managed.value, managedFile, problems) : [];
    return byName(read(entries, { scope: 'managed', file: managedFile }), givenServers(session, read));
  }
  const dynamic = dynamicServers(session, read);
  if (options.strict) return byName(dynamic);
  const { user, local, project } = ownServers(session, read);
  const others = byName(user, project, local, givenServers(session, read), dynamic);
  return byName(serversOfPlugins(session, read, others.values()), [...others.values()]);
};

/**
 * The servers of a session as Claude Code resolves them, only from configuration: starts nothing, reads no credentials,
 * uses no network. Never throws: what cannot be read is left out and reported in `problems`.
 *
 * Of servers with the same name one is kept: that of --mcp-config, else of managed settings, local, project, user, plugins.
 * A hook's input says in `mcp_server.source` which one a call goes to: it may be one that was hidden since the client started.
 */
export const discoverServers = (
  around: ClientPlace,
  system: System = seenSystem(),
): { servers: Server[]; problems: ServerProblem[] } => {
  const session = sessionOf(around, system);
  const { problems } = session;
  const all = allServers(session, system);
  if (all.size > MOST_SERVERS) problems.push({ name: 'servers', why: `only the first ${MOST_SERVERS} are kept` });
  if (problems.length > MOST_PROBLEMS) {
    const more = problems.length - MOST_PROBLEMS;
    problems.splice(MOST_PROBLEMS, more, { name: 'more', why: `${more} more problems are not listed` });
  }
  return { servers: [...all.values()].slice(0, MOST_SERVERS), problems };
};

/** Whether the client starts no server but those of `--mcp-config`, and this is not one of them. */
export const leavesOut = (server: string, around: ClientPlace, system: System = seenSystem()): boolean => {
  const session = sessionOf(around, system);
  return session.options.strict && !dynamicServers(session, readerOf(session)).some(({ name }) => name === server);
};

/** The plugins of a session, and whether the user trusts its folder. Like `discoverServers`, only reads configuration. */
export const discoverPlugins = (
  around: ClientPlace,
  system: System = seenSystem(),
): { plugins: InstalledPlugin[]; trust: FolderTrust } => {
  const session = sessionOf(around, system);
  return { plugins: pluginsOf(session), trust: session.trust };
};
