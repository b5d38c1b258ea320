import { join } from 'node:path';
import { type Args, type Command, type Io, type Outcome, usageError } from '../command/command.ts';
import { ONE_PAGE, readToolFile } from '../command/read-file.ts';
import {
  ALSO,
  lookOf,
  moreReports,
  oneOf,
  REPORT_OPTIONS,
  reported,
  reportOptions,
  writeReports,
} from '../command/report.ts';
import { uriOf } from '../command/uri.ts';
import { labelOf } from '../contract/label.ts';
import { countLevels } from '../diff/levels.ts';
import { publicChange } from '../diff/public-change.ts';
import { type FoundChange, LEVELS } from '../diff/types.ts';
import { withRefusalsAbove } from '../lock/above.ts';
import {
  type ApprovedTool,
  approvedSince,
  decidedLines,
  decidedMarkdown,
  type RefusedTool,
  refusedSince,
} from '../lock/approved-since.ts';
import { atRevision, heldRules, nearerSince } from '../lock/at-revision.ts';
import {
  APPROVE_PROJECT,
  APPROVE_PROJECT_HELP,
  approvesProject,
  around,
  askWithProgress,
  needLock,
  notChecked,
  SPAWN,
  SPAWN_HELP,
  serverNames,
} from '../lock/command.ts';
import { lockFolders, pathTo, type WhoseLock, whoseLock } from '../lock/folder.ts';
import { nextStep, type Since } from '../lock/next-step.ts';
import type { Offer } from '../lock/offers.ts';
import { nearerLock, unfitRecords, unrecorded, weakerRules } from '../lock/records.ts';
import { type ApprovalRules, bothRules, hasRules, isWeaker, projectRules } from '../lock/rules.ts';
import { claimsOnly, unsignedSince } from '../lock/signers.ts';
import { commandFor } from '../lock/suggest-command.ts';
import { LOCKFILE, type Lock } from '../lock/types.ts';
import {
  bearingOf,
  exitOfVerified,
  labelledChanges,
  labelledTools,
  type Verified,
  verifyFile,
  verifyServers,
  withRecords,
} from '../lock/verify.ts';
import { countText } from '../reports/changes.ts';
import { FORMATS } from '../reports/formats.ts';
import { plainLines } from '../reports/text.ts';
import type { FormatContext } from '../reports/types.ts';
import { needShared, SHARED } from '../shared/command.ts';
import type { Paint } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';

/** Reads `NAME=FILE`, or FILE if only one server can be meant. Names of servers and files can hold `=`. */
const readOffline = (given: string, servers: readonly string[]): { server: string; file: string } => {
  const named = servers
    .filter((server) => given.startsWith(`${labelOf(server)}=`))
    .sort((a, b) => b.length - a.length)[0];
  if (named !== undefined) return { server: named, file: given.slice(labelOf(named).length + 1) };
  const [only, ...more] = servers;
  if (only !== undefined && more.length === 0) return { server: only, file: given };
  throw usageError(
    'verify',
    `--offline ${quoteText(given, 100)} does not say which server it is for`,
    '--offline NAME=FILE, where NAME is a server that is pinned',
  );
};

/** Offers from files instead of servers. No server is asked: one without a file is not checked. */
const offlineOffers = async (
  given: readonly string[],
  servers: readonly string[],
  io: Io,
): Promise<{ offers: Map<string, Offer>; files: string[] }> => {
  const offers = new Map<string, Offer>();
  const files: string[] = [];
  for (const { server, file } of given.map((text) => readOffline(text, servers))) {
    if (offers.has(server)) throw usageError('verify', `two --offline files are for ${quoteText(server, 60)}`);
    const { tools, partial } = await readToolFile(file, io);
    const why = `${quoteText(file, 160)} ${ONE_PAGE}: pass all pages as one list`;
    offers.set(server, partial ? { why } : { tools });
    files.push(file);
  }
  for (const server of servers)
    if (!offers.has(server)) offers.set(server, { why: 'no --offline file is given for it' });
  return { offers, files };
};

/** A hidden difference is still a difference: such a server is not reported "as pinned". */
const asPinned = ({ tools, hidden, pinned, refused }: Verified): string => {
  const left = tools - pinned.filter(({ name }) => refused.has(name)).length;
  return hidden === 0
    ? `${plural(left, 'tool')} as pinned${refused.size === 0 ? '' : `, ${refused.size} refused`}`
    : `nothing of that level; ${plural(hidden, 'milder difference')} in ${plural(left, 'tool')} not shown`;
};

/** A pin without a record of approval holds what was there at first contact, or what was copied in. */
const withoutRecord = (unrecorded: number): string =>
  unrecorded === 0 ? '' : `, ${unrecorded} without a record of approval`;

/** How many unpinned servers get a line each. */
const MOST_UNPINNED = 3;

/** Many servers that are not pinned, on one line: most of them are a person's own, and only what a team shares is pinned. */
const unpinnedLine = (servers: readonly Verified[], paint: Paint, spawn: boolean): string => {
  const names = servers.map(({ server }) => visible(labelOf(server), { max: 100 })).join(', ');
  const how = `To pin one that your team shares: konnichiwagwan pin NAME${spawn ? ' --spawn' : ''}`;
  return paint('red', `${servers.length} servers are not pinned: ${names}. ${how}`);
};

const stateLine = (one: Verified, paint: Paint, spawn: boolean): string => {
  const { server, state, tools, unrecorded, changes, hidden, why = '', hint } = one;
  const milder = hidden === 0 ? '' : `, and ${plural(hidden, 'milder difference')} not shown (--level)`;
  const name = visible(labelOf(server), { max: 100 });
  if (state === 'as-pinned')
    return paint(hidden === 0 ? 'green' : 'yellow', `${name}: ${asPinned(one)}${withoutRecord(unrecorded)}`);
  if (state === 'differs') return paint('red', `${name}: ${countText(changes)}${milder}`);
  if (state === 'not-pinned')
    return paint(
      'red',
      `${name}: not pinned (${plural(tools, 'tool')}): run ${commandFor('pin', server)}${spawn ? ' --spawn' : ''}`,
    );
  return paint('yellow', `${name}: ${notChecked({ why, hint })}`);
};

/** Stands in for a server's name if the problem is in the settings. */
const SETTINGS = '(settings)';

const SAID_OF_SERVER: ReadonlySet<string> = new Set(['server-not-pinned', 'server-not-checked']);

/** The report for people at a terminal: every server with its changes. Those that differ come last, where people look. */
const textOf = (
  verified: readonly Verified[],
  context: FormatContext,
  spawn: boolean,
  next: readonly string[],
): string => {
  const isQuiet = ({ state }: Verified): boolean => state === 'as-pinned';
  const sorted = [...verified.filter(isQuiet), ...verified.filter((one) => !isQuiet(one))];
  // Changes that a server's own line already reports are not repeated.
  const toldOf = (one: Verified) => labelledChanges([one]).filter(({ rule }) => !SAID_OF_SERVER.has(rule));
  const told = verified.flatMap(toldOf);
  const unpinned = sorted.filter(({ state }) => state === 'not-pinned');
  const isFolded = unpinned.length > MOST_UNPINNED;
  return [
    ...sorted.flatMap((one) => {
      if (isFolded && one.state === 'not-pinned') return [];
      const lines = plainLines(toldOf(one), context, '  ');
      return [...(lines.length > 0 ? [''] : []), stateLine(one, context.paint, spawn), ...lines];
    }),
    ...(isFolded ? ['', unpinnedLine(unpinned, context.paint, spawn)] : []),
    ...(told.length > 0 ? ['', countText(told)] : []),
    ...next,
  ]
    .join('\n')
    .trimStart();
};

const dataOf = (verified: readonly Verified[], lockfile: string) => ({
  lockfile,
  servers: verified.map(({ server, state, tools, unrecorded, hidden, why, hint }) => ({
    server,
    state,
    tools,
    without_record: unrecorded,
    hidden,
    why,
    hint,
  })),
  changes: verified.flatMap(({ server, changes }) => changes.map((change) => ({ server, ...publicChange(change) }))),
  summary: countLevels(verified.flatMap(({ changes }) => changes)),
});

const unpinnedUnchecked = (lock: Lock, offers: ReadonlyMap<string, Offer>, names: readonly string[]): string[] =>
  [...offers].flatMap(([server, offer]) =>
    lock.has(server) || names.includes(server) || 'tools' in offer || offer.waits
      ? []
      : [`${visible(labelOf(server), { max: 100 })} is not pinned, and ${notChecked(offer)}`],
  );

/** Adds what CI can do about servers that are not approved in Claude Code. */
const withHint = (offers: ReadonlyMap<string, Offer>): Map<string, Offer> => {
  const hint = 'in CI: --approve-project-servers';
  return new Map([...offers].map(([name, offer]) => [name, 'waits' in offer ? { ...offer, hint } : offer]));
};

const settings = (args: Args) => {
  const wanted = reportOptions('verify', args, FORMATS);
  const more = moreReports('verify', args, FORMATS);
  const level = oneOf('verify', 'level', args.values.level ?? 'compatible', LEVELS);
  const offline = (args.values.offline ?? []) as string[];
  if (args.values.records && (args.values.spawn || offline.length > 0))
    throw usageError('verify', '--records asks no server, and looks at the lockfile alone');
  if (args.values.shared && args.values.since !== undefined)
    throw usageError('verify', '--since is for the repository in which these approvals are kept, not for --shared');
  if (args.values.spawn && offline.length > 0)
    throw usageError('verify', '--offline asks no server, and --spawn would start one');
  return { wanted, more, level, offline };
};

/** What is wrong with the approvals in the lockfile, by server. */
const recordsOf = (
  lock: Lock,
  whose: WhoseLock,
  folders: readonly string[],
  rules: ApprovalRules,
  { values }: Args,
  names: readonly string[],
): {
  found: Map<string, FoundChange[]>;
  warnings: string[];
  approved: ApprovedTool[];
  refused: RefusedTool[];
  since?: Since;
} => {
  const isAsked = (server: string): boolean => names.length === 0 || names.includes(server);
  const wanted = (all: Map<string, FoundChange[]>) => new Map([...all].filter(([server]) => isAsked(server)));
  if (typeof values.since !== 'string')
    return { found: wanted(unfitRecords(lock, rules)), warnings: [], approved: [], refused: [] };
  const { project } = whose;
  const base = atRevision(project, values.since, folders);
  const since = quoteText(values.since, 60);
  const all = bothRules(rules, base.rules);
  const found = wanted(unrecorded(base.lock, lock, all, since));
  if (all.signatures)
    for (const [server, changes] of wanted(unsignedSince(project, base.base, base.lock, lock, all)))
      found.set(server, [...(found.get(server) ?? []), ...changes]);
  const above = folders.slice(folders.indexOf(project) + 1);
  // Without rules, first contact with a server needs no approval, in a folder of its own either.
  const isRuled = hasRules(all) || all.signatures;
  const nearer = isRuled ? nearerSince(project, base.base, above).map((path) => nearerLock(path, since)) : [];
  const weaker = isWeaker(folders.map(projectRules).reduce(bothRules), base.rules) ? [weakerRules(since)] : [];
  if (nearer.length + weaker.length > 0) found.set(SETTINGS, [...nearer, ...weaker]);
  const refused = refusedSince(base.lock, lock);
  const restore = `git checkout ${base.base.slice(0, 12)} -- ${pathTo(whose)}`;
  return {
    found,
    warnings: claimsOnly(all),
    approved: approvedSince(base.lock, lock).filter(({ server }) => isAsked(server)),
    refused: refused.filter(({ server }) => isAsked(server)),
    ...(base.lock.size > 0 ? { since: { revision: values.since, restore, refused } } : {}),
  };
};

export const verify: Command = {
  name: 'verify',
  usage:
    '[SERVER...] [--spawn] [--timeout SECONDS] [--approve-project-servers] [--since REV] [--records] [--offline [NAME=]FILE] [--format NAME] [--output FILE] [--also NAME=FILE] [--shared] [--level LEVEL]',
  words: Number.POSITIVE_INFINITY,
  options: {
    ...SPAWN,
    ...APPROVE_PROJECT,
    since: { type: 'string' },
    records: { type: 'boolean' },
    offline: { type: 'string', multiple: true },
    ...REPORT_OPTIONS,
    ...ALSO,
    level: { type: 'string' },
    ...SHARED,
  },
  help: `
Compares what the servers offer now with ${LOCKFILE}, and every pin with its seal.

${SPAWN_HELP}
${APPROVE_PROJECT_HELP}
  --offline [NAME=]FILE  take a server's tools from a file (any form that "hash" takes); no server is asked then, and
                         pinned ones without a file are not checked. NAME where several are pinned. Can be repeated
  --since REV            check also that each change of the lockfile since the git revision REV (origin/main) carries a
                         record of its approval, as REV's settings and the current ones ask for
  --records              check the lockfile and its records alone; no server is asked
  --format NAME          text, markdown, sarif, github, junit, html: as for "diff"
  --output FILE          write it there, whole or not at all
  --also NAME=FILE       write a report in another format, too, about the same answer. Can be repeated
  --shared               compare with the shared approvals in place of the lockfile: the copy on this machine, and of
                         it the servers that are configured here
  --level LEVEL          leave out changes that are milder: breaking, unclassified, silent, semantic, compatible

  0  all as pinned
  1  a contract changed, a tool came or went, a server without a pin answers, a pin was edited by hand, an
     approval is missing that "approvals" in the settings ask for, or that --since looks for
  2  no lockfile, or one that cannot be read; a pinned server that is not configured, or could not be asked

Both found: 1. In every report, what could not be checked stands beside what was found. In all formats each difference is
a failure, also one that no call can notice: in JUnit a "failure", and what could not be checked an "error".`,
  run: async (args, io) => {
    const { wanted, more, level, offline } = settings(args);
    const names = serverNames('verify', args);
    const here = around('verify', args, io, names.length > 0 ? names : undefined);
    const asking = { ...here, approvesProject: approvesProject(args, io, here) };
    const whose = whoseLock(asking);
    const { lock: whole, text: source } = args.values.shared === true ? needShared(asking, io) : needLock(whose);
    const folders = lockFolders(asking.project, asking.env);
    const { rules, warnings: unread } = heldRules(asking.home, ...folders);
    const records = recordsOf(whole, whose, folders, rules, args, names);
    const offlineServers = names.length > 0 ? names : [...whole.keys()];
    const { offers, files } = args.values.records
      ? { offers: new Map<string, Offer>(), files: [pathTo(whose)] }
      : offline.length > 0
        ? await offlineOffers(offline, offlineServers, io)
        : { offers: withHint(await askWithProgress(asking, io)), files: ['the servers'] };
    // Most servers of a company are not configured here.
    const isHere = (server: string): boolean =>
      offers.has(server) || names.includes(server) || args.values.records === true;
    const lock: Lock =
      args.values.shared === true
        ? new Map([...whole].filter(([server]) => isHere(server)))
        : withRefusalsAbove(whole, whose, folders, [...whole.keys(), ...offers.keys()]);
    const compared = args.values.records
      ? verifyFile(lock).filter(({ server }) => names.length === 0 || names.includes(server))
      : verifyServers(lock, offers, { level, ...(names.length > 0 ? { names } : {}) });
    const verified = withRecords(compared, records.found);
    const warnings = [...unpinnedUnchecked(lock, offers, names), ...records.warnings, ...unread];
    const changes = labelledChanges(verified);
    const differing = verified.filter(({ server, state }) => state === 'differs' && server !== SETTINGS);
    const next = nextStep(differing, lock, rules, records.since, asking.spawn);
    const outcome: Outcome = {
      exit: exitOfVerified(verified),
      data: {
        ...dataOf(verified, pathTo(whose)),
        ...(args.values.since === undefined
          ? {}
          : { approved: records.approved.map(({ seat: _, ...one }) => one), refused: records.refused }),
      },
      text: `${countText(changes)}; written to ${wanted.output}`,
      warnings,
    };
    const report = async (format: keyof typeof FORMATS, look: Pick<FormatContext, 'paint' | 'columns'>) => {
      const context: FormatContext = {
        before: { file: pathTo(whose), tools: verified.flatMap(({ server, pinned }) => labelledTools(server, pinned)) },
        after: { file: files.join(', '), tools: verified.flatMap(({ server, live }) => labelledTools(server, live)) },
        uri: uriOf(join(whose.project, LOCKFILE), io),
        source,
        ignored: [],
        bearingOf,
        warnings,
        ...look,
      };
      if (format === 'text')
        return [textOf(verified, context, asking.spawn, next), ...decidedLines(records.approved, records.refused)].join(
          '\n',
        );
      const made = await (await FORMATS[format]())(changes, context);
      const decided = format === 'markdown' ? decidedMarkdown(records.approved, records.refused) : '';
      return decided === '' ? made : `${made}\n\n${decided}`;
    };
    await writeReports(more, io, (format) => report(format, lookOf({ output: 'a file' }, io)));
    return reported(wanted, io, outcome, () => report(wanted.format, lookOf(wanted, io)));
  },
};
