import { rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ageOf, type Moment } from './circumstances.ts';
import { makeFolder, readText } from './files.ts';
import { askingPath } from './paths.ts';
import { isRunning } from './running.ts';

/** What the guard spends on one call, in ms: on one question, on all of them, and on one at the very least. */
const BUDGET = { question: 2_000, all: 3_500, least: 500 };

/** How long a question may take that is asked now for a call that was made `since`, in ms. */
export const timeLeft = (since: Moment): number =>
  Math.max(BUDGET.least, Math.min(BUDGET.question, BUDGET.all - (ageOf(since) ?? 0)));

/** Nobody asks for longer than this, in ms: who holds the right for longer has it by the number of a process that ended. */
const LONGEST_QUESTION = 30_000;
/** How often who waits for another's answer looks for it, in ms. */
const PAUSE = 15;

/** Takes the right to ask; it is the process's own, and ends with it. */
const claim = (path: string): boolean => {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // State that cannot be written is no reason not to ask.
    const { code, path: taken } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || taken !== path) return true;
  }
  try {
    const owner = Number(readText(path));
    const held = Date.now() - statSync(path).mtimeMs;
    // A clock that was set back makes it look younger than nothing. Files have a finer clock than `Date.now`.
    const expired = held < -1_000 || held > LONGEST_QUESTION;
    // Just made, and not written yet: an empty text is no number of a process either.
    const abandoned = owner > 0 ? !isRunning(owner) : held > 1_000;
    if (expired || abandoned) rmSync(path, { recursive: true, force: true });
  } catch {
    // Its owner was faster.
  }
  return false;
};

/** Lets others ask. */
export const release = (home: string, key: string): void => {
  try {
    rmSync(askingPath(home, key), { force: true });
  } catch {
    // Nothing was written, so nothing is in anybody's way.
  }
};

/**
 * Calls that are made at once share one question: the first process asks, the others wait for what it hears.
 * @param patience milliseconds that others wait; who waited for longer asks by itself
 * @param heard what was answered meanwhile, if that will do
 * @param keep whether the claim is kept although the question is answered, until somebody calls `release`
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
