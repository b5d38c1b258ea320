import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Contract, type Identity, isObject, type Unread } from '../contract/types.ts';
import type { ProgramFile } from '../servers/program.ts';
import { ageOf, keep, type Moment, recall } from '../state/circumstances.ts';
import { readJson } from '../state/files.ts';
import { finishingPath, newestPath, sessionPath, sessionsPath } from '../state/paths.ts';
import { isRunning } from '../state/running.ts';

/** What one source answered when the session started. */
export interface SourceBaseline {
  name: string;
  where: string;
  /** ISO 8601, UTC. */
  recorded_at: string;
  /** Recorded after the conversation had begun: it does not tell what the model learned. */
  late: boolean;
  /** Recorded some seconds after the session's start, because the source was slow. */
  completed?: boolean;
  schema_version?: string;
  tools: Contract[];
  /** Prompts, resources and resource templates, in the form of contracts. */
  offers?: Contract[];
  /** What is missing in the offers because it could not be read. */
  unread?: Unread;
  identity?: Identity;
  /** Older contracts that the same client may go on showing after a `/clear`. */
  carried?: Contract[];
}

export interface SessionBaseline {
  session_id: string;
  recorded_at: string;
  /** startup, resume, clear or compact: what started it. */
  source: string;
  /** Process id of the client, to know a session that follows on another in the same client. */
  client: number;
  cwd: string;
  /** By key of the source. */
  sources: { [key: string]: SourceBaseline };
  /** What the servers that are programs were made of, by name of the server. */
  programs?: { [server: string]: ProgramFile[] };
  /** Sources that did not answer, by key. */
  failed: { [key: string]: { name: string; where: string; status: string; why: string } };
}

export const readBaseline = (home: string, session: string): SessionBaseline | undefined => {
  const baseline = recall(sessionPath(home, session), { session });
  return isObject(baseline) && isObject(baseline.sources) && isObject(baseline.failed)
    ? (baseline as unknown as SessionBaseline)
    : undefined;
};

/** How long the process that completes a baseline may take, in ms. */
const LONGEST_FINISH = 25_000;

/** Notes which process completes a session's baseline. */
export const noteFinisher = (home: string, session: string, pid: number): void => {
  try {
    keep(finishingPath(home, session), { session }, { pid });
  } catch {
    // Then a call that comes before it is done is said to be unchecked.
  }
};

/** Whether a source's answer is still being waited for, by a process that runs and is not too late. */
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

/** So many sessions back a source is looked for: those in between were of projects that do not have it. */
const FAR_BACK = 10;

/**
 * What a source answered when it was last asked at a session's start; a project's own servers are not in the sessions of
 * other projects.
 */
export const lastOf = (home: string, key: string, newest: SessionBaseline | undefined): SourceBaseline | undefined => {
  const known = newest?.sources[key];
  if (known !== undefined || newest === undefined) return known;
  const folder = sessionsPath(home);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ id: file.slice(0, -5), at: statSync(join(folder, file)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
    .slice(0, FAR_BACK);
  for (const { id } of files) {
    const found = readBaseline(home, id)?.sources[key];
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The baseline of the session that started last, whichever it was. */
export const readNewest = (home: string): SessionBaseline | undefined => {
  const newest = readJson(newestPath(home));
  const session = isObject(newest) ? newest.session_id : undefined;
  return typeof session === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(session)
    ? readBaseline(home, session)
    : undefined;
};
