import type { Json, JsonObject } from '../../contract/types.ts';
import type { InnerCall } from './types.ts';

/** The call of an invoker that a call inside it belongs to: what is proposed to the model has to be such a call. */
export interface OuterCall {
  /** The invoker, as the client calls it. */
  toolName: string;
  /** The invoker, as its server calls it. */
  name: string;
  /** The inner tool without its server's name. */
  tool: string;
  /** The inner tool as its source lists it. */
  listed: string;
  /** The parameter for the inner tool's arguments. */
  parameter: string;
  /** The arguments of the invoker for a call of an inner tool, by the name that its source has for it. */
  call(tool: string, args: JsonObject): JsonObject;
  /** The arguments of the invoker with all that the inner tool requires, to be filled in. */
  skeleton?: JsonObject;
}

/**
 * @param given the inner tool without its server's name
 * @param listed the inner tool as its source lists it
 */
export const outerCall = (
  toolName: string,
  name: string,
  { invoker, tool, outer, beside }: InnerCall,
  given: string,
  listed: string,
): OuterCall => {
  // A source may write the server's name before the tool's, where the call does not; or the other way round.
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
