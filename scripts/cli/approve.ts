import { type Args, type Command, CommandError, type Io, type Outcome, usageError } from '../command/command.ts';
import { contractHash } from '../contract/canonical.ts';
import { defined, present } from '../contract/defined.ts';
import { labelOf, readLabel } from '../contract/label.ts';
import { publicChange } from '../diff/diff.ts';
import { committedLock, heldRules, pinnedBefore } from '../lock/at-revision.ts';
import {
  around,
  askWithProgress,
  findLock,
  goneText,
  needLock,
  notChecked,
  SPAWN,
  SPAWN_HELP,
} from '../lock/command.ts';
import { changesOfTool } from '../lock/compare.ts';
import { formerOf, lockFolders, pathTo, type WhoseLock, whoseLock } from '../lock/folder.ts';
import type { Former } from '../lock/former.ts';
import { whoApproves } from '../lock/identity.ts';
import { needPerson, needTypedCode } from '../lock/need-person.ts';
import { NOT_CONFIGURED, type Offer } from '../lock/offers.ts';
import { diffHash, type Pending, pendingOf, withRenames } from '../lock/pending.ts';
import { askAbout, askPerson, askText, type Terminal, terminalOf } from '../lock/question.ts';
import { letGo } from '../lock/record.ts';
import { earlierFor } from '../lock/records.ts';
import { refusalOf } from '../lock/refused.ts';
import { type ApprovalRules, areTwoPeople, isSamePerson, lacks, mayApprove } from '../lock/rules.ts';
import { makePin, makeRemoved } from '../lock/seal.ts';
import { seatOf } from '../lock/seat.ts';
import { pendingLines } from '../lock/show.ts';
import { type Approved, type Consent, LOCKFILE, type Lock, toPins } from '../lock/types.ts';
import { isApproved } from '../lock/unapproved.ts';
import { stillThere, updateLock } from '../lock/update.ts';
import { withPins } from '../lock/write.ts';
import { needShared, SHARED } from '../shared/command.ts';
import { painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { askGateways } from './approve-gateways.ts';
import { askRefusal } from './approve-refuse.ts';

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

/** A tool that is refused waits for a yes only where it is named. */
const refusedOne = (
  lock: Lock,
  offers: ReadonlyMap<string, Offer>,
  server: string,
  tool: string,
  rules: ApprovalRules,
): Pending[] => {
  const pins = lock.get(server);
  const offer = offers.get(server);
  if (pins === undefined || offer === undefined || !('tools' in offer)) return [];
  const live = offer.tools.find(({ name }) => name === tool);
  const refused = refusalOf(pins, tool, live);
  if (refused === undefined) return [];
  const found = pendingOf(server, toPins(pins, pins.removed), offer.tools, rules).filter((one) => one.tool === tool);
  const pin = pins.get(tool);
  if (found.length > 0 || pin === undefined) return found.map((one) => ({ ...one, refused }));
  return [{ server, tool, what: 'unconfirmed', pin, live: pin.contract, changes: [], refused }];
};

/** Everything that waits for approval, and the servers that could not be asked. */
const waiting = (lock: Lock, offers: ReadonlyMap<string, Offer>, { server, tool }: Selected, rules: ApprovalRules) => {
  const servers = server === undefined ? [...lock.keys()].sort() : [server];
  const pending: Pending[] = [];
  const problems: Problem[] = [];
  for (const name of servers) {
    const offer = offers.get(name) ?? NOT_CONFIGURED;
    if ('tools' in offer) pending.push(...pendingOf(name, lock.get(name) ?? new Map(), offer.tools, rules));
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
  const wanted = pending.filter((one) => one.tool === tool);
  return { pending: wanted.length > 0 ? wanted : refusedOne(lock, offers, server as string, tool, rules), problems };
};

/** Who says yes, and why. */
type Approver = Omit<Consent, 'at'>;

/** The approval of what was shown: a new one, or the second one for what another person approved. */
const approvalOf = (
  { what, pin, live, gone, committed, changes }: Pending,
  consent: Approver,
  rules: ApprovalRules,
): { approved: Approved; earlier?: Approved[] } => {
  const now = { ...consent, at: new Date().toISOString() };
  const entry = gone ?? committed ?? pin;
  const first = entry?.approved;
  const unconfirmed = what === 'unconfirmed';
  if (unconfirmed && first && changes.length === 0 && isSecond(first, consent, rules))
    return { approved: { ...first, second: now }, ...defined({ earlier: entry.earlier }) };
  // An incomplete approval is not a step of its own: the new approval begins where that one did.
  const isOpen = first !== undefined && lacks(rules, first).length > 0;
  const pinned = unconfirmed ? undefined : (committed ?? pin)?.hash;
  return {
    approved: {
      ...now,
      // For an unconfirmed pin, the whole contract was shown.
      diff: diffHash(unconfirmed ? changesOfTool(undefined, live) : changes),
      ...defined({ from: isOpen ? first.from : pinned, to: live === undefined ? undefined : contractHash(live) }),
    },
    ...(isOpen || unconfirmed ? defined({ earlier: entry?.earlier }) : earlierFor(entry)),
  };
};

/** Whether the approval lacks only a second person, and this is one. */
const isSecond = (first: Approved, consent: Approver, rules: ApprovalRules): boolean =>
  rules.people === 2 && areTwoPeople(first, consent) && lacks({ ...rules, people: 1 }, first).length === 0;

/** The lock after an approval, which holds only for the pin as it was shown. */
const settled = (lock: Lock, one: Pending, consent: Approver, rules: ApprovalRules): Lock => {
  const { server, tool, pin, live, gone, refused: lifted } = one;
  const old = lock.get(server);
  const refusal = lifted ? old?.refused?.get(tool) : refusalOf(old, tool, live);
  if (refusal?.seal !== lifted?.seal)
    throw new CommandError(
      'changed-meanwhile',
      `a refusal of ${quoteText(labelOf(server, tool), 200)} came, changed or went while this was under way`,
      'run it again',
    );
  const [pins, removed] = [new Map(old), new Map(old?.removed)];
  if (pins.get(tool)?.seal !== pin?.seal || (gone && removed.get(tool)?.seal !== gone.seal))
    throw new CommandError(
      'changed-meanwhile',
      `the pin of ${quoteText(labelOf(server, tool), 200)} changed while this was under way`,
      'run it again',
    );
  // A tool that was removed earlier continues its old history.
  const history = pin === undefined && gone === undefined ? removed.get(tool) : undefined;
  const { approved, earlier } = approvalOf(one, consent, rules);
  const before = history ? earlierFor(history).earlier : earlier;
  if (live === undefined) {
    pins.delete(tool);
    removed.set(tool, makeRemoved(server, tool, { approved, ...defined({ earlier: before }) }));
  } else {
    pins.set(tool, makePin(server, live, approved, before));
    removed.delete(tool);
  }
  // A yes lifts the refusal that was shown. One of another contract stays.
  const refused = new Map([...(old?.refused ?? [])].filter(([name]) => name !== tool || lifted === undefined));
  return withPins(lock, server, toPins(pins, removed, refused));
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

type Why = { why?: string };

/** The reason for a yes; `none` if one is required but missing, `stop` for Ctrl-C. */
const askWhy = async (isNeeded: boolean, terminal: Terminal): Promise<Why | 'none' | 'stop'> => {
  for (let tries = 0; tries < 3; tries++) {
    const given = await askText(isNeeded ? 'Why?' : 'Why? (Enter for no reason)', terminal);
    terminal.output.write('\n');
    if (given === undefined) return 'stop';
    const why = visible(given.trim(), { max: LONGEST_WHY });
    if (why !== '') return { why };
    if (!isNeeded) return {};
  }
  return 'none';
};

interface Answers {
  approved: Pending[];
  refused: Pending[];
  /** Approved here, but still waiting for a second person. */
  incomplete: Pending[];
}

/** Why a yes is not possible, if it is not. */
const hindranceOf = (
  { tool, live, what, gone, pin, changes }: Pending,
  offer: Offer | undefined,
  consent: Approver,
  rules: ApprovalRules,
): string | undefined => {
  const leaked = offer && 'tools' in offer ? offer.leaks?.get(tool) : undefined;
  if (leaked !== undefined) return `not possible: it gives away the value of ${leaked}, which must not be committed`;
  if (live?.defect !== undefined) return 'not possible: what it takes is not known';
  const first = what === 'unconfirmed' && changes.length === 0 ? (gone ?? pin)?.approved : undefined;
  const isOwn =
    first !== undefined && isSamePerson(first, consent) && lacks({ ...rules, people: 1 }, first).length === 0;
  return isOwn ? 'waits for a second person: you approved it already' : undefined;
};

/**
 * Asks for a yes and its reason.
 * @param known a reason that was given before, if there is one
 */
const askYes = async (
  question: string,
  known: Why | undefined,
  rules: ApprovalRules,
  terminal: Terminal,
): Promise<'no' | 'stop' | { why: Why; isForNext: boolean }> => {
  const reply = await askAbout(question, terminal);
  terminal.output.write('\n');
  if (reply === 'stop' || reply === 'no') return reply;
  const why = known ?? (await askWhy(rules.why, terminal));
  if (why === 'stop') return why;
  if (why !== 'none') return { why, isForNext: reply === 'same' };
  terminal.output.write('  not approved: the settings ask for a reason\n\n');
  return 'no';
};

/** Asks about one after the other. Each approval is written at once, so that Ctrl-C loses none. */
const askAll = async (
  whose: WhoseLock,
  pending: readonly Pending[],
  offers: ReadonlyMap<string, Offer>,
  consent: Approver,
  rules: ApprovalRules,
  io: Io,
  terminal: Terminal,
): Promise<Answers> => {
  const { output } = terminal;
  const paint = painter(io.colour);
  const asked: Answers = { approved: [], refused: [], incomplete: [] };
  const parts = (one: Pending): Pending[] => (one.renamed === undefined ? [one] : [one.renamed, one]);
  const given = consent.why === undefined ? undefined : {};
  /** A reason to reuse for the server's next changes. Each of them is still shown and asked about. */
  let same: { server: string; why: Why } | undefined;
  for (const [index, one] of pending.entries()) {
    output.write(`${pendingLines(one, paint, output.columns || 100).join('\n')}\n`);
    if (one.server !== same?.server) same = undefined;
    const hindrance = hindranceOf(one, offers.get(one.server), consent, rules);
    if (hindrance !== undefined) output.write(`  ${hindrance}\n\n`);
    const question = `(${index + 1}/${pending.length}) approve ${visible(labelOf(one.server, one.tool), { max: 200 })}?`;
    const answer = hindrance === undefined ? await askYes(question, same?.why ?? given, rules, terminal) : 'no';
    if (answer === 'stop') {
      asked.refused.push(...pending.slice(index).flatMap(parts));
      break;
    }
    if (answer === 'no') {
      asked.refused.push(...parts(one));
      continue;
    }
    if (answer.isForNext) same = { server: one.server, why: answer.why };
    const yes = { ...consent, ...answer.why };
    await updateLock(whose, (found) =>
      parts(one).reduce((lock, part) => settled(lock, part, yes, rules), stillThere(found)),
    );
    asked.approved.push(...parts(one));
    asked.incomplete.push(
      ...parts(one).filter((part) => lacks(rules, approvalOf(part, yes, rules).approved).length > 0),
    );
  }
  return asked;
};

/** Asks about a lockfile that is gone: dropping all approvals needs an approval, too. */
const askLetGo = async (whose: WhoseLock, former: Former, terminal: Terminal): Promise<Outcome> => {
  const { from, restore, lock } = former;
  const held = [...(lock ?? [])].map(
    ([server, pins]) => `  ${visible(labelOf(server), { max: 100 })}: ${plural(pins.size, 'tool')}`,
  );
  terminal.output.write(
    present([
      `${goneText(whose, from)}.`,
      ...(held.length > 0 ? ['What was pinned in it:', ...held] : []),
      restore !== undefined && `This restores it: ${restore}`,
      '',
      '',
    ]).join('\n'),
  );
  await needTypedCode('approve', terminal);
  const reply = await askPerson('Was it deleted on purpose? Then all approvals in it end.', terminal);
  terminal.output.write('\n');
  const gone = reply === 'yes';
  if (gone) letGo(whose.home, whose.project, former.hashes);
  return {
    exit: gone ? 0 : 1,
    data: { lockfile: pathTo(whose), gone, approved: [], not_approved: [], not_checked: [] },
    text: gone
      ? 'This project no longer has pins. To start again: konnichiwagwan pin'
      : `Nothing was changed. ${restore === undefined ? 'Bring the lockfile back.' : `To bring the lockfile back: ${restore}`}`,
  };
};

/** Adds the committed pin to each edited one: the record goes on from there. */
const withCommitted = (pending: readonly Pending[], project: string): Pending[] => {
  const lock = pending.some(({ what }) => what === 'edited') ? committedLock(project) : undefined;
  return pending.map((one) => {
    const { what, server, tool } = one;
    const committed = what === 'edited' ? lock?.get(server)?.get(tool) : undefined;
    return committed ? { ...one, committed } : one;
  });
};

/** For a pin that another person approved, shows what that approval changed instead of the whole contract. */
const withPrevious = (pending: readonly Pending[], project: string): Pending[] => {
  const find = pending.some(({ what }) => what === 'unconfirmed') ? pinnedBefore(project) : undefined;
  return pending.map((one) => {
    const from = one.what === 'unconfirmed' ? one.pin?.approved?.from : undefined;
    const previous = from === undefined ? undefined : find?.(one.server, one.tool, from);
    return { ...one, ...defined({ previous }) };
  });
};

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
  summary: 'for a person: look at what differs from the lockfile, and say yes or no',
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
