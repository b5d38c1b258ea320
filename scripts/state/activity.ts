import { appendFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './files.ts';
import { activityPath } from './paths.ts';

/** One line for each call that the guard saw. Holds names and verdicts only: no arguments, no text. */
export interface Activity {
  session: string;
  server?: string | undefined;
  /** The client's name for it. */
  tool: string;
  verdict: 'silence' | 'notice' | 'ask' | 'deny' | 'unchecked' | 'not-covered' | 'failed';
  /** The worst level of the changes, if there were any. */
  level?: string;
}

/**
 * Appends a line to the log of the day, in one write, so that hooks that run at the same time never mix their lines.
 * Never throws: a line that cannot be written is lost.
 */
export const logActivity = (home: string, activity: Activity): void => {
  const at = new Date().toISOString();
  const path = activityPath(home, at.slice(0, 10));
  const line = `${JSON.stringify({ at, ...activity })}\n`;
  try {
    appendFileSync(path, line, { mode: 0o600 });
  } catch {
    try {
      makeFolder(dirname(path));
      appendFileSync(path, line, { mode: 0o600 });
    } catch {
      // The log is only for people to look at later; no verdict depends on it.
    }
  }
};
