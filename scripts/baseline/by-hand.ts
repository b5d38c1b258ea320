// `session_schema.json` written by hand, by a script, or by an older version. If a folder has no recorded session of its
// own, the file says what the gateway was like before.
import { statSync } from 'node:fs';
import { defined } from '../contract/defined.ts';
import { NotAToolList, parseBounded, readToolList } from '../contract/read.ts';
import { isObject, type JsonObject, own } from '../contract/types.ts';
import { LARGEST_STATE, readRegular } from '../servers/read.ts';
import { CLIENT_ID } from '../state/client-names.ts';
import { newestPath } from '../state/paths.ts';
import { readBaseline, type SourceBaseline } from './sessions.ts';

const timeOf = (value: unknown, otherwise: number): string =>
  new Date(typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : otherwise).toISOString();

/** One list of the file. @throws NotAToolList if it is not one */
const listIn = (value: JsonObject, name: string, changedAt: number): SourceBaseline => {
  const { tools, schemaVersion } = readToolList(value);
  return {
    name,
    where: newestPath(''),
    recorded_at: timeOf(own(value, 'recorded_at'), changedAt),
    // It is unknown what the conversation learned.
    late: true,
    ...defined({ schema_version: schemaVersion }),
    tools,
  };
};

/**
 * What the file says about gateways: about each by name, or about the only one.
 * @param names the gateways that are configured
 * @returns undefined if the file belongs to a session with a full record, or is not a tool list
 */
export const baselineByHand = (
  home: string,
  names: readonly string[],
): ReadonlyMap<string, SourceBaseline> | undefined => {
  const path = newestPath(home);
  const read = readRegular(path, LARGEST_STATE);
  if (read.status !== 'read') return undefined;
  try {
    const value = parseBounded(read.text);
    if (!isObject(value)) return undefined;
    const file = value as JsonObject;
    const session = own(file, 'session_id');
    const isKnown = typeof session === 'string' && CLIENT_ID.test(session);
    if (isKnown && readBaseline(home, session) !== undefined) return undefined;
    const changedAt = statSync(path).mtimeMs;
    const named = own(file, 'gateways');
    const [only, ...others] = names;
    const lists = Array.isArray(named)
      ? named.filter(isObject).map((one) => listIn(one as JsonObject, String(own(one, 'name')), changedAt))
      : only !== undefined && others.length === 0
        ? [listIn(file, only, changedAt)]
        : [];
    return new Map(lists.map((one) => [one.name, one]));
  } catch (error) {
    if (error instanceof NotAToolList) return undefined;
    // The file disappeared while it was read.
    if ((error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
};
