import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Io } from '../command/command.ts';
import { homeOf } from '../state/paths.ts';
import { writeWhole } from '../state/write-whole.ts';
import { removeIfEmpty } from './folder.ts';
import type { InstallPlace } from './layout.ts';

/** The names under which a shell finds our program. */
const NAMES = ['konnichiwagwan', 'kwg'];
/** Below the home folder, the outermost first. */
const FOLDERS = ['.local', '.local/bin'];

/** What a record says of the launchers of an installation. */
export interface LauncherRecord {
  /** Folders that did not exist before, relative to the home folder. */
  made: string[];
}

/** The commands that a shell finds, as they will be. */
export interface LauncherPlan {
  /** Where they are. */
  folder: string;
  /** Paths to be written, and those that are right already. */
  write: string[];
  same: string[];
  text: string;
  record: LauncherRecord;
  /** Whether a shell looks for commands in that folder. */
  onPath: boolean;
  /** Paths that hold something else, which stays. */
  occupied: string[];
}

/** A path as one word for a shell, quoted if needed. */
export const shellWord = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

const MARK = '# Written by `konnichiwagwan install`, and removed by `konnichiwagwan uninstall`.';

const textFor = ({ skill, programs }: InstallPlace): string =>
  `#!/bin/sh\n${MARK}\nexec node ${shellWord(join(skill, programs, 'cli.cjs'))} "$@"\n`;

const textAt = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : undefined;

const isExecutable = (path: string): boolean => (lstatSync(path).mode & 0o777) === 0o755;

const isFolderOnPath = (folder: string, io: Pick<Io, 'env' | 'cwd'>): boolean =>
  (io.env.PATH ?? '').split(delimiter).some((one) => one !== '' && resolve(io.cwd, one) === folder);

/** Whether a value is what a record says of launchers: it names folders that will be removed. */
export const isLauncherRecord = (value: unknown): value is LauncherRecord => {
  const { made } = (value ?? {}) as Partial<LauncherRecord>;
  return Array.isArray(made) && made.every((folder) => FOLDERS.includes(folder));
};

/** Plans the launchers of an installation for all projects; undefined for a project's, and where there is no such shell. */
export const planLaunchers = (
  place: InstallPlace,
  io: Pick<Io, 'env' | 'cwd'>,
  old: LauncherRecord | undefined,
): LauncherPlan | undefined => {
  if (place.form !== 'user' || process.platform === 'win32') return undefined;
  const home = resolve(io.cwd, homeOf(io.env));
  const folder = join(home, '.local/bin');
  const text = textFor(place);
  const paths = NAMES.map((name) => join(folder, name));
  const isOurs = (path: string): boolean => textAt(path)?.startsWith(`#!/bin/sh\n${MARK}\n`) === true;
  const occupied = paths.filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isOurs(path));
  const same = paths.filter((path) => textAt(path) === text && isExecutable(path));
  return {
    folder,
    write: paths.filter((path) => !same.includes(path) && !occupied.includes(path)),
    same,
    text,
    record: old ?? { made: FOLDERS.filter((one) => !existsSync(join(home, one))) },
    onPath: isFolderOnPath(folder, io),
    occupied,
  };
};

/** Writes the launchers. */
export const writeLaunchers = ({ folder, write, text }: LauncherPlan): void => {
  if (write.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const path of write) {
    writeWhole(path, text);
    chmodSync(path, 0o755);
  }
};

/** The launchers that start this installation, and no other one. */
export const ownLaunchers = (place: InstallPlace, io: Pick<Io, 'env' | 'cwd'>): string[] => {
  if (place.form !== 'user') return [];
  const folder = join(resolve(io.cwd, homeOf(io.env)), '.local/bin');
  return NAMES.map((name) => join(folder, name)).filter((path) => textAt(path) === textFor(place));
};

/** Removes launchers, and the folders that were made for them, if these are empty now. */
export const removeLaunchers = (
  paths: readonly string[],
  record: LauncherRecord | undefined,
  io: Pick<Io, 'env' | 'cwd'>,
): void => {
  for (const path of paths) rmSync(path, { force: true });
  const home = resolve(io.cwd, homeOf(io.env));
  for (const folder of (record?.made ?? []).toReversed()) removeIfEmpty(join(home, folder));
};
