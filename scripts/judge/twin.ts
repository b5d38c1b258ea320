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

const SUFFIX = '_raw';

/** What a twin is the twin of; undefined for any other tool. */
export const siblingName = (tool: Contract): string | undefined =>
  tool.name.length > SUFFIX.length && tool.name.endsWith(SUFFIX) && takesPayload(tool)
    ? tool.name.slice(0, -SUFFIX.length)
    : undefined;

/** What is said about a payload, and not what a call is: the words of a twin follow its sibling's fields. */
const WORDS = new Set([
  'tool-description-changed',
  'tool-title-changed',
  'tool-branch-changed',
  'input-property-words-changed',
  'input-property-marked',
]);

/**
 * Whether a change of a twin makes no call of it stale. The payload is the server's to check, so nothing that is said about
 * it does, but for a branch that is gone: that, a call can name.
 */
export const isWords = ({ rule, of, level }: FoundChange): boolean =>
  (WORDS.has(rule) || of !== undefined) && level !== 'breaking';
