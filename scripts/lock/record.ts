import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../contract/canonical.ts';
import { isObject } from '../contract/types.ts';
import { realFolder } from '../servers/folder.ts';
import { readJson, writeAtomic } from '../state/files.ts';
import { removeFile } from '../state/in-use.ts';
import { inState } from '../state/paths.ts';

/** What is remembered about a project's lockfile: that there was one, and which removals a person agreed to. */
export interface LockRecord {
  project: string;
  /** SHA-256 of the text that we last saw. */
  hash?: string;
  /** Hashes of lockfiles that are meant to be gone. */
  let_go: string[];
}

const MOST_PROJECTS = 500;
const MOST_LET_GO = 20;

const folderOf = (home: string): string => inState(home, 'locks');

/** Identifies a project, by whichever path it is reached; can be used as a file name. */
export const projectKey = (project: string): string => sha256(realFolder(project)).slice(0, 24);

const pathOf = (home: string, project: string): string => join(folderOf(home), `${projectKey(project)}.json`);

/** What is remembered about a project's lockfile; a record without `hash` if nothing is. */
export const readRecord = (home: string, project: string): LockRecord => {
  const found = readJson(pathOf(home, project));
  const { hash, let_go }: Record<string, unknown> = isObject(found) ? found : {};
  return {
    project: realFolder(project),
    ...(typeof hash === 'string' ? { hash } : {}),
    let_go: Array.isArray(let_go) ? let_go.filter((one) => typeof one === 'string').slice(-MOST_LET_GO) : [],
  };
};

/** Removes the oldest records beyond a number. */
const prune = (home: string): void => {
  const folder = folderOf(home);
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  if (files.length <= MOST_PROJECTS) return;
  const byAge = files.map((file) => ({ file, at: statSync(join(folder, file)).mtimeMs })).sort((a, b) => b.at - a.at);
  for (const { file } of byAge.slice(MOST_PROJECTS)) removeFile(join(folder, file));
};

const write = (home: string, project: string, record: LockRecord): void => {
  writeAtomic(pathOf(home, project), JSON.stringify(record));
  prune(home);
};

/** Remembers that the project has a lockfile with this text. Never throws: git knows it as well. */
export const rememberLock = (home: string, project: string, text: string): void => {
  const known = readRecord(home, project);
  const hash = sha256(text);
  const isUsedAgain = known.let_go.includes(hash);
  if (known.hash === hash && !isUsedAgain) return;
  try {
    // A yes to a deletion is for that one: what came back is missed again.
    write(home, project, { ...known, hash, let_go: known.let_go.filter((one) => one !== hash) });
  } catch {
    // Go on even if the state folder cannot be written.
  }
};

/** Remembers that a person said that lockfiles with these hashes are meant to be gone. @throws if it cannot be written */
export const letGo = (home: string, project: string, hashes: readonly string[]): void => {
  const known = readRecord(home, project);
  write(home, project, { ...known, let_go: [...new Set([...known.let_go, ...hashes])].slice(-MOST_LET_GO) });
};
