import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defined } from '../contract/defined.ts';
import { isDeeper } from '../contract/depth.ts';
import { elapsed } from '../contract/elapsed.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { LIMITS } from '../contract/read.ts';
import { type Contract, isObject, type Json } from '../contract/types.ts';
import { eachLine, fill, readFrom, withFile } from '../state/files.ts';
import { blocksOf, HEAD, recordAt, showsTools, transcriptOf } from './records.ts';

/** How far a transcript was read, and where its records are. Holds offsets in bytes, never text. */
export interface TranscriptIndex {
  path: string;
  /** Bytes read so far: everything before was seen. */
  offset: number;
  /** `offset` is in the middle of a line that is too long to be a usable record. */
  inLine?: true;
  /** Offset and length of each shape record, by its hash. */
  shapes: { [hash: string]: [number, number] };
  /** The shape that the last request of the conversation used. */
  current?: string;
  /** Offset of that request: calls of one turn of the model follow the same one. Absent as well where some was left unread. */
  request?: number;
  /**
   * Set if there was no time to read all of it: what the model sees is unknown until later calls have read the rest.
   * `shape` is what `current` would be so far.
   */
  behind?: { shape?: string };
  /** Offset and length of the last attachments that hold tools, for clients that write no shapes. */
  attachments: [number, number][];
}

const CHUNK = 1024 * 1024;
/** Longest line that is parsed, in bytes. */
const LONGEST_RECORD = 16 * 1024 * 1024;
/** How long one call may read a transcript, in ms. Sessions have tens of MB, of which a call adds a few KB. */
const BUDGET_MS = 300;
const MOST_SHAPES = 1_000;
const MOST_ATTACHMENTS = 50;

const isPlace = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isSafeInteger(part) && part >= 0);

/** Whether a value that was read back from a file is a valid index. */
export const isIndex = (value: unknown): value is TranscriptIndex => {
  if (!isObject(value) || typeof value.path !== 'string' || !Number.isSafeInteger(value.offset)) return false;
  const { shapes, request, attachments } = value;
  return (
    (request === undefined || Number.isSafeInteger(request)) &&
    isObject(shapes) &&
    Object.values(shapes).every(isPlace) &&
    Array.isArray(attachments) &&
    attachments.every(isPlace)
  );
};

/** What was found while reading; shapes in the order in which they were written. */
interface TranscriptLook {
  shapes: Map<string, [number, number]>;
  attachments: [number, number][];
  current: string | undefined;
  request: number | undefined;
}

/**
 * Adds a line to what was found, if it is a record or an attachment with tools. Its beginning, which tells that, is in
 * `bytes` between `from` and `to`; the last argument is its place in the file.
 */
const note = (
  look: TranscriptLook,
  bytes: Buffer,
  from: number,
  to: number,
  [offset, length]: [number, number],
): void => {
  const record = recordAt(bytes, from, to);
  if (record?.kind === 'request') [look.current, look.request] = [record.shape, offset];
  else if (record?.kind === 'shape') {
    look.shapes.delete(record.shape);
    look.shapes.set(record.shape, [offset, length]);
    const [oldest] = look.shapes.keys();
    if (look.shapes.size > MOST_SHAPES && oldest !== undefined) look.shapes.delete(oldest);
  } else if (showsTools(bytes, from, to)) {
    look.attachments.push([offset, length]);
    if (look.attachments.length > MOST_ATTACHMENTS) look.attachments.shift();
  }
};

type Stop = Pick<TranscriptIndex, 'offset' | 'inLine'> & { isEnd: boolean };

/**
 * Reads lines until the file ends or the time is up, in memory that grows neither with the file nor with a line. An
 * incomplete line at the end is read again next time, from its beginning.
 */
const look = (
  file: number,
  size: number,
  from: Pick<TranscriptIndex, 'offset' | 'inLine'>,
  found: TranscriptLook,
): Stop => {
  const until = elapsed() + BUDGET_MS;
  const chunk = Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK, size - from.offset)));
  let { offset } = from;
  /** The offset of the current line, and its first bytes: undefined if an earlier call has read these. */
  let start = offset;
  let head: Buffer | undefined = from.inLine ? undefined : Buffer.alloc(0);
  const isLong = (): boolean => head === undefined || offset - start > LONGEST_RECORD;
  const stop = (isEnd: boolean): Stop => {
    if (!isLong()) return { offset: start, isEnd };
    // A shape that is too long to read is still noted: then it is unknown what its requests show the model.
    if (head) note(found, head, 0, head.length, [start, offset - start]);
    return { offset, inLine: true, isEnd };
  };
  while (offset < size) {
    const bytes = chunk.subarray(0, fill(file, chunk, offset));
    // The file was truncated while we read it.
    if (bytes.length === 0) break;
    const first = bytes.indexOf(10);
    if (first !== -1) {
      const begun = head && Buffer.concat([head, bytes.subarray(0, Math.min(first, HEAD))]);
      if (begun) note(found, begun, 0, begun.length, [start, offset + first - start]);
      const rest = bytes.subarray(first + 1);
      const at = offset + first + 1;
      start = at + eachLine(rest, (begin, end) => note(found, rest, begin, end, [at + begin, end - begin]));
      head = Buffer.alloc(0);
    }
    const lacking = head === undefined ? 0 : HEAD - head.length;
    const inside = bytes.subarray(Math.max(0, start - offset));
    if (head && lacking > 0) head = Buffer.concat([head, inside.subarray(0, lacking)]);
    offset += bytes.length;
    if (elapsed() > until && (start > from.offset || isLong())) return stop(offset >= size);
  }
  return stop(true);
};

const bytesAt = (file: number, offset: number, most: number): Buffer => {
  const bytes = Buffer.alloc(most);
  return bytes.subarray(0, fill(file, bytes, offset));
};

/** Whether a file still holds what we read earlier, as far as two short reads can tell. */
const isAsItWas = (file: number, size: number, { offset, inLine, shapes, current }: TranscriptIndex): boolean => {
  if (offset > size || (offset > 0 && !inLine && bytesAt(file, offset - 1, 1)[0] !== 10)) return false;
  if (current === undefined || !Object.hasOwn(shapes, current)) return true;
  const [start] = shapes[current] as [number, number];
  const beginning = bytesAt(file, start, HEAD);
  return recordAt(beginning, 0, beginning.length)?.shape === current;
};

/**
 * Reads what was appended to a transcript since `known`, for a limited time; the next call continues from there. A
 * transcript that shrank, moved or was rewritten is read from its beginning. Null if it cannot be read.
 */
export const readTranscript = (path: string, known?: TranscriptIndex): TranscriptIndex | null =>
  withFile(path, (file, size) => {
    const goesOn = known?.path === path && isAsItWas(file, size, known);
    const index: TranscriptIndex = goesOn ? known : { path, offset: 0, shapes: {}, attachments: [] };
    const found: TranscriptLook = {
      shapes: new Map(Object.entries(index.shapes)),
      attachments: [...index.attachments],
      current: index.behind ? index.behind.shape : index.current,
      request: index.request,
    };
    const { isEnd, ...place } = look(file, size, index, found);
    const { current, request, attachments } = found;
    return {
      path,
      ...place,
      shapes: Object.fromEntries(found.shapes),
      attachments,
      ...(isEnd ? defined({ current, request }) : { behind: defined({ shape: current }) }),
    };
  });

/** The record at a place in a transcript; null if it cannot be read. */
export const parseAt = (path: string, [offset, length]: [number, number]): Record<string, unknown> | null => {
  const line = length > LONGEST_RECORD ? null : readFrom(path, offset, length);
  const value = line && parsedJson(line.bytes.toString('utf8'));
  return isObject(value) ? value : null;
};

/** A tool of the client's records, by the client's name, as the model sees it; null for anything else. */
export const toView = (tool: unknown): [string, Contract] | null => {
  if (!isObject(tool) || typeof tool.name !== 'string') return null;
  const inner = isObject(tool.schema) && 'input_schema' in tool.schema ? tool.schema : tool;
  // No server sends anything nested this deeply; it cannot be compared.
  if (!isObject(inner.input_schema) || isDeeper(inner.input_schema, LIMITS.depth)) return null;
  const description = typeof inner.description === 'string' ? inner.description : undefined;
  return [tool.name, { name: tool.name, ...defined({ description }), inputSchema: inner.input_schema as Json }];
};

const viewsIn = (tools: unknown): Map<string, Contract> =>
  new Map((Array.isArray(tools) ? tools : []).map(toView).filter((view) => view !== null));

/**
 * The tools of a request, by the client's name; undefined for one whose contract cannot be read, or that stands there in two
 * different ones. A tool without a contract is left out: the model loads that later.
 */
const shownIn = (tools: unknown): Map<string, Contract | undefined> => {
  const shown = new Map<string, Contract | undefined>();
  for (const tool of Array.isArray(tools) ? tools : []) {
    const view = toView(tool);
    if (view !== null) {
      const [name, contract] = view;
      const isSame = !shown.has(name) || JSON.stringify(shown.get(name)) === JSON.stringify(contract);
      shown.set(name, isSame ? contract : undefined);
    } else if (isObject(tool) && typeof tool.name === 'string' && holdsContract(tool)) shown.set(tool.name, undefined);
  }
  return shown;
};

const holdsContract = (tool: Record<string, unknown>): boolean =>
  'input_schema' in tool || (isObject(tool.schema) && 'input_schema' in tool.schema);

/** The last attachments, as many as can be parsed during a call: 16 MB of them. */
const readable = (attachments: readonly [number, number][]): readonly [number, number][] => {
  let left = LONGEST_RECORD;
  const tooMuch = attachments.findLastIndex(([, length]) => {
    left -= length;
    return left < 0;
  });
  return attachments.slice(tooMuch + 1);
};

/** With this tool, a model loads the contracts of others. */
const LOADER = 'ToolSearch';

const isShown = (name: string): boolean => name === LOADER || name.startsWith('mcp__');

/** What a model sees of the tools of servers. */
export interface ModelView {
  /** By the client's name. Empty if the transcript does not tell. */
  tools: Map<string, Contract>;
  /** The client records what it shows its model, and that holds no contract of any server. */
  hidden: boolean;
}

/**
 * The tools as the model sees them.
 * @param index from `readTranscript`
 */
export const modelView = (index: TranscriptIndex | null): ModelView => {
  const unknown: ModelView = { tools: new Map(), hidden: false };
  if (index === null || index.behind) return unknown;
  const { path, current, shapes } = index;
  const views = new Map<string, Contract>();
  for (const place of readable(index.attachments)) {
    const attachment = parseAt(path, place)?.attachment;
    if (!isObject(attachment)) continue;
    for (const [name, view] of viewsIn(attachment.tools ?? attachment.entries)) views.set(name, view);
  }
  if (current === undefined) return { tools: views, hidden: false };
  // A shape that is not in this file, as after a fork, may show other contracts than the attachments.
  if (!Object.hasOwn(shapes, current)) return unknown;
  const record = parseAt(path, shapes[current] as [number, number]);
  // The current shape cannot be read, and the attachments may be older than it: so nothing is known.
  if (record?.shapeHash !== current || !isObject(record.shape)) return unknown;
  // The current shape is the truth; attachments count only for tools that it does not hold.
  for (const [name, view] of shownIn(record.shape.tools))
    if (view === undefined) views.delete(name);
    else views.set(name, view);
  // No contract of a server, and no way to load one: then calls follow contracts that are elsewhere (Code Mode).
  return { tools: views, hidden: ![...views.keys()].some(isShown) };
};

/** The file of a name in a folder or one below it. Follows no links, which can go round in circles. */
const fileBelow = (folder: string, name: string): string | undefined => {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some((one) => one.name === name)) return join(folder, name);
  for (const one of entries) {
    const found = one.isDirectory() ? fileBelow(join(folder, one.name), name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * The path of a conversation's transcript, wherever that is: a workflow's subagents have theirs in folders below the one of
 * all others. The fast path does not look there, and so leaves these to the rest of the guard.
 */
export const findTranscript = (input: Parameters<typeof transcriptOf>[0]): string => {
  const path = transcriptOf(input);
  if (input.agent === undefined || path === '' || existsSync(path)) return path;
  try {
    return fileBelow(dirname(path), basename(path)) ?? path;
  } catch {
    // It is not written yet.
    return path;
  }
};

/** How long a transcript is now, in bytes. */
export const transcriptSize = (path: string): number => readFrom(path, 0, 0)?.size ?? 0;

/** How much of a transcript is searched for a tool's result, in bytes: it follows soon after the call. */
const MOST_SEARCHED = 4 * LONGEST_RECORD;
/** And for a call that was made some time ago: its end. */
const MOST_LOOKED_BACK = LONGEST_RECORD;

/** How the transcript of a subagent begins that was forked off another conversation. It names no request of its own. */
const FORKED = Buffer.from('{"type":"fork-context-ref"');
/** In how many bytes behind that the call stands that forked it off. */
const FORK_HEAD = 1024 * 1024;

/** The request whose answer forked a subagent off; undefined if it was not forked. */
const forkRequest = (path: string): string | undefined => {
  const head = readFrom(path, 0, FORK_HEAD)?.bytes;
  if (head === undefined || !head.subarray(0, FORKED.length).equals(FORKED)) return undefined;
  const [, second] = head.toString('utf8').split('\n', 2);
  const { requestRef } = Object(parsedJson(second ?? '')) as Record<string, unknown>;
  return typeof requestRef === 'string' ? requestRef : undefined;
};

/**
 * The index of the conversation that a subagent was forked off, as of then: it sees the tools that this one saw. Undefined if
 * it was not forked, or if that is not known.
 * @param own the subagent's own index
 * @param parent path of the other conversation's transcript
 * @param known that one's index from before
 */
export const forkedFrom = (
  own: TranscriptIndex | null,
  parent: string,
  known?: TranscriptIndex,
): TranscriptIndex | undefined => {
  if (own === null || own.current !== undefined || own.path === parent) return undefined;
  const request = forkRequest(own.path);
  const from = Math.max(0, transcriptSize(parent) - MOST_SEARCHED);
  const tail = request && readFrom(parent, from, MOST_SEARCHED);
  const index = tail && readTranscript(parent, known);
  if (!tail || !index) return undefined;
  const sought = Buffer.from(`"id":${JSON.stringify(request)}`);
  let current: string | undefined;
  let at = 0;
  eachLine(tail.bytes, (start, end) => {
    const record = recordAt(tail.bytes, start, end);
    if (record?.kind !== 'request' || !tail.bytes.subarray(start, end).includes(sought)) return;
    [current, at] = [record.shape, from + start];
  });
  if (current === undefined) return undefined;
  // What the other conversation loads later, the subagent is not shown.
  return { ...index, current, attachments: index.attachments.filter(([offset]) => offset < at) };
};

/** The blocks of the messages in a transcript, from an offset in bytes on, whose line holds this text; and where it begins. */
const blocksWith = (path: string, from: number, text: string): { block: Record<string, unknown>; at: number }[] => {
  const found: { block: Record<string, unknown>; at: number }[] = [];
  const tail = readFrom(path, from, MOST_SEARCHED);
  if (tail === null) return found;
  const sought = Buffer.from(text);
  eachLine(tail.bytes, (start, end) => {
    if (tail.bytes.subarray(start, end).indexOf(sought) === -1) return;
    const at = from + start;
    for (const block of blocksOf(parseAt(path, [at, end - start]))) found.push({ block, at });
  });
  return found;
};

/** What a transcript says of how a call ended. */
export interface CallResult {
  isError: boolean;
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
  return found && { isError: found.block.is_error === true, at: found.at };
};

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

/** The arguments of a recent call; undefined if the transcript does not tell. */
export const argumentsOf = (path: string, toolUseId: string): Record<string, unknown> | undefined => {
  const from = Math.max(0, transcriptSize(path) - MOST_LOOKED_BACK);
  const blocks = blocksWith(path, from, `"id":${JSON.stringify(toolUseId)}`);
  const input = blocks.find(({ block: { type, id } }) => type === 'tool_use' && id === toolUseId)?.block.input;
  return isObject(input) ? input : undefined;
};
