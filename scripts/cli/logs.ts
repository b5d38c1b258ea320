import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Args, type Command, CommandError, type Io, isReadByModel } from '../command/command.ts';
import { whereabouts } from '../command/session.ts';
import { type LoadedConfig, loadConfig, policyFor } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { isObject, type Json } from '../contract/types.ts';
import { publicChange } from '../diff/diff.ts';
import type { FoundChange } from '../diff/types.ts';
import { LEVELS } from '../diff/types.ts';
import { changesOfTool } from '../lock/compare.ts';
import { changeLines, withoutWords } from '../reports/changes.ts';
import type { Activity } from '../state/activity.ts';
import { isContractHash, keptContract } from '../state/contracts.ts';
import { activityPath } from '../state/paths.ts';
import { type Paint, type PaintStyle, painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { plainName, quoteText } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { streamLines } from '../usage/lines.ts';

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
const DAY_FILE = /^(\d{4}-\d\d-\d\d)\.jsonl$/;
const LONGEST_NAME = 512;

type Logged = Activity & { at: string };

const isVerdict = (value: unknown): value is Activity['verdict'] =>
  typeof value === 'string' && Object.hasOwn(VERDICTS, value);
const isName = (value: unknown): value is string => typeof value === 'string' && value.length <= LONGEST_NAME;

/** A line of the log, as far as it is what was written; undefined where it is not. */
const readLine = (line: Buffer): Logged | undefined => {
  try {
    const entry: unknown = JSON.parse(line.toString('utf8'));
    if (!isObject(entry)) return undefined;
    const { at, session, server, tool, verdict, level, from, to, pinned } = entry;
    if (typeof at !== 'string' || Number.isNaN(Date.parse(at)) || !isName(session) || !isName(tool)) return undefined;
    if (!isVerdict(verdict)) return undefined;
    const hash = (value: unknown) => (isContractHash(value) ? value : undefined);
    return {
      at: new Date(at).toISOString(),
      session,
      tool,
      verdict,
      ...defined({
        server: isName(server) ? server : undefined,
        level: LEVELS.find((one) => one === level),
        from: hash(from),
        to: hash(to),
        pinned: hash(pinned),
      }),
    };
  } catch {
    return undefined;
  }
};

const hasHashes = ({ from, to, pinned }: Activity): boolean => [from, to, pinned].some((hash) => hash !== undefined);

interface Log {
  lines: Logged[];
  damaged: number;
  /** Files that could not be read. */
  unread: number;
}

/** The days that have a file, the newest first. */
const daysOf = (home: string): string[] => {
  try {
    return readdirSync(dirname(activityPath(home, '')))
      .flatMap((file) => DAY_FILE.exec(file)?.[1] ?? [])
      .sort()
      .reverse();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** The last lines of the log that are wanted, the oldest of them first. */
const readLast = (home: string, most: number, isWanted: (line: Logged) => boolean): Log => {
  const log: Log = { lines: [], damaged: 0, unread: 0 };
  for (const day of daysOf(home)) {
    const left = most - log.lines.length;
    if (left === 0) break;
    let last: Logged[] = [];
    const { error, tooLong } = streamLines(activityPath(home, day), (line, ended) => {
      if (line.length === 0) return;
      const entry = readLine(line);
      // What stands after the last line feed is still being written.
      if (entry === undefined) log.damaged += ended ? 1 : 0;
      else if (isWanted(entry)) last.push(entry);
      if (last.length > 2 * left) last = last.slice(-left);
    });
    log.damaged += tooLong;
    if (error !== undefined) log.unread += 1;
    log.lines.unshift(...last.slice(-left));
  }
  return log;
};

/** What changed from one contract to another one, or the hash of the one that is not kept. */
type Difference = { against: 'believed' | 'pinned' } & ({ changes: FoundChange[] } | { missing: string[] });

const differencesOf = (home: string, line: Logged, mayShowWords: boolean): Difference[] => {
  const { from, to, pinned, tool } = line;
  const now = to === undefined ? undefined : keptContract(home, to, tool);
  return (['believed', 'pinned'] as const).flatMap((against): Difference[] => {
    const hash = against === 'believed' ? from : pinned;
    if (hash === undefined) return [];
    const before = keptContract(home, hash, tool);
    const missing = [...(before ? [] : [hash]), ...(to !== undefined && now === undefined ? [to] : [])];
    if (missing.length > 0) return [{ against, missing }];
    const changes = changesOfTool(before, now);
    return [{ against, changes: mayShowWords ? changes : withoutWords(changes) }];
  });
};

const short = (hash: string | undefined): Shown => visible(hash === undefined ? 'none' : hash.slice(0, 12));

const lineText = ({ at, server, tool, verdict, level, from, to, pinned }: Logged, paint: Paint): Shown =>
  [
    visible(`${at.slice(0, 10)} ${at.slice(11, 19)}Z`),
    paint(VERDICTS[verdict], visible(verdict.padEnd(WIDTH))),
    ...(server === undefined ? [] : [plainName(server)]),
    plainName(tool),
    ...(level === undefined ? [] : [visible(level)]),
    ...(from === undefined ? [] : [say`${short(from)} → ${short(to)}`]),
    ...(pinned === undefined ? [] : [say`pinned ${short(pinned)}, runs ${short(to)}`]),
  ].reduce((line, part) => say`${line}  ${part}`);

const AGAINST = { believed: 'since the model learned it', pinned: 'since it was pinned' } as const;

const differenceLines = (difference: Difference, paint: Paint, columns: number): Shown[] => {
  const head = say`  ${AGAINST[difference.against]}:`;
  if ('missing' in difference) {
    const hashes = joined(difference.missing.map(short), ', ');
    return [say`${head} not known any more: ${hashes} is not kept`];
  }
  if (difference.changes.length === 0) return [say`${head} no difference that means anything`];
  return [head, ...changeLines(difference.changes, paint, '  ', columns).slice(1)];
};

const wantedOf = ({ values }: Args): { last: number; diff: boolean } => {
  const { last = String(FEWEST), diff } = values;
  const count = /^[0-9]{1,5}$/.test(String(last)) ? Number(last) : 0;
  if (count < 1 || count > MOST)
    throw new CommandError(
      'usage',
      `--last is a number from 1 to ${MOST}, not ${quoteText(String(last), 40)}`,
      'konnichiwagwan logs --help',
    );
  return { last: count, diff: diff === true };
};

/** Whether the words of a line's server may be shown: to people always, to the model where the user trusts it. */
const wordsFor =
  (io: Io, config: LoadedConfig) =>
  ({ server }: Logged): boolean =>
    !isReadByModel(io) || (server !== undefined && policyFor(config, server).trusted);

export const logs: Command = {
  name: 'logs',
  summary: 'the last verdicts of the guard, and what had changed',
  usage: '[--last N] [--diff]',
  options: { last: { type: 'string' }, diff: { type: 'boolean' } },
  help: `
Lists the last calls of MCP tools with the guard's verdicts, the newest last: when (UTC), the verdict, the server, the
tool, and where its contract had changed, how bad that was and the hashes of the contracts: the one that the model
believed and the one that the server ran, or the pinned one and the one that ran.

  --last N  so many lines, 1 to ${MOST}; ${FEWEST} if absent
  --diff    those lines alone where a contract had changed, each with what changed

What changed is compared anew, from contracts that are kept under their hashes in the state folder: the last 500, at most
32 MiB in all and 1 MiB each, none that holds the value of a variable or header whose name looks like a secret's. Where one
of the two is not kept any more, that is said. Where Claude Code runs this, the words of servers that the user does not
trust are left out.

Exits with 0, and with 2 if a file of the log cannot be read.`,
  run: async (args, io) => {
    const { last, diff } = wantedOf(args);
    const { home, project } = whereabouts(args, io);
    const { lines, damaged, unread } = readLast(home, last, (line) => !diff || hasHashes(line));
    const config = loadConfig(home, project, io.env);
    const words = wordsFor(io, config);
    const paint = painter(io.colour);
    const columns = Number(io.env.COLUMNS) || process.stdout.columns || 100;
    const told = lines.map((line) => ({
      line,
      differences: diff ? differencesOf(home, line, words(line)) : [],
    }));
    const data = told.map(({ line, differences }) => ({
      ...line,
      ...(diff
        ? {
            diffs: differences.map(({ against, ...found }) =>
              'changes' in found
                ? { against, changes: found.changes.map(publicChange) }
                : { against, missing: found.missing },
            ),
          }
        : {}),
    }));
    const none = diff ? 'No call of a tool whose contract had changed is in the log.' : 'No call is in the log yet.';
    const warnings = [
      ...(unread > 0 ? [`${plural(unread, 'file')} of the log could not be read`] : []),
      ...(damaged > 0 ? [`${plural(damaged, 'line')} of the log could not be understood`] : []),
    ];
    return {
      exit: unread > 0 ? 2 : 0,
      data: { lines: data } as unknown as Json,
      text:
        told.length === 0
          ? none
          : joined(
              told.flatMap(({ line, differences }) => [
                lineText(line, paint),
                ...differences.flatMap((one) => differenceLines(one, paint, columns)),
              ]),
              '\n',
            ),
      warnings,
    };
  },
};
