import { dirname, join } from 'node:path';

/**
 * Records of a transcript that tell what the model sees. None of them is promised by the client: what is not found is
 * unknown. Both kinds below start their line, which no text inside a message can do.
 */
const SHAPE = Buffer.from('{"type":"api-request-shape"');
const REQUEST = Buffer.from('{"type":"api-request",');

/** Requests of the conversation itself; a side query (a title, a summary) may have other tools. */
const CONVERSATION = /^(sdk|repl_main_thread|agent:)/;

/** How much of a line's beginning tells what it is. */
export const HEAD = 600;

export type Record = { kind: 'shape' | 'request'; shape: string; start: number; end: number };

const field = (head: string, name: string): string | undefined =>
  new RegExp(`"${name}":"([^"\\\\]{1,200})"`).exec(head)?.[1];

const startsWith = (bytes: Buffer, start: number, prefix: Buffer): boolean =>
  bytes.subarray(start, start + prefix.length).equals(prefix);

/** The record that a line is, or null for every other line. `start` and `end` are offsets into `bytes`. */
export const recordAt = (bytes: Buffer, start: number, end: number): Record | null => {
  const kind = startsWith(bytes, start, SHAPE) ? 'shape' : startsWith(bytes, start, REQUEST) ? 'request' : null;
  if (kind === null) return null;
  const head = bytes.toString('utf8', start, Math.min(end, start + HEAD));
  const shape = field(head, 'shapeHash');
  if (shape === undefined) return null;
  if (kind === 'request' && !CONVERSATION.test(field(head, 'querySource') ?? '')) return null;
  return { kind, shape, start, end };
};

/** Calls `see` with every whole line; returns the offset after the last one. */
export const eachLine = (bytes: Buffer, see: (start: number, end: number) => void): number => {
  let start = 0;
  for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
    see(start, end);
    start = end + 1;
  }
  return start;
};

/** A subagent has a transcript of its own, beside the conversation's. */
export const transcriptOf = (input: { transcript: string; session: string; agent?: string | undefined }): string =>
  input.agent === undefined || input.transcript === ''
    ? input.transcript
    : join(dirname(input.transcript), input.session, 'subagents', `agent-${input.agent}.jsonl`);
