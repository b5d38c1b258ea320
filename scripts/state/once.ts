import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, quietly } from '../contract/attempt.ts';
import { makeFolder } from './files.ts';
import { removeFile } from './in-use.ts';
import { toldPath } from './paths.ts';

/** How many told things are remembered; the oldest are forgotten first. */
const MOST = 1_000;

const prune = (folder: string): void => {
  const files = readdirSync(folder);
  if (files.length <= MOST) return;
  const byAge = files
    .map((file) => ({ file, at: statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at);
  for (const { file } of byAge.slice(MOST)) removeFile(join(folder, file));
};

/** Whether something that is told only once per machine was already told. */
export const wasToldEver = (home: string, key: string): boolean => existsSync(toldPath(home, key));

/**
 * True for the first caller of all: creating a file that exists fails. False if it cannot be remembered, unlike for things
 * that each session must know: otherwise every session would tell it.
 */
export const firstEver = (home: string, key: string): boolean => {
  const path = toldPath(home, key);
  const isFirst = attempt(() => {
    makeFolder(dirname(path));
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  }, false);
  // Another process may be faster.
  if (isFirst) quietly(() => prune(dirname(path)));
  return isFirst;
};
