import { renameSync, rmdirSync, rmSync } from 'node:fs';

/**
 * Windows' errors for a file or folder that is open elsewhere: in a virus scanner, an editor, another of our processes. The
 * last is for a folder in which such a file was removed: the file stays until it is closed.
 */
const IN_USE = /^(?:EPERM|EBUSY|EACCES|ENOTEMPTY)$/;
/** The pauses before each retry, in ms: most programs that look at a new file finish at once. */
const PAUSES = [1, 2, 5, 10, 20, 50, 100, 200, 400];

const isInUse = (code: string): boolean => process.platform === 'win32' && IN_USE.test(code);

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
export const rename = (from: string, to: string): void => tryAgain(() => renameSync(from, to), isInUse);

const removing = (path: string, recursive: boolean): void =>
  tryAgain(
    () => rmSync(path, { recursive, force: true }),
    (code) => code === 'ENOTEMPTY' || isInUse(code),
  );

/**
 * Removes a file, or a folder with its content; a missing one is not an error. A running program may write into the folder
 * meanwhile: then it is emptied again, for up to 0.8 s. (The retries of `rmSync` do not empty it again.) On Windows it waits
 * as long if something is in use.
 * @throws as `rmSync` of node:fs
 */
export const remove = (path: string): void => removing(path, true);

/** As `remove`, for a file: a folder of that name stays. @throws as `rmSync` of node:fs */
export const removeFile = (path: string): void => removing(path, false);

/** Removes an empty folder. On Windows it waits up to 0.8 s. @throws as `rmdirSync` of node:fs */
export const removeFolder = (path: string): void => tryAgain(() => rmdirSync(path), isInUse);
