import { spelled } from '../contract/names.ts';
import { isObject, own } from '../contract/types.ts';
import { quotePath } from '../text/quote.ts';
import type { FolderTrust } from './folder.ts';
import { type ClientSettings, names, settingOf } from './settings.ts';
import type { Server } from './types.ts';

export type ServerApproval = Pick<Server, 'state' | 'why'>;

const NOT_YET = 'configured, not yet approved in Claude Code';

/** Authors whose settings approve servers in every trusted folder: the user and an organization. */
const OWN = new Set(['user', 'flag', 'managed']);

/** Whether some settings approve a project's server of a name. */
const approvedIn = (settings: readonly ClientSettings[]): ((name: string) => boolean) => {
  const all = settingOf(settings, 'enableAllProjectMcpServers').some(({ value }) => value === true);
  const named = new Set(settingOf(settings, 'enabledMcpjsonServers').flatMap(({ value }) => names(value)));
  return (name) => all || named.has(name);
};

/**
 * Whether the servers of a project's `.mcp.json` are approved, by name.
 *
 * If the folder itself is trusted, the repository's own settings approve, too: 2.1.330 and 2.1.197 start such servers
 * without a question, because trusting the folder lets its settings (and its hooks) in. If it is trusted only through a
 * folder above it, or not at all, they do not.
 *
 * This is stricter than the client on purpose. In headless runs (`-p`) and with permissions bypassed, the client starts an
 * unapproved server even in an untrusted folder, and lets the user's settings approve there. We never do.
 * @param entry what `~/.claude.json` holds for the project
 * @param entryFile the path of that file, for messages
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
  const isApproved = approvedIn(counting);
  const isApprovedAnywhere = approvedIn(settings.filter(({ author }) => OWN.has(author)));

  // A rejection holds for every spelling that the model sees as the same name.
  const isRejected = (name: string) => rejections.find((rejection) => rejection.name === spelled(name));

  /** @param approvedHere whether a person approved the file that names it, for this run */
  const verdict = (name: string, approvedHere = false): ServerApproval => {
    const rejected = isRejected(name);
    if (rejected !== undefined)
      return {
        state: 'rejected',
        why: `disabledMcpjsonServers in ${quotePath(rejected.file)} names it; take it out there, or run \`claude mcp reset-project-choices\` in this folder`,
      };
    if (approvedHere) return { state: 'ready' };
    if (trust === 'none')
      return {
        state: 'unapproved',
        why: `${NOT_YET}: start \`claude\` in this folder, which is not trusted yet, and answer its questions`,
      };
    if (isApproved(name)) return { state: 'ready' };
    return { state: 'unapproved', why: `${NOT_YET}: start \`claude\` in this folder and approve it, or see /mcp` };
  };
  return {
    verdict,
    /** Whether the client starts it, even if we do not: then it takes precedence over the user's server of that name. */
    starts: (name: string, unasked: boolean): boolean =>
      isRejected(name) === undefined && (unasked || isApprovedAnywhere(name) || verdict(name).state === 'ready'),
  };
};
