import { lstatSync } from 'node:fs';
import { ownFolders, realFolder } from '../servers/folder.ts';
import { homeOf, lockPath } from '../state/paths.ts';
import { type Former, formerLock, knownToGit } from './former.ts';
import type { AskContext } from './offers.ts';
import { LOCKFILE } from './types.ts';

/** The folder of a lockfile (`project`), and the state folder (`home`) that remembers it. */
export interface WhoseLock extends Pick<AskContext, 'home' | 'project'> {
  /** The way there from the folder that people work in; absent if it is that one. */
  way?: string;
}

/** The folders whose lockfile can be the project's, the nearest first: up to its repository's root or the home folder. */
export const lockFolders = (project: string, env: NodeJS.ProcessEnv): string[] => {
  const [, ...above] = ownFolders(project);
  const home = realFolder(homeOf(env));
  if (realFolder(project) === home) return [project];
  return [project, ...(above.includes(home) ? above.slice(0, above.indexOf(home) + 1) : above)];
};

/** Whether there is something that has to be read as a lockfile, or cannot be read. */
const isThere = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
};

/**
 * Whose lockfile is a project's: the nearest one, also where it is gone. Deleting it must not leave the project to one further
 * up. If there is none, it would be the project's own.
 */
export const whoseLock = ({ home, project, env }: Pick<AskContext, 'home' | 'project' | 'env'>): WhoseLock => {
  const folders = lockFolders(project, env);
  if (folders.length === 1) return { home, project };
  const nearest = folders.findIndex((folder) => isThere(lockPath(folder)));
  const without = nearest < 0 ? folders : folders.slice(0, nearest);
  const known = knownToGit(without);
  const gone = without.findIndex((folder, at) => formerLock(home, folder, false, known[at]) !== undefined);
  const at = gone < 0 ? nearest : gone;
  if (at < 1) return { home, project };
  return { home, project: folders[at] as string, way: Array(at).fill('..').join('/') };
};

/** The path of the lockfile from the folder that people work in. */
export const pathTo = ({ way }: WhoseLock): string => (way === undefined ? LOCKFILE : `${way}/${LOCKFILE}`);

/** `formerLock`, with a command for the folder that people work in. */
export const formerOf = (
  { home, project, way }: WhoseLock,
  thorough: boolean,
  isKnown: boolean | 'unknown' = true,
): Former | undefined => {
  const former = formerLock(home, project, thorough, isKnown);
  return way === undefined || former?.restore === undefined
    ? former
    : { ...former, restore: former.restore.replace(/^git/, `git -C ${way}`) };
};
