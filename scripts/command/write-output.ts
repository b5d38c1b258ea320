import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { removeLeftoversOf } from '../state/leftovers.ts';
import { CommandError } from './command.ts';

/** The real path of a file; undefined if it does not exist yet. */
const existing = (path: string): string | undefined => {
  try {
    lstatSync(path);
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
};

/**
 * Writes a report completely or not at all, with the usual permissions, since others read it. A pipe or a device cannot be
 * replaced, so it is written to.
 * @throws CommandError if it cannot be written
 */
export const writeOutput = (file: string, cwd: string, text: string): void => {
  try {
    const path = resolve(cwd, file);
    const target = existing(path) ?? path;
    const found = statSync(target, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) {
      writeFileSync(target, text);
      return;
    }
    const temporary = `${target}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, text, { flag: 'wx', ...(found === undefined ? {} : { mode: found.mode & 0o777 }) });
      renameSync(temporary, target);
      removeLeftoversOf(target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  } catch (error) {
    throw new CommandError(
      'unwritable',
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code})`,
      'check the path',
    );
  }
};
