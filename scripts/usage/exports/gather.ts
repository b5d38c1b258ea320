import type { LoadedConfig } from '../../config/config.ts';
import { defined } from '../../contract/defined.ts';
import { spelled, waysToRead } from '../../contract/names.ts';
import { mayInvoke } from '../../guard/invoker/called.ts';
import { nothingRead, type ReadCount, type Span } from '../../state/history.ts';
import { dayOf } from '../days.ts';
import { carriersOf, contractsIn, gaps, serversHaving } from '../gather.ts';
import { isServer, type Named, nameReader, type OfferedTools } from '../names.ts';
import {
  type Filter,
  type LegacySession,
  type NamedUse,
  type Role,
  type Summary,
  sorter,
  summaryOf,
} from '../summary.ts';
import { type Database, literal } from './duckdb.ts';
import { exportedFiles } from './files.ts';
import { readExports, SEPARATOR } from './read.ts';

/** Most kinds of calls: a tool, the server that the line names, and the tool behind it. More are reported as missing. */
const MOST_KINDS = 100_000;
const MOST_DAYS = 1_000_000;
const MOST_LISTED = 1_000;
const MOST_MACHINES = 100_000;
/** Most pairs of session and tool that a retirement looks at. */
const MOST_EVIDENCE = 500_000;

const LENGTH = 86_400_000;
/** What names no session is a count of calls within one hour, with the time at which that began. */
const HOUR = 3_600_000;
const dayAt = (nth: number): string => dayOf(nth * LENGTH);

interface LineKind {
  kind: number;
  tool: string;
  server: string;
  /** `one` tool, `none`, or `?` where it is not known. */
  behind: string;
  inner_server: string;
  inner_tool: string;
}

const kindOf = ({ kind, text }: { kind: number; text: string }): LineKind => {
  const [tool = '', server = '?', behind = '?', inner_server = '?', inner_tool = '?'] = text.split(SEPARATOR);
  return { kind, tool, server, behind, inner_server, inner_tool };
};

/** A tool that calls of one kind count for. */
interface Part extends Named {
  kind: number;
  /** The client's name for it. */
  client: string;
  /** The tool behind the call, not the one that was called. */
  inner: boolean;
  anyServer: boolean;
  /** Whether it is known to call one. */
  invokes: boolean;
  /** Whether the tool behind it is unknown. */
  hidden: boolean;
}

/** Calls of many machines, counted. */
export interface Exported {
  offered: readonly OfferedTools[];
  /** Every tool that was called. */
  called: Named[];
  read: ReadCount;
  gaps: string[];
  /** The UTC day that each machine last reported. */
  machines: Map<string, string>;
  /** The days of the first and the last call; absent without calls. */
  first?: string;
  last?: string;
  summary(filter: Filter): Promise<Summary>;
  evidence(named: Named, wanted: number, until: string): Promise<ExportedEvidence>;
}

/** The data that decides a retirement. */
interface ExportedEvidence {
  uses: NamedUse[];
  own: ReadonlySet<string>;
  logged: ReadonlySet<string>;
  /** Calls of the tool after the last day, and calls of it that name no session. */
  later: number;
  sessionless: number;
  overflow: boolean;
}

/** Which tools each kind of call counts for. */
const partsOf = (
  kinds: readonly LineKind[],
  config: LoadedConfig,
  offered: readonly OfferedTools[],
  wanted: string | undefined,
): Part[] => {
  const carries = carriersOf(config, contractsIn(offered), wanted);
  const servers = kinds.flatMap(({ server, inner_server }) => [server, inner_server]).filter((name) => name !== '?');
  const read = nameReader([...offered.map(({ source }) => source), ...servers]);
  const parts = kinds.flatMap(({ kind, tool, behind, inner_server, inner_tool }): Part[] => {
    const hidden = behind !== 'one' && (carries(tool) || (behind === '?' && mayInvoke(config, tool)));
    const outer = {
      ...read(tool),
      kind,
      client: tool,
      inner: false,
      anyServer: false,
      hidden,
      invokes: behind === 'one',
    };
    if (behind !== 'one') return [outer];
    const anyServer = inner_server === '?';
    const owner = anyServer ? (waysToRead(tool, undefined)[0]?.server ?? 'unknown') : inner_server;
    const client = `mcp__${owner}__${inner_tool}`;
    return [outer, { ...read(client), kind, client, inner: true, anyServer, hidden: false, invokes: false }];
  });
  const having = serversHaving(
    parts.filter(({ anyServer }) => !anyServer),
    offered,
  );
  return parts.flatMap((part) => (part.anyServer ? having(part).map((server) => ({ ...part, server })) : [part]));
};

/** A tool, with its number. Tools are told apart by the client's name as well, which settings use. */
interface Tool extends Named {
  tool_id: number;
  client: string;
  anyServer: boolean;
}

const PART = '{"kind":"INTEGER","tool_id":"INTEGER","inner":"BOOLEAN","hidden":"BOOLEAN","invokes":"BOOLEAN"}';

/** A session, wherever sessions are told apart. */
const SESSION = 'folder, own, uuid, session';
const HAS_SESSION = "(uuid IS NOT NULL OR session <> '')";
const SESSION_TEXT = 'coalesce(session, uuid::VARCHAR)';

/** Whether rows of two tables are of one session. */
const same = (one: string, other: string): string =>
  SESSION.split(', ')
    .map((column) => `${one}.${column} IS NOT DISTINCT FROM ${other}.${column}`)
    .join(' AND ');

/** Counts by session and tool, and by tool and day. */
const countTools = async (database: Database, parts: readonly Part[]): Promise<Tool[]> => {
  const tools = new Map<string, Tool>();
  const numbered = parts.map(({ server, tool, client, anyServer, kind, inner, hidden, invokes }) => {
    const key = `${server} ${tool} ${client} ${anyServer}`;
    const known = tools.get(key) ?? { tool_id: tools.size, server, tool, client, anyServer };
    tools.set(key, known);
    return { kind, tool_id: known.tool_id, inner, hidden, invokes };
  });
  await database.run(
    `CREATE TABLE parts AS SELECT unnest(from_json($1, '[${PART}]'), recursive := true)`,
    JSON.stringify(numbered),
  );
  await database.run(`CREATE VIEW seen AS SELECT ${SESSION}, day, tool_id, calls, sent, first_at, last_at,
    CASE WHEN "inner" THEN calls ELSE 0 END AS through, CASE WHEN invokes THEN calls ELSE 0 END AS invoked,
    CASE WHEN hidden THEN calls ELSE 0 END AS unseen
    FROM raw JOIN kinds USING (kind) JOIN parts ON parts.kind = kinds.number WHERE state IS NULL`);
  await database.run(`CREATE TABLE days AS
    SELECT tool_id, day, sum(calls) AS calls FROM seen GROUP BY ALL HAVING sum(calls) > 0`);
  await database.run(`CREATE TABLE uses AS SELECT ${SESSION}, tool_id, sum(calls) AS calls, sum(through) AS through,
    sum(invoked) AS invoked, min(first_at) AS first_at, max(last_at) AS last_at
    FROM seen GROUP BY ALL HAVING sum(calls) > 0`);
  return [...tools.values()];
};

/** Gives tools their roles, as a table to join with. */
const giveRoles = async (
  database: Database,
  tools: readonly Tool[],
  roleOf: (named: Named) => string | undefined,
): Promise<void> => {
  const roles = tools.flatMap((tool) => {
    const role = roleOf(tool);
    return role === undefined ? [] : [{ ...tool, role }];
  });
  const row =
    '{"tool_id":"INTEGER","server":"VARCHAR","tool":"VARCHAR","client":"VARCHAR","anyServer":"BOOLEAN","role":"VARCHAR"}';
  await database.run(
    `CREATE OR REPLACE TABLE roles AS SELECT unnest(from_json($1, '[${row}]'), recursive := true)`,
    JSON.stringify(roles),
  );
};

interface ToolRow extends Named {
  role: Role;
  calls: number;
  through: number;
  invoked: number;
  sessions: number;
  first_at: number;
  last_at: number;
}

const summaryFor = async (
  database: Database,
  known: readonly Tool[],
  called: readonly Named[],
  offered: readonly OfferedTools[],
  filter: Filter,
  isOne: boolean,
): Promise<Summary> => {
  await giveRoles(database, known, sorter(called, offered, filter));
  const tools = await database.rows<ToolRow>(`SELECT server, tool, role, sum(calls) AS calls, sum(through) AS through,
    sum(invoked) AS invoked, count(*) FILTER (WHERE ${HAS_SESSION})::DOUBLE AS sessions, min(first_at) AS first_at,
    max(last_at) AS last_at
    FROM (SELECT ${SESSION}, server, tool, role, sum(calls) AS calls, sum(through) AS through, sum(invoked) AS invoked,
      min(first_at) AS first_at, max(last_at) AS last_at FROM uses JOIN roles USING (tool_id) GROUP BY ALL) GROUP BY ALL`);
  const days = new Map<string, Map<string, number>>();
  const rows = await database.rows<Named & { day: number; calls: number }>(
    `SELECT server, tool, day, sum(calls) AS calls FROM days JOIN roles USING (tool_id) GROUP BY ALL ORDER BY day LIMIT ${MOST_DAYS}`,
  );
  for (const { server, tool, day, calls } of rows) {
    const key = `${server} ${tool}`;
    days.set(key, (days.get(key) ?? new Map<string, number>()).set(dayAt(day), calls));
  }
  const [counts] = await database.rows<{ sessions: number; legacy: number }>(`SELECT count(*)::DOUBLE AS sessions,
    count(*) FILTER (WHERE is_legacy)::DOUBLE AS legacy FROM (SELECT ${SESSION}, bool_or(role = 'legacy') AS is_legacy
    FROM uses JOIN roles USING (tool_id) WHERE ${HAS_SESSION} GROUP BY ${SESSION})`);
  const legacy = await database.rows<{ machine: string } & LegacySession>(`WITH newest AS (
      SELECT ${SESSION}, ${SESSION_TEXT} AS id, max(last_at) AS last FROM uses JOIN roles USING (tool_id) WHERE role = 'legacy' AND ${HAS_SESSION}
      GROUP BY ${SESSION} ORDER BY last DESC, ${SESSION_TEXT}, own, folder LIMIT ${MOST_LISTED}),
    tools AS (SELECT ${SESSION}, server, tool, sum(calls) AS calls FROM uses JOIN roles USING (tool_id)
      SEMI JOIN newest ON ${same('newest', 'uses')} WHERE role = 'legacy' GROUP BY ALL)
    SELECT coalesce(newest.own, machines.name) AS machine, newest.id AS session, newest.last AS last,
      list({'server': server, 'tool': tool, 'calls': calls} ORDER BY server, tool)[1:1000] AS tools
    FROM newest JOIN tools ON ${same('newest', 'tools')} LEFT JOIN machines ON machines.folder = newest.folder
    GROUP BY ALL ORDER BY last DESC, session, machine`);
  const total = (name: 'through' | 'invoked'): number => tools.reduce((sum, tool) => sum + tool[name], 0);
  return summaryOf(
    tools.map(({ first_at, last_at, invoked: _, ...tool }) => ({
      ...tool,
      first: first_at,
      last: last_at,
      days: days.get(`${tool.server} ${tool.tool}`) ?? new Map(),
    })),
    {
      sessions: counts?.sessions ?? 0,
      legacySessions: legacy.map(({ machine, session, last, tools }) => ({
        session,
        ...(isOne ? {} : { machine }),
        last,
        tools,
      })),
      legacyCount: counts?.legacy ?? 0,
      twice: Math.min(total('through'), total('invoked')),
    },
  );
};

interface UseRow extends Named {
  id: string;
  client: string;
  anyServer: boolean;
  calls: number;
  through: number;
  hidden: number;
  sent: number;
  first_at: number;
  last_at: number;
}

const useOf = ({ server, tool, ...row }: UseRow): NamedUse => ({
  server,
  tool,
  use: {
    session: row.id,
    tool: row.client,
    calls: row.calls,
    first: row.first_at,
    last: row.last_at,
    days: [],
    ...(row.anyServer ? { anyServer: true } : {}),
    through: row.through,
    hidden: row.hidden,
    sent: row.sent,
  },
});

/** The id of sessions that are not looked at: it comes after all others. */
const OTHERS = '\uffff';

/**
 * What a retirement needs: each tool of the server in each of its last sessions, and all other calls of that time by tool.
 */
const evidenceFor = async (
  database: Database,
  known: readonly Tool[],
  offered: readonly OfferedTools[],
  { server, tool }: Named,
  wanted: number,
  until: string,
  /** The servers that lines name. */
  named: readonly string[],
): Promise<ExportedEvidence> => {
  const last = Math.round(Date.parse(until) / LENGTH);
  await giveRoles(database, known, (named) => (isServer(named.server, server) ? 'own' : 'other'));
  // Later days are not complete yet.
  await database.run(`CREATE OR REPLACE TABLE window_uses AS SELECT ${SESSION}, tool_id, role = 'own' AS of_server,
    sum(calls) AS calls, sum(through) AS through, sum(unseen) AS hidden, greatest(sum(sent), 0) AS sent,
    min(first_at) AS first_at, max(last_at) AS last_at FROM seen JOIN roles USING (tool_id)
    WHERE day <= ${last} GROUP BY ALL HAVING sum(calls) > 0`);
  await database.run(`CREATE OR REPLACE TABLE looked AS
    SELECT *, ${SESSION_TEXT} || ' ' || row_number() OVER (ORDER BY newest DESC, ${SESSION_TEXT}, own, folder) AS id
    FROM (SELECT ${SESSION}, max(last_at) AS newest FROM window_uses WHERE of_server AND ${HAS_SESSION} GROUP BY ${SESSION}
      ORDER BY newest DESC, ${SESSION_TEXT}, own, folder LIMIT ${wanted})`);
  const since = 'coalesce((SELECT min(newest) FROM looked), 0)';
  const columns = `server, tool, client, anyServer, sum(calls) AS calls, sum(through) AS through, sum(hidden) AS hidden,
    sum(sent) AS sent, min(first_at) AS first_at, max(last_at) AS last_at`;
  const found = `(SELECT uses.*, looked.id, looked.newest, last_at >= ${since} AS recent FROM window_uses uses
    LEFT JOIN looked ON ${same('uses', 'looked')}) JOIN roles USING (tool_id)`;
  const inSessions = await database.rows<UseRow>(`SELECT id, ${columns} FROM ${found}
    WHERE of_server AND newest IS NOT NULL GROUP BY id, server, tool, client, anyServer LIMIT ${MOST_EVIDENCE + 1}`);
  // Older calls of the server show when a tool was last called; calls of other servers count if they may have been of the
  // tool.
  const beside = await database.rows<UseRow>(`SELECT CASE WHEN of_server THEN '${OTHERS}'
      ELSE coalesce((SELECT min(id) FROM looked), '${OTHERS}') END AS id, ${columns} FROM ${found}
    WHERE CASE WHEN of_server THEN newest IS NULL AND ${HAS_SESSION} ELSE newest IS NOT NULL OR recent END
    GROUP BY of_server, server, tool, client, anyServer, recent`);
  const [rest] = await database.rows<{ later: number | null; sessionless: number | null }>(`SELECT
    sum(calls) FILTER (WHERE day > ${last}) AS later,
    sum(calls) FILTER (WHERE day <= ${last} AND NOT ${HAS_SESSION} AND last_at + ${HOUR} > ${since}) AS sessionless
    FROM seen JOIN roles USING (tool_id) WHERE role = 'own' AND tool = ${literal(tool)}`);
  const direct = await database.rows<{ server: string }>(
    'SELECT DISTINCT server FROM uses JOIN roles USING (tool_id) WHERE through = 0',
  );
  return {
    uses: [...inSessions.slice(0, MOST_EVIDENCE), ...beside].map(useOf),
    own: new Set([...offered.map(({ source }) => source), ...direct.map((one) => one.server), ...named].map(spelled)),
    logged: new Set(inSessions.map(({ id }) => id)),
    later: rest?.later ?? 0,
    sessionless: rest?.sessionless ?? 0,
    overflow: inSessions.length > MOST_EVIDENCE,
  };
};

/**
 * Reads what machines exported.
 * @param from a folder, a file, a pattern or an address
 * @param wanted the tool whose retirement is asked about, in the client's spelling
 */
export const gatherExports = async (
  database: Database,
  from: string,
  place: { cwd: string; span: Span; config: LoadedConfig; offered: readonly OfferedTools[] },
  wanted?: string,
): Promise<Exported> => {
  const { span, config, offered } = place;
  const read = nothingRead();
  const files = await exportedFiles(database, from, { cwd: place.cwd, since: span.from, read });
  await readExports(database, files, span, read);
  await database.run(`CREATE TABLE kinds AS SELECT row_number() OVER (ORDER BY began, kind)::INTEGER AS number, kind
    FROM (SELECT kind, min(coalesce(first_at, told_at)) AS began FROM raw WHERE state IS NULL GROUP BY kind)
    QUALIFY number <= ${MOST_KINDS + 1}`);
  const kinds = await database.rows<{ kind: number; text: string }>(
    'SELECT number AS kind, kind AS text FROM kinds ORDER BY number',
  );
  if (kinds.length > MOST_KINDS) read.overflow = true;
  const known = kinds.slice(0, MOST_KINDS).map(kindOf);
  const tools = await countTools(database, partsOf(known, config, offered, wanted));
  const ids = await database.rows<{ tool_id: number }>('SELECT DISTINCT tool_id FROM days');
  const counted = new Set(ids.map(({ tool_id }) => tool_id));
  const called = tools.filter(({ tool_id }) => counted.has(tool_id)).map(({ server, tool }) => ({ server, tool }));
  const named = known.map(({ server }) => server).filter((server) => server !== '?');
  const [ends] = await database.rows<{ first: number | null; last: number | null }>(
    'SELECT min(first_at) AS first, max(last_at) AS last FROM uses',
  );
  const told = await database.rows<{ machine: string; at: number }>(
    `SELECT coalesce(own, name) AS machine, max(told_at) AS at FROM raw LEFT JOIN machines USING (folder)
      WHERE state IS NULL GROUP BY ALL ORDER BY machine LIMIT ${MOST_MACHINES}`,
  );
  const machines = new Map(told.map(({ machine, at }) => [machine, dayOf(at)]));
  // A day's file, even an empty one, shows that all days before are complete.
  const today = dayOf(span.now);
  for (const { machine, day } of files)
    if (day !== undefined && day <= today && day > (machines.get(machine) ?? '')) machines.set(machine, day);
  return {
    offered,
    called,
    read,
    gaps: gaps('exports', read, '64 KB (in a batch of log records: 16 MB)'),
    machines,
    ...defined({
      first: ends?.first == null ? undefined : dayOf(ends.first),
      last: ends?.last == null ? undefined : dayOf(ends.last),
    }),
    summary: (filter) => summaryFor(database, tools, called, offered, filter, machines.size <= 1),
    evidence: (tool, sessions, until) => evidenceFor(database, tools, offered, tool, sessions, until, named),
  };
};
