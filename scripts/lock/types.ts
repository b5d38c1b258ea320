import type { Contract } from '../contract/types.ts';

/** The lockfile's name, in the project's folder. */
export const LOCKFILE = 'mcp-contracts.lock.json';
export const LOCKFILE_VERSION = 1;

/** Who said yes, when and why. */
export interface Consent {
  by: string;
  /** ISO 8601, UTC. */
  at: string;
  why?: string;
  /** Where they sat, as hashes (`seatOf`): it shows that another yes is another person's. */
  seat?: string[];
}

/** Who approved a contract, and what they saw. */
export interface Approved extends Consent {
  /** SHA-256 over the canonical JSON of the changes that were approved. */
  diff: string;
  /** The hash of the contract that was pinned before; absent if none was. */
  from?: string;
  /** The hash of the approved contract; absent if the tool was gone. */
  to?: string;
  /** Another person who said yes to the same. */
  second?: Consent;
}

/** Those who said yes in a record. The second yes is to what the first one says. */
export const consentsIn = (approved: Approved): Consent[] => [approved, ...(approved.second ? [approved.second] : [])];

/** The contract of one tool that people want to keep. */
export interface Pin {
  /** Without `extra`, which may hold anything and change at any time. */
  contract: Contract;
  /** `contractHash` of the contract. */
  hash: string;
  /** Absent for a first contact without an approval. */
  approved?: Approved;
  /** The approvals before that one, oldest first. */
  earlier?: Approved[];
  /** SHA-256 over everything above and the names of server and tool, which shows an edit by hand. It is not a signature. */
  seal: string;
}

/** The approval of a pin's removal. */
export interface Removed {
  approved: Approved;
  earlier?: Approved[];
  seal: string;
}

/** A person's no to a tool. */
export interface Refused extends Consent {
  why: string;
  /** The hash of the one contract that is refused; absent if the tool is refused whatever its contract is. */
  hash?: string;
  /** SHA-256 over everything above and the names of server and tool. It is not a signature. */
  seal: string;
  /** The way to the lockfile that says so; absent for the project's own. */
  where?: string;
}

/** Pins by server and tool. Maps, because a server may be called `__proto__`. Never changed in place. */
export type Lock = ReadonlyMap<string, Pins>;
export interface Pins extends ReadonlyMap<string, Pin> {
  readonly removed?: ReadonlyMap<string, Removed>;
  readonly refused?: ReadonlyMap<string, Refused>;
}

/** Pins, what was removed from among them, and what is refused. */
export const toPins = (
  pins: ReadonlyMap<string, Pin>,
  removed: ReadonlyMap<string, Removed> = new Map(),
  refused: ReadonlyMap<string, Refused> = new Map(),
): Pins =>
  Object.assign(new Map(pins), { ...(removed.size > 0 ? { removed } : {}), ...(refused.size > 0 ? { refused } : {}) });

/** What was found at the lockfile's path. `unreadable` must never be treated as `none`. */
export type FoundLock =
  | { status: 'none' }
  | { status: 'lock'; lock: Lock; text: string }
  | { status: 'unreadable'; why: string };
