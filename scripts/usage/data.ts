import { clientName, spelled } from '../contract/names.ts';
import type { ReadCount } from '../state/history.ts';
import type { Retirement } from './retire.ts';
import type { Summary, ToolUse } from './summary.ts';

/** Most sessions that are listed; more are only counted. */
const MOST_SESSIONS = 1_000;

const time = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

const toolData = ({ server, tool, role, calls, through, sessions, first, last, days }: ToolUse) => ({
  server,
  tool,
  client_name: clientName(`mcp__${spelled(server)}__`, tool),
  role,
  calls,
  ...(through > 0 ? { through_other_tools: through } : {}),
  sessions,
  first: time(first),
  last: time(last),
  days: Object.fromEntries([...days].sort(([a], [b]) => (a < b ? -1 : 1))),
});

const retirementData = (
  scope: string,
  { answer, server, tool, twin, wanted, found, because, restsOn, ...rest }: Retirement,
) => ({
  tool,
  server,
  twin,
  answer,
  because,
  sessions: { wanted, found, from: time(rest.from), to: time(rest.to) },
  legacy: { sessions: rest.legacy.sessions, calls: rest.legacy.calls, last: time(rest.legacy.last) },
  twin_use: { sessions: rest.twinUse.sessions, calls: rest.twinUse.calls, last: time(rest.twinUse.last) },
  rests_on: {
    sessions_in_log: restsOn.logged,
    sessions_in_transcripts: restsOn.transcripts,
    calls: restsOn.calls,
    twin_sent: restsOn.twinSent,
  },
  scope,
});

const readData = (read: ReadCount) => ({
  files: read.files,
  bytes: read.bytes,
  unread_files: read.unread,
  damaged_lines: read.damaged,
  lines_too_long: read.tooLong,
  calls_in_the_future: read.future,
  overflow: read.overflow,
});

/** The report as JSON, for programs. */
export const usageData = (
  span: { from: string; to: string },
  summary: Summary,
  read: { log: ReadCount; transcripts?: ReadCount; complete: boolean; scope: string },
  retirement?: Retirement,
) => ({
  ...span,
  days_in: 'UTC',
  complete: read.complete,
  calls: summary.calls,
  sessions: summary.sessions,
  tools: summary.tools.map(toolData),
  pairs: summary.pairs.map(({ server, legacy, twin }) => ({ server, legacy, twin })),
  legacy_sessions: {
    count: summary.legacyCount,
    sessions: summary.legacySessions
      .slice(0, MOST_SESSIONS)
      .map(({ last, tools, ...of }) => ({ ...of, last: time(last), tools })),
  },
  sources: { log: readData(read.log), transcripts: read.transcripts ? readData(read.transcripts) : null },
  retire: retirement ? retirementData(read.scope, retirement) : null,
});
