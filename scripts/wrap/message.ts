import { toJson } from '../contract/to-json.ts';
import { isObject } from '../contract/types.ts';
import { withoutMark } from '../sources/byte-order-mark.ts';
import { type Outlined, outlineOf } from './outline.ts';

export type Id = string | number;

export const CALL = 'tools/call';
export const CANCELLED = 'notifications/cancelled';

/** The parts of a JSON-RPC message that we read. A request has an id and a method, an answer no method. */
export interface Message {
  id?: Id;
  /**
   * The id as JSON text, the same for all spellings of one id. It keeps all digits of a number, even those that
   * JavaScript rounds.
   */
  idText?: string;
  /** The id as it was written. */
  idSpelled?: string;
  method?: string;
  /** Of a cancellation: the id of the request that is taken back, as JSON text. */
  takesBack?: string;
  params: Record<string, unknown>;
  /** `params.arguments` as it was written, if it is an object. */
  argumentsSpelled?: Buffer;
  result?: unknown;
  error?: unknown;
}

/** What a line holds: one message, or a batch of them, which one old revision of MCP knows. */
export interface Parsed {
  messages: Message[];
  /** The bytes of each message of a batch; undefined for a single message. */
  batch?: Buffer[];
}

/** Reads a line; undefined where it holds no message. */
export const readMessages = (line: Buffer): Parsed | undefined => {
  try {
    const bytes = withoutMark(line);
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (!Array.isArray(value)) return isObject(value) ? { messages: [toMessage(value, bytes)] } : undefined;
    const { messages } = outlineOf(bytes);
    // A larger batch is not taken apart.
    if (messages.length !== value.length) return undefined;
    return {
      messages: value.map((one, at) => toMessage(one, bytes, messages[at])),
      batch: messages.map(({ from, to }) => bytes.subarray(from, to)),
    };
  } catch {
    return undefined;
  }
};

/** The message that a line holds, if it is one. */
export const readMessage = (line: Buffer): Message | undefined => {
  const { messages, batch } = readMessages(line) ?? {};
  return batch === undefined ? messages?.[0] : undefined;
};

const WHOLE = /^-?\d+$/;

/** An id as JSON text that is the same for each spelling of it. @param spelled as it was written */
export const idTextOf = (spelled: string): string => {
  try {
    const id: unknown = JSON.parse(spelled);
    if (typeof id !== 'number' || !Number.isInteger(id) || Number.isSafeInteger(id)) return JSON.stringify(id);
    return WHOLE.test(spelled) ? BigInt(spelled).toString() : spelled;
  } catch {
    return spelled;
  }
};

/** @param outlined what is known of it already */
const toMessage = (value: unknown, line: Buffer, outlined?: Outlined): Message => {
  if (!isObject(value)) return { params: {} };
  const { id, method, params, result, error } = value;
  const spelled = outlined ?? outlineOf(line).messages[0];
  const ids = (): Pick<Message, 'id' | 'idText' | 'idSpelled'> => {
    if (typeof id !== 'string' && typeof id !== 'number') return {};
    const idSpelled = spelled?.id ?? JSON.stringify(id);
    return { id, idText: idTextOf(idSpelled), idSpelled };
  };
  return {
    ...ids(),
    ...(typeof method === 'string' ? { method } : {}),
    ...(method === CANCELLED && spelled?.requestId !== undefined ? { takesBack: idTextOf(spelled.requestId) } : {}),
    params: isObject(params) ? params : {},
    ...(spelled?.args === undefined ? {} : { argumentsSpelled: line.subarray(spelled.args.from, spelled.args.to) }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
};

export const toLine = (message: object): Buffer => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Joins messages, as bytes, into a batch; empty without messages. */
export const toBatch = (messages: readonly Buffer[]): Buffer =>
  messages.length === 0
    ? Buffer.alloc(0)
    : Buffer.concat([
        Buffer.from('['),
        ...messages.flatMap((one, at) => (at === 0 ? [one] : [Buffer.from(','), one])),
        Buffer.from(']\n'),
      ]);

/** A message with an id that is written as it was. */
export const withId = (idSpelled: string, rest: object): Buffer =>
  Buffer.from(`{"jsonrpc":"2.0","id":${idSpelled},${toJson(rest).slice(1)}\n`);
