import type { JsonObject } from '../../contract/types.ts';
import type { Shown } from '../../text/shown.ts';

/** What the parameters of an invoker mean, by their names. */
export interface Invoker {
  /** Names the server of the inner tool; absent if the invoker finds that by the tool's name. */
  server?: string;
  /** Names the inner tool. */
  tool: string;
  /** Holds the arguments for the inner tool. */
  arguments: string;
  /** Whether the arguments are given as JSON text; absent if that is not known. */
  asText?: boolean;
  /** The invoker's other parameters, which do not concern the inner tool. */
  others: readonly string[];
  /** False if only its shape suggests that it is an invoker: then it is one only for inner tools that a source lists. */
  sure: boolean;
}

/** The inner call that a call of an invoker asks for. */
export interface InnerCall {
  invoker: Invoker;
  /** The server as the call names it; absent if it does not. */
  server?: string;
  tool: string;
  args: JsonObject;
  /** The invoker's unknown arguments, which may belong into `args`. */
  beside: JsonObject;
  /** Why the arguments cannot be read; then `args` is empty. */
  unreadable?: Shown;
  /** The invoker's arguments, as they were sent. */
  outer: JsonObject;
}
