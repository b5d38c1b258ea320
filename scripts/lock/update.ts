import { askOnce } from '../state/asking.ts';
import { findLock, type WhoseLock } from './command.ts';
import { projectKey, rememberLock } from './record.ts';
import type { FoundLock, Lock } from './types.ts';
import { saveLock } from './write.ts';

/** Who waits for longer than this, in ms, goes on: a change that came in between is then an error, and not lost. */
const PATIENCE = 20_000;

/**
 * Reads the lockfile, changes it and writes it, one command after the other.
 * @param change gets the lockfile as it is now, which may be another one than the caller looked at before; what it
 *   answers with is written, and undefined leaves everything as it is
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
