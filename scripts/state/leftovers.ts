import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { contractsPath, sessionsPath } from './paths.ts';
import { isRunning } from './running.ts';

/** Writing a file takes less time than this, in ms: younger ones are left alone whatever they look like. */
const YOUNG = 60_000;
/** Where the name does not tell whose it is. */
const OLD = 3_600_000;

/**
 * Removes what writers that were killed left beside a file. Best effort: what stays is looked at again the next time.
 * @param name matches the names of our own unfinished files; its first group is the writer's process
 */
export const removeLeftovers = (folder: string, name: RegExp): void => {
  try {
    for (const file of readdirSync(folder)) {
      const found = name.exec(file);
      if (found === null) continue;
      const path = join(folder, file);
      const age = Date.now() - statSync(path).mtimeMs;
      const isOver = found[1] === undefined ? age > OLD : age > YOUNG && !isRunning(Number(found[1]));
      if (isOver) rmSync(path, { force: true });
    }
  } catch {
    // Nothing there, no right to, or somebody else was faster.
  }
};

/** A text as a regular expression that matches it alone. */
export const literal = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** What killed writers left of one file that is written as `<name>.<process>.tmp` first. */
export const removeLeftoversOf = (path: string): void =>
  removeLeftovers(dirname(path), new RegExp(`^${literal(basename(path))}\\.(\\d{1,10})\\.tmp$`));

/** As `writeAtomic` names them; and the library that writes baselines, which does not say who wrote it. */
const IN_STATE = /\.(?:json|jsonl)\.(?:(\d{1,10})\.\d+\.tmp|tmp-[0-9a-f]{10,20})$/;

/** What killed hooks left in the state folder. */
export const tidyState = (home: string): void => {
  const sessions = sessionsPath(home);
  let folders: string[] = [];
  try {
    folders = readdirSync(sessions, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(sessions, name));
  } catch {
    // No session has been recorded yet.
  }
  for (const folder of [home, join(home, 'live'), contractsPath(home), sessions, ...folders])
    removeLeftovers(folder, IN_STATE);
};
