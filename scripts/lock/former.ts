import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { sha256 } from '../contract/canonical.ts';
import { LIMITS } from '../contract/read.ts';
import { lockPath } from '../state/paths.ts';
import { parseLock } from './read.ts';
import { readRecord } from './record.ts';
import { LOCKFILE, type Lock } from './types.ts';

/** The lockfile that a project had, where there is none now. */
export interface Former {
  /** For people: where it is known from. */
  from: string;
  /** The command that brings it back. */
  restore?: string;
  /** What it held; absent where that is not known. */
  lock?: Lock;
  /** For `letGo`. */
  hashes: string[];
}

/** What git prints, or undefined where it ended with an error. */
type Git = (args: readonly string[], input?: string) => string | undefined;

const inGit = (project: string): boolean => {
  for (let folder = resolve(project); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (folder === dirname(folder)) return false;
  }
};

/** Git as it is for this very folder: no variable points it elsewhere, and nothing is fetched or asked. */
export const gitIn = (project: string, timeout: number): Git => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(inherited), GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' };
  return (args, input = '') => {
    const { status, stdout } = spawnSync('git', ['-C', resolve(project), '-c', 'core.fsmonitor=false', ...args], {
      // Some systems look for programs in the working folder first.
      cwd: homedir(),
      env,
      input,
      timeout,
      encoding: 'utf8',
      maxBuffer: LIMITS.bytes + 1,
      windowsHide: true,
    });
    return status === 0 ? stdout : undefined;
  };
};

/** The first of these revisions that has the file, and its object. */
const firstWith = (
  git: Git,
  revisions: readonly string[],
): { revision: string; blob: string } | 'unknown' | undefined => {
  const listed = git(['cat-file', '--batch-check'], revisions.map((one) => `${one}:./${LOCKFILE}\n`).join(''));
  if (listed === undefined) return 'unknown';
  for (const [index, line] of listed.trimEnd().split('\n').entries()) {
    const blob = /^([0-9a-f]{40,64}) blob /.exec(line)?.[1];
    if (blob !== undefined) return { revision: revisions[index] as string, blob };
  }
  return undefined;
};

const whereTold = (revision: string): { from: string; restore: string } => {
  if (revision === '') return { from: 'in git’s index', restore: `git checkout -- ${LOCKFILE}` };
  return { from: `in git, ${revision}`, restore: `git checkout ${revision} -- ${LOCKFILE}` };
};

/** The last commit that still had the file, when it is in HEAD no more. */
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

/** What stands for a repository that git cannot read, among the hashes. */
const UNREADABLE_GIT = 'unreadable git';

/**
 * The lockfile that the project had, as far as git or our own state know; undefined where there was none, or a person
 * said that it is meant to be gone.
 * @param thorough whether git's history is looked through, and a repository that cannot be read counts; takes seconds
 *   where it is long
 */
export const formerLock = (home: string, project: string, thorough: boolean): Former | undefined => {
  const { hash, let_go } = readRecord(home, project);
  const git = fromGit(project, thorough);
  const isGone = (one: string): boolean => let_go.includes(one);
  if (git === 'unknown' ? thorough : git !== undefined) {
    const former: Former =
      git === 'unknown' || git === undefined
        ? { from: 'perhaps in git, which cannot be read here', hashes: [UNREADABLE_GIT] }
        : git;
    if (!former.hashes.every(isGone)) return { ...former, hashes: [...former.hashes, ...(hash ? [hash] : [])] };
  }
  // Another command may have written it just now.
  if (hash === undefined || isGone(hash) || existsSync(lockPath(project))) return undefined;
  return { from: 'it was here before', hashes: [hash] };
};
