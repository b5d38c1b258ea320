// Where the person who said yes sat: two approvals by one person share this, whatever name they give.
import { hostname } from 'node:os';
import { sha256 } from '../contract/canonical.ts';
import { emailOf, systemAccount } from './identity.ts';
import { type Process, thisProcess } from './processes.ts';

/** Hashes show only sameness: a lockfile is committed, and must not name machines or accounts. */
const marked = (kind: string, ...parts: readonly (string | number)[]): string =>
  sha256(JSON.stringify([kind, ...parts])).slice(0, 16);

/** The process that a terminal began with: the highest in the chain that has it. */
const leaderOf = (chain: readonly Process[]): Process | undefined => {
  const tty = chain[0]?.tty;
  return tty === undefined ? undefined : chain.findLast((one) => one.tty === tty);
};

/** The account on this machine, git's address, and the terminal with the process that it began with, as hashes. */
export const seatOf = (project: string, env: NodeJS.ProcessEnv): string[] => {
  const host = hostname();
  const email = emailOf(project, env);
  const account = systemAccount();
  const leader = leaderOf(thisProcess.chain());
  return [
    marked('account', host, account ? `${account.uid} ${account.username}` : 'unknown'),
    ...(email === '' ? [] : [marked('git', email.toLowerCase())]),
    ...(leader === undefined ? [] : [marked('terminal', host, leader.tty ?? '', leader.pid, leader.since ?? '')]),
  ];
};
