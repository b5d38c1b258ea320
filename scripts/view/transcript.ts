import { type Contract, isObject, type Json } from '../contract/types.ts';
import { readFrom } from '../state/files.ts';
import { eachLine, recordAt } from './records.ts';

/** How far a transcript was read, and where in it the records are. Holds offsets, never text. */
export interface TranscriptIndex {
  path: string;
  /** Bytes read so far: everything before was seen. */
  offset: number;
  /** Offset and length of each shape record, by its hash. */
  shapes: { [hash: string]: [number, number] };
  /** The shape that the last request of the conversation used. */
  current?: string;
  /** Attachments that hold tools, where a client writes no shapes: the last ones. */
  attachments: [number, number][];
}

const CHUNK = 8 * 1024 * 1024;
/** A single record is never larger than this; a longer line is skipped. */
const LONGEST_LINE = 64 * 1024 * 1024;
const MOST_ATTACHMENTS = 50;
const ATTACHMENT = /"attachment":\{"type":"(?:prompt_snapshot|deferred_tools_record)"/;

const isPlace = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isSafeInteger(part) && part >= 0);

/** Whether a value that was kept is an index. */
export const isIndex = (value: unknown): value is TranscriptIndex => {
  if (!isObject(value) || typeof value.path !== 'string' || !Number.isSafeInteger(value.offset)) return false;
  const { shapes, attachments } = value;
  return (
    isObject(shapes) && Object.values(shapes).every(isPlace) && Array.isArray(attachments) && attachments.every(isPlace)
  );
};

const emptyIndex = (path: string): TranscriptIndex => ({ path, offset: 0, shapes: {}, attachments: [] });

/** Reads what was appended since the last look. A transcript that shrank or moved is read anew. */
export const readTranscript = (path: string, known?: TranscriptIndex): TranscriptIndex | null => {
  const index = known?.path === path ? structuredClone(known) : emptyIndex(path);
  let most = CHUNK;
  for (;;) {
    const tail = readFrom(path, index.offset, most);
    if (tail === null) return null;
    if (tail.size < index.offset) return readTranscript(path);
    const { bytes } = tail;
    const base = index.offset;
    const read = eachLine(bytes, (start, end) => {
      const record = recordAt(bytes, start, end);
      if (record?.kind === 'shape') index.shapes[record.shape] = [base + start, end - start];
      else if (record?.kind === 'request') index.current = record.shape;
      else if (ATTACHMENT.test(bytes.toString('latin1', start, Math.min(end, start + 400)))) {
        index.attachments.push([base + start, end - start]);
        if (index.attachments.length > MOST_ATTACHMENTS) index.attachments.shift();
      }
    });
    index.offset += read;
    if (base + bytes.length >= tail.size) return index;
    // Not one whole line in a full chunk: look at more, up to a bound.
    if (read === 0) most *= 2;
    if (most > LONGEST_LINE) {
      index.offset += bytes.length;
      most = CHUNK;
    }
  }
};

const parseAt = (path: string, [offset, length]: [number, number]): Record<string, unknown> | null => {
  const line = readFrom(path, offset, length);
  if (line === null) return null;
  try {
    const value: unknown = JSON.parse(line.bytes.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};

const toView = (tool: unknown): [string, Contract] | null => {
  if (!isObject(tool) || typeof tool.name !== 'string') return null;
  const inner = isObject(tool.schema) && 'input_schema' in tool.schema ? tool.schema : tool;
  if (!isObject(inner.input_schema)) return null;
  const description = typeof inner.description === 'string' ? inner.description : undefined;
  return [tool.name, { name: tool.name, description, inputSchema: inner.input_schema as Json }];
};

const viewsIn = (tools: unknown): Map<string, Contract> =>
  new Map((Array.isArray(tools) ? tools : []).map(toView).filter((view) => view !== null));

/**
 * The tools that the model sees, by the client's name for them. Empty where the transcript does not tell.
 * @param index where the records are, from `readTranscript`
 */
export const modelView = (index: TranscriptIndex | null): Map<string, Contract> => {
  if (index === null) return new Map();
  const views = new Map<string, Contract>();
  for (const place of index.attachments) {
    const attachment = parseAt(index.path, place)?.attachment;
    if (!isObject(attachment)) continue;
    for (const [name, view] of viewsIn(attachment.tools ?? attachment.entries)) views.set(name, view);
  }
  const place = index.current === undefined ? undefined : index.shapes[index.current];
  const shape = place && parseAt(index.path, place)?.shape;
  // The shape in force is the truth; attachments only speak for tools that it does not hold.
  if (isObject(shape)) for (const [name, view] of viewsIn(shape.tools)) views.set(name, view);
  return views;
};

/** Whether a call was answered with something else than an error: it was let through, and ran. */
export const wasGranted = (path: string, from: number, toolUseId: string): boolean => {
  const tail = readFrom(path, from, LONGEST_LINE);
  if (tail === null || toolUseId === '') return false;
  const id = Buffer.from(`"tool_use_id":${JSON.stringify(toolUseId)}`);
  let granted = false;
  eachLine(tail.bytes, (start, end) => {
    if (granted || tail.bytes.subarray(start, end).indexOf(id) === -1) return;
    const line = parseAt(path, [from + start, end - start]);
    const content = isObject(line?.message) ? line.message.content : undefined;
    for (const block of Array.isArray(content) ? content : []) {
      if (isObject(block) && block.type === 'tool_result' && block.tool_use_id === toolUseId) {
        granted = block.is_error !== true;
      }
    }
  });
  return granted;
};
