import { type Args, type Command, type Io, isReadByModel, usageError, wholeNumber } from '../command/command.ts';
import { whereabouts } from '../command/session.ts';
import { type LoadedConfig, loadConfig, policyFor } from '../config/config.ts';
import { present } from '../contract/defined.ts';
import { publicChange } from '../diff/public-change.ts';
import type { FoundChange } from '../diff/types.ts';
import { changesOfTool } from '../lock/compare.ts';
import { changeLines, withoutWords } from '../reports/changes.ts';
import type { Activity } from '../state/activity.ts';
import { followActivity, type LoggedCall, readActivity } from '../state/activity-log.ts';
import { keptContract } from '../state/contracts.ts';
import type { ReadCount } from '../state/history.ts';
import { type Paint, type PaintStyle, painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { plainName } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { tracesOf } from './traces.ts';

const VERDICTS: Record<Activity['verdict'], PaintStyle> = {
  silence: 'grey',
  'not-covered': 'grey',
  notice: 'blue',
  unchecked: 'yellow',
  failed: 'yellow',
  ask: 'yellow',
  deny: 'red',
};
const WIDTH = Math.max(...Object.keys(VERDICTS).map(({ length }) => length));
const FEWEST = 20;
const MOST = 10_000;
/** How many days are read first. Most wanted calls are recent; older days are read only if these are not enough. */
const FEW_DAYS = 7;

const isKnown = ({ verdict }: LoggedCall): boolean => Object.hasOwn(VERDICTS, verdict);

const hasHashes = ({ from, to, pinned }: LoggedCall): boolean => [from, to, pinned].some((hash) => hash !== undefined);

interface Log {
  lines: LoggedCall[];
  read: ReadCount;
}

/** The last calls that match, in the order of the log. */
const readLast = (home: string, most: number, isWanted: (call: LoggedCall) => boolean): Log => {
  const now = Date.now();
  const since = (from: string): Log => {
    let lines: LoggedCall[] = [];
    const last = new Map<string, LoggedCall>();
    let unknown = 0;
    const read = readActivity(home, { from, since: Date.parse(from), now }, (call) => {
      if (!isKnown(call)) unknown += 1;
      // Judged once more, by a newer list: one call is one line. The earlier one may not be among the wanted lines.
      const key = JSON.stringify([call.session, call.tool]);
      if (call.again) lines = lines.filter((line) => line !== last.get(key));
      last.set(key, call);
      if (isKnown(call) && isWanted(call)) lines.push(call);
      if (lines.length > 2 * most) lines = lines.slice(-most);
    });
    return { lines: lines.slice(-most), read: { ...read, damaged: read.damaged + unknown } };
  };
  const recent = since(new Date(now - FEW_DAYS * 86_400_000).toISOString().slice(0, 10));
  return recent.lines.length < most ? since('0000-01-01') : recent;
};

/** What changed between two contracts, or the hash of the one that is no longer kept. */
type Difference = { against: 'believed' | 'pinned' } & ({ changes: FoundChange[] } | { missing: string[] });

const differencesOf = (home: string, line: LoggedCall, mayShowWords: boolean): Difference[] => {
  const { from, to, pinned } = line;
  const tool = line.inner?.tool ?? line.tool;
  const now = to === undefined ? undefined : keptContract(home, to, tool);
  return (['believed', 'pinned'] as const).flatMap((against): Difference[] => {
    const hash = against === 'believed' ? from : pinned;
    if (hash === undefined) return [];
    const before = keptContract(home, hash, tool);
    const missing = present([before === undefined && hash, now === undefined && to]);
    if (missing.length > 0) return [{ against, missing }];
    const changes = changesOfTool(before, now);
    return [{ against, changes: mayShowWords ? changes : withoutWords(changes) }];
  });
};

const short = (hash: string | undefined): Shown => visible(hash === undefined ? 'none' : hash.slice(0, 12));

const lineText = ({ at, server, tool, inner, verdict, level, from, to, pinned }: LoggedCall, paint: Paint): Shown =>
  present([
    visible(new Date(at).toISOString().replace('T', ' ').replace(/\.\d+/, '')),
    paint(VERDICTS[verdict], visible(verdict.padEnd(WIDTH))),
    server !== undefined && plainName(server),
    inner ? say`${plainName(tool)}, which calls ${plainName(inner.tool)}` : plainName(tool),
    level !== undefined && visible(level),
    from !== undefined && say`${short(from)} → ${short(to)}`,
    pinned !== undefined && say`pinned ${short(pinned)}, runs ${short(to)}`,
  ]).reduce((line, part) => say`${line}  ${part}`);

const AGAINST = { believed: 'since the model learned it', pinned: 'since it was pinned' } as const;

const differenceLines = (difference: Difference, paint: Paint, columns: number): Shown[] => {
  const head = say`  ${AGAINST[difference.against]}:`;
  if ('missing' in difference) {
    const hashes = joined(difference.missing.map(short), ', ');
    return [say`${head} unknown: ${hashes} is no longer kept`];
  }
  if (difference.changes.length === 0) return [say`${head} no difference that means anything`];
  return [head, ...changeLines(difference.changes, paint, '  ', columns).slice(1)];
};

const differenceData = (found: Difference) =>
  'changes' in found ? { ...found, changes: found.changes.map(publicChange) } : found;

interface WantedCalls {
  last: number;
  diff: boolean;
  follow: boolean;
  trace: boolean;
}

const wantedOf = ({ values }: Args): WantedCalls => {
  const { last = FEWEST, diff, follow, trace, json } = values;
  if (trace && (diff || follow)) throw usageError('logs', '--trace stands alone: not beside --diff or --follow');
  if (follow && json) throw usageError('logs', '--follow prints lines, which never end, and --json one object');
  return {
    last: wholeNumber('logs', 'last', last, MOST),
    diff: diff === true,
    follow: follow === true,
    trace: trace === true,
  };
};

/** How often the log is read, in ms. */
const EVERY = 300;

/** Calls `look` repeatedly until the user interrupts it, or its output is closed. */
const untilInterrupted = (look: () => void, { stdout }: Io): Promise<void> =>
  new Promise((done) => {
    const timer = setInterval(look, EVERY);
    const end = (): void => {
      clearInterval(timer);
      done();
    };
    process.once('SIGINT', end).once('SIGTERM', end);
    stdout.once('error', end);
  });

/** Whether the words of a line's server may be shown: always to people, to the model only if the user trusts the server. */
const wordsFor =
  (io: Io, config: LoadedConfig) =>
  ({ server, inner }: LoggedCall): boolean =>
    !isReadByModel(io) ||
    // For a tool behind an invoker, the words may come from either server.
    [server, ...(inner ? [inner.server ?? server] : [])].every(
      (one) => one !== undefined && policyFor(config, one).trusted,
    );

export const logs: Command = {
  name: 'logs',
  usage: '[--last N] [--diff | --follow | --trace]',
  options: {
    last: { type: 'string' },
    diff: { type: 'boolean' },
    follow: { type: 'boolean', short: 'f' },
    trace: { type: 'boolean' },
  },
  help: `
Lists the last calls of MCP tools with the guard's verdicts, the newest last: when (UTC), the verdict (silence: sent;
notice: sent, and Claude was told; ask: you were asked; deny: stopped), the server, the tool, and where its contract had changed, how bad that was and the hashes of the contracts: the one that the model
believed and the one that the server ran, or the pinned one and the one that ran.

  --last N  so many lines, 1 to ${MOST}; ${FEWEST} if absent
  --diff    those lines alone where a contract had changed, each with what changed
  --follow  goes on with each call as it is judged, until it is interrupted
  --trace   of each call, and of the one inside it where the tool calls others, the contract, the arguments and the
            verdict. Nothing is kept for that unless your own settings say "trace": true; a project's cannot. Left out
            is what is a known secret, looks like a token, or stands under a name like "password"; the rest of the
            arguments is kept as it is, in files for you alone, of the last 8 MiB at most. Calls that wrap alone judges
            are not traced

What changed is compared again, from contracts that are kept under their hashes in the state folder: the last 500, at most
32 MiB in all and 1 MiB each, none that holds the value of a variable or header whose name looks like a secret's. Where one
of the two is no longer kept, logs says so. Where Claude Code runs this, the words of servers that the user does not
trust are left out.

Exits with 0, and with 2 if a file of the log cannot be read.`,
  run: async (args, io) => {
    const { last, diff, follow, trace } = wantedOf(args);
    const { home, project } = whereabouts(args, io);
    if (trace) return tracesOf(home, last, io, loadConfig(home, project, io.env));
    // Starts before the past is read: better to show a line twice than to miss it.
    const newCalls = follow ? followActivity(home, Date.now()) : undefined;
    const { lines, read } = readLast(home, last, (line) => !diff || hasHashes(line));
    const config = loadConfig(home, project, io.env);
    const words = wordsFor(io, config);
    const paint = painter(io.colour);
    const columns = Number(io.env.COLUMNS) || io.stdout.columns || 100;
    const shown = (line: LoggedCall) => ({ line, differences: diff ? differencesOf(home, line, words(line)) : [] });
    const textOf = ({ line, differences }: ReturnType<typeof shown>): Shown[] => [
      lineText(line, paint),
      ...differences.flatMap((one) => differenceLines(one, paint, columns)),
    ];
    const told = lines.map(shown);
    const data = told.map(({ line, differences }) => ({
      ...line,
      at: new Date(line.at).toISOString(),
      ...(diff ? { diffs: differences.map(differenceData) } : {}),
    }));
    const none = diff ? 'No call of a tool whose contract had changed is in the log.' : 'No call is in the log yet.';
    const damaged = read.damaged + read.tooLong;
    const warnings = present([
      read.unread > 0 && `${plural(read.unread, 'file')} of the log could not be read`,
      damaged > 0 && `${plural(damaged, 'line')} of the log could not be understood`,
    ]);
    const more = diff || !lines.some(hasHashes) ? [] : [say`What changed: konnichiwagwan logs --diff`];
    const text = told.length === 0 ? none : joined([...told.flatMap(textOf), ...more], '\n');
    if (newCalls === undefined) return { exit: read.unread > 0 ? 2 : 0, data: { lines: data }, text, warnings };
    io.stdout.write(`${text}\n`);
    await untilInterrupted(() => {
      const calls = newCalls(Date.now()).filter((call) => isKnown(call) && (!diff || hasHashes(call)));
      const next = calls.flatMap((call) => textOf(shown(call)));
      if (next.length > 0) io.stdout.write(`${joined(next, '\n')}\n`);
    }, io);
    return { exit: 0, data: {}, text: '', warnings };
  },
};
