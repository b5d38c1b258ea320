import {
  type Args,
  type Command,
  type CommandError,
  type Io,
  type Outcome,
  usageError,
  wholeNumber,
} from '../command/command.ts';
import { lookOf, REPORT_OPTIONS, type ReportOptions, reported, reportOptions } from '../command/report.ts';
import { loadConfig } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { isoTime } from '../contract/iso-date.ts';
import { spelled } from '../contract/names.ts';
import type { ReadCount, Span } from '../state/history.ts';
import { stateHome } from '../state/paths.ts';
import { painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteText } from '../text/quote.ts';
import { usageData } from '../usage/data.ts';
import { addDays, dayOf } from '../usage/days.ts';
import { gather } from '../usage/gather.ts';
import { isNamed, isServer, legacyOf, type Named, type OfferedTools, offeredTools } from '../usage/names.ts';
import { SCOPE, type UsageReport } from '../usage/report.ts';
import { EXIT, type Retirement, retire } from '../usage/retire.ts';
import { type Filter, type Summary, summarize } from '../usage/summary.ts';
import { usageText } from '../usage/text.ts';

const FORMATS = { text: async () => usageText, html: async () => (await import('../usage/page.ts')).usagePage };
const DEFAULT_DAYS = 30;
const LONGEST_DAYS = 3_660;
const MOST_SESSIONS = 10_000;

const wrong = (message: string, hint?: string): CommandError => usageError('usage', message, hint);

interface WantedUsage extends Filter {
  days: number;
  retire?: string;
  sessions: number;
  transcripts: boolean;
  /** Reads what many machines exported, instead of this machine's log. */
  exports?: { from: string; machines?: string; until: string; install: boolean };
  report: ReportOptions<keyof typeof FORMATS>;
}

const text = (values: Args['values'], name: string): string | undefined => {
  const value = values[name];
  if (value === '') throw wrong(`--${name} needs a value`);
  return typeof value === 'string' ? value : undefined;
};

/** The options of `--from`; undefined without it. */
const exportsOf = (values: Args['values']): WantedUsage['exports'] => {
  const [from, machines, until] = [text(values, 'from'), text(values, 'machines'), text(values, 'until')];
  const install = values['install-httpfs'] === true;
  if (from === undefined) {
    const [without] = Object.entries({ machines, until, 'install-httpfs': install || undefined }).filter(
      ([, value]) => value !== undefined,
    );
    if (without) throw wrong(`--${without[0]} is for what machines exported: it needs --from`);
    return undefined;
  }
  if (values.retire === undefined && (machines ?? until) !== undefined)
    throw wrong('--machines and --until say who has to have reported for --retire TOOL');
  if (values.transcripts === true) throw wrong('--transcripts are on this machine alone, and in no export');
  const yesterday = addDays(dayOf(Date.now()), -1);
  if (until !== undefined && (!isDay(until) || until > yesterday))
    throw wrong(`--until is a day (UTC) that is over, such as ${yesterday}, not ${quoteText(until, 40)}`);
  return { from, until: until ?? yesterday, install, ...defined({ machines }) };
};

/** Whether this is a day that exists, as `YYYY-MM-DD`. */
const isDay = (day: string): boolean => day.length === 10 && isoTime(day) !== undefined;

const wantedOf = (args: Args): WantedUsage => {
  const { values } = args;
  const [days, sessions, named] = [text(values, 'days'), text(values, 'sessions'), text(values, 'retire')];
  const [server, tool] = [text(values, 'server'), text(values, 'tool')];
  for (const option of ['format', 'output']) text(values, option);
  const report = reportOptions('usage', args, FORMATS);
  const exports = exportsOf(values);
  if (named !== undefined && sessions === undefined) {
    throw wrong('--retire needs --sessions N', 'konnichiwagwan usage --retire TOOL --sessions 20');
  }
  if (named === undefined && sessions !== undefined) throw wrong('--sessions N says how far --retire TOOL looks back');
  if (named !== undefined && tool !== undefined) throw wrong('--retire TOOL names the tool already');
  return {
    // Whether a tool may be removed depends on sessions, not on days.
    days: days !== undefined ? wholeNumber('usage', 'days', days, LONGEST_DAYS) : named ? LONGEST_DAYS : DEFAULT_DAYS,
    sessions: sessions === undefined ? 0 : wholeNumber('usage', 'sessions', sessions, MOST_SESSIONS),
    transcripts: values.transcripts === true,
    report,
    ...defined({ retire: named, server, tool, exports }),
  };
};

/** The tool that the user means: that of the named server, or of the only server that has it or its twin. */
const toolNamed = (
  wanted: string,
  server: string | undefined,
  used: readonly Named[],
  offered: readonly OfferedTools[],
): Named => {
  const known: Named[] = [
    ...used,
    ...offered.flatMap(({ source, tools }) => [...tools].map((tool) => ({ server: source, tool }))),
  ].filter((named) => server === undefined || isServer(named.server, server));
  const found = new Map<string, Named>();
  for (const named of known) {
    for (const tool of [named.tool, legacyOf(named.tool)]) {
      if (tool === undefined || !isNamed({ server: named.server, tool }, wanted)) continue;
      found.set(`${spelled(named.server)} ${tool}`, { server: named.server, tool });
    }
  }
  // A gateway lists tools under its own name, but calls use the names of servers.
  const called = [...found.values()].filter((named) => used.some((use) => isServer(use.server, named.server)));
  const [only, ...others] = called.length > 0 ? called : found.values();
  if (only !== undefined && others.length > 0) {
    const names = [only, ...others].slice(0, 8).map((one) => quoteText(`${one.server}/${one.tool}`, 80));
    throw wrong(`several tools are meant by ${quoteText(wanted, 60)}: ${names.join(', ')}`, 'name one of them');
  }
  const named = only ?? { server: server ?? 'unknown', tool: spelled(wanted) };
  const legacy = legacyOf(named.tool);
  if (legacy !== undefined && known.some((one) => one.server === named.server && one.tool === legacy)) {
    throw wrong(`${quoteText(named.tool, 60)} is the twin, which stays`, `konnichiwagwan usage --retire ${legacy}`);
  }
  return named;
};

/** The name of a tool without its server's, in the client's spelling. */
const bareName = (wanted: string | undefined): string | undefined =>
  wanted === undefined ? undefined : spelled(wanted.split('/').at(-1) ?? wanted).replace(/^mcp__.+?__/, '');

const sourcesText = ({ log, transcripts }: Counted['read']): string =>
  `the activity log (${plural(log.files, 'file')})${transcripts ? ` and ${plural(transcripts.files, 'transcript')}` : ''}`;

/** What the report is limited to: for a retirement, the tool and its twin. */
const filterOf = ({ server, tool }: WantedUsage, retirement: Retirement | undefined): Filter =>
  retirement ? { server: retirement.server, tool: retirement.tool } : { ...defined({ server, tool }) };

interface Counted {
  summary: Summary;
  gaps: readonly string[];
  read: { log: ReadCount; transcripts?: ReadCount };
  first?: string;
  last?: string;
  retirement?: Retirement;
  filter: Filter;
  scope: string;
  sources: string;
  /** For exports alone: the machines, as JSON. */
  machines?: object;
}

const countHere = (wanted: WantedUsage, io: Io, span: Span): Counted => {
  const place = { home: stateHome(io.env), project: projectOf(io), env: io.env, span };
  // Only the transcript shows a session in which the guard was off.
  const withTranscripts = wanted.transcripts || wanted.retire !== undefined;
  const gathered = gather(place, withTranscripts, io.progress, bareName(wanted.retire));
  const { uses, offered, gaps, log, transcripts, first, last } = gathered;
  const retirement =
    wanted.retire === undefined
      ? undefined
      : retire(gathered, toolNamed(wanted.retire, wanted.server, uses, offered), wanted.sessions);
  const filter = filterOf(wanted, retirement);
  const read = { log, ...defined({ transcripts }) };
  const summary = summarize(uses, offered, filter);
  const rest = defined({ first, last, retirement });
  return { summary, gaps, read, filter, scope: SCOPE, sources: sourcesText(read), ...rest };
};

const countExports = async (
  wanted: WantedUsage,
  { from, machines: list, until, install }: NonNullable<WantedUsage['exports']>,
  io: Io,
  span: Span,
): Promise<Counted> => {
  const { countedExports } = await import('../usage/exports/counted.ts');
  const offered = offeredTools(stateHome(io.env));
  const config = loadConfig(stateHome(io.env), projectOf(io), io.env);
  const place = { cwd: io.cwd, span, config, offered };
  return countedExports({ from, install, until, ...defined({ machines: list }) }, place, {
    wanted: bareName(wanted.retire),
    sessions: wanted.sessions,
    named: (called) =>
      wanted.retire === undefined ? undefined : toolNamed(wanted.retire, wanted.server, called, offered),
    filterOf: (retirement) => filterOf(wanted, retirement),
  });
};

const projectOf = (io: Io): string => io.env.CLAUDE_PROJECT_DIR || io.cwd;

const reportOf = async (wanted: WantedUsage, io: Io) => {
  const now = Date.now();
  const today = dayOf(now);
  const from = addDays(today, 1 - wanted.days);
  const days = { from, since: Date.parse(from), now };
  const counted = wanted.exports ? await countExports(wanted, wanted.exports, io, days) : countHere(wanted, io, days);
  const { summary, gaps, read, first, last, retirement, filter, scope, sources, machines } = counted;
  const span = {
    // For all time, start at the first call, so that no chart begins with years of nothing.
    from: wanted.days === LONGEST_DAYS ? (first ?? from) : from,
    to: last !== undefined && last > today ? last : today,
  };
  const named = [filter.server, filter.tool].filter((name) => name !== undefined).join('/');
  const report: UsageReport = {
    ...span,
    summary,
    sources,
    gaps,
    scope,
    ...defined({ retirement }),
    ...(named === '' ? {} : { filter: named }),
  };
  const data = usageData(span, summary, { ...read, complete: gaps.length === 0, scope }, retirement);
  return { report, data: machines === undefined ? data : { ...data, machines } };
};

export const usage: Command = {
  name: 'usage',
  usage:
    '[--days N] [--server NAME] [--tool NAME] [--transcripts] [--retire TOOL --sessions N] [--from PLACE [--machines N|FILE] [--until DAY]] [--format NAME] [--output FILE]',
  options: {
    days: { type: 'string' },
    server: { type: 'string' },
    tool: { type: 'string' },
    transcripts: { type: 'boolean' },
    retire: { type: 'string' },
    sessions: { type: 'string' },
    from: { type: 'string' },
    machines: { type: 'string' },
    until: { type: 'string' },
    'install-httpfs': { type: 'boolean' },
    ...REPORT_OPTIONS,
  },
  help: `
Counts the calls of MCP tools: per tool and day, a legacy tool X against its twin X_raw, and the sessions that still
call a legacy tool. Names and counts only: no argument and no text of a call is kept or shown. Days are UTC days.

  --days N       today and the days before it; ${DEFAULT_DAYS} if absent, with --retire all that is kept
  --server NAME  this server alone
  --tool NAME    this tool and its twin: NAME, SERVER/NAME or mcp__SERVER__NAME
  --transcripts  also what Claude Code keeps in its transcripts: calls from before the guard was installed, or while it
                 was off. Of a call that both know, one is counted; a tool that the client did not have was not called
  --format NAME  text; html, one page with a chart
  --output FILE  write it there, whole or not at all

--retire TOOL --sessions N answers whether the legacy tool can go, from the last N sessions that called any tool of its
server:

  exit 0  yes: none of them called TOOL, and the data is enough
  exit 1  no: at least one of them called TOOL, however few they are. A call that the guard denied counts
  exit 2  not enough data

The data is enough if there are N such sessions, a call of TOOL_raw in one of them went out (so the work has moved, and
did not just pause), everything could be read (no unreadable file, no damaged line, no limit reached), and no other call
can have been one of TOOL: through a tool that calls others, in a list of calls, with its arguments as a text, or under
another name of the server. Transcripts are always read: a session in which the guard was off is known to them alone.
Only the sessions of this user on this machine are known.

--from PLACE counts what many machines exported instead: a folder (with one folder for each machine), a pattern in quotes,
or an address such as s3://BUCKET/FOLDER. Files are activity logs, a collector's log records as JSON lines, or Parquet.
It needs the package @duckdb/node-api. With --retire:

  --machines N|FILE  the machines that are expected: how many, or a file with one name a line. The answer is yes only if
                     each of them reported after the last day that the answer is about
  --until DAY        that day, in UTC; yesterday if absent. A later call of TOOL is a no, too
  --install-httpfs   fetches DuckDB's extension for addresses, which is never fetched without this

Without --retire it exits with 0, whatever it counts.`,
  run: async (args, io) => {
    const wanted = wantedOf(args);
    const { report, data } = await reportOf(wanted, io);
    const { output, format } = wanted.report;
    const warnings = report.gaps.map((gap) => `${gap}: the numbers may be too low`);
    const terminal = io.stdout.isTTY === true && output === undefined && io.env.TERM !== 'dumb';
    const columns = Math.max(20, lookOf(wanted.report, io).columns);
    const look = { paint: painter(io.colour && terminal), columns, terminal };
    const brief = report.retirement ? usageText(report, look) : plural(report.summary.calls, 'call');
    const outcome: Outcome = {
      exit: report.retirement ? EXIT[report.retirement.answer] : 0,
      data,
      text: `${brief}\nwritten to ${quoteText(output ?? '', 200)}`,
      warnings,
    };
    const made = await reported(wanted.report, io, outcome, async () => (await FORMATS[format]())(report, look));
    return { ...made, warnings };
  },
};
