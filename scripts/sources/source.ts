import type { ToolList } from '../contract/types.ts';

/** What a source answered when it was asked. */
export type Answer =
  | { status: 'same' }
  | { status: 'answered'; list: ToolList; etag?: string }
  /** `invalid`: it answered something that is not a tool list. */
  | { status: 'unreachable' | 'invalid'; why: string };

/** Somewhere to ask for the contracts of a server. A new way of asking implements this, and nothing else changes. */
export interface Source {
  /** The same for the same way of asking: answers are comparable only under one key. Fit for a file name. */
  key: string;
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
   */
  ask(known: string | undefined, deadline: number): Promise<Answer>;
  /** What a plain conditional GET needs, for sources that are one: the guard does that one by itself. */
  request?: { url: string; headers: Record<string, string> };
}

export type SourceProblem = { name: string; why: string };
