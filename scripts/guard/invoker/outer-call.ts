import type { Json, JsonObject } from '../../contract/types.ts';
import type { InnerCall } from './types.ts';

/** A call of an invoker. A proposal to the model for the inner tool has to be such a call. */
export interface OuterCall {
  /** The client's name for the invoker. */
  toolName: string;
  /** The invoker's own name. */
  name: string;
  /** The inner tool's name, without its server's. */
  tool: string;
  /** The inner tool's name in its source's list. */
  listed: string;
  /** The invoker's parameter that holds the inner tool's arguments. */
  parameter: string;
  /** The invoker's arguments for a call of an inner tool, which is given by its name in the source's list. */
  call(tool: string, args: JsonObject): JsonObject;
  /** The invoker's arguments with placeholders for all that the inner tool requires. */
  skeleton?: JsonObject;
  /** If the inner tool is unknown: the tools that may be meant, as the call would name them. */
  near?: readonly string[];
}

/**
 * Describes a call of an invoker.
 * @param toolName the client's name for the invoker
 * @param name the invoker's own name
 * @param given the inner tool's name, without its server's
 * @param listed the inner tool's name in its source's list
 */
export const outerCall = (
  toolName: string,
  name: string,
  { invoker, tool, outer, beside }: InnerCall,
  given: string,
  listed: string,
): OuterCall => {
  // The source may write the server's name before the tool's although the call does not, or the other way round.
  const before = (whole: string): string => (whole.endsWith(given) ? whole.slice(0, whole.length - given.length) : '');
  const [start, mine] = [before(listed), before(tool)];
  const naming = (wanted: string): string => {
    if (wanted === listed) return tool;
    return wanted.startsWith(start) ? mine + wanted.slice(start.length) : wanted;
  };
  const asText = invoker.asText ?? typeof outer[invoker.arguments] === 'string';
  const kept = Object.entries(outer).filter(([key]) => key !== invoker.arguments);
  const moves = (key: string, args: JsonObject): boolean => Object.hasOwn(beside, key) && Object.hasOwn(args, key);
  return {
    toolName,
    name,
    tool: given,
    listed,
    parameter: invoker.arguments,
    call: (wanted, args) =>
      Object.fromEntries<Json>([
        ...kept
          .filter(([key]) => !moves(key, args))
          .map(([key, value]): [string, Json] => [key, key === invoker.tool ? naming(wanted) : value]),
        [invoker.arguments, asText ? JSON.stringify(args) : args],
      ]),
  };
};
