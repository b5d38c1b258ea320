import { statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { quietly } from '../contract/attempt.ts';
import { ageOf, type Moment } from './circumstances.ts';
import { makeFolder, readText } from './files.ts';
import { remove, removeFile } from './in-use.ts';
import { askingPath } from './paths.ts';
import { isRunning } from './running.ts';

/** How long the guard may ask for one call, in ms: one question at most, all of them at most, one question at least. */
const BUDGET = { question: 2_000, all: 3_500, least: 500 };

/** How long a question may take, in ms, if it is asked now for a call that was made at `since`. */
export const timeLeft = (since: Moment): number =>
  Math.max(BUDGET.least, Math.min(BUDGET.question, BUDGET.all - Math.ceil(ageOf(since) ?? 0)));

/** No question takes longer than this, in ms: an older claim is from a process that ended and whose id was reused. */
const LONGEST_QUESTION = 30_000;
/** How often a process checks for another one's answer, in ms. */
const PAUSE = 15;

/**
 * Tries to claim the right to ask: a file that holds this process's id. False if another process holds it. An abandoned
 * claim is removed, so that the next try gets it.
 */
const claim = (path: string): boolean => {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // If the state folder cannot be written, every process asks.
    const { code, path: taken } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || taken !== path) return true;
  }
  try {
    const owner = Number(readText(path));
    const held = Date.now() - statSync(path).mtimeMs;
    // A negative age means that the clock was set back. A small one does not: files have a finer clock than `Date.now`.
    const expired = held < -1_000 || held > LONGEST_QUESTION;
    // A claim that was just made is still empty, and so holds no process id either.
    const abandoned = owner > 0 ? !isRunning(owner) : held > 1_000;
    if (expired || abandoned) remove(path);
  } catch {
    // Its owner released it meanwhile.
  }
  return false;
};

/** Gives up the right to ask, so that others can have it. */
export const release = (home: string, key: string): void => {
  // A claim that could not be written keeps no process waiting.
  quietly(() => removeFile(askingPath(home, key)));
};

/**
 * Simultaneous calls share one question: the first process asks, the others wait for its answer.
 * @param key of the source
 * @param patience milliseconds that the others wait; after that they ask themselves
 * @param heard reads the answer that another process got meanwhile; undefined while there is no suitable one
 * @param keep whether to hold the claim after the answer, until `release` is called
 */
export const askOnce = async <T>(
  home: string,
  key: string,
  patience: number,
  question: () => Promise<T>,
  heard: () => T | undefined,
  keep: (answer: T) => boolean = () => false,
): Promise<T> => {
  const path = askingPath(home, key);
  const end = Date.now() + patience;
  while (!claim(path)) {
    await new Promise((wait) => setTimeout(wait, PAUSE));
    const known = heard();
    if (known !== undefined) return known;
    if (Date.now() > end) return question();
  }
  let kept = false;
  try {
    const known = heard();
    if (known !== undefined) return known;
    const answer = await question();
    kept = keep(answer);
    return answer;
  } finally {
    if (!kept) release(home, key);
  }
};
