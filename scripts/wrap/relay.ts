// One connection: everything passes both ways as it came, but for calls of tools, which wait until the server has said what
// its tools are now.
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { isObject } from '../contract/types.ts';
import { ACKNOWLEDGED, Announcements, CHANGED, declaring } from './announce.ts';
import { Freshness } from './freshness.ts';
import { hostIn, withoutAdded } from './host-habits.ts';
import { LineWriter, readLines, Tap } from './lines.ts';
import { Lists } from './lists.ts';
import {
  CALL,
  CANCELLED,
  idTextOf,
  type Message,
  type Parsed,
  readMessages,
  toBatch,
  toLine,
  withId,
} from './message.ts';
import { Outline, type Outlined, outlineOf } from './outline.ts';
import { ownAnswer } from './own-answer.ts';
import { type Listed, OwnRequests, ownMeta, type Patience } from './own-requests.ts';
import type { ServerSide } from './server-side.ts';
import { Tellings } from './tellings.ts';
import type { HeldCall, Offer, Side } from './types.ts';
import { UnderWay } from './under-way.ts';
import { callsIn, mayCall, messagesIn, NO_JSON, TOO_LONG } from './unread.ts';
import { argumentsOf, type Found, nameOf, type VerdictSettings, Verdicts } from './verdicts.ts';
import { type Sent, Waiting } from './waiting.ts';

export interface RelaySettings extends VerdictSettings {
  host: Side;
  server: Side & Pick<ServerSide, 'listeningSince' | 'again'>;
  offer?: Offer;
  /** Told of each call whose contract is unchanged, when it is under way. */
  passed?(call: HeldCall): void;
  /** How long the server may take to answer us; as usual if absent. */
  patience?: Patience;
  /** Told of each list that the host was given. */
  given?(tools: readonly unknown[]): void;
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

/** A line of the host that is passed on while it is read. */
interface LongLine {
  outline: Outline;
  /** Why nothing of it is sent. */
  refused?: string;
  /** What is told with the answers to the calls in it. */
  told?: string;
}

type FromHost = Sent & { long?: LongLine };

const NOTHING = Buffer.alloc(0);

const isCall = ({ method }: Message): boolean => method === CALL;
const isList = ({ id, method }: Message): boolean => method === 'tools/list' && id !== undefined;
const isAnswer = ({ id, method }: Message): boolean => method === undefined && id !== undefined;

/** Passes everything on between two sides, until one of them ends. Closes the server's input behind the last of the host. */
export const relay = ({ host, server, offer, passed, given, patience, ...judging }: RelaySettings): Relay => {
  const [fromHost, fromServer] = [new Tap(host.output), new Tap(server.output)];
  const [toHost, toServer] = [new LineWriter(host.input), new LineWriter(server.input)];
  const underWay = new UnderWay();
  const own = new OwnRequests({ send: (line) => toServer.say(line), isBusy: () => underWay.isBusy, patience });
  const news = new Announcements((line) => toHost.say(line));
  const fresh = server.listeningSince && new Freshness(() => server.listeningSince?.());
  const lists = new Lists({ own, news, offer, fresh, given });
  const verdicts = new Verdicts(lists, own, { ...judging, offer });
  const tellings = new Tellings();
  let isHostDone = false;
  let hostName: string | undefined;
  /** What the host says of itself with each request, in the protocol's newer revisions. */
  let hostMeta: unknown;
  /** The tool that was called last, and how the host asked for it. */
  let lastCall: Message | undefined;
  let isLooking = false;
  /** A line of the host that is too long to be held, while it is read. */
  let long: LongLine | undefined;

  const refuse = (call: Message, text: string): void => {
    const answer = ownAnswer(call, text, true);
    if (answer !== undefined) toHost.say(answer, fromHost);
    else process.stderr.write(`${text}\n`);
  };

  /** The request was sent: notes what its answer is looked at for. */
  const note = (message: Message): void => {
    const { idText, method } = message;
    if (method === undefined) return;
    hostName = hostIn(message) ?? hostName;
    news.asked(message);
    if (method === CANCELLED) underWay.cancelled(message.takesBack);
    if (idText === undefined) return;
    if (method === CALL) lastCall = message;
    if (isList(message)) hostMeta = message.params._meta;
    underWay.asked(idText, message, isCall(message) && judging.behind?.listens(nameOf(message)) === true);
  };

  const answerList = async (bytes: Buffer, { idSpelled = '', params }: Message): Promise<void> => {
    const listed = await lists.now(params._meta);
    if (listed.failed !== undefined) return toServer.pass(bytes, true, fromHost);
    lists.give(listed.tools, { isFirst: true, isLast: true });
    toHost.say(withId(idSpelled, { result: { ...listed.result, tools: listed.tools } }), fromHost);
  };

  /** The end of a line that was passed on while it was read: now it is known what it was. */
  const ended = ({ outline, refused, told }: LongLine): void => {
    const messages = messagesIn(outline);
    if (refused !== undefined) {
      const requests = messages.filter(({ method }) => method !== undefined);
      for (const request of requests) refuse(request, refused);
      if (requests.length === 0) process.stderr.write(`${refused}\n`);
      return;
    }
    for (const message of messages) {
      note(message);
      if (isCall(message) && told !== undefined && message.idText !== undefined) tellings.owe(message.idText, told);
    }
  };

  const pass = (sent: FromHost): void => {
    if (sent.long !== undefined) {
      if (sent.long.refused === undefined) toServer.pass(sent.bytes, sent.last, fromHost);
      if (sent.last) ended(sent.long);
      return;
    }
    const bytes = sent.cancelled === undefined ? sent.bytes : rest(sent, sent.cancelled);
    const messages = bytes.length > 0 ? (sent.parsed?.messages ?? []) : [];
    const [first] = messages;
    for (const message of messages) if (!sent.cancelled?.has(message)) note(message);
    if (first && messages.length === 1 && isList(first) && offer?.isActive()) return void answerList(bytes, first);
    if (bytes.length > 0) toServer.pass(bytes, sent.last, fromHost);
  };

  const waiting = new Waiting({
    from: fromHost,
    pass,
    empty: () => {
      if (isHostDone) toServer.end();
    },
  });

  /** The call that the server is sent. */
  const asOffered = (message: Message): Buffer | undefined => {
    const { idSpelled, params } = message;
    const call = offer?.call(nameOf(message), argumentsOf(message).args);
    return call && idSpelled !== undefined
      ? withId(idSpelled, { method: CALL, params: { ...params, ...call } })
      : undefined;
  };

  /** What is left of a line without some of its messages, and with calls as the server knows them. */
  const rest = ({ bytes, parsed }: Sent, without: ReadonlySet<Message>): Buffer => {
    const { messages = [], batch } = parsed ?? {};
    if (batch === undefined) {
      const [message] = messages;
      if (message === undefined || without.has(message)) return message === undefined ? bytes : NOTHING;
      return (isCall(message) ? asOffered(message) : undefined) ?? bytes;
    }
    const offered = messages.map((message) => (isCall(message) ? asOffered(message) : undefined));
    if (without.size === 0 && offered.every((one) => one === undefined)) return bytes;
    return toBatch(batch.flatMap((one, at) => (without.has(messages[at] as Message) ? [] : [offered[at] ?? one])));
  };

  /** Waits for the verdicts on all calls of a line; what is left of it then can be passed on. */
  const settle = async (sent: Sent, { messages, batch }: Parsed, unread?: string): Promise<void> => {
    const calls = messages.filter(isCall);
    const [only] = calls;
    if (batch === undefined && only)
      sent.bytes = withoutAdded(sent.bytes, only, hostName, lists.served.of(nameOf(only)));
    const found = await Promise.all(calls.map((call) => verdicts.on(call, hostName, unread)));
    const gone = new Set(sent.cancelled);
    const going: Found[] = [];
    for (const [at, one] of found.entries()) {
      const call = calls[at] as Message;
      // Whoever takes a request back gets no answer to it.
      if (sent.cancelled?.has(call)) continue;
      const { verdict, about } = one;
      if (verdict.pass) {
        going.push(one);
        if (verdict.told !== undefined && call.idText !== undefined) tellings.owe(call.idText, verdict.told);
        continue;
      }
      gone.add(call);
      // A host that heeds it asks for the list while its model reads why the call was not sent.
      if (verdict.isOffered) news.announce();
      else lists.looked(about.listed);
      refuse(call, verdict.text);
    }
    const bytes = rest(sent, gone);
    delete sent.cancelled;
    const isLeft = (_: unknown, at: number): boolean => !gone.has(messages[at] as Message);
    sent.parsed = { messages: messages.filter(isLeft), ...(batch && { batch: batch.filter(isLeft) }) };
    waiting.release(sent, bytes);
    for (const { about, isUnchanged } of going) {
      lists.looked(about.listed);
      if (isUnchanged) passed?.(about);
    }
  };

  const answeredByOffer = (message: Message): boolean => {
    const text = offer?.answer?.(nameOf(message), argumentsOf(message).args);
    const answer = text === undefined ? undefined : ownAnswer(message, text, false);
    if (answer === undefined) return false;
    toHost.say(answer, fromHost);
    toHost.say(toLine({ method: CHANGED }), fromHost);
    return true;
  };

  const take = (bytes: Buffer): void => {
    const read = readMessages(bytes);
    const parsed = read ?? callsIn(bytes);
    const messages = parsed?.messages ?? [];
    const [first] = messages;
    const isOne = messages.length === 1 && parsed?.batch === undefined;
    // A request is taken back at once, even if others wait.
    const waited = messages.filter((one) => one.method === CANCELLED && waiting.cancel(one.takesBack));
    if (isOne && waited.length > 0) return;
    const sent: Sent = { bytes, last: true, parsed, isHeld: messages.some(isCall) };
    // The server may need it before it can say anything else.
    const isUrgent = messages.every((one) => isAnswer(one) || (isOne && one.method === CANCELLED));
    if (messages.length > 0 && isUrgent) pass(sent);
    else if (!(isOne && first && isCall(first) && answeredByOffer(first))) {
      waiting.add(sent);
      if (sent.isHeld && parsed) void settle(sent, parsed, read === undefined ? NO_JSON : undefined);
    }
  };

  /** A piece of a line that is too long to be held. */
  const takePiece = async (bytes: Buffer, last: boolean): Promise<void> => {
    const isFirst = long === undefined;
    const line = long ?? { outline: new Outline() };
    long = last ? undefined : line;
    line.outline.feed(bytes);
    const sent: FromHost = { bytes, last, isHeld: isFirst && mayCall(line.outline), long: line };
    waiting.add(sent);
    if (!sent.isHeld) return;
    const [call = { params: {} }] = messagesIn(line.outline);
    const { verdict } = await verdicts.on(call, hostName, TOO_LONG);
    if (!verdict.pass) line.refused = verdict.text;
    else if (verdict.told !== undefined) line.told = verdict.told;
    waiting.release(sent, bytes);
  };

  server.again?.(take);

  readLines(host.output, {
    limit: () => LONGEST_ANSWER,
    line: take,
    piece: (bytes, last) => void takePiece(bytes, last),
    end: () => {
      isHostDone = true;
      if (waiting.isEmpty) toServer.end();
    },
  });

  /** Asks while the model thinks, where its next call then need not wait. */
  const lookAhead = (): void => {
    if (lastCall === undefined || isLooking || !fresh?.answered(nameOf(lastCall))) return;
    isLooking = true;
    void lists.now(lastCall.params._meta).then((listed) => {
      isLooking = false;
      lists.looked(listed);
    });
  };

  /** The server has said this, in a line that is read, or in one that passes while it comes. */
  const heard = (messages: readonly Outlined[], line?: Buffer): void => {
    if (messages.some(({ method }) => method === CHANGED || method === ACKNOWLEDGED)) {
      const said = (line && readMessages(line)?.messages) ?? [{ method: CHANGED, params: {} }];
      for (const message of said) news.heard(message);
      if (said.some(({ method }) => method === CHANGED)) fresh?.announced();
    }
    const ids = messages.flatMap(({ id, method }) => (id === undefined || method !== undefined ? [] : [idTextOf(id)]));
    if (underWay.answered(ids)) lookAhead();
  };

  /** What the host gets for an answer to one of its requests. */
  const answered = (line: Buffer, outlined: readonly Outlined[]): Buffer => {
    if (!underWay.isRead(outlined)) return line;
    const { messages = [], batch } = readMessages(line) ?? {};
    for (const { idText, method, result } of messages) {
      const request = idText === undefined || method !== undefined ? undefined : underWay.take(idText);
      if (request === undefined) continue;
      if (request.method === 'initialize') return (batch === undefined && declaring(line)) || line;
      if (!isObject(result)) continue;
      if (isCall(request)) judging.behind?.heard(request, result);
      else {
        const tools = Array.isArray(result.tools) ? result.tools : [];
        lists.give(tools, { isFirst: request.params.cursor === undefined, isLast: result.nextCursor === undefined });
      }
    }
    return line;
  };

  /** A line of the server that is too long to be held: what it says, and whether it is for us alone. */
  let passing: { outline: Outline; isOurs: boolean } | undefined;
  const passPiece = (bytes: Buffer, last: boolean): void => {
    const isFirst = passing === undefined;
    passing ??= { outline: new Outline(), isOurs: false };
    const { outline } = passing;
    outline.feed(bytes);
    if (isFirst) passing.isOurs = !outline.isBatch && own.isOurs(outline.messages[0]?.id);
    if (!passing.isOurs) toHost.pass(bytes, last, fromServer);
    if (!last) return;
    passing = undefined;
    heard(outline.messages);
    tellings.missed(outline.messages);
  };

  readLines(server.output, {
    limit: () => (own.isWaiting || underWay.hasRead || tellings.isOwing ? LONGEST_ANSWER : 0),
    line: (line) => {
      const taken = own.take(line);
      const said = taken === undefined ? line : taken.rest;
      if (said === undefined) return;
      const { messages } = outlineOf(said);
      const given = answered(said, messages);
      heard(messages, said);
      toHost.pass(given === said ? tellings.into(said, messages) : given, true, fromServer);
    },
    piece: passPiece,
    end: () => own.end(),
  });
  return {
    isAtWork: () => !waiting.isEmpty || underWay.isAny,
    look: async () => {
      await lists.isGiven;
      return lists.now(hostMeta);
    },
    served: async () => {
      await lists.isGiven;
      return lists.served.latest();
    },
    request: async (method, params) => {
      await lists.isGiven;
      const about = ownMeta(hostMeta);
      return own.request(method, { ...params, ...(Object.keys(about).length > 0 ? { _meta: about } : {}) });
    },
  };
};
