import { isObject } from '../contract/types.ts';

export type Id = string | number;

/** One JSON-RPC message, as far as it is looked at. A request has an id and a method, an answer no method. */
export interface Message {
  id?: Id;
  method?: string;
  params: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

/** Reads a line; undefined where it is no message, or several in one. */
export const readMessage = (line: Buffer): Message | undefined => {
  try {
    return toMessage(JSON.parse(line.toString('utf8')));
  } catch {
    return undefined;
  }
};

const toMessage = (value: unknown): Message | undefined => {
  if (!isObject(value)) return undefined;
  const { id, method, params, result, error } = value;
  return {
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(typeof method === 'string' ? { method } : {}),
    params: isObject(params) ? params : {},
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
};

export const toLine = (message: object): Buffer => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
