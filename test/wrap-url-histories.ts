// A hostile server over HTTP, driven by a history, and a model of what it may be sent.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Said } from './wrap-sides.ts';

/** Numbers from 0 to 1, the same for the same seed. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const CHANGED = 'notifications/tools/list_changed';
/** Ways in which a change is announced. */
const FORMS = [
  `{"jsonrpc":"2.0","method":"${CHANGED}"}`,
  `{"jsonrpc":"2.0","method":"${CHANGED.replaceAll('/', '\\/')}"}`,
  `{"method":"${CHANGED.replace('_', '\\u005f')}","jsonrpc":"2.0"}`,
  `{"params":{"_meta":{"x":"${'y\\"'.repeat(3_000)}"}},"jsonrpc":"2.0","method":"${CHANGED}"}`,
  `[{"jsonrpc":"2.0","method":"${CHANGED}"}]`,
];

const toolOf = (version: number): Said => ({
  name: 'note',
  inputSchema: {
    type: 'object',
    properties: { mark: { type: 'number' }, [`v${version}`]: { type: 'boolean' } },
    required: ['mark', `v${version}`],
    additionalProperties: false,
  },
});

/** One server of one history. */
export class HostileServer {
  readonly random: () => number;
  readonly hasSessions: boolean;
  readonly declares: boolean;
  version = 0;
  /** How often it answers badly, from 0 to 1. */
  harm = 0;
  /** By the mark of a call: how often it was carried out, and how often it arrived. */
  readonly done = new Map<number, number>();
  readonly arrived = new Map<number, number>();
  /** The server's version when a call was carried out. */
  readonly doneAt = new Map<number, number>();
  readonly #sessions = new Set<string>();
  readonly #streams = new Set<ServerResponse>();
  /** What clients get when they resume a stream. */
  readonly #later = new Map<string, string>();
  #count = 0;

  constructor(seed: number) {
    this.random = randomOf(seed);
    this.hasSessions = this.random() < 0.7;
    this.declares = this.random() < 0.6;
  }

  get isHeard(): boolean {
    return this.#streams.size > 0;
  }

  /**
   * Changes the tools, and announces that on each open stream if it declared to do so.
   * @returns whether it was announced
   */
  change(): boolean {
    this.version++;
    if (!this.declares) return false;
    const form = FORMS[Math.floor(this.random() * FORMS.length)];
    for (const stream of this.#streams) stream.write(`data: ${form}\n\n`);
    return this.isHeard;
  }

  forget(): void {
    this.#sessions.clear();
    this.dropStreams();
  }

  dropStreams(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  hear(request: IncomingMessage, body: string, response: ServerResponse): void {
    const message: Said = body === '' ? undefined : JSON.parse(body);
    const session = String(request.headers['mcp-session-id']);
    const begins = message?.method === 'initialize';
    if (this.hasSessions && !begins && !this.#sessions.has(session)) {
      const isPlain = this.random() < 0.5;
      const error = { code: -32001, message: 'Session not found' };
      response.writeHead(isPlain || message === undefined ? 404 : 400, { 'content-type': 'application/json' });
      response.end(isPlain ? '' : JSON.stringify({ jsonrpc: '2.0', id: message?.id ?? null, error }));
      return;
    }
    if (request.method === 'GET') this.#stream(request, response);
    else if (request.method !== 'POST') response.writeHead(204).end();
    else if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else this.#answer(message, response, begins);
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    const last = String(request.headers['last-event-id'] ?? '');
    const rest = this.#later.get(last);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (rest !== undefined) {
      // Some never end.
      const isLater = this.random() < 0.3;
      response.end(isLater ? `retry: 0\nid: ${last}\ndata: \n\n` : `data: ${rest}\n\n`);
      return;
    }
    response.write(': hello\n\n');
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }

  #answer(message: Said, response: ServerResponse, begins: boolean): void {
    const { id, method, params } = message;
    const isBad = !begins && this.random() < this.harm;
    const mark = method === 'tools/call' ? Number(params.arguments.mark) : undefined;
    if (mark !== undefined) this.arrived.set(mark, (this.arrived.get(mark) ?? 0) + 1);
    const way = isBad ? Math.floor(this.random() * 10) : -1;
    // A call that it refuses with an HTTP error was not carried out; any other may have been.
    if (way === 0 || way === 1) {
      const error = { code: -32000, message: this.random() < 0.5 ? 'no session for you' : 'busy' };
      const status = [400, 404, 429, 500, 503][Math.floor(this.random() * 5)] as number;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(way === 0 ? '' : JSON.stringify({ jsonrpc: '2.0', id, error }));
      return;
    }
    if (mark !== undefined) {
      this.done.set(mark, (this.done.get(mark) ?? 0) + 1);
      this.doneAt.set(mark, this.version);
    }
    const results: Record<string, () => object> = {
      initialize: () => ({
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: this.declares } },
        serverInfo: { name: 'h', version: '1' },
      }),
      'tools/list': () => ({ tools: [toolOf(this.version)] }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
    };
    const result = results[method]?.() ?? {};
    const text = JSON.stringify({ jsonrpc: '2.0', id, result });
    const given = begins && this.hasSessions ? `s${this.#count++}` : undefined;
    if (given !== undefined) this.#sessions.add(given);
    const session = given === undefined ? {} : { 'mcp-session-id': given };
    this.#send(text, response, session, way);
  }

  #send(text: string, response: ServerResponse, more: Record<string, string>, way: number): void {
    const json = { 'content-type': 'application/json', ...more };
    const events = { 'content-type': 'text/event-stream', ...more };
    const cut = Math.floor(this.random() * text.length);
    const ways: (() => unknown)[] = [
      () => response.destroy(),
      () => response.socket?.resetAndDestroy(),
      () => {
        response.writeHead(200, { ...json, 'content-length': String(text.length) });
        response.write(text.slice(0, cut), () => response.destroy());
      },
      () => response.writeHead(200, events).write(`data: ${text.slice(0, cut)}`, () => response.destroy()),
      () => response.writeHead(200, events).end(': nothing\n\n'),
      () => {
        const event = `e${this.#count++}`;
        this.#later.set(event, text);
        response.writeHead(200, events).end(`retry: 1\nid: ${event}\ndata: \n\n`);
      },
      () => response.writeHead(200, events).end(`data: ${text}\n\n`.repeat(3)),
      () => response.writeHead(200, json).end(text.replace(/"id":[^,]*/, '"id":"other"')),
    ];
    const bad = ways[way - 2];
    if (bad !== undefined) bad();
    else if (this.random() < 0.5) response.writeHead(200, json).end(text);
    else response.writeHead(200, events).end(`: c\r\n\r\ndata: ${text}\r\n\r\n`);
  }
}

/** All servers of all histories, each at its own path. */
export const listen = async (servers: Map<string, HostileServer>): Promise<{ http: Server; url: string }> => {
  const http = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
      const server = servers.get(request.url ?? '');
      if (server === undefined) response.destroy();
      else server.hear(request, body, response);
    });
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  return { http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
};
