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

/** The group of an entry; undefined if it does not count. */
const groupOf = (entry: HostEntry, folder: string): keyof Coverage | undefined => {
  const { value, place } = entry;
  if (!isObject(value) || isDisabled(entry, folder)) return undefined;
  if (isWrapped(entry)) return 'guarded';
  const words = wordsOf(value, place.form);
  if (words && startsOurs(words)) return undefined;
  const isRemote = urlKeyOf(value, place.form) !== undefined;
  if (isRemote && place.host !== 'claude') return 'remote';
  if (isRemote) return own(value, 'oauth') === undefined ? 'guarded' : 'signIn';
  return words && (place.scope === 'project' ? 'shared' : 'programs');
};

/** Which servers of a host are guarded. Disabled servers and invalid entries do not count. */
export const coverageOf = (entries: readonly HostEntry[], host: HostId, io: Pick<Io, 'cwd'>): Coverage => {
  const found: Coverage = { guarded: [], programs: [], shared: [], signIn: [], remote: [] };
  for (const entry of entries.filter(({ place }) => place.host === host)) {
    const group = groupOf(entry, folderOf(entry) ?? io.cwd);
    if (group !== undefined) found[group].push(entry);
  }
  return found;
};
