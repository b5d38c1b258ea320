import type { Contract } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Mode } from '../judge/judge.ts';
import type { Shown } from '../text/shown.ts';
import { changesOfTool } from './compare.ts';
import { refusalOf, refusesOnly } from './refused.ts';
import { type ApprovalRules, hasRules, lacks, NO_RULES } from './rules.ts';
import { editedPin } from './seal.ts';
import { commandFor } from './suggest-command.ts';
import type { Lock, Pin, Refused } from './types.ts';

/** A contract that differs from what a person approved. */
export interface Unapproved {
  /**
   * `edited`: the pin itself was edited by hand, so its content is not approved. `unconfirmed`: it matches its pin, but the
   * approval falls short of the settings. `refused`: a person said no to it.
   */
  what: 'changed' | 'new' | 'removed' | 'edited' | 'unconfirmed' | 'refused' | 'unpinned-server';
  verdict: 'notice' | 'ask' | 'deny';
  changes: FoundChange[];
  /** For an unconfirmed one: what its approval lacks. */
  lacks?: Shown[];
  /** For a refused one: who refused it, and why. */
  refused?: Refused;
  /** The command that a person can run, safe for a shell: names that are not plain are left out. */
  command: string;
}

/** The pin of a tool, if there is one. */
export const pinOf = (lock: Lock, server: string, tool: string): Pin | undefined => lock.get(server)?.get(tool);

/** Whether a lock approves exactly this contract, as the rules ask for. */
export const isApproved = (lock: Lock, server: string, live: Contract, rules: ApprovalRules = NO_RULES): boolean =>
  pinOf(lock, server, live.name) !== undefined &&
  unapproved(lock, { server, tool: live.name, live }, 'guard', rules) === undefined;

const verdictFor = (what: Unapproved['what'], mode: Exclude<Mode, 'off'>): Unapproved['verdict'] => {
  if (mode === 'strict') return 'deny';
  if (what === 'refused') return mode === 'warn' ? 'notice' : 'deny';
  // Pinning one server does not ask for questions about the others.
  return mode === 'warn' || what === 'unpinned-server' ? 'notice' : 'ask';
};

/**
 * Judges one tool by the lock: a question of trust, apart from freshness.
 * @param live the live contract; null if the tool is gone
 * @param rules what an approval needs
 * @returns undefined if the contract is the approved one, the mode is off, or the tool is in neither
 */
export const unapproved = (
  lock: Lock,
  { server, tool, live }: { server: string; tool: string; live: Contract | null },
  mode: Mode,
  rules: ApprovalRules = NO_RULES,
): Unapproved | undefined => {
  if (mode === 'off') return undefined;
  const tell = (what: Unapproved['what'], changes: FoundChange[], command: string): Unapproved => ({
    what,
    verdict: verdictFor(what, mode),
    changes,
    command,
  });
  const pins = lock.get(server);
  const refused = refusalOf(pins, tool, live);
  if (refused !== undefined) return { ...tell('refused', [], commandFor('approve', server, tool)), refused };
  if (pins === undefined || refusesOnly(pins)) {
    if (live === null) return undefined;
    return tell('unpinned-server', [], commandFor('pin', server));
  }
  const pin = pinOf(lock, server, tool);
  const changes = changesOfTool(pin?.contract, live ?? undefined);
  const command = commandFor('approve', server, tool);
  if (pin !== undefined && editedPin(server, tool, pin) !== undefined) return tell('edited', changes, command);
  if (changes.length === 0) {
    const missing = pin !== undefined && hasRules(rules) ? lacks(rules, pin.approved) : [];
    return missing.length > 0 ? { ...tell('unconfirmed', [], command), lacks: missing } : undefined;
  }
  return tell(pin === undefined ? 'new' : live === null ? 'removed' : 'changed', changes, command);
};
