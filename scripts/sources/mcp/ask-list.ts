// Asks for a list in the way that the MCP library found before, using only Node's own modules.
import { restOf } from '../../contract/limits.ts';
import { parsedJson } from '../../contract/parsed-json.ts';
import { own } from '../../contract/types.ts';
import { exchange, type HttpReply, type PlainRequest } from '../request.ts';
import { CAPABILITIES, CLIENT_INFO, LEGACY, MODERN } from './announce.ts';
import { isSessionId, LONGEST_SESSION, type McpSession, type SessionKeeper, toldBy } from './kept-session.ts';

export interface McpRequest {
  url: string;
  headers: Record<string, string>;
  /** The revision of MCP that was agreed on. */
  protocol: string;
  /** Whether the server requires a session. */
  session: boolean;
  /** Digest of the text of the last answer. */
  etag?: string | undefined;
  agent?: PlainRequest['agent'];
  longest?: PlainRequest['longest'];
  /** Absent: `tools/list`. */
  method?: string;
}

export type ListReply = { status: 'text'; text: string } | { status: 'timeout' } | { status: 'unsettled' };

const ID = 'konnichiwagwan';
const TOOLS = 'tools/list';
let count = 0;

/** For further threads of a process: each counts on its own, and their ids must not collide. */
export const countIdsFrom = (start: number): void => {
  count = start;
};
/** Processes that share a session ask at the same time: the ids of their questions must differ. */
export const nextId = (): string => `${ID}-${process.pid}-${count++}`;
const META = 'io.modelcontextprotocol';

/** The message with this id in an event stream, which may hold others and go on; undefined if it is not complete. */
const messageIn = (text: string, id: string): string | undefined => {
  for (const event of text.split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
    const isIt = data.includes(`"${id}"`) && new RegExp(`"id"\\s*:\\s*"${id}"`).test(data);
    // Of an incomplete one, more is still to come.
    if (isIt && parsedJson(data) !== undefined) return data;
  }
  return undefined;
};

const isStream = ({ headers }: { headers: Record<string, unknown> }): boolean =>
  String(headers['content-type']).startsWith('text/event-stream');

/** The request that sends a message. */
export const posting = (
  { url, headers }: Pick<McpRequest, 'url' | 'headers'>,
  more: Record<string, string>,
  message: object,
): PlainRequest => ({
  method: 'POST',
  url,
  headers: {
    ...headers,
    ...more,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  },
  body: JSON.stringify({ jsonrpc: '2.0', ...message }),
});

const post = (
  request: McpRequest,
  headers: Record<string, string>,
  message: { id?: string; method: string; params?: object },
  deadline: number,
): Promise<HttpReply> => {
  const { agent, longest } = request;
  const { id } = message;
  const isAnswered = (text: string): boolean => !text.startsWith('{') && messageIn(text, id ?? '') !== undefined;
  const posted = { ...posting(request, headers, message), agent, longest };
  return exchange(posted, deadline, id === undefined ? undefined : isAnswered);
};

/** An answer's text, with a fixed id in place of the question's: the text decides whether anything changed. */
const textOf = (reply: HttpReply, id: string, method?: string): ListReply => {
  if (reply.status === 'timeout') return { status: 'timeout' };
  // A list other than the tools is compared unchanged: if it changes while it is read, the library reads it again.
  if (reply.status !== 200 || (method && reply.text.includes('/list_changed'))) return { status: 'unsettled' };
  const text = isStream(reply) ? messageIn(reply.text, id) : reply.text;
  // After an error this way of asking no longer works: the MCP library has to ask in full.
  if (text === undefined || !text.includes('"result"')) return { status: 'unsettled' };
  return { status: 'text', text: text.replaceAll(`"${id}"`, `"${ID}"`) };
};

/** What each request carries in the newer revisions, which have no `initialize`. */
export const metaOf = (protocol: string) => ({
  [`${META}/protocolVersion`]: protocol,
  [`${META}/clientInfo`]: CLIENT_INFO,
  [`${META}/clientCapabilities`]: CAPABILITIES,
});

/** Servers of the newer revisions need a single request. */
const askModern = async (request: McpRequest, deadline: number): Promise<ListReply> => {
  const method = request.method ?? TOOLS;
  const headers = { 'mcp-protocol-version': request.protocol, 'mcp-method': method };
  const id = nextId();
  return textOf(
    await post(request, headers, { id, method, params: { _meta: metaOf(request.protocol) } }, deadline),
    id,
    request.method,
  );
};

export const sessionHeaders = ({ id, protocol }: Pick<McpSession, 'id' | 'protocol'>): Record<string, string> => ({
  ...(protocol === '' ? {} : { 'mcp-protocol-version': protocol }),
  'mcp-session-id': id,
});

/**
 * Ends a session: without this, it would stay in the server's memory. Never throws.
 * @param deadline milliseconds
 * @returns whether the server answered
 */
export const endSession = async (
  { url, headers }: Pick<McpRequest, 'url' | 'headers'>,
  session: Pick<McpSession, 'id' | 'protocol'>,
  deadline: number,
): Promise<boolean> => {
  const reply = await exchange(
    { method: 'DELETE', url, headers: { ...headers, ...sessionHeaders(session) } },
    deadline,
  );
  return typeof reply.status === 'number';
};

/** Begins a session, or says why it cannot. */
const begin = async (request: McpRequest, left: () => number): Promise<McpSession | 'timeout' | 'unsettled'> => {
  const params = { protocolVersion: LEGACY, capabilities: CAPABILITIES, clientInfo: CLIENT_INFO };
  const id = nextId();
  const begun = await post(request, {}, { id, method: 'initialize', params }, left());
  if (begun.status === 'timeout') return 'timeout';
  const session = begun.status === 200 ? begun.headers['mcp-session-id'] : undefined;
  if (!isSessionId(session)) return 'unsettled';
  const answer = textOf(begun, id);
  const told = answer.status === 'text' ? own(own(parsedJson(answer.text), 'result'), 'capabilities') : undefined;
  return { id: session, protocol: request.protocol, tells: toldBy(told) };
};

const askLegacy = async (request: McpRequest, deadline: number, keeper?: SessionKeeper): Promise<ListReply> => {
  const end = Date.now() + deadline;
  const left = (): number => Math.max(1, end - restOf(deadline) - Date.now());
  const over = (session: McpSession): Promise<boolean> =>
    endSession(request, session, Math.min(1_000, Math.max(1, end - Date.now())));
  const list = async (headers: Record<string, string>, ms: number) => {
    const id = nextId();
    const reply = await post(request, headers, { id, method: request.method ?? TOOLS, params: {} }, ms);
    return { reply, answer: textOf(reply, id, request.method) };
  };
  if (!request.session) return (await list({ 'mcp-protocol-version': request.protocol }, deadline)).answer;
  const kept = keeper?.read();
  let ending: Promise<boolean> | undefined;
  if (kept !== undefined) {
    const { reply, answer } = kept.age > LONGEST_SESSION ? {} : await list(sessionHeaders(kept), left());
    if (answer?.status === 'text') return answer;
    keeper?.forget(kept.id);
    // A server that does not know the session answers in one of these ways: begin a new one.
    const isGone = reply?.status === 404 || reply?.status === 400;
    if (!isGone) ending = over(kept);
    if (!isGone && answer !== undefined) {
      await ending;
      return answer;
    }
  }
  const session = await begin(request, left);
  if (typeof session === 'string') return { status: session };
  const told = await post(request, sessionHeaders(session), { method: 'notifications/initialized' }, left());
  const answer: ListReply =
    told.status === 'timeout' ? { status: told.status } : (await list(sessionHeaders(session), left())).answer;
  if (answer.status !== 'text' || !keeper?.write(session)) await over(session);
  await ending;
  return answer;
};

/**
 * Asks for the first page of a list. Never throws.
 * @param deadline milliseconds
 * @param keeper keeps the session, if the server requires one; absent: it is begun and ended with the question
 */
export const askList = (request: McpRequest, deadline: number, keeper?: SessionKeeper): Promise<ListReply> =>
  request.protocol >= MODERN ? askModern(request, deadline) : askLegacy(request, deadline, keeper);
