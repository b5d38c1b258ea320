import { CommandError } from '../command/command.ts';
import { lockIsGone } from './command.ts';
import { formerOf, pathTo, type WhoseLock } from './folder.ts';
import { type Former, knownToGit } from './former.ts';
import { readLock } from './read.ts';
import { type FoundLock, type Lock, type Pins, type Refused, toPins } from './types.ts';

/** A lockfile further up than a project's, and what is there. */
export interface LockAbove {
  whose: WhoseLock;
  /** The way to the file from the folder that people work in. */
  path: string;
  found: FoundLock;
}

/**
 * The lockfiles further up than a project's. A nearer one takes their place, and lifts nothing that they refuse.
 * @param folders those that can have one, the nearest first
 */
export const locksAbove = ({ home, project }: WhoseLock, folders: readonly string[]): LockAbove[] =>
  folders.flatMap((folder, at) => {
    if (at <= folders.indexOf(project)) return [];
    const whose = { home, project: folder, way: Array(at).fill('..').join('/') };
    return [{ whose, path: pathTo(whose), found: readLock(folder) }];
  });

/** Refusals of the nearest lockfile, and of one further up. One of every contract counts before one of a single contract. */
const bothRefusals = (
  near: ReadonlyMap<string, Refused> | undefined,
  far: ReadonlyMap<string, Refused>,
  where: string,
): Map<string, Refused> => {
  const all = new Map(near);
  for (const [tool, refused] of far)
    if (!all.has(tool) || (refused.hash === undefined && all.get(tool)?.hash !== undefined))
      all.set(tool, { ...refused, where });
  return all;
};

/** Those that are gone, the nearest first, with what is known of them. @param folders see `locksAbove` */
export function* goneAbove(
  above: readonly LockAbove[],
  folders: readonly string[],
): Generator<{ one: LockAbove; former: Former }> {
  const missing = above.filter(({ found }) => found.status === 'none');
  const known = missing.length === 0 ? [] : knownToGit(folders);
  for (const one of missing) {
    const former = formerOf(one.whose, false, known[folders.indexOf(one.whose.project)]);
    if (former !== undefined) yield { one, former };
  }
}

/** Whether a lockfile that is gone may have refused something. */
const mayRefuse = ({ lock }: Former): boolean =>
  lock === undefined || [...lock.values()].some(({ refused }) => refused !== undefined);

const NONE: Pins = new Map();

/**
 * A lockfile with what those further up refuse.
 * @param servers the ones in question: others get no entry that the lockfile does not have
 * @throws CommandError if what one of those further up refuses is unknown: it cannot be read, or is gone
 */
export const withRefusalsAbove = (
  lock: Lock,
  whose: WhoseLock,
  folders: readonly string[],
  servers: Iterable<string>,
): Lock => {
  const all = new Map(lock);
  const wanted = new Set(servers);
  const above = locksAbove(whose, folders);
  for (const { one, former } of goneAbove(above, folders)) if (mayRefuse(former)) throw lockIsGone(one.whose, former);
  for (const { path, found } of above) {
    if (found.status === 'unreadable')
      throw new CommandError(
        'unreadable-lockfile',
        `${path} ${found.why}`,
        'what it refuses is unknown until it is put right: update konnichiwagwan if a newer one wrote it, else bring back the last good one from version control',
      );
    if (found.status === 'none') continue;
    for (const [server, { refused }] of found.lock) {
      if (refused === undefined || !wanted.has(server)) continue;
      const pins = all.get(server) ?? NONE;
      all.set(server, toPins(pins, pins.removed, bothRefusals(pins.refused, refused, path)));
    }
  }
  return all;
};
