import type { Contract, OfferKind, ToolList } from '../contract/types.ts';
import type { Repeat } from './revalidate.ts';

/** How a server is asked over MCP, as was found out at the first contact. */
export interface McpWay {
  protocol: string;
  session: boolean;
  /** Where it holds nothing secret, so that the guard need not look for it in the settings. */
  url?: string;
}

/** What a source answered when it was asked. */
export type SourceAnswer =
  | { status: 'same' }
  | { status: 'answered'; list: ToolList; etag?: string; mcp?: McpWay }
  /**
   * `invalid`: it answered something that is not a tool list. `unaskable`: it may be well, but it does not answer us: it
   * wants a sign-in, or is a program that only Claude Code may start.
   */
  | { status: Failure; why: string };

export type Failure = 'unreachable' | 'invalid' | 'unaskable';

/** One of the lists besides that of tools, whole, in the form of contracts. */
export type OfferedAnswer = { status: 'offered'; offers: Contract[] } | { status: Failure; why: string };

/** What is known of the last answer. */
interface Known {
  etag?: string;
  mcp?: McpWay;
}

/** Somewhere to ask for the contracts of a server. A new way of asking implements this, and nothing else changes. */
export interface Source {
  /**
   * The same for the same way of asking, variables and credentials included: answers are comparable only under one key.
   * Fit for a file name.
   */
  key: string;
  /**
   * Its credentials are made anew for whoever asks (by a `headersHelper`), so that nobody can tell whether they are the
   * same: an answer holds for the session that got it, and for no other.
   */
  personal?: true;
  /** As the user calls it. */
  name: string;
  /** For messages: where it is asked, without credentials. */
  where: string;
  /** Whether it may speak for a server of this name; undefined where the client does not tell the name. */
  covers(server: string | undefined): boolean;
  /**
   * Asks. Never throws.
   * @param known the entity tag of the answer that is known
   * @param deadline milliseconds
   * @param everything what is offered besides tools, too
   */
  ask(known: string | undefined, deadline: number, everything?: boolean): Promise<SourceAnswer>;
  /** Asks for one other list alone. Absent: it has none. Never throws. */
  offered?(kind: OfferKind, deadline: number): Promise<OfferedAnswer>;
  /** How to ask it again with as little as possible; undefined where that is not known. */
  repeat?(known: Known): Repeat | undefined;
}

/** Something that is configured and cannot be a source. `unaskable`: nothing is wrong with it. */
export interface SourceProblem {
  /** What it is; a file of settings is neither. */
  kind?: 'gateway' | 'server';
  name: string;
  why: string;
  unaskable?: true;
}
