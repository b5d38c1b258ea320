// Makes a server over Streamable HTTP look like one that reads and writes lines.
import type Http from 'node:http';
import { PassThrough } from 'node:stream';
import { own as field, isObject } from '../contract/types.ts';
import { withoutMark } from '../sources/byte-order-mark.ts';
import { eventReader } from '../sources/events.ts';
import { keptTunnels, ProxyRefused, wayTo } from '../sources/proxy.ts';
import { type Moment, thisMoment } from '../state/circumstances.ts';
import { quoteText } from '../text/quote.ts';
import { addBounded } from './bounded.ts';
import { collect, isEventStream, onOneLine } from './http-answer.ts';
import { readLines, Tap } from './lines.ts';
import { CANCELLED, type Message, type Parsed, readMessages, toBatch, toLine, withId } from './message.ts';
import { ParamHeaders } from './param-headers.ts';
import { isRequest, repeating, type Sending, toSending, UNKNOWN_OUTCOME } from './sending.ts';
import type { ServerSide } from './server-side.ts';
import type { RemoteTarget } from './settings.ts';

/** Longest message of the server that is read, in bytes. */
const LONGEST = 64 * 1024 * 1024;
/** How much is read of the body of an error, or of an answer to what needs none. */
const LONGEST_ERROR = 64 * 1024;
const MOST_REDIRECTS = 3;
/** The pause before a stream is opened again, in ms: doubled with each attempt. */
const PAUSE = { first: 1_000, longest: 60_000 };
/** After so long without a byte the system asks the other side whether it is still there, in ms. */
const PROBE_AFTER = 15_000;
/** How long the end of a session may take, in ms. */
const ENDING = 500;
/** How long a stream may stay open after all of its answers, in ms. */
const LEAVING = 5_000;
/** How long the host may be gone before we are, in ms, and how often we look. */
const GRACE = 1_500;
const LOOK_EVERY = 250;
/** How long what follows waits until the server has taken a notification, in ms. */
const TAKING = 2_000;
const SERVER_ERROR = -32_000;
/** How long the server may take to begin a session again, in ms. */
const BEGINNING = 15_000;
/**
 * If a stream ends before the answer, others are opened for it: how often at most, for how many ms, and with which
 * pauses, which double up to a limit while streams end at once. The server may ask for longer pauses.
 */
const RESUMING = { most: 1_000, longest: 60 * 60_000, pause: 100, longestPause: 5_000 };
/** A stream that lasted this many ms worked, so the next attempt comes soon. */
const GOOD = 30_000;
/** How many times in a row asking for the rest of an answer may fail. */
const MOST_UNREACHED = 3;
/** How many re-judged calls are remembered. */
const MOST_REPEATED = 1_000;
/** Errors of a request that was never sent: no connection, or a certificate that is not accepted, which is seen before that. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** A protocol version that a header can hold. */
const REVISION = /^[!-~]{1,40}$/;
/** An id of an event that a header can hold. */
const EVENT_ID = /^[ -~]{1,1000}$/;

/** A line without some of its messages. `parsed` is absent if none is left. */
const without = (
  line: Buffer,
  parsed: Parsed,
  isLeftOut: (message: Message) => boolean,
): { body: Buffer; parsed?: Parsed } => {
  const { messages, batch } = parsed;
  if (!messages.some(isLeftOut)) return { body: line, parsed };
  const kept = messages.flatMap((message, at) => (isLeftOut(message) ? [] : [at]));
  if (batch === undefined || kept.length === 0) return { body: Buffer.alloc(0) };
  const rest = kept.map((at) => batch[at] as Buffer);
  return { body: toBatch(rest), parsed: { messages: kept.map((at) => messages[at] as Message), batch: rest } };
};

class Remote implements ServerSide {
  readonly output = new PassThrough({ highWaterMark: 1024 * 1024 });
  readonly input = new PassThrough();
  readonly ended: ServerSide['ended'];
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #env: NodeJS.ProcessEnv;
  readonly #http: typeof Http;
  readonly #agent: Http.Agent;
  readonly #params = new ParamHeaders();
  /** Sendings that the server has not fully answered, by their ids. */
  readonly #open = new Map<string, Sending>();
  /** Calls that met a restarted server and were judged again. They are not sent a third time. */
  readonly #repeated = new Set<string>();
  /** Answers that are held back until the host has room. */
  readonly #full = new Set<Http.IncomingMessage>();
  #finish: (how: Awaited<ServerSide['ended']>) => void = () => {};
  #session: string | undefined;
  #revision: string | undefined;
  /** The host's `initialize`, to start a new session with. */
  #initialize: Message | undefined;
  #beginning: Promise<boolean> | undefined;
  #count = 0;
  /** The notification that the server has to accept before anything else is sent. */
  #before: Promise<void> = Promise.resolve();
  /** Whether the host will say nothing more, and the server has accepted its last notification. */
  #isAllTaken = false;
  #stream: Http.ClientRequest | undefined;
  #streamSince: Moment | undefined;
  /** Whether the server promised to announce changes of its tools. */
  #tells = false;
  #lastEvent: string | undefined;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #judgeAgain: ((line: Buffer) => void) | undefined;
  #restarted = (): void => {};
  /** Where the server answered last: its URL, or where a redirect led. Its streams begin and its session ends there. */
  #at: URL;

  /** @param env says which proxy leads to the server */
  constructor({ url, headers }: RemoteTarget, env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.#url = url;
    this.#at = url;
    this.#headers = headers;
    this.#http = url.protocol === 'https:' ? require('node:https') : require('node:http');
    this.#agent = keptTunnels(url, env) ?? new this.#http.Agent({ keepAlive: true });
    this.ended = new Promise((done) => {
      this.#finish = done;
    });
    this.output.on('drain', () => {
      for (const response of this.#full) response.resume();
      this.#full.clear();
    });
    const tap = new Tap(this.input);
    readLines(this.input, {
      limit: () => LONGEST,
      line: (line) => this.#send(line, tap),
      // A longer message is not answered.
      piece: () => {},
      end: () => {
        void this.#before.then(() => {
          this.#isAllTaken = true;
        });
      },
    });
  }

  /** When the server's own stream began; undefined without one. */
  listeningSince(): Moment | undefined {
    return this.#tells ? this.#streamSince : undefined;
  }

  again(judge: (line: Buffer) => void, restarted: () => void): void {
    this.#judgeAgain = judge;
    this.#restarted = restarted;
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
      if (this.#isOver) return;
      if (isAtWork()) since = Date.now();
      const isIdle = (this.#open.size === 0 && this.#isAllTaken) || Date.now() - since >= GRACE;
      if (process.ppid !== parent || (!isAtWork() && isIdle)) this.end();
      else setTimeout(look, LOOK_EVERY);
    };
    look();
  }

  async #close(how: Awaited<ServerSide['ended']>): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#dropStream();
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    const session = this.#session;
    if (session !== undefined)
      await new Promise<void>((done) => {
        const request = this.#request(this.#at, 'DELETE', this.#sessionHeaders());
        const timer = setTimeout(() => request.destroy(), ENDING);
        request.on('response', (response) => response.resume());
        request.on('error', () => {});
        request.on('close', () => {
          clearTimeout(timer);
          done();
        });
        request.end();
      });
    for (const { request } of this.#open.values()) request?.destroy();
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

  /** @throws if HTTP does not allow a header or the URL */
  #request(url: URL, method: string, more: Record<string, string>, isKept = true): Http.ClientRequest {
    const kept = isKept ? this.#agent : undefined;
    const { options, headers } = wayTo(url, kept, undefined, this.#env);
    return this.#http.request(url, {
      method,
      agent: kept ?? false,
      ...options,
      headers: { ...this.#headers, ...more, ...headers },
    });
  }

  /** @param last the event after which the stream goes on */
  #openStream(last: string | undefined): Http.ClientRequest {
    const headers = {
      ...this.#sessionHeaders(),
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      ...(last === undefined ? {} : { 'last-event-id': last }),
    };
    return this.#request(this.#at, 'GET', headers, false);
  }

  /** The headers that a message needs. */
  #headersFor(message: Message | undefined): Record<string, string> {
    const repeated = repeating(message, this.#params);
    if (repeated === undefined) return this.#sessionHeaders();
    return { ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }), ...repeated };
  }

  #send(line: Buffer, tap: Tap): void {
    const read = readMessages(line);
    // A line that is no message cannot be sent over HTTP, and gets no answer.
    if (read === undefined || this.#isOver) return;
    const done = new Set<Message>();
    for (const message of read.messages) {
      if (message.method === 'initialize' && message.id !== undefined) this.#forget(message);
      if (message.method === CANCELLED && this.#cancel(message)) done.add(message);
    }
    const { body, parsed } = without(line, read, (message) => done.has(message));
    if (parsed === undefined) return;
    const { messages } = parsed;
    const sending = toSending(body, parsed);
    for (const id of sending.open.keys()) {
      if (this.#repeated.delete(id)) sending.isAgain = true;
      this.#open.set(id, sending);
    }
    const before = this.#before;
    if (sending.open.size > 0) {
      void before.then(() => this.#post(sending));
      return;
    }
    // A notification is accepted before the next request is sent.
    tap.hold(sending);
    this.#before = before
      .then(() => Promise.race([this.#post(sending), new Promise<void>((done) => setTimeout(done, TAKING).unref())]))
      .finally(() => tap.free(sending));
    if (messages.some(({ method }) => method === 'notifications/initialized'))
      void this.#before.then(() => this.#listen());
  }

  /** The host starts again. */
  #forget(initialize: Message): void {
    this.#initialize = initialize;
    this.#loseSession();
  }

  #loseSession(): void {
    [this.#session, this.#revision, this.#tells, this.#lastEvent] = [undefined, undefined, false, undefined];
    this.#dropStream();
    this.#restarted();
  }

  #dropStream(): void {
    const stream = this.#stream;
    [this.#stream, this.#streamSince] = [undefined, undefined];
    stream?.destroy();
  }

  /** The host takes a request back. @returns whether the server need not be told */
  #cancel({ takesBack: id = '' }: Message): boolean {
    this.#repeated.delete(id);
    const sending = this.#open.get(id);
    if (sending === undefined) return false;
    this.#settle(id);
    if (sending.open.size > 0) return false;
    clearTimeout(sending.timer);
    const { request } = sending;
    // In newer revisions closing the request cancels it. A request that is not under way is dropped.
    if (request !== undefined && request.getHeader('mcp-method') === undefined) return false;
    request?.destroy();
    return true;
  }

  /** A request is answered, or taken back. @returns whether it was open */
  #settle(id: string): boolean {
    const sending = this.#open.get(id);
    sending?.open.delete(id);
    return this.#open.delete(id);
  }

  /** @returns once the server has begun to answer */
  #post(sending: Sending, url = this.#url, redirects = 0, isReused = true): Promise<void> {
    const { body, parsed, isRepeatable } = sending;
    const isAsking = parsed?.messages.some(isRequest) === true;
    if (this.#isOver || (isAsking && sending.open.size === 0)) return Promise.resolve();
    const [message] = parsed?.messages ?? [];
    const session = this.#session;
    return new Promise((done) => {
      const headers = {
        ...this.#headersFor(message),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'accept-encoding': 'identity',
        'content-length': String(body.length),
      };
      let request: Http.ClientRequest;
      try {
        request = this.#request(url, 'POST', headers, isReused);
      } catch (error) {
        this.#fail(sending, `it cannot be asked (${(error as NodeJS.ErrnoException).code})`);
        done();
        return;
      }
      sending.request = request;
      let isBegun = false;
      request.on('socket', (socket) => socket.setKeepAlive(true, PROBE_AFTER));
      request.on('response', (response) => {
        isBegun = true;
        done();
        this.#take(response, sending, { session, url, redirects });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (isBegun) return;
        isBegun = true;
        const why = `it cannot be reached (${error.code ?? 'the connection broke off'})`;
        if (NOT_SENT.has(error.code ?? '') || error instanceof ProxyRefused) this.#fail(sending, why);
        // The server closed a kept connection, and may have read the request before that.
        else if (request.reusedSocket && isReused && isRepeatable)
          void this.#post(sending, url, redirects, false).then(done);
        else this.#failUnknown(sending, why);
      });
      request.on('close', () => {
        if (!isBegun) this.#failUnknown(sending, 'the connection broke off');
        done();
      });
      request.end(body);
    });
  }

  #take(
    response: Http.IncomingMessage,
    sending: Sending,
    { session, url, redirects }: { session: string | undefined; url: URL; redirects: number },
  ): void {
    const { statusCode: status = 0, headers } = response;
    const { open, parsed } = sending;
    if (status >= 300 && status < 400) {
      response.resume();
      this.#redirect(status, headers.location, sending, { url, redirects });
      return;
    }
    this.#at = url;
    const begins = parsed?.messages.find(({ method }) => method === 'initialize');
    const given = headers['mcp-session-id'];
    if (begins !== undefined && status === 200 && typeof given === 'string') this.#session = given;
    if (status < 200 || status >= 300) {
      this.#readError(response, status, sending, session);
      return;
    }
    if (isEventStream(response)) this.#readEvents(response, sending);
    else if (open.size === 0) collect(response, LONGEST_ERROR, () => {});
    else this.#readBody(response, sending, status);
  }

  #redirect(
    status: number,
    location: string | undefined,
    sending: Sending,
    { url, redirects }: { url: URL; redirects: number },
  ): void {
    const to = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    // Headers hold credentials, which are for this server alone.
    if (to?.origin === this.#url.origin && (status === 307 || status === 308) && redirects < MOST_REDIRECTS) {
      // A whole URL names none of its own.
      [to.username, to.password] = [this.#url.username, this.#url.password];
      void this.#post(sending, to, redirects + 1);
    } else this.#fail(sending, `it answers with HTTP ${status}, which leads elsewhere`);
  }

  /** Whether the server has forgotten a session. It says so for each request, so a ping is enough to find out. */
  async #isLost(session: string): Promise<boolean> {
    if (this.#session !== session) return true;
    const { status } = await this.#ownRequest('ping', {});
    return this.#session !== session || status === 404 || status === 400;
  }

  /** The server forgot the session: starts a new one, as the host started it. */
  async #sendAgain(sending: Sending, session: string): Promise<void> {
    if (this.#session === session) {
      this.#loseSession();
      this.#beginning = this.#begin().finally(() => {
        this.#beginning = undefined;
      });
    }
    if ((await (this.#beginning ?? Promise.resolve(true))) === false) {
      this.#fail(sending, 'it forgot the session, and does not begin another one');
      return;
    }
    const isCall = sending.parsed?.messages.some(({ method }) => method === 'tools/call');
    if (!isCall || !this.#judgeAgain) {
      sending.isAgain = true;
      void this.#post(sending);
      return;
    }
    // It may be another server by now, so the call is judged again; but not what was answered or taken back meanwhile.
    const ids = new Set(sending.open.keys());
    if (ids.size === 0 || sending.parsed === undefined) return;
    for (const id of ids) {
      this.#settle(id);
      addBounded(this.#repeated, id, MOST_REPEATED);
    }
    const isOver = ({ idText }: Message): boolean => idText !== undefined && !ids.has(idText);
    this.#judgeAgain(without(sending.body, sending.parsed, isOver).body);
  }

  async #begin(): Promise<boolean> {
    const { params } = this.#initialize as Message;
    const { message } = await this.#ownRequest('initialize', params);
    if (!isObject(message?.result)) return false;
    const said = toLine({ method: 'notifications/initialized' });
    await this.#post(toSending(said, readMessages(said), true));
    this.#listen();
    return true;
  }

  /** A request of ours. Settles in any case. `status`: of an answer that is an error of HTTP. */
  #ownRequest(method: string, params: object): Promise<{ message?: Message; status?: number }> {
    const id = `konnichiwagwan-again-${process.pid}-${this.#count++}`;
    const body = toLine({ id, method, params });
    const sending = toSending(body, readMessages(body), true);
    const idText = JSON.stringify(id);
    this.#open.set(idText, sending);
    return new Promise((done) => {
      const timer = setTimeout(() => {
        this.#settle(idText);
        this.#own.delete(idText);
        sending.request?.destroy();
        done({});
      }, BEGINNING).unref();
      this.#own.set(idText, (message) => {
        clearTimeout(timer);
        const status = field(field(message.error, 'data'), 'status');
        done({ message, ...(typeof status === 'number' ? { status } : {}) });
      });
      void this.#post(sending);
    });
  }

  /** Our own requests, by id. */
  readonly #own = new Map<string, (message: Message) => void>();

  /** One line of the server. @returns whether there is room for more */
  #say(line: Buffer, parsed = readMessages(line)): boolean {
    // Most lines are answers or notifications. Only those that concern us are read.
    const { messages = [] } = parsed ?? {};
    const answers = messages.filter(({ idText, method }) => idText !== undefined && method === undefined);
    const awaited = answers.filter(({ idText = '' }) => this.#settle(idText));
    // A repeated answer, or one to an unknown request.
    if (answers.length > 0 && awaited.length === 0) return true;
    for (const message of awaited) {
      const { idText = '', result } = message;
      if (isObject(result)) {
        if (typeof result.protocolVersion === 'string' && isObject(result.capabilities)) {
          this.#revision = REVISION.test(result.protocolVersion) ? result.protocolVersion : undefined;
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
    return this.output.writable
      ? this.output.write(Buffer.concat([onOneLine(withoutMark(line)), Buffer.from('\n')]))
      : true;
  }

  /** Answers all requests of a sending that are still open. */
  #answer({ open }: Pick<Sending, 'open'>, answer: object): void {
    for (const id of [...open.values()]) this.#say(withId(id, answer).subarray(0, -1));
  }

  #fail(sending: Pick<Sending, 'open'>, why: string, said: object = {}): void {
    const message = `konnichiwagwan could not pass this on to the server at ${quoteText(this.#url.host)}: ${why}`;
    this.#answer(sending, { error: { code: SERVER_ERROR, message, ...said } });
  }

  /** The server may have done what it was asked for. */
  #failUnknown(sending: Sending, why: string): void {
    this.#fail(sending, sending.isRepeatable ? why : `${why}; ${UNKNOWN_OUTCOME}`);
  }

  #readBody(response: Http.IncomingMessage, sending: Sending, status: number): void {
    collect(response, LONGEST, (body) => {
      const parsed = readMessages(body ?? Buffer.alloc(0));
      const { messages, batch } = parsed ?? {};
      const [message] = messages ?? [];
      if (body === undefined) this.#failUnknown(sending, 'its answer broke off, or is too long');
      else if (body.length === 0) this.#failUnknown(sending, `it answers with nothing (HTTP ${status})`);
      else if (message === undefined) this.#failUnknown(sending, 'its answer is no message');
      else if (batch === undefined && message.id === undefined && isObject(message.error))
        this.#answer(sending, { error: message.error });
      else this.#say(body, parsed);
      this.#failUnknown(sending, 'it answers something else');
    });
  }

  #readError(response: Http.IncomingMessage, status: number, sending: Sending, session: string | undefined): void {
    const { open, isAgain } = sending;
    collect(response, LONGEST_ERROR, async (body = Buffer.alloc(0)) => {
      const { messages } = readMessages(body) ?? {};
      const error = messages?.[0]?.error;
      // The protocol's code for it is 404; some servers answer 400 with words. A tool may use such words for another
      // reason.
      const mayBeLost = status === 404 || (status === 400 && /session/i.test(String(field(error, 'message'))));
      const wasBegun = session !== undefined && this.#initialize !== undefined;
      if (mayBeLost && wasBegun && !isAgain && (await this.#isLost(session))) {
        void this.#sendAgain(sending, session);
        return;
      }
      const isOwn = [...open.keys()].some((id) => this.#own.has(id));
      if (!isOwn && isObject(error) && typeof error.code === 'number') this.#answer(sending, { error });
      else {
        const hint = status === 401 || status === 403 ? '; check the headers that wrap was given' : '';
        this.#fail(sending, `it answers with HTTP ${status}${hint}`, { data: { status } });
      }
    });
  }

  /**
   * @param sending what it answers; absent for the stream of messages that belong to no request
   * @param from the event after which it goes on, which stays the last one until there is another
   */
  #readEvents(response: Http.IncomingMessage, sending?: Sending, from?: string): void {
    const began = Date.now();
    let last = from;
    let pause = PAUSE.first;
    let isTooLong = false;
    let leaving: NodeJS.Timeout | undefined;
    const take = eventReader(
      {
        event: ({ data, id = '', isMessage }) => {
          if (EVENT_ID.test(id)) last = id;
          if (sending === undefined) this.#lastEvent = last;
          const isFull = data.length > 0 && isMessage && !this.#say(data);
          // Servers should close it then. Each open one costs a connection.
          if (sending?.open.size === 0) leaving ??= setTimeout(() => response.destroy(), LEAVING).unref();
          if (!isFull) return;
          response.pause();
          this.#full.add(response);
        },
        retry: (ms) => {
          pause = Math.min(ms, PAUSE.longest);
        },
      },
      LONGEST,
    );
    response.on('data', (chunk: Buffer) => {
      if (isTooLong || take(chunk)) return;
      isTooLong = true;
      response.destroy();
    });
    response.on('error', () => {});
    response.on('close', () => {
      clearTimeout(leaving);
      this.#full.delete(response);
      if (sending === undefined || sending.open.size === 0 || this.#isOver) return;
      if (isTooLong) this.#failUnknown(sending, 'its answer is too long');
      // The server may close it before it has answered, and continue on another one.
      else if (last === undefined) this.#failUnknown(sending, 'its stream ended before its answer');
      else this.#resumeLater(sending, last, { pause, lasted: Date.now() - began });
    });
  }

  #resumeLater(sending: Sending, last: string, { pause, lasted }: { pause: number; lasted: number }): void {
    const now = Date.now();
    sending.resumedSince ??= now;
    if (sending.resumed >= RESUMING.most || now - sending.resumedSince > RESUMING.longest) {
      this.#failUnknown(sending, 'its streams end before its answer');
      return;
    }
    const doubled =
      sending.resumed === 0 || lasted > GOOD ? 0 : RESUMING.pause * 2 ** Math.min(sending.resumed - 1, 20);
    sending.resumed++;
    const wait = Math.max(pause, Math.min(doubled, RESUMING.longestPause));
    sending.timer = setTimeout(() => this.#resume(last, sending), wait).unref();
  }

  #resume(last: string, sending: Sending): void {
    if (this.#isOver || sending.open.size === 0) return;
    const request = this.#openStream(last);
    sending.request = request;
    let isBegun = false;
    request.on('socket', (socket) => socket.setKeepAlive(true, PROBE_AFTER));
    request.on('response', (response) => {
      isBegun = true;
      if (response.statusCode === 200 && isEventStream(response)) return this.#readEvents(response, sending, last);
      response.destroy();
      const why = `its stream ended before its answer, and it goes on with none (HTTP ${response.statusCode})`;
      this.#failUnknown(sending, why);
    });
    request.on('error', () => {});
    request.on('close', () => {
      if (isBegun || this.#isOver || sending.open.size === 0) return;
      if (++sending.unreached > MOST_UNREACHED) this.#failUnknown(sending, 'its stream ended before its answer');
      else this.#resumeLater(sending, last, { pause: PAUSE.first, lasted: 0 });
    });
    request.end();
  }

  /** Opens the stream for messages that belong to no request. */
  #listen(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || (this.#revision ?? '') === '') return;
    this.#dropStream();
    const request = this.#openStream(this.#lastEvent);
    this.#stream = request;
    const session = this.#session;
    let isNone = false;
    let began: number | undefined;
    request.on('socket', (socket) => socket.setKeepAlive(true, PROBE_AFTER));
    request.on('response', (response) => {
      if (this.#stream !== request) return void response.destroy();
      if (response.statusCode === 200 && isEventStream(response)) {
        began = Date.now();
        // Without a session the stream and the answers may come from different servers, so its silence proves nothing.
        this.#streamSince = session === undefined ? undefined : thisMoment();
        this.#readEvents(response, undefined, this.#lastEvent);
        return;
      }
      // No stream, or the session is forgotten: the next message finds that out.
      isNone = [404, 405, 501].includes(response.statusCode ?? 0) || response.statusCode === 200;
      // Its body says nothing to us, and may never end.
      response.destroy();
    });
    request.on('error', () => {});
    request.on('close', () => {
      if (this.#stream !== request) return;
      this.#streamSince = undefined;
      if (began !== undefined && Date.now() - began > GOOD) this.#attempts = 0;
      if (isNone || this.#isOver || this.#session !== session) return;
      const pause = Math.min(PAUSE.longest, PAUSE.first * 2 ** this.#attempts++);
      this.#timer = setTimeout(() => this.#listen(), pause * (0.75 + Math.random() / 2)).unref();
    });
    request.end();
  }
}

export const reachRemote = (target: RemoteTarget, env: NodeJS.ProcessEnv): ServerSide => new Remote(target, env);
