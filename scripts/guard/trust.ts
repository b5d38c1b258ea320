import { meaningHash, viewHash, withView } from '../contract/meaning.ts';
import { spelled } from '../contract/names.ts';
import type { Contract } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';
import type { Policy } from '../judge/judge.ts';
import { formerLock } from '../lock/former.ts';
import { readLock } from '../lock/read.ts';
import { rememberLock } from '../lock/record.ts';
import { pinOf, type Unapproved, unapproved } from '../lock/unapproved.ts';

/** Why a call is held up though nothing about it is stale: nobody approved the contract. */
export interface LockDoubt {
  what: Exclude<Unapproved['what'], 'unpinned-server'> | 'unpinned' | 'unreadable' | 'gone';
  verdict: 'notice' | 'ask' | 'deny';
  /** The same for the same contract: what was granted under it is not asked again. */
  key: string;
  changes: FoundChange[];
  /** What a person does about it. */
  command: string;
  /** For `unreadable`: what is wrong with the file. For `gone`: where it is known from. */
  why?: string;
}

/** What is known of a tool: what its source answers, or at least what the model sees of it. */
export interface KnownTool {
  server: string;
  name: string;
  live?: Contract | undefined;
  view?: Contract | undefined;
}

/** The model sees a description and an input schema; of the rest nothing is known, so nothing of it has changed. */
const fromView = (pinned: Contract, view: Contract): Contract =>
  viewHash(pinned) === viewHash(view) ? pinned : withView(pinned, view);

/** The lockfile was there once: nobody may take for granted that there is nothing to compare with. */
const ofMissing = (home: string, project: string, mode: Policy['mode'], tool: KnownTool): LockDoubt | undefined => {
  const former = formerLock(home, project, false);
  if (former === undefined) return undefined;
  const { from, restore = '', hashes } = former;
  const basis = { what: 'gone' as const, changes: [], command: restore, why: from };
  if (mode === 'strict') return { ...basis, verdict: 'ask', key: `lock gone ${tool.server} ${tool.name} ${hashes[0]}` };
  return { ...basis, verdict: 'notice', key: `lock gone ${hashes[0]}` };
};

/** Judges a tool by the project's lockfile. Undefined where there never was one, or where it says yes. */
export const trustOf = (home: string, project: string, { mode }: Policy, tool: KnownTool): LockDoubt | undefined => {
  if (mode === 'off') return undefined;
  const found = readLock(project);
  if (found.status === 'none') return ofMissing(home, project, mode, tool);
  if (found.status === 'unreadable') {
    const verdict = mode === 'strict' ? 'deny' : mode === 'warn' ? 'notice' : 'ask';
    const key = `lock ${tool.server} ${tool.name} ${found.why}`;
    return { what: 'unreadable', verdict, key, changes: [], command: '', why: found.why };
  }
  rememberLock(home, project, found.text);
  const { server, view } = tool;
  // The client's spelling of a name, where the name itself is not known.
  const name =
    [...(found.lock.get(server)?.keys() ?? [])].find((pin) => spelled(pin) === spelled(tool.name)) ?? tool.name;
  const pinned = pinOf(found.lock, server, name)?.contract;
  const live = tool.live ?? (view && pinned ? fromView(pinned, view) : view);
  // Nobody knows what it is now: that is not the lock's affair.
  if (live === undefined) return undefined;
  const doubt = unapproved(found.lock, { server, tool: name, live: { ...live, name } }, mode);
  if (doubt === undefined) return undefined;
  const { what, verdict, changes, command } = doubt;
  const key = `lock ${server} ${name} ${meaningHash(live)}`;
  if (what === 'unpinned-server') {
    // Who pins one server has not asked to be asked about every other one.
    return mode === 'strict' ? { what: 'unpinned', verdict, key, changes, command } : undefined;
  }
  return { what, verdict, key, changes, command };
};
