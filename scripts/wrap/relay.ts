// One connection: everything passes both ways as it came, but for calls of tools, which wait until the server has said what
// its tools are now.
import type { Readable, Writable } from 'node:stream';
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { own as field, isObject } from '../contract/types.ts';
import type { GuardLink } from './beside-guard.ts';
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
}

/** What becomes of a call: it is passed on, or answered by us with a text for the model. */
export type Verdict = { pass: true } | { pass: false; text: string };

/** What the host is given in place of what the server lists: tools under other names, or behind an invoker. */
interface Offer {
  /** Whether that differs from what the server lists; while it does not, lists pass as they come. */
  isActive(): boolean;
  /** The tools that the host is given, from those that the server lists. @param own asks the server more about them */
  list(tools: readonly unknown[], own: OwnRequests, meta: unknown): Promise<unknown[]>;
  /** What the server is sent for a call of a tool that `list` made; undefined for one that is passed on as it came. */
  call(name: string, args: Record<string, unknown>): { name: string; arguments: Record<string, unknown> } | undefined;
}

export interface RelaySettings {
  host: Side;
  server: Side;
  offer?: Offer;
  /** Only asked where something differs, or could not be known. */
  judge(call: HeldCall): Promise<Verdict>;
  /** The guard of the host, which may have judged the call already. */
  guard?(): GuardLink | undefined;
}

/** The server, for others than the host: once the host has been given its tools. */
export interface Upstream {
  look(): Promise<Listed>;
  request(method: string, params: object): Promise<Message>;
}

/** So much may wait behind a call that is held, in bytes. Then the host has to wait, too. */
const MOST_WAITING = 8 * 1024 * 1024;

const CANCELLED = 'notifications/cancelled';

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

export const relay = ({ host, server, offer, judge, guard }: RelaySettings): Upstream => {
  const served = new Served();
  /** Requests of the host for the list of tools that are not answered yet. */
  const lists = new Set<string>();
  const own = new OwnRequests((line) => void server.input.write(line));
  /** The call that waits for its verdict; `id` is gone once the host has taken the call back. */
  let held: { id?: Id | undefined } | undefined;
  /** What the host sent after it, in order. */
  let waiting: Sent[] = [];
  let bytesWaiting = 0;
  /** What we have to say to the host, while a line of the server is under way. */
  let later: Buffer[] | undefined;
  /** What the host says of itself with each request, in the protocol's newer revisions. */
  let hostMeta: unknown;
  let open = (): void => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });

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

  /** What the host would be given if it asked now. */
  const listNow = async (meta: unknown): Promise<Listed> => {
    const listed = await own.list(meta);
    if (listed.failed !== undefined || !offer?.isActive()) return listed;
    return { ...listed, tools: await offer.list(listed.tools, own, meta) };
  };

  const answerList = async (line: Buffer, { id, params }: Message): Promise<void> => {
    const listed = await listNow(params._meta);
    if (listed.failed !== undefined) return toServer(line);
    served.add(listed.tools);
    open();
    toHost(toLine({ id, result: { ...listed.result, tools: listed.tools } }));
  };

  const verdictOn = async (message: Message): Promise<Verdict> => {
    const { params } = message;
    const toolUseId = field(params._meta, 'claudecode/toolUseId');
    const listed = await listNow(params._meta);
    const name = String(params.name);
    const call = { name, args: isObject(params.arguments) ? params.arguments : {}, served: served.of(name), listed };
    const link = typeof toolUseId === 'string' ? guard?.() : undefined;
    const known = await link?.judged(call, toolUseId as string);
    const verdict = known ?? (isUnchanged(call) ? { pass: true } : await judge(call));
    if (!verdict.pass) link?.stopped(toolUseId as string);
    return verdict;
  };

  /** The call that the server is sent. */
  const asOffered = (line: Buffer, { id, params }: Message): Buffer => {
    const args = isObject(params.arguments) ? params.arguments : {};
    const call = offer?.call(String(params.name), args);
    return call === undefined ? line : toLine({ id, method: 'tools/call', params: { ...params, ...call } });
  };

  const hold = async (line: Buffer, message: Message): Promise<void> => {
    const call = { id: message.id };
    held = call;
    const verdict = await verdictOn(message);
    held = undefined;
    if (call.id !== undefined) {
      if (verdict.pass) toServer(asOffered(line, message));
      else toHost(toLine({ id: call.id, result: { content: [{ type: 'text', text: verdict.text }], isError: true } }));
    }
    const sent = waiting;
    waiting = [];
    bytesWaiting = 0;
    for (const one of sent) take(one);
    host.output.resume();
  };

  const pass = ({ line, message }: Sent): void => {
    const { id, method } = message ?? {};
    if (method === 'tools/call' && id !== undefined && message) return void hold(line, message);
    if (method === 'tools/list' && id !== undefined) {
      hostMeta = message?.params._meta;
      if (message && offer?.isActive()) return void answerList(line, message);
      lists.add(JSON.stringify(id));
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
    limit: () => (own.isWaiting || lists.size > 0 ? LONGEST_ANSWER : 0),
    line: (line) => {
      if (own.take(line)) return;
      if (lists.size > 0) {
        const { id, method, result } = readMessage(line) ?? {};
        if (id !== undefined && method === undefined && lists.delete(JSON.stringify(id)) && isObject(result)) {
          served.add(Array.isArray(result.tools) ? result.tools : []);
          open();
        }
      }
      write(server.output, host.input, line);
    },
    piece: (bytes, last) => {
      write(server.output, host.input, bytes);
      const said = later ?? [];
      later = last ? undefined : said;
      if (last) for (const line of said) host.input.write(line);
    },
  });
  server.output.on('end', () => own.end());

  const meta = (): object => (isObject(hostMeta) ? { _meta: hostMeta } : {});
  return {
    look: async () => {
      await opened;
      return listNow(hostMeta);
    },
    request: async (method, params) => {
      await opened;
      return own.request(method, { ...params, ...meta() });
    },
  };
};
