import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../../contract/defined.ts';
import type { ReadCount, Span } from '../../state/history.ts';
import { takeApart } from './batches.ts';
import { type Database, literal } from './duckdb.ts';
import { type ExportedFile, escaped, isAddress } from './files.ts';

/** Longest line of the activity log, in bytes: DuckDB holds 2,048 of them at once, whatever their length. */
const LONGEST_LINE = 64 * 1024;
const LINES_AT_ONCE = 8 * 1024 * 1024;
/** How many lines of a file that are too long or no text are counted; the others are left out, too. */
const MOST_REJECTS = 20;
/** How far in the future a call's time may be, in ms, because clocks differ. */
const AHEAD = 86_400_000;
const MOST_CALLS = 1_000_000_000;
const FILES_AT_ONCE = 500;

/** Places in a line of the activity log. */
const PLACES = 'machine at session tool server verdict again inner.server inner.tool count id'.split(' ');

const list = (texts: readonly string[]): string => `[${texts.map(literal).join(', ')}]`;

const paths = (files: readonly ExportedFile[]): string => list(files.map(({ path }) => escaped(path)));

const lines = (files: readonly ExportedFile[]): string => {
  const [tables, texts] = [files.filter(({ parquet }) => parquet), files.filter(({ parquet }) => !parquet)];
  return present([
    // So that the table has its columns, even if no file is left.
    'SELECT NULL::VARCHAR AS path, NULL::VARCHAR AS line, false AS is_table WHERE false',
    // A separator that no valid JSON holds: each line is one column.
    texts.length > 0 &&
      `SELECT filename AS path, line, false AS is_table FROM read_csv(${paths(texts)}, columns = {'line': 'VARCHAR'},
             auto_detect = false, header = false, delim = '\u0001', quote = '', escape = '', strict_mode = false,
             ignore_errors = true, store_rejects = true, rejects_limit = ${MOST_REJECTS}, filename = true,
             max_line_size = ${LONGEST_LINE}, buffer_size = ${LINES_AT_ONCE}) WHERE line IS NOT NULL`,
    tables.length > 0 &&
      `SELECT filename AS path, to_json(t)::VARCHAR AS line, true AS is_table
             FROM read_parquet(${paths(tables)}, filename = true, union_by_name = true) t`,
  ]).join(' UNION ALL ');
};

/** Calls in lines. `apart`: the lines were batches of log records, which name no session and may count several calls. */
const callsIn = (files: readonly ExportedFile[], apart: boolean): string => `
  found AS (
    SELECT path, json_valid(line) AS valid,
      CASE WHEN valid AND contains(line, '"resourceLogs"') THEN coalesce(json_type(line, '$.resourceLogs') = 'ARRAY', false)
        ELSE false END AS batch,
      CASE WHEN valid AND NOT batch THEN json_extract_string(line, ${list(PLACES.map((place) => `$.${place}`))}) END AS v,
      CASE WHEN valid AND NOT is_table AND contains(line, '"inner"') THEN json_type(line, '$.inner') = 'NULL'
        ELSE false END AS calls_none
    FROM (${lines(files)})),
  named AS (
    SELECT path, batch, calls_none, v[1] AS machine, epoch_ms(TRY_CAST(v[2] AS TIMESTAMP)) AS ms,
      ${apart ? 'v[3]' : "nullif(v[3], '')"} AS session, v[4] AS tool, v[5] AS server, v[6] AS verdict,
      coalesce(v[7] = 'true', false) AS again, v[8] AS inner_server, v[9] AS inner_tool,
      ${apart ? 'TRY_CAST(v[10] AS BIGINT)' : '1'} AS n, ${apart ? 'v[11]' : "''"} AS id FROM found)`;

const SENT = "('silence', 'notice', 'unchecked', 'not-covered')";
const UUID = "'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'";

/** Separates the parts of a kind of call. No name holds it. */
export const SEPARATOR = '\u001f';

/** A value that only calls have. */
const call = (value: string): string => `CASE WHEN state IS NULL THEN ${value} END`;

/**
 * Counts calls by machine, session, kind, event and day. Session ids are mostly UUIDs, which take a third of the memory so.
 */
const counted = (calls: string, { since, now }: Span): string => `WITH ${calls},
  judged AS (
    SELECT *, CASE WHEN batch THEN 'batch'
        WHEN ms IS NULL OR session IS NULL OR tool IS NULL OR n IS NULL OR NOT n BETWEEN 1 AND ${MOST_CALLS}
          OR len(id) > 200 OR NOT regexp_full_match(session, '[A-Za-z0-9_-]{0,100}')
          OR NOT regexp_full_match(tool, 'mcp__[A-Za-z0-9_-]{1,200}') THEN 'damaged'
        WHEN ms > ${now + AHEAD} THEN 'future' END AS state,
      CASE WHEN len(server) <= 256 AND NOT regexp_matches(server, '[[:cntrl:]]') THEN server ELSE '?' END AS owner,
      CASE WHEN regexp_full_match(coalesce(inner_server, ''), '[A-Za-z0-9_-]{0,200}')
          AND regexp_full_match(inner_tool, '[A-Za-z0-9_-]{1,200}')
        THEN concat_ws('${SEPARATOR}', tool, owner, 'one', coalesce(inner_server, '?'), inner_tool)
        ELSE concat_ws('${SEPARATOR}', tool, owner, CASE WHEN calls_none THEN 'none' ELSE '?' END) END AS kind,
      regexp_full_match(session, ${UUID}) AS is_uuid
    FROM named),
  kept AS (
    SELECT state, CASE WHEN len(machine) BETWEEN 1 AND 200 THEN machine END AS own, path,
      ${call('CASE WHEN is_uuid THEN session::UUID END')} AS uuid,
      ${call('CASE WHEN NOT is_uuid THEN session END')} AS session, ${call('kind')} AS kind, ${call('id')} AS id,
      ${call('(ms // 86400000)::INTEGER')} AS day, ${call('ms')} AS ms,
      CASE WHEN state IS NOT NULL THEN 1 WHEN again THEN 0 ELSE n END AS n,
      CASE WHEN verdict IN ${SENT} THEN CASE WHEN again THEN 0 ELSE n END WHEN again THEN -1 ELSE 0 END AS sent
    FROM judged WHERE state IS NOT NULL OR ms >= ${since}),
  placed AS (
    SELECT CASE WHEN own IS NULL OR state IS NOT NULL THEN files.machine END AS folder,
      CASE WHEN state IS NULL THEN own END AS own, CASE WHEN state = 'batch' THEN files.file END AS batch,
      kept.* EXCLUDE (own, path) FROM kept JOIN files USING (path))
  SELECT folder, own, uuid, session, kind, day, state, batch,
    CASE WHEN id = '' OR id IS NULL THEN sum(n) ELSE max(n) END::DOUBLE AS calls,
    CASE WHEN id = '' OR id IS NULL THEN sum(sent) ELSE max(sent) END::DOUBLE AS sent,
    min(ms) FILTER (WHERE n > 0)::DOUBLE AS first_at, max(ms) FILTER (WHERE n > 0)::DOUBLE AS last_at,
    max(ms)::DOUBLE AS told_at
  FROM placed GROUP BY folder, own, uuid, session, kind, day, state, batch, id`;

/** How many lines of a file the reader of lines left out: too long, or for another reason. */
interface Rejected {
  file: number;
  long: number;
  other: number;
}

const REJECTED = `SELECT files.file AS file, count(*) FILTER (WHERE error_type = 'LINE SIZE OVER MAXIMUM')::DOUBLE AS long,
    count(*) FILTER (WHERE error_type <> 'LINE SIZE OVER MAXIMUM')::DOUBLE AS other
  FROM (SELECT DISTINCT file_path, line, error_type FROM reject_errors JOIN reject_scans USING (scan_id, file_id)) rejects
  JOIN files ON files.path = rejects.file_path GROUP BY files.file`;

/** Counts the log records in files that hold batches of them, or lines that may be batches. */
const readBatches = async (database: Database, files: readonly ExportedFile[], span: Span, read: ReadCount) => {
  const rejected = files.every(({ parquet }) => parquet) ? [] : await database.rows<Rejected>(REJECTED);
  const marked = await database.rows<{ file: number }>("SELECT DISTINCT batch AS file FROM raw WHERE state = 'batch'");
  for (const { other } of rejected) read.damaged += other;
  const numbers = new Set([...marked, ...rejected.filter(({ long }) => long > 0)].map(({ file }) => file));
  const path = join(database.folder, 'records.jsonl');
  writeFileSync(path, '');
  for (const file of files.filter((_, number) => numbers.has(number))) {
    // Batches at addresses are not read.
    if (isAddress(file.path) || file.parquet) read.unread += 1;
    else takeApart(file, path, LONGEST_LINE, read);
  }
  if (statSync(path).size === 0) return;
  await database.run(`INSERT INTO files VALUES (-1, ${literal(path)}, -1)`);
  const records = { path, machine: '', parquet: false };
  await database.run(`INSERT INTO raw ${counted(callsIn([records], true), span)}`);
};

/**
 * Counts the lines of all files into the table `raw`: one row for each machine, session, kind of call, event and day. A
 * machine is the number of a name in the table `machines` (`folder`), or the name that the line gives (`own`). A session
 * is a `uuid`, or another `session`, which is empty for log records without one. A `kind` holds the client's name for the
 * tool, the server, what is known of the tool behind it (`one`, `none` or `?`), and its server and name. `state` is null
 * for calls, else why the lines are no calls. Numbers of calls, and times in ms since 1970, are doubles.
 */
export const readExports = async (
  database: Database,
  files: readonly ExportedFile[],
  span: Span,
  read: ReadCount,
): Promise<void> => {
  const machines = [...new Set(files.map(({ machine }) => machine))];
  const folders = new Map(machines.map((machine, number) => [machine, number]));
  await database.run(
    `CREATE TABLE files AS SELECT unnest(from_json($1, '[{"file":"INTEGER","path":"VARCHAR","machine":"INTEGER"}]'), recursive := true)`,
    JSON.stringify(files.map(({ path, machine }, file) => ({ file, path, machine: folders.get(machine) }))),
  );
  await database.run(
    `CREATE TABLE machines AS SELECT unnest(from_json($1, '[{"folder":"INTEGER","name":"VARCHAR"}]'), recursive := true)`,
    JSON.stringify(machines.map((name, folder) => ({ folder, name }))),
  );
  // Each file that is open takes some memory, and each row until its statement ends.
  for (let from = 0; from === 0 || from < files.length; from += FILES_AT_ONCE) {
    const some = files.slice(from, from + FILES_AT_ONCE);
    await database.run(
      `${from === 0 ? 'CREATE TABLE raw AS' : 'INSERT INTO raw'} ${counted(callsIn(some, false), span)}`,
    );
  }
  await readBatches(database, files, span, read);
  const lost = await database.rows<{ state: string; n: number }>(
    "SELECT state, sum(calls) AS n FROM raw WHERE state IN ('damaged', 'future') GROUP BY state",
  );
  for (const { state, n } of lost) read[state === 'future' ? 'future' : 'damaged'] += n;
};
