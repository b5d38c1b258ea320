import type { Contract } from '../contract/types.ts';

/** The lockfile's name, in the project's folder. */
export const LOCKFILE = 'mcp-contracts.lock.json';
export const LOCKFILE_VERSION = 1;

/** Who approved a contract, and what they saw. */
export interface Approved {
  by: string;
  /** ISO 8601, UTC. */
  at: string;
  why?: string;
  /** SHA-256 over the canonical JSON of the changes that were approved. */
  diff: string;
}

/** The contract of one tool that people want to keep. */
export interface Pin {
  /** Without `extra`, which may hold anything and change at any time. */
  contract: Contract;
  /** `contractHash` of the contract. */
  hash: string;
  /** Absent for a first contact that nobody looked at. */
  approved?: Approved;
  /** SHA-256 over everything above and the names of server and tool, which shows an edit by hand. It is no signature. */
  seal: string;
}

/** Pins by server and tool. Maps, because a server may be called `__proto__`. Never changed in place. */
export type Lock = ReadonlyMap<string, Pins>;
export type Pins = ReadonlyMap<string, Pin>;

/** What was found at the lockfile's path. `unreadable` must never be treated as `none`. */
export type FoundLock =
  | { status: 'none' }
  | { status: 'lock'; lock: Lock; text: string }
  | { status: 'unreadable'; why: string };
