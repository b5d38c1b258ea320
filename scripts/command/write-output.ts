import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { behindLinks, writeWhole } from '../state/write-whole.ts';
import { CommandError } from './command.ts';

/**
 * Writes a report, through links, completely or not at all. A pipe or a device cannot be replaced, so it is written to.
 * @throws CommandError if it cannot be written
 */
export const writeOutput = (file: string, cwd: string, text: string): void => {
  const path = resolve(cwd, file);
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) writeWhole(behindLinks(path) ?? path, text);
    else writeFileSync(path, text);
  } catch (error) {
    throw new CommandError(
      'unwritable',
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code})`,
      'check the path',
    );
  }
};
