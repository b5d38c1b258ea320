// Asks a server over MCP in full. A bundle of its own, because the MCP library takes 60 ms to load.
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { type Caching, cachingOf } from '../../contract/caching.ts';
import { defined } from '../../contract/defined.ts';
import { LONGEST_ANSWER } from '../../contract/limits.ts';
import type { JsonObject, ListKind, Unread } from '../../contract/types.ts';
import { codeOf, type Deadline } from '../deadline.ts';
import { CAPABILITIES, CLIENT_INFO } from './announce.ts';
import { endSession } from './ask-list.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type SessionKeeper, toldBy } from './kept-session.ts';
import type { ListPart } from './list-parts.ts';
import { OneProcess } from './one-process.ts';
import { listen, readLists, Signals } from './read-lists.ts';
import { whyNot } from './why-not.ts';

/** How a server is reached, with all variables expanded. */
export type Reach =
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string> }
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd: string };

/** What a server offers, as sent and not yet checked. */
export interface OfferedLists extends Caching {
  status: 'listed';
  lists: { [part in ListPart]?: JsonObject[] };
  /** Lists that the server has but that are missing here. Without its tools nothing is listed at all. */
  unread: Unread;
  /** The name and version that the server gives itself. */
  identity?: { name: string; version: string };
  /** The revision of MCP that was agreed on. */
  protocol: string;
  /** Whether it requires a session: then a single request is not enough. */
  session: boolean;
  /** Whether all tools came on one page. */
  whole: boolean;
  /** Lists that the server reported as changed while it was asked. The rest of a notification is ignored. */
  signals: ListKind[];
}

export type McpAnswer = OfferedLists | { status: 'unreachable' | 'invalid' | 'unaskable'; why: string };

/** Accepts everything: the library's own validation would change results, and we check the lists ourselves. */
const NO_VALIDATOR = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
};

const transportFor = (reach: Reach, deadline: Deadline): Transport => {
  if (reach.type === 'stdio') {
    const { command, args, env, cwd } = reach;
    const parameters: StdioServerParameters = { command, args, env, cwd, maxBufferSize: LONGEST_ANSWER };
    return new OneProcess(parameters, deadline);
  }
  const options = { requestInit: { headers: reach.headers }, fetch: boundedFetch(deadline) };
  return reach.type === 'sse'
    ? new SSEClientTransport(new URL(reach.url), options)
    : new StreamableHTTPClientTransport(new URL(reach.url), {
        ...options,
        reconnectionOptions: {
          maxRetries: 0,
          initialReconnectionDelay: 1_000,
          maxReconnectionDelay: 1_000,
          reconnectionDelayGrowFactor: 1,
        },
      });
};

/** Rejects when it is too late for an answer: the library waits for some answers without any limit. */
const untilLate = <T>(work: Promise<T>, { late }: Deadline): Promise<T> =>
  new Promise((resolve, reject) => {
    late.addEventListener('abort', () => reject(late.reason), { once: true });
    work.then(resolve, reject);
  });

/** The session of a connection, if its server requires one. */
const sessionOf = (transport: Transport) =>
  transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined
    ? { id: transport.sessionId, protocol: transport.protocolVersion ?? '' }
    : undefined;

/**
 * Closes a connection. Unless its session is kept, ends it, even if connecting failed after it began: otherwise it would
 * stay in the server's memory.
 */
const disconnect = async (
  client: Client,
  transport: Transport,
  reach: Reach,
  deadline: Deadline,
  isKept = false,
): Promise<void> => {
  const session = sessionOf(transport);
  if (session !== undefined && !isKept && reach.type === 'http')
    await endSession(reach, session, Math.min(500, deadline.left()));
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
};

const connected = async (reach: Reach, mode: 'auto' | 'legacy', deadline: Deadline) => {
  const client = new Client(CLIENT_INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode },
    jsonSchemaValidator: NO_VALIDATOR,
  });
  // Errors that concern none of our requests (a stream that breaks off) are ignored.
  client.onerror = () => {};
  const transport = transportFor(reach, deadline);
  const signals = new Signals();
  // Before the library sees it, which drops a notification with malformed params.
  transport.onmessage = (message) => signals.hear(message);
  try {
    await untilLate(client.connect(transport, { timeout: deadline.ms, signal: deadline.late }), deadline);
    return { client, transport, signals };
  } catch (error) {
    await disconnect(client, transport, reach, deadline);
    if (transport instanceof OneProcess && error instanceof Error)
      Object.assign(error, defined({ howItEnded: transport.howItEnded() }));
    throw error;
  }
};

const connect = async (reach: Reach, deadline: Deadline) => {
  if (reach.type === 'sse') return connected(reach, 'legacy', deadline);
  try {
    return await connected(reach, 'auto', deadline);
  } catch (error) {
    // Some older programs end if anything is asked before `initialize`.
    if (reach.type !== 'stdio' || deadline.late.aborted || codeOf(error) === 'ENOENT') throw error;
    return connected(reach, 'legacy', deadline);
  }
};

/**
 * Asks a server what it offers: `server/discover` first, then `initialize`, as the client does. Never throws.
 * @param wanted the lists to ask for
 * @param keeper keeps the session, if one is begun and one request can ask again; absent: it is ended
 */
export const listOverMcp = async (
  reach: Reach,
  wanted: readonly ListKind[],
  deadline: Deadline,
  keeper?: SessionKeeper,
): Promise<McpAnswer> => {
  let isKept = false;
  let connection: Awaited<ReturnType<typeof connected>> | undefined;
  try {
    connection = await connect(reach, deadline);
    const { client, transport, signals } = connection;
    const able = client.getServerCapabilities() ?? {};
    const kinds = wanted.filter((kind) => able[kind] !== undefined);
    await listen(client, kinds, deadline);
    const { read, unread } = await readLists({ client, deadline }, kinds, signals, (error) => {
      const failed = whyNot(error, reach, deadline);
      return 'why' in failed ? failed.why : '';
    });
    const { tools } = read;
    const lists = Object.fromEntries(Object.entries(read).map(([part, { items }]) => [part, items]));
    const identity = client.getServerVersion();
    const whole = (tools?.pages.length ?? 1) === 1;
    const session = sessionOf(transport);
    isKept = session !== undefined && whole && keeper?.write({ ...session, tells: toldBy(able) }) === true;
    return {
      status: 'listed',
      lists: able.tools === undefined && wanted.includes('tools') ? { ...lists, tools: [] } : lists,
      unread,
      ...cachingOf(tools?.pages ?? []),
      ...(identity ? { identity: { name: String(identity.name), version: String(identity.version) } } : {}),
      protocol: client.getNegotiatedProtocolVersion() ?? '',
      session: session !== undefined,
      whole,
      signals: [...signals.seen],
    };
  } catch (error) {
    return whyNot(error, reach, deadline);
  } finally {
    if (connection) await disconnect(connection.client, connection.transport, reach, deadline, isKept);
  }
};
