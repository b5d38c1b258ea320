// Passes on the host's messages in order. Calls wait for their verdicts.
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { toJson } from '../contract/to-json.ts';
import { writeError } from '../guard/answer.ts';
import { CHANGED } from './announce.ts';
import type { Connection } from './connection.ts';
import { withoutAdded } from './host-habits.ts';
import { readLines } from './lines.ts';
import { CALL, CANCELLED, type Message, type Parsed, readMessages, toBatch, toLine, withId } from './message.ts';
import { Outline } from './outline.ts';
import { ownAnswer } from './own-answer.ts';
import { callsIn, mayCall, messagesIn, NO_JSON, TOO_LONG } from './unread.ts';
import { argumentsOf, type CallVerdict, nameOf } from './verdicts.ts';
import { type SentBytes, Waiting } from './waiting.ts';

/** A line of the host that is passed on while it is read. */
interface LongLine {
  outline: Outline;
  /** Why it is not sent at all. */
  refused?: string;
  /** The texts to add to the answers to its calls. */
  told?: string;
}

type FromHost = SentBytes & { long?: LongLine };

const NOTHING = Buffer.alloc(0);
/** How many times the calls of a line are judged again because the tools changed while it waited. */
const MOST_AGAIN = 3;

const isCall = ({ method }: Message): boolean => method === CALL;
const isList = ({ id, method }: Message): boolean => method === 'tools/list' && id !== undefined;
const isAnswer = ({ id, method }: Message): boolean => method === undefined && id !== undefined;

/** The arguments of a call as the host wrote them: JavaScript would round large numbers. */
const spelledArguments = (message: Message): string => {
  const args = toJson(argumentsOf(message).args);
  const spelled = message.argumentsSpelled?.toString('utf8') ?? args;
  // Of a member that stands there twice, the last one was judged.
  return toJson(parsedJson(spelled)) === args ? spelled : args;
};

/** @returns what waits for verdicts */
export const readHost = (connection: Connection): Waiting => {
  const { settings, lists, announcements, verdicts, tellings, toHost, toServer, fromHost } = connection;
  const { host, server, offer, passed } = settings;
  let isHostDone = false;
  /** A line of the host that is too long to be held, while it is read. */
  let long: LongLine | undefined;

  const refuse = (call: Message, text: string): void => {
    // If it is judged again, it was sent before.
    connection.underWay.dropped(call.idText);
    const answer = ownAnswer(call, text, true);
    if (answer !== undefined) toHost.say(answer, fromHost);
    else writeError(text);
  };

  const answerList = async (bytes: Buffer, { idSpelled = '', idText = '', params }: Message): Promise<void> => {
    const listed = await lists.now(params._meta);
    if (listed.failed !== undefined) return toServer.pass(bytes, true, fromHost);
    // It was taken back meanwhile.
    if (connection.underWay.take(idText) === undefined) return;
    lists.give(listed.tools, { isFirst: true, isLast: true });
    toHost.say(withId(idSpelled, { result: { ...listed.result, tools: listed.tools } }), fromHost);
  };

  /** A line that was passed on while it was read has ended; only now its messages are known. */
  const ended = ({ outline, refused, told }: LongLine): void => {
    const messages = messagesIn(outline);
    if (refused !== undefined) {
      const requests = messages.filter(({ method }) => method !== undefined);
      for (const request of requests) refuse(request, refused);
      if (requests.length === 0) writeError(refused);
      return;
    }
    for (const message of messages) {
      connection.note(message);
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
    for (const message of messages) if (!sent.cancelled?.has(message)) connection.note(message);
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
    const call = offer?.call(nameOf(message));
    if (call === undefined || message.idSpelled === undefined) return undefined;
    const { arguments: _, ...rest } = message.params;
    const params = toJson({ ...rest, name: call.name }).slice(0, -1);
    const args = call.around(spelledArguments(message));
    return Buffer.from(
      `{"jsonrpc":"2.0","id":${message.idSpelled},"method":"${CALL}","params":${params},"arguments":${args}}}\n`,
    );
  };

  /** The line without some of its messages, and with calls under the server's names. */
  const rest = ({ bytes, parsed }: SentBytes, without: ReadonlySet<Message>): Buffer => {
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
  const settle = async (sent: SentBytes, { messages, batch }: Parsed, unread?: string): Promise<void> => {
    const calls = messages.filter(isCall);
    const [only] = calls;
    if (batch === undefined && only)
      sent.bytes = withoutAdded(sent.bytes, only, connection.hostName, lists.served.of(nameOf(only)));
    let { changes } = connection;
    const found = await Promise.all(calls.map((call) => verdicts.on(call, connection.hostName, unread)));
    // The tools may change while it waits behind slower calls. A refusal stays: it was for an answer to this call.
    for (let again = 0; again < MOST_AGAIN; again++) {
      await waiting.turnOf(sent);
      if (changes === connection.changes) break;
      ({ changes } = connection);
      for (const [at, before] of found.entries())
        if (before.verdict.pass)
          found[at] = await verdicts.on(calls[at] as Message, connection.hostName, unread, before);
    }
    const gone = new Set(sent.cancelled);
    const going: CallVerdict[] = [];
    for (const [at, one] of found.entries()) {
      const call = calls[at] as Message;
      // A cancelled request gets no answer.
      if (sent.cancelled?.has(call)) continue;
      const { verdict, about } = one;
      if (verdict.pass) {
        going.push(one);
        if (verdict.told !== undefined && call.idText !== undefined) tellings.owe(call.idText, verdict.told);
        continue;
      }
      gone.add(call);
      // A host that heeds it asks for the list while its model reads why the call was not sent.
      if (verdict.isOffered) announcements.announce();
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
    for (const { takesBack } of waited) connection.underWay.dropped(takesBack);
    if (isOne && waited.length > 0) return;
    const sent: SentBytes = { bytes, last: true, parsed, isHeld: messages.some(isCall) };
    // The server may wait for it.
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
    const { verdict } = await verdicts.on(call, connection.hostName, TOO_LONG);
    if (!verdict.pass) line.refused = verdict.text;
    else if (verdict.told !== undefined) line.told = verdict.told;
    waiting.release(sent, bytes);
  };

  // What the server listed before a restart says nothing about its calls from then on.
  server.again?.(take, () => connection.changed());

  readLines(host.output, {
    limit: () => LONGEST_ANSWER,
    line: take,
    piece: (bytes, last) => void takePiece(bytes, last),
    end: () => {
      isHostDone = true;
      if (waiting.isEmpty) toServer.end();
    },
  });
  return waiting;
};
