import { existsSync } from 'node:fs';
import type { Io } from '../../command/command.ts';
import { registrations } from '../../install/hooks.ts';
import { IGNORED_HINT, ignoredPrograms } from '../../install/ignored.ts';
import { NAME, placeOf } from '../../install/layout.ts';
import { readRecord } from '../../install/record.ts';
import { type Check, note, ok, wrong } from './check.ts';
import type { FormHook, HookForm } from './forms.ts';

/** What has to be registered, in any form: a resident guard counts as the one that starts for each call. */
const WANTED = registrations('');

const isFor =
  (event: string, script: string) =>
  (hook: FormHook): boolean =>
    hook.event === event && (hook.script === script || (script === 'guard' && hook.script === 'resident'));

export const isJudge = ({ script }: FormHook): boolean => script === 'guard' || script === 'resident';

/** Whether git ignores the programs of a project's installation, so that clones lack them. */
const checkCommitted = (io: Io, forms: readonly HookForm[]): Check[] => {
  const shared = forms.some(({ kind, name }) => kind === 'settings' && name === 'settings.json of the project');
  if (!shared) return [];
  const place = placeOf({ ...io, cwd: io.env.CLAUDE_PROJECT_DIR || io.cwd }, true);
  const ignored = ignoredPrograms(place, readRecord(place.skill)?.files ?? [`${place.programs}/guard.cjs`], io.env);
  if (ignored === undefined) return [];
  const detail = `git ignores them (${ignored}), and the hooks that start them are committed: in a clone every MCP call is stopped`;
  return [wrong('programs in git', detail, IGNORED_HINT)];
};

/** Whether everything is registered in at least one form, and the files exist. */
export const checkHooks = (io: Io, forms: readonly HookForm[]): Check[] => {
  if (forms.length === 0) {
    return [wrong('hooks', 'not registered: no call is checked', 'konnichiwagwan install')];
  }
  const each = WANTED.map(({ event, script }): Check => {
    const name =
      WANTED.filter((one) => one.script === script).length > 1 ? `hook ${script}, ${event}` : `hook ${script}`;
    const found = forms.flatMap((form) => form.hooks.filter(isFor(event, script)).map((hook) => ({ form, hook })));
    const absent = found.find(({ hook }) => hook.path !== undefined && !existsSync(hook.path));
    if (found.length === 0) return wrong(name, 'not registered', forms[0]?.repair ?? 'konnichiwagwan install');
    if (absent)
      return wrong(
        name,
        `${absent.form.place} names ${absent.hook.path}, which is not there${isJudge(absent.hook) ? ': every MCP call is stopped' : ''}`,
        absent.form.repair,
      );
    if (found.length > 1)
      return note(
        name,
        `registered ${found.length} times: ${found.map(({ form }) => form.place).join(', ')}`,
        `keep one of them: ${found.map(({ form }) => form.remove).join(', or ')}`,
      );
    return ok(name, found[0]?.hook.path ?? '');
  });
  const gone = forms
    .filter(({ hooks }) => hooks.length === 0)
    .map(({ name, place, repair }) =>
      wrong('hooks', `${name} is switched on, and there are no hooks of ${NAME} in ${place}`, repair),
    );
  return [...gone, ...each, ...checkCommitted(io, forms)];
};
