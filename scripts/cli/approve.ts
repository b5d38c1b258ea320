import { type Args, type Command, CommandError, usageError } from '../command/command.ts';
import { defined, present } from '../contract/defined.ts';
import { labelOf, readLabel } from '../contract/label.ts';
import { publicChange } from '../diff/public-change.ts';
import { heldRules } from '../lock/at-revision.ts';
import { around, askWithProgress, findLock, needLock, notChecked, SPAWN, SPAWN_HELP } from '../lock/command.ts';
import { formerOf, lockFolders, pathTo, whoseLock } from '../lock/folder.ts';
import { whoApproves } from '../lock/identity.ts';
import { needPerson, needTypedCode } from '../lock/need-person.ts';
import { diffHash, type Pending, withRenames } from '../lock/pending.ts';
import { terminalOf } from '../lock/question.ts';
import { type ApprovalRules, mayApprove } from '../lock/rules.ts';
import { seatOf } from '../lock/seat.ts';
import { LOCKFILE } from '../lock/types.ts';
import { isApproved } from '../lock/unapproved.ts';
import { needShared, SHARED } from '../shared/command.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { type Answers, askAll, LONGEST_WHY } from './approve/ask.ts';
import { askGateways } from './approve/gateways.ts';
import { askLetGo } from './approve/let-go.ts';
import { askRefusal } from './approve/refuse.ts';
import { type Problem, type Selected, waiting, withCommitted, withPrevious } from './approve/waiting.ts';

const selected = ({ positionals: [label] }: Args): Selected => {
  if (label === undefined) return {};
  const { server, tool } = readLabel(label);
  if (server !== '' && tool !== '') return tool === undefined ? { server } : { server, tool };
  throw usageError('approve', `${quoteText(label, 60)} is not SERVER or SERVER/TOOL`);
};

const words = (option: string, value: unknown, most: number): string | undefined => {
  if (value === undefined) return undefined;
  const text = visible(String(value).trim(), { max: Number.POSITIVE_INFINITY });
  if (text !== '' && text.length <= most) return text;
  throw usageError('approve', `--${option} is a text of 1 to ${most} characters`);
};

const reportLines = (
  { approved, refused: left, incomplete }: Answers,
  problems: readonly Problem[],
  lockfile: string,
): string[] => {
  const name = ({ server, tool }: Pending) => visible(labelOf(server, tool), { max: 200 });
  return present([
    approved.length > 0 && `Approved, and written to ${lockfile}: ${approved.map(name).join(', ')}. Commit it.`,
    incomplete.length > 0 &&
      `Waits for a second person: ${incomplete.map(name).join(', ')}. They run: konnichiwagwan approve`,
    left.length > 0 && `Not approved: ${left.map(name).join(', ')}`,
    ...problems.map((problem) => `${visible(labelOf(problem.server), { max: 100 })}: ${notChecked(problem)}`),
    approved.length + left.length + problems.length === 0 && 'All as pinned: nothing to approve.',
  ]);
};

const itemData = ({ server, tool, what, changes }: Pending) => ({
  server,
  tool,
  what,
  changes: changes.map(publicChange),
  diff: diffHash(changes),
});

/** If rules limit who may approve, the name comes from git: anyone could type any name. */
const approver = (by: string | undefined, rules: ApprovalRules, project: string, env: NodeJS.ProcessEnv): string => {
  if (by !== undefined && rules.by.length > 0)
    throw new CommandError(
      'usage',
      '--by is not for a project whose settings name who may approve',
      'git config user.email says who you are',
    );
  const who = by ?? whoApproves(project, env);
  if (mayApprove(rules, who)) return who;
  throw new CommandError(
    'not-an-approver',
    `${quoteText(who, 200)} may not approve here: "approvals.by" in the settings names others`,
    'a person whom it names has to run this; git config user.email says who you are',
  );
};

export const approve: Command = {
  name: 'approve',
  usage:
    '[SERVER[/TOOL]] [--shared] [--spawn] [--timeout SECONDS] [--why TEXT] [--by NAME] | --refuse SERVER/TOOL --why TEXT | --gateways',
  words: 1,
  options: {
    ...SHARED,
    ...SPAWN,
    why: { type: 'string' },
    by: { type: 'string' },
    refuse: { type: 'string' },
    gateways: { type: 'boolean' },
  },
  help: `
Shows everything that differs between ${LOCKFILE} and what the servers offer now: contracts that changed, tools that
came or went, pins that were edited by hand. Asks about each one by name (a renamed tool is one), and writes each yes at once: who, when, why, the
hashes of the old and the new contract, and a hash of the changes that were shown. "approvals" in the settings may ask
for a reason, name who may approve, and ask for two people: then it also shows what still waits for a second yes.

${SPAWN_HELP}
  --shared    leave out what the shared approvals approve already
  --why TEXT  the reason, for who reads the lockfile later
  --refuse SERVER/TOOL  say no to a tool: the guard stops its calls, and tells the reason. SERVER/TOOL@HASH refuses one
              contract of it. A later yes lifts it: name the tool
  --gateways  ask about the gateways that the project's settings name; nothing is sent to one before you agree to it. A yes
              is for its address, its servers and this project, and can be changed
  --by NAME   who approves; git's user.name and user.email without it, else the user of this system

SERVER/TOOL names one tool. A slash in the name of a server is written ~1. A server that is not pinned at all is asked
about only where it is named; konnichiwagwan pin writes all of its tools at once.

Needs a person at a terminal, who types four digits first: the agent must not approve for a person. It
refuses under Claude Code and other agents, in CI, and at a terminal that a script opened. In tmux the window has to be
on a screen; GNU screen and zellij do not tell whether it is: use a terminal outside of them.

If the lockfile was deleted, it asks whether that was on purpose.

Exits with 0 if nothing is left to approve, with 1 if something is, with 2 if a server could not be checked.`,
  run: async (args, io) => {
    needPerson('approve', io);
    const why = words('why', args.values.why, LONGEST_WHY);
    const by = words('by', args.values.by, 200);
    const which = selected(args);
    const asking = around('approve', args, io, which.server === undefined ? undefined : [which.server]);
    const terminal = terminalOf(io, args.values.json === true);
    if (!terminal.output.isTTY)
      throw new CommandError(
        'needs-a-person',
        'with --json the questions are on standard error, which is no terminal',
        'leave 2> out',
      );
    if (args.values.gateways === true) return askGateways(asking, io, terminal);
    const whose = whoseLock(asking);
    const { rules, warnings } = heldRules(asking.home, ...lockFolders(asking.project, asking.env));
    // An answer may depend on them, so they come before the questions. With --json, the report has them as well.
    for (const warning of warnings) io.tell(`warning: ${visible(warning, { lines: true })}`);
    const who = approver(by, rules, asking.project, io.env);
    if (typeof args.values.refuse === 'string') return askRefusal(whose, args.values.refuse, who, why, terminal);
    const former = findLock(whose).status === 'none' ? formerOf(whose, true) : undefined;
    if (former) return askLetGo(whose, former, terminal);
    const { lock } = needLock(whose);
    const offers = await askWithProgress(asking, io);
    const { pending: found, problems } = waiting(lock, offers, which, rules);
    const shared = args.values.shared === true ? needShared(asking, io).lock : undefined;
    const isShared = ({ server, live }: Pending): boolean =>
      shared !== undefined && live !== undefined && isApproved(shared, server, live, rules);
    const left = found.filter((one) => !isShared(one));
    const pending = withRenames(withPrevious(withCommitted(left, whose.project), whose.project));
    if (pending.length > 0) await needTypedCode('approve', terminal);
    // Kept even if one yes is enough: the settings may ask for a second one later.
    const consent = { by: who, seat: seatOf(asking.project, io.env), ...defined({ why }) };
    const asked = await askAll(whose, pending, offers, consent, rules, io, terminal);
    const { approved, refused, incomplete } = asked;
    return {
      exit: refused.length + incomplete.length > 0 ? 1 : problems.length > 0 ? 2 : 0,
      data: {
        lockfile: pathTo(whose),
        approved: approved.map(itemData),
        not_approved: refused.map(itemData),
        incomplete: incomplete.map(({ server, tool }) => ({ server, tool })),
        not_checked: problems,
      },
      text: reportLines(asked, problems, pathTo(whose)).join('\n'),
      warnings: args.values.json === true ? warnings : [],
    };
  },
};
