// One connection: everything passes both ways as it came, but for calls of tools, which wait until the server has said what
// its tools are now.
import type { Readable, Writable } from 'node:stream';
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { own as field, isObject } from '../contract/types.ts';
import { thisMoment } from '../state/circumstances.ts';
import { Announcements, declaring, type Page } from './announce.ts';
import type { GuardLink } from './beside-guard.ts';
import { Freshness } from './freshness.ts';
import { withoutAdded } from './host-habits.ts';
import { LineWriter, readLines, Tap } from './lines.ts';
import { idsNear, type Message, type Parsed, readMessages, toLine, withId } from './message.ts';
import { type Listed, OwnRequests, ownMeta } from './own-requests.ts';
import { Served } from './served.ts';
import type { ServerSide } from './server-side.ts';

/** One side: what it sends, and what it is sent, a JSON-RPC message a line. */
export interface Side {
  output: Readable;
  input: Writable;
}

/** A call that waits for its verdict. */
export interface HeldCall {
  name: string;
  args: Record<string, unknown>;
  /** All contracts that the host was given for this tool, as JSON, oldest first. */
  served: readonly string[];
  /** What the server lists now. */
  listed: Listed;
  /** What the host calls itself. */
  host?: string | undefined;
  /** Names of the tools that were there before this one was last served, or beside it then. */
  beside(): ReadonlySet<string>;
}

/** What becomes of a call: it is passed on, or answered by us with a text for the model. */
export type Verdict =
  | { pass: true }
  | {
      pass: false;
      text: string;
      /** The call is wrong by what the server runs now. */
      isStale?: boolean;
      /** The host is given other tools now than when it asked. */
      isOffered?: boolean;
    };

/** What the host is given in place of what the server lists: tools under other names, or behind an invoker. */
export interface Offer {
  /** Whether that differs from what the server lists; while it does not, lists pass as they come. */
  isActive(): boolean;
  /** The tools that the host is given, from those that the server lists. @param own asks the server more about them */
  list(tools: readonly unknown[], own: OwnRequests, meta: unknown): Promise<unknown[]>;
  /** What the server is sent for a call of a tool that `list` made; undefined for one that is passed on as it came. */
  call(name: string, args: Record<string, unknown>): { name: string; arguments: Record<string, unknown> } | undefined;
  /** The text that answers a call of a tool which the offer has added; then the list may have changed. */
  answer?(name: string, args: Record<string, unknown>): string | undefined;
}

export interface RelaySettings {
  host: Side;
  server: Side & Pick<ServerSide, 'listeningSince' | 'again'>;
  offer?: Offer;
  /** Only asked where something differs, or could not be known. */
  judge(call: HeldCall): Promise<Verdict>;
  /** Asked for each call that would be passed on: what was approved can change without the server. */
  approve?(call: HeldCall): Promise<Verdict>;
  /** Told of each call whose contract is unchanged, when it is under way. */
  passed?(call: HeldCall): void;
  /** Told of each list that the host was given. */
  given?(tools: readonly unknown[]): void;
  /** The guard of the host, which may have judged a call before it came here. */
  guard?(): GuardLink | undefined;
}

/** The server of a connection, for others than the host; it answers them once the host has been given its tools. */
export interface Upstream {
  /** What the host would be given if it asked now. */
  look(): Promise<Listed>;
  /** The tools that the host was given last, as JSON. */
  served(): Promise<readonly string[]>;
  request(method: string, params: object): Promise<Message>;
}

interface Relay extends Upstream {
  /** Whether the server still owes the host an answer. */
  isAtWork(): boolean;
}

/** So much may wait behind a call that is held, in bytes. Then the host has to wait, too. */
const MOST_WAITING = 8 * 1024 * 1024;
/** Requests of the host that are not answered yet: so many are remembered. */
const MOST_UNDER_WAY = 10_000;

const CANCELLED = 'notifications/cancelled';
/** Stays open for as long as the host wants to be told something: nobody is at work for it. */
const LISTEN = 'subscriptions/listen';
const LOOKED_AT: ReadonlySet<string> = new Set(['initialize', 'tools/list']);
const INVALID_PARAMS = -32602;
/** The first revision of MCP in which each result says of what kind it is. */
const KIND_SINCE = '2026-07-28';

/** What the host sent: bytes as they came, and what they say. */
interface Sent {
  bytes: Buffer;
  /** Whether its line ends with it. */
  last: boolean;
  parsed?: Parsed | undefined;
  /** Whether it has to wait for a verdict. */
  isHeld: boolean;
}

const isCall = ({ id, method }: Message): boolean => method === 'tools/call' && id !== undefined;
const isList = ({ id, method }: Message): boolean => method === 'tools/list' && id !== undefined;
const isAnswer = ({ id, method }: Message): boolean => method === undefined && id !== undefined;

const argumentsOf = ({ params }: Message): Record<string, unknown> =>
  isObject(params.arguments) ? params.arguments : {};

/** Our answer to a call that is not passed on, in a form that the host accepts. */
const ownAnswer = ({ idText = '', params }: Message, text: string, isError: boolean): Buffer => {
  // Whoever asked for a task is given one, or an error.
  if (isObject(params.task)) return withId(idText, { error: { code: INVALID_PARAMS, message: text } });
  const revision = field(params._meta, 'io.modelcontextprotocol/protocolVersion');
  const kind = typeof revision === 'string' && revision >= KIND_SINCE ? { resultType: 'complete' } : {};
  return withId(idText, { result: { ...kind, content: [{ type: 'text', text }], ...(isError ? { isError } : {}) } });
};

/** What the host calls itself: where a connection begins, or in each request of the protocol's newer revision. */
const hostIn = ({ method, params }: Message): string | undefined => {
  const told = method === 'initialize' ? params.clientInfo : field(params._meta, 'io.modelcontextprotocol/clientInfo');
  const name = field(told, 'name');
  return typeof name === 'string' ? name : undefined;
};

/** Which tools are as they were served, for as long as the server lists the same. */
class Unchanged {
  #listed: Listed | undefined;
  readonly #known = new Map<string, { served: readonly string[]; is: boolean }>();

  has({ name, served, listed }: Pick<HeldCall, 'name' | 'served' | 'listed'>): boolean {
    if (listed.failed !== undefined) return false;
    if (this.#listed !== listed) {
      this.#listed = listed;
      this.#known.clear();
    }
    const known = this.#known.get(name);
    if (known?.served === served) return known.is;
    const now = listed.tools.find((tool) => isObject(tool) && tool.name === name);
    const is = now !== undefined && served.length === 1 && served[0] === JSON.stringify(now);
    this.#known.set(name, { served, is });
    return is;
  }
}

/** Passes everything on between two sides, until one of them ends. Closes the server's input behind the last of the host. */
export const relay = ({ host, server, offer, judge, approve, passed, given, guard }: RelaySettings): Relay => {
  const served = new Served();
  const unchanged = new Unchanged();
  /** Requests of the host whose answers are looked at, and that are not answered yet. */
  const asked = new Map<string, Message>();
  /** Other requests of the host that are not answered yet, as far as one can see without reading everything. */
  const underWay = new Set<string>();
  const [fromHost, fromServer] = [new Tap(host.output), new Tap(server.output)];
  const [toHost, toServer] = [new LineWriter(host.input), new LineWriter(server.input)];
  const own = new OwnRequests({ send: (line) => toServer.say(line), isBusy: () => underWay.size > 0 });
  /** What the host sent and is not passed on yet, in order. The first one waits for its verdict. */
  const waiting: Sent[] = [];
  let bytesWaiting = 0;
  let isHostDone = false;
  /** What is known of a server that is too far away to be asked before each call. */
  const fresh = server.listeningSince && new Freshness(() => server.listeningSince?.());
  /** The tool that was called last, and how the host asked for it. */
  let lastCall: Message | undefined;
  let isLooking = false;
  /** What the server is asked for the calls that came in one go. */
  let listing: Promise<Listed> | undefined;
  let hostName: string | undefined;
  const news = new Announcements((line) => toHost.say(line));
  /** What the host says of itself with each request, in the protocol's newer revisions. */
  let hostMeta: unknown;
  let givenFirst = (): void => {};
  const isGiven = new Promise<void>((done) => {
    givenFirst = done;
  });

  /** The pages of the list that the host was given last. */
  let list: unknown[] = [];
  const give = (tools: readonly unknown[], page: Page): void => {
    served.add(tools, page.isFirst);
    news.given(tools, page);
    list = page.isFirst ? [...tools] : [...list, ...tools];
    if (page.isLast) given?.(list);
  };

  /** What the host would be given if it asked now. */
  const listNow = async (meta: unknown): Promise<Listed> => {
    const asking = thisMoment();
    const listed = await own.list(meta);
    fresh?.learned(listed, asking);
    if (listed.failed !== undefined || !offer?.isActive()) return listed;
    try {
      return { ...listed, tools: await offer.list(listed.tools, own, meta) };
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
  };

  const listForCall = (meta: unknown): Promise<Listed> => {
    if (listing === undefined) {
      listing = listNow(meta);
      queueMicrotask(() => {
        listing = undefined;
      });
    }
    return listing;
  };

  const answerList = async (bytes: Buffer, { idText = '', params }: Message): Promise<void> => {
    const listed = await listNow(params._meta);
    if (listed.failed !== undefined) return toServer.pass(bytes, true, fromHost);
    give(listed.tools, { isFirst: true, isLast: true });
    served.add(listed.tools);
    givenFirst();
    news.given(listed.tools, { isFirst: true, isLast: true });
    toHost.say(withId(idText, { result: { ...listed.result, tools: listed.tools } }), fromHost);
  };

  /** What is to become of a call, and what was found out about it. */
  const verdictOn = async (message: Message): Promise<{ about: HeldCall; verdict: Verdict; isUnchanged: boolean }> => {
    const name = String(message.params.name);
    const known = offer?.isActive() ? undefined : fresh?.known(name);
    const isKnown = known !== undefined && unchanged.has({ name, served: served.of(name), listed: known });
    const listed = isKnown ? known : await listForCall(message.params._meta);
    const about = {
      name,
      args: argumentsOf(message),
      served: served.of(name),
      listed,
      host: hostName,
      beside: () => served.beside(name),
    };
    const isUnchanged = unchanged.has(about);
    try {
      const toolUseId = field(message.params._meta, 'claudecode/toolUseId');
      const link = typeof toolUseId === 'string' ? guard?.() : undefined;
      // Where that fails, it is as if there were no word: we judge.
      const known = await link?.judged(about, toolUseId as string).catch(() => undefined);
      const found = known ?? (isUnchanged ? { pass: true } : await judge(about));
      const verdict = found.pass && approve ? await approve(about) : found;
      if (!verdict.pass) link?.stopped(toolUseId as string);
      return { about, isUnchanged: isUnchanged && known === undefined, verdict };
    } catch (error) {
      const why = JSON.stringify(String(error).slice(0, 300));
      process.stderr.write(`konnichiwagwan: a call could not be checked, and is sent: ${why}\n`);
      return { about, isUnchanged, verdict: { pass: true } };
    }
  };

  /** The call that the server is sent. */
  const asOffered = (message: Message): Buffer | undefined => {
    const { idText = '', params } = message;
    const call = offer?.call(String(params.name), argumentsOf(message));
    return call && withId(idText, { method: 'tools/call', params: { ...params, ...call } });
  };

  /** Waits for the verdicts on all calls of a line; what is left of it then can be passed on. */
  const settle = async (sent: Sent, { messages, batch }: Parsed): Promise<void> => {
    const calls = messages.filter(isCall);
    const [call] = calls;
    if (batch === undefined && call)
      sent.bytes = withoutAdded(sent.bytes, call, hostName, served.of(String(call.params.name)));
    const verdicts = await Promise.all(calls.map(verdictOn));
    const refused = new Set<Message>();
    const tell = ({ listed }: HeldCall): void => {
      if (listed.failed === undefined) news.looked(listed.tools);
    };
    for (const [at, { about, verdict }] of verdicts.entries()) {
      const call = calls[at] as Message;
      if (verdict.pass) continue;
      refused.add(call);
      // A host that heeds it asks for the list while its model reads why the call was not sent.
      if (verdict.isOffered) news.announce();
      else tell(about);
      // Whoever takes a request back gets no answer to it.
      if (call.id !== undefined) toHost.say(ownAnswer(call, verdict.text, true), fromHost);
    }
    if (batch !== undefined && refused.size > 0) {
      const rest = batch.filter((_, at) => !refused.has(messages[at] as Message));
      sent.bytes = rest.length > 0 ? Buffer.from(`${JSON.stringify(rest)}\n`) : Buffer.alloc(0);
    } else if (refused.size > 0 || (batch === undefined && calls[0]?.id === undefined)) sent.bytes = Buffer.alloc(0);
    else if (batch === undefined) sent.bytes = asOffered(calls[0] as Message) ?? sent.bytes;
    sent.isHeld = false;
    passWaiting();
    for (const { about, verdict, isUnchanged } of verdicts) {
      if (!verdict.pass) continue;
      tell(about);
      if (isUnchanged) passed?.(about);
    }
  };

  const pass = ({ bytes, last, parsed }: Sent): void => {
    const messages = bytes.length > 0 ? (parsed?.messages ?? []) : [];
    for (const message of messages) {
      const { id, idText, method } = message;
      if (method === undefined) continue;
      hostName = hostIn(message) ?? hostName;
      news.asked(message);
      if (method === CANCELLED) underWay.delete(JSON.stringify(message.params.requestId));
      if (id === undefined || idText === undefined) continue;
      if (method === 'tools/call') lastCall = message;
      if (isList(message)) hostMeta = message.params._meta;
      if (isList(message) && offer?.isActive() && messages.length === 1) return void answerList(bytes, message);
      if (LOOKED_AT.has(method)) asked.set(idText, message);
      else if (underWay.size < MOST_UNDER_WAY && method !== LISTEN) underWay.add(idText);
    }
    toServer.pass(bytes, last, fromHost);
  };

  /** Asks while the model thinks, where its next call then need not wait. */
  const lookAhead = (): void => {
    if (lastCall === undefined || isLooking || !fresh?.answered(String(lastCall.params.name))) return;
    isLooking = true;
    void listNow(lastCall.params._meta).then((listed) => {
      isLooking = false;
      if (listed.failed === undefined) news.looked(listed.tools);
    });
  };

  const passWaiting = (): void => {
    let sent = waiting[0];
    while (sent !== undefined && !sent.isHeld) {
      waiting.shift();
      pass(sent);
      sent = waiting[0];
    }
    bytesWaiting = waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (bytesWaiting <= MOST_WAITING) fromHost.free(waiting);
    if (isHostDone && waiting.length === 0) toServer.end();
  };

  const enqueue = (sent: Sent): void => {
    if (waiting.length === 0 && !sent.isHeld) {
      pass(sent);
      return;
    }
    waiting.push(sent);
    bytesWaiting += sent.bytes.length;
    if (bytesWaiting > MOST_WAITING) fromHost.hold(waiting);
    if (sent.isHeld && sent.parsed) void settle(sent, sent.parsed);
  };

  /** A request is taken back: at once, even if others wait, unless it waits in a batch. */
  const cancel = (sent: Sent, id: unknown): void => {
    const isIt = (one: Message): boolean => one.method !== undefined && one.id === id;
    const request = waiting.find(({ parsed }) => parsed?.messages.some(isIt));
    if (request?.parsed === undefined) pass(sent);
    else if (request.parsed.batch !== undefined) enqueue(sent);
    else {
      // The server has not seen it, and whoever takes a request back gets no answer to it.
      delete request.parsed.messages[0]?.id;
      request.bytes = Buffer.alloc(0);
    }
  };

  const answeredByOffer = (message: Message): boolean => {
    const text = offer?.answer?.(String(message.params.name), argumentsOf(message));
    if (text === undefined) return false;
    toHost.say(ownAnswer(message, text, false), fromHost);
    toHost.say(toLine({ method: 'notifications/tools/list_changed' }), fromHost);
    return true;
  };

  const take = (bytes: Buffer): void => {
    const parsed = readMessages(bytes);
    const messages = parsed?.messages ?? [];
    const sent: Sent = { bytes, last: true, parsed, isHeld: messages.some(isCall) };
    // The server may need an answer before it can say anything else.
    if (messages.length > 0 && messages.every(isAnswer)) pass(sent);
    else if (messages.length === 1 && sent.isHeld && answeredByOffer(messages[0] as Message)) return;
    else if (messages[0]?.method === CANCELLED) cancel(sent, messages[0].params.requestId);
    else enqueue(sent);
  };

  server.again?.(take);

  readLines(host.output, {
    limit: () => LONGEST_ANSWER,
    line: take,
    piece: (bytes, last) => enqueue({ bytes, last, isHeld: false }),
    end: () => {
      isHostDone = true;
      passWaiting();
    },
  });

  /** What the host gets for an answer to one of its requests. */
  const answered = (line: Buffer): Buffer => {
    const { messages = [], batch } = readMessages(line) ?? {};
    for (const { idText, method, result } of messages) {
      const request = idText === undefined || method !== undefined ? undefined : asked.get(idText);
      if (request === undefined) continue;
      asked.delete(idText as string);
      if (request.method === 'initialize') return (batch === undefined && declaring(line)) || line;
      if (!isObject(result)) continue;
      const tools = Array.isArray(result.tools) ? result.tools : [];
      const [isFirst, isLast] = [request.params.cursor === undefined, result.nextCursor === undefined];
      give(tools, { isFirst, isLast });
      served.add(tools, isFirst);
      if (isLast) givenFirst();
      news.given(tools, { isFirst, isLast });
    }
    return line;
  };

  readLines(server.output, {
    limit: () => (own.isWaiting || asked.size > 0 ? LONGEST_ANSWER : 0),
    line: (line) => {
      const taken = own.take(line);
      if (taken !== undefined) {
        if (taken.rest) toHost.pass(taken.rest, true, fromServer);
        return;
      }
      news.heard(line);
      fresh?.heard(line);
      if (underWay.size > 0 && idsNear(line).filter((id) => underWay.delete(id)).length > 0) lookAhead();
      toHost.pass(asked.size > 0 ? answered(line) : line, true, fromServer);
    },
    piece: (bytes, last) => toHost.pass(bytes, last, fromServer),
    end: () => own.end(),
  });
  return {
    isAtWork: () => waiting.length > 0 || underWay.size + asked.size > 0,
    look: async () => {
      await isGiven;
      return listNow(hostMeta);
    },
    served: async () => {
      await isGiven;
      return served.latest();
    },
    request: async (method, params) => {
      await isGiven;
      const about = ownMeta(hostMeta);
      return own.request(method, { ...params, ...(Object.keys(about).length > 0 ? { _meta: about } : {}) });
    },
  };
};
