// What a yes writes into the lockfile.
import { CommandError } from '../../command/command.ts';
import { contractHash } from '../../contract/canonical.ts';
import { defined } from '../../contract/defined.ts';
import { labelOf } from '../../contract/label.ts';
import { changesOfTool } from '../../lock/compare.ts';
import { diffHash, type Pending } from '../../lock/pending.ts';
import { earlierFor } from '../../lock/records.ts';
import { refusalOf } from '../../lock/refused.ts';
import { type ApprovalRules, areTwoPeople, lacks } from '../../lock/rules.ts';
import { makePin, makeRemoved } from '../../lock/seal.ts';
import { type Approved, type Consent, type Lock, toPins } from '../../lock/types.ts';
import { withPins } from '../../lock/write.ts';
import { quoteText } from '../../text/quote.ts';

/** Who says yes, and why. */
export type Approver = Omit<Consent, 'at'>;

/** The approval of what was shown: a new one, or the second one for what another person approved. */
export const approvalOf = (
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
export const settled = (lock: Lock, one: Pending, consent: Approver, rules: ApprovalRules): Lock => {
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
