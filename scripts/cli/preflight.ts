import { type Args, type Command, type CommandError, type Io, type Outcome, usageError } from '../command/command.ts';
import { readText } from '../command/read-file.ts';
import { labelOf } from '../contract/label.ts';
import { parseBounded } from '../contract/read.ts';
import { isObject } from '../contract/types.ts';
import { publicChange } from '../diff/public-change.ts';
import { withRefusalsAbove } from '../lock/above.ts';
import { heldRules } from '../lock/at-revision.ts';
import {
  APPROVE_PROJECT,
  APPROVE_PROJECT_HELP,
  approvesProject,
  around,
  askWithProgress,
  findLock,
  lockIsGone,
  SPAWN,
  SPAWN_HELP,
} from '../lock/command.ts';
import { formerOf, lockFolders, whoseLock } from '../lock/folder.ts';
import type { AskContext, Offer } from '../lock/offers.ts';
import { unfitRecords } from '../lock/records.ts';
import { checkRequired, isPin, type Required, type Requirement, readRequirement } from '../lock/required.ts';
import { type Verified, verifyServers, withRecords } from '../lock/verify.ts';
import { changeLines } from '../reports/changes.ts';
import { type Paint, painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';

/** The exit code for each result, the worst for a job first. */
const EXIT = { missing: 10, refused: 11, changed: 11, unchecked: 12 } as const;

const usage = (message: string): CommandError => usageError('preflight', message);

const required = (text: unknown): Requirement => {
  const found = typeof text === 'string' ? readRequirement(text.trim()) : undefined;
  const shown = quoteText(String(text), 80);
  if (found === undefined) throw usage(`${shown} is not SERVER/TOOL, or SERVER/TOOL@PIN`);
  if (found.pin === undefined || isPin(found.pin)) return found;
  throw usageError(
    'preflight',
    `what follows @ in ${shown} is not the hash of a contract, or how one begins`,
    'write 12 to 64 of its digits (0-9, a-f), as `konnichiwagwan hash FILE` prints them, or leave out @ and what follows',
  );
};

/** A JSON array, an object with one as `require`, or one requirement per line; `#` starts a comment. */
const inFile = (text: string, file: string): Requirement[] => {
  if (!/^\s*[[{]/.test(text))
    return text
      .split('\n')
      .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
      .filter((line) => line !== '')
      .map(required);
  let value: unknown;
  try {
    value = parseBounded(text);
  } catch {
    throw usage(`${visible(file, { max: 160 })} begins like JSON, and is none`);
  }
  const list = isObject(value) ? value.require : value;
  if (!Array.isArray(list)) throw usage(`${visible(file, { max: 160 })} has no array "require"`);
  return list.map(required);
};

const wantedBy = async ({ positionals, values }: Args, io: Io): Promise<Requirement[]> => {
  const [file] = positionals;
  const given = ((values.require ?? []) as string[]).map(required);
  const all = [...given, ...(file === undefined ? [] : inFile(await readText(file, io), file))];
  if (all.length > 0) return all;
  throw usageError('preflight', 'nothing is required', 'konnichiwagwan preflight FILE, or --require SERVER/TOOL');
};

/** The servers in the lockfile; absent if there never was one. @throws CommandError if it is gone or broken */
const pinnedServers = (
  asking: AskContext,
  offers: ReadonlyMap<string, Offer>,
  names: string[],
): { pinned?: Verified[]; warnings: string[] } => {
  const whose = whoseLock(asking);
  const found = findLock(whose);
  if (found.status === 'lock') {
    const folders = lockFolders(asking.project, asking.env);
    const { rules, warnings } = heldRules(whose.home, ...folders);
    const lock = withRefusalsAbove(found.lock, whose, folders, names);
    const verified = verifyServers(lock, offers, { names, level: 'compatible' });
    const all = withRecords(verified, unfitRecords(found.lock, rules));
    return { pinned: all.filter(({ server }) => names.includes(server)), warnings };
  }
  const former = formerOf(whose, true);
  if (former) throw lockIsGone(whose, former);
  return { warnings: [] };
};

const MARKS = {
  approved: ['green', '✔'],
  there: ['green', '✔'],
  missing: ['red', '✘'],
  refused: ['red', '✘'],
  changed: ['red', '✘'],
  unchecked: ['yellow', '?'],
} as const;
const WORDS = {
  approved: 'as approved',
  there: 'there; nothing says how it should be',
  missing: 'missing',
  refused: 'refused',
  changed: 'changed',
  unchecked: 'could not be checked',
};

const lines = ({ server, tool, state, why, changes }: Required, paint: Paint): string[] => {
  const [style, mark] = MARKS[state];
  const said = `${visible(labelOf(server, tool), { max: 200 })}: ${WORDS[state]}${why === undefined ? '' : `: ${why}`}`;
  return [`${paint(style, mark)} ${said}`, ...changeLines(changes, paint, '  ')];
};

export const preflight: Command = {
  name: 'preflight',
  usage: '[FILE] [--require SERVER/TOOL[@PIN]] [--spawn] [--timeout SECONDS] [--approve-project-servers]',
  words: 1,
  options: { require: { type: 'string', multiple: true }, ...SPAWN, ...APPROVE_PROJECT },
  help: `
Asks the servers for what they list now, without a model and without a session. FILE names the tools, one a line, or as
JSON: {"require": ["tickets/close_issue", …]}. With @PIN a tool has to have the contract of that hash, as "hash" prints it,
or of one that begins so; without it, the contract that the lockfile of the project has, if there is one.

  --require SERVER/TOOL[@PIN]  a tool, in place of FILE or beside it; can be repeated
${SPAWN_HELP}
${APPROVE_PROJECT_HELP}

  0   all of them are there, and as approved
  10  one is missing
  11  one is not as approved
  12  one could not be checked
  2   it cannot be said what is needed

Of several, the first counts.`,
  run: async (args, io): Promise<Outcome> => {
    const wanted = await wantedBy(args, io);
    const names = [...new Set(wanted.map(({ server }) => server))];
    const here = around('preflight', args, io, names);
    const asking = { ...here, approvesProject: approvesProject(args, io, here) };
    const offers = await askWithProgress(asking, io);
    const { pinned, warnings } = pinnedServers(asking, offers, names);
    const found = checkRequired(wanted, offers, pinned);
    const paint = painter(io.colour);
    const worst = (Object.keys(EXIT) as (keyof typeof EXIT)[]).find((state) =>
      found.some((one) => one.state === state),
    );
    const bad = found.filter(({ state }) => state !== 'approved' && state !== 'there').length;
    const sum =
      bad === 0
        ? `all ${plural(found.length, 'tool')} there`
        : `${bad} of ${plural(found.length, 'tool')} not as needed`;
    return {
      exit: worst === undefined ? 0 : EXIT[worst],
      data: { tools: found.map(({ changes, ...one }) => ({ ...one, changes: changes.map(publicChange) })) },
      text: [...found.flatMap((one) => lines(one, paint)), '', sum].join('\n'),
      warnings,
    };
  },
};
