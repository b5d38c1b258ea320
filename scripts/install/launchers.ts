import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Here } from '../command/command.ts';
import { removeFile } from '../state/in-use.ts';
import { homeOf, pathIn } from '../state/paths.ts';
import { writeWhole } from '../state/write-whole.ts';
import { shellWord } from '../text/shell-word.ts';
import { hasMode, removeIfEmpty } from './folder.ts';
import type { InstallPlace } from './layout.ts';

/** The names under which a shell finds our program. */
const NAMES = ['konnichiwagwan', 'kwg'];
/** On Windows each shell needs its own file: .cmd for the command prompt, .ps1 for PowerShell, no ending for Git Bash. */
const ENDINGS: Record<string, readonly Ending[]> = { win32: ['.cmd', '.ps1', ''] };
type Ending = '' | '.cmd' | '.ps1';
/** Below the home folder, the outermost first. */
const FOLDERS = ['.local', '.local/bin'];

/** What a record says of the launchers of an installation. */
export interface LauncherRecord {
  /** Folders that did not exist before, relative to the home folder. */
  made: string[];
}

/** The launchers of an installation as they will be. */
export interface LauncherPlan {
  /** Where they are. */
  folder: string;
  /** Paths to be written, and those that are already right. */
  write: string[];
  same: string[];
  /** The text of each, by its path. */
  texts: ReadonlyMap<string, string>;
  record: LauncherRecord;
  /** Whether a shell looks for commands in that folder. */
  onPath: boolean;
  /** Paths that hold something else, which stays. */
  occupied: string[];
}

const MARK = 'Written by `konnichiwagwan install`, and removed by `konnichiwagwan uninstall`.';

/** How each kind begins, writes a command or path as one word, and starts a program. */
interface LauncherKind {
  head: string;
  /** @param folder the launcher's */
  word: (path: string, folder: string) => string;
  start: (words: string) => string;
}

/**
 * A path for a .cmd file, which the command prompt reads in an encoding that lacks most letters: from the file's own folder,
 * so that the name of the user is not in it. Doubling escapes a percent sign.
 */
const cmdWord = (path: string, folder: string): string => {
  const way = isAbsolute(path) ? relative(folder, path) : path;
  const start = isAbsolute(path) && !isAbsolute(way) ? '%~dp0' : '';
  return `"${start}${way.replaceAll('%', '%%')}"`;
};

const KINDS: Record<Ending, LauncherKind> = {
  '': { head: `#!/bin/sh\n# ${MARK}\n`, word: shellWord, start: (words) => `exec ${words} "$@"\n` },
  // The command has to be on one line: the shell reads one line at a time, and `uninstall` removes this file.
  '.cmd': { head: `@rem ${MARK}\r\n`, word: cmdWord, start: (words) => `@${words} %* & exit /b\r\n` },
  // Without a byte order mark, the PowerShell of Windows reads another encoding than UTF-8.
  '.ps1': {
    head: `\ufeff# ${MARK}\n`,
    word: (path) => `'${path.replaceAll("'", "''")}'`,
    start: (words) => `& ${words} @args\nexit $LASTEXITCODE\n`,
  },
};

const kindOf = (path: string) => KINDS[(/\.(?:cmd|ps1)$/.exec(path)?.[0] ?? '') as Ending];

const programOf = ({ skill, programs }: InstallPlace): string => join(skill, programs, 'cli.cjs');

/** Where the launchers of an installation for all projects are. */
const pathsOf = (io: Here): string[] => {
  const folder = join(resolve(io.cwd, homeOf(io.env)), '.local/bin');
  return NAMES.flatMap((name) => (ENDINGS[process.platform] ?? ['']).map((end) => join(folder, name + end)));
};

/** The launchers of an installation: their text by their path. @param node what starts Node */
const launchersOf = (place: InstallPlace, io: Here, node: string): Map<string, string> =>
  new Map(
    pathsOf(io).map((path) => {
      const { head, word, start } = kindOf(path);
      const words = [node, programOf(place)].map((one) => word(one, dirname(path)));
      return [path, head + start(words.join(' '))];
    }),
  );

/** Whether one of ours is there, of this or of another installation. */
const isOurs = (path: string): boolean => textAt(path)?.startsWith(kindOf(path).head) === true;

const textAt = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : undefined;

const isExecutable = (path: string): boolean => hasMode(lstatSync(path), 0o755);

const asCompared = (path: string): string => (process.platform === 'win32' ? path.toLowerCase() : path);

const isFolderOnPath = (folder: string, { env, cwd }: Here): boolean =>
  pathIn(env)
    .split(delimiter)
    .some((one) => one !== '' && asCompared(resolve(cwd, one)) === asCompared(folder));

/** Whether a value is what a record says of launchers: it names folders that will be removed. */
export const isLauncherRecord = (value: unknown): value is LauncherRecord => {
  const { made } = (value ?? {}) as Partial<LauncherRecord>;
  return Array.isArray(made) && made.every((folder) => FOLDERS.includes(folder));
};

/** Plans the launchers of an installation for all projects; undefined for a project's. */
export const planLaunchers = (
  place: InstallPlace,
  io: Here,
  old: LauncherRecord | undefined,
  node: string,
): LauncherPlan | undefined => {
  if (place.form !== 'user') return undefined;
  const home = resolve(io.cwd, homeOf(io.env));
  const folder = join(home, '.local/bin');
  const texts = launchersOf(place, io, node);
  const paths = [...texts.keys()];
  const occupied = paths.filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isOurs(path));
  const same = paths.filter((path) => textAt(path) === texts.get(path) && isExecutable(path));
  return {
    folder,
    write: paths.filter((path) => !same.includes(path) && !occupied.includes(path)),
    same,
    texts,
    record: old ?? { made: FOLDERS.filter((one) => !existsSync(join(home, one))) },
    onPath: isFolderOnPath(folder, io),
    occupied,
  };
};

/** Writes the launchers. */
export const writeLaunchers = ({ folder, write, texts }: LauncherPlan): void => {
  if (write.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const path of write) {
    writeWhole(path, texts.get(path) as string);
    chmodSync(path, 0o755);
  }
};

/** The launchers that start this installation, and no other one. */
export const ownLaunchers = (place: InstallPlace, io: Here): string[] =>
  place.form === 'user'
    ? pathsOf(io).filter((path) => {
        const program = kindOf(path).word(programOf(place), dirname(path));
        return isOurs(path) && textAt(path)?.includes(` ${program} `);
      })
    : [];

/** Removes launchers, and the folders that were made for them, if these are empty now. */
export const removeLaunchers = (paths: readonly string[], record: LauncherRecord | undefined, io: Here): void => {
  for (const path of paths) removeFile(path);
  const home = resolve(io.cwd, homeOf(io.env));
  for (const folder of (record?.made ?? []).toReversed()) removeIfEmpty(join(home, folder));
};
