import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { attempt } from '../contract/attempt.ts';
import { isObject, own } from '../contract/types.ts';
import { readRegular } from './read.ts';

/** Whether the user trusts a folder: itself, only one above it, or neither. */
export type FolderTrust = 'direct' | 'inherited' | 'none';

const DEEPEST = 128;
const LARGEST_POINTER = 65_536;

/** The real path of a folder, which the client identifies it by; the absolute path if it cannot be resolved. */
export const realFolder = (path: string): string => attempt(() => realpathSync(path), undefined) ?? resolve(path);

/** A folder and those above it, the nearest first, without the root: the client never looks there. */
export const withParents = (folder: string): string[] => {
  const folders: string[] = [];
  for (let at = resolve(folder); at !== parse(at).root && folders.length < DEEPEST; at = dirname(at)) folders.push(at);
  return folders;
};

const gitRoot = (folder: string): string | null =>
  withParents(folder).find((at) => {
    const found = attempt(() => lstatSync(join(at, '.git'), { throwIfNoEntry: false }), undefined);
    // A symbolic link does not count: it could point into another repository, which is trusted.
    return found?.isDirectory() || found?.isFile();
  }) ?? null;

const pointer = (path: string): string => {
  const read = readRegular(path, LARGEST_POINTER);
  if (read.status !== 'read') throw new Error(path);
  return read.text.trim();
};

/**
 * The main working tree of a linked one (`git worktree`), or the repository if that is bare or a submodule's: the client has
 * one entry for both. It must point back, or else any `.git` file could claim to belong to a repository that the user trusts.
 */
const mainTree = (root: string): string =>
  attempt(() => {
    if (statSync(join(root, '.git')).isDirectory()) return root;
    const link = pointer(join(root, '.git'));
    if (!link.startsWith('gitdir:')) return root;
    const linked = resolve(root, link.slice('gitdir:'.length).trim());
    const common = resolve(linked, pointer(join(linked, 'commondir')));
    if (dirname(linked) !== join(common, 'worktrees')) return root;
    const back = resolve(linked, pointer(join(linked, 'gitdir')));
    if (realFolder(dirname(back)) !== realFolder(root) || basename(back) !== '.git') return root;
    return basename(common) === '.git' ? dirname(common) : common;
  }, root);

/** The folders that an approval of a project's files covers: its own, up to the repository's root. */
export const ownFolders = (project: string): string[] => {
  const folder = realFolder(project);
  const root = gitRoot(folder);
  return root === null ? [folder] : withParents(folder).filter((at) => at === root || at.startsWith(join(root, sep)));
};

/**
 * A path as the client writes it in its settings. On Windows one folder has many names: either kind of slash, a drive letter
 * in either case, `\\?\` before a long path, two names of the share that WSL's files are in.
 */
export const pathKey = (path: string, platform = process.platform): string => {
  const key = path.normalize('NFC');
  if (platform !== 'win32') return key;
  const plain = key.replaceAll('\\', '/').replace(/^\/\/\?\/(UNC\/)?/i, (_, share) => (share ? '//' : ''));
  return plain
    .replace(/^[a-z]:/, (drive) => drive.toUpperCase())
    .replace(/^\/\/wsl\$(?=\/|$)/i, '//wsl.localhost')
    .replace(/(?<=[^/:])\/+$/, '');
};

/** A path without the short names of DOS, such as `PROGRA~1`; the path itself if the system does not know it. */
const longForm = (path: string, platform: NodeJS.Platform): string =>
  platform === 'win32' && path.includes('~') ? attempt(() => realpathSync.native(path), path) : path;

/** Whether two paths lead to the same folder. Asks the file system: only it knows whether case matters. */
const isOneFolder = (a: string, b: string): boolean =>
  attempt(() => {
    const [one, other] = [statSync(a, { bigint: true }), statSync(b, { bigint: true })];
    return one.isDirectory() && one.dev === other.dev && one.ino === other.ino;
  }, false);

/**
 * What `projects` of `~/.claude.json` says about a folder, also under a name that differs only in case: Windows ignores
 * case, as do most disks of macOS, but not in folders that keep case for WSL.
 * @param key see `projectKey`
 * @param isOne another one in tests, for paths of another platform
 */
export const projectEntry = (
  projects: unknown,
  key: string,
  platform = process.platform,
  isOne = isOneFolder,
): unknown => {
  const exact = own(projects, key);
  if (exact !== undefined || !isObject(projects)) return exact;
  const folded = (name: string): string => pathKey(longForm(name, platform), platform).toLowerCase();
  return Object.entries(projects).find(([name]) => folded(name) === folded(key) && isOne(name, key))?.[1];
};

/** The main working tree of a folder's repository, or a repository without one; the folder itself if it is in none. */
const mainFolder = (project: string): string => {
  const folder = realFolder(project);
  const root = gitRoot(folder);
  return root === null ? folder : mainTree(root);
};

/** The key of a folder in `projects` of `~/.claude.json`. */
export const projectKey = (project: string): string => pathKey(mainFolder(project));

/**
 * The other folder whose local settings count for a project, if there is one: 2.1.332 reads those of the main working tree as
 * well, in folders below it and in linked ones (2.1.197 does not), but not where that tree is the home folder.
 */
export const localAbove = (project: string, home: string): string | undefined => {
  const main = mainFolder(project);
  const isOther = [project, home].every((folder) => main !== realFolder(folder));
  return isOther && gitRoot(main) === main ? main : undefined;
};

const trusts = (projects: unknown, key: string): boolean =>
  own(projectEntry(projects, key), 'hasTrustDialogAccepted') === true;

/**
 * Whether the user trusts a project's folder.
 * @param projects `projects` of `~/.claude.json`
 */
export const trustIn = (projects: unknown, project: string): FolderTrust => {
  if (!isObject(projects)) return 'none';
  if (trusts(projects, projectKey(project))) return 'direct';
  const folder = realFolder(project);
  const root = gitRoot(folder);
  const above = withParents(folder).filter((at) => root === null || at.startsWith(root));
  return above.some((at) => trusts(projects, pathKey(at))) ? 'inherited' : 'none';
};
