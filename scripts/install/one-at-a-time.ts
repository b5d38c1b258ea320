import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CommandError } from '../command/command.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { type HeldLock, tryLock } from '../state/exclusive.ts';
import { visible } from '../text/visible.ts';
import type { InstallPlace } from './layout.ts';
import { isFoldersAbove } from './record.ts';

const LOCK = '.konnichiwagwan-install.lock';

/** How long to wait for another installer, in ms; one takes less than a second. */
const PATIENCE = 30_000;
const PAUSE = 25;

/** Whether a folder holds nothing but this child, so that it may be removed with it. */
const onlyHolds = (folder: string, child: string): boolean =>
  !existsSync(folder) || readdirSync(folder).every((name) => name === basename(child) || name.startsWith(LOCK));

/**
 * Where the lock may be, the best place first. It has to be outside of what is installed and removed, so that its place
 * stays the same: next to the `.claude` folder or, if the folder around that holds nothing else, further above, up to the
 * home folder. Else inside of `.claude`: if nothing can be written next to that, it cannot be removed either.
 */
const placesFor = ({ claude }: InstallPlace): string[] => {
  let [child, around] = [claude, dirname(claude)];
  while (around !== homedir() && dirname(around) !== around && onlyHolds(around, child)) {
    [child, around] = [around, dirname(around)];
  }
  return [join(around, LOCK), join(claude, LOCK)];
};

/** The folders that a killed owner noted last; undefined if it noted none. */
const foldersIn = (notes: readonly string[]): string[] | undefined => {
  for (const line of notes.toReversed()) {
    const note = parsedJson(line);
    // The owner may have been killed while it wrote a note: then the one before it counts.
    if (isFoldersAbove(note)) return note;
  }
  return undefined;
};

const acquire = (path: string): HeldLock => {
  const until = Date.now() + PATIENCE;
  for (;;) {
    const held = tryLock(path);
    if (held !== undefined) return held;
    // A repository may hold anything of that name: what is no file will not be given up.
    if (Date.now() > until || lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new CommandError(
        'busy',
        `another install or uninstall is under way: ${visible(path)} is held`,
        'Wait for it, then try again. If there is none, remove that file. Nothing was changed.',
      );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
};

const lock = (place: InstallPlace): HeldLock | undefined => {
  for (const path of placesFor(place)) {
    try {
      return acquire(path);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      // If no lock can be written, the installation itself will fail with a better message.
    }
  }
  return undefined;
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
  const held = lock(place);
  try {
    return work({
      inherited: foldersIn(held?.inherited ?? []),
      note: (folders) => held?.note(JSON.stringify(folders)),
    });
  } finally {
    held?.release();
  }
};
