import { dirname, join, resolve } from 'node:path';
import { defined } from '../contract/defined.ts';
import { own } from '../contract/types.ts';
import { approvals, type ServerApproval } from './approval.ts';
import { seenSystem } from './client-line.ts';
import { type ClientOptions, readOptions } from './command-line.ts';
import { expandLaunch, readEntry } from './entry.ts';
import { type FolderTrust, ownFolders, projectEntry, projectKey, realFolder, trustIn, withParents } from './folder.ts';
import { type InstalledPlugin, pluginServers, pluginsOf } from './plugins.ts';
import { policy } from './policy.ts';
import { LARGEST_CONFIG, LARGEST_STATE, objectAt, parseObject, type ReadObject, readObject } from './read.ts';
import { loadSettings, names, pluginsOnly, serversIn, settingOf, stateFile } from './settings.ts';
import { clientWords, type System } from './system.ts';
import type { ClientPlace, Server, ServerProblem, ServerScope } from './types.ts';

export type { ClientPlace } from './types.ts';

const MOST_SERVERS = 1000;
const MOST_PROBLEMS = 100;
/** Names that the client reserves for itself. */
const RESERVED = new Set(['claude-in-chrome', 'computer-use', 'workspace']);

const READY: ServerApproval = { state: 'ready' };

/** Whether the client runs without a user to ask: its options say so, or the entry point that it names to its hooks. */
const isUnasked = (options: ClientOptions, { env }: ClientPlace): boolean =>
  options.unasked || env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk') === true;

/** Where entries of `mcpServers` come from, and how they are read. */
interface EntriesFrom {
  scope: ServerScope;
  file: string | undefined;
  place: ClientPlace;
  verdict(name: string): ServerApproval;
  /** What is wrong with entries is added here. */
  problems: ServerProblem[];
  variables?: Record<string, string>;
}

/** Reads entries of `mcpServers`; those that the client would leave out become problems. */
const toServers = (entries: Iterable<[string, unknown]>, from: EntriesFrom): Server[] => {
  const { scope, file, place, verdict, problems, variables = {} } = from;
  const found: Server[] = [];
  let count = 0;
  for (const [name, entry] of entries) {
    if (count++ === MOST_SERVERS) {
      problems.push({ name: file ?? '--mcp-config', why: `only the first ${MOST_SERVERS} servers are read` });
      break;
    }
    const configured = RESERVED.has(name) || /^__\w+__$/.test(name) ? 'has a reserved name' : readEntry(entry);
    if (typeof configured === 'string' || (configured.type === 'other' && configured.what === 'sdk')) {
      // A host program registers its servers itself, not in a file.
      const why = typeof configured === 'string' ? configured : 'its type "sdk" is for host programs alone';
      if (typeof configured === 'string' || scope !== 'dynamic') {
        problems.push({ name, why: `${why}; Claude Code leaves it out` });
        continue;
      }
    }
    // The client expands no variables in an organization's settings.
    const literal = scope === 'managed' && !file?.endsWith('managed-mcp.json');
    const { launch, unset } = literal
      ? { launch: configured, unset: [] }
      : expandLaunch(configured, place.env, variables);
    if (launch.type === 'stdio') {
      // The client starts every program in the session's folder, with these variables added.
      launch.env = { CLAUDE_PROJECT_DIR: place.project, ...variables, ...launch.env };
      launch.cwd = place.project;
    }
    found.push({ name, scope, ...defined({ file }), launch, configured, unset, ...verdict(name) });
  }
  return found;
};

/** Equal for two servers that the client takes for the same: by command line or URL, not by environment. */
const signature = ({ launch }: Server): string =>
  JSON.stringify(launch.type === 'stdio' ? [launch.command, ...launch.args] : 'url' in launch ? launch.url : null);

/** What the configuration of a session says before any server is read. */
const sessionOf = (around: ClientPlace, system: System) => {
  const problems: ServerProblem[] = [];
  const place = { ...around, project: realFolder(around.project) };
  const options = readOptions(clientWords(place.client, system) ?? []);
  const settings = loadSettings(place, options, system, problems);
  const state = objectAt(stateFile(place), LARGEST_STATE, problems) ?? {};
  const trust = trustIn(own(state, 'projects'), place.project);
  return { place, options, settings, state, trust, problems };
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
  const { place, options, settings, state, trust, problems } = session;
  const wanted = (scope: 'user' | 'project' | 'local'): boolean => options.sources?.includes(scope) ?? true;

  const entriesOf = (value: unknown, file: string): [string, unknown][] => {
    const servers = serversIn(value);
    if (servers === null) problems.push({ name: file, why: 'its mcpServers are not an object' });
    return Object.entries(servers ?? {});
  };

  const stateName = stateFile(place);
  const entry = projectEntry(own(state, 'projects'), projectKey(place.project));
  const allows = policy(settings);
  const off = new Set(names(own(entry, 'disabledMcpServers')));

  /** Disabled if the user or an organization turned it off, whatever its other state. */
  const judged = (server: Server): Server => {
    const forbidden = allows(server);
    if (forbidden !== undefined) return { ...server, state: 'disabled', why: forbidden };
    if (!off.has(server.name)) return server;
    return { ...server, state: 'disabled', why: 'it is disabled for this project: enable it in /mcp' };
  };

  const managedFile = join(system.managed, 'managed-mcp.json');
  const managed = readObject(managedFile, LARGEST_CONFIG);
  // If this file exists, even a broken one, only its servers count.
  const exclusive = managed.status !== 'absent';
  if (managed.status === 'bad') problems.push({ name: managedFile, why: managed.why });

  const fromFile = (
    scope: ServerScope,
    value: unknown,
    file: string,
    verdict = (_name: string): ServerApproval => READY,
  ): Server[] => toServers(entriesOf(value, file), { scope, file, place, verdict, problems }).map(judged);

  const here = { place, problems, verdict: () => READY };
  const given: Server[] = settingOf(settings, 'managedMcpServers').flatMap(({ from }) => {
    if (from.author !== 'managed') return [];
    const servers = Object.entries(serversIn(from.value, 'managedMcpServers') ?? {});
    const remote = toServers(servers, { ...here, scope: 'managed', file: from.file });
    return remote.filter(({ launch }) => launch.type === 'http' || launch.type === 'sse').map(judged);
  });

  const dynamic: Server[] = options.configs.flatMap((config) => {
    const inline = config.trim().startsWith('{');
    const file = inline ? undefined : resolve(place.project, config);
    const parsed: ReadObject = file === undefined ? parseObject(config) : readObject(file, LARGEST_STATE);
    const name = file ?? '--mcp-config';
    if (parsed.status !== 'read') {
      problems.push({ name, why: parsed.status === 'bad' ? parsed.why : 'is not there' });
      return [];
    }
    return toServers(entriesOf(parsed.value, name), { ...here, scope: 'dynamic', file }).map(judged);
  });

  const result = (all: Map<string, Server>): { servers: Server[]; problems: ServerProblem[] } => {
    const servers = [...all.values()].slice(0, MOST_SERVERS);
    if (servers.length < all.size) problems.push({ name: 'servers', why: `only the first ${MOST_SERVERS} are kept` });
    if (problems.length > MOST_PROBLEMS) {
      const more = problems.length - MOST_PROBLEMS;
      problems.splice(MOST_PROBLEMS, more, { name: 'more', why: `${more} more problems are not listed` });
    }
    return { servers, problems };
  };
  const byName = (...groups: readonly Server[][]): Map<string, Server> => {
    const found = new Map<string, Server>();
    for (const server of groups.flat()) {
      const { scope, hides = [] } = found.get(server.name) ?? server;
      found.set(server.name, scope === server.scope ? server : { ...server, hides: [scope, ...hides] });
    }
    return found;
  };

  if (options.none) return result(new Map());
  if (exclusive) {
    const only = managed.status === 'read' ? fromFile('managed', managed.value, managedFile) : [];
    return result(byName(only, given));
  }
  if (options.strict) return result(byName(dynamic));

  const closed = pluginsOnly(settings);
  const user = wanted('user') && !closed ? fromFile('user', state, stateName) : [];
  const local = wanted('local') && !closed ? fromFile('local', entry, stateName) : [];
  const approval = approvals(settings, entry, stateName, trust);
  // Folders above count, too, up to the root and beyond the repository; the nearest file wins.
  const folders = wanted('project') && !closed ? withParents(place.project).reverse() : [];
  const approvedHere = new Set(place.approvesProject ? ownFolders(place.project) : []);
  const project = [
    ...byName(
      ...folders.map((folder) => {
        const file = join(folder, '.mcp.json');
        return fromFile('project', objectAt(file, LARGEST_CONFIG, problems), file, (name) =>
          approval.verdict(name, approvedHere.has(folder)),
        );
      }),
    ).values(),
  ];

  // A user's server takes precedence over a project's of the same name, unless the client starts the project's: then that
  // one answers.
  const known = byName(user, local);
  const unasked = isUnasked(options, place);
  const visible = project.filter(
    ({ name, state, file = '' }) =>
      !known.has(name) || approval.starts(name, unasked) || (state === 'ready' && approvedHere.has(dirname(file))),
  );
  const others = byName(user, visible, local, given, dynamic);

  const plugins = pluginServers(session).flatMap((plugin) =>
    toServers(plugin.servers, {
      ...here,
      scope: 'plugin',
      file: plugin.file,
      verdict: () => plugin.verdict,
      variables: plugin.variables,
    }).map(judged),
  );
  // A plugin's server that is also configured by hand, or by an earlier plugin, is not started twice.
  const running = new Set([...others.values()].filter((one) => one.state === 'ready').map(signature));
  const kept = plugins.filter((one) => {
    if (one.state !== 'ready' || one.launch.type === 'other') return true;
    const mark = signature(one);
    const { CLAUDE_PLUGIN_ROOT: _root, CLAUDE_PLUGIN_DATA: _data, ...env } = 'env' in one.launch ? one.launch.env : {};
    const exact = `${mark}${JSON.stringify(Object.entries(env).sort())}`;
    if (running.has(mark) || running.has(exact)) return false;
    running.add(exact);
    return true;
  });
  return result(byName(kept, [...others.values()]));
};

/** The plugins of a session, and whether the user trusts its folder. Like `discoverServers`, only reads configuration. */
export const discoverPlugins = (
  around: ClientPlace,
  system: System = seenSystem(),
): { plugins: InstalledPlugin[]; trust: FolderTrust } => {
  const session = sessionOf(around, system);
  return { plugins: pluginsOf(session), trust: session.trust };
};
