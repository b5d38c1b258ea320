import type { Readable, Writable } from 'node:stream';
import type { Logged } from '../state/handoff.ts';
import type { Message } from './message.ts';
import type { Listed, OwnRequests } from './own-requests.ts';

/** One side: what it sends, and what it is sent, a JSON-RPC message a line. */
export interface Side {
  output: Readable;
  input: Writable;
}

/** A call that waits for its verdict. */
export interface HeldCall {
  /** Empty where the call does not say it in a form that can be read. */
  name: string;
  args: Record<string, unknown>;
  /** Why the arguments could not be read, where that is so: then `args` is empty. */
  unread?: string | undefined;
  /** All contracts that the host was given for this tool, as JSON, oldest first. */
  served: readonly string[];
  /** What the server lists now. */
  listed: Listed;
  /** What the host calls itself. */
  host?: string | undefined;
  /** How the guard has logged the call, which it let through; absent where it has not. */
  guarded?: Logged | undefined;
  /** Names of the tools that were listed before this one was last served, or with it. */
  beside(): ReadonlySet<string>;
}

/** What becomes of a call: it is passed on, or answered by us with a text for the model. */
export type Verdict =
  | {
      pass: true;
      /** What the model reads with the answer: the call was sent, and could not be judged. */
      told?: string;
    }
  | {
      pass: false;
      text: string;
      /** The call is wrong by the server's current contract. */
      isStale?: boolean;
      /** The host is given other tools now than when it asked. */
      isOffered?: boolean;
    };

/** What the host is given in place of what the server lists: tools under other names, or behind an invoker. */
export interface HostTools {
  /** Whether that differs from what the server lists; while it does not, lists pass as they come. */
  isActive(): boolean;
  /** The tools that the host is given, from those that the server lists. @param own asks the server more about them */
  list(tools: readonly unknown[], own: OwnRequests, meta: unknown): Promise<unknown[]>;
  /** What the server is sent for a call of a tool that `list` made; undefined for one that is passed on as it came. */
  call(name: string, args: Record<string, unknown>): { name: string; arguments: Record<string, unknown> } | undefined;
  /** Whether the tool is behind an invoker: only wrap checks its arguments. */
  isTyped?(name: string): boolean;
  /** The text that answers a call of a tool which the offer has added; then the list may have changed. */
  answer?(name: string, args: Record<string, unknown>): string | undefined;
  /** Why a call is not sent whose name stood for another tool when the host was given it. It is said once. */
  renamed?(name: string): string | undefined;
}

/** Tools behind a tool: their calls are judged in the calls of that one. */
export interface Behind {
  /** Whether the answer to a call may tell what is behind an invoker. */
  listens(name: string): boolean;
  /** The host was given the answer to a call. */
  heard(call: Message, result: unknown): void;
  /** The verdict on the call inside of a call that would be passed on. */
  judge(call: HeldCall, own: OwnRequests, meta: unknown): Promise<Verdict>;
}
