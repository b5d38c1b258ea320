import { CommandError } from '../command/command.ts';
import type { Contract } from '../contract/types.ts';
import { quoteText } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { type Git, gitIn, inGit } from './former.ts';
import { parseLock } from './read.ts';
import { type ApprovalRules, approvalRules, bothRules, NO_RULES, PROJECT_SETTINGS, rulesInText } from './rules.ts';
import { editedPin } from './seal.ts';
import { LOCKFILE, type Lock } from './types.ts';

/** What we compare with at a revision. */
export interface AtRevision {
  /** The lockfile of the commit where this branch left the revision. Empty if there was none. */
  lock: Lock;
  /** That commit. */
  base: string;
  /** The rules of all folders at the revision itself: a change of the lockfile cannot choose its own rules. */
  rules: ApprovalRules;
}

const PATIENCE = 20_000;

const commitOf = (git: Git, revision: string): string | undefined =>
  /^[^-]/.test(revision)
    ? git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`])?.trim() || undefined
    : undefined;

/**
 * The text of a file in a commit, or undefined if the commit lacks it.
 * @param more options of git
 * @throws CommandError if it cannot be read
 */
const textAt = (git: Git, commit: string, file: string, more: string[] = []): string | undefined => {
  const answer = git(['cat-file', '--batch', ...more], `${commit}:./${file}\n`) ?? '';
  if (/^(?:\S+ missing\s*|dangling \d+\n.*)$/s.test(answer)) return undefined;
  const [head = '', ...lines] = answer.split('\n');
  if (/^[0-9a-f]{40,64} blob \d+$/.test(head)) return lines.join('\n').slice(0, -1);
  throw new CommandError(
    'unreadable',
    `${file} of commit ${commit.slice(0, 12)} cannot be read`,
    'git show prints what stands there',
  );
};

/** Through links, as settings are read from a folder: behind one there would seem to be no rules. */
const rulesAt = (git: Git, commit: string): ApprovalRules =>
  rulesInText(
    textAt(git, commit, PROJECT_SETTINGS, ['--follow-symlinks']),
    `${PROJECT_SETTINGS} of commit ${commit.slice(0, 12)}`,
  );

/**
 * @param folders those whose rules hold
 * @throws CommandError if git does not know the revision, or its files cannot be read
 */
export const atRevision = (project: string, revision: string, folders: readonly string[] = [project]): AtRevision => {
  const git = gitIn(project, PATIENCE);
  const named = quoteText(revision, 100);
  const unknown = (what: string) =>
    new CommandError('no-such-revision', what, 'fetch it first: many CI systems fetch the newest commit alone');
  const commit = commitOf(git, revision);
  if (commit === undefined) throw unknown(`git knows no revision ${named} here`);
  const base = git(['merge-base', commit, 'HEAD'])?.trim();
  if (!base) throw unknown(`git knows no commit that ${named} and this branch have in common`);
  const text = textAt(git, base, LOCKFILE);
  const parsed = text === undefined ? { lock: new Map() } : parseLock(text);
  if ('why' in parsed)
    throw new CommandError('unreadable-lockfile', `${LOCKFILE} of ${named} ${parsed.why}`, 'compare with another one');
  const rules = folders.map((folder) => rulesAt(gitIn(folder, PATIENCE), commit)).reduce(bothRules);
  return { lock: parsed.lock, base, rules };
};

/**
 * Lockfiles that came after a commit, below one that it has: in their folders they take its place.
 * @param above the folders above the project whose lockfile could be its own
 * @throws CommandError if git cannot tell
 */
export const nearerSince = (project: string, base: string, above: readonly string[]): string[] => {
  const hasLock = (folder: string): boolean => textAt(gitIn(folder, PATIENCE), base, LOCKFILE) !== undefined;
  const isOld = hasLock(project);
  if (!isOld && !above.some(hasLock)) return [];
  const added = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', '--relative'];
  const listed = gitIn(project, PATIENCE)([...added, base, 'HEAD', '--', `:(glob)**/${LOCKFILE}`]);
  if (listed === undefined)
    throw new CommandError('unreadable', `git cannot compare with commit ${base.slice(0, 12)}`, 'git fsck says why');
  const below = listed.split('\0').filter((path) => path !== '' && path !== LOCKFILE);
  return isOld ? below : [LOCKFILE, ...below];
};

/**
 * The project's rules in the last commit, if there is one: an uncommitted edit cannot weaken anything.
 * @returns unknown if git cannot read the repository
 * @throws CommandError if they are not valid
 */
export const committedRules = (project: string): ApprovalRules | 'unknown' => {
  if (!inGit(project)) return NO_RULES;
  const git = gitIn(project, PATIENCE);
  const commit = commitOf(git, 'HEAD');
  if (commit !== undefined) return rulesAt(git, commit);
  // A repository without a commit can be read, too.
  return git(['rev-parse', '--git-dir']) === undefined ? 'unknown' : NO_RULES;
};

/** All rules that hold in these folders, as they are now and in the last commit, and where the latter are unknown. */
export const heldRules = (home: string, ...folders: string[]): { rules: ApprovalRules; warnings: Shown[] } => {
  const committed = [...new Set(folders)].map((folder) => ({ folder, rules: committedRules(folder) }));
  return {
    rules: committed
      .flatMap(({ rules }) => (rules === 'unknown' ? [] : [rules]))
      .reduce(bothRules, approvalRules(home, ...folders)),
    warnings: committed
      .filter(({ rules }) => rules === 'unknown')
      .map(
        ({ folder }) =>
          say`git cannot read the repository of ${visible(folder, { max: 200 })}: the rules of its last commit are not known, only those in the folder count. git status there says why`,
      ),
  };
};

/** How many commits of the lockfile are searched for a contract. */
const MOST_COMMITS = 100;

/** Finds contracts that the lockfile once held, by their hashes. Undefined if none of its last commits has it. */
export const pinnedBefore = (
  project: string,
): ((server: string, tool: string, hash: string) => Contract | undefined) => {
  const git = gitIn(project, PATIENCE);
  const commits = (git(['log', `--max-count=${MOST_COMMITS}`, '--format=%H', '--', LOCKFILE]) ?? '').split('\n');
  const lockOf = lockReader(git);
  return (server, tool, hash) => {
    for (const commit of commits.filter(Boolean)) {
      const pin = lockOf(commit)?.get(server)?.get(tool);
      if (pin?.hash === hash && editedPin(server, tool, pin) === undefined) return pin.contract;
    }
    return undefined;
  };
};

/** The lockfile of a commit, if it has a readable one. @throws CommandError if git cannot read it */
const lockAt = (git: Git, commit: string): Lock | undefined => {
  const text = textAt(git, commit, LOCKFILE);
  const parsed = text === undefined ? undefined : parseLock(text);
  return parsed && 'lock' in parsed ? parsed.lock : undefined;
};

/** The lockfiles of commits, each read once. */
export const lockReader = (git: Git): ((commit: string) => Lock | undefined) => {
  const locks = new Map<string, Lock | undefined>();
  return (commit) => {
    if (!locks.has(commit)) locks.set(commit, lockAt(git, commit));
    return locks.get(commit);
  };
};

/** The lockfile of the last commit, if it has a readable one. */
export const committedLock = (project: string): Lock | undefined => {
  const git = gitIn(project, PATIENCE);
  const commit = commitOf(git, 'HEAD');
  return commit === undefined ? undefined : lockAt(git, commit);
};
