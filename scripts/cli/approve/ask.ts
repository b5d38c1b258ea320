// The questions to a person about what waits, one after the other.
import type { Io } from '../../command/command.ts';
import { labelOf } from '../../contract/label.ts';
import type { WhoseLock } from '../../lock/folder.ts';
import type { Offer } from '../../lock/offers.ts';
import type { Pending } from '../../lock/pending.ts';
import { askAbout, askText, type Terminal } from '../../lock/question.ts';
import { type ApprovalRules, isSamePerson, lacks } from '../../lock/rules.ts';
import { pendingLines } from '../../lock/show.ts';
import { stillThere, updateLock } from '../../lock/update.ts';
import { painter } from '../../text/paint.ts';
import { visible } from '../../text/visible.ts';
import { type Approver, approvalOf, settled } from './settle.ts';

export const LONGEST_WHY = 1_000;

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

export interface Answers {
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
export const askAll = async (
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
