import { CommandError, type Io } from '../command/command.ts';
import { tilde } from '../command/tilde.ts';
import { withFileErrors } from '../install/errors.ts';
import { paintDiff } from '../install/preview.ts';
import { needNoAgent } from '../lock/need-person.ts';
import { askPerson } from '../lock/question.ts';
import { plural } from '../text/plural.ts';
import { plainName, quoteName, quotePath } from '../text/quote.ts';
import { shellWord } from '../text/shell-word.ts';
import { visible } from '../text/visible.ts';
import { type Coverage, coverageOf } from '../wrap-hosts/coverage.ts';
import { type HostEntry, hostEntries } from '../wrap-hosts/entries.ts';
import { wordsOf } from '../wrap-hosts/entry-text.ts';
import type { HostId, Scope } from '../wrap-hosts/hosts.ts';
import { applyMany, isWrapped, type ManyPlan, planAddMany, planRemoveMany, whereOf } from '../wrap-hosts/plan.ts';
import { BACK, type Rewritten } from '../wrap-hosts/rewritten.ts';

/** How to change many servers: `yes` skips the question, `dry` writes nothing. */
export interface WrapWay {
  yes: boolean;
  dry: boolean;
  /** The report itself is JSON; text for people goes elsewhere. */
  json: boolean;
}

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

/** One line for each server: its name, and what its host starts now. */
const commandLines = ({ changes }: ManyPlan['files'][number], columns: number): string[] => {
  const width = Math.max(...changes.map(({ entry }) => plainName(entry.name).length));
  const max = Math.max(COMMAND.shortest, Math.min(COMMAND.longest, columns - width - 7));
  return changes.map(({ entry }) => {
    const words = wordsOf(entry.value, entry.place.form) ?? [];
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

/** Whether there is a terminal to ask a person at. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

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
  const output = (way.json ? process.stderr : process.stdout) as typeof process.stdout;
  output.write(`${[...before, ...listOf(plan, io)].join('\n')}\n`);
  return (await askPerson(text, process.stdin, output, onEnter)) === 'yes';
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
  if (!way.yes && !canAsk())
    throw new CommandError(
      'not-agreed',
      'there is no terminal to ask at whether to change these files',
      'Look with --dry-run, then add --yes. Nothing was changed.',
    );
  if (!way.yes && !(await agreed(question, first, way, io))) return { plan: first, written: [], declined: true };
  return { ...applied(() => withFileErrors(plan), io), declined: false };
};

const countOf = ({ guarded, programs, shared }: Coverage): string => {
  const all = guarded.length + programs.length + shared.length;
  return `${guarded.length} of ${plural(all, 'server')} ${guarded.length === 1 ? 'is' : 'are'} guarded`;
};

/** The command for a server whose file is shared with others. */
const teamLines = ({ shared }: Coverage): string[] =>
  shared.map(
    (entry) =>
      `Not guarded: ${quoteName(entry.name)} in ${quotePath(entry.place.file)}, which your team shares: konnichiwagwan wrap --add ${shellWord(visible(entry.name))} --scope project`,
  );

const leftLines = ({ left }: ManyPlan): string[] =>
  left.map(({ entry, why }) => `Not changed: ${quoteName(entry.name)} ${why} (${whereOf(entry)})`);

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
  /** Whether anything was written. */
  isMade?: boolean;
}

/**
 * Puts wrap before every server program whose file is not shared with others, after a yes.
 * @param options of wrap itself
 * @throws CommandError if there is no terminal to ask at, or a file cannot be written
 */
export const guardAll = async (
  { host = 'claude', scope }: { host?: HostId; scope?: Scope },
  version: string,
  options: readonly string[],
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
    before: [`${countOf(before)}. ${howMany(entries.length)}:`],
    text: `Rewrite ${entries.length === 1 ? 'this entry, so that the server' : 'these entries, so that each server'} starts through konnichiwagwan?`,
    onEnter: 'yes',
  };
  const done = await make(() => planAddMany(io, wanted(look()), version, options), question, way, io);
  const after = look();
  const names = namesIn(done.plan);
  const isMade = done.written.length > 0;
  return {
    isMade,
    data: {
      ...doneData('add', done, way.dry),
      guarded: after.guarded.length,
      unguarded: [...after.programs, ...after.shared].map(({ name }) => name),
    },
    lines: [
      ...(way.dry && names.length > 0 ? [`Would start ${plural(names.length, 'server')} through wrap:`] : []),
      ...(way.dry ? diffsOf(done.plan, io.colour) : []),
      ...(isMade
        ? [
            `${countOf(after)}. Claude Code starts ${names.length === 1 ? 'this one' : `these ${names.length}`} through konnichiwagwan in new sessions. Restart sessions that are open now.`,
          ]
        : []),
      ...(!isMade && !way.dry ? [`${countOf(after)}.${done.declined ? ' Nothing was changed.' : ''}`] : []),
      ...leftLines(done.plan),
      ...(scope === 'project' ? [] : teamLines(after)),
      ...(way.dry ? ['Nothing was written.'] : []),
    ],
  };
};

const howMany = (count: number): string =>
  count === 1
    ? 'One more can be guarded, a local (stdio) server'
    : `${count} more can be guarded, all of them local (stdio) servers`;

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
  return {
    data: doneData('remove', done, way.dry),
    lines: [
      ...(count === 0 ? ['No server starts through wrap.'] : []),
      ...(way.dry ? diffsOf(done.plan, io.colour) : []),
      ...done.written.map(({ file, state }) => `${quotePath(tilde(file, io))} put back: ${BACK[state]}`),
      ...leftLines(done.plan),
      ...(scope === 'project'
        ? []
        : rest.map(
            (entry) =>
              `Still wrapped: ${quoteName(entry.name)} in ${quotePath(entry.place.file)}, which your team shares: konnichiwagwan wrap --remove ${shellWord(visible(entry.name))} --scope project`,
          )),
      ...(done.declined || way.dry ? ['Nothing was written.'] : []),
    ],
  };
};

/** Makes sure that no agent removes wrap: that would weaken the guard. */
export const needNoAgentToRemove = (io: Io): void => needNoAgent('take wrap away from servers', io.env);

/** What an installation reports about servers if there is no terminal to ask at; empty if all are guarded. */
export const offerLines = (io: Io, dry = false): string[] => {
  const found = coverageOf(hostEntries(io, true).entries, 'claude', io);
  const all = found.guarded.length + found.programs.length + found.shared.length;
  if (all === 0) return [];
  const rest =
    found.programs.length === 0
      ? []
      : [
          dry
            ? `At a terminal install then asks whether to guard the other ${found.programs.length}, too, which is what konnichiwagwan wrap --add --all does.`
            : `Guard the other ${found.programs.length}, too: konnichiwagwan wrap --add --all`,
        ];
  return [`${countOf(found)}.`, ...rest, ...teamLines(found)];
};
