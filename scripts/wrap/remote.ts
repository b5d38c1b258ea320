// A server over Streamable HTTP, as one that is sent lines and sends lines.
import type Http from 'node:http';
import { PassThrough } from 'node:stream';
import { own as field, isObject } from '../contract/types.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';
import { quoteText } from '../text/quote.ts';
import { eventReader } from './events.ts';
import { readLines, Tap } from './lines.ts';
import { type Message, type Parsed, readMessages, toLine, withId } from './message.ts';
import { ParamHeaders, toHeaderText } from './param-headers.ts';
import type { ServerSide } from './server-side.ts';
import type { RemoteTarget } from './settings.ts';

/** Longest message of the server that is read, in bytes. */
const LONGEST = 64 * 1024 * 1024;
/** So much of an answer that is an error is read for its words. */
const LONGEST_ERROR = 64 * 1024;
const MOST_REDIRECTS = 3;
/** The pause before a stream is opened again, in ms: doubled with each attempt. */
const PAUSE = { first: 1_000, longest: 60_000 };
/** After so long without a byte the system asks the other side whether it is still there, in ms. */
const PROBE_AFTER = 15_000;
/** How long the end of a session may take, in ms. */
const ENDING = 500;
/** How long the host may be gone before we are, in ms, and how often we look. */
const GRACE = 1_500;
const LOOK_EVERY = 250;
/** How long what follows waits until the server has taken a notification, in ms. */
const TAKING = 2_000;
const SERVER_ERROR = -32_000;

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

const isRequest = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;

/** A body on one line. */
const onOneLine = (body: Buffer): Buffer => {
  const line = Buffer.from(body);
  for (let at = line.indexOf(10); at !== -1; at = line.indexOf(10, at)) line[at] = 32;
  for (let at = line.indexOf(13); at !== -1; at = line.indexOf(13, at)) line[at] = 32;
  return line;
};

/** What is sent to the server, and what it has to do with. */
interface Sending {
  body: Buffer;
  parsed: Parsed | undefined;
  /** The requests in it that are not answered yet, as JSON text of their ids. */
  open: Set<string>;
  /** Whether it was sent once before, in a session that the server no longer knew. */
  isAgain: boolean;
}

class Remote implements ServerSide {
  readonly output = new PassThrough({ highWaterMark: 1024 * 1024 });
  readonly input = new PassThrough();
  readonly ended: ServerSide['ended'];
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #http: typeof Http;
  readonly #agent: Http.Agent;
  readonly #params = new ParamHeaders();
  /** Requests under way, by the ids in them. */
  readonly #running = new Map<string, Http.ClientRequest>();
  #finish: (how: Awaited<ServerSide['ended']>) => void = () => {};
  #session: string | undefined;
  #revision: string | undefined;
  /** What the host began with, to begin again with. */
  #initialize: Message | undefined;
  #beginning: Promise<boolean> | undefined;
  #count = 0;
  /** What has to be taken by the server before anything else is sent. */
  #before: Promise<void> = Promise.resolve();
  #stream: Http.ClientRequest | undefined;
  #streamSince: Moment | undefined;
  /** Whether the server has said that it tells when its tools change. */
  #tells = false;
  #lastEvent: string | undefined;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #judgeAgain: ((line: Buffer) => void) | undefined;

  constructor({ url, headers }: RemoteTarget) {
    this.#url = url;
    this.#headers = headers;
    this.#http = url.protocol === 'https:' ? require('node:https') : require('node:http');
    this.#agent = new this.#http.Agent({ keepAlive: true });
    this.ended = new Promise((done) => {
      this.#finish = done;
    });
    const tap = new Tap(this.input);
    readLines(this.input, {
      limit: () => LONGEST,
      line: (line) => this.#send(line, tap),
      // Whatever asks by more than this is not answered.
      piece: () => {},
    });
  }

  /** When the stream began on which the server says what it likes; undefined where there is none. */
  listeningSince(): Moment | undefined {
    return this.#tells ? this.#streamSince : undefined;
  }

  again(judge: (line: Buffer) => void): void {
    this.#judgeAgain = judge;
  }

  signal(name: NodeJS.Signals): void {
    void this.#close({ code: null, signal: name });
  }

  end(): void {
    void this.#close({ code: 0, signal: null });
  }

  hostDone(isAtWork: () => boolean): void {
    const parent = process.ppid;
    let since = Date.now();
    const look = (): void => {
      if (isAtWork()) since = Date.now();
      const isIdle = this.#running.size === 0 || Date.now() - since >= GRACE;
      if (process.ppid !== parent || (!isAtWork() && isIdle)) this.end();
      else setTimeout(look, LOOK_EVERY);
    };
    look();
  }

  async #close(how: Awaited<ServerSide['ended']>): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stream?.destroy();
    const session = this.#session;
    if (session !== undefined)
      await new Promise<void>((done) => {
        const headers = { ...this.#headers, ...this.#sessionHeaders() };
        const request = this.#http.request(this.#url, { method: 'DELETE', agent: this.#agent, headers });
        const timer = setTimeout(() => request.destroy(), ENDING);
        request.on('response', (response) => response.resume());
        request.on('error', () => {});
        request.on('close', () => {
          clearTimeout(timer);
          done();
        });
        request.end();
      });
    for (const request of this.#running.values()) request.destroy();
    this.#agent.destroy();
    this.output.end();
    this.#finish(how);
  }

  #sessionHeaders(): Record<string, string> {
    return {
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }),
    };
  }

  /** What the headers have to repeat of a message. */
  #headersFor(message: Message | undefined): Record<string, string> {
    const revision = message && isRequest(message) ? revisionIn(message) : undefined;
    if (message?.method === undefined || revision === undefined) return this.#sessionHeaders();
    const named = message.params[NAMED[message.method] ?? ''];
    return {
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
      'mcp-protocol-version': revision,
      'mcp-method': message.method,
      ...(typeof named === 'string' ? { 'mcp-name': toHeaderText(named) } : {}),
      ...(message.method === 'tools/call' ? this.#params.of(message.params) : {}),
    };
  }

  #send(body: Buffer, tap: Tap): void {
    const parsed = readMessages(body);
    // What is no message has no answer, and no place in HTTP.
    if (parsed === undefined || this.#isOver) return;
    const { messages } = parsed;
    for (const message of messages) {
      if (message.method === 'initialize' && message.id !== undefined) this.#forget(message);
      if (message.method === 'notifications/cancelled' && this.#cancel(message)) return;
    }
    const open = new Set(messages.filter(isRequest).map(({ idText = '' }) => idText));
    const sending = { body, parsed, open, isAgain: false };
    const before = this.#before;
    if (open.size > 0) {
      void before.then(() => this.#post(sending));
      return;
    }
    // What is said is taken before what is asked after it.
    tap.hold(sending);
    this.#before = before
      .then(() => Promise.race([this.#post(sending), new Promise<void>((done) => setTimeout(done, TAKING).unref())]))
      .finally(() => tap.free(sending));
    if (messages.some(({ method }) => method === 'notifications/initialized'))
      void this.#before.then(() => this.#listen());
  }

  /** The host begins anew. */
  #forget(initialize: Message): void {
    this.#initialize = initialize;
    [this.#session, this.#revision, this.#tells] = [undefined, undefined, false];
    this.#stream?.destroy();
  }

  /** Whether the word that a request is taken back is said by closing it, as the newer revisions have it. */
  #cancel({ params: { requestId } }: Message): boolean {
    const request = this.#running.get(JSON.stringify(requestId));
    if (request === undefined || request.getHeader('mcp-method') === undefined) return false;
    request.destroy();
    return true;
  }

  /** @returns once the server has begun to answer */
  #post(sending: Sending, url = this.#url, redirects = 0, isReused = true): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const { body, parsed, open } = sending;
    const ids = [...open];
    const [message] = parsed?.messages ?? [];
    const session = this.#session;
    return new Promise((done) => {
      const headers = {
        ...this.#headers,
        ...this.#headersFor(message),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': String(body.length),
      };
      let request: Http.ClientRequest;
      try {
        request = this.#http.request(url, {
          method: 'POST',
          headers,
          ...(isReused ? { agent: this.#agent } : { agent: false }),
        });
      } catch (error) {
        this.#fail(open, `it cannot be asked (${(error as NodeJS.ErrnoException).code})`);
        done();
        return;
      }
      for (const id of ids) this.#running.set(id, request);
      let isBegun = false;
      request.on('socket', (socket) => socket.setKeepAlive(true, PROBE_AFTER));
      request.on('response', (response) => {
        isBegun = true;
        done();
        this.#take(response, sending, { session, redirects });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (isBegun) return;
        // A kept connection that its server has closed meanwhile.
        if (request.reusedSocket && isReused) void this.#post(sending, url, redirects, false).then(done);
        else this.#fail(open, `it cannot be reached (${error.code ?? 'the connection broke off'})`);
      });
      request.on('close', () => {
        for (const id of ids) if (this.#running.get(id) === request) this.#running.delete(id);
        done();
      });
      request.end(body);
    });
  }

  #take(
    response: Http.IncomingMessage,
    sending: Sending,
    { session, redirects }: { session: string | undefined; redirects: number },
  ): void {
    const { statusCode: status = 0, headers } = response;
    const { open, parsed } = sending;
    if (status >= 300 && status < 400) {
      response.resume();
      this.#redirect(status, headers.location, sending, redirects);
      return;
    }
    const begins = parsed?.messages.find(({ method }) => method === 'initialize');
    const given = headers['mcp-session-id'];
    if (begins !== undefined && status === 200 && typeof given === 'string') this.#session = given;
    if (status < 200 || status >= 300) {
      this.#readError(response, status, sending, session);
      return;
    }
    const kind = String(headers['content-type']);
    if (kind.startsWith('text/event-stream')) this.#readEvents(response, open);
    else if (status === 202 || status === 204 || open.size === 0) response.resume();
    else this.#readBody(response, open);
  }

  #redirect(status: number, location: string | undefined, sending: Sending, redirects: number): void {
    const to =
      location !== undefined && URL.canParse(location, this.#url.href) ? new URL(location, this.#url) : undefined;
    // Headers hold credentials, which are for this server alone.
    if (to?.origin === this.#url.origin && (status === 307 || status === 308) && redirects < MOST_REDIRECTS)
      void this.#post(sending, to, redirects + 1);
    else this.#fail(sending.open, `it answers with HTTP ${status}, which leads elsewhere`);
  }

  /** The server does not know the session any more: it is begun again, as the host began it. */
  async #sendAgain(sending: Sending, session: string): Promise<void> {
    if (this.#session === session) {
      [this.#session, this.#revision, this.#tells] = [undefined, undefined, false];
      this.#stream?.destroy();
      this.#beginning = this.#begin().finally(() => {
        this.#beginning = undefined;
      });
    }
    if ((await (this.#beginning ?? Promise.resolve(true))) === false) {
      this.#fail(sending.open, 'it forgot the session, and does not begin another one');
      return;
    }
    const isCall = sending.parsed?.messages.some(({ method }) => method === 'tools/call');
    // It may be another server by now, so the call is judged again.
    if (isCall && this.#judgeAgain) this.#judgeAgain(sending.body);
    else void this.#post({ ...sending, isAgain: true });
  }

  async #begin(): Promise<boolean> {
    const id = `konnichiwagwan-again-${process.pid}-${this.#count++}`;
    const { params } = this.#initialize as Message;
    const body = toLine({ id, method: 'initialize', params });
    const answer = new Promise<boolean>((done) => {
      this.#own.set(JSON.stringify(id), (message) => done(isObject(message.result)));
    });
    await this.#post({ body, parsed: readMessages(body), open: new Set([JSON.stringify(id)]), isAgain: true });
    if (!(await answer)) return false;
    const said = toLine({ method: 'notifications/initialized' });
    await this.#post({ body: said, parsed: readMessages(said), open: new Set(), isAgain: true });
    this.#listen();
    return true;
  }

  /** What we asked ourselves, by the id. */
  readonly #own = new Map<string, (message: Message) => void>();

  /** One message of the server. @returns whether it is passed on at once */
  #say(line: Buffer, open?: Set<string>): boolean {
    // Most of what it says is an answer, or tells something: only what has to do with us is read.
    const parsed = line.length < LONGEST ? readMessages(line) : undefined;
    for (const message of parsed?.messages ?? []) {
      const { idText, method, result } = message;
      if (idText === undefined || method !== undefined) continue;
      open?.delete(idText);
      if (isObject(result)) {
        if (typeof result.protocolVersion === 'string' && isObject(result.capabilities)) {
          this.#revision = result.protocolVersion;
          this.#tells = field(result.capabilities.tools, 'listChanged') === true;
        }
        this.#params.learn(result);
      }
      const own = this.#own.get(idText);
      if (own === undefined) continue;
      this.#own.delete(idText);
      own(message);
      return true;
    }
    return this.output.writable ? this.output.write(Buffer.concat([onOneLine(line), Buffer.from('\n')])) : true;
  }

  #fail(open: Set<string>, why: string, said: object = {}): void {
    for (const id of [...open]) {
      const message = `konnichiwagwan could not pass this on to the server at ${quoteText(this.#url.host)}: ${why}`;
      this.#say(withId(id, { error: { code: SERVER_ERROR, message, ...said } }).subarray(0, -1), open);
    }
  }

  #collect(response: Http.IncomingMessage, longest: number, done: (body: Buffer | undefined) => void): void {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > longest) response.destroy();
      else chunks.push(chunk);
    });
    response.on('error', () => {});
    response.on('close', () => done(response.complete && length <= longest ? Buffer.concat(chunks) : undefined));
  }

  #readBody(response: Http.IncomingMessage, open: Set<string>): void {
    this.#collect(response, LONGEST, (body) => {
      if (body === undefined) this.#fail(open, 'its answer broke off, or is too long');
      else if (readMessages(body) === undefined) this.#fail(open, 'its answer is no message');
      else this.#say(body, open);
    });
  }

  #readError(response: Http.IncomingMessage, status: number, sending: Sending, session: string | undefined): void {
    const { open, isAgain } = sending;
    this.#collect(response, LONGEST_ERROR, (body = Buffer.alloc(0)) => {
      const { messages } = readMessages(body) ?? {};
      const error = messages?.[0]?.error;
      // The protocol has 404 for it; some servers say it with 400 and in words.
      const isLost = status === 404 || (status === 400 && /session/i.test(String(field(error, 'message'))));
      if (isLost && session !== undefined && this.#initialize !== undefined && !isAgain) {
        void this.#sendAgain(sending, session);
        return;
      }
      if (isObject(error) && typeof error.code === 'number')
        for (const id of [...open]) this.#say(withId(id, { error }).subarray(0, -1), open);
      else {
        const hint = status === 401 || status === 403 ? '; check the headers that wrap was given' : '';
        this.#fail(open, `it answers with HTTP ${status}${hint}`, { data: { status } });
      }
    });
  }

  #readEvents(response: Http.IncomingMessage, open?: Set<string>): void {
    let last: string | undefined;
    let pause = PAUSE.first;
    const take = eventReader(
      {
        event: ({ data, id }) => {
          last = id ?? last;
          if (open === undefined) this.#lastEvent = last;
          if (data.length > 0 && !this.#say(data, open)) {
            response.pause();
            this.output.once('drain', () => response.resume());
          }
        },
        retry: (ms) => {
          pause = Math.min(ms, PAUSE.longest);
        },
      },
      LONGEST,
    );
    response.on('data', (chunk: Buffer) => {
      if (!take(chunk)) response.destroy();
    });
    response.on('error', () => {});
    response.on('close', () => {
      if (open === undefined || open.size === 0 || this.#isOver) return;
      // The server may close it before it has answered, and goes on with it on another one.
      if (last === undefined) this.#fail(open, 'its stream ended before its answer');
      else setTimeout(() => this.#resume(last as string, open), pause).unref();
    });
  }

  #resume(last: string, open: Set<string>, attempts = 0): void {
    if (this.#isOver) return;
    const headers = { ...this.#headers, ...this.#sessionHeaders(), accept: 'text/event-stream', 'last-event-id': last };
    const request = this.#http.request(this.#url, { method: 'GET', agent: false, headers });
    for (const id of open) this.#running.set(id, request);
    request.on('response', (response) => {
      if (response.statusCode === 200) this.#readEvents(response, open);
      else {
        response.resume();
        this.#fail(open, `its stream ended before its answer, and it goes on with none (HTTP ${response.statusCode})`);
      }
    });
    request.on('error', () => {
      if (attempts < 2) setTimeout(() => this.#resume(last, open, attempts + 1), PAUSE.first).unref();
      else this.#fail(open, 'its stream ended before its answer');
    });
    request.on('close', () => {
      for (const [id, one] of this.#running) if (one === request) this.#running.delete(id);
    });
    request.end();
  }

  /** Opens the stream on which the server says what belongs to no request. */
  #listen(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || (this.#revision ?? '') === '') return;
    this.#stream?.destroy();
    const resumed = this.#lastEvent === undefined ? {} : { 'last-event-id': this.#lastEvent };
    const headers = { ...this.#headers, ...this.#sessionHeaders(), accept: 'text/event-stream', ...resumed };
    const request = this.#http.request(this.#url, { method: 'GET', agent: false, headers });
    this.#stream = request;
    const session = this.#session;
    let isNone = false;
    request.on('socket', (socket) => socket.setKeepAlive(true, PROBE_AFTER));
    request.on('response', (response) => {
      const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
      if (response.statusCode === 200 && isStream) {
        this.#attempts = 0;
        this.#streamSince = thisMoment();
        this.#readEvents(response);
        return;
      }
      // It has none, or does not know the session any more: then the next message finds that out.
      isNone = [404, 405, 501].includes(response.statusCode ?? 0) || response.statusCode === 200;
      response.resume();
    });
    request.on('error', () => {});
    request.on('close', () => {
      if (this.#stream !== request) return;
      this.#streamSince = undefined;
      if (isNone || this.#isOver || this.#session !== session) return;
      const pause = Math.min(PAUSE.longest, PAUSE.first * 2 ** this.#attempts++);
      this.#timer = setTimeout(() => this.#listen(), pause * (0.75 + Math.random() / 2)).unref();
    });
    request.end();
  }
}

export const reachRemote = (target: RemoteTarget): ServerSide => new Remote(target);
