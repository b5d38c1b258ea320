import { spelled } from '../contract/names.ts';
import { isObject, own } from '../contract/types.ts';
import { quotePath } from '../text/quote.ts';
import type { FolderTrust } from './folder.ts';
import { type ClientSettings, names, settingOf } from './settings.ts';
import type { Server } from './types.ts';

export type Verdict = Pick<Server, 'state' | 'why'>;

/** The settings of a person or an organization: they approve in every folder that is trusted. */
const OWN = new Set(['user', 'flag', 'managed']);

/**
 * Whether somebody approved the servers of a project's `.mcp.json`, by name.
 *
 * In a folder that is trusted itself, the repository's own settings approve too: 2.1.330 and 2.1.197 start such servers
 * without a question, since trusting the folder is what lets its settings (and its hooks) in. In one that is trusted only
 * through a folder above, and in none that is not trusted, they do not.
 *
 * Stricter than the client on purpose: it starts an unapproved server in headless runs (`-p`) and with permissions
 * bypassed, even in a folder that nobody trusts, and lets the user's settings approve there. We never do.
 * @param entry what `~/.claude.json` holds for the project
 */
export const approvals = (
  settings: readonly ClientSettings[],
  entry: unknown,
  entryFile: string,
  trust: FolderTrust,
) => {
  const sources = [...settings];
  if (isObject(entry)) sources.push({ author: 'local', file: entryFile, value: entry });
  const rejections = sources.flatMap(({ file, value }) =>
    names(own(value, 'disabledMcpjsonServers')).map((name) => ({ name: spelled(name), file })),
  );
  const counting = sources.filter(({ author }) => trust === 'direct' || (trust === 'inherited' && OWN.has(author)));
  const approvesAll = settingOf(counting, 'enableAllProjectMcpServers').some(({ value }) => value === true);
  const approved = new Set(settingOf(counting, 'enabledMcpjsonServers').flatMap(({ value }) => names(value)));

  // A rejection holds for every spelling that is one name to the model.
  const isRejected = (name: string) => rejections.find((rejection) => rejection.name === spelled(name));
  const theirs = settings.filter(({ author }) => OWN.has(author));
  const anywhere = new Set(settingOf(theirs, 'enabledMcpjsonServers').flatMap(({ value }) => names(value)));
  const allAnywhere = settingOf(theirs, 'enableAllProjectMcpServers').some(({ value }) => value === true);

  const verdict = (name: string): Verdict => {
    const rejected = isRejected(name);
    if (rejected !== undefined)
      return {
        state: 'rejected',
        why: `disabledMcpjsonServers in ${quotePath(rejected.file)} names it; take it out there, or run \`claude mcp reset-project-choices\` in this folder`,
      };
    if (trust === 'none')
      return {
        state: 'unapproved',
        why: 'this folder is not trusted: start `claude` in it once and answer its question',
      };
    if (approvesAll || approved.has(name)) return { state: 'ready' };
    return {
      state: 'unapproved',
      why: 'nobody approved it: start `claude` in this folder and approve it, or see /mcp',
    };
  };
  return {
    verdict,
    /** Whether the client starts it, whatever we say: such a one stands before a server of the user's of the same name. */
    starts: (name: string, unasked: boolean): boolean =>
      isRejected(name) === undefined &&
      (unasked || allAnywhere || anywhere.has(name) || verdict(name).state === 'ready'),
  };
};
