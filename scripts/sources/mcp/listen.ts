import type { JsonObject, ListKind } from '../../contract/types.ts';
import type { PlainRequest } from '../request.ts';
import { MODERN } from './announce.ts';
import { type McpRequest, metaOf, nextId, posting, sessionHeaders } from './ask-list.ts';
import type { McpSession } from './kept-session.ts';

/** The request for a stream on which a server announces changes. */
export interface Listening {
  request: PlainRequest;
  /** The lists whose changes it announces. Absent: it says so once the stream begins. */
  tells?: readonly ListKind[];
  /** The session that it is part of. */
  session?: string;
}

const SUBSCRIBE = 'subscriptions/listen';

/**
 * How to hear of changes. Null: this server announces none. Undefined: not known yet, since a session must begin first.
 */
export const listening = (asked: McpRequest, kept: McpSession | undefined): Listening | null | undefined => {
  const { url, headers, protocol, session } = asked;
  if (protocol >= MODERN) {
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const params = { notifications, _meta: metaOf(protocol) };
    const more = { 'mcp-protocol-version': protocol, 'mcp-method': SUBSCRIBE };
    return { request: posting(asked, more, { id: nextId(), method: SUBSCRIBE, params }) };
  }
  // Without a session, nothing ties a stream to earlier questions: its server may announce nothing.
  if (!session) return null;
  if (kept === undefined) return undefined;
  if (!kept.tells.includes('tools')) return null;
  return { request: { url, headers: { ...headers, ...sessionHeaders(kept) } }, tells: kept.tells, session: kept.id };
};

/** The answer to a server's request on a stream: that we are here, or that we don't support it. */
export const replyTo = (asked: JsonObject, request: McpRequest, kept: McpSession): PlainRequest =>
  posting(request, sessionHeaders(kept), {
    id: asked.id,
    ...(asked.method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'Method not found' } }),
  });
