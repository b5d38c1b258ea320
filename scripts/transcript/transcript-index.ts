// Where the records of a transcript are that tell what its model sees. They are found once, as it grows.
import { defined } from '../contract/defined.ts';
import { elapsed } from '../contract/elapsed.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { eachLine, fill, readFrom, withFile } from '../state/files.ts';
import { HEAD, recordAt, showsTools, versionAt } from './records.ts';

/** How far a transcript was read, and where its records are. Holds offsets in bytes, and nothing that was said. */
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
  /** The id of the last request. */
  asked?: string;
  /** The version of the client that wrote last. */
  version?: string;
  /** Since the last request, another version of the client has gone on with the conversation. */
  other?: true;
  /** Offset and length of the last answer of the model since. */
  answer?: [number, number];
  /** Answers say which request they follow. */
  named?: true;
  /**
   * What the model answers now follows a request that is not recorded: the client records none that is very large, or it is an
   * older one that records none. What that request showed is unknown, so `current` and `request` stand here, for when a later
   * answer follows that one.
   */
  unrecorded?: { current?: string; request?: number };
  /** Offset and length of the last attachments that hold tools, for clients that write no shapes. */
  attachments: [number, number][];
}

const CHUNK = 1024 * 1024;
/** Longest line that is parsed, in bytes. */
export const LONGEST_RECORD = 16 * 1024 * 1024;
/** How long one call may read a transcript, in ms. Sessions have tens of MB, of which a call adds a few KB. */
const BUDGET_MS = 300;
const MOST_SHAPES = 1_000;
const MOST_ATTACHMENTS = 50;

const isPlace = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isSafeInteger(part) && part >= 0);

/** Whether a value that was read back from a file is a valid index. */
export const isIndex = (value: unknown): value is TranscriptIndex => {
  if (!isObject(value) || typeof value.path !== 'string' || !Number.isSafeInteger(value.offset)) return false;
  const { shapes, request, answer, version, unrecorded, attachments } = value;
  return (
    (request === undefined || Number.isSafeInteger(request)) &&
    (version === undefined || typeof version === 'string') &&
    (answer === undefined || isPlace(answer)) &&
    (unrecorded === undefined || isObject(unrecorded)) &&
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
  asked: string | undefined;
  answer: [number, number] | undefined;
  version: string | undefined;
  other: true | undefined;
  named: true | undefined;
}

/** In an answer of the model: the request that it follows, or why that is not recorded. Both stand behind the message. */
const FOLLOWS = '"requestRef":"';
const UNRECORDED = '"requestNotRecorded":"';

/** How an answer of the model begins: nothing but plain values stands before its message's role. */
const ANSWER =
  /^\{(?:"\w+":(?:"(?:[^"\\]|\\.)*"|\w+),)*"message":\{(?:"\w+":(?:"(?:[^"\\]|\\.)*"|\w+),)*"role":"assistant"/;

const isAnswer = (bytes: Buffer, start: number, end: number): boolean =>
  ANSWER.test(bytes.toString('latin1', start, Math.min(end, start + 600)));

/**
 * Adds a line to what was found, if it is a record or an attachment with tools. Its beginning, which tells that, is in
 * `bytes` between `from` and `to`; the last argument is its place in the file.
 */
const note = (
  found: TranscriptLook,
  bytes: Buffer,
  from: number,
  to: number,
  [offset, length]: [number, number],
): void => {
  const record = recordAt(bytes, from, to);
  const version = versionAt(bytes, from, to);
  if (version !== undefined) {
    const isOther = found.version !== undefined && found.version !== version;
    if (isOther && found.request !== undefined) found.other = true;
    found.version = version;
  }
  if (record?.kind === 'request') {
    [found.current, found.request, found.asked, found.answer] = [record.shape, offset, record.id, undefined];
    found.other = undefined;
  } else if (record?.kind === 'shape') {
    found.shapes.delete(record.shape);
    found.shapes.set(record.shape, [offset, length]);
    const [oldest] = found.shapes.keys();
    if (found.shapes.size > MOST_SHAPES && oldest !== undefined) found.shapes.delete(oldest);
  } else if (showsTools(bytes, from, to)) {
    found.attachments.push([offset, length]);
    if (found.attachments.length > MOST_ATTACHMENTS) found.attachments.shift();
  } else if (isAnswer(bytes, from, to)) {
    found.answer = [offset, length];
    if (bytes.subarray(from, to).includes(FOLLOWS)) found.named = true;
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

/**
 * Whether the model is known to answer another request than the last one that is recorded. A client writes an answer up to
 * 0.2 s after the hooks of its calls have begun, but long before that what led to it.
 */
const isUnrecorded = (file: number, { asked, answer, other, named }: TranscriptLook): boolean => {
  if (other === true) return true;
  if (asked === undefined || answer === undefined) return false;
  const [offset, length] = answer;
  const rest = bytesAt(file, offset + Math.max(0, length - HEAD), Math.min(length, HEAD)).toString('latin1');
  const at = rest.lastIndexOf(FOLLOWS);
  if (at === -1) return named === true || rest.includes(UNRECORDED);
  return !rest.startsWith(`${asked}"`, at + FOLLOWS.length);
};

/** Whether a file still holds what we read earlier, as far as two short reads can tell. */
const isAsItWas = (file: number, size: number, { offset, inLine, shapes, ...index }: TranscriptIndex): boolean => {
  const { current } = index.unrecorded ?? index;
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
    const last = index.unrecorded ?? index;
    const found: TranscriptLook = {
      shapes: new Map(Object.entries(index.shapes)),
      attachments: [...index.attachments],
      current: index.behind ? index.behind.shape : last.current,
      request: last.request,
      asked: index.asked,
      answer: index.answer,
      version: index.version,
      other: index.other,
      named: index.named,
    };
    const { isEnd, ...place } = look(file, size, index, found);
    const { current, request, attachments, asked, answer, version, other, named } = found;
    const recorded = defined({ current, request });
    const shown = isUnrecorded(file, found) ? { unrecorded: recorded } : recorded;
    return {
      path,
      ...place,
      shapes: Object.fromEntries(found.shapes),
      attachments,
      ...defined({ asked, answer, version, other, named }),
      ...(isEnd ? shown : { behind: defined({ shape: current }) }),
    };
  });

/** The record at a place in a transcript; null if it cannot be read. */
export const parseAt = (path: string, [offset, length]: [number, number]): Record<string, unknown> | null => {
  const line = length > LONGEST_RECORD ? null : readFrom(path, offset, length);
  const value = line && parsedJson(line.bytes.toString('utf8'));
  return isObject(value) ? value : null;
};

/** How long a transcript is now, in bytes. */
export const transcriptSize = (path: string): number => readFrom(path, 0, 0)?.size ?? 0;

/** How much of a transcript is searched at once, in bytes. */
export const MOST_SEARCHED = 4 * LONGEST_RECORD;
