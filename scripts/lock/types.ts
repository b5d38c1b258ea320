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

/** One tool's contract as a person wants it to stay. */
export interface Pin {
  /** Without `extra`: what is no part of the contract can change at any time, and may hold anything. */
  contract: Contract;
  /** `contractHash` of the contract. */
  hash: string;
  /** Absent for a first contact that nobody looked at. */
  approved?: Approved;
  /** SHA-256 over everything above, and the two names: an edit by hand is noticed. It is no signature. */
  seal: string;
}

/** Pins by server and tool. Maps: a server may be called `__proto__`. Never changed in place. */
export type Lock = ReadonlyMap<string, Pins>;
export type Pins = ReadonlyMap<string, Pin>;

/** What stands where the lockfile should. `unreadable` is never treated as `none`. */
export type FoundLock =
  | { status: 'none' }
  | { status: 'lock'; lock: Lock; text: string }
  | { status: 'unreadable'; why: string };
