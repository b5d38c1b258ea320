import type { JsonObject, ListKind } from '../../contract/types.ts';
import type { PlainRequest } from '../request.ts';
import { MODERN } from './announce.ts';
import { type McpRequest, metaOf, nextId, sessionHeaders } from './ask-list.ts';
import type { McpSession } from './kept-session.ts';

/** The request for a stream on which a server tells what changes. */
export interface Listening {
  request: PlainRequest;
  /** The lists of which it tells; absent: it says so as soon as it has begun. */
  tells?: readonly ListKind[];
  /** The session that it is part of. */
  session?: string;
}

const SUBSCRIBE = 'subscriptions/listen';

/**
 * How to be told what changes. Null: this server does not tell. Undefined: it is not known yet, since a session has to be
 * begun first.
 */
export const listening = (
  { url, headers, protocol, session }: McpRequest,
  kept: McpSession | undefined,
): Listening | null | undefined => {
  if (protocol >= MODERN) {
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const params = { notifications, _meta: metaOf(protocol) };
    return {
      request: {
        method: 'POST',
        url,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'mcp-protocol-version': protocol,
          'mcp-method': SUBSCRIBE,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: nextId(), method: SUBSCRIBE, params }),
      },
    };
  }
  // Without sessions, nothing joins a stream to what was asked before: it may belong to a server that tells nobody.
  if (!session) return null;
  if (kept === undefined) return undefined;
  if (!kept.tells.includes('tools')) return null;
  return { request: { url, headers: { ...headers, ...sessionHeaders(kept) } }, tells: kept.tells, session: kept.id };
};

/** The answer to a request that a server made on a stream: that we are there, or that we do no such thing. */
export const replyTo = (asked: JsonObject, { url, headers }: McpRequest, kept: McpSession): PlainRequest => ({
  method: 'POST',
  url,
  headers: {
    ...headers,
    ...sessionHeaders(kept),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: asked.id,
    ...(asked.method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'Method not found' } }),
  }),
});
