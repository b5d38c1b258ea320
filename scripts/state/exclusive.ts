// A lock of several processes: a file that only its holder removes, and that another one takes over if the holder was
// killed.
import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { attempt } from '../contract/attempt.ts';
import { readText } from './files.ts';
import { removeFile, rename } from './in-use.ts';
import { isRunning } from './running.ts';

/** How long a lock may be half written, and a takeover may take, in ms; after that, assume its process was killed. */
const HALF_WRITTEN = 15_000;
/** Longest work under a lock, in ms: after that, a process with the holder's id is another one. */
const LONGEST = 10 * 60_000;

/** A lock that this process holds. */
export interface HeldLock {
  /** What a killed holder had noted, one text for each note; empty if the lock was free. */
  inherited: string[];
  /** Notes something for the process that takes over, should this one be killed. No line breaks. */
  note: (text: string) => void;
  release: () => void;
}

/** Whether the holder of a lock has ended. */
const isStale = (path: string): boolean => {
  const text = attempt(() => readText(path), undefined);
  const found = attempt(() => statSync(path), undefined);
  // A pipe, a device, a folder or a link to itself is no lock that anyone holds, and none that could be taken over.
  if (text === undefined || found === undefined) return false;
  const [pid, host] = (text.split('\n')[0] ?? '').split(' ');
  const age = Date.now() - found.mtimeMs;
  if (age > LONGEST) return true;
  // Half written: its holder is still writing, or was killed.
  if (host === undefined) return age > HALF_WRITTEN;
  return host === hostname() && !isRunning(Number(pid));
};

const create = (path: string, text: string): boolean => {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // The file exists, but could not be filled: others would wait for its holder.
    if (syscall === 'write') removeFile(path);
    throw error;
  }
};

const notesIn = (path: string): string[] =>
  (readText(path) ?? '')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '');

/**
 * Takes over the lock of a holder that has ended, with its notes. Only one process may do so at a time, or a second one
 * would take the first one's new lock; and in one step, or a third one could lock in between and miss the notes.
 */
const takeOver = (path: string, text: string): boolean => {
  const turn = `${path}.takeover`;
  if (!create(turn, '')) {
    const found = statSync(turn, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > HALF_WRITTEN) removeFile(turn);
    return false;
  }
  try {
    if (!isStale(path)) return false;
    writeFileSync(turn, [text, ...notesIn(path)].join('\n'));
    rename(turn, path);
    return true;
  } finally {
    removeFile(turn);
  }
};

const isOurs = (path: string, text: string): boolean => readText(path)?.split('\n')[0] === text;

/**
 * Tries to take a lock, once.
 * @returns undefined if another process holds it, or has just given it up
 * @throws if the lock's file cannot be written
 */
export const tryLock = (path: string): HeldLock | undefined => {
  const text = `${process.pid} ${hostname()} ${randomUUID()}`;
  if (!create(path, text) && !(isStale(path) && takeOver(path, text))) return undefined;
  return {
    inherited: notesIn(path),
    note: (line) => appendFileSync(path, `\n${line}`),
    release: () => {
      if (isOurs(path, text)) removeFile(path);
    },
  };
};
