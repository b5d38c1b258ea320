import { isObject } from '../contract/types.ts';

export type Id = string | number;

/** One JSON-RPC message, as far as it is looked at. A request has an id and a method, an answer no method. */
export interface Message {
  id?: Id;
  /** The id as JSON text. It is what the id was written as, where that is a number which JavaScript cannot hold. */
  idText?: string;
  method?: string;
  params: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

/** What a line holds: one message, or a batch of them, which one old revision of MCP knows. */
export interface Parsed {
  messages: Message[];
  /** The batch as it was parsed; undefined for a single message. */
  batch?: unknown[];
}

/** Reads a line; undefined where it holds no message. */
export const readMessages = (line: Buffer): Parsed | undefined => {
  try {
    const text = line.toString('utf8');
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return { messages: value.map((one) => toMessage(one, text)), batch: value };
    return isObject(value) ? { messages: [toMessage(value, text)] } : undefined;
  } catch {
    return undefined;
  }
};

/** The message that a line holds, if it is one. */
export const readMessage = (line: Buffer): Message | undefined => {
  const { messages, batch } = readMessages(line) ?? {};
  return batch === undefined ? messages?.[0] : undefined;
};

const ID = /"id"\s*:\s*(-?\d+)/g;

/** How a number is written in a text that holds it as an id. */
const asWritten = (id: number, text: string): string => {
  const written = [...text.matchAll(ID)].find(([, digits]) => Number(digits) === id);
  return written?.[1] ?? JSON.stringify(id);
};

const idTextOf = (id: Id, text: string): string =>
  typeof id === 'string' || !Number.isInteger(id) || Number.isSafeInteger(id)
    ? JSON.stringify(id)
    : asWritten(id, text);

const toMessage = (value: unknown, text: string): Message => {
  if (!isObject(value)) return { params: {} };
  const { id, method, params, result, error } = value;
  return {
    ...(typeof id === 'string' || typeof id === 'number' ? { id, idText: idTextOf(id, text) } : {}),
    ...(typeof method === 'string' ? { method } : {}),
    params: isObject(params) ? params : {},
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
};

export const toLine = (message: object): Buffer => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** A message with an id that is written as it was. */
export const withId = (idText: string, rest: object): Buffer =>
  Buffer.from(`{"jsonrpc":"2.0","id":${idText},${JSON.stringify(rest).slice(1)}\n`);

/** So many bytes at the beginning and at the end of an answer are searched for its id. */
const WITHIN = 256;
const ANY_ID = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/g;

/**
 * The ids that an answer may be for, as text, without parsing it: it may be large, and what depends on them is only how
 * long we wait.
 */
export const idsNear = (line: Buffer): string[] => {
  const begin = line.toString('latin1', 0, WITHIN);
  const end = line.length > WITHIN ? line.toString('latin1', Math.max(WITHIN, line.length - WITHIN)) : '';
  return [...begin.matchAll(ANY_ID), ...end.matchAll(ANY_ID)].map(([, id]) => id as string);
};
