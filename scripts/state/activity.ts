import { quietly } from '../contract/attempt.ts';
import { appendLine } from './files.ts';
import { activityPath } from './paths.ts';

/** The tool behind a call of a generic invoker: names, as the client spells them. */
export interface Called {
  /** Absent if the call does not name it: the tool can be any server's. */
  server?: string;
  tool: string;
}

/** One line for each call that the guard saw. Only names and verdicts: no other arguments, no text. */
export interface Activity {
  session: string;
  server?: string | undefined;
  /** The client's name for it. */
  tool: string;
  verdict: 'silence' | 'notice' | 'ask' | 'deny' | 'unchecked' | 'not-covered' | 'failed';
  /**
   * For a tool that calls other tools: which one it called, as far as the call says. Null if it called none; absent if
   * unknown, and for every other tool.
   */
  inner?: Called | null;
  /** The worst level of the changes, if there were any. */
  level?: string;
  /** The rule that found the first change of that level. */
  rule?: string;
  /** The mode under which it was judged, if the verdict is not silence. */
  mode?: string;
  /** If its contract changed: hashes of the one that was believed, and of the one that the server runs. */
  from?: string;
  to?: string;
  /** If the server's contract is not the one in the lockfile: the hash of the pinned one. */
  pinned?: string;
  /** Wrap judged a call again that the guard had let through: this verdict replaces the previous line's. */
  again?: true;
}

/**
 * Appends a line to the log of the day, in one write, so that hooks that run at the same time never mix their lines.
 * Never throws: a line that cannot be written is lost.
 */
export const logActivity = (home: string, activity: Activity): void => {
  const at = new Date().toISOString();
  const path = activityPath(home, at.slice(0, 10));
  // The log is only for people to look at later; no verdict depends on it.
  quietly(() => appendLine(path, `${JSON.stringify({ at, ...activity })}\n`));
};
