// A background session runs in a process that may have been started before it, as a spare one. The command line of that
// names a socket, and the client's own list of such sessions has the options.
import { join } from 'node:path';
import { isObject, own } from '../contract/types.ts';
import { readJson } from '../state/files.ts';
import { look } from '../state/stamp.ts';
import { clientWords, type System } from './system.ts';
import type { ClientPlace } from './types.ts';

const SPARE = '--bg-spare';

/** The arguments in the list for the process that runs a session; undefined if it is not there, or not there yet. */
const listed = ({ client, claudeHome }: ClientPlace): string[] | undefined => {
  const path = join(claudeHome, 'daemon', 'roster.json');
  const workers = own(readJson(path), 'workers');
  const worker = isObject(workers) && Object.values(workers).find((one) => own(one, 'replPid') === client);
  const args = worker ? own(own(own(worker, 'dispatch'), 'launch'), 'args') : undefined;
  if (Array.isArray(args)) return args.filter((word) => typeof word === 'string');
  // It is written all the time: it counts as read only while something is expected of it.
  look(path);
  return undefined;
};

/** The words that a client was started with; none if they cannot be known. */
export const wordsOfClient = (place: ClientPlace, system: System): string[] => {
  const words = clientWords(place.client, system) ?? [];
  const args = words.slice(1, 3).includes(SPARE) ? listed(place) : undefined;
  return args === undefined ? words : ['claude', ...args];
};
