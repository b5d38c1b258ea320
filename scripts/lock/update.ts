import { askOnce } from '../state/asking.ts';
import { findLock, type WhoseLock } from './command.ts';
import { projectKey, rememberLock } from './record.ts';
import type { FoundLock, Lock } from './types.ts';
import { saveLock } from './write.ts';

/** How long a command waits for another one, in ms. Then it goes on: if both change the file, that is an error, no loss. */
const PATIENCE = 20_000;

/**
 * Reads, changes and writes the lockfile; commands that do this at the same time take turns.
 * @param change gets the lockfile as it is now, which the caller may have seen in an older state; gives the lock to write,
 *   or undefined to leave it as it is
 * @throws CommandError if it is unreadable, or cannot be written
 */
export const updateLock = async (
  { home, project }: WhoseLock,
  change: (found: Exclude<FoundLock, { status: 'unreadable' }>) => Lock | undefined,
): Promise<void> => {
  const update = async () => {
    const found = findLock({ home, project });
    const next = change(found);
    if (next !== undefined) rememberLock(home, project, saveLock(project, found, next).text);
  };
  await askOnce(home, `lock-${projectKey(project)}`, PATIENCE, update, () => undefined);
};
