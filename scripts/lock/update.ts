import { dirname } from 'node:path';
import { CommandError } from '../command/command.ts';
import { type HeldLock, tryLock } from '../state/exclusive.ts';
import { makeFolder } from '../state/files.ts';
import { askingPath } from '../state/paths.ts';
import { visible } from '../text/visible.ts';
import { findLock } from './command.ts';
import type { WhoseLock } from './folder.ts';
import { projectKey, rememberLock } from './record.ts';
import { type FoundLock, LOCKFILE, type Lock } from './types.ts';
import { saveLock } from './write.ts';

/** How long a command waits for others, in ms; each takes a few milliseconds. */
const PATIENCE = 20_000;
const PAUSE = 15;

/** This command's turn; undefined if the state folder cannot be written. @throws CommandError if others take too long */
const turn = async (path: string): Promise<HeldLock | undefined> => {
  const until = Date.now() + PATIENCE;
  for (;;) {
    try {
      makeFolder(dirname(path));
      const held = tryLock(path);
      if (held !== undefined) return held;
    } catch {
      return undefined;
    }
    if (Date.now() > until)
      throw new CommandError(
        'busy',
        `another command is changing ${LOCKFILE}: ${visible(path)} is held`,
        'Wait for it, then try again. If there is none, remove that file. Nothing was changed.',
      );
    await new Promise((wait) => setTimeout(wait, PAUSE));
  }
};

/**
 * A lock that was there before. A new one in its place would lack its other pins, and hide that they are gone.
 * @throws CommandError if it went
 */
export const stillThere = (found: FoundLock): Lock => {
  if (found.status === 'lock') return found.lock;
  throw new CommandError('changed-meanwhile', `${LOCKFILE} went while this was under way`, 'run it again');
};

/**
 * Reads, changes and writes the lockfile; commands that do this at the same time take turns.
 * @param change gets the current lockfile, which the caller may have seen in an older state; returns the lock to write, or
 *   undefined to leave it unchanged
 * @throws CommandError if it is unreadable, cannot be written, or others do not finish
 */
export const updateLock = async (
  { home, project }: WhoseLock,
  change: (found: Exclude<FoundLock, { status: 'unreadable' }>) => Lock | undefined,
): Promise<void> => {
  const held = await turn(askingPath(home, `lock-${projectKey(project)}`));
  try {
    const found = findLock({ home, project });
    const next = change(found);
    if (next !== undefined) rememberLock(home, project, saveLock(project, found, next).text);
  } finally {
    held?.release();
  }
};
