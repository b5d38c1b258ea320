import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../contract/attempt.ts';
import { removeFile } from '../state/in-use.ts';
import { livePath } from '../state/paths.ts';
import { isRunning } from '../state/running.ts';
import { endSession } from './mcp/ask-list.ts';
import { LONGEST_SESSION, sessionKeeper } from './mcp/kept-session.ts';
import type { Source } from './source.ts';

/** How long another project's session is left for the next client there, which knows its address, in ms. */
const LONGEST_LEFT = 86_400_000;

interface KeptFile {
  path: string;
  key: string;
  client: number;
}

/** The files of kept sessions. */
const keptFiles = (home: string): KeptFile[] => {
  const folder = dirname(livePath(home, ''));
  return attempt(() => readdirSync(folder), []).flatMap((file) => {
    const [, key = '', client] = /^(.+)\.(\d{1,10})\.session\.json$/.exec(file) ?? [];
    return client === undefined ? [] : [{ path: join(folder, file), key, client: Number(client) }];
  });
};

const ageOfFile = (path: string): number => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);

/** Whether this client has kept a session with any server. */
export const hasSessions = (home: string, client: number): boolean =>
  keptFiles(home).some((file) => file.client === client);

/** Ends one session with its server, and forgets it. */
const end = async (
  home: string,
  { path, key, client }: KeptFile,
  sources: readonly Source[],
  ms: number,
  isEnding: boolean,
): Promise<void> => {
  const keeper = sessionKeeper(home, key, client);
  const session = keeper?.read();
  const source = sources.find((one) => one.key === key);
  const request = session && source?.repeat?.({ mcp: { protocol: session.protocol, session: true } });
  const isElsewhere = session !== undefined && request === undefined && !isEnding;
  const mayStay = ageOfFile(path) < LONGEST_LEFT;
  if (isElsewhere && mayStay) return;
  // A client that runs must not use it meanwhile. The file of one that is gone stays until the server has answered: if it
  // does not, the next start tries again.
  if (session === undefined || isEnding || isRunning(client) || !mayStay) removeFile(path);
  if (session && request && (await endSession(request, session, ms))) keeper?.forget(session.id);
};

/**
 * Ends the kept sessions of a client, those of clients that are gone, and those no longer in use: otherwise they would stay
 * in their servers' memory. Never throws.
 * @param sources the project's: only they tell where a session is, and its credentials
 * @param ending process id of a client that ends now
 * @param ms for each of them; they are ended at once
 */
export const endSessions = async (
  home: string,
  sources: readonly Source[],
  ms: number,
  ending?: number,
): Promise<void> => {
  const isOver = ({ path, client }: KeptFile): boolean =>
    client === ending || !isRunning(client) || ageOfFile(path) > 2 * LONGEST_SESSION;
  const over = keptFiles(home).filter(isOver);
  await Promise.all(over.map((file) => end(home, file, sources, ms, file.client === ending).catch(() => {})));
};
