import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from './files.ts';
import { toldPath } from './paths.ts';

/** What was told longest ago is forgotten beyond so many. */
const MOST = 1_000;

const prune = (folder: string): void => {
  const files = readdirSync(folder);
  if (files.length <= MOST) return;
  const byAge = files
    .map((file) => ({ file, at: statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at);
  for (const { file } of byAge.slice(MOST)) rmSync(join(folder, file), { force: true });
};

/** Whether something was told on this machine that is told once, whatever the session. */
export const wasToldEver = (home: string, key: string): boolean => existsSync(toldPath(home, key));

/**
 * True for the first caller of all: making a file that exists fails. Where it cannot be remembered it is false, unlike for
 * what a session has to know: it would be told in every one.
 */
export const firstEver = (home: string, key: string): boolean => {
  const path = toldPath(home, key);
  try {
    makeFolder(dirname(path));
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch {
    return false;
  }
  try {
    prune(dirname(path));
  } catch {
    // Another one was faster.
  }
  return true;
};
