import { dirname } from 'node:path';
import { writeBaseline } from '../baseline/baseline.ts';
import { runningClients } from '../baseline/other-address.ts';
import { readBaseline, type SessionBaseline } from '../baseline/sessions.ts';
import { elapsed } from '../contract/elapsed.ts';
import { type HeldLock, tryLock } from '../state/exclusive.ts';
import { makeFolder } from '../state/files.ts';
import { askingPath } from '../state/paths.ts';
import type { Start } from './start.ts';

/** How long a start waits for another one of the same session, in ms; each writes within a few. After that it writes beside it. */
const PATIENCE = 500;
const PAUSE = 5;

/** Waits for its turn to write; undefined if others took too long. @throws if the lock's file cannot be written */
const turn = async (path: string): Promise<HeldLock | undefined> => {
  makeFolder(dirname(path));
  const until = elapsed() + PATIENCE;
  for (;;) {
    const held = tryLock(path);
    if (held !== undefined || elapsed() > until) return held;
    await new Promise((wait) => setTimeout(wait, PAUSE));
  }
};

/**
 * Writes a session's baseline, with what another process recorded meanwhile: that is of an earlier moment, so it is kept.
 * Two clients may begin the same session at once.
 * @returns the code of the error if it could not be written
 */
export const keepBaseline = async (
  { home, session, finishing }: Start,
  baseline: SessionBaseline,
): Promise<string | undefined> => {
  try {
    const held = await turn(askingPath(home, `baseline-${session}`));
    try {
      const recorded = readBaseline(home, session);
      const sources = { ...baseline.sources, ...recorded?.sources };
      const addresses = { ...runningClients(recorded), ...baseline.addresses };
      writeBaseline(home, { ...baseline, sources, addresses }, finishing);
    } finally {
      held?.release();
    }
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown error';
  }
};
