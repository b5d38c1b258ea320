// Asks a server over MCP in full. A bundle of its own, because the MCP library takes 60 ms to load.
import type { ChildProcess } from 'node:child_process';
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { type Caching, cachingOf } from '../../contract/caching.ts';
import { defined } from '../../contract/defined.ts';
import { LONGEST_ANSWER } from '../../contract/limits.ts';
import { nextCursor } from '../../contract/next-cursor.ts';
import { isObject, type JsonObject, type ListKind, type Unread } from '../../contract/types.ts';
import { quoteName, quoteText } from '../../text/quote.ts';
import { type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { codeOf, type Deadline, orPending, unanswered } from '../deadline.ts';
import { Pieces } from '../pieces.ts';
import { fetchThrough, proxyFor } from '../proxy.ts';
import { PAUSE, Share } from '../share.ts';
import { CAPABILITIES, CLIENT_INFO, MODERN } from './announce.ts';
import { endSession } from './ask-list.ts';
import { endProgram } from './end-program.ts';
import { type SessionKeeper, toldBy } from './kept-session.ts';
import { type ListPart, METHODS, PARTS } from './list-parts.ts';

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

const KINDS = Object.keys(PARTS) as ListKind[];
const MOST_PAGES = 64;
const MOST_ITEMS = 20_000;
/** How often a server may report a list as changed while it is read. */
const MOST_SIGNALS = 500;
/** How long a server may take to confirm that it will announce changes, in ms. */
const LONGEST_CONFIRMATION = 250;

/** A schema that accepts every result unchanged: contracts must be hashed as the server sent them. */
const AS_IT_IS = {
  '~standard': { version: 1 as const, vendor: 'konnichiwagwan', validate: (value: unknown) => ({ value }) },
};

/** Accepts everything: the library's own validation would change results, and we check the lists ourselves. */
const NO_VALIDATOR = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
};

/** How many of the server's requests may be answered: the library sends a request for each answer. */
const MOST_ANSWERS = 32;

/** A `fetch` with limits of size, time and number: the library waits for some answers without any limit. */
const boundedFetch = (deadline: Deadline) => {
  let answers = 0;
  return (input: string | URL, init?: RequestInit): Promise<Response> => {
    const isAnswer = typeof init?.body === 'string' && !init.body.includes('"method"');
    if (isAnswer && ++answers > MOST_ANSWERS) return Promise.reject(new Endless());
    return fetchOnce(deadline, input, init);
  };
};

/** Pieces of an answer are passed on once they add up to this many bytes. */
const LARGE = 16 * 1024;

const fetchOnce = async (deadline: Deadline, input: string | URL, init?: RequestInit): Promise<Response> => {
  const signal = init?.signal ? AbortSignal.any([init.signal, deadline.late]) : deadline.late;
  const url = new URL(input);
  const send = proxyFor(url) === undefined ? fetch : fetchThrough;
  const response = await send(url, { ...init, signal });
  if (response.body === null) return response;
  let total = 0;
  const share = new Share();
  const pieces = new Pieces();
  const isStream = /^text\/event-stream/i.test(response.headers.get('content-type') ?? '');
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        total += chunk.length;
        if (total > LONGEST_ANSWER) return controller.error(new ListTooLarge());
        // The reader keeps each piece separately: many small ones would take much memory.
        pieces.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
        if (isStream || pieces.length >= LARGE) controller.enqueue(pieces.take());
        if (share.isUsed()) await new Promise((wait) => setTimeout(wait, PAUSE));
      },
      flush: (controller) => {
        if (pieces.length > 0) controller.enqueue(pieces.take());
      },
    }),
  );
  const bounded = new Response(counted, response);
  // A constructed response has no URL, and the library compares it.
  Object.defineProperty(bounded, 'url', { value: response.url });
  return bounded;
};

class ListTooLarge extends Error {}
class KeepsChanging extends Error {}
class Endless extends Error {}
class NoList extends Error {}

/** Without the values of variables that are named like secrets: programs complain about a key by printing it. */
const withoutSecrets = (line: string, env: Record<string, string>): string =>
  Object.entries(env)
    .filter(([name, value]) => value.length >= 6 && /key|token|secret|pass|auth|cred/i.test(name))
    .reduce((text, [name, value]) => text.replaceAll(value, `(the value of ${name})`), line);

/** How many characters of a program's standard error are kept: its last line is shown. */
const MOST_SAID = 4_096;

/** The library's private field for the child process. Its output stays open while anything that it started holds it. */
type Internals = { _process?: ChildProcess };

/**
 * Lets the library find out the server's revision of MCP in the same process: with its own transport it would start a
 * second copy of the program. Also ends everything that the program started: the library ends only its own child process,
 * which may be a mere wrapper.
 */
class OneProcess extends StdioClientTransport {
  #ended: Promise<void> | undefined;
  readonly #left: () => number;
  readonly #env: Record<string, string>;
  /** The last part of its standard error. */
  #said = '';
  #exit: string | undefined;

  constructor(parameters: StdioServerParameters, { left }: Deadline) {
    super({ ...parameters, stderr: 'pipe' });
    this.#left = left;
    this.#env = parameters.env ?? {};
    this.stderr?.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString('utf8')).slice(-MOST_SAID);
    });
  }

  override async start(): Promise<void> {
    await super.start();
    const child = (this as unknown as Internals)._process;
    child?.once('exit', (code, signal) => {
      // Once we end it, its exit tells nothing.
      if (this.#ended === undefined) this.#exit = code === null ? `by ${signal}` : `with exit code ${code}`;
    });
  }

  /** How the program ended, if by itself, and its last line on standard error, which is meant for people. */
  howItEnded(): string | undefined {
    const line = this.#said.trimEnd().split('\n').at(-1)?.trim();
    // A program may write anything, and a model would take it for our words.
    const said = line && !process.env.CLAUDECODE ? `: ${quoteText(withoutSecrets(line, this.#env), 200)}` : '';
    return this.#exit && `${this.#exit}${said}`;
  }

  /** The library calls this without waiting if connecting fails: a second call waits for the same end. */
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
    // A process that still holds the output must not keep us from ending.
    child.stdout?.destroy();
    await closing;
  }
}

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

/** `late`: aborted when we stop waiting for an answer. */
type Asking = { client: Client; late: AbortSignal; deadline: Deadline };

const page = async ({ client, late, deadline }: Asking, part: ListPart, cursor?: string): Promise<JsonObject> => {
  const params = defined({ cursor });
  const result = await client.request({ method: METHODS[part], params } as never, AS_IT_IS, {
    signal: late,
    timeout: deadline.ms,
  });
  return isObject(result) ? (result as JsonObject) : {};
};

const itemsOf = (page: JsonObject, part: ListPart): JsonObject[] => {
  const items = page[part] ?? [];
  if (!Array.isArray(items)) throw new NoList();
  return items as JsonObject[];
};

type Walked = { items: JsonObject[]; pages: JsonObject[] };

/** Every page, from the first. If the server no longer knows a cursor, starts over once. */
const walk = async (asking: Asking, part: ListPart, again = true): Promise<Walked> => {
  const first = await page(asking, part);
  const items = [...itemsOf(first, part)];
  let cursor = nextCursor(first);
  const pages = [first];
  while (cursor !== undefined) {
    if (pages.length === MOST_PAGES || items.length > MOST_ITEMS) throw new Endless();
    let next: JsonObject;
    try {
      next = await page(asking, part, cursor);
    } catch (error) {
      if (!again || asking.late.aborted || (error as { code?: unknown }).code !== -32602) throw error;
      return walk(asking, part, false);
    }
    items.push(...itemsOf(next, part));
    pages.push(next);
    cursor = nextCursor(next);
  }
  return { items, pages };
};

type Walks = { [part in ListPart]?: Walked };

/** One list, with all that belongs to it. */
const readList = async (asking: Asking, kind: ListKind): Promise<Walks> => {
  const read: Walks = {};
  for (const part of PARTS[kind]) {
    try {
      read[part] = await walk(asking, part);
    } catch (error) {
      // A server may offer resources without supporting templates.
      if (kind === 'tools' || asking.late.aborted || (error as { code?: unknown }).code !== -32601) throw error;
    }
  }
  return read;
};

/** What a server announced about its lists. Only a notification's method is read: the rest may be anything. */
class Signals {
  readonly pending = new Set<ListKind>();
  readonly seen = new Set<ListKind>();
  #reading: { kind: ListKind; heard: number; flood: AbortController } | undefined;

  /** Aborted on absurdly many announcements about the list being read: they would use up the time. */
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

/** How long after an answer a related announcement may arrive, in ms. */
const ASIDE = 50;

/**
 * The lists at a moment when nothing changed: a list that the server reports as changed since it was read is read once more.
 * If it changes again, its content is unknown, and only that list is unusable.
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
    // A list that never arrives must not use up the others' time.
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

/** Servers of the newer revisions announce changes only to clients that subscribe. */
const listen = async (client: Client, kinds: readonly ListKind[], deadline: Deadline): Promise<void> => {
  if ((client.getNegotiatedProtocolVersion() ?? '') < MODERN) return;
  const able = client.getServerCapabilities() ?? {};
  const wanted = kinds.filter((kind) => able[kind]?.listChanged === true);
  if (wanted.length === 0) return;
  const filter = Object.fromEntries(wanted.map((kind) => [`${kind}ListChanged`, true]));
  const told = client.listen(filter, { timeout: deadline.ms, signal: deadline.late });
  // A server that does not confirm is still asked.
  await orPending(
    told.catch(() => {}),
    LONGEST_CONFIRMATION,
  );
};

type HttpError = Error & { code?: unknown; status?: unknown };

const signInWanted = (error: HttpError): boolean =>
  error.name === 'UnauthorizedError' || error.status === 401 || error.code === 401;

/** HTTP 403: missing rights, or a local server that expects to be addressed by another host name. */
const isForbidden = ({ status, code }: HttpError): boolean => status === 403 || code === 403;

const isHttpStatus = (code: unknown): code is number => typeof code === 'number' && code >= 300 && code < 600;

const keepsChanging = (kind: ListKind): Shown =>
  say`its ${kind} changed while being read, and again when they were read once more: reconnect it or start it again`;

const NOT_MCP = 'it answered something that is not MCP';

const ENDED = 'its program ended before it answered';

/** Why a program could not be started, by the system's code. */
const NOT_STARTED: Record<string, string> = {
  ENOENT: 'not found: check its command, and the PATH that this is started with',
  EACCES: 'not executable',
};

/** Failures for which the MCP library has a code. */
const LIBRARY_CODES: Record<string, (reach: Reach) => McpAnswer> = {
  CONNECTION_CLOSED: (reach) => ({
    status: 'unreachable',
    why: reach.type === 'stdio' ? ENDED : 'it closed the connection',
  }),
  ERA_NEGOTIATION_FAILED: (reach) =>
    reach.type === 'stdio' ? { status: 'unreachable', why: ENDED } : { status: 'invalid', why: NOT_MCP },
  CLIENT_HTTP_UNEXPECTED_CONTENT: () => ({ status: 'invalid', why: NOT_MCP }),
  INVALID_RESULT: () => ({ status: 'invalid', why: NOT_MCP }),
  UNSUPPORTED_RESULT_TYPE: () => ({ status: 'invalid', why: NOT_MCP }),
};

/** Failures that only the library's messages tell apart; these are never passed on. */
const LIBRARY_WORDS: [RegExp, string][] = [
  [/protocol version is not supported/, 'it speaks a version of the protocol that is not known here'],
  [/^(?:SSE error: )?Redirect to /, 'it redirects to another address, and that is not followed'],
  [/^Endpoint origin does not match/, 'its endpoint for messages is of another origin'],
];

/** What went wrong, in our own words: errors of libraries quote headers, addresses and answers. */
const failure = (thrown: unknown, reach: Reach, deadline: Deadline): McpAnswer => {
  if (deadline.late.aborted) return unanswered(deadline);
  const error = thrown as HttpError & { cause?: NodeJS.ErrnoException; howItEnded?: string };
  const causes = [error, error.cause, error.cause?.cause].filter((cause) => cause instanceof Error) as HttpError[];
  const some = (found: (cause: HttpError) => boolean): boolean => causes.some(found);
  if (some((cause) => cause instanceof KeepsChanging)) {
    return { status: 'invalid', why: keepsChanging('tools') };
  }
  if (some((cause) => cause instanceof ListTooLarge)) {
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
  // The innermost error says what happened; those around it say what failed because of it.
  const codes = causes.map(codeOf).filter((code) => code !== undefined);
  const code = codes.findLast((code) => LIBRARY_CODES[code] === undefined) ?? codes.at(-1);
  if (code?.includes('TIMEOUT')) return unanswered(deadline);
  const notStarted = reach.type === 'stdio' && code !== undefined ? NOT_STARTED[code] : undefined;
  if (reach.type === 'stdio' && notStarted !== undefined)
    return { status: 'unreachable', why: `its program ${quoteName(reach.command)} is ${notStarted}` };
  const known = code === undefined ? undefined : LIBRARY_CODES[code]?.(reach);
  if (known && 'why' in known && known.why === ENDED)
    return { ...known, why: error.howItEnded === undefined ? ENDED : `its program ended ${error.howItEnded}` };
  if (code !== undefined) return known ?? { status: 'unreachable', why: code };
  if (Number.isInteger(error.code)) return { status: 'invalid', why: `it answered with the error ${error.code}` };
  return some(({ name }) => name === 'SyntaxError' || name === 'ZodError' || name === '$ZodError')
    ? { status: 'invalid', why: NOT_MCP }
    : { status: 'unreachable', why: 'the connection was interrupted' };
};

/** Rejects when it is too late for an answer: the library waits for some answers without any limit. */
const inTime = <T>(work: Promise<T>, { late }: Deadline): Promise<T> =>
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
    await inTime(client.connect(transport, { timeout: deadline.ms, signal: deadline.late }), deadline);
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
      const failed = failure(error, reach, deadline);
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
    return failure(error, reach, deadline);
  } finally {
    if (connection) await disconnect(connection.client, connection.transport, reach, deadline, isKept);
  }
};
