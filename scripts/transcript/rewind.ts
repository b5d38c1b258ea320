import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { eachLine, readFrom } from '../state/files.ts';
import { blocksOf } from './records.ts';
import { MOST_SEARCHED } from './transcript-index.ts';

/** How every record of a conversation begins: with the record that it follows. */
const LINKED = Buffer.from('{"parentUuid":');

/** A record of a conversation: by its id, or as the first that holds the result of a call. */
export interface Landmark {
  /** Offset in bytes from which to search. */
  from: number;
  uuid?: string;
  toolUseId?: string;
}

/**
 * The newest record of a conversation, if it went on behind another one; `rewound` if it went on from before that, as it does
 * after a rewind: then its model does not know that record. Undefined if the transcript does not tell.
 */
export const newestBehind = (path: string, { from, uuid, toolUseId }: Landmark): Landmark | 'rewound' | undefined => {
  const tail = readFrom(path, from, MOST_SEARCHED);
  if (tail === null || tail.size - from > MOST_SEARCHED) return undefined;
  const records: Record<string, unknown>[] = [];
  let sought: Record<string, unknown> | undefined;
  eachLine(tail.bytes, (start, end) => {
    const line = tail.bytes.subarray(start, end);
    const record = line.subarray(0, LINKED.length).equals(LINKED) ? parsedJson(line.toString('utf8')) : undefined;
    if (!isObject(record)) return;
    const isSought =
      uuid === undefined ? blocksOf(record).some((block) => block.tool_use_id === toolUseId) : record.uuid === uuid;
    if (isSought) sought ??= record;
    const { uuid: id, parentUuid, isSidechain, promptId, type } = record;
    records.push({ uuid: id, parentUuid, isSidechain, promptId, type, from: from + start });
  });
  if (sought === undefined) return undefined;
  const { uuid: id, parentUuid, isSidechain, promptId } = sought;
  const own = records.filter((record) => record.isSidechain === isSidechain);
  const byId = new Map(own.map((record) => [record.uuid, record]));
  // A rewind takes away whole prompts. The answers to calls that were made at once follow different records.
  const isBehind = (one: Record<string, unknown>): boolean =>
    [one.uuid, one.parentUuid].some((known) => known === id || known === parentUuid) ||
    (promptId !== undefined && one.promptId === promptId);
  const newest = own.findLast(({ type }) => type === 'user' || type === 'assistant');
  let at = newest;
  while (at !== undefined && !isBehind(at)) {
    byId.delete(at.uuid);
    at = byId.get(at.parentUuid);
  }
  return at === undefined ? 'rewound' : ({ uuid: newest?.uuid, from: newest?.from } as Landmark);
};
