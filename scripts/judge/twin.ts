import { DEEPEST_ARGUMENTS, isDeeper } from '../contract/depth.ts';
import { parseBounded } from '../contract/read.ts';
import { type Contract, isObject, type JsonObject, own } from '../contract/types.ts';
import type { FoundChange } from '../diff/types.ts';

/** Whether a tool takes one text, `payload`, and nothing else. */
export const takesPayload = ({ inputSchema }: Contract): boolean => {
  const properties = own(inputSchema, 'properties');
  return (
    isObject(properties) && Object.keys(properties).join() === 'payload' && own(properties.payload, 'type') === 'string'
  );
};

/** The arguments that a call carries: for a twin, those in the payload, if they can be read. */
export const carriedBy = (tool: Contract, args: JsonObject): JsonObject => {
  const { payload } = args;
  if (!takesPayload(tool) || typeof payload !== 'string') return args;
  try {
    const carried = parseBounded(payload);
    return isObject(carried) && !isDeeper(carried as JsonObject, DEEPEST_ARGUMENTS) ? (carried as JsonObject) : args;
  } catch {
    // The server itself refuses anything that is not JSON.
    return args;
  }
};

const SUFFIX = '_raw';

/** The tool that a twin stands for; undefined for any other tool. */
export const siblingName = (tool: Contract): string | undefined =>
  tool.name.length > SUFFIX.length && tool.name.endsWith(SUFFIX) && takesPayload(tool)
    ? tool.name.slice(0, -SUFFIX.length)
    : undefined;

/** Rules about a payload's description, not about the call itself: a twin's words follow its sibling's fields. */
const WORDS = new Set([
  'tool-description-changed',
  'tool-title-changed',
  'tool-branch-changed',
  'input-property-words-changed',
  'input-property-marked',
]);

/**
 * Whether a change of a twin makes none of its calls stale. The server checks the payload, so words about it never do,
 * except for a removed branch: a call can name that.
 */
export const isWords = ({ rule, of, level }: FoundChange): boolean =>
  (WORDS.has(rule) || of !== undefined) && level !== 'breaking';
