import { readdirSync, statSync } from 'node:fs';
import { attempt, quietly } from '../contract/attempt.ts';
import { type Contract, type Identity, isObject, type Unread } from '../contract/types.ts';
import { ownFolders, realFolder } from '../servers/folder.ts';
import type { ProgramFile } from '../servers/program.ts';
import { ageOf, keep, type Moment, recall } from '../state/circumstances.ts';
import { CLIENT_ID } from '../state/client-names.ts';
import { readJson } from '../state/files.ts';
import { recallHidden } from '../state/hidden.ts';
import { finishingPath, newestPath, sessionPath, sessionsPath } from '../state/paths.ts';
import { isRunning } from '../state/running.ts';

/** What one source answered when the session started. */
export interface SourceBaseline {
  name: string;
  where: string;
  /** ISO 8601, UTC. */
  recorded_at: string;
  /** Recorded after the conversation had begun, so it does not show what the model learned. */
  late: boolean;
  /** Recorded some seconds after the session started, because the source was slow. */
  completed?: boolean;
  schema_version?: string;
  /** Equal to the digest of another answer if both hold the same version and contracts. */
  digest?: string;
  tools: Contract[];
  /** Prompts, resources and resource templates, in the form of contracts. */
  offers?: Contract[];
  /** What is missing in the offers because it could not be read. */
  unread?: Unread;
  identity?: Identity;
  /** Older contracts that the client may go on showing after a `/clear`. */
  carried?: Contract[];
}

export interface SessionBaseline {
  session_id: string;
  recorded_at: string;
  /** What started it: startup, resume, clear or compact. */
  source: string;
  /** Process ID of the client, which shows whether a session follows another one in the same client. */
  client: number;
  /** The folder in which the hook ran. */
  cwd: string;
  /** The folder that the client was started in; absent in baselines of older versions. */
  project?: string;
  /** By key of the source. */
  sources: { [key: string]: SourceBaseline };
  /** The files of servers that are programs, by name of the server. */
  programs?: { [server: string]: ProgramFile[] };
  /**
   * To which addresses each client connected, by its process ID: see `addressesOf`. It keeps a connection as long as it runs.
   */
  addresses?: { [client: string]: { [entry: string]: string } };
  /** Sources that did not answer, by key. */
  failed: { [key: string]: { name: string; where: string; status: string; why: string } };
}

/** The baseline of a session; undefined if there is none, or its file is damaged. */
export const readBaseline = (home: string, session: string): SessionBaseline | undefined => {
  const baseline = recallHidden(sessionPath(home, session), { session });
  return isObject(baseline) && isObject(baseline.sources) && isObject(baseline.failed)
    ? (baseline as unknown as SessionBaseline)
    : undefined;
};

/** How long the process that completes a baseline may take, in ms. */
const LONGEST_FINISH = 25_000;

/** Records which process completes a session's baseline. Never throws. */
export const noteFinisher = (home: string, session: string, pid: number): void => {
  // Otherwise a call made before the baseline is complete is reported as unchecked.
  quietly(() => keep(finishingPath(home, session), { session }, { pid }));
};

/** Whether a running process is still waiting for this source's answer, to complete the session's baseline. */
export const isPending = (
  home: string,
  session: string,
  baseline: SessionBaseline | undefined,
  source: string,
): boolean => {
  if (baseline?.failed[source]?.status !== 'pending') return false;
  const noted = recall(finishingPath(home, session), { session });
  const age = noted && ageOf(noted as Moment);
  return age !== undefined && age < LONGEST_FINISH && typeof noted?.pid === 'number' && isRunning(noted.pid);
};

/** The sessions that are kept, the last written one first. */
const sessionsByAge = (home: string): string[] =>
  // None where there is no folder, or the oldest ones are being removed.
  attempt(
    () =>
      readdirSync(sessionsPath(home))
        .filter((file) => file.endsWith('.json'))
        .map((file) => ({ id: file.slice(0, -5), at: statSync(sessionPath(home, file.slice(0, -5))).mtimeMs }))
        .sort((a, b) => b.at - a.at)
        .map(({ id }) => id),
    [],
  );

/** How many sessions back a source is searched for: later ones may be of other projects, which do not have it. */
const FAR_BACK = 10;

/**
 * The latest baseline of a source, by its key; undefined if there is none in the last sessions. It need not be in the
 * newest one, because a project's own servers are not in the sessions of other projects.
 */
export const lastOf = (home: string, key: string, newest: SessionBaseline | undefined): SourceBaseline | undefined => {
  const known = newest?.sources[key];
  if (known !== undefined || newest === undefined) return known;
  for (const id of sessionsByAge(home).slice(0, FAR_BACK)) {
    const found = readBaseline(home, id)?.sources[key];
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The client's session before this one; undefined if it is not among the last ones of all clients. */
export const earlierSession = (
  home: string,
  { client, session }: { client: number; session: string },
): SessionBaseline | undefined => {
  for (const id of sessionsByAge(home).slice(0, FAR_BACK)) {
    const earlier = id === session ? undefined : readBaseline(home, id);
    if (earlier?.client === client) return earlier;
  }
  return undefined;
};

/**
 * What a client listed last of each source, in its sessions before this one. Other clients may have started sessions since.
 * @param keys the sources
 */
export const listedBefore = (
  home: string,
  { client, session }: { client: number; session: string },
  keys: readonly string[],
): Map<string, SourceBaseline> => {
  const listed = new Map<string, SourceBaseline>();
  for (const id of sessionsByAge(home)) {
    if (listed.size === keys.length) break;
    const earlier = id === session ? undefined : readBaseline(home, id);
    if (earlier?.client !== client) continue;
    for (const key of keys) {
      const source = earlier.sources[key];
      if (source !== undefined && !listed.has(key)) listed.set(key, source);
    }
    // What is older is of a client that had the same process ID.
    if (earlier.source === 'startup') break;
  }
  return listed;
};

/**
 * The sessions that were started in a folder or, if that is inside of a repository, in one above it up to the repository's
 * root; the newest first. Those of other folders have other servers.
 */
export function* sessionsIn(home: string, folder: string): Generator<SessionBaseline, undefined> {
  const folders = new Set(ownFolders(folder));
  for (const id of sessionsByAge(home)) {
    const baseline = readBaseline(home, id);
    if (baseline !== undefined && folders.has(realFolder(baseline.project ?? baseline.cwd))) yield baseline;
  }
  return undefined;
}

/** The baseline of the session that started last, in any folder; undefined if there is none. */
export const readNewest = (home: string): SessionBaseline | undefined => {
  const newest = readJson(newestPath(home));
  const session = isObject(newest) ? newest.session_id : undefined;
  return typeof session === 'string' && CLIENT_ID.test(session) ? readBaseline(home, session) : undefined;
};
