import { CommandError } from '../command/command.ts';
import { meaningHash } from '../contract/meaning.ts';
import { spelled } from '../contract/names.ts';
import type { Contract } from '../contract/types.ts';
import { looksLike, withView } from '../contract/view.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Policy } from '../judge/judge.ts';
import { formerLock } from '../lock/former.ts';
import { readLock } from '../lock/read.ts';
import { rememberLock } from '../lock/record.ts';
import { type ApprovalRules, approvalRules } from '../lock/rules.ts';
import { pinOf, type Unapproved, unapproved } from '../lock/unapproved.ts';
import { joined } from '../text/shown.ts';

/** What the lockfile has against a call: a question of trust, apart from whether the contract is stale. */
export interface LockDoubt {
  what: Exclude<Unapproved['what'], 'unpinned-server'> | 'unpinned' | 'unreadable' | 'gone';
  verdict: 'notice' | 'ask' | 'deny';
  /** Equal for the same doubt about the same contract: what was granted under this key is not asked again. */
  key: string;
  changes: FoundChange[];
  /** The command with which a person resolves it; may be empty. */
  command: string;
  /** The contract in the lockfile, and the one it was compared with; each is absent if it does not exist. */
  compared?: { pinned: Contract; live: Contract };
  /** For `unconfirmed`: what its approval lacks. For `refused`: who refused it, and why. For `unreadable`: what is wrong with the file. For `gone`: how we know that there was one. */
  why?: string;
}

/** A tool as its source lists it (`live`), or at least as the model sees it (`view`). */
export interface KnownTool {
  server: string;
  name: string;
  live?: Contract | undefined;
  view?: Contract | undefined;
}

/** The model view, completed from the pin: of fields that the view does not hold, no change is known. */
const fromView = (pinned: Contract, view: Contract): Contract =>
  looksLike(view, pinned) ? pinned : withView(pinned, view);

/** The doubt if the lockfile is missing; undefined if there never was one. */
const ofMissing = (home: string, project: string, mode: Policy['mode'], tool: KnownTool): LockDoubt | undefined => {
  const former = formerLock(home, project, false);
  if (former === undefined) return undefined;
  const { from, restore = '', hashes } = former;
  const basis = { what: 'gone' as const, changes: [], command: restore, why: from };
  if (mode === 'strict') return { ...basis, verdict: 'ask', key: `lock gone ${tool.server} ${tool.name} ${hashes[0]}` };
  return { ...basis, verdict: 'notice', key: `lock gone ${hashes[0]}` };
};

/** What cannot be read approves nothing. */
const ofUnreadable = (why: string, mode: Policy['mode'], tool: KnownTool): LockDoubt => {
  const verdict = mode === 'strict' ? 'deny' : mode === 'warn' ? 'notice' : 'ask';
  return { what: 'unreadable', verdict, key: `lock ${tool.server} ${tool.name} ${why}`, changes: [], command: '', why };
};

/** The rules about approvals; a text says why they cannot be read, and then nothing is approved by them. */
const rulesFor = (home: string, project: string): ApprovalRules | string => {
  try {
    return approvalRules(home, project);
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
};

/** Judges a tool by the project's lockfile. Undefined if there never was one, or the contract is approved. */
export const trustOf = (home: string, project: string, { mode }: Policy, tool: KnownTool): LockDoubt | undefined => {
  if (mode === 'off') return undefined;
  const found = readLock(project);
  if (found.status === 'none') return ofMissing(home, project, mode, tool);
  if (found.status === 'unreadable') return ofUnreadable(found.why, mode, tool);
  rememberLock(home, project, found.text);
  const { server, view } = tool;
  // The name may be the client's spelling, if the tool's own name is not known.
  const name =
    [...(found.lock.get(server)?.keys() ?? [])].find((pin) => spelled(pin) === spelled(tool.name)) ?? tool.name;
  const pinned = pinOf(found.lock, server, name)?.contract;
  const live = tool.live ?? (view && pinned ? fromView(pinned, view) : view);
  // The tool's contract is not known: freshness reports that.
  if (live === undefined) return undefined;
  const rules = rulesFor(home, project);
  if (typeof rules === 'string') return ofUnreadable(rules, mode, tool);
  const doubt = unapproved(found.lock, { server, tool: name, live: { ...live, name } }, mode, rules);
  if (doubt === undefined) return undefined;
  const { what, verdict, changes, command } = doubt;
  const key = `lock ${server} ${name} ${meaningHash(live)}`;
  if (what === 'unconfirmed') {
    const why = joined(doubt.lacks ?? [], ', ');
    return { what, verdict, key: `${key} unconfirmed`, changes, command, why };
  }
  if (what === 'unpinned-server') {
    // To pin one server does not mean that calls of others are asked about.
    return mode === 'strict' ? { what: 'unpinned', verdict, key, changes, command } : undefined;
  }
  return { what, verdict, key, changes, command, ...(pinned ? { compared: { pinned, live } } : {}) };
};
