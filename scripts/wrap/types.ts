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
  /** Empty if the call's tool name cannot be read. */
  name: string;
  args: Record<string, unknown>;
  /** Why the arguments could not be read, where that is so: then `args` is empty. */
  unread?: string | undefined;
  /** All contracts that the host was given for this tool, as JSON, oldest first. */
  served: readonly string[];
  /** The contract that our last stop named to the model as the one to call the tool by, as JSON. */
  taught?: string | undefined;
  /** What the server lists now. */
  listed: Listed;
  /** In which list the host was given the tool last. */
  given?: number | undefined;
  /** Its place among the calls of the connection, by which it is known what was told only after it had come. */
  order?: number | undefined;
  /** What the host calls itself. */
  host?: string | undefined;
  /** How the guard has logged the call, which it let through; absent where it has not. */
  guarded?: Logged | undefined;
  /** Names of the tools that were listed before this one was last served, or with it. */
  beside(): ReadonlySet<string>;
}

interface Delivered {
  /**
   * The host is given the text for the model. Only now it counts as told, since a call may be taken back before that.
   * @param calls how many calls had come by then: those were made without knowing it
   */
  delivered?(calls: number): void;
}

/** The verdict on a call: it is passed on, or we answer it with a text for the model. */
export type Verdict =
  | (Delivered & {
      pass: true;
      /** What the model reads with the answer: the call was sent, and could not be judged. */
      told?: string;
    })
  | (Delivered & {
      pass: false;
      text: string;
      /** The call is wrong by the server's current contract. */
      isStale?: boolean;
      /** The text names the form in which the server takes calls now. */
      namesForm?: boolean;
      /** The host is given other tools now than when it asked. */
      isOffered?: boolean;
    });

/** Changes the list that the host is given: tools under other names, or those behind an invoker. */
export interface HostTools {
  /** Whether that list differs from the server's. If not, the server's list passes unchanged. */
  isActive(): boolean;
  /** The tools that the host is given, from those that the server lists. @param own asks the server more about them */
  list(tools: readonly unknown[], own: OwnRequests, meta: unknown): Promise<unknown[]>;
  /**
   * The call to send for a tool that `list` made; undefined if the call stays unchanged. `around` gives its arguments, from
   * those of the host's call, both as JSON.
   */
  call(name: string): { name: string; around(args: string): string } | undefined;
  /** Whether the tool is behind an invoker: only wrap checks its arguments. */
  isTyped?(name: string): boolean;
  /** The text that answers a call of a tool which the offer has added; then the list may have changed. */
  answer?(name: string, args: Record<string, unknown>): string | undefined;
  /** The stop of a call whose name stood for another tool when the host was given it. Told once. */
  renamed?(name: string, order: number): Verdict | undefined;
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
