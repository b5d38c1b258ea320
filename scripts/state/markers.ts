import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contract, isObject } from '../contract/types.ts';
import { type Circumstances, circumstancesText, recall, sealed } from './circumstances.ts';
import { sessionFolder } from './paths.ts';

/** What a mark is about; it always belongs to one session. */
export type About = Circumstances & { session: string };

/**
 * Things that are said once in a session are one file each: making a file that exists fails, so of two hooks that run
 * at once exactly one speaks.
 */
const markerPath = (home: string, kind: string, about: About): string => {
  const digest = createHash('sha256').update(circumstancesText(about)).digest('hex').slice(0, 24);
  return join(sessionFolder(home, about.session), `${kind}-${digest}`);
};

const write = (home: string, kind: string, about: About, note: object, flag: 'w' | 'wx'): void => {
  mkdirSync(sessionFolder(home, about.session), { recursive: true, mode: 0o700 });
  writeFileSync(markerPath(home, kind, about), sealed(about, note), { flag, mode: 0o600 });
};

/** Whether another hook may still be writing it. */
const isNew = (path: string): boolean => {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  // Files have a finer clock than `Date.now`: what is new can seem to be a little younger than nothing.
  return age > -1_000 && age < 1_000;
};

/** True for the first caller, and whenever it cannot be remembered: rather say it twice than never. */
export const firstTime = (home: string, kind: string, about: About): boolean => {
  try {
    write(home, kind, about, {}, 'wx');
    return true;
  } catch (error) {
    const there = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (there && (wasMarked(home, kind, about) || isNew(markerPath(home, kind, about)))) return false;
    // What is there is not what was written.
    mark(home, kind, about);
    return true;
  }
};

export const wasMarked = (home: string, kind: string, about: About): boolean =>
  readMarker(home, kind, about) !== undefined;

export const readMarker = (home: string, kind: string, about: About): Record<string, unknown> | undefined =>
  recall(markerPath(home, kind, about), about);

/** Writes a marker again, with what is known now. */
export const mark = (home: string, kind: string, about: About, note: object = {}): void => {
  try {
    write(home, kind, about, note, 'w');
  } catch {
    // It will be asked or said again.
  }
};

/**
 * What the guard saw of a tool when it first looked in this conversation, where nothing tells what the model was shown: it
 * says little, but what changes after it has changed for certain.
 */
export const firstLook = (home: string, about: About): Contract | undefined => {
  const contract = readMarker(home, 'first', about)?.contract;
  return isObject(contract) && typeof contract.name === 'string' ? (contract as unknown as Contract) : undefined;
};

export const keepFirstLook = (home: string, about: About, contract: Contract): void => {
  if (firstLook(home, about) === undefined) mark(home, 'first', about, { contract });
};

/** Takes a mark back: what it stands for has ended, and is news when it begins again. */
export const unmark = (home: string, kind: string, about: About): void => {
  try {
    rmSync(markerPath(home, kind, about), { force: true });
  } catch {
    // Then it is not said a second time.
  }
};
