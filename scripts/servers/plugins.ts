import { basename, join, resolve, sep } from 'node:path';
import { isObject, own } from '../contract/types.ts';
import { quotePath, quoteText } from '../text/quote.ts';
import type { ServerApproval } from './approval.ts';
import type { ClientOptions } from './command-line.ts';
import { type FolderTrust, projectKey, realFolder } from './folder.ts';
import { entriesIn, LARGEST_CONFIG, objectAt, readObject } from './read.ts';
import { type ClientSettings, serversIn, settingOf } from './settings.ts';
import type { ClientPlace, ServerProblem } from './types.ts';

/** The servers of a plugin: entries of `mcpServers`, by the name that hooks see. */
export interface PluginServers {
  file: string;
  servers: Map<string, unknown>;
  /** Variables that its entries may use in addition to the environment. */
  variables: Record<string, string>;
  verdict: ServerApproval;
}

const MOST_PLUGINS = 300;
const LARGEST_LIST = 16 * 1024 * 1024;

/** What the configuration of a session says, as far as plugins depend on it. */
export interface PluginSession {
  place: ClientPlace;
  options: Pick<ClientOptions, 'pluginFolders'>;
  settings: readonly ClientSettings[];
  trust: FolderTrust;
  /** What is wrong with files is added here. */
  problems: ServerProblem[];
}

export interface InstalledPlugin {
  id: string;
  name: string;
  root: string;
  /** Whether the user or the organization enabled it, and it runs from its marketplace's folder: its path then stays. */
  stays: boolean;
  /** Its entry in the marketplace: used instead of a manifest if it has none. */
  listing?: unknown;
  verdict: ServerApproval;
}

const textOf = (value: unknown, key: string): string | undefined => {
  const text = own(value, key);
  return typeof text === 'string' && text !== '' ? text : undefined;
};

/** The servers in a file of a plugin: under `mcpServers`, or at its top level. */
const serversOfFile = (path: string, problems: ServerProblem[]): Record<string, unknown> => {
  const value = objectAt(path, LARGEST_CONFIG, problems);
  return (serversIn(value) ?? value ?? {}) as Record<string, unknown>;
};

/** The servers in one part of a manifest's `mcpServers`; a text says why they are not read. */
const serversOfPart = (part: unknown, root: string, problems: ServerProblem[]): Record<string, unknown> | string => {
  if (isObject(part)) return part;
  if (typeof part !== 'string') return 'its mcpServers are not an object';
  if (/\.(mcpb|dxt)$/i.test(part) || /^[a-z]+:\/\//i.test(part))
    return `servers in a bundle are not read (${quoteText(part, 80)})`;
  const path = resolve(root, part);
  if (!path.startsWith(root + sep)) return `${quoteText(part, 80)} is outside of the plugin`;
  return serversOfFile(path, problems);
};

/** The servers of `.mcp.json` and of the manifest, which holds servers, names of files with servers, or an array of both. */
const serversOf = (
  plugin: InstalledPlugin,
  problems: ServerProblem[],
): { name: string; servers: Map<string, unknown> } => {
  const manifest =
    objectAt(join(plugin.root, '.claude-plugin', 'plugin.json'), LARGEST_CONFIG, problems) ?? plugin.listing;
  const name = textOf(manifest, 'name') ?? plugin.name;
  const found = new Map(Object.entries(serversOfFile(join(plugin.root, '.mcp.json'), problems)));
  const given = own(manifest, 'mcpServers');
  for (const part of Array.isArray(given) ? given : given === undefined ? [] : [given]) {
    const servers = serversOfPart(part, plugin.root, problems);
    if (typeof servers === 'string') problems.push({ name, why: servers });
    else for (const [server, entry] of Object.entries(servers)) found.set(server, entry);
  }
  return { name, servers: found };
};

/** Whether a plugin was installed for this project, or for all of them. */
const isFor = (record: unknown, project: string): boolean => {
  const scope = own(record, 'scope');
  if (scope === 'user' || scope === 'managed') return true;
  const path = textOf(record, 'projectPath');
  return path !== undefined && (realFolder(path) === realFolder(project) || projectKey(path) === projectKey(project));
};

/** Where the client keeps plugins. */
const pluginHome = ({ env, claudeHome }: ClientPlace): string =>
  env.CLAUDE_CODE_PLUGIN_CACHE_DIR || join(claudeHome, 'plugins');

const isOfRepository = ({ author }: ClientSettings): boolean => author === 'project' || author === 'local';

/** The plugins that settings enable, each with the settings that count for it. */
const enabledBy = (settings: readonly ClientSettings[]): Map<string, ClientSettings> => {
  const enabled = new Map<string, ClientSettings>();
  for (const { from, value } of settingOf(settings, 'enabledPlugins')) {
    for (const [id, on] of isObject(value) ? Object.entries(value) : []) {
      const before = enabled.get(id);
      enabled.delete(id);
      if (on !== true && !Array.isArray(on)) continue;
      // If other settings enable it, too, those count: the folder must be trusted only if just its own settings enable it.
      enabled.set(id, isOfRepository(from) && before !== undefined ? before : from);
    }
  }
  return enabled;
};

/** Looks a plugin up in its marketplace: its entry there, and its folder if it runs from there. */
const marketplaces = (
  home: string,
  problems: ServerProblem[],
): ((plugin: string, market: string) => { listing: unknown; folder: string | undefined }) => {
  const markets = objectAt(join(home, 'known_marketplaces.json'), LARGEST_LIST, problems);
  const lists = new Map<string, unknown>();
  return (plugin, name) => {
    const market = own(markets, name);
    const location = textOf(market, 'installLocation');
    if (location === undefined) return { listing: undefined, folder: undefined };
    if (!lists.has(name)) {
      const path = join(location, '.claude-plugin', 'marketplace.json');
      lists.set(name, own(objectAt(path, LARGEST_LIST, problems), 'plugins'));
    }
    const list = lists.get(name);
    const listing = Array.isArray(list) ? list.find((one) => own(one, 'name') === plugin) : undefined;
    const source = textOf(listing, 'source');
    // Plugins of a marketplace that is a local folder run from there; those of any other are copied first.
    const runsThere = own(own(market, 'source'), 'source') === 'directory' && source !== undefined;
    return { listing, folder: runsThere ? resolve(location, source) : undefined };
  };
};

/** Plugins that are installed and enabled by some settings. Settings cannot enable one that is not installed. */
const installed = ({ place, settings, trust, problems }: PluginSession): InstalledPlugin[] => {
  const enabled = enabledBy(settings);
  if (enabled.size === 0) return [];
  const home = pluginHome(place);
  const records = own(objectAt(join(home, 'installed_plugins.json'), LARGEST_LIST, problems), 'plugins');
  const inMarketplace = marketplaces(home, problems);
  const found: InstalledPlugin[] = [];
  for (const [id, from] of enabled) {
    const record = own(records, id);
    const install = Array.isArray(record) ? record.find((one) => isFor(one, place.project)) : undefined;
    const at = id.lastIndexOf('@');
    if (install === undefined || at < 1) continue;
    if (found.length === MOST_PLUGINS) {
      problems.push({ name: 'plugins', why: `only the first ${MOST_PLUGINS} are read` });
      break;
    }
    const name = id.slice(0, at);
    const { listing, folder } = inMarketplace(name, id.slice(at + 1));
    const root = folder ?? textOf(install, 'installPath');
    if (root === undefined) continue;
    const stays = folder !== undefined && !isOfRepository(from);
    // The client starts these even in an untrusted folder; we do not.
    const verdict: ServerApproval =
      isOfRepository(from) && trust === 'none'
        ? {
            state: 'unapproved',
            why: `only ${quotePath(from.file)} enables its plugin, and this folder is not trusted`,
          }
        : { state: 'ready' };
    found.push({ id, name, root, stays, listing, verdict });
  }
  return found;
};

const isPlugin = (folder: string): boolean =>
  [join('.claude-plugin', 'plugin.json'), '.mcp.json'].some(
    (file) => readObject(join(folder, file), LARGEST_CONFIG).status !== 'absent',
  );

/** The plugins of `--plugin-dir`, which names a plugin or a folder of plugins. */
const given = ({ place, options, problems }: PluginSession): InstalledPlugin[] =>
  options.pluginFolders.flatMap((path) => {
    const folder = resolve(place.project, path);
    if (folder.endsWith('.zip')) {
      problems.push({ name: folder, why: 'plugins in a .zip are not read' });
      return [];
    }
    const inside = (): string[] =>
      entriesIn(folder)
        .filter((child) => child.isDirectory())
        .slice(0, MOST_PLUGINS)
        .map((child) => join(folder, child.name));
    const roots = isPlugin(folder) ? [folder] : inside();
    return roots.map((root) => {
      const name = basename(root);
      return { id: `${name}@inline`, name, root, stays: false, verdict: { state: 'ready' as const } };
    });
  });

/** What the client puts behind the name of a plugin that is a folder of skills. */
const SKILLS = 'skills-dir';

/** Whether an organization keeps the client from loading plugins from folders of skills. */
const noSkills = (settings: readonly ClientSettings[]): boolean => {
  const lists = (key: string): boolean[] =>
    settingOf(settings, key).flatMap(({ from, value }) =>
      from.author === 'managed' && Array.isArray(value) ? [value.some((one) => own(one, 'source') === SKILLS)] : [],
    );
  return lists('blockedMarketplaces').includes(true) || lists('strictKnownMarketplaces').includes(false);
};

/** The plugins that the client finds in folders of skills, without an installation. The user's replace the project's. */
const ofSkills = ({ place, settings, trust, problems }: PluginSession): InstalledPlugin[] => {
  if (noSkills(settings)) return [];
  // The strongest settings that name it decide.
  const isOff = (id: string): boolean =>
    settingOf(settings, 'enabledPlugins')
      .map(({ value }) => own(value, id))
      .findLast((on) => on !== undefined) === false;
  // The client loads none from a project that is not trusted.
  const project = trust === 'none' ? [] : [join(place.project, '.claude', 'skills')];
  return [...new Set([...project, join(place.claudeHome, 'skills')])].flatMap((folder) => {
    const names = entriesIn(folder)
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('.'));
    if (names.length > MOST_PLUGINS)
      problems.push({ name: folder, why: `only the first ${MOST_PLUGINS} folders of skills are read` });
    return names.slice(0, MOST_PLUGINS).flatMap((name) => {
      const root = join(folder, name);
      const manifest = readObject(join(root, '.claude-plugin', 'plugin.json'), LARGEST_CONFIG);
      const id = `${(manifest.status === 'read' && textOf(manifest.value, 'name')) || name}@${SKILLS}`;
      if (manifest.status === 'absent' || isOff(id)) return [];
      return [{ id, name, root, stays: false, verdict: { state: 'ready' as const } }];
    });
  });
};

/**
 * All plugins of a session that are installed or named. Those of `--plugin-dir` come last: they replace installed ones of the
 * same name.
 */
export const pluginsOf = (session: PluginSession): InstalledPlugin[] => [...installed(session), ...given(session)];

/** The servers of all plugins of a session. */
export const pluginServers = (session: PluginSession): PluginServers[] =>
  [...ofSkills(session), ...pluginsOf(session)].map((plugin) => {
    const { place, problems } = session;
    const { name, servers } = serversOf(plugin, problems);
    const id = plugin.id.endsWith('@inline') ? `${name}@inline` : plugin.id;
    return {
      file: plugin.root,
      servers: new Map([...servers].map(([server, entry]) => [`plugin:${name}:${server}`, entry])),
      variables: {
        CLAUDE_PLUGIN_ROOT: plugin.root,
        CLAUDE_PLUGIN_DATA: join(pluginHome(place), 'data', id.replace(/[^A-Za-z0-9_-]/g, '-')),
        CLAUDE_PROJECT_DIR: place.project,
      },
      verdict: plugin.verdict,
    };
  });
