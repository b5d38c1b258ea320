// Passes on the host's messages in order. Calls wait for their verdicts.
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { writeError } from '../guard/answer.ts';
import { CHANGED } from './announce.ts';
import type { Connection } from './connection.ts';
import { withoutAdded } from './host-habits.ts';
import { readLines } from './lines.ts';
import { CALL, CANCELLED, type Message, type Parsed, readMessages, toLine, withId } from './message.ts';
import { Outline } from './outline.ts';
import { ownAnswer } from './own-answer.ts';
import { lineWithout } from './sent-line.ts';
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

/** How many times the calls of a line are judged again because the tools changed while it waited. */
const MOST_AGAIN = 3;

const isCall = ({ method }: Message): boolean => method === CALL;
const isList = ({ id, method }: Message): boolean => method === 'tools/list' && id !== undefined;
const isAnswer = ({ id, method }: Message): boolean => method === undefined && id !== undefined;

class HostReader {
  readonly waiting: Waiting;
  #isHostDone = false;
  /** A line of the host that is too long to be held, while it is read. */
  #long: LongLine | undefined;

  constructor(private readonly connection: Connection) {
    this.waiting = new Waiting({
      from: connection.fromHost,
      pass: (sent) => this.#pass(sent),
      empty: () => this.#end(),
    });
  }

  read(): void {
    const { host, server } = this.connection.settings;
    const take = (bytes: Buffer): void => this.#take(bytes);
    // What the server listed before a restart says nothing about its calls from then on.
    server.again?.(take, () => this.connection.changed());
    readLines(host.output, {
      limit: () => LONGEST_ANSWER,
      line: take,
      piece: (bytes, last) => void this.#takePiece(bytes, last),
      end: () => {
        this.#isHostDone = true;
        this.#end();
      },
    });
  }

  #end(): void {
    if (this.#isHostDone && this.waiting.isEmpty) this.connection.toServer.end();
  }

  /** A line has come whole. */
  #take(bytes: Buffer): void {
    const read = readMessages(bytes);
    const parsed = read ?? callsIn(bytes);
    const messages = parsed?.messages ?? [];
    const [first] = messages;
    const isOne = messages.length === 1 && parsed?.batch === undefined;
    // A request is taken back at once, even if others wait.
    const waited = messages.filter((one) => one.method === CANCELLED && this.waiting.cancel(one.takesBack));
    for (const { takesBack } of waited) this.connection.underWay.dropped(takesBack);
    if (isOne && waited.length > 0) return;
    const sent: SentBytes = { bytes, last: true, parsed, isHeld: messages.some(isCall) };
    // The server may wait for it.
    const isUrgent = messages.every((one) => isAnswer(one) || (isOne && one.method === CANCELLED));
    if (messages.length > 0 && isUrgent) this.#pass(sent);
    else if (!(isOne && first && isCall(first) && this.#answeredByOffer(first))) {
      this.waiting.add(sent);
      if (sent.isHeld && parsed) void this.#settle(sent, parsed, read === undefined ? NO_JSON : undefined);
    }
  }

  /** A piece of a line that is too long to be held. */
  async #takePiece(bytes: Buffer, last: boolean): Promise<void> {
    const isFirst = this.#long === undefined;
    const line = this.#long ?? { outline: new Outline() };
    this.#long = last ? undefined : line;
    line.outline.feed(bytes);
    const sent: FromHost = { bytes, last, isHeld: isFirst && mayCall(line.outline), long: line };
    this.waiting.add(sent);
    if (!sent.isHeld) return;
    const [call = { params: {} }] = messagesIn(line.outline);
    const { verdicts, hostName } = this.connection;
    const { verdict } = await verdicts.on(call, hostName, TOO_LONG);
    if (!verdict.pass) line.refused = verdict.text;
    else if (verdict.told !== undefined) line.told = verdict.told;
    this.waiting.release(sent, bytes);
  }

  #answeredByOffer(message: Message): boolean {
    const { settings, toHost, fromHost } = this.connection;
    const text = settings.offer?.answer?.(nameOf(message), argumentsOf(message).args);
    const answer = text === undefined ? undefined : ownAnswer(message, text, false);
    if (answer === undefined) return false;
    toHost.say(answer, fromHost);
    toHost.say(toLine({ method: CHANGED }), fromHost);
    return true;
  }

  /** Waits for the verdicts on all calls of a line; what is left of it then can be passed on. */
  async #settle(sent: SentBytes, { messages, batch }: Parsed, unread?: string): Promise<void> {
    const { lists, hostName, settings } = this.connection;
    const calls = messages.filter(isCall);
    const [only] = calls;
    if (batch === undefined && only)
      sent.bytes = withoutAdded(sent.bytes, only, hostName, lists.served.of(nameOf(only)));
    const found = await this.#judge(sent, calls, unread);
    const gone = new Set(sent.cancelled);
    // A cancelled request gets no answer.
    const alive = [...calls.entries()].filter(([, call]) => !sent.cancelled?.has(call));
    const going: CallVerdict[] = [];
    for (const [at, call] of alive) {
      const one = found[at] as CallVerdict;
      if (this.#mayGo(call, one)) going.push(one);
      else gone.add(call);
    }
    const bytes = lineWithout(sent, gone, settings.offer);
    delete sent.cancelled;
    const isLeft = (_: unknown, at: number): boolean => !gone.has(messages[at] as Message);
    sent.parsed = { messages: messages.filter(isLeft), ...(batch && { batch: batch.filter(isLeft) }) };
    this.waiting.release(sent, bytes);
    for (const { about, isUnchanged } of going) {
      lists.looked(about.listed);
      if (isUnchanged) settings.passed?.(about);
    }
  }

  /** The verdicts on the calls of a line, once it is its turn. */
  async #judge(sent: SentBytes, calls: Message[], unread: string | undefined): Promise<CallVerdict[]> {
    const connection = this.connection;
    const { verdicts } = connection;
    let { changes } = connection;
    const found = await Promise.all(calls.map((call) => verdicts.on(call, connection.hostName, unread)));
    // The tools may change while it waits behind slower calls. A refusal stays: it was for an answer to this call.
    for (let again = 0; again < MOST_AGAIN; again++) {
      await this.waiting.turnOf(sent);
      if (changes === connection.changes) break;
      ({ changes } = connection);
      for (const [at, before] of found.entries())
        if (before.verdict.pass)
          found[at] = await verdicts.on(calls[at] as Message, connection.hostName, unread, before);
    }
    return found;
  }

  /** Whether a call may go to the server. If not, the host is answered. */
  #mayGo(call: Message, found: CallVerdict): boolean {
    const { tellings, announcements, lists, verdicts } = this.connection;
    const { verdict, about } = found;
    if (verdict.pass) {
      if (verdict.told === undefined || call.idText === undefined) return true;
      tellings.owe(call.idText, verdict.told);
      verdicts.delivered(found);
      return true;
    }
    // A host that heeds it asks for the list while its model reads why the call was not sent.
    if (verdict.isOffered) announcements.announce();
    else lists.looked(about.listed);
    this.#refuse(call, verdict.text, () => verdicts.delivered(found));
    return false;
  }

  /** @param before called just before the host is answered; not where the call has no id to answer to */
  #refuse(call: Message, text: string, before = (): void => {}): void {
    const { underWay, toHost, fromHost } = this.connection;
    // If it is judged again, it was sent before.
    underWay.dropped(call.idText);
    const answer = ownAnswer(call, text, true);
    if (answer === undefined) writeError(text);
    else {
      before();
      toHost.say(answer, fromHost);
    }
  }

  /** It is the turn of a line. */
  #pass(sent: FromHost): void {
    const { toServer, fromHost, settings } = this.connection;
    if (sent.long !== undefined) {
      if (sent.long.refused === undefined) toServer.pass(sent.bytes, sent.last, fromHost);
      if (sent.last) this.#ended(sent.long);
      return;
    }
    const bytes = sent.cancelled === undefined ? sent.bytes : lineWithout(sent, sent.cancelled, settings.offer);
    const messages = bytes.length > 0 ? (sent.parsed?.messages ?? []) : [];
    const [first] = messages;
    for (const message of messages) if (!sent.cancelled?.has(message)) this.connection.note(message);
    if (first && messages.length === 1 && isList(first) && settings.offer?.isActive())
      void this.#answerList(bytes, first);
    else if (bytes.length > 0) toServer.pass(bytes, sent.last, fromHost);
  }

  async #answerList(bytes: Buffer, { idSpelled = '', idText = '', params }: Message): Promise<void> {
    const { lists, toServer, toHost, underWay, fromHost } = this.connection;
    const listed = await lists.now(params._meta);
    if (listed.failed !== undefined) return toServer.pass(bytes, true, fromHost);
    // It was taken back meanwhile.
    if (underWay.take(idText) === undefined) return;
    lists.give(listed.tools, { isFirst: true, isLast: true });
    toHost.say(withId(idSpelled, { result: { ...listed.result, tools: listed.tools } }), fromHost);
  }

  /** A line that was passed on while it was read has ended; only now its messages are known. */
  #ended({ outline, refused, told }: LongLine): void {
    const messages = messagesIn(outline);
    if (refused !== undefined) {
      const requests = messages.filter(({ method }) => method !== undefined);
      for (const request of requests) this.#refuse(request, refused);
      if (requests.length === 0) writeError(refused);
      return;
    }
    const { tellings } = this.connection;
    for (const message of messages) {
      this.connection.note(message);
      if (isCall(message) && told !== undefined && message.idText !== undefined) tellings.owe(message.idText, told);
    }
  }
}

/** @returns what waits for verdicts */
export const readHost = (connection: Connection): Waiting => {
  const reader = new HostReader(connection);
  reader.read();
  return reader.waiting;
};
