import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';
import { sha256 } from '../contract/canonical.ts';
import { LIMITS } from '../contract/read.ts';
import { realFolder, withParents } from '../servers/folder.ts';
import { runGit } from '../state/git.ts';
import { lockPath } from '../state/paths.ts';
import { parseLock } from './read.ts';
import { readRecord } from './record.ts';
import { LOCKFILE, type Lock } from './types.ts';

/** The lockfile that a project once had. */
export interface Former {
  /** How it is known, for people. */
  from: string;
  /** The command that brings it back. */
  restore?: string;
  /** What it held; absent if unknown. */
  lock?: Lock;
  /** Hashes of its text, for `letGo`. */
  hashes: string[];
}

/** Runs git. Returns its output; undefined if it failed. */
export type Git = (args: readonly string[], input?: string) => string | undefined;

/** Whether git would look for a repository here. Starting git to ask takes some ms. */
export const inGit = (project: string): boolean => {
  const real = realFolder(project);
  return [...withParents(real), parse(real).root].some((folder) => existsSync(join(folder, '.git')));
};

/** Git for exactly this folder. `timeout` in ms, of each run. */
export const gitIn =
  (project: string, timeout: number): Git =>
  (args, input = '') => {
    const { status, stdout } = runGit(project, args, { timeout, input, maxBuffer: LIMITS.bytes + 1024 });
    return status === 0 ? stdout : undefined;
  };

/** Files as git names them, in a revision or in the index. Those that are there, with the ids of their contents. */
const blobsOf = (git: Git, files: readonly string[]): { index: number; blob: string }[] | 'unknown' => {
  const listed = git(['cat-file', '--batch-check'], files.map((one) => `${one}\n`).join(''));
  if (listed === undefined) return 'unknown';
  return listed.split('\n').flatMap((line, index) => {
    const blob = /^([0-9a-f]{40,64}) blob /.exec(line)?.[1];
    return blob === undefined ? [] : [{ index, blob }];
  });
};

/** The first of these revisions that has the lockfile, and the id of its content; undefined if none does. */
const firstWith = (
  git: Git,
  revisions: readonly string[],
): { revision: string; blob: string } | 'unknown' | undefined => {
  if (revisions.length === 0) return undefined;
  const blobs = blobsOf(
    git,
    revisions.map((one) => `${one}:./${LOCKFILE}`),
  );
  if (blobs === 'unknown') return 'unknown';
  const [first] = blobs;
  return first && { revision: revisions[first.index] as string, blob: first.blob };
};

/**
 * Whether git knows a lockfile in a folder, in each of several: asked in one start, since each takes some ms.
 * @param folders a project's, each followed by its parent
 * @returns for each; `unknown` for all if git failed
 */
export const knownToGit = (folders: readonly string[]): (boolean | 'unknown')[] => {
  const [project] = folders;
  if (project === undefined || !inGit(project)) return folders.map(() => false);
  const files = folders.flatMap((_, at) => {
    const path = `${at === 0 ? './' : '../'.repeat(at)}${LOCKFILE}`;
    return [`HEAD:${path}`, `:${path}`];
  });
  const blobs = blobsOf(gitIn(project, 1_000), files);
  return folders.map((_, at) => (blobs === 'unknown' ? blobs : blobs.some(({ index }) => index >> 1 === at)));
};

const whereTold = (revision: string): { from: string; restore: string } => {
  if (revision === '') return { from: 'in git’s index', restore: `git checkout -- ${LOCKFILE}` };
  return { from: `in git, ${revision}`, restore: `git checkout ${revision} -- ${LOCKFILE}` };
};

/** The last commit that touched the lockfile, and the one before it: if the last one deleted it, that still had it. */
const lastCommits = (git: Git): string[] => {
  const last = git(['rev-list', '-1', 'HEAD', '--', `./${LOCKFILE}`])
    ?.trim()
    .slice(0, 12);
  return last ? [last, `${last}^`] : [];
};

const fromGit = (project: string, thorough: boolean): Former | 'unknown' | undefined => {
  if (!inGit(project)) return undefined;
  const git = gitIn(project, thorough ? 20_000 : 1_000);
  let found = firstWith(git, ['HEAD', '']);
  if (found === undefined && thorough) found = firstWith(git, lastCommits(git));
  if (found === undefined || found === 'unknown') return found;
  const text = git(['cat-file', 'blob', found.blob]);
  const parsed = text === undefined ? { why: '' } : parseLock(text);
  return {
    ...whereTold(found.revision),
    ...('lock' in parsed ? { lock: parsed.lock } : {}),
    hashes: [sha256(text ?? found.blob)],
  };
};

/**
 * Whether this is a repository that git can read, and no commit that the checked-out one is based on ever touched the
 * lockfile: another branch may have one.
 */
const neverCommitted = (project: string, thorough: boolean): boolean => {
  if (!inGit(project)) return false;
  const git = gitIn(project, thorough ? 20_000 : 1_000);
  // The history of a shallow clone is cut off.
  if (git(['rev-parse', '--is-shallow-repository'])?.trim() !== 'false') return false;
  // A repository without a commit has no HEAD.
  if (git(['rev-list', '-1', '--all']) === '') return true;
  return git(['rev-list', '-1', 'HEAD', '--', `./${LOCKFILE}`]) === '';
};

/** For a repository that git cannot read. No text has this hash. */
const UNREADABLE_GIT: Former = { from: 'perhaps in git, which cannot be read here', hashes: ['unreadable git'] };

/**
 * The lockfile that the project had, as far as git or our own state knows; undefined if there was none, if a person said
 * that it is meant to be gone, or if it was pinned in a repository and never committed on this branch.
 * @param thorough whether to search git's history, which can take seconds, and to count a repository that cannot be read
 * @param isKnown whether git knows one here, where that was asked before (`knownToGit`)
 */
export const formerLock = (
  home: string,
  project: string,
  thorough: boolean,
  isKnown: boolean | 'unknown' = true,
): Former | undefined => {
  const { hash, let_go } = readRecord(home, project);
  const git = isKnown === false ? undefined : fromGit(project, thorough);
  const isGone = (one: string): boolean => let_go.includes(one);
  const unreadable = thorough ? UNREADABLE_GIT : undefined;
  const former = git === 'unknown' ? unreadable : git;
  if (former && !former.hashes.every(isGone)) return { ...former, hashes: [...former.hashes, ...(hash ? [hash] : [])] };
  // Another command may have written it just now.
  if (hash === undefined || isGone(hash) || existsSync(lockPath(project))) return undefined;
  // Deleting a lockfile that was never committed takes the pins back, and other branches may have one.
  if (git === undefined && neverCommitted(project, thorough)) return undefined;
  return { from: 'it was here before', hashes: [hash] };
};
