import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../contract/types.ts';
import { sessionFolder } from './paths.ts';

/**
 * Things that are said once in a session are one file each: making a file that exists fails, so of two hooks that run
 * at once exactly one speaks.
 */
const markerPath = (home: string, session: string, kind: string, key: string): string =>
  join(sessionFolder(home, session), `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`);

/** True for the first caller, and whenever it cannot be remembered: rather say it twice than never. */
export const firstTime = (home: string, session: string, kind: string, key: string, note: object = {}): boolean => {
  try {
    mkdirSync(sessionFolder(home, session), { recursive: true, mode: 0o700 });
    writeFileSync(markerPath(home, session, kind, key), JSON.stringify(note), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
};

export const wasMarked = (home: string, session: string, kind: string, key: string): boolean =>
  readMarker(home, session, kind, key) !== undefined;

export const readMarker = (
  home: string,
  session: string,
  kind: string,
  key: string,
): Record<string, unknown> | undefined => {
  try {
    const note: unknown = JSON.parse(readFileSync(markerPath(home, session, kind, key), 'utf8'));
    return isObject(note) ? note : {};
  } catch {
    return undefined;
  }
};

/** Writes a marker again, with what is known now. */
export const mark = (home: string, session: string, kind: string, key: string, note: object): void => {
  try {
    mkdirSync(sessionFolder(home, session), { recursive: true, mode: 0o700 });
    writeFileSync(markerPath(home, session, kind, key), JSON.stringify(note), { mode: 0o600 });
  } catch {
    // It will be asked or said again.
  }
};
