import { dirname, join } from 'node:path';
import { isObject } from '../contract/types.ts';
import { TOOL_NAME } from '../state/client-names.ts';

/**
 * Beginnings of the transcript's records that tell what the model sees. The client does not document them: if none is
 * found, the view is unknown. They are matched at the start of a line, where no text from a message can be.
 */
const SHAPE = Buffer.from('{"type":"api-request-shape"');
const REQUEST = Buffer.from('{"type":"api-request",');

/** Matches requests of the conversation itself; side queries (for a title, a summary) may have other tools. */
const CONVERSATION = /^(sdk|repl_main_thread|agent:)/;

/** How many bytes at the beginning of a line are enough to tell what it is. A long path may stand before a hash. */
export const HEAD = 5_000;

/** `id`: of a request, where the client gives it one. */
export type TranscriptRecord = {
  kind: 'shape' | 'request';
  shape: string;
  id: string | undefined;
  start: number;
  end: number;
};

const field = (head: string, name: string): string | undefined =>
  new RegExp(`"${name}":"([^"\\\\]{1,200})"`).exec(head)?.[1];

const startsWith = (bytes: Buffer, start: number, end: number, prefix: Buffer): boolean =>
  end - start >= prefix.length && prefix.compare(bytes, start, start + prefix.length) === 0;

/** The record in a line, or null for any other line. `start` and `end` are offsets into `bytes`. */
export const recordAt = (bytes: Buffer, start: number, end: number): TranscriptRecord | null => {
  const kind = startsWith(bytes, start, end, SHAPE)
    ? 'shape'
    : startsWith(bytes, start, end, REQUEST)
      ? 'request'
      : null;
  if (kind === null) return null;
  const head = bytes.toString('utf8', start, Math.min(end, start + HEAD));
  const shape = field(head, 'shapeHash');
  if (shape === undefined) return null;
  if (kind === 'request' && !CONVERSATION.test(field(head, 'querySource') ?? '')) return null;
  return { kind, shape, id: field(head, 'id'), start, end };
};

/** How a line of the conversation ends: plain values alone, of which one is the client's version. No message stands there. */
const ENDING = /"version":"([\w.+-]{1,50})"(?:,"\w{1,50}":(?:"(?:[^"\\]|\\.)*"|\w{1,20})){0,20}\}$/;

/** The version of the client that wrote a line of the conversation, if it says that. Offsets as in `recordAt`. */
export const versionAt = (bytes: Buffer, start: number, end: number): string | undefined =>
  ENDING.exec(bytes.toString('latin1', Math.max(start, end - 600), end))?.[1];

const ATTACHMENT = /"attachment":\{"type":"(?:prompt_snapshot|deferred_tools_record)"/;

/** Whether a line is an attachment that shows the model tools. `start` and `end` are offsets into `bytes`. */
export const showsTools = (bytes: Buffer, start: number, end: number): boolean =>
  ATTACHMENT.test(bytes.toString('latin1', start, Math.min(end, start + 600)));

/** Whether a line, unless it is an answer of the model, is one to the request of this id. Empty: to any. */
export const mayFollow = (line: Buffer, id: string): boolean =>
  !line.includes('"type":"assistant"') || line.includes(id);

/** The blocks of the message in a line: texts, calls, results. */
export const blocksOf = (line: unknown): Record<string, unknown>[] => {
  const message = isObject(line) ? line.message : undefined;
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isObject) : [];
};

/** The time of a record, in ms since 1970; NaN if it has none. */
export const timeIn = ({ timestamp }: Record<string, unknown>): number =>
  typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;

const LONGEST_ID = 200;

export interface McpCall {
  id: string;
  /** The client's name for it. */
  tool: string;
  input: unknown;
}

/** The calls of MCP tools in a record. */
export const mcpCallsIn = (record: Record<string, unknown>): McpCall[] =>
  (record.type === 'assistant' ? blocksOf(record) : []).flatMap(({ type, id, name, input }) => {
    if (type !== 'tool_use' || typeof name !== 'string' || !TOOL_NAME.test(name)) return [];
    return typeof id === 'string' && id.length <= LONGEST_ID ? [{ id, tool: name, input }] : [];
  });

const textOf = (content: unknown): string => {
  const first = Array.isArray(content) ? content[0] : content;
  return typeof first === 'string' ? first : isObject(first) && typeof first.text === 'string' ? first.text : '';
};

/** The answers to calls in a record: the id of the call, and the first text. */
export const answersIn = (record: Record<string, unknown>): { id: string; isError: boolean; text: string }[] =>
  (record.type === 'user' ? blocksOf(record) : []).flatMap(({ type, tool_use_id: id, is_error: isError, content }) =>
    type === 'tool_result' ? [{ id: String(id), isError: isError === true, text: textOf(content) }] : [],
  );

/** The path of a conversation's transcript: a subagent has its own, in a folder next to the main one. Empty if unknown. */
export const transcriptOf = (input: { transcript: string; session: string; agent?: string | undefined }): string =>
  input.agent === undefined || input.transcript === ''
    ? input.transcript
    : join(dirname(input.transcript), input.session, 'subagents', `agent-${input.agent}.jsonl`);
