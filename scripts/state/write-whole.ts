import { chmodSync, chownSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { quietly } from '../contract/attempt.ts';
import { replaceFile } from './files.ts';
import { removeLeftoversOf } from './leftovers.ts';

/** The path that links lead to, whether or not it exists: people link to files in a repository. Undefined for a cycle. */
export const behindLinks = (path: string): string | undefined => {
  let target = path;
  for (let hops = 0; lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink(); hops++) {
    if (hops > 40) return undefined;
    // The system reads the link from where its folder really is.
    target = resolve(realpathSync(dirname(target)), readlinkSync(target));
  }
  return target;
};

/**
 * Writes a user's file completely or not at all. Keeps mode and owner of the old file, and removes what killed processes
 * left next to it. A link is replaced: pass what `behindLinks` returns to write through it.
 * @param mode of a new file; the umask's if absent
 */
export const writeWhole = (path: string, data: string | Buffer, mode = 0o666 & ~process.umask()): void => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const known = stats?.isFile() ? stats : undefined;
  removeLeftoversOf(path);
  replaceFile(path, data, (written) => {
    // Without permission, the file becomes ours, as with any editor that saves by renaming.
    if (known) quietly(() => chownSync(written, known.uid, known.gid));
    chmodSync(written, known ? known.mode & 0o7777 : mode);
  });
};
