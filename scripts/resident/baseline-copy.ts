import { existsSync } from 'node:fs';
import { readText, writeAtomic } from '../state/files.ts';
import { sessionPath } from '../state/paths.ts';
import { stampOf } from '../state/stamp.ts';

/**
 * A copy of a session's baseline in memory: the one thing in the state folder that cannot be asked for again. If the file
 * was deleted, it is written again.
 * @param program a file of ours: if that is gone, too, we were uninstalled
 */
export const baselineCopy = (program: string) => {
  let copy: { path: string; stamp: string; text: string } | undefined;
  return {
    /** Before a verdict. */
    restore: (home: string, session: string): void => {
      const path = sessionPath(home, session);
      if (copy?.path !== path || existsSync(path) || !existsSync(program)) return;
      try {
        writeAtomic(path, copy.text);
        copy.stamp = stampOf(path);
      } catch {
        // The call is judged by the transcript instead.
      }
    },
    /** After a verdict, when there is time. */
    keep: (home: string, session: string): void => {
      const path = sessionPath(home, session);
      const stamp = stampOf(path);
      if (stamp === '-' || (copy?.path === path && copy.stamp === stamp)) return;
      const text = readText(path);
      if (text !== undefined) copy = { path, stamp, text };
    },
  };
};
