import { readdirSync, statSync } from 'node:fs';
import Conf from 'conf';
import { defined } from '../contract/defined.ts';
import { type Contract, isObject, type JsonObject } from '../contract/types.ts';
import type { LiveAnswer } from '../sources/live.ts';
import { CLIENT_ID } from '../state/client-names.ts';
import { makeFolder, readJson, writeAtomic } from '../state/files.ts';
import { hidden, sealedHidden } from '../state/hidden.ts';
import { remove, removeFile } from '../state/in-use.ts';
import { newestPath, sessionFolder, sessionPath, sessionsPath } from '../state/paths.ts';
import { isRunning } from '../state/running.ts';
import { readBaseline, type SessionBaseline, type SourceBaseline } from './sessions.ts';

/** How many sessions that have ended are kept. */
const MOST_SESSIONS = 50;
/** How many old sessions are kept because their clients still run: more than ever run at once. */
const MOST_LIVING = 500;
const LONGEST_KEPT_DAYS = 30;

const inGatewayForm = ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  branches,
  extra,
}: Contract): JsonObject =>
  JSON.parse(
    JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations, branches, ...extra }),
  ) as JsonObject;

/**
 * Writes a session's baseline, and a copy as the newest one, in the form of a gateway's answer.
 * @param completes whether an existing baseline is only completed: then it does not replace another session's as the newest
 * @throws if it cannot be written
 */
export const writeBaseline = (home: string, baseline: SessionBaseline, completes = false): void => {
  makeFolder(sessionsPath(home));
  new Conf<Record<string, unknown>>({
    cwd: sessionsPath(home),
    configName: baseline.session_id,
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: true,
    serialize: (value) => sealedHidden({ session: baseline.session_id }, value),
  }).store = baseline as unknown as Record<string, unknown>;
  const newest = completes ? readJson(newestPath(home)) : undefined;
  if (isObject(newest) && newest.session_id !== baseline.session_id) return;
  const first = Object.values(baseline.sources)[0];
  const gateways = Object.values(baseline.sources).filter(({ where }) => where.endsWith('/api/tools/list'));
  const listOf = ({ name, schema_version, recorded_at, tools }: SourceBaseline) => ({
    name,
    schema_version,
    recorded_at,
    tools: tools.map(inGatewayForm),
  });
  writeAtomic(
    newestPath(home),
    hidden(
      JSON.stringify(
        {
          schema_version: first?.schema_version,
          recorded_at: first?.recorded_at ?? baseline.recorded_at,
          session_id: baseline.session_id,
          tools: (first?.tools ?? []).map(inGatewayForm),
          ...(gateways.length > 1 ? { gateways: gateways.map(listOf) } : {}),
        },
        null,
        1,
      ),
    ),
  );
};

/**
 * The baseline of one source, from its answer.
 * @param late whether the conversation had already begun
 */
export const toBaseline = (
  source: { name: string; where: string },
  asked: Extract<LiveAnswer, { status: 'live' }>,
  late: boolean,
): SourceBaseline => ({
  name: source.name,
  where: source.where,
  recorded_at: new Date(asked.head.checkedAt).toISOString(),
  late,
  ...defined({ schema_version: asked.live.schemaVersion }),
  digest: asked.live.digest,
  tools: asked.live.tools,
  ...defined({ offers: asked.live.offers, unread: asked.live.unread, identity: asked.live.identity }),
});

/** When a session was last used, in ms since 1970. */
const lastUse = (home: string, id: string): number =>
  Math.max(
    ...[sessionPath(home, id), sessionFolder(home, id)].map(
      (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    ),
  );

/** Whether a session's client runs. If another process has got its id, the session is kept longer than needed. */
const isLiving = (home: string, id: string): boolean => {
  const client = readBaseline(home, id)?.client;
  return client !== undefined && client > 0 && isRunning(client);
};

/**
 * Removes sessions that are not among the 50 newest, or were not used for 30 days, unless their client still runs. Never
 * throws: the next start tries again.
 * @param now ms since 1970
 */
export const pruneSessions = (home: string, now: number): void => {
  try {
    const sessions = readdirSync(sessionsPath(home))
      .filter((file) => file.endsWith('.json'))
      .map((file) => ({ id: file.slice(0, -5), at: lastUse(home, file.slice(0, -5)) }))
      .sort((a, b) => b.at - a.at);
    const oldest = now - LONGEST_KEPT_DAYS * 86_400_000;
    const old = sessions.filter(({ at }, index) => index >= MOST_SESSIONS || at < oldest);
    const over = old.filter(({ id }, index) => index >= MOST_LIVING || !isLiving(home, id));
    // A session whose servers no hook could ask has a folder alone.
    const alone = readdirSync(sessionsPath(home), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && CLIENT_ID.test(entry.name))
      .map(({ name }) => ({ id: name, at: lastUse(home, name) }))
      .filter(({ id, at }) => at < oldest && !sessions.some((one) => one.id === id));
    for (const { id } of [...over, ...alone]) {
      removeFile(sessionPath(home, id));
      remove(sessionFolder(home, id));
    }
  } catch {
    // Nothing to remove, or no permission.
  }
};
