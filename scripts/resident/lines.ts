// The wire of a stdio MCP server: one JSON message a line. Node's own modules only, since a session waits for the answer to
// `initialize`.
import type { Readable } from 'node:stream';
import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { Pieces } from '../sources/pieces.ts';

/** A message that is not an answer; a notification has no id. */
export interface LineMessage {
  id?: string | number;
  method: string;
  params: Record<string, unknown>;
}

/** Takes the messages. */
export interface Listener {
  heard(message: LineMessage): void;
  /** A line was longer than the limit, and is not read; its id where that stands at its end, as the client writes it. */
  tooLong(id: string | number | undefined): void;
  /** A line was no message. */
  unreadable(): void;
}

/** How much of the end of a line that is too long is looked at, in bytes. */
const TAIL = 200;

const isId = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= 200);

/** The message in a line; undefined for an answer, and null for what is neither. */
const parse = (line: string): LineMessage | undefined | null => {
  const value = parsedJson(line);
  if (!isObject(value)) return null;
  const { id, method, params } = value;
  if (typeof method !== 'string') return 'result' in value || 'error' in value ? undefined : null;
  if (id !== undefined && id !== null && !isId(id)) return null;
  return { ...(isId(id) ? { id } : {}), method, params: isObject(params) ? params : {} };
};

const idAtEnd = (tail: string): string | number | undefined => {
  const [, text] = /"id":(\d{1,15}|"[^"\\]{1,100}")\}\s*$/.exec(tail) ?? [];
  return text === undefined ? undefined : (JSON.parse(text) as string | number);
};

/** Reads messages from a stream. No line takes more memory than the limit (bytes). */
export const readLines = (stream: Readable, limit: number, listener: Listener): void => {
  const parts = new Pieces();
  let length = 0;
  let tail = Buffer.alloc(0);
  const take = (part: Buffer): void => {
    length += part.length;
    if (length <= limit) parts.add(part);
    else {
      parts.take();
      tail = Buffer.concat([tail, part.subarray(-TAIL)]).subarray(-TAIL);
    }
  };
  const end = (): void => {
    if (length > limit) listener.tooLong(idAtEnd(tail.toString('latin1')));
    else {
      const line = parts.all().toString('utf8').trim();
      const message = line === '' ? undefined : parse(line);
      if (message === null) listener.unreadable();
      else if (message !== undefined) listener.heard(message);
    }
    parts.take();
    [length, tail] = [0, Buffer.alloc(0)];
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  });
};
