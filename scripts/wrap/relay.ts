// One connection: everything passes both ways as it came, but for calls of tools, which wait until the server has said what
// its tools are now.
import type { Readable, Writable } from 'node:stream';
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { own as field, isObject } from '../contract/types.ts';
import { Announcements, declaring } from './announce.ts';
import { withoutAdded } from './host-habits.ts';
import { readLines } from './lines.ts';
import { type Id, type Message, readMessage, toLine } from './message.ts';
import { type Listed, OwnRequests } from './own-requests.ts';
import { Served } from './served.ts';

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
export type Verdict = { pass: true } | { pass: false; text: string };

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
  server: Side;
  offer?: Offer;
  /** Only asked where something differs, or could not be known. */
  judge(call: HeldCall): Promise<Verdict>;
  /** Told of each call whose contract is unchanged, when it is under way. */
  passed?(call: HeldCall): void;
}

/** So much may wait behind a call that is held, in bytes. Then the host has to wait, too. */
const MOST_WAITING = 8 * 1024 * 1024;

const CANCELLED = 'notifications/cancelled';
const LOOKED_AT: ReadonlySet<string> = new Set(['initialize', 'tools/list']);

/** A line of the host, and what it says where it is a message. */
interface Sent {
  line: Buffer;
  message: Message | undefined;
}

const isUnchanged = ({ name, served, listed }: HeldCall): boolean => {
  if (listed.failed !== undefined) return false;
  const now = listed.tools.find((tool) => isObject(tool) && tool.name === name);
  return now !== undefined && served.length === 1 && served[0] === JSON.stringify(now);
};

/** What the host calls itself: where a connection begins, or in each request of the protocol's newer revision. */
const hostIn = ({ method, params }: Message): string | undefined => {
  const told = method === 'initialize' ? params.clientInfo : field(params._meta, 'io.modelcontextprotocol/clientInfo');
  const name = field(told, 'name');
  return typeof name === 'string' ? name : undefined;
};

export const relay = ({ host, server, offer, judge, passed }: RelaySettings): void => {
  const served = new Served();
  /** Requests of the host whose answers are looked at, and that are not answered yet. */
  const asked = new Map<string, Message>();
  let hostName: string | undefined;
  const own = new OwnRequests((line) => void server.input.write(line));
  /** The call that waits for its verdict; `id` is gone once the host has taken the call back. */
  let held: { id?: Id | undefined } | undefined;
  /** What the host sent after it, in order. */
  let waiting: Sent[] = [];
  let bytesWaiting = 0;
  /** What we have to say to the host, while a line of the server is under way. */
  let later: Buffer[] | undefined;

  const write = (from: Readable, to: Writable, bytes: Buffer): void => {
    if (to.write(bytes)) return;
    from.pause();
    to.once('drain', () => from.resume());
  };
  const toServer = (line: Buffer): void => write(host.output, server.input, line);
  const toHost = (line: Buffer): void => {
    if (later === undefined) host.input.write(line);
    else later.push(line);
  };

  const news = new Announcements(toHost);

  /** What the host would be given if it asked now. */
  const listNow = async (meta: unknown): Promise<Listed> => {
    const listed = await own.list(meta);
    if (listed.failed !== undefined || !offer?.isActive()) return listed;
    try {
      return { ...listed, tools: await offer.list(listed.tools, own, meta) };
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
  };

  const answerList = async (line: Buffer, { id, params }: Message): Promise<void> => {
    const listed = await listNow(params._meta);
    if (listed.failed !== undefined) return toServer(line);
    served.add(listed.tools);
    news.given(listed.tools, { isFirst: true, isLast: true });
    toHost(toLine({ id, result: { ...listed.result, tools: listed.tools } }));
  };

  const heldCall = async ({ params }: Message): Promise<HeldCall> => {
    const listed = await listNow(params._meta);
    const name = String(params.name);
    const args = isObject(params.arguments) ? params.arguments : {};
    return { name, args, served: served.of(name), listed, host: hostName, beside: () => served.beside(name) };
  };

  /** The call that the server is sent. */
  const asOffered = (line: Buffer, { id, params }: Message): Buffer => {
    const args = isObject(params.arguments) ? params.arguments : {};
    const call = offer?.call(String(params.name), args);
    return call === undefined ? line : toLine({ id, method: 'tools/call', params: { ...params, ...call } });
  };

  const hold = async (sent: Buffer, asSent: Message): Promise<void> => {
    const { line, message } = withoutAdded(
      { line: sent, message: asSent },
      hostName,
      served.of(String(asSent.params.name)),
    );
    const call = { id: message.id };
    held = call;
    const about = await heldCall(message);
    const unchanged = isUnchanged(about);
    const verdict: Verdict = unchanged ? { pass: true } : await judge(about);
    held = undefined;
    const tell = (): void => {
      if (about.listed.failed === undefined) news.looked(about.listed.tools);
    };
    if (call.id !== undefined && !verdict.pass) {
      // A host that heeds it asks for the list while its model reads why the call was not sent.
      tell();
      toHost(toLine({ id: call.id, result: { content: [{ type: 'text', text: verdict.text }], isError: true } }));
    } else {
      if (call.id !== undefined) toServer(asOffered(line, message));
      tell();
      if (unchanged) passed?.(about);
    }
    const others = waiting;
    waiting = [];
    bytesWaiting = 0;
    for (const one of others) take(one);
    host.output.resume();
  };

  const pass = ({ line, message }: Sent): void => {
    const { id, method } = message ?? {};
    if (message !== undefined && method !== undefined) {
      hostName = hostIn(message) ?? hostName;
      news.asked(message);
      if (method === 'tools/call' && id !== undefined) {
        const { name, arguments: args } = message.params;
        const text = offer?.answer?.(String(name), isObject(args) ? args : {});
        if (text === undefined) return void hold(line, message);
        toHost(toLine({ id, result: { content: [{ type: 'text', text }] } }));
        toHost(toLine({ method: 'notifications/tools/list_changed' }));
        return;
      }
      if (method === 'tools/list' && id !== undefined && offer?.isActive()) return void answerList(line, message);
      if (id !== undefined && LOOKED_AT.has(method)) asked.set(JSON.stringify(id), message);
    }
    toServer(line);
  };

  /** Takes back a request that the server has not seen; false where it has. */
  const takenBack = (id: unknown): boolean => {
    if (held !== undefined && held.id === id) {
      // Whoever takes a request back gets no answer to it.
      held.id = undefined;
      return true;
    }
    const before = waiting.length;
    waiting = waiting.filter(({ message }) => message?.method === undefined || message.id !== id);
    return waiting.length < before;
  };

  /** What the host gets for an answer to one of its requests. */
  const answered = (line: Buffer): Buffer => {
    const { id, method, result } = readMessage(line) ?? {};
    if (id === undefined || method !== undefined) return line;
    const request = asked.get(JSON.stringify(id));
    if (request === undefined) return line;
    asked.delete(JSON.stringify(id));
    if (request.method === 'initialize') return declaring(line) ?? line;
    if (isObject(result)) {
      const tools = Array.isArray(result.tools) ? result.tools : [];
      const [isFirst, isLast] = [request.params.cursor === undefined, result.nextCursor === undefined];
      served.add(tools, isFirst);
      news.given(tools, { isFirst, isLast });
    }
    return line;
  };

  const take = (sent: Sent): void => {
    const { message, line } = sent;
    const method = message?.method;
    // The server may need an answer before it can say anything else.
    const isAnswer = message !== undefined && method === undefined;
    if (held === undefined || isAnswer) pass(sent);
    else if (message && method === CANCELLED) {
      if (!takenBack(message.params.requestId)) pass(sent);
    } else {
      waiting.push(sent);
      bytesWaiting += line.length;
      if (bytesWaiting > MOST_WAITING) host.output.pause();
    }
  };

  readLines(host.output, {
    line: (line) => take({ line, message: readMessage(line) }),
    piece: (bytes) => toServer(bytes),
  });

  readLines(server.output, {
    limit: () => (own.isWaiting || asked.size > 0 ? LONGEST_ANSWER : 0),
    line: (line) => {
      if (own.take(line)) return;
      news.heard(line);
      write(server.output, host.input, asked.size > 0 ? answered(line) : line);
    },
    piece: (bytes, last) => {
      write(server.output, host.input, bytes);
      const said = later ?? [];
      later = last ? undefined : said;
      if (last) for (const line of said) host.input.write(line);
    },
  });
  server.output.on('end', () => own.end());
};
