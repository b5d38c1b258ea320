import { chmodSync, chownSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { replaceFile } from './files.ts';
import { removeLeftoversOf } from './leftovers.ts';

/** What a path really names: people keep their files in a repository and link to them. Undefined for links in a circle. */
export const behindLinks = (path: string): string | undefined => {
  let target = path;
  for (let hops = 0; lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink(); hops++) {
    if (hops > 40) return undefined;
    target = resolve(dirname(target), readlinkSync(target));
  }
  return target;
};

/**
 * Writes a file of the user's whole or not at all, with the mode and the owner of the one that was there. A link of that
 * name is replaced: see `behindLinks`. What killed writers left beside it is removed.
 * @param mode of a file that was not there before; without it the usual one
 */
export const writeWhole = (path: string, data: string | Buffer, mode = 0o666 & ~process.umask()): void => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const known = stats?.isFile() ? stats : undefined;
  removeLeftoversOf(path);
  replaceFile(path, data, (written) => {
    try {
      if (known) chownSync(written, known.uid, known.gid);
    } catch {
      // Not root and not the owner's group: the file becomes ours, as with any editor that saves by renaming.
    }
    chmodSync(written, known ? known.mode & 0o7777 : mode);
  });
};
