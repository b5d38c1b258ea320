import { appendFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './files.ts';
import { activityPath } from './paths.ts';

/** One line for each call that the guard saw. Names and verdicts alone: no arguments, no text. */
export interface Activity {
  session: string;
  server?: string | undefined;
  /** As the client writes it. */
  tool: string;
  verdict: 'silence' | 'notice' | 'ask' | 'deny' | 'unchecked' | 'not-covered' | 'failed';
  /** The worst level of the changes, if there were any. */
  level?: string;
}

/** Appends to the day's log in one write, so that lines of hooks that run at once never mix. */
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
      // The log is for people who look back; a call never depends on it.
    }
  }
};
