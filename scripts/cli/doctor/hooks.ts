import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../../command/command.ts';
import { isObject } from '../../contract/types.ts';
import { registrations, scriptOf } from '../../install/hooks.ts';
import { readJson } from '../../state/files.ts';
import { claudeHome } from '../../state/paths.ts';
import { hooksFolder } from '../hooks-folder.ts';
import type { Check } from './check.ts';

interface RegisteredHook {
  event: string;
  script: string;
  path: string;
  file: string;
}

/** Our hooks in one settings file. */
const registeredIn = (file: string, project: string): RegisteredHook[] => {
  const settings = readJson(file);
  const events = isObject(settings) && isObject(settings.hooks) ? Object.entries(settings.hooks) : [];
  const hooks = events.flatMap(([event, groups]) =>
    [groups]
      .flat()
      .flatMap((entry) => (isObject(entry) && Array.isArray(entry.hooks) ? entry.hooks : []))
      .map((hook) => ({ event, hook })),
  );
  return hooks.flatMap(({ event, hook }) => {
    const script = scriptOf(hook);
    const first = isObject(hook) && Array.isArray(hook.args) ? String(hook.args[0]) : '';
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code's own placeholder
    return script === undefined ? [] : [{ event, script, path: first.replace('${CLAUDE_PROJECT_DIR}', project), file }];
  });
};

/** Whether our plugin is enabled, which brings the hooks. */
export const isPlugin = (claude: string): boolean => {
  const settings = readJson(join(claude, 'settings.json'));
  const enabled =
    isObject(settings) && isObject(settings.enabledPlugins) ? Object.entries(settings.enabledPlugins) : [];
  return enabled.some(([name, on]) => name.startsWith('konnichiwagwan@') && on === true);
};

const WANTED = registrations('');

/** Whether the hooks are registered, and the folder of those that run. */
export const checkHooks = (io: Io, project: string): { checks: Check[]; folder: string } => {
  const claude = claudeHome(io.env);
  const files = [
    join(claude, 'settings.json'),
    join(project, '.claude/settings.json'),
    join(project, '.claude/settings.local.json'),
  ];
  const registered = [...new Set(files)].flatMap((file) => registeredIn(file, project));
  if (registered.length === 0) {
    if (io.env.CLAUDE_PLUGIN_ROOT || isPlugin(claude)) {
      return { checks: [{ name: 'hooks', state: 'ok', detail: 'registered by the plugin' }], folder: hooksFolder() };
    }
    const check: Check = {
      name: 'hooks',
      state: 'wrong',
      detail: 'not registered: no call is checked',
      hint: 'konnichiwagwan install',
    };
    return { checks: [check], folder: hooksFolder() };
  }
  const checks = WANTED.map(({ event, script }): Check => {
    const name =
      WANTED.filter((one) => one.script === script).length > 1 ? `hook ${script}, ${event}` : `hook ${script}`;
    const found = registered.filter((one) => one.script === script && one.event === event);
    const absent = found.find(({ path }) => !existsSync(path));
    if (found.length === 0) return { name, state: 'wrong', detail: 'not registered', hint: 'konnichiwagwan install' };
    if (absent)
      return {
        name,
        state: 'wrong',
        detail: `${absent.file} names ${absent.path}, which is not there`,
        hint: 'konnichiwagwan install',
      };
    if (found.length > 1)
      return {
        name,
        state: 'note',
        detail: `registered ${found.length} times: ${found.map((one) => one.file).join(', ')}`,
        hint: 'uninstall one of them',
      };
    return { name, state: 'ok', detail: found[0]?.path ?? '' };
  });
  const guard = registered.find((one) => one.script === 'guard' && existsSync(one.path));
  return { checks, folder: guard ? join(guard.path, '..') : hooksFolder() };
};
