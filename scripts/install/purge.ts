import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Here } from '../command/command.ts';
import { remove } from '../state/in-use.ts';
import { homeOf, STATE_FILES, STATE_FOLDERS, staysBelow } from '../state/paths.ts';
import { removeIfEmpty } from './folder.ts';

export interface PurgePlan {
  folder: string;
  remove: string[];
  /** Names that are not ours; they stay, and so does the folder. */
  foreign: string[];
  /** Why nothing is removed, if nothing is. */
  kept: string | null;
}

const FOLDERS: ReadonlySet<string> = new Set(STATE_FOLDERS);
const FILES: ReadonlySet<string> = new Set(STATE_FILES);
/** What a killed process may have left of one of our files. */
const LEFTOVER = /\.\d+\.\d+\.tmp$|\.tmp-[0-9a-f]+$/;

const holds = (folder: string, path: string): boolean => {
  return staysBelow(relative(folder, existsSync(path) ? realpathSync(path) : path));
};

/**
 * Which entries of the state folder to remove; null if there is no such folder. KONNICHIWAGWAN_HOME may point anywhere, and
 * Claude Code has its own `sessions`: so nothing is removed from a folder that holds the home, project or `.claude`
 * folder, and from any other only names that we write.
 * @param shared whether another installation uses it
 */
export const planPurge = (folder: string, claude: string, io: Here, shared: boolean): PurgePlan | null => {
  if (!existsSync(folder)) return null;
  const keep = (kept: string): PurgePlan => ({ folder, remove: [], foreign: [], kept });
  if (shared) return keep('the installation for all projects uses it; uninstall that with --purge');
  if (!lstatSync(folder).isDirectory()) return keep('it is not a folder of its own');
  const precious = [claude, homeOf(io.env), io.cwd].filter((path) => holds(realpathSync(folder), path));
  if (precious.length > 0) return keep(`it holds ${precious[0]}`);
  const entries = readdirSync(folder, { withFileTypes: true });
  const ours = entries.filter((entry) =>
    entry.isDirectory() ? FOLDERS.has(entry.name) : FILES.has(entry.name.replace(LEFTOVER, '')),
  );
  return {
    folder,
    remove: ours.map((entry) => entry.name),
    foreign: entries.filter((entry) => !ours.includes(entry)).map((entry) => entry.name),
    kept: null,
  };
};

/** Removes what was planned. */
export const purge = (plan: PurgePlan): void => {
  if (plan.kept) return;
  for (const name of plan.remove) remove(join(plan.folder, name));
  removeIfEmpty(plan.folder);
};
