import { statSync } from 'node:fs';
import { digestOf } from './digest.ts';
import { readJson } from './files.ts';

/** Of a file: changes whenever its content could have. `-` where there is none. */
export const stampOf = (path: string): string => {
  try {
    // An error that is made only to be caught costs more than the question.
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? '-' : `${found.mtimeMs}:${found.size}:${found.ino}`;
  } catch {
    return '-';
  }
};

/** A file that a verdict rests on. */
export interface Stamped {
  path: string;
  stamp: string;
  /** Of a file that its owner rewrites all the time: the digest of what of its content matters, see `partOf`. */
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

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What of the client's own state file decides which servers there are, as a text. The client rewrites that file after
 * every turn; without this, no verdict would outlive a turn.
 */
const partOf = (value: unknown): string => {
  if (!isRecord(value)) return '';
  const projects = isRecord(value.projects) ? Object.entries(value.projects) : [];
  return JSON.stringify([
    value.mcpServers ?? null,
    projects
      .map(([folder, entry]) => [folder, isRecord(entry) ? PROJECT_KEYS.map((key) => entry[key] ?? null) : null])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ]);
};

/** The file as it is now where nothing that matters changed, else undefined. */
export const unmoved = (file: Stamped): Stamped | undefined => {
  const { path, stamp, part } = file;
  const now = stampOf(path);
  if (now === stamp) return file;
  return part !== undefined && digestOf(partOf(readJson(path))) === part ? { path, stamp: now, part } : undefined;
};

/** The files that a client rewrites all the time. */
const IS_STATE = /(^|[\\/])\.(claude|config)\.json$/;

/** The files of settings, with what matters of the client's own one. */
export const withParts = (files: readonly Stamped[]): Stamped[] =>
  files.map((file) => {
    if (!IS_STATE.test(file.path) || file.stamp === '-') return file;
    const part = digestOf(partOf(readJson(file.path)));
    // What was written since the settings were read is not what they were read from.
    return stampOf(file.path) === file.stamp ? { ...file, part } : file;
  });

let witness: Map<string, string> | undefined;

/** Notes that a file or folder is about to be looked at, whether it is there or not. */
export const look = (path: string): void => {
  if (witness !== undefined && !witness.has(path)) witness.set(path, stampOf(path));
};

/** Does something, and tells which files it looked at, each with its stamp from before. */
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
