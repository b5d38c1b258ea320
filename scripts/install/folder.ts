import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CommandError } from '../command/command.ts';
import { readText } from '../state/files.ts';
import { remove, removeFolder, rename } from '../state/in-use.ts';
import { isRunning } from '../state/running.ts';
import { type InstallRecord, RECORD, readRecord } from './record.ts';
import { isOurPlace, listFiles } from './source.ts';

/** How an installed folder differs from what it should be; paths are relative to it. */
export interface FolderPlan {
  folder: string;
  create: string[];
  update: string[];
  remove: string[];
  same: string[];
  /** Files that are not ours and stay. */
  foreign: string[];
}

/** A file's mode: shell scripts are executable, everything else is only read. */
const modeOf = (path: string): number => (path.endsWith('.sh') ? 0o755 : 0o644);

/** Whether a file has the right mode. Always true on Windows, which reports the same mode whatever was set. */
export const hasMode = (stats: Stats, mode: number): boolean =>
  process.platform === 'win32' || (stats.mode & 0o777) === mode;

/** Whether a path is a symbolic link. */
export const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** The files of an installed folder that are ours: by its record or, if there is none, by their place. */
export const ownFiles = (folder: string, record: InstallRecord | undefined): string[] => {
  // A link leads to a user's checkout, whose files are not ours to remove.
  if (isLink(folder)) return [];
  const recorded = record && new Set([...record.files, RECORD]);
  return listFiles(folder).filter((path) => (recorded ? recorded.has(path) : isOurPlace(path)));
};

const refuseOthers = (folder: string): void => {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats) return;
  const hint = 'Move it away, then try again. Nothing was changed.';
  if (stats.isSymbolicLink())
    throw new CommandError('occupied', `${folder} is a link to ${realpathSync(folder)}`, hint);
  if (!stats.isDirectory()) throw new CommandError('occupied', `${folder} is not a folder`, hint);
  if (readRecord(folder) || listFiles(folder).length === 0) return;
  const skill = join(folder, 'SKILL.md');
  if (/^name:\s*["']?konnichiwagwan\b/m.test(readText(skill) ?? '')) return;
  throw new CommandError('occupied', `${folder} holds something that is not konnichiwagwan`, hint);
};

/** A repository may hold such links: through one of them, our files would be written somewhere else. */
const refuseLinks = (folder: string, files: Iterable<string>): void => {
  for (const path of files)
    for (let below = dirname(path); below !== '.'; below = dirname(below)) {
      const inner = join(folder, below);
      if (isLink(inner))
        throw new CommandError('occupied', `${inner} is a link`, 'Move it away, then try again. Nothing was changed.');
    }
};

/**
 * Compares a folder with the files that it should hold, by path.
 * @throws CommandError if it holds something that is not konnichiwagwan, or a link in place of a folder
 */
export const planFolder = (folder: string, files: Map<string, Buffer>): FolderPlan => {
  refuseOthers(folder);
  refuseLinks(folder, files.keys());
  const plan: FolderPlan = { folder, create: [], update: [], remove: [], same: [], foreign: [] };
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats) plan.create.push(path);
    else if (stats.isFile() && hasMode(stats, modeOf(path)) && readFileSync(file).equals(bytes)) {
      plan.same.push(path);
    } else plan.update.push(path);
  }
  const own = new Set(ownFiles(folder, readRecord(folder)));
  const left = listFiles(folder).filter((path) => !files.has(path) && path !== RECORD);
  plan.remove = left.filter((path) => own.has(path));
  plan.foreign = left.filter((path) => !own.has(path));
  return plan;
};

/** Whether there is anything to do. */
export const isFolderChanged = (plan: FolderPlan): boolean =>
  plan.create.length + plan.update.length + plan.remove.length > 0;

/** Links a file to its new place, so that it need not be written again; copies it if the file system cannot link. */
const carry = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to, { verbatimSymlinks: true, preserveTimestamps: true });
  }
};

// The new folder is built one level deeper than this, because Claude Code lists any `skills/*/SKILL.md`.
const stagingOf = (folder: string, pid: number): string => join(dirname(folder), `.konnichiwagwan-${pid}`);

/** Cleans up after a killed installer: restores the old folder if it was killed between the two renames. */
export const recoverFolder = (folder: string): void => {
  const parent = dirname(folder);
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const pid = Number(/^\.konnichiwagwan-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    const old = join(parent, name, 'old');
    // A repository may hold a link of such a name: what that leads to is not ours.
    if (!isLink(join(parent, name)) && existsSync(old) && !existsSync(folder)) rename(old, folder);
    remove(join(parent, name));
  }
};

/** Carries out a plan in one step: builds the new folder next to the old one, then renames it into place. */
export const swapFolder = (plan: FolderPlan, files: Map<string, Buffer>, record: string): void => {
  const staging = stagingOf(plan.folder, process.pid);
  const next = join(staging, 'new');
  const old = join(staging, 'old');
  try {
    mkdirSync(next, { recursive: true });
    for (const path of [...plan.same, ...plan.foreign]) carry(join(plan.folder, path), join(next, path));
    for (const path of [...plan.create, ...plan.update, RECORD]) {
      mkdirSync(dirname(join(next, path)), { recursive: true });
      writeFileSync(join(next, path), files.get(path) ?? record);
      chmodSync(join(next, path), modeOf(path));
    }
    const inner = readdirSync(next, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const entry of inner) chmodSync(join(entry.parentPath, entry.name), 0o755);
    chmodSync(next, 0o755);
    const replaced = existsSync(plan.folder);
    if (replaced) rename(plan.folder, old);
    try {
      rename(next, plan.folder);
    } catch (error) {
      if (replaced) rename(old, plan.folder);
      throw error;
    }
  } finally {
    remove(staging);
  }
};

/** Folders above this one that do not exist yet, the outermost first, relative to it. */
export const missingFolders = (folder: string): string[] => {
  const missing: string[] = [];
  for (let parent = dirname(folder); !existsSync(parent); parent = dirname(parent)) {
    missing.unshift(relative(folder, parent).replaceAll('\\', '/'));
  }
  return missing;
};

/** Removes a folder and all folders in it that hold no files. */
export const removeEmpty = (folder: string): void => {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) removeFolder(folder);
};

/** Removes a folder if it is empty. */
export const removeIfEmpty = (folder: string): void => {
  if (existsSync(folder) && readdirSync(folder).length === 0) removeFolder(folder);
};
