import { renameSync, rmSync } from 'node:fs';

/** What Windows says of a file or folder that somebody has open: a virus scanner, an editor, another of our processes. */
const IN_USE = /^(?:EPERM|EBUSY|EACCES)$/;
/** What it says, too, of a folder that something is written into while it is emptied; so do all other systems. */
const REFILLED = /^(?:EPERM|EBUSY|EACCES|ENOTEMPTY)$/;
/** The pauses before it is tried again, in ms: most programs that look at a new file are done with it at once. */
const PAUSES = [1, 2, 5, 10, 20, 50, 100, 200, 400];

const tryAgain = (action: () => void, isPassing: (code: string) => boolean): void => {
  for (const pause of PAUSES) {
    try {
      action();
      return;
    } catch (error) {
      if (!isPassing((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
  action();
};

/**
 * Renames a file or folder, replacing what has that name. On Windows it waits up to 0.8 s if one of them is in use.
 * @throws as `renameSync` of node:fs
 */
export const rename = (from: string, to: string): void =>
  tryAgain(
    () => renameSync(from, to),
    (code) => process.platform === 'win32' && IN_USE.test(code),
  );

/**
 * Removes a file, or a folder with its content; a missing one is not an error. A running program may write into the folder
 * meanwhile: then it is emptied again, for up to 0.8 s. (The retries of `rmSync` do not empty it again.) On Windows it waits
 * as long if something is in use.
 * @throws as `rmSync` of node:fs
 */
export const remove = (path: string): void =>
  tryAgain(
    () => rmSync(path, { recursive: true, force: true }),
    (code) => (process.platform === 'win32' ? REFILLED : /^ENOTEMPTY$/).test(code),
  );
