// Makes a server over Streamable HTTP look like one that reads and writes lines.
import type Http from 'node:http';
import { PassThrough } from 'node:stream';
import { defined } from '../../contract/defined.ts';
import { own as field, isObject } from '../../contract/types.ts';
import { withoutMark } from '../../sources/byte-order-mark.ts';
import type { Moment } from '../../state/circumstances.ts';
import { quoteText } from '../../text/quote.ts';
import { addBounded } from '../bounded.ts';
import { collect, isEventStream, onOneLine } from '../http-answer.ts';
import { readLines, Tap } from '../lines.ts';
import { CANCELLED, type Message, type Parsed, readMessages, toBatch, toLine, withId } from '../message.ts';
import { ParamHeaders } from '../param-headers.ts';
import { isRequest, repeating, type Sending, toSending, UNKNOWN_OUTCOME } from '../sending.ts';
import type { ServerSide } from '../server-side.ts';
import type { RemoteTarget } from '../settings.ts';
import { readAnswers } from './answer-stream.ts';
import { Endpoint } from './endpoint.ts';
import { HostOutput } from './host-output.ts';
import { OwnStream } from './own-stream.ts';
import { LONGEST } from './read-events.ts';
import { StandingRequests } from './standing-requests.ts';

/** How much is read of the body of an error, or of an answer to what needs none. */
const LONGEST_ERROR = 64 * 1024;
const MOST_REDIRECTS = 3;
/** How long the end of a session may take, in ms. */
const ENDING = 500;
/** How long the host may be gone before we are, in ms, and how often we look. */
const GRACE = 1_500;
const LOOK_EVERY = 250;
/** How long what follows waits until the server has taken a notification, in ms. */
const TAKING = 2_000;
const SERVER_ERROR = -32_000;
/** How long the server may take to begin a session again, in ms. */
const BEGINNING = 15_000;
/** How many re-judged calls are remembered. */
const MOST_REPEATED = 1_000;
/** A protocol version that a header can hold. */
const REVISION = /^[!-~]{1,40}$/;

/** What the server said when the session began; empty before that. */
interface Session {
  id?: string;
  revision?: string | undefined;
  /** Whether it promised to announce changes of its tools. */
  tells?: boolean;
}

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
  readonly output: PassThrough;
  readonly input = new PassThrough();
  readonly ended: ServerSide['ended'];
  readonly #endpoint: Endpoint;
  readonly #host = new HostOutput();
  readonly #reader = {
    ask: (last: string | undefined): Http.ClientRequest => this.#endpoint.stream(this.#sessionHeaders(), last),
    take: (message: Buffer, response: Http.IncomingMessage): void => {
      if (!this.#say(message)) this.#host.wait(response);
    },
    fail: (sending: Sending, why: string): void => this.#failUnknown(sending, why),
    isOver: (): boolean => this.#isOver,
  };
  readonly #stream = new OwnStream(this.#reader);
  readonly #params = new ParamHeaders();
  /** Sendings that the server has not fully answered, by their ids. */
  readonly #open = new Map<string, Sending>();
  /** Our own requests, by id. */
  readonly #own = new Map<string, (message: Message) => void>();
  #count = 0;
  /** Calls that met a restarted server and were judged again. They are not sent a third time. */
  readonly #repeated = new Set<string>();
  #session: Session = {};
  /** The host's `initialize`, to start a new session with. */
  #initialize: Message | undefined;
  #beginning: Promise<boolean> | undefined;
  readonly #standing = new StandingRequests();
  /** The notification that the server has to accept before anything else is sent. */
  #before: Promise<void> = Promise.resolve();
  /** Whether the host will say nothing more, and the server has accepted its last notification. */
  #isAllTaken = false;
  #isOver = false;
  #finish: (how: Awaited<ServerSide['ended']>) => void = () => {};
  #judgeAgain: ((line: Buffer) => void) | undefined;
  #restarted = (): void => {};

  /** @param env says which proxy leads to the server */
  constructor(target: RemoteTarget, env: NodeJS.ProcessEnv) {
    this.#endpoint = new Endpoint(target, env);
    this.output = this.#host.stream;
    this.ended = new Promise((done) => {
      this.#finish = done;
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
    return this.#session.tells ? this.#stream.since : undefined;
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
    this.#stream.drop();
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    if (this.#session.id !== undefined)
      await new Promise<void>((done) => {
        const request = this.#endpoint.request(this.#endpoint.at, 'DELETE', this.#sessionHeaders());
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
    this.#endpoint.close();
    this.output.end();
    this.#finish(how);
  }

  #sessionHeaders(): Record<string, string> {
    const { id, revision } = this.#session;
    return defined({ 'mcp-session-id': id, 'mcp-protocol-version': revision }) as Record<string, string>;
  }

  /** The headers that a message needs. */
  #headersFor(message: Message | undefined): Record<string, string> {
    const { 'mcp-protocol-version': _, ...others } = this.#sessionHeaders();
    const repeated = repeating(message, this.#params);
    return repeated === undefined ? this.#sessionHeaders() : { ...others, ...repeated };
  }

  #send(line: Buffer, tap: Tap): void {
    const read = readMessages(line);
    // A line that is no message cannot be sent over HTTP, and gets no answer.
    if (read === undefined || this.#isOver) return;
    const done = new Set<Message>();
    for (const message of read.messages) {
      this.#standing.learn(message);
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
    this.#session = {};
    this.#stream.drop();
    this.#restarted();
  }

  /** Opens the server's own stream. */
  #listen(): void {
    const { id, revision = '' } = this.#session;
    if (!this.#isOver && revision !== '') this.#stream.open(id !== undefined);
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
  #post(sending: Sending, url = this.#endpoint.url, redirects = 0, mayReuse = true): Promise<void> {
    const { body, parsed, isRepeatable } = sending;
    const isAsking = parsed?.messages.some(isRequest) === true;
    if (this.#isOver || (isAsking && sending.open.size === 0)) return Promise.resolve();
    const { id: session } = this.#session;
    const headers = this.#headersFor(parsed?.messages[0]);
    return new Promise((done) => {
      this.#endpoint.post(
        { url, headers, body, mayReuse },
        {
          begun: (request) => {
            sending.request = request;
          },
          answered: (response) => {
            done();
            this.#answered(response, sending, { session, url, redirects });
          },
          failed: ({ why, isUnsent, wasKept }) => {
            // The server may have read the message before it closed the connection.
            if (!isUnsent && wasKept && isRepeatable) void this.#post(sending, url, redirects, false).then(done);
            else {
              if (isUnsent) this.#fail(sending, why);
              else this.#failUnknown(sending, why);
              done();
            }
          },
        },
      );
    });
  }

  #answered(
    response: Http.IncomingMessage,
    sending: Sending,
    { session, url, redirects }: { session: string | undefined; url: URL; redirects: number },
  ): void {
    const { statusCode: status = 0, headers } = response;
    const { open, parsed } = sending;
    if (status >= 300 && status < 400) {
      response.resume();
      const to = redirects < MOST_REDIRECTS ? this.#endpoint.redirect(status, headers.location, url) : undefined;
      if (to) void this.#post(sending, to, redirects + 1);
      else this.#fail(sending, `it answers with HTTP ${status}, which leads elsewhere`);
      return;
    }
    this.#endpoint.at = url;
    const begins = parsed?.messages.find(({ method }) => method === 'initialize');
    const given = headers['mcp-session-id'];
    if (begins !== undefined && status === 200 && typeof given === 'string') this.#session.id = given;
    if (status < 200 || status >= 300) this.#readError(response, status, sending, session);
    else if (isEventStream(response)) void readAnswers(response, sending, this.#reader);
    else if (open.size === 0) collect(response, LONGEST_ERROR, () => {});
    else this.#readBody(response, sending, status);
  }

  /** Whether the server has forgotten a session. It says so for each request, so a ping is enough to find out. */
  async #isLost(session: string): Promise<boolean> {
    if (this.#session.id !== session) return true;
    const { status } = await this.#ownRequest('ping', {});
    return this.#session.id !== session || status === 404 || status === 400;
  }

  /** The server forgot the session: starts a new one, as the host started it. */
  async #sendAgain(sending: Sending, session: string): Promise<void> {
    if (this.#session.id === session) {
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
    void this.#askStanding();
    return true;
  }

  /** A new session knows nothing of what the host asked the last one for. */
  async #askStanding(): Promise<void> {
    const { id } = this.#session;
    for (const { method, params } of this.#standing.requests()) {
      if (this.#isOver || this.#session.id !== id) return;
      await this.#ownRequest(method, params);
    }
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
          this.#session.revision = REVISION.test(result.protocolVersion) ? result.protocolVersion : undefined;
          this.#session.tells = field(result.capabilities.tools, 'listChanged') === true;
        }
        this.#params.learn(result);
      }
      const own = this.#own.get(idText);
      if (own === undefined) continue;
      this.#own.delete(idText);
      own(message);
      return true;
    }
    return this.#host.write(onOneLine(withoutMark(line)));
  }

  /** Answers all requests of a sending that are still open. */
  #answer({ open }: Pick<Sending, 'open'>, answer: object): void {
    for (const id of [...open.values()]) this.#say(withId(id, answer).subarray(0, -1));
  }

  #fail(sending: Pick<Sending, 'open'>, why: string, said: object = {}): void {
    const message = `konnichiwagwan could not pass this on to the server at ${quoteText(this.#endpoint.url.host)}: ${why}`;
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
}

export const reachRemote = (target: RemoteTarget, env: NodeJS.ProcessEnv): ServerSide => new Remote(target, env);
