// What a lockfile has against a call: its contract is not the one that a person approved.
import { dirname } from 'node:path';
import { CommandError } from '../command/command.ts';
import { defined } from '../contract/defined.ts';
import { meaningHash } from '../contract/meaning.ts';
import type { Contract } from '../contract/types.ts';
import type { LockDoubt } from '../guard/trust.ts';
import { withDoubt } from '../guard/trust-message.ts';
import type { Policy } from '../judge/judge.ts';
import { readLockFile } from '../lock/read.ts';
import { refusalText } from '../lock/refused.ts';
import { type ApprovalRules, approvalRules } from '../lock/rules.ts';
import type { Lock } from '../lock/types.ts';
import { unapproved } from '../lock/unapproved.ts';
import { joined, type Shown } from '../text/shown.ts';
import type { CallSubject } from './words.ts';

export interface Doubt {
  /** `notice`: it is said, and the call passes. */
  verdict: 'notice' | 'deny';
  text: Shown;
  key: string;
}

const unreadable = (why: string, { mode }: Policy): LockDoubt => ({
  what: 'unreadable',
  verdict: mode === 'warn' ? 'notice' : 'deny',
  key: `lock ${why}`,
  changes: [],
  command: '',
  why,
});

/** The server's name in a lockfile: the one that was given, else the only one there is. */
const serverIn = (lock: Lock, server: string | undefined): string | undefined =>
  server ?? (lock.size === 1 ? [...lock.keys()][0] : undefined);

/** A lockfile, and the rules for its approvals; or why they cannot be read. */
export type ReadPins = { lock: Lock; rules: ApprovalRules } | { why: string };

export const readPins = (path: string, home: string, project: string): ReadPins => {
  const found = readLockFile(path);
  if (found.status === 'none') return { why: 'does not exist' };
  if (found.status === 'unreadable') return { why: found.why };
  try {
    return { lock: found.lock, rules: approvalRules(home, project, dirname(path)) };
  } catch (error) {
    if (error instanceof CommandError) return { why: error.message };
    throw error;
  }
};

const doubtOf = (pins: ReadPins, live: Contract, policy: Policy, about: CallSubject): LockDoubt | undefined => {
  if ('why' in pins) return unreadable(pins.why, policy);
  const { lock, rules } = pins;
  const server = serverIn(lock, about.server);
  if (server === undefined)
    return unreadable('holds several servers, and --name does not say which one this is', policy);
  const doubt = unapproved(lock, { server, tool: about.tool, live }, policy.mode, rules);
  // Without pins for this server, nothing is approved.
  if (doubt === undefined) return undefined;
  const { what, changes, command } = doubt;
  return {
    what: what === 'unpinned-server' ? 'unpinned' : what,
    verdict: policy.mode === 'warn' ? 'notice' : 'deny',
    key: `lock ${about.tool} ${meaningHash(live)}`,
    changes,
    command,
    ...(doubt.lacks ? { why: joined(doubt.lacks, ', ') } : {}),
    ...(doubt.refused ? { why: refusalText(doubt.refused) } : {}),
  };
};

/** Undefined if the contract is the one that was approved. */
export const doubtAbout = (pins: ReadPins, live: Contract, policy: Policy, about: CallSubject): Doubt | undefined => {
  const trust = policy.mode === 'off' ? undefined : doubtOf(pins, live, policy, about);
  if (trust === undefined) return undefined;
  const { tool, server = '', args, trusted } = about;
  const answer = withDoubt({}, trust, { tool, server, prefix: '', args, trusted, attended: false });
  const text = trust.verdict === 'deny' ? answer.reason : answer.systemMessage;
  return { ...defined({ text }), verdict: trust.verdict === 'deny' ? 'deny' : 'notice', key: trust.key } as Doubt;
};
