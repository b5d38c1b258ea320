import type { Io } from '../command/command.ts';
import { isObject, own } from '../contract/types.ts';
import { startsOurs } from '../servers/wrapped.ts';
import type { HostEntry } from './entries.ts';
import { urlKeyOf, wordsOf } from './entry-text.ts';
import type { HostId } from './hosts.ts';
import { folderOf, isWrapped } from './plan.ts';
import { isDisabled } from './refusal.ts';

/** Which servers of one host are guarded, by its configuration alone: no server is asked. */
export interface Coverage {
  /** Started through wrap, or, in Claude Code, behind a URL that a hook asks. */
  guarded: HostEntry[];
  /** Programs that one command puts wrap before. */
  programs: HostEntry[];
  /** Programs in files that others get, too: for their team to decide. */
  shared: HostEntry[];
  /** Behind a sign-in that only the host has. */
  signIn: HostEntry[];
  /** Behind a URL, in a host without a hook that asks it. */
  remote: HostEntry[];
}

/** Which servers of a host are guarded. Disabled servers and invalid entries do not count. */
export const coverageOf = (entries: readonly HostEntry[], host: HostId, io: Pick<Io, 'cwd'>): Coverage => {
  const found: Coverage = { guarded: [], programs: [], shared: [], signIn: [], remote: [] };
  for (const entry of entries) {
    const { value, place } = entry;
    if (place.host !== host || !isObject(value) || isDisabled(entry, folderOf(entry) ?? io.cwd)) continue;
    const words = wordsOf(value, place.form);
    if (isWrapped(entry)) found.guarded.push(entry);
    else if (words && startsOurs(words)) continue;
    else if (urlKeyOf(value, place.form) !== undefined) {
      if (host === 'claude') (own(value, 'oauth') === undefined ? found.guarded : found.signIn).push(entry);
      else found.remote.push(entry);
    } else if (words) (place.scope === 'project' ? found.shared : found.programs).push(entry);
  }
  return found;
};
