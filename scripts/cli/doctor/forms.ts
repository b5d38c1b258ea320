import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Io } from '../../command/command.ts';
import { defined } from '../../contract/defined.ts';
import { isObject, own } from '../../contract/types.ts';
import { RESIDENT, scriptOf } from '../../install/hooks.ts';
import { NAME, samePath } from '../../install/layout.ts';
import { discoverPlugins } from '../../servers/discover.ts';
import { GUARD_SERVER, isGuardServer } from '../../servers/own-guard.ts';
import { names } from '../../servers/settings.ts';
import { readJson } from '../../state/files.ts';
import { claudeHome, homeOf } from '../../state/paths.ts';

/** One of our hooks, with its arguments as Claude Code would fill them in. */
export interface FormHook {
  event: string;
  /** The name of our script; `resident` for a hook that asks the resident guard. */
  script: string;
  command: string;
  args: string[];
  /** Our file that it starts; undefined if the shell looks it up. */
  path?: string;
}

/** One way in which our hooks are registered. */
export interface HookForm {
  kind: 'settings' | 'plugin';
  /** For people: `your settings.json`, `plugin konnichiwagwan@market`. */
  name: string;
  /** What registers it: the settings file, or the folder of the plugin. */
  place: string;
  hooks: FormHook[];
  /** Whether it has a resident guard, which older clients do not restart. */
  loaded: boolean;
  /** Why it must not be started here: a repository brings it, and the user does not trust that. */
  untrusted: boolean;
  /** How to put it right, and how to take it out. */
  repair: string;
  remove: string;
}

/** What Claude Code calls a folder of skills that it loads as a plugin. */
const FOLDER_ID = `${NAME}@skills-dir`;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Every hook under `hooks` of settings or of a plugin's hooks.json, with its event. */
const hooksIn = (settings: unknown): { event: string; hook: Record<string, unknown> }[] => {
  const events = own(settings, 'hooks');
  return (isObject(events) ? Object.entries(events) : []).flatMap(([event, groups]) =>
    listOf(groups)
      .flatMap((group) => listOf(own(group, 'hooks')))
      .filter(isObject)
      .map((hook) => ({ event, hook })),
  );
};

const started = (
  hook: Record<string, unknown>,
  variables: Record<string, string>,
): Pick<FormHook, 'command' | 'args' | 'path'> => {
  const fill = (text: string): string =>
    Object.entries(variables).reduce((now, [name, value]) => now.replaceAll(`\${${name}}`, value), text);
  const args = names(hook.args).map(fill);
  const path = args.find((word) => word.endsWith('.cjs'));
  return { command: fill(String(hook.command ?? '')), args, ...defined({ path }) };
};

/** How a project's `.mcp.json` starts the resident guard; empty if it does not name it. */
const startedByProject = (project: string): Pick<FormHook, 'command' | 'args' | 'path'> => {
  const entry = own(own(readJson(join(project, '.mcp.json')), 'mcpServers'), GUARD_SERVER);
  if (!isObject(entry) || !isGuardServer(GUARD_SERVER, entry)) return { command: '', args: [] };
  const args = names(entry.args).map((word) => (word.endsWith('.cjs') ? join(project, word) : word));
  return started({ ...entry, args }, {});
};

const ofSettings = (file: string, name: string, project: string, theirs: boolean, trusted: boolean): HookForm[] => {
  const hooks = hooksIn(readJson(file)).flatMap(({ event, hook }) => {
    const script = scriptOf(hook);
    if (script === undefined) return [];
    const how = script === RESIDENT ? startedByProject(project) : started(hook, { CLAUDE_PROJECT_DIR: project });
    return [{ event, script, ...how }];
  });
  if (hooks.length === 0) return [];
  const option = theirs ? ' --project' : '';
  const [repair, remove] = [`konnichiwagwan install${option}`, `konnichiwagwan uninstall${option}`];
  const loaded = hooks.some(({ script }) => script === RESIDENT);
  return [{ kind: 'settings', name, place: file, hooks, loaded, untrusted: theirs && !trusted, repair, remove }];
};

/** A folder that Claude Code loads as a plugin; undefined if it is not ours. */
const ofPlugin = (
  id: string,
  root: string,
  untrusted: boolean,
  ways: Pick<HookForm, 'repair' | 'remove'>,
): HookForm[] => {
  const manifest = readJson(join(root, '.claude-plugin/plugin.json'));
  // If its folder is gone, its name in the marketplace says whether it is ours.
  const gone = manifest === undefined && !existsSync(root) && id !== FOLDER_ID;
  const name = gone ? id.split('@')[0] : own(manifest, 'name');
  if (name !== NAME) return [];
  const variables = { CLAUDE_PLUGIN_ROOT: root };
  const hooks = hooksIn(readJson(join(root, 'hooks/hooks.json'))).flatMap(({ event, hook }): FormHook[] => {
    if (hook.type === 'mcp_tool') {
      const server = own(own(manifest, 'mcpServers'), String(hook.server).split(':').at(-1) ?? '');
      return [{ event, script: 'resident', ...started(isObject(server) ? server : {}, variables) }];
    }
    const found = started(hook, variables);
    const script = /([\w-]+)\.cjs$/.exec(found.path ?? '')?.[1];
    return script === undefined ? [] : [{ event, script, ...found }];
  });
  return [{ kind: 'plugin', name: `plugin ${id}`, place: root, hooks, loaded: id === FOLDER_ID, untrusted, ...ways }];
};

/** Whether some settings switch a plugin off. */
const isOff = (files: readonly string[], id: string): boolean =>
  files.some((file) => own(own(readJson(file), 'enabledPlugins'), id) === false);

/** All ways in which our hooks are registered for this project: settings, plugins of a marketplace, a folder of skills. */
export const formsOf = (io: Io, project: string): HookForm[] => {
  const { env } = io;
  const claude = claudeHome(env);
  const client = Number(env.CLAUDE_PID);
  const { plugins, trust } = discoverPlugins({
    project,
    home: homeOf(env),
    claudeHome: claude,
    env,
    ...(client > 0 ? { client } : {}),
  });
  const trusted = trust !== 'none';
  const user = join(claude, 'settings.json');
  const shared = join(project, '.claude/settings.json');
  const local = join(project, '.claude/settings.local.json');
  const folder = join(claude, 'skills', NAME);
  const found = plugins.flatMap(({ id, root, verdict }) => {
    const repair = existsSync(join(root, '../package.json'))
      ? `npm ci && npm run build in ${join(root, '..')}`
      : existsSync(join(root, 'package.json'))
        ? `npm ci && npm run build in ${root}`
        : `claude plugin uninstall ${id}, then install it again`;
    const remove = id.endsWith('@inline') ? 'leave out --plugin-dir' : `claude plugin uninstall ${id}`;
    return ofPlugin(id, root, verdict.state !== 'ready', { repair: `${repair}; or ${remove}`, remove });
  });
  // The plugin that this runs from. A repository can set the variable, too, so it is compared.
  const here = dirname(dirname(__filename));
  const inline = env.CLAUDE_PLUGIN_ROOT !== undefined && samePath(env.CLAUDE_PLUGIN_ROOT, here) ? here : undefined;
  return [
    ...ofSettings(user, 'your settings.json', project, false, trusted),
    ...(shared === user ? [] : ofSettings(shared, 'settings.json of the project', project, true, trusted)),
    ...ofSettings(local, 'settings.local.json of the project', project, true, trusted),
    ...found,
    ...(isOff([user, shared, local], FOLDER_ID)
      ? []
      : ofPlugin(FOLDER_ID, folder, false, { repair: 'konnichiwagwan install', remove: 'konnichiwagwan uninstall' })),
    // A plugin that nothing above lists, such as one from --plugin-dir.
    ...(inline === undefined || [folder, ...found.map(({ place }) => place)].some((one) => samePath(one, inline))
      ? []
      : ofPlugin(`${NAME}@inline`, inline, false, { repair: 'npm run build', remove: 'leave out --plugin-dir' })),
  ];
};
