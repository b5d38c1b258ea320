import { renameSync } from 'node:fs';

/** What Windows says of a file or folder that somebody has open: a virus scanner, an editor, another of our processes. */
const IN_USE = /^(?:EPERM|EBUSY|EACCES)$/;
/** The pauses before it is tried again, in ms: most programs that look at a new file are done with it at once. */
const PAUSES = [1, 2, 5, 10, 20, 50, 100, 200, 400];

/**
 * Gives a file or folder another name, in place of what has that name. On Windows it waits a moment, up to 0.8 s, where
 * one of them is in use.
 * @throws as `renameSync` of node:fs
 */
export const rename = (from: string, to: string): void => {
  for (const pause of PAUSES) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (process.platform !== 'win32' || !IN_USE.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
  renameSync(from, to);
};
