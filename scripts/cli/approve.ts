import { type Args, type Command, CommandError, type Io, type Outcome, usageError } from '../command/command.ts';
import { defined } from '../contract/defined.ts';
import { labelOf, readLabel } from '../contract/label.ts';
import { publicChange } from '../diff/diff.ts';
import {
  around,
  askWithProgress,
  findLock,
  needLock,
  notChecked,
  SPAWN,
  SPAWN_HELP,
  type WhoseLock,
} from '../lock/command.ts';
import { type Former, formerLock } from '../lock/former.ts';
import { whoApproves } from '../lock/identity.ts';
import { needPerson, needTypedCode } from '../lock/need-person.ts';
import { NOT_CONFIGURED, type Offer } from '../lock/offers.ts';
import { diffHash, type Pending, pendingOf } from '../lock/pending.ts';
import { askPerson } from '../lock/question.ts';
import { letGo } from '../lock/record.ts';
import { makePin } from '../lock/seal.ts';
import { leakedSecret } from '../lock/secrets.ts';
import { pendingLines } from '../lock/show.ts';
import { type Approved, LOCKFILE, type Lock } from '../lock/types.ts';
import { updateLock } from '../lock/update.ts';
import { withPins } from '../lock/write.ts';
import { painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';

const LONGEST_WHY = 1_000;

interface Selected {
  server?: string;
  tool?: string;
}

const selected = ({ positionals: [label] }: Args): Selected => {
  if (label === undefined) return {};
  const { server, tool } = readLabel(label);
  if (server !== '' && tool !== '') return tool === undefined ? { server } : { server, tool };
  throw usageError('approve', `${quoteText(label, 60)} is not SERVER or SERVER/TOOL`);
};

type Problem = { server: string; why: string; hint?: string };

/** Everything that waits for a yes, and the servers that nobody could ask. */
const waiting = (lock: Lock, offers: ReadonlyMap<string, Offer>, { server, tool }: Selected) => {
  const servers = server === undefined ? [...lock.keys()].sort() : [server];
  const pending: Pending[] = [];
  const problems: Problem[] = [];
  for (const name of servers) {
    const offer = offers.get(name) ?? NOT_CONFIGURED;
    if ('tools' in offer) pending.push(...pendingOf(name, lock.get(name) ?? new Map(), offer.tools));
    else problems.push({ server: name, ...offer });
  }
  const known = (one: string): boolean => {
    const offer = offers.get(server as string);
    return (
      lock.get(server as string)?.has(one) ||
      (offer !== undefined && 'tools' in offer && offer.tools.some(({ name }) => name === one))
    );
  };
  if (tool === undefined) return { pending, problems };
  if (problems.length === 0 && !known(tool)) {
    throw new CommandError(
      'no-such-tool',
      `${quoteText(server as string, 60)} has no tool ${quoteText(tool, 60)}, pinned or not`,
      'konnichiwagwan verify',
    );
  }
  return { pending: pending.filter((one) => one.tool === tool), problems };
};

/** The lock after a yes, which was to a change of the pin as it was shown. */
const settled = (
  lock: Lock,
  { server, tool, pin, live, changes }: Pending,
  approval: Omit<Approved, 'at' | 'diff'>,
): Lock => {
  const pins = new Map(lock.get(server));
  if (pins.get(tool)?.seal !== pin?.seal)
    throw new CommandError(
      'changed-meanwhile',
      `the pin of ${quoteText(labelOf(server, tool), 200)} changed while this was under way`,
      'run it again',
    );
  const approved = { ...approval, at: new Date().toISOString(), diff: diffHash(changes) };
  if (live === undefined) pins.delete(tool);
  else pins.set(tool, makePin(server, live, approved));
  return withPins(lock, server, pins);
};

const words = (option: string, value: unknown, most: number): string | undefined => {
  if (value === undefined) return undefined;
  const text = visible(String(value).trim(), { max: Number.POSITIVE_INFINITY });
  if (text !== '' && text.length <= most) return text;
  throw usageError('approve', `--${option} is a text of 1 to ${most} characters`);
};

const reportLines = (
  approved: readonly Pending[],
  left: readonly Pending[],
  problems: readonly Problem[],
): string[] => {
  const name = ({ server, tool }: Pending) => visible(labelOf(server, tool), { max: 200 });
  return [
    ...(approved.length > 0
      ? [`Approved, and written to ${LOCKFILE}: ${approved.map(name).join(', ')}. Commit it.`]
      : []),
    ...(left.length > 0 ? [`Not approved: ${left.map(name).join(', ')}`] : []),
    ...problems.map((problem) => `${visible(labelOf(problem.server), { max: 100 })}: ${notChecked(problem)}`),
    ...(approved.length + left.length + problems.length === 0 ? ['All as pinned: nothing to approve.'] : []),
  ];
};

const itemData = ({ server, tool, what, changes }: Pending) => ({
  server,
  tool,
  what,
  changes: changes.map(publicChange),
  diff: diffHash(changes),
});

/** Asks about one after the other. Every yes is written at once: Ctrl-C loses nothing. */
const askAll = async (
  whose: WhoseLock,
  pending: readonly Pending[],
  approval: Omit<Approved, 'at' | 'diff'>,
  io: Io,
  // The envelope of --json is alone on standard output.
  output: typeof process.stdout,
): Promise<{ approved: Pending[]; refused: Pending[] }> => {
  const paint = painter(io.colour);
  const approved: Pending[] = [];
  const refused: Pending[] = [];
  for (const [index, one] of pending.entries()) {
    const leaked = one.live === undefined ? undefined : leakedSecret(one.live, io.env);
    output.write(`${pendingLines(one, paint, output.columns || 100).join('\n')}\n`);
    if (leaked !== undefined) {
      output.write(`  not possible: it gives away the value of ${leaked}, which must not be committed\n\n`);
      refused.push(one);
      continue;
    }
    const reply = await askPerson(`(${index + 1}/${pending.length}) approve this?`, process.stdin, output);
    output.write('\n');
    if (reply === 'stop') return { approved, refused: [...refused, ...pending.slice(index)] };
    if (reply === 'no') refused.push(one);
    else {
      await updateLock(whose, (found) => settled(found.status === 'lock' ? found.lock : new Map(), one, approval));
      approved.push(one);
    }
  }
  return { approved, refused };
};

/** The lockfile is gone. That nothing is approved any more is something to approve as well. */
const askLetGo = async (whose: WhoseLock, former: Former, output: typeof process.stdout): Promise<Outcome> => {
  const { from, restore, lock } = former;
  const held = [...(lock ?? [])].map(
    ([server, pins]) => `  ${visible(labelOf(server), { max: 100 })}: ${plural(pins.size, 'tool')}`,
  );
  output.write(
    [
      `${LOCKFILE} is gone from this folder (${from}).`,
      ...(held.length > 0 ? ['What was pinned in it:', ...held] : []),
      ...(restore === undefined ? [] : [`This brings it back: ${restore}`]),
      '',
      '',
    ].join('\n'),
  );
  await needTypedCode('approve', output);
  const reply = await askPerson('Is it meant to be gone, and nothing approved any more?', process.stdin, output);
  output.write('\n');
  const gone = reply === 'yes';
  if (gone) letGo(whose.home, whose.project, former.hashes);
  return {
    exit: gone ? 0 : 1,
    data: { lockfile: LOCKFILE, gone, approved: [], not_approved: [], not_checked: [] },
    text: gone
      ? 'Nothing is pinned in this project any more. To start anew: konnichiwagwan pin'
      : `Not approved. ${restore === undefined ? 'Bring the lockfile back.' : `To bring the lockfile back: ${restore}`}`,
  };
};

export const approve: Command = {
  name: 'approve',
  summary: 'for a person: look at what differs from the lockfile, and say yes or no',
  usage: '[SERVER[/TOOL]] [--spawn] [--why TEXT] [--by NAME]',
  words: 1,
  options: { ...SPAWN, why: { type: 'string' }, by: { type: 'string' } },
  help: `
Shows everything that differs between ${LOCKFILE} and what the servers offer now: contracts that changed, tools that
came or went, pins that were edited by hand. Asks about each, and writes at once what was said yes to, with the name of
who said it, the time, the reason, and a hash of the changes that were shown.

${SPAWN_HELP}
  --why TEXT  the reason, for who reads the lockfile later
  --by NAME   who approves; git's user.name and user.email without it, else the user of this system

SERVER/TOOL names one tool. A slash in the name of a server is written ~1. A server that is not pinned at all is asked
about only where it is named; konnichiwagwan pin writes all of its tools at once.

Wants a terminal at which a person sits, and has four digits typed first: the agent must not approve for a person. It
refuses under Claude Code and other agents, in CI, and at a terminal that a script opened. In tmux the window has to be
on a screen; GNU screen and zellij do not tell whether it is: use a terminal outside of them.

Where the lockfile is gone it asks whether that is meant.

Exits with 0 if nothing is left to approve, with 1 if something is, with 2 if a server could not be checked.`,
  run: async (args, io) => {
    needPerson('approve', io.env);
    const why = words('why', args.values.why, LONGEST_WHY);
    const by = words('by', args.values.by, 200);
    const which = selected(args);
    const asking = around(args, io, which.server === undefined ? undefined : [which.server]);
    const output = args.values.json ? process.stderr : process.stdout;
    if (!output.isTTY)
      throw new CommandError(
        'needs-a-person',
        'with --json the questions are on standard error, which is no terminal',
        'leave 2> out',
      );
    const former = findLock(asking).status === 'none' ? formerLock(asking.home, asking.project, true) : undefined;
    if (former) return askLetGo(asking, former, output as typeof process.stdout);
    const { lock } = needLock(asking);
    const offers = await askWithProgress(asking, io);
    const { pending, problems } = waiting(lock, offers, which);
    if (pending.length > 0) await needTypedCode('approve', output as typeof process.stdout);
    const approval = {
      by: by ?? whoApproves(asking.project, io.env),
      ...defined({ why }),
    };
    const { approved, refused } = await askAll(asking, pending, approval, io, output as typeof process.stdout);
    return {
      exit: refused.length > 0 ? 1 : problems.length > 0 ? 2 : 0,
      data: {
        lockfile: LOCKFILE,
        approved: approved.map(itemData),
        not_approved: refused.map(itemData),
        not_checked: problems,
      },
      text: reportLines(approved, refused, problems).join('\n'),
    };
  },
};
