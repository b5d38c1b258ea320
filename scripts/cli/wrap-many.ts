import { type Args, CommandError, type Io } from '../command/command.ts';
import { tilde } from '../command/tilde.ts';
import { present } from '../contract/defined.ts';
import { withFileErrors } from '../install/errors.ts';
import { paintDiff } from '../install/preview.ts';
import { askPerson, canAsk, terminalOf } from '../lock/question.ts';
import { readWrap } from '../servers/wrapped.ts';
import { fold } from '../text/fold.ts';
import { plural } from '../text/plural.ts';
import { plainName, quoteName, quotePath } from '../text/quote.ts';
import { shellWord } from '../text/shell-word.ts';
import { visible } from '../text/visible.ts';
import type { TomlChange } from '../wrap-hosts/codex.ts';
import { type Coverage, coverageOf } from '../wrap-hosts/coverage.ts';
import { type HostEntry, hostEntries } from '../wrap-hosts/entries.ts';
import { wordsOf } from '../wrap-hosts/entry-text.ts';
import { type HostId, hostPlaces, type Scope } from '../wrap-hosts/hosts.ts';
import {
  type Adding,
  applyMany,
  isWrapped,
  type ManyPlan,
  mayNeedSignIn,
  planAddMany,
  planRemoveMany,
  programWords,
  whereOf,
} from '../wrap-hosts/plan.ts';
import { BACK, type Rewritten } from '../wrap-hosts/rewritten.ts';
import { bringsWrap } from '../wrap-hosts/start-words.ts';

/** How to go about it: `yes` skips the question, `dry` writes nothing. */
export interface WrapWay {
  yes: boolean;
  dry: boolean;
  /** The report itself is JSON; text for people goes elsewhere. */
  json: boolean;
}

export const wayOf = ({ values }: Args): WrapWay => ({
  yes: values.yes === true,
  dry: values['dry-run'] === true,
  json: values.json === true,
});

/** Makes sure that there is a terminal to ask at. @throws CommandError if there is none */
export const needTerminal = (what: 'this file' | 'these files', io: Io): void => {
  if (canAsk(io)) return;
  throw new CommandError(
    'not-agreed',
    `there is no terminal to ask at whether to change ${what}`,
    'Look with --dry-run, then add --yes. Nothing was changed.',
  );
};

/** The outcome. */
interface ManyDone {
  plan: ManyPlan;
  /** What was written; empty if nothing was. */
  written: Rewritten[];
  /** Whether the user said no. */
  declined: boolean;
}

/** How many characters of a command are shown, as the terminal has room. */
const COMMAND = { longest: 60, shortest: 16 };

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'a URL');

/** The words of the server itself, also behind wrap. */
const ownWords = ({ value, place }: HostEntry): string[] => {
  const words = wordsOf(value, place.form) ?? [];
  const { program, options } = readWrap(words) ?? {};
  if (program !== undefined) return words.slice(program);
  // The rest of an address may be a secret.
  return options?.flatMap(({ name, value }) => (name === 'url' ? [originOf(value)] : [])) ?? words;
};

/** One line for each server: its name, and how it is started, without wrap. */
const commandLines = ({ changes }: ManyPlan['files'][number], columns: number): string[] => {
  const width = Math.max(...changes.map(({ entry }) => plainName(entry.name).length));
  const max = Math.max(COMMAND.shortest, Math.min(COMMAND.longest, columns - width - 7));
  return changes.map(({ entry }) => {
    const words = ownWords(entry);
    // Arguments may contain secrets; the name of a program or a package does not.
    const shown = words.filter((word, at) => at === 0 || !/[=:]|^-.*(key|token|secret|pass)/i.test(word)).join(' ');
    return `    ${plainName(entry.name).padEnd(width)}  ${visible(shown, { max })}`;
  });
};

const listOf = (plan: ManyPlan, io: Io): string[] =>
  plan.files.flatMap((file) => [`  ${quotePath(tilde(file.file.file, io))}`, ...commandLines(file, io.columns)]);

const diffsOf = (plan: ManyPlan, colour: boolean): string[] =>
  plan.files.flatMap(({ file, changes }) => [
    `  ${quotePath(file.file)}`,
    ...changes.map(({ diff }) => paintDiff(diff, colour)),
  ]);

/** A question to a person: the lines before it, its text, and what Enter alone means. */
interface WrapQuestionText {
  before: readonly string[];
  text: string;
  onEnter: 'yes' | 'no';
}

const agreed = async (
  { before, text, onEnter }: WrapQuestionText,
  plan: ManyPlan,
  way: WrapWay,
  io: Io,
): Promise<boolean> => {
  const terminal = terminalOf(io, way.json);
  terminal.output.write(`${fold([...before, ...listOf(plan, io)].join('\n'), io.columns)}\n`);
  return (await askPerson(text, terminal, onEnter)) === 'yes';
};

const TRIES = 3;

/** Writes a plan. If a host wrote its file meanwhile, as Claude Code often does, plans again. */
const applied = (plan: () => ManyPlan, io: Io): Pick<ManyDone, 'plan' | 'written'> => {
  for (let tries = 1; ; tries++) {
    const now = plan();
    try {
      return { plan: now, written: withFileErrors(() => applyMany(now, io)) };
    } catch (error) {
      if (tries === TRIES || !(error instanceof CommandError && error.code === 'settings-changed')) throw error;
    }
  }
};

const make = async (plan: () => ManyPlan, question: WrapQuestionText, way: WrapWay, io: Io): Promise<ManyDone> => {
  const first = withFileErrors(plan);
  if (way.dry || first.files.length === 0) return { plan: first, written: [], declined: false };
  if (!way.yes) needTerminal('these files', io);
  if (!way.yes && !(await agreed(question, first, way, io))) return { plan: first, written: [], declined: true };
  return { ...applied(() => withFileErrors(plan), io), declined: false };
};

const totalOf = ({ guarded, programs, shared, signIn, remote }: Coverage): number =>
  guarded.length + programs.length + shared.length + signIn.length + remote.length;

const countOf = (found: Coverage): string => {
  const { guarded } = found;
  const all = totalOf(found);
  return `${guarded.length} of ${plural(all, 'server')} ${guarded.length === 1 || all === 1 ? 'is' : 'are'} guarded`;
};

const namesOf = (entries: readonly HostEntry[]): string => entries.map(({ name }) => quoteName(name)).join(', ');

/** The command for a server whose file is shared with others, and for those that want a sign-in. */
const otherLines = ({ shared, signIn, remote, guarded }: Coverage): string[] => {
  const addOf = ({ name, place: { host, scope } }: HostEntry): string =>
    `konnichiwagwan wrap --add ${shellWord(visible(name))}${host === 'claude' ? '' : ` --host ${host}`}${scope === 'project' ? ' --scope project' : ''}`;
  const unsure = guarded.filter((entry) => !isWrapped(entry) && mayNeedSignIn(entry));
  return present([
    ...shared.map(
      (entry) =>
        `Not guarded: ${quoteName(entry.name)} in ${quotePath(entry.place.file)}, which your team shares: ${addOf(entry)}`,
    ),
    ...remote.map((entry) => `Not guarded: ${quoteName(entry.name)}, behind a URL: ${addOf(entry)}`),
    signIn.length > 0 &&
      `Not guarded: ${namesOf(signIn)}, where Claude Code signs in itself. What to do: konnichiwagwan doctor`,
    unsure.length > 0 &&
      `If ${namesOf(unsure)} ${unsure.length === 1 ? 'wants' : 'want'} you to sign in, calls of ${unsure.length === 1 ? 'it' : 'them'} are not checked. What to do then: konnichiwagwan doctor`,
  ]);
};

/** What the others who get a shared file need for its wrapped servers. */
export const teamNote = (entries: readonly HostEntry[]): string =>
  entries.every(({ place }) => bringsWrap(place))
    ? 'Commit the file together with .claude/skills/konnichiwagwan: the servers start through the program in it, also for other people.'
    : 'Other people who use this file need konnichiwagwan installed, or the server does not start for them.';

/** What a person changes in TOML, which is not rewritten. */
export const tomlLines = (entry: HostEntry, { table, takeOut, putIn }: TomlChange): string[] =>
  present([
    `${quoteName(entry.name)} (${whereOf(entry)}): TOML is not rewritten. In the table ${visible(table, { max: 200 })}`,
    'take out:',
    ...takeOut.map((line) => `    ${visible(line)}`),
    'and put in:',
    ...putIn.map((line) => `    ${visible(line)}`),
    [...takeOut, ...putIn].some((line) => line.includes('…')) && '… stands for the value that is there now.',
  ]);

const leftLines = ({ left }: ManyPlan): string[] =>
  left.flatMap(({ entry, why, toml }) =>
    toml ? tomlLines(entry, toml) : [`Not changed: ${quoteName(entry.name)} ${why} (${whereOf(entry)})`],
  );

const namesIn = (plan: ManyPlan): string[] =>
  plan.files.flatMap(({ changes }) => changes.map(({ entry }) => entry.name));

const doneData = (action: 'add' | 'remove', { plan, written }: ManyDone, dry: boolean) => ({
  action,
  dry_run: dry,
  changed: written.length > 0,
  files: plan.files.map(({ file, changes }) => ({
    path: file.file,
    servers: changes.map(({ entry }) => entry.name),
    diff: changes.flatMap(({ diff }) => diff),
  })),
  left: plan.left.map(({ entry, why }) => ({ name: entry.name, path: entry.place.file, why })),
});

/** What was found and what was done, for people and as data. */
export interface Report {
  lines: string[];
  data: object;
  /** Set if a file could not be read: what its servers are is unknown. */
  isPartial?: boolean;
  /** Whether anything was written. */
  isMade?: boolean;
}

/** Files of a host, or of all, that cannot be read: none of their servers counts. */
const unreadLines = (io: Io, host?: HostId): string[] => {
  const files = hostPlaces(io).filter((place) => host === undefined || place.host === host);
  return hostEntries(io, true)
    .problems.filter((problem) => files.some(({ file }) => problem.startsWith(file)))
    .map((problem) => `Its servers are not known: ${visible(problem, { max: 400 })}. Correct the file, and try again.`);
};

/**
 * Puts wrap before every server program whose file is not shared with others, after a yes.
 * @throws CommandError if there is no terminal to ask at, or a file cannot be written
 */
export const guardAll = async (
  { host = 'claude', scope }: { host?: HostId; scope?: Scope },
  how: Adding,
  way: WrapWay,
  io: Io,
): Promise<Report> => {
  const look = () => coverageOf(hostEntries(io, true).entries, host, io);
  const before = look();
  const wanted = (found: Coverage): HostEntry[] =>
    [...found.programs, ...(scope === 'project' ? found.shared : [])].filter(
      ({ place }) => scope === undefined || place.scope === scope,
    );
  const entries = wanted(before);
  const question: WrapQuestionText = {
    before: [`${countOf(before)}. ${howMany(entries, how, io)}`],
    text: `Guard ${entries.length === 1 ? 'it' : 'them'}, too?`,
    onEnter: 'yes',
  };
  const done = await make(() => planAddMany(io, wanted(look()), how), question, way, io);
  const after = look();
  const names = namesIn(done.plan);
  const title = entries[0]?.place.title ?? '';
  const isMade = done.written.length > 0;
  const unread = unreadLines(io, host);
  return {
    isMade,
    isPartial: unread.length > 0,
    data: {
      ...doneData('add', done, way.dry),
      guarded: after.guarded.length,
      unguarded: [...after.programs, ...after.shared, ...after.remote].map(({ name }) => name),
    },
    lines: present([
      way.dry && names.length > 0 && `Would start ${plural(names.length, 'server')} through wrap:`,
      ...(way.dry ? diffsOf(done.plan, io.colour) : []),
      isMade &&
        `${countOf(after)}. ${title} starts ${names.length === 1 ? 'this one' : `these ${names.length}`} through konnichiwagwan in new sessions. Restart sessions that are open now.`,
      !isMade && !way.dry && `${countOf(after)}.${done.declined ? ' Nothing was changed.' : ''}`,
      isMade && scope === 'project' && teamNote(entries),
      ...leftLines(done.plan),
      ...(scope === 'project' ? [] : otherLines(after)),
      ...unread,
      way.dry && 'Nothing was written.',
    ]),
  };
};

/** How many more can be guarded, and how their entries change. */
const howMany = ([first, ...more]: readonly HostEntry[], how: Adding, io: Io): string => {
  if (first === undefined) return '';
  const start = programWords(io, first, how).map((word) => tilde(shellWord(visible(word)), io));
  return more.length === 0
    ? `One more can be guarded, a local (stdio) server. Its command then begins with \`${start.join(' ')}\`:`
    : `${more.length + 1} more can be guarded, all of them local (stdio) servers. Their commands then begin with \`${start.join(' ')}\`:`;
};

/** Removes wrap from every server that starts through it, after a yes. @throws CommandError as `guardAll` */
export const unguardAll = async (
  { host, scope }: { host?: HostId; scope?: Scope },
  way: WrapWay,
  io: Io,
): Promise<Report> => {
  const find = () =>
    hostEntries(io, true).entries.filter(
      (entry) =>
        isWrapped(entry) &&
        (host === undefined || entry.place.host === host) &&
        (scope === undefined ? entry.place.scope !== 'project' : entry.place.scope === scope),
    );
  const count = find().length;
  const question: WrapQuestionText = {
    before: [`${plural(count, 'server')} ${count === 1 ? 'starts' : 'start'} through konnichiwagwan wrap:`],
    text: 'Put back how they were started? Their calls are not checked after that.',
    onEnter: 'no',
  };
  const done = await make(() => planRemoveMany(find()), question, way, io);
  const rest = hostEntries(io, true).entries.filter((entry) => isWrapped(entry) && entry.place.scope === 'project');
  const unread = unreadLines(io, host);
  return {
    isPartial: unread.length > 0,
    data: doneData('remove', done, way.dry),
    lines: present([
      count === 0 && 'No server starts through wrap.',
      ...(way.dry ? diffsOf(done.plan, io.colour) : []),
      ...done.written.map(({ file, state }) => `${quotePath(tilde(file, io))} put back: ${BACK[state]}`),
      ...leftLines(done.plan),
      ...(scope === 'project'
        ? []
        : rest.map(
            (entry) =>
              `Still wrapped: ${quoteName(entry.name)} in ${quotePath(entry.place.file)}, which your team shares: konnichiwagwan wrap --remove ${shellWord(visible(entry.name))} --scope project`,
          )),
      ...unread,
      (done.declined || way.dry) && 'Nothing was written.',
    ]),
  };
};

/** What an installation reports about servers if there is no terminal to ask at; empty if all are guarded. */
export const offerLines = (io: Io): Required<Pick<Report, 'lines' | 'isPartial'>> => {
  const found = coverageOf(hostEntries(io, true).entries, 'claude', io);
  const unread = unreadLines(io, 'claude');
  const isPartial = unread.length > 0;
  if (totalOf(found) === 0) return { lines: unread, isPartial };
  const rest =
    found.programs.length === 0
      ? []
      : [`Guard the other ${found.programs.length}, too: konnichiwagwan wrap --add --all`];
  return { lines: [`${countOf(found)}.`, ...rest, ...otherLines(found), ...unread], isPartial };
};
