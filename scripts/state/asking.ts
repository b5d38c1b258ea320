import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { askingPath } from './paths.ts';

/** How often who waits for another's answer looks for it, in ms. */
const PAUSE = 15;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Takes the right to ask; it is the process's own, and ends with it. */
const claim = (path: string): boolean => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // State that cannot be written is no reason not to ask.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
  }
  try {
    const owner = Number(readFileSync(path, 'utf8'));
    if (owner > 0 && !isRunning(owner)) rmSync(path, { force: true });
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
