// What a transcript says of one call.
import { isObject } from '../contract/types.ts';
import { eachLine, readFrom } from '../state/files.ts';
import { blocksOf } from './records.ts';
import { LONGEST_RECORD, MOST_SEARCHED, parseAt, transcriptSize } from './transcript-index.ts';

/** How much of its end is searched for a call that was made some time ago, in bytes. */
const MOST_LOOKED_BACK = LONGEST_RECORD;

/** A block of a message, its record, and where the record's line begins, in bytes. */
interface FoundBlock {
  block: Record<string, unknown>;
  record: Record<string, unknown> | null;
  at: number;
}

/** The blocks of the messages in a transcript, from an offset in bytes on, whose line holds this text. */
const blocksWith = (path: string, from: number, text: string): FoundBlock[] => {
  const found: FoundBlock[] = [];
  const tail = readFrom(path, from, MOST_SEARCHED);
  if (tail === null) return found;
  const sought = Buffer.from(text);
  eachLine(tail.bytes, (start, end) => {
    if (tail.bytes.subarray(start, end).indexOf(sought) === -1) return;
    const at = from + start;
    const record = parseAt(path, [at, end - start]);
    for (const block of blocksOf(record)) found.push({ block, record, at });
  });
  return found;
};

/** What a transcript says of how a call ended. */
export interface CallResult {
  isError: boolean;
  /** The client says that it was refused or interrupted before it was sent; older clients do not say so. */
  isUnsent: boolean;
  /** Offset of its line, in bytes. */
  at: number;
}

/**
 * The result of a call; undefined if the transcript has none yet. Some models use an id again, so only the first result under
 * it is this call's.
 * @param from offset in bytes from which to search
 */
export const resultOf = (path: string, from: number, toolUseId: string): CallResult | undefined => {
  if (toolUseId === '') return undefined;
  const blocks = blocksWith(path, from, `"tool_use_id":${JSON.stringify(toolUseId)}`);
  const found = blocks.find(({ block }) => block.type === 'tool_result' && block.tool_use_id === toolUseId);
  if (found === undefined) return undefined;
  const { block, record, at } = found;
  return { isError: block.is_error === true, isUnsent: record?.toolDenialBeforeRun === true, at };
};

/** The arguments of a recent call; undefined if the transcript does not tell. */
export const argumentsOf = (path: string, toolUseId: string): Record<string, unknown> | undefined => {
  const from = Math.max(0, transcriptSize(path) - MOST_LOOKED_BACK);
  const blocks = blocksWith(path, from, `"id":${JSON.stringify(toolUseId)}`);
  const input = blocks.find(({ block: { type, id } }) => type === 'tool_use' && id === toolUseId)?.block.input;
  return isObject(input) ? input : undefined;
};
