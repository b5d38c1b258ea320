import { closeSync, openSync, writeSync } from 'node:fs';
import { spelled } from '../../contract/names.ts';
import { parsedJson } from '../../contract/parsed-json.ts';
import { isObject, own } from '../../contract/types.ts';
import { nothingRead, type ReadCount } from '../../state/history.ts';
import { streamLines } from '../../state/lines.ts';
import type { ExportedFile } from './files.ts';

// DuckDB holds thousands of lines at once, and a collector's batch is one line of up to some megabytes: too much for bounded
// memory. So batches are taken apart here.

const BATCH = '"resourceLogs"';
const NANOSECONDS = 1_000_000;

const listOf = (of: unknown, name: string): unknown[] => {
  const list = own(of, name);
  return Array.isArray(list) ? list : [];
};

/** The attributes of a log record, as texts. */
const attributesOf = (record: unknown): Map<string, string> =>
  new Map(
    listOf(record, 'attributes').flatMap((one) => {
      const { key, value } = isObject(one) ? one : {};
      const { stringValue, intValue, boolValue } = isObject(value) ? value : {};
      const text = stringValue ?? intValue ?? boolValue;
      return typeof key === 'string' && text !== undefined ? [[key, String(text)] as const] : [];
    }),
  );

/** When a log record happened, as the activity log writes it; undefined if it does not say. */
const timeOf = (record: unknown): string | undefined => {
  const { timeUnixNano, observedTimeUnixNano } = isObject(record) ? record : {};
  const told = Number(timeUnixNano);
  const at = (told > 0 ? told : Number(observedTimeUnixNano)) / NANOSECONDS;
  return at > 0 && at < 8.64e15 ? new Date(at).toISOString() : undefined;
};

/** A record of ours as a line like those of the activity log; undefined if it is another program's. */
const lineOf = (record: unknown, folder: string): object | undefined => {
  const found = attributesOf(record);
  if (![...found.keys()].some((key) => key.startsWith('konnichiwagwan.'))) return undefined;
  const ours = (name: string): string | undefined => found.get(`konnichiwagwan.${name}`);
  const [server, name, inner] = [ours('server'), found.get('gen_ai.tool.name'), ours('inner.tool')];
  return {
    machine: ours('machine') ?? folder,
    at: timeOf(record),
    session: ours('session') ?? '',
    tool: name?.startsWith('mcp__') ? name : server && name && `mcp__${spelled(server)}__${spelled(name)}`,
    server,
    verdict: ours('verdict'),
    again: ours('replaces') === 'true',
    ...(inner === undefined ? {} : { inner: { server: ours('inner.server'), tool: inner } }),
    count: ours('count') ?? '1',
    id: ours('event.id') ?? '',
  };
};

/**
 * Takes the batches of log records in a file apart, and appends each record as a line to another file.
 * @param longest what counts as too long for any other line, in bytes
 */
export const takeApart = ({ path, machine }: ExportedFile, to: string, longest: number, read: ReadCount): void => {
  const seen = nothingRead();
  const output = openSync(to, 'a', 0o600);
  try {
    const problem = streamLines(path, seen, (line) => {
      if (!line.includes(BATCH)) {
        if (line.length > longest) seen.tooLong += 1;
        return;
      }
      const batch = parsedJson(line.toString('utf8'));
      if (batch === undefined) {
        // Shorter ones are counted with all other lines.
        if (line.length > longest) seen.damaged += 1;
        return;
      }
      const lines = listOf(batch, 'resourceLogs').flatMap((resource) =>
        listOf(resource, 'scopeLogs').flatMap((scope) =>
          listOf(scope, 'logRecords').flatMap((record) => {
            const made = lineOf(record, machine);
            return made === undefined ? [] : [`${JSON.stringify(made)}\n`];
          }),
        ),
      );
      writeSync(output, lines.join(''));
    });
    if (problem !== undefined) read.unread += 1;
    read.tooLong += seen.tooLong;
    read.damaged += seen.damaged;
  } finally {
    closeSync(output);
  }
};
