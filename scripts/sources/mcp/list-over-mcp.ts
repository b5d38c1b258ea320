// What asks a server over MCP for the first time. A bundle of its own: the protocol's library costs 60 ms to load.
import type { ChildProcess } from 'node:child_process';
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { defined } from '../../contract/defined.ts';
import { LONGEST_ANSWER } from '../../contract/limits.ts';
import { isObject, type JsonObject, type ListKind, type Unread } from '../../contract/types.ts';
import { type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { codeOf, type Deadline, unanswered } from '../deadline.ts';
import { exchange } from '../request.ts';
import { CAPABILITIES, CLIENT_INFO, MODERN } from './announce.ts';
import { endProgram } from './end-program.ts';

/** How a server is reached. Everything is expanded already. */
export type Reach =
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string> }
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd: string };

/** What is asked for with a request of its own. */
type Part = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** What a server offers, as it said it; nothing is checked yet. */
export interface OfferedLists {
  status: 'listed';
  lists: { [part in Part]?: JsonObject[] };
  /** Lists that are not here although the server has them. Without its tools nothing is listed at all. */
  unread: Unread;
  /** Milliseconds, of the first page of tools. */
  ttlMs?: number;
  cacheScope?: 'public';
  /** The server's name and version, as it calls itself. */
  identity?: { name: string; version: string };
  /** The revision of the protocol that was agreed on. */
  protocol: string;
  /** Whether it wants a session: then a single request does not do. */
  session: boolean;
  /** Whether the tools came on one page. */
  whole: boolean;
  /** Lists that the server called changed while it was being asked. What else a notification says is not looked at. */
  signals: ListKind[];
}

export type McpAnswer = OfferedLists | { status: 'unreachable' | 'invalid' | 'unaskable'; why: string };

const METHODS: Record<Part, string> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
};
/** What a list consists of, and what is called changed as one. */
const PARTS: Record<ListKind, Part[]> = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
};
const KINDS = Object.keys(PARTS) as ListKind[];
const MOST_PAGES = 64;
const MOST_ITEMS = 20_000;
/** So often a list may be called changed while it is read. */
const MOST_SIGNALS = 500;
/** How long a server may take to confirm that it will say what changes, in ms. */
const LONGEST_CONFIRMATION = 250;

/** Takes a result as it came: contracts must reach the hash as the server sent them. */
const AS_IT_IS = {
  '~standard': { version: 1 as const, vendor: 'konnichiwagwan', validate: (value: unknown) => ({ value }) },
};

/** A library that validates results would change what it validates; we ask for lists alone and check them ourselves. */
const NO_VALIDATOR = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
};

/** To what a server asks of us the library answers, to each with a request of its own. */
const MOST_ANSWERS = 32;

/** Fetch, up to a limit of bytes and of time: the library waits for some answers without an end. */
const boundedFetch = (deadline: Deadline) => {
  let answers = 0;
  return (input: string | URL, init?: RequestInit): Promise<Response> => {
    const isAnswer = typeof init?.body === 'string' && !init.body.includes('"method"');
    if (isAnswer && ++answers > MOST_ANSWERS) return Promise.reject(new Endless());
    return fetchOnce(deadline, input, init);
  };
};

const fetchOnce = async (deadline: Deadline, input: string | URL, init?: RequestInit): Promise<Response> => {
  const signal = init?.signal ? AbortSignal.any([init.signal, deadline.late]) : deadline.late;
  const response = await fetch(input, { ...init, signal });
  if (response.body === null) return response;
  let total = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        total += chunk.length;
        if (total > LONGEST_ANSWER) controller.error(new TooLarge());
        else controller.enqueue(chunk);
      },
    }),
  );
  const bounded = new Response(counted, response);
  // A made response has no address of its own, and the library compares it.
  Object.defineProperty(bounded, 'url', { value: response.url });
  return bounded;
};

class TooLarge extends Error {}
class KeepsChanging extends Error {}
class Endless extends Error {}
class NoList extends Error {}

/** What the library keeps of the program; its output stays open as long as anything that the program started holds it. */
type Internals = { _process?: ChildProcess };

/**
 * Asks for the server's era in place: the library's own way would start a second copy of the program. And ends all of
 * it: the library ends the one process that it started, which may be a mere wrapper.
 */
class OneProcess extends StdioClientTransport {
  #ended: Promise<void> | undefined;
  readonly #left: () => number;

  constructor(parameters: StdioServerParameters, { left }: Deadline) {
    super(parameters);
    this.#left = left;
  }

  /** The library calls it without waiting when connecting fails: whoever calls it again waits for the same end. */
  override close(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const child = (this as unknown as Internals)._process;
    if (child?.pid === undefined) return super.close();
    const closed = new Promise((done) => child.once('close', done));
    let closing: Promise<void> | undefined;
    await endProgram(
      child.pid,
      () => {
        closing = super.close();
      },
      closed,
      this.#left,
    );
    // Whatever still holds it must not keep us from ending.
    child.stdout?.destroy();
    await closing;
  }
}

const transportFor = (reach: Reach, deadline: Deadline): Transport => {
  if (reach.type === 'stdio') {
    const { command, args, env, cwd } = reach;
    const parameters: StdioServerParameters = {
      command,
      args,
      env,
      cwd,
      stderr: 'ignore',
      maxBufferSize: LONGEST_ANSWER,
    };
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

/** `late`: when an answer is no longer waited for. */
type Asking = { client: Client; late: AbortSignal; deadline: Deadline };

const page = async ({ client, late, deadline }: Asking, part: Part, cursor?: string): Promise<JsonObject> => {
  const params = defined({ cursor });
  const result = await client.request({ method: METHODS[part], params } as never, AS_IT_IS, {
    signal: late,
    timeout: deadline.ms,
  });
  return isObject(result) ? (result as JsonObject) : {};
};

const itemsOf = (page: JsonObject, part: Part): JsonObject[] => {
  const items = page[part] ?? [];
  if (!Array.isArray(items)) throw new NoList();
  return items as JsonObject[];
};

type Walked = { items: JsonObject[]; first: JsonObject; pages: number };

/** Every page, from the first. A cursor that the server no longer knows means: all over again, once. */
const walk = async (asking: Asking, part: Part, again = true): Promise<Walked> => {
  const first = await page(asking, part);
  const items = [...itemsOf(first, part)];
  let cursor = first.nextCursor;
  let pages = 1;
  while (typeof cursor === 'string') {
    if (++pages > MOST_PAGES || items.length > MOST_ITEMS) throw new Endless();
    let next: JsonObject;
    try {
      next = await page(asking, part, cursor);
    } catch (error) {
      if (!again || asking.late.aborted || (error as { code?: unknown }).code !== -32602) throw error;
      return walk(asking, part, false);
    }
    items.push(...itemsOf(next, part));
    cursor = next.nextCursor;
  }
  return { items, first, pages };
};

type Walks = { [part in Part]?: Walked };

/** One list, with all that belongs to it. */
const readList = async (asking: Asking, kind: ListKind): Promise<Walks> => {
  const read: Walks = {};
  for (const part of PARTS[kind]) {
    try {
      read[part] = await walk(asking, part);
    } catch (error) {
      // A server may offer resources and know nothing of templates.
      if (kind === 'tools' || asking.late.aborted || (error as { code?: unknown }).code !== -32601) throw error;
    }
  }
  return read;
};

/** What a server said of its lists. Of a notification only the method is looked at: the rest is anything that it likes. */
class Signals {
  readonly pending = new Set<ListKind>();
  readonly seen = new Set<ListKind>();
  #reading: { kind: ListKind; heard: number; flood: AbortController } | undefined;

  /** Aborted when more is said of the list that is read now than any server has to say: it would use up the time. */
  flooded(kind: ListKind): AbortSignal {
    this.#reading = { kind, heard: 0, flood: new AbortController() };
    return this.#reading.flood.signal;
  }

  hear(message: unknown): void {
    const method = isObject(message) ? message.method : undefined;
    const kind = KINDS.find((one) => method === `notifications/${one}/list_changed`);
    if (kind === undefined) return;
    this.pending.add(kind);
    this.seen.add(kind);
    if (this.#reading?.kind === kind && ++this.#reading.heard > MOST_SIGNALS) this.#reading.flood.abort();
  }
}

/** What is said beside an answer may come so much after it, in ms. */
const ASIDE = 50;

/**
 * The lists at a moment when nothing moved: what the server says to have changed since it was read is read once more; if
 * it changes again, nobody can say what it is. Then that list is unusable, and no other one.
 */
const readLists = async (
  { client, deadline }: Omit<Asking, 'late'>,
  kinds: readonly ListKind[],
  signals: Signals,
  whyNot: (error: unknown) => string,
): Promise<{ read: Walks; unread: Unread }> => {
  const found = new Map<ListKind, Walks>();
  const unread: Unread = {};
  const { pending } = signals;
  const attempt = async (kind: ListKind): Promise<void> => {
    pending.delete(kind);
    const flooded = signals.flooded(kind);
    // A list that does not come must not use up the time that the others need.
    const share = kind === 'tools' ? [] : [AbortSignal.timeout(Math.max(1, Math.floor(deadline.left() / 2)))];
    const late = AbortSignal.any([deadline.late, flooded, ...share]);
    try {
      found.set(kind, await readList({ client, deadline, late }, kind));
    } catch (error) {
      if (deadline.late.aborted) throw error;
      found.delete(kind);
      if (kind === 'tools') throw flooded.aborted ? new KeepsChanging() : error;
      if (flooded.aborted) unread[kind] = keepsChanging(kind);
      else
        unread[kind] =
          say`its ${kind} could not be read (${late.aborted ? 'no answer in time' : visible(whyNot(error), { max: 300 })})`;
    }
  };
  for (const kind of kinds) await attempt(kind);
  const again = new Set<ListKind>();
  const moved = () => kinds.find((kind) => pending.has(kind) && !again.has(kind) && found.has(kind));
  for (let kind = moved(); kind !== undefined; kind = moved()) {
    again.add(kind);
    await attempt(kind);
    await new Promise((wait) => setTimeout(wait, ASIDE));
  }
  for (const kind of [...pending].filter((one) => found.has(one))) {
    if (kind === 'tools') throw new KeepsChanging();
    found.delete(kind);
    unread[kind] = keepsChanging(kind);
  }
  return { read: Object.assign({}, ...found.values()), unread };
};

/** Servers of the newer era say what changes to those alone who ask to be told. */
const listen = async (client: Client, kinds: readonly ListKind[], deadline: Deadline): Promise<void> => {
  if ((client.getNegotiatedProtocolVersion() ?? '') < MODERN) return;
  const able = client.getServerCapabilities() ?? {};
  const wanted = kinds.filter((kind) => able[kind]?.listChanged === true);
  if (wanted.length === 0) return;
  const filter = Object.fromEntries(wanted.map((kind) => [`${kind}ListChanged`, true]));
  const told = client.listen(filter, { timeout: deadline.ms, signal: deadline.late });
  // Who does not even confirm it is asked all the same.
  await Promise.race([told.catch(() => {}), new Promise((wait) => setTimeout(wait, LONGEST_CONFIRMATION))]);
};

type HttpError = Error & { code?: unknown; status?: unknown };

const signInWanted = (error: HttpError): boolean =>
  error.name === 'UnauthorizedError' || error.status === 401 || error.code === 401;

/** Said by who wants more rights, and by local servers that are called by another name than they expect. */
const isForbidden = ({ status, code }: HttpError): boolean => status === 403 || code === 403;

const isHttpStatus = (code: unknown): code is number => typeof code === 'number' && code >= 300 && code < 600;

const keepsChanging = (kind: ListKind): Shown =>
  say`its ${kind} changed while being read, and again when they were read once more: reconnect it or start it again`;

const NOT_MCP = 'it answered something that is not MCP';

/** What the protocol's library has a code for. */
const LIBRARY_CODES: Record<string, (reach: Reach) => McpAnswer> = {
  CONNECTION_CLOSED: (reach) => ({
    status: 'unreachable',
    why: reach.type === 'stdio' ? 'its program ended before it answered' : 'it closed the connection',
  }),
  ERA_NEGOTIATION_FAILED: (reach) =>
    reach.type === 'stdio'
      ? { status: 'unreachable', why: 'its program ended before it answered' }
      : { status: 'invalid', why: NOT_MCP },
  CLIENT_HTTP_UNEXPECTED_CONTENT: () => ({ status: 'invalid', why: NOT_MCP }),
  INVALID_RESULT: () => ({ status: 'invalid', why: NOT_MCP }),
  UNSUPPORTED_RESULT_TYPE: () => ({ status: 'invalid', why: NOT_MCP }),
};

/** What it only has words for: they tell the cases apart, and are not passed on. */
const LIBRARY_WORDS: [RegExp, string][] = [
  [/protocol version is not supported/, 'it speaks a version of the protocol that is not known here'],
  [/^(?:SSE error: )?Redirect to /, 'it redirects to another address, and that is not followed'],
  [/^Endpoint origin does not match/, 'its endpoint for messages is of another origin'],
];

/** What went wrong, in words of ours: errors of libraries quote headers, addresses and answers. */
const failure = (thrown: unknown, reach: Reach, deadline: Deadline): McpAnswer => {
  if (deadline.late.aborted) return unanswered(deadline);
  const error = thrown as Error & { code?: unknown; status?: unknown; cause?: NodeJS.ErrnoException };
  const causes = [error, error.cause, error.cause?.cause].filter((cause) => cause instanceof Error) as HttpError[];
  const some = (found: (cause: HttpError) => boolean): boolean => causes.some(found);
  if (some((cause) => cause instanceof KeepsChanging)) {
    return { status: 'invalid', why: keepsChanging('tools') };
  }
  if (some((cause) => cause instanceof TooLarge)) {
    return { status: 'invalid', why: `the answer is larger than ${LONGEST_ANSWER} bytes` };
  }
  if (some((cause) => cause instanceof NoList)) return { status: 'invalid', why: NOT_MCP };
  if (some((cause) => cause instanceof Endless)) return { status: 'invalid', why: 'its list does not end' };
  if (some(signInWanted)) {
    const why =
      reach.type !== 'stdio' && Object.keys(reach.headers).some((name) => name.toLowerCase() === 'authorization')
        ? 'it refuses the credentials in its settings'
        : 'it wants a sign-in, and only Claude Code has the token';
    return { status: 'unaskable', why };
  }
  if (some(isForbidden)) {
    const why = 'it forbids this (HTTP 403): under this spelling of its address, or for lack of rights';
    return { status: 'unaskable', why };
  }
  const words = LIBRARY_WORDS.find(([pattern]) => some(({ message }) => pattern.test(message)));
  if (words) return { status: 'invalid', why: words[1] };
  const http = causes.flatMap(({ status, code }) => [status, code]).find(isHttpStatus);
  if (http !== undefined) return { status: http >= 500 ? 'unreachable' : 'invalid', why: `it answered HTTP ${http}` };
  // The innermost error is what happened; those around it say what it was in the way of.
  const codes = causes.map(codeOf).filter((code) => code !== undefined);
  const code = codes.findLast((code) => LIBRARY_CODES[code] === undefined) ?? codes.at(-1);
  if (code?.includes('TIMEOUT')) return unanswered(deadline);
  if (code !== undefined) return LIBRARY_CODES[code]?.(reach) ?? { status: 'unreachable', why: code };
  if (Number.isInteger(error.code)) return { status: 'invalid', why: `it answered with the error ${error.code}` };
  return some(({ name }) => name === 'SyntaxError' || name === 'ZodError' || name === '$ZodError')
    ? { status: 'invalid', why: NOT_MCP }
    : { status: 'unreachable', why: 'the exchange broke off' };
};

/** What does not come in time is no longer waited for: the library waits for some answers without an end. */
const inTime = <T>(work: Promise<T>, { late }: Deadline): Promise<T> =>
  new Promise((resolve, reject) => {
    late.addEventListener('abort', () => reject(late.reason), { once: true });
    work.then(resolve, reject);
  });

/** A session that nobody ends stays in the server's memory, also where connecting failed after it had begun. */
const disconnect = async (client: Client, transport: Transport, reach: Reach, deadline: Deadline): Promise<void> => {
  if (
    transport instanceof StreamableHTTPClientTransport &&
    transport.sessionId !== undefined &&
    reach.type === 'http'
  ) {
    const { protocolVersion: version, sessionId } = transport;
    const headers = {
      ...reach.headers,
      ...defined({ 'mcp-protocol-version': version }),
      'mcp-session-id': sessionId,
    };
    await exchange({ method: 'DELETE', url: reach.url, headers }, Math.min(500, deadline.left()));
  }
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
};

const connected = async (reach: Reach, mode: 'auto' | 'legacy', deadline: Deadline) => {
  const client = new Client(CLIENT_INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode },
    jsonSchemaValidator: NO_VALIDATOR,
  });
  // Whatever goes wrong beside our requests (a stream that breaks) is no error of theirs.
  client.onerror = () => {};
  const transport = transportFor(reach, deadline);
  const signals = new Signals();
  // Before the library, which drops a notification whose params are not as they should be.
  transport.onmessage = (message) => signals.hear(message);
  try {
    await inTime(client.connect(transport, { timeout: deadline.ms, signal: deadline.late }), deadline);
    return { client, transport, signals };
  } catch (error) {
    await disconnect(client, transport, reach, deadline);
    throw error;
  }
};

const connect = async (reach: Reach, deadline: Deadline) => {
  if (reach.type === 'sse') return connected(reach, 'legacy', deadline);
  try {
    return await connected(reach, 'auto', deadline);
  } catch (error) {
    // Some older programs end when they are asked anything before `initialize`.
    if (reach.type !== 'stdio' || deadline.late.aborted || codeOf(error) === 'ENOENT') throw error;
    return connected(reach, 'legacy', deadline);
  }
};

/**
 * Asks a server what it offers: `server/discover` first, then `initialize`, as the client does. Never throws.
 * @param wanted the lists to ask for
 */
export const listOverMcp = async (
  reach: Reach,
  wanted: readonly ListKind[],
  deadline: Deadline,
): Promise<McpAnswer> => {
  let connection: Awaited<ReturnType<typeof connected>> | undefined;
  try {
    connection = await connect(reach, deadline);
    const { client, transport, signals } = connection;
    const able = client.getServerCapabilities() ?? {};
    const kinds = wanted.filter((kind) => able[kind] !== undefined);
    await listen(client, kinds, deadline);
    const { read, unread } = await readLists({ client, deadline }, kinds, signals, (error) => {
      const failed = failure(error, reach, deadline);
      return 'why' in failed ? failed.why : '';
    });
    const { tools } = read;
    const lists = Object.fromEntries(Object.entries(read).map(([part, { items }]) => [part, items]));
    const identity = client.getServerVersion();
    return {
      status: 'listed',
      lists: able.tools === undefined && wanted.includes('tools') ? { ...lists, tools: [] } : lists,
      unread,
      ...(typeof tools?.first.ttlMs === 'number' ? { ttlMs: tools.first.ttlMs } : {}),
      ...(tools?.first.cacheScope === 'public' ? { cacheScope: 'public' as const } : {}),
      ...(identity ? { identity: { name: String(identity.name), version: String(identity.version) } } : {}),
      protocol: client.getNegotiatedProtocolVersion() ?? '',
      session: transport.sessionId !== undefined,
      whole: (tools?.pages ?? 1) === 1,
      signals: [...signals.seen],
    };
  } catch (error) {
    return failure(error, reach, deadline);
  } finally {
    if (connection) await disconnect(connection.client, connection.transport, reach, deadline);
  }
};
