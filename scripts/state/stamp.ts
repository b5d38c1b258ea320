import { statSync } from 'node:fs';
import { attempt } from '../contract/attempt.ts';
import { isObject } from '../contract/types.ts';
import { digestOf } from './digest.ts';
import { readJson } from './files.ts';

/**
 * A text that changes whenever the content of a file may have changed: its time, size, inode, and the time of any change to
 * these, which cannot be set. `-` if there is no file.
 */
export const stampOf = (path: string): string => {
  // The option is faster than catching an error.
  const found = attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
  return found === undefined ? '-' : `${found.mtimeMs}:${found.size}:${found.ino}:${found.ctimeMs}`;
};

/** The same without that last time: a new link to the file or another mode changes it, too. */
export const contentStamp = (stamp: string): string => stamp.split(':', 3).join(':');

/** A file that a verdict depends on. */
export interface Stamped {
  path: string;
  stamp: string;
  /** For a file that is rewritten all the time: the digest of the part of its content that matters, see `partOf`. */
  part?: string;
}

const PROJECT_KEYS = [
  'mcpServers',
  'disabledMcpServers',
  'enabledMcpjsonServers',
  'disabledMcpjsonServers',
  'enableAllProjectMcpServers',
  'hasTrustDialogAccepted',
];

/**
 * The part of the client's own state file that decides which servers there are, as a text. The client rewrites that file
 * after every turn; without this, every memo would be void after a turn.
 */
const partOf = (value: unknown): string => {
  if (!isObject(value)) return '';
  const projects = isObject(value.projects) ? Object.entries(value.projects) : [];
  return JSON.stringify([
    value.mcpServers ?? null,
    projects
      .map(([folder, entry]) => [folder, isObject(entry) ? PROJECT_KEYS.map((key) => entry[key] ?? null) : null])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ]);
};

/** The file with its current stamp if nothing that matters in it has changed, else undefined. */
export const unmoved = (file: Stamped): Stamped | undefined => {
  const { path, stamp, part } = file;
  const now = stampOf(path);
  if (now === stamp) return file;
  return part !== undefined && digestOf(partOf(readJson(path))) === part ? { path, stamp: now, part } : undefined;
};

/** The client's state files, which it rewrites all the time. */
const IS_STATE = /(^|[\\/])\.(claude|config)\.json$/;

/** Adds to the client's own state file, among some files, the digest of the part that matters. */
export const withParts = (files: readonly Stamped[]): Stamped[] =>
  files.map((file) => {
    if (!IS_STATE.test(file.path) || file.stamp === '-') return file;
    const part = digestOf(partOf(readJson(file.path)));
    // If the file was rewritten after its stamp was taken, the part may not be what was read then.
    return stampOf(file.path) === file.stamp ? { ...file, part } : file;
  });

let witness: Map<string, string> | undefined;

/** Notes, for `witnessed`, that a file or folder is about to be looked at, whether it exists or not. */
export const look = (path: string): void => {
  if (witness !== undefined && !witness.has(path)) witness.set(path, stampOf(path));
};

/** Runs `work`, and says which files it looked at (see `look`), each with its stamp from just before that. */
export const witnessed = <T>(work: () => T): { result: T; files: Stamped[] } => {
  const outer = witness;
  const mine = new Map<string, string>();
  witness = mine;
  try {
    const result = work();
    return { result, files: [...mine].map(([path, stamp]) => ({ path, stamp })) };
  } finally {
    witness = outer;
  }
};

/** For a process that stays: `read` again only if a file that it looked at (see `look`) may have changed since. */
export const whenChanged = <T>(read: () => T): (() => T) => {
  let last: ReturnType<typeof witnessed<T>> | undefined;
  return () => {
    if (last?.files.every(({ path, stamp }) => stampOf(path) === stamp) !== true) last = witnessed(read);
    return last.result;
  };
};
