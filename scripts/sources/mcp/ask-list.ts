// Repeats a `tools/list` in the way that the MCP library found out before, with Node's own modules only.

import { restOf } from '../../contract/limits.ts';
import { exchange, type HttpReply, type PlainRequest } from '../request.ts';
import { CAPABILITIES, CLIENT_INFO, LEGACY, MODERN } from './announce.ts';

export interface McpRequest {
  url: string;
  headers: Record<string, string>;
  /** The revision of MCP that was agreed on. */
  protocol: string;
  /** Whether the server requires a session. */
  session: boolean;
  /** Digest of the text of the last answer. */
  etag?: string | undefined;
}

export type ListReply = { status: 'text'; text: string } | { status: 'timeout' } | { status: 'unsettled' };

const ID = 'konnichiwagwan';
const META = 'io.modelcontextprotocol';

/** The message with our id in an event stream, which may hold others and go on; undefined if it is not complete. */
const messageIn = (text: string): string | undefined => {
  for (const event of text.split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
    if (data.includes(`"${ID}"`) && /"id"\s*:\s*"konnichiwagwan"/.test(data)) {
      try {
        JSON.parse(data);
        return data;
      } catch {
        // Incomplete: the rest is still to come.
      }
    }
  }
  return undefined;
};

const isStream = ({ headers }: { headers: Record<string, unknown> }): boolean =>
  String(headers['content-type']).startsWith('text/event-stream');

const post = (
  request: McpRequest,
  headers: Record<string, string>,
  message: object,
  deadline: number,
): Promise<HttpReply> => {
  const plain: PlainRequest = {
    method: 'POST',
    url: request.url,
    headers: {
      ...request.headers,
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  };
  return exchange(plain, deadline, (text) => !text.startsWith('{') && messageIn(text) !== undefined);
};

const textOf = (reply: HttpReply): ListReply => {
  if (reply.status === 'timeout') return { status: 'timeout' };
  if (reply.status !== 200) return { status: 'unsettled' };
  const text = isStream(reply) ? messageIn(reply.text) : reply.text;
  // After an error this way of asking no longer works: the MCP library has to ask in full.
  return text === undefined || !text.includes('"result"') ? { status: 'unsettled' } : { status: 'text', text };
};

/** Servers of the newer revisions need a single request. */
const askModern = async (request: McpRequest, deadline: number): Promise<ListReply> => {
  const _meta = {
    [`${META}/protocolVersion`]: request.protocol,
    [`${META}/clientInfo`]: CLIENT_INFO,
    [`${META}/clientCapabilities`]: CAPABILITIES,
  };
  const headers = { 'mcp-protocol-version': request.protocol, 'mcp-method': 'tools/list' };
  return textOf(await post(request, headers, { id: ID, method: 'tools/list', params: { _meta } }, deadline));
};

const askLegacy = async (request: McpRequest, deadline: number): Promise<ListReply> => {
  const end = Date.now() + deadline;
  const left = (): number => Math.max(1, end - restOf(deadline) - Date.now());
  const version = { 'mcp-protocol-version': request.protocol };
  const list = { id: ID, method: 'tools/list', params: {} };
  if (!request.session) return textOf(await post(request, version, list, deadline));
  const params = { protocolVersion: LEGACY, capabilities: CAPABILITIES, clientInfo: CLIENT_INFO };
  const begun = await post(request, {}, { id: ID, method: 'initialize', params }, left());
  if (begun.status === 'timeout') return { status: 'timeout' };
  const session = begun.status === 200 ? begun.headers['mcp-session-id'] : undefined;
  if (typeof session !== 'string') return { status: 'unsettled' };
  const headers = { ...version, 'mcp-session-id': session };
  const told = await post(request, headers, { method: 'notifications/initialized' }, left());
  const answer =
    told.status === 'timeout' ? { status: told.status } : textOf(await post(request, headers, list, left()));
  // Without this, the session would stay in the server's memory.
  const ending = Math.min(1_000, Math.max(1, end - Date.now()));
  await exchange({ method: 'DELETE', url: request.url, headers: { ...request.headers, ...headers } }, ending);
  return answer;
};

/**
 * Asks for the first page of tools. Never throws.
 * @param deadline milliseconds
 */
export const askList = (request: McpRequest, deadline: number): Promise<ListReply> =>
  request.protocol >= MODERN ? askModern(request, deadline) : askLegacy(request, deadline);
