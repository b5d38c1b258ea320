import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CommandError } from '../command/command.ts';
import { rename } from '../state/in-use.ts';
import { isRunning } from '../state/running.ts';
import { visible } from '../text/visible.ts';
import type { InstallPlace } from './layout.ts';
import { isFoldersAbove } from './record.ts';

const LOCK = '.konnichiwagwan-install.lock';

/** How long to wait for another installer, in ms; one takes less than a second. */
const PATIENCE = 30_000;
const PAUSE = 25;
/** No installer takes so long, in ms: if a process has its id now, it is another one. */
const LONGEST = 10 * 60_000;

/** Whether a folder holds nothing but this child, so that it may be removed with it. */
const onlyHolds = (folder: string, child: string): boolean =>
  !existsSync(folder) || readdirSync(folder).every((name) => name === basename(child) || name.startsWith(LOCK));

/**
 * Where the lock may be, the best place first. It has to be outside of what is installed and removed, so that its place
 * stays the same: beside the `.claude` folder or, if the folder around that holds nothing else, further above, up to the
 * home folder. Else inside of `.claude`: if nothing can be written beside that, it cannot be removed either.
 */
const placesFor = ({ claude }: InstallPlace): string[] => {
  let [child, around] = [claude, dirname(claude)];
  while (around !== homedir() && dirname(around) !== around && onlyHolds(around, child)) {
    [child, around] = [around, dirname(around)];
  }
  return [join(around, LOCK), join(claude, LOCK)];
};

/** Whether the owner of a lock has ended. */
const isStale = (path: string): boolean => {
  try {
    const [pid, host] = (readFileSync(path, 'utf8').split('\n')[0] ?? '').split(' ');
    const { mtimeMs } = statSync(path);
    const age = Date.now() - mtimeMs;
    if (age > LONGEST) return true;
    // Not completely written: its owner is just writing it, or was killed meanwhile.
    if (host === undefined) return age > PATIENCE / 2;
    return host === hostname() && !isRunning(Number(pid));
  } catch {
    return false;
  }
};

/** The folders that were last noted in a lock; undefined if none were. */
const noteIn = (path: string): string[] | undefined => {
  for (const line of readFileSync(path, 'utf8').split('\n').slice(1).reverse()) {
    try {
      const note: unknown = JSON.parse(line);
      if (isFoldersAbove(note)) return note;
    } catch {
      // An incomplete note of an owner that was killed: the one before it counts.
    }
  }
  return undefined;
};

const create = (path: string, text: string): boolean => {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // It was made, and nothing could be written into it: others would wait for its owner.
    if (syscall === 'write') rmSync(path, { force: true });
    throw error;
  }
};

/**
 * Takes over the lock of an owner that has ended, with its note. Only one process may do so at a time, or else a second
 * one would take the first one's new lock; and in one step, or else a third one could lock in between and miss the note.
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
    rename(turn, path);
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
        `another install or uninstall is under way: ${visible(path)} is held`,
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
      // If no lock can be written, the installation itself will fail with a better message.
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

/** The folders that an installation makes: noted in the lock, for a process that takes it over from a killed owner. */
export interface MadeFolders {
  /** The folders that a killed owner noted; undefined if there was none, or it had noted none. */
  inherited: string[] | undefined;
  /** To be called before the first folder is made or removed. */
  note: (folders: readonly string[]) => void;
}

/** Runs `work`, which changes an installation, while no other process changes it. @throws CommandError if one is busy */
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
