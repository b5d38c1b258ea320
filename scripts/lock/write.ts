import { CommandError } from '../command/command.ts';
import { writeOutput } from '../command/write-output.ts';
import { parseLock, readLock } from './read.ts';
import { LockTooLarge, renderLock } from './render.ts';
import { type FoundLock, LOCKFILE, type Lock, type Pins } from './types.ts';

const textOf = (found: FoundLock): string | undefined => (found.status === 'lock' ? found.text : undefined);

const rendered = (lock: Lock): string => {
  try {
    return renderLock(lock);
  } catch (error) {
    if (!(error instanceof LockTooLarge)) throw error;
    throw new CommandError('too-large', `${LOCKFILE} would hold ${error.message}`, 'pin fewer servers: name them');
  }
};

/**
 * Writes the lockfile, completely or not at all, unless its bytes would stay the same.
 * @param before the lockfile as the caller read it, so that a change since then is not overwritten
 * @returns the lockfile as it is now
 * @throws CommandError if it changed meanwhile, cannot be written, or could not be read again
 */
export const saveLock = (project: string, before: FoundLock, lock: Lock): FoundLock & { status: 'lock' } => {
  const now = readLock(project);
  if (now.status !== before.status || textOf(now) !== textOf(before)) {
    throw new CommandError('changed-meanwhile', `${LOCKFILE} changed while this was under way`, 'run it again');
  }
  const text = rendered(lock);
  const parsed = parseLock(text);
  // Write only what we can read again: a contract can be nested too deeply.
  if ('why' in parsed) {
    throw new CommandError('not-a-lock', `${LOCKFILE} would be unreadable: it ${parsed.why}`, 'leave that server out');
  }
  if (text !== textOf(before)) writeOutput(LOCKFILE, project, text);
  return { status: 'lock', lock: parsed.lock, text };
};

/** A copy of a lock with these pins for one server. */
export const withPins = (lock: Lock, server: string, pins: Pins): Lock => new Map([...lock, [server, pins]]);
