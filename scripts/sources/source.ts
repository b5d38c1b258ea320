import type { Contract, OfferKind, ToolList } from '../contract/types.ts';
import type { SessionKeeper } from './mcp/kept-session.ts';
import type { Repeat } from './revalidate.ts';

/** How a server can be asked over MCP, as first contact showed. */
export interface McpWay {
  protocol: string;
  session: boolean;
  /** Present if it holds no secret, so that the guard need not look it up in the settings. */
  url?: string;
}

/** What a source answered when it was asked. */
export type SourceAnswer =
  | { status: 'same' }
  | { status: 'answered'; list: ToolList; etag?: string; mcp?: McpWay }
  /**
   * `invalid`: its answer is not a tool list. `unaskable`: perhaps nothing is wrong, but it does not answer us: it requires
   * a sign-in, or is a program that only Claude Code may start.
   */
  | { status: Failure; why: string };

export type Failure = 'unreachable' | 'invalid' | 'unaskable';

/** One of the lists other than tools, complete, in the form of contracts. */
export type OfferedAnswer = { status: 'offered'; offers: Contract[] } | { status: Failure; why: string };

/** What is known of the last answer. */
interface Known {
  etag?: string;
  mcp?: McpWay;
}

/** The wrap that stands between the client and a server. */
interface WrapOf {
  /** The file in its own folder that says where it is; undefined if none runs. */
  about(): string | undefined;
  /** Waits until it runs; no longer than until this time, in ms since 1970. */
  appears(until: number): Promise<void>;
  /** The tools it last gave the client: what the model saw, if the transcript does not tell. Undefined if unknown. */
  served(deadline: number): Promise<Contract[] | undefined>;
}

/** Something that can be asked for contracts. A new way of asking implements this interface; nothing else has to change. */
export interface Source {
  /**
   * Identifies the way of asking, variables and credentials included: only answers under the same key can be compared. Can
   * be used as a file name.
   */
  key: string;
  /**
   * Its credentials are made each time (by a `headersHelper`), so two sessions may have different ones: an answer is
   * valid only for the session that got it.
   */
  personal?: true;
  /** Its name in the user's settings. */
  name: string;
  /** For messages: where it is asked, without credentials. */
  where: string;
  /** Whether it may speak for the server of this name, which is undefined if the client does not tell it. */
  covers(server: string | undefined): boolean;
  /**
   * Asks for the contracts. Never throws.
   * @param known the entity tag of the answer that we have
   * @param deadline milliseconds
   * @param everything whether to ask for prompts and resources, too
   * @param keeper keeps a session for later questions, if one is begun; absent: it is ended
   */
  ask(known: string | undefined, deadline: number, everything?: boolean, keeper?: SessionKeeper): Promise<SourceAnswer>;
  /**
   * Asks for one other list alone. Absent: it has none. Never throws.
   * @param way how it answered before, if that is known
   * @param keeper see `ask`
   */
  offered?(kind: OfferKind, deadline: number, way?: McpWay, keeper?: SessionKeeper): Promise<OfferedAnswer>;
  /** Set for a server behind `konnichiwagwan wrap`, which itself checks at each call whether anything changed. */
  wrap?: WrapOf;
  /** When it last announced a change, in ms since 1970: earlier answers do not count. */
  changedAt?(): number | undefined;
  /** How to ask whether the known answer is still the same; undefined if that is not possible. */
  repeat?(known: Known): Repeat | undefined;
}

/** Something that is configured but cannot be asked. `unaskable`: nothing is wrong with it. */
export interface SourceProblem {
  /** Absent for a settings file. */
  kind?: 'gateway' | 'server';
  name: string;
  why: string;
  unaskable?: true;
}
