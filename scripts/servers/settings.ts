import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isObject, own } from '../contract/types.ts';
import { look } from '../state/stamp.ts';
import type { ClientOptions } from './command-line.ts';
import { LARGEST_CONFIG, LARGEST_STATE, parseObject, type ReadObject, readObject } from './read.ts';
import type { System } from './system.ts';
import type { ClientPlace, ServerProblem } from './types.ts';

/** Who wrote a settings file: `flag` is `--settings`, `managed` an organization. */
type Author = 'user' | 'project' | 'local' | 'flag' | 'managed';

export interface ClientSettings {
  author: Author;
  file: string;
  value: Record<string, unknown>;
}

const MOST_DROP_INS = 100;

const dropIns = (folder: string): string[] => {
  look(folder);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
      .slice(0, MOST_DROP_INS)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
};

/**
 * All settings that have a say, weakest first. What an organization sets through the registry, a macOS profile or a
 * helper of its own is not in a file: unknown here. The client drops a whole file for some invalid settings, which is not
 * copied: such a file still counts here.
 */
export const loadSettings = (
  place: ClientPlace,
  options: ClientOptions,
  system: System,
  problems: ServerProblem[],
): ClientSettings[] => {
  const { project, claudeHome } = place;
  const loaded: ClientSettings[] = [];
  const add = (author: Author, file: string, read: ReadObject): void => {
    if (read.status === 'read') loaded.push({ author, file, value: read.value });
    else if (read.status === 'bad') problems.push({ name: file, why: read.why });
  };
  const wanted = (author: 'user' | 'project' | 'local'): boolean => options.sources?.includes(author) ?? true;
  const addFile = (author: Author, file: string): void => add(author, file, readObject(file, LARGEST_CONFIG));

  if (wanted('user')) addFile('user', join(claudeHome, 'settings.json'));
  if (wanted('project')) addFile('project', join(project, '.claude', 'settings.json'));
  if (wanted('local')) addFile('local', join(project, '.claude', 'settings.local.json'));
  const flag = options.settings?.trim();
  if (flag?.startsWith('{')) add('flag', '--settings', parseObject(flag));
  else if (flag) addFile('flag', resolve(project, flag));
  // What an organization's server sent last: the client asks again at its start, and keeps the answer here.
  addFile('managed', join(claudeHome, 'remote-settings.json'));
  addFile('managed', join(system.managed, 'managed-settings.json'));
  for (const file of dropIns(join(system.managed, 'managed-settings.d'))) addFile('managed', file);
  return loaded;
};

/** The client's own state: an older place of it still counts where it exists. */
export const stateFile = ({ home, claudeHome, env }: ClientPlace): string => {
  const legacy = join(claudeHome, '.config.json');
  const read = readObject(legacy, LARGEST_STATE);
  if (read.status === 'read' && Object.keys(read.value).length > 0) return legacy;
  return join(env.CLAUDE_CONFIG_DIR ? claudeHome : home, '.claude.json');
};

/** The texts in an array, and a lone text as an array of one, as the client reads names of servers. */
export const names = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
};

/** A setting of every file that has it, weakest first. */
export const settingOf = (all: readonly ClientSettings[], key: string): { from: ClientSettings; value: unknown }[] =>
  all.flatMap((from) => (Object.hasOwn(from.value, key) ? [{ from, value: own(from.value, key) }] : []));

/** Whether an organization lets nothing but plugins bring servers. */
export const pluginsOnly = (all: readonly ClientSettings[]): boolean =>
  settingOf(all, 'strictPluginOnlyCustomization').some(
    ({ from, value }) => from.author === 'managed' && (value === true || names(value).includes('mcp')),
  );

/** `mcpServers` where that is an object, undefined where there is none, null where it is something else. */
export const serversIn = (value: unknown, key = 'mcpServers'): Record<string, unknown> | null | undefined => {
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  const servers = value[key];
  return isObject(servers) ? servers : null;
};
