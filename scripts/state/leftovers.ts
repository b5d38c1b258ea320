import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt, quietly } from '../contract/attempt.ts';
import { removeFile } from './in-use.ts';
import { contractsPath, sessionsPath } from './paths.ts';
import { isRunning } from './running.ts';
import { pruneWraps } from './wraps.ts';

/** Writing a file takes less than this, in ms: a younger file may still be in use, whatever its name says. */
const YOUNG = 60_000;
/** The same for a file whose name does not say which process wrote it, in ms. */
const OLD = 3_600_000;

/**
 * Removes unfinished files that killed processes left in a folder. Never throws: what remains is tried again next time.
 * @param name matches the names of our own unfinished files; its first group is the process id of the writer
 * @param young files younger than this, in ms, stay
 */
const removeLeftovers = (folder: string, name: RegExp, young = YOUNG): void =>
  // There may be no such folder, or no permission, or another process is faster.
  quietly(() => {
    for (const file of readdirSync(folder)) {
      const found = name.exec(file);
      if (found === null) continue;
      const path = join(folder, file);
      const age = Date.now() - statSync(path).mtimeMs;
      const isOver = found[1] === undefined ? age > OLD : age > young && !isRunning(Number(found[1]));
      if (isOver) removeFile(path);
    }
  });

/** Escapes a text for use in a regular expression that matches exactly this text. */
const literal = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/**
 * Removes what killed processes left of one file, by the names that `replaceFile` gives.
 * @param isAlone whether a lock keeps all others from writing it: then its writer was killed, however young the file is
 */
export const removeLeftoversOf = (path: string, isAlone = false): void => {
  const name = new RegExp(`^${literal(basename(path))}\\.(\\d{1,10})\\.\\d+\\.tmp$`);
  removeLeftovers(dirname(path), name, isAlone ? -1 : YOUNG);
};

/** For so long, in ms, the last answer of a source that is no longer asked is kept. */
const UNUSED = 30 * 86_400_000;
/** Such a file, and the key of its source. A kept session is ended before its file goes. */
const ANSWER = /^(.+-[0-9a-f]{16})\.(?!\d+\.session\.).*json$/;

/** Removes the answers of sources that are no longer asked: a header with another token makes another source. Never throws. */
const removeUnused = (folder: string): void =>
  // As above.
  quietly(() => {
    const files = readdirSync(folder).flatMap((file) => {
      const [, key] = ANSWER.exec(file) ?? [];
      const path = join(folder, file);
      return key === undefined ? [] : [{ path, key, isOld: Date.now() - statSync(path).mtimeMs > UNUSED }];
    });
    // A list that does not change is not written again; when its source was asked is.
    const used = new Set(files.flatMap(({ key, isOld }) => (isOld ? [] : [key])));
    for (const { path, key } of files) if (!used.has(key)) removeFile(path);
  });

/**
 * The names that `replaceFile` gives, for all our files; those of the library that writes baselines, which hold no process id;
 * and claims to ask a source.
 */
const IN_STATE = /\.(?:json|jsonl)\.(?:(\d{1,10})\.\d+\.tmp|tmp-[0-9a-f]{10,20})$|\.(?:asking|takeover)$/;

/** Removes what killed hooks and wraps left in the state folder, and answers that are no longer used. Never throws. */
export const tidyState = (home: string): void => {
  pruneWraps(home);
  removeUnused(join(home, 'live'));
  const sessions = sessionsPath(home);
  // None, if no session has been recorded yet.
  const entries = attempt(() => readdirSync(sessions, { withFileTypes: true }), []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(sessions, name));
  for (const folder of [home, join(home, 'live'), join(home, 'telemetry'), contractsPath(home), sessions, ...folders])
    removeLeftovers(folder, IN_STATE);
};
