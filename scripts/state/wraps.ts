// What `konnichiwagwan wrap` and the guard leave for each other: which wraps run, and which calls the guard has judged. Each
// wrap has a folder of its own, named after its process.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, quietly } from '../contract/attempt.ts';
import { keep, recall } from './circumstances.ts';
import { CLIENT_ID } from './client-names.ts';
import { digestOf } from './digest.ts';
import { readJson } from './files.ts';
import { type Handoff, handoffPath } from './handoff.ts';
import { remove, removeFile } from './in-use.ts';
import { wrapFolder, wrapsPath } from './paths.ts';
import { isRunning } from './running.ts';

/** A running wrap, as it describes itself. */
export interface RunningWrap {
  pid: number;
  /** Id of its parent process: the client, or what the client started it with. */
  parent: number;
  /** The session that its client was started with. */
  session: string;
  project: string;
  /** Digest of the words of its command line after `wrap`. */
  words: string;
  /** Where it can be asked. */
  socket: string;
  /** When it started, in ms since 1970. */
  began: number;
}

const MOST_WRAPS = 500;

const aboutPath = (folder: string): string => join(folder, 'about.json');
const stoppedPath = (folder: string, toolUseId: string): string => join(folder, `${toolUseId}.stopped`);

/** Digest of a command line after `wrap`. */
export const wordsDigest = (words: readonly string[]): string => digestOf(JSON.stringify(words));

/** Digest of one tool, in the form that parsing and writing its JSON gives. */
export const listedDigest = (tool: unknown): string => digestOf(JSON.stringify(tool)).slice(0, 32);

/** The file that says where a wrap is. Rewritten when the wrap has seen something that the guard does not know. */
export const aboutWrap = (home: string, { pid }: Pick<RunningWrap, 'pid'>): string => aboutPath(wrapFolder(home, pid));

/** Says that this wrap runs, or that it has seen something new. @throws if that cannot be written */
export const announceWrap = (home: string, wrap: RunningWrap): void => keep(aboutWrap(home, wrap), {}, wrap);

const isWrap = (value: unknown): value is RunningWrap => {
  const wrap = value as RunningWrap | undefined;
  return (
    typeof wrap?.pid === 'number' &&
    [wrap.session, wrap.project, wrap.words, wrap.socket].every((text) => typeof text === 'string')
  );
};

const foldersOf = (home: string): { pid: number; folder: string }[] =>
  attempt(() => readdirSync(wrapsPath(home)), [])
    .filter((name) => /^\d{1,10}$/.test(name))
    .slice(0, MOST_WRAPS)
    .map((name) => ({ pid: Number(name), folder: join(wrapsPath(home), name) }));

const aboutIn = (folder: string): RunningWrap | undefined => {
  const about = recall(aboutPath(folder), {});
  return isWrap(about) ? about : undefined;
};

/** The wraps that run, the newest first. */
export const runningWraps = (home: string): RunningWrap[] =>
  foldersOf(home)
    .filter(({ pid }) => isRunning(pid))
    .map(({ folder }) => aboutIn(folder))
    .filter((wrap) => wrap !== undefined)
    .sort((a, b) => b.began - a.began);

const isHandoff = (value: unknown): value is Handoff => {
  const handoff = value as Handoff | undefined;
  return (
    typeof handoff?.source === 'string' &&
    ['off', 'warn', 'guard', 'strict'].includes(handoff.mode) &&
    [handoff.logged?.session, handoff.logged?.tool, handoff.logged?.server ?? ''].every(
      (name) => typeof name === 'string',
    )
  );
};

const takeFrom = (folder: string, toolUseId: string): Handoff | undefined => {
  const path = handoffPath(folder, toolUseId);
  const handoff = readJson(path);
  if (handoff !== undefined) removeFile(path);
  return isHandoff(handoff) ? handoff : undefined;
};

/**
 * Takes the handoff about a call, and removes it: a call is sent once. It may have been left for another wrap of the session
 * with the same command line: a killed one, or that of an entry that differs only in its variables.
 */
export const takeHandoff = (home: string, wrap: RunningWrap, toolUseId: string): Handoff | undefined => {
  if (!CLIENT_ID.test(toolUseId)) return undefined;
  const own = takeFrom(wrapFolder(home, wrap.pid), toolUseId);
  if (own !== undefined) return own;
  for (const { pid, folder } of foldersOf(home)) {
    const other = pid === wrap.pid ? undefined : aboutIn(folder);
    const handoff =
      other?.words === wrap.words && other.session === wrap.session ? takeFrom(folder, toolUseId) : undefined;
    if (handoff !== undefined) return handoff;
  }
  return undefined;
};

/** Notes that wrap stopped a call and said why, so that no other part has to. Never throws. */
export const noteStopped = (home: string, { pid }: RunningWrap, toolUseId: string): void => {
  if (!CLIENT_ID.test(toolUseId)) return;
  // Otherwise its error may be explained twice.
  quietly(() => writeFileSync(stoppedPath(wrapFolder(home, pid), toolUseId), '', { mode: 0o600 }));
};

/** Whether a wrap stopped this call. */
export const wasStopped = (home: string, toolUseId: string): boolean =>
  CLIENT_ID.test(toolUseId) && foldersOf(home).some(({ folder }) => existsSync(stoppedPath(folder, toolUseId)));

/** Removes the folders of wraps that ended without doing so themselves. Never throws. */
export const pruneWraps = (home: string): void => {
  // If that fails, the next start tries again.
  for (const { pid, folder } of foldersOf(home)) if (!isRunning(pid)) quietly(() => remove(folder));
};
