import type { JsonObject } from '../../contract/types.ts';
import type { Shown } from '../../text/shown.ts';

/** Which parameters of a tool name the tool behind it: all that has to be known of a generic invoker. */
export interface Invoker {
  /** Names the server of the inner tool; absent where the invoker finds it by the tool's name. */
  server?: string;
  /** Names the inner tool. */
  tool: string;
  /** Holds the arguments for the inner tool. */
  arguments: string;
  /** The arguments are given as JSON text; absent where nobody knows. */
  asText?: boolean;
  /** Of the outer tool's parameters, those that are its own affair. */
  others: readonly string[];
  /** False where only its shape says so, and not clearly: then it is one for the tools that a source lists, alone. */
  sure: boolean;
}

/** What a call of a generic invoker asks for. */
export interface InnerCall {
  invoker: Invoker;
  /** As the call names it. */
  server?: string;
  tool: string;
  args: JsonObject;
  /** Arguments that stand beside the object that they belong into. */
  beside: JsonObject;
  /** Why the arguments cannot be read. */
  unreadable?: Shown;
  /** The call as it was made. */
  outer: JsonObject;
}
