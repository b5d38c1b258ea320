import { join, resolve } from 'node:path';
import { isObject, own } from '../contract/types.ts';
import { stampOf } from '../state/stamp.ts';
import type { ClientOptions } from './command-line.ts';
import { localAbove } from './folder.ts';
import { entriesIn, LARGEST_CONFIG, LARGEST_STATE, parseObject, type ReadObject, readObject } from './read.ts';
import { type System, thisSystem } from './system.ts';
import type { ClientPlace, ServerProblem } from './types.ts';

/** Who wrote a settings file: `flag` is `--settings`, `managed` an organization. */
type Author = 'user' | 'project' | 'local' | 'flag' | 'managed';

export interface ClientSettings {
  author: Author;
  file: string;
  value: Record<string, unknown>;
}

/** An organization's settings for us, beside those for the client. No user can loosen what they say. */
export const managedPath = (): string => join(thisSystem.managed, 'konnichiwagwan.json');

/** Whether there is such a file, valid or not. */
export const isManaged = (): boolean => stampOf(managedPath()) !== '-';

const MOST_DROP_INS = 100;

const dropIns = (folder: string): string[] =>
  entriesIn(folder)
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .slice(0, MOST_DROP_INS)
    .map((name) => join(folder, name));

type SettingsReader = (
  place: ClientPlace,
  options: ClientOptions,
  system: System,
  problems: ServerProblem[],
) => ClientSettings[];

/** Adds the settings in a file, if it is there. */
const adderTo =
  (loaded: ClientSettings[], problems: ServerProblem[]) =>
  (author: Author, file: string, read: ReadObject = readObject(file, LARGEST_CONFIG)): void => {
    if (read.status === 'read') loaded.push({ author, file, value: read.value });
    else if (read.status === 'bad') problems.push({ name: file, why: read.why });
  };

/**
 * The settings files that are no repository's, the weakest first. What an organization sets through the registry, a macOS
 * profile or a helper program is in no file, and so unknown here. The client ignores a whole file that has certain invalid
 * settings; here such a file still counts.
 */
export const usersSettings: SettingsReader = ({ project, claudeHome }, { sources, settings }, system, problems) => {
  const loaded: ClientSettings[] = [];
  const add = adderTo(loaded, problems);
  if (sources?.includes('user') ?? true) add('user', join(claudeHome, 'settings.json'));
  const flag = settings?.trim();
  if (flag?.startsWith('{')) add('flag', '--settings', parseObject(flag));
  else if (flag) add('flag', resolve(project, flag));
  for (const file of [
    // The last answer of an organization's settings server. The client asks it at its start, and keeps the answer here.
    join(claudeHome, 'remote-settings.json'),
    join(system.managed, 'managed-settings.json'),
    ...dropIns(join(system.managed, 'managed-settings.d')),
  ])
    add('managed', file);
  return loaded;
};

/** All settings files that count, the weakest first. */
export const loadSettings: SettingsReader = (place, options, system, problems) => {
  const users = usersSettings(place, options, system, problems);
  const loaded: ClientSettings[] = [];
  const add = adderTo(loaded, problems);
  const { project, home } = place;
  const above = localAbove(project, home);
  for (const [author, folder, file] of [
    ['project', project, 'settings.json'],
    ...(above === undefined ? [] : [['local', above, 'settings.local.json'] as const]),
    ['local', project, 'settings.local.json'],
  ] as const)
    if (options.sources?.includes(author) ?? true) add(author, join(folder, '.claude', file));
  const weaker = users.filter(({ author }) => author === 'user');
  return [...weaker, ...loaded, ...users.slice(weaker.length)];
};

/** The path of the client's own state file; an older place still counts if there is a file. */
export const stateFile = ({ home, claudeHome, env }: ClientPlace): string => {
  const legacy = join(claudeHome, '.config.json');
  const read = readObject(legacy, LARGEST_STATE);
  if (read.status === 'read' && Object.keys(read.value).length > 0) return legacy;
  return join(env.CLAUDE_CONFIG_DIR ? claudeHome : home, '.claude.json');
};

/** The strings in an array; a single string counts as an array of one, as the client reads names of servers. */
export const names = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
};

/** One setting, of every file that has it, the weakest first. */
export const settingOf = (all: readonly ClientSettings[], key: string): { from: ClientSettings; value: unknown }[] =>
  all.flatMap((from) => (Object.hasOwn(from.value, key) ? [{ from, value: own(from.value, key) }] : []));

/** Whether an organization allows servers from plugins only. */
export const pluginsOnly = (all: readonly ClientSettings[]): boolean =>
  settingOf(all, 'strictPluginOnlyCustomization').some(
    ({ from, value }) => from.author === 'managed' && (value === true || names(value).includes('mcp')),
  );

/** The value of `mcpServers` if it is an object; undefined if there is none, null if it is anything else. */
export const serversIn = (value: unknown, key = 'mcpServers'): Record<string, unknown> | null | undefined => {
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  const servers = value[key];
  return isObject(servers) ? servers : null;
};
