import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import { parseBounded } from '../contract/read.ts';
import { type Contract, isObject, type JsonObject, own } from '../contract/types.ts';

/** Whether a tool takes one text, `payload`, and nothing else. */
export const takesPayload = ({ inputSchema }: Contract): boolean => {
  const properties = own(inputSchema, 'properties');
  return (
    isObject(properties) && Object.keys(properties).join() === 'payload' && own(properties.payload, 'type') === 'string'
  );
};

/** The arguments that a call carries: those in the payload, where it is one of a twin and they can be read. */
export const carriedBy = (tool: Contract, args: JsonObject): JsonObject => {
  const { payload } = args;
  if (!takesPayload(tool) || typeof payload !== 'string') return args;
  try {
    const carried = parseBounded(payload);
    return isObject(carried) && !isDeeper(carried as JsonObject, DEEPEST_ARGUMENTS) ? (carried as JsonObject) : args;
  } catch {
    // What is no JSON, the server refuses itself.
    return args;
  }
};
