import type Http from 'node:http';
import { isObject } from '../contract/types.ts';
import type { Message, Parsed } from './message.ts';
import { type ParamHeaders, toHeaderText } from './param-headers.ts';

/** Messages that are sent to the server, and their state. */
export interface Sending {
  body: Buffer;
  parsed: Parsed | undefined;
  /** The requests in it that are neither answered nor taken back: JSON text of their ids, and how they are spelled. */
  open: Map<string, string>;
  /** Whether it was sent once before, in a session that the server no longer knew. */
  isAgain: boolean;
  /** Whether it can be sent twice: it does nothing but ask. */
  isRepeatable: boolean;
  /** Its open HTTP request. */
  request?: Http.ClientRequest;
  /** How often its answer was requested on another stream, and since when, in ms. */
  resumed: number;
  resumedSince?: number;
  /** How often that failed. */
  unreached: number;
  /** It waits to be resumed. */
  timer?: NodeJS.Timeout;
}

/** Requests that do nothing but ask. A server may have done any other one, even if it did not answer. */
const QUESTIONS: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** The answer for a request that the server may have carried out. */
export const UNKNOWN_OUTCOME = 'whether it was carried out is not known, so it is not sent again';

export const isRequest = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;

export const toSending = (body: Buffer, parsed: Parsed | undefined, isAgain = false): Sending => {
  const requests = parsed?.messages.filter(isRequest) ?? [];
  return {
    body,
    parsed,
    open: new Map(requests.map(({ idText = '', idSpelled = '' }) => [idText, idSpelled])),
    isAgain,
    isRepeatable: requests.every(({ method = '' }) => QUESTIONS.has(method)),
    resumed: 0,
    unreached: 0,
  };
};

const VERSION = 'io.modelcontextprotocol/protocolVersion';
/** Which part of a request is repeated in a header, in the protocol's newer revisions. */
const NAMED: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

const revisionIn = ({ params }: Message): string | undefined => {
  const revision = isObject(params._meta) ? params._meta[VERSION] : undefined;
  return typeof revision === 'string' ? revision : undefined;
};

/** The headers that repeat what a message says, in the protocol's newer revisions; undefined in the older ones. */
export const repeating = (message: Message | undefined, params: ParamHeaders): Record<string, string> | undefined => {
  const revision = message && isRequest(message) ? revisionIn(message) : undefined;
  if (message?.method === undefined || revision === undefined) return undefined;
  const named = message.params[NAMED[message.method] ?? ''];
  return {
    'mcp-protocol-version': revision,
    'mcp-method': message.method,
    ...(typeof named === 'string' ? { 'mcp-name': toHeaderText(named) } : {}),
    ...(message.method === 'tools/call' ? params.of(message.params) : {}),
  };
};
