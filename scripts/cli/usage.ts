import { type Args, type Command, type CommandError, type Io, type Outcome, usageError } from '../command/command.ts';
import { lookOf, REPORT_OPTIONS, type ReportOptions, reported, reportOptions } from '../command/report.ts';
import { defined } from '../contract/defined.ts';
import { spelled } from '../contract/names.ts';
import { stateHome } from '../state/paths.ts';
import { painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteText } from '../text/quote.ts';
import { usageData } from '../usage/data.ts';
import { addDays, dayOf } from '../usage/days.ts';
import { type Gathered, gather } from '../usage/gather.ts';
import { isNamed, isServer, legacyOf, type Named } from '../usage/names.ts';
import type { UsageReport } from '../usage/report.ts';
import { EXIT, type Retirement, retire } from '../usage/retire.ts';
import { type Filter, summarize } from '../usage/summary.ts';
import { usageText } from '../usage/text.ts';

const FORMATS = {
  text: async () => usageText,
  html: async () => (await import('../usage/page.ts')).usagePage,
};
const DEFAULT_DAYS = 30;
const LONGEST_DAYS = 3_660;
const MOST_SESSIONS = 10_000;

const wrong = (message: string, hint?: string): CommandError => usageError('usage', message, hint);

const wholeNumber = (option: string, value: string, most: number): number => {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > most)
    throw wrong(`--${option} is a number from 1 to ${most}, not ${quoteText(value, 40)}`);
  return number;
};

interface WantedUsage extends Filter {
  days: number;
  retire?: string;
  sessions: number;
  transcripts: boolean;
  report: ReportOptions<keyof typeof FORMATS>;
}

const text = (values: Args['values'], name: string): string | undefined => {
  const value = values[name];
  if (value === '') throw wrong(`--${name} needs a value`);
  return typeof value === 'string' ? value : undefined;
};

const wantedOf = (args: Args): WantedUsage => {
  const { values } = args;
  const [days, sessions, named] = [text(values, 'days'), text(values, 'sessions'), text(values, 'retire')];
  const [server, tool] = [text(values, 'server'), text(values, 'tool')];
  for (const option of ['format', 'output']) text(values, option);
  const report = reportOptions('usage', args, FORMATS);
  if (named !== undefined && sessions === undefined) {
    throw wrong('--retire needs --sessions N', 'konnichiwagwan usage --retire TOOL --sessions 20');
  }
  if (named === undefined && sessions !== undefined) throw wrong('--sessions N says how far --retire TOOL looks back');
  if (named !== undefined && tool !== undefined) throw wrong('--retire TOOL names the tool already');
  return {
    // Whether a tool may be removed depends on sessions, not on days.
    days: days !== undefined ? wholeNumber('days', days, LONGEST_DAYS) : named ? LONGEST_DAYS : DEFAULT_DAYS,
    sessions: sessions === undefined ? 0 : wholeNumber('sessions', sessions, MOST_SESSIONS),
    transcripts: values.transcripts === true,
    report,
    ...defined({ retire: named, server, tool }),
  };
};

/** The tool that the user means: that of the named server, or of the only server that has it or its twin. */
const toolNamed = (wanted: string, server: string | undefined, { uses, offered }: Gathered): Named => {
  const known: Named[] = [
    ...uses,
    ...offered.flatMap(({ source, tools }) => [...tools].map((tool) => ({ server: source, tool }))),
  ].filter((named) => server === undefined || isServer(named.server, server));
  const found = new Map<string, Named>();
  for (const named of known) {
    for (const tool of [named.tool, legacyOf(named.tool)]) {
      if (tool === undefined || !isNamed({ server: named.server, tool }, wanted)) continue;
      found.set(`${spelled(named.server)} ${tool}`, { server: named.server, tool });
    }
  }
  // Tools that a gateway lists under its own name are called under the names of servers.
  const called = [...found.values()].filter((named) => uses.some((use) => isServer(use.server, named.server)));
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

const sourcesText = ({ log, transcripts }: Gathered): string =>
  [
    `the activity log (${plural(log.files, 'file')})`,
    ...(transcripts ? [plural(transcripts.files, 'transcript')] : []),
  ].join(' and ');

/** What the report is limited to: for a retirement, the tool and its twin. */
const filterOf = ({ server, tool }: WantedUsage, retirement: Retirement | undefined): Filter =>
  retirement ? { server: retirement.server, tool: retirement.tool } : { ...defined({ server, tool }) };

const reportOf = (wanted: WantedUsage, io: Io) => {
  const now = Date.now();
  const today = dayOf(now);
  const from = addDays(today, 1 - wanted.days);
  const place = {
    home: stateHome(io.env),
    project: io.env.CLAUDE_PROJECT_DIR || io.cwd,
    env: io.env,
    span: { from, since: Date.parse(from), now },
  };
  // A session in which the guard was off is known to its transcript alone.
  const gathered = gather(
    place,
    wanted.transcripts || wanted.retire !== undefined,
    io.progress,
    bareName(wanted.retire),
  );
  const retirement =
    wanted.retire === undefined
      ? undefined
      : retire(gathered, toolNamed(wanted.retire, wanted.server, gathered), wanted.sessions);
  const filter = filterOf(wanted, retirement);
  const summary = summarize(gathered.uses, gathered.offered, filter);
  const span = {
    // For all time, start at the first call, so that no chart begins with years of nothing.
    from: wanted.days === LONGEST_DAYS ? (gathered.first ?? from) : from,
    to: gathered.last !== undefined && gathered.last > today ? gathered.last : today,
  };
  const named = [filter.server, filter.tool].filter((name) => name !== undefined).join('/');
  const report: UsageReport = {
    ...span,
    summary,
    sources: sourcesText(gathered),
    gaps: gathered.gaps,
    ...defined({ retirement }),
    ...(named === '' ? {} : { filter: named }),
  };
  const { log, transcripts, gaps } = gathered;
  const read = { log, ...(transcripts ? { transcripts } : {}), complete: gaps.length === 0 };
  return { report, data: usageData(span, summary, read, retirement) };
};

export const usage: Command = {
  name: 'usage',
  summary: 'calls per tool and day, legacy against raw twin, and whether a legacy tool can be retired',
  usage:
    '[--days N] [--server NAME] [--tool NAME] [--transcripts] [--retire TOOL --sessions N] [--format NAME] [--output FILE]',
  options: {
    days: { type: 'string' },
    server: { type: 'string' },
    tool: { type: 'string' },
    transcripts: { type: 'boolean' },
    retire: { type: 'string' },
    sessions: { type: 'string' },
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

Without --retire it exits with 0, whatever it counts.`,
  run: async (args, io) => {
    const wanted = wantedOf(args);
    const { report, data } = reportOf(wanted, io);
    const { output, format } = wanted.report;
    const warnings = report.gaps.map((gap) => `${gap}: the numbers may be too low`);
    const terminal = process.stdout.isTTY === true && output === undefined && io.env.TERM !== 'dumb';
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
