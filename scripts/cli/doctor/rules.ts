import { join } from 'node:path';
import type { Io } from '../../command/command.ts';
import { own } from '../../contract/types.ts';
import { NAME } from '../../install/layout.ts';
import { readRecord } from '../../install/record.ts';
import { approvalRules } from '../../install/rules.ts';
import { names } from '../../servers/settings.ts';
import { readJson } from '../../state/files.ts';
import { claudeHome } from '../../state/paths.ts';
import { plural } from '../../text/plural.ts';
import { type Check, note, ok, wrong } from './check.ts';
import type { HookForm } from './forms.ts';

/** The deny rules of one settings file. */
const denyOf = (file: string): string[] => names(own(own(readJson(file), 'permissions'), 'deny'));

/** Checks whether rules keep the agent from approving contracts. Only settings can do that, not a plugin. */
export const checkRules = (io: Io, project: string, forms: readonly HookForm[]): Check => {
  const name = 'rules';
  const user = claudeHome(io.env);
  const folders = [user, join(project, '.claude')];
  const files = folders.flatMap((folder) => [join(folder, 'settings.json'), join(folder, 'settings.local.json')]);
  const denied = new Set(files.flatMap(denyOf));
  const missing = approvalRules(io, false).filter((rule) => !denied.has(rule));
  const detail = 'the agent may not edit the lockfile or our state, or run approve';
  if (missing.length === 0) return ok(name, detail);
  const which = `${missing[0]}${missing.length > 1 ? ` and ${missing.length - 1} more` : ''}`;
  // Rules that our installation added and that are gone now.
  for (const folder of folders) {
    const recorded = readRecord(join(folder, 'skills', NAME))?.settings.rules ?? [];
    const now = denyOf(join(folder, 'settings.json'));
    const lost = missing.filter((rule) => recorded.includes(rule) && !now.includes(rule));
    if (lost.length === 0) continue;
    return wrong(
      name,
      `${join(folder, 'settings.json')} lost ${plural(lost.length, 'rule')} that deny the agent to approve: ${lost.join(', ')}`,
      `konnichiwagwan install${folder === user ? '' : ' --project'}`,
    );
  }
  const plugin =
    io.env.CLAUDE_PLUGIN_ROOT || forms.some(({ kind, name }) => kind === 'plugin' && !name.endsWith('@skills-dir'))
      ? ' (an installation has hooks of its own: disable the plugin then)'
      : '';
  const hint = `to add ${missing.length > 1 ? 'them' : 'it'} to permissions.deny${plugin}: konnichiwagwan install`;
  return note(name, `the agent may approve contracts in its own way: nothing denies ${which}`, hint);
};
