// An MCP server over streamable HTTP, made with the official packages, that can be redeployed while clients use it.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as SessionServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server as ModernServer } from '@modelcontextprotocol/server';
import { nodeHandler } from '../node-handler.ts';
import { type Call, freshForMs, type Tool } from './fixture-server.ts';
import { until } from './interactive.ts';
import type { Json } from './stub-model.ts';

/** `modern` is 2026-07-28, without sessions (even for clients that ask in an older way); `session` is 2025. */
export type Era = 'modern' | 'session';
/** One request: who sent it, and what it asked for (`POST tools/list`, `GET`). */
export type Seen = { by: 'client' | 'guard'; what: string };
export type HttpOptions = {
  era: Era;
  tools: Tool[];
  /** Who is let in; others get 401. A person signs in only to the client. Absent: everyone is let in. */
  signedIn?: Seen['by'][] | undefined;
  /** Whether it declares that it announces changes; absent: it does. */
  announces?: boolean;
};

type Handler = (req: IncomingMessage, res: ServerResponse, body: unknown) => unknown;
type Deployment = { handle: Handler; announce(): void };

const INFO = { name: 'konnichiwagwan-fixture', version: '1.0.0' };

export class HttpServer {
  readonly seen: Seen[] = [];
  readonly calls: Call[] = [];
  private lastListAt = 0;
  /** Awaited before each request is answered. */
  hold: (seen: Seen) => unknown = () => {};
  private tools: Tool[];
  private deployed: Deployment;
  private http = this.newListener();
  private port = 0;

  private constructor(private readonly options: HttpOptions) {
    this.tools = options.tools;
    this.deployed = this.deployment();
  }

  static async start(options: HttpOptions): Promise<HttpServer> {
    const server = new HttpServer(options);
    await server.listen();
    return server;
  }

  get era(): Era {
    return this.options.era;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  private get capabilities() {
    return { capabilities: { tools: this.options.announces === false ? {} : { listChanged: true } } };
  }

  /** The server's entry in a configuration. */
  get entry(): { type: 'http'; url: string } {
    return { type: 'http', url: this.url };
  }

  /** Other tools, without an announcement. */
  set(tools: Tool[]): void {
    this.tools = tools;
  }

  announce(tools: Tool[]): void {
    this.set(tools);
    this.deployed.announce();
  }

  /** Announces other tools to a resident guard, and waits until it has asked for them. */
  async announceToGuard(tools: Tool[]): Promise<void> {
    // On a busy machine, the guard may have just asked, and not listen yet.
    await this.outlive();
    const lists = (): number => this.by('guard').filter((what) => what === 'POST tools/list').length;
    const before = lists();
    this.announce(tools);
    await until(
      () => lists() > before,
      () => 'the guard did not ask for the list that was announced',
    );
  }

  /** A new listener on the same port: connections break, and all sessions are lost. */
  async restart(tools: Tool[]): Promise<void> {
    await this.close();
    this.set(tools);
    this.deployed = this.deployment();
    this.http = this.newListener();
    await this.listen();
  }

  by(who: Seen['by']): string[] {
    return this.seen.filter(({ by }) => by === who).map(({ what }) => what);
  }

  close(): Promise<void> {
    return new Promise((done) => {
      this.http.close(() => done());
      this.http.closeAllConnections();
    });
  }

  private listen(): Promise<void> {
    return new Promise((done, failed) => {
      this.http.once('error', failed).listen(this.port, '127.0.0.1', () => {
        this.port = (this.http.address() as AddressInfo).port;
        done();
      });
    });
  }

  private newListener() {
    // Idle connections are kept for longer than a test runs: the client does not repeat a call whose connection just ended.
    return createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
      this.answer(req, res).catch((error) => res.writeHead(500).end(String(error)));
    });
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await bodyOf(req);
    const path = req.url === '/mcp' ? '' : ` ${req.url}`;
    const method = body?.method === undefined ? '' : ` ${body.method}`;
    // The guard uses the client's name, since some servers give unknown clients other tools, but not its user-agent.
    const by = /^claude-code\//.test(req.headers['user-agent'] ?? '') ? 'client' : 'guard';
    const seen: Seen = { by, what: `${req.method}${path}${method}` };
    this.seen.push(seen);
    await this.hold(seen);
    if (path) return void res.writeHead(404).end();
    const { signedIn = [by] } = this.options;
    if (!signedIn.includes(by)) return void res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    await this.deployed.handle(req, res, body);
  }

  private deployment(): Deployment {
    return this.options.era === 'modern' ? this.modern() : this.withSessions();
  }

  private modern(): Deployment {
    const handler = createMcpHandler(() => {
      const server = new ModernServer(INFO, this.capabilities);
      server.setRequestHandler('tools/list', () => this.list() as never);
      server.setRequestHandler('tools/call', ({ params }) => this.call(params) as never);
      return server;
    });
    return { handle: nodeHandler(handler), announce: () => handler.notify.toolsChanged() };
  }

  private withSessions(): Deployment {
    const open = new Map<string, { transport: StreamableHTTPServerTransport; server: SessionServer }>();
    const begin = async () => {
      const server = new SessionServer(INFO, this.capabilities);
      server.setRequestHandler(ListToolsRequestSchema, () => this.list() as never);
      server.setRequestHandler(CallToolRequestSchema, ({ params }) => this.call(params) as never);
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void open.set(id, { transport, server }),
        onsessionclosed: (id) => void open.delete(id),
      });
      await server.connect(transport as never);
      return transport;
    };
    const handle: Handler = async (req, res, body) => {
      const id = req.headers['mcp-session-id']?.toString();
      const known = id === undefined ? undefined : open.get(id)?.transport;
      if (id !== undefined && known === undefined) return void res.writeHead(404).end();
      return (known ?? (await begin())).handleRequest(req, res, body);
    };
    return {
      handle,
      announce: () => {
        for (const { server } of open.values()) server.sendToolListChanged().catch(() => {});
      },
    };
  }

  private list(): Json {
    this.lastListAt = Date.now();
    return { tools: this.tools };
  }

  /** Waits until its last list is older than an answer counts as live. */
  async outlive(): Promise<void> {
    const left = (): number => this.lastListAt + freshForMs + 50 - Date.now();
    while (left() > 0) await sleep(left());
  }

  private call({ name, arguments: args = {} }: { name: string; arguments?: Json | undefined }): Json {
    this.calls.push({ name, arguments: args });
    return { content: [{ type: 'text', text: `served ${name} ${JSON.stringify(args)}` }] };
  }
}

const bodyOf = async (req: IncomingMessage): Promise<Json | undefined> => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
};
