import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CommandError } from '../command/command.ts';
import { isRunning } from '../state/running.ts';
import type { InstallPlace } from './layout.ts';
import { printable } from './preview.ts';
import { isFoldersAbove } from './record.ts';

const LOCK = '.konnichiwagwan-install.lock';

/** How long another installer is waited for, in ms; one takes less than a second. */
const PATIENCE = 30_000;
const PAUSE = 25;
/** No installer takes so long, in ms: whatever process has its number now, it is another one. */
const LONGEST = 10 * 60_000;

/** Whether a folder is there for the sake of another one in it, so that it may go with that. */
const onlyHolds = (folder: string, child: string): boolean =>
  !existsSync(folder) || readdirSync(folder).every((name) => name === basename(child) || name.startsWith(LOCK));

/**
 * Where the lock is: outside of what is installed and removed, the same place before and after. Beside the `.claude`
 * folder, or above it, up to the home folder, where the folder around it is there for it alone; within it where nothing
 * can be written beside it, as then it cannot go away.
 */
const placesFor = ({ claude }: InstallPlace): string[] => {
  let [child, around] = [claude, dirname(claude)];
  while (around !== homedir() && dirname(around) !== around && onlyHolds(around, child)) {
    [child, around] = [around, dirname(around)];
  }
  return [join(around, LOCK), join(claude, LOCK)];
};

/** Whether who holds a lock is gone. */
const isStale = (path: string): boolean => {
  try {
    const [pid, host] = (readFileSync(path, 'utf8').split('\n')[0] ?? '').split(' ');
    const { mtimeMs } = statSync(path);
    const age = Date.now() - mtimeMs;
    if (age > LONGEST) return true;
    // Half written: by a process that is about to, or was killed in between.
    if (host === undefined) return age > PATIENCE / 2;
    return host === hostname() && !isRunning(Number(pid));
  } catch {
    return false;
  }
};

/** The folders that were noted in a lock last; undefined where none were. */
const noteIn = (path: string): string[] | undefined => {
  for (const line of readFileSync(path, 'utf8').split('\n').slice(1).reverse()) {
    try {
      const note: unknown = JSON.parse(line);
      if (isFoldersAbove(note)) return note;
    } catch {
      // Half of a note, by an owner that was killed while it wrote: the one before holds.
    }
  }
  return undefined;
};

const create = (path: string, text: string): boolean => {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Takes the lock of an owner that is gone, with what that one noted. One at a time, or the second one would take the
 * first one's new lock; and in one step, or a third one would lock in between and never read the note.
 */
const takeOver = (path: string, text: string): boolean => {
  const turn = `${path}.takeover`;
  if (!create(turn, '')) {
    const found = statSync(turn, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > PATIENCE / 2) rmSync(turn, { force: true });
    return false;
  }
  try {
    if (!isStale(path)) return false;
    writeFileSync(turn, `${text}\n${JSON.stringify(noteIn(path) ?? null)}`);
    renameSync(turn, path);
    return true;
  } finally {
    rmSync(turn, { force: true });
  }
};

const acquire = (path: string, text: string): void => {
  const until = Date.now() + PATIENCE;
  while (!create(path, text)) {
    if (isStale(path)) {
      if (takeOver(path, text)) return;
    } else if (Date.now() > until) {
      throw new CommandError(
        'busy',
        `another install or uninstall is under way: ${printable(path)} is held`,
        'Wait for it, then try again. If there is none, remove that file. Nothing was changed.',
      );
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
};

const lock = (place: InstallPlace, text: string): string | undefined => {
  for (const path of placesFor(place)) {
    try {
      acquire(path, text);
      return path;
    } catch (error) {
      if (error instanceof CommandError) throw error;
      // Where no lock can be written, what is to be done says better what is wrong.
    }
  }
  return undefined;
};

const isOurs = (path: string, text: string): boolean => {
  try {
    return readFileSync(path, 'utf8').split('\n')[0] === text;
  } catch {
    return false;
  }
};

/** The folders that an installation makes, kept in the lock for whoever takes it over from an owner that was killed. */
export interface MadeFolders {
  /** What a killed owner noted; undefined where there was none, or it had made none yet. */
  inherited: string[] | undefined;
  /** Called before the first one is made, or the first one goes. */
  note: (folders: readonly string[]) => void;
}

/** Does what changes an installation while no other process does: they would read what the other is about to replace. */
export const oneAtATime = <T>(place: InstallPlace, work: (folders: MadeFolders) => T): T => {
  const text = `${process.pid} ${hostname()} ${randomUUID()}`;
  const path = lock(place, text);
  try {
    return work({
      inherited: path === undefined ? undefined : noteIn(path),
      note: (folders) => {
        if (path !== undefined) appendFileSync(path, `\n${JSON.stringify(folders)}`);
      },
    });
  } finally {
    if (path !== undefined && isOurs(path, text)) rmSync(path, { force: true });
  }
};
