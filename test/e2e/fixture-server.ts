// One world of tools, seen from two sides: a gateway on loopback (this process) and an MCP server (mcp-server.mjs).
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repo } from './client.ts';
import type { Json } from './stub-model.ts';

export type Tool = { name: string; description?: string; inputSchema: Json; annotations?: Json };
export type Call = { name: string; arguments: Json };
type Logged = { event: 'list' | 'call' | 'list_changed' } & Partial<Call>;
/** How the gateway misbehaves. `down` refuses connections, `broken` answers 503. */
export type Fault = 'none' | 'down' | 'hang' | 'garbage' | 'broken';

// DESIGN §10: how long an answer counts as live. A change within that time is invisible by design, not by mistake.
export const freshForMs = 2_000;

export class FixtureServer {
  /** Requests to the gateway, by how they were answered. */
  readonly counts = { full: 0, notModified: 0, other: 0 };
  private readonly http = createServer((req, res) => this.answer(req, res));
  private readonly control: string;
  private readonly logFile: string;
  private body = '';
  private etag = '';
  private fault: Fault = 'none';
  private port = 0;
  private lastAnswerAt = 0;

  private constructor(dir: string) {
    this.control = join(dir, 'mcp-control.json');
    this.logFile = join(dir, 'mcp-log.jsonl');
  }

  static async start(dir: string, tools: Tool[], version: string): Promise<FixtureServer> {
    const server = new FixtureServer(dir);
    server.set(tools, version);
    await server.listen();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Both sides change at the same moment, without a notification (unless the MCP server has --list-changed). */
  set(tools: Tool[], version: string, reject: Record<string, string> = {}): void {
    this.body = JSON.stringify({ schema_version: version, tools });
    this.etag = `"${createHash('sha256').update(this.body).digest('hex')}"`;
    // By rename: the MCP server may read at any time.
    writeFileSync(`${this.control}.new`, JSON.stringify({ tools, reject }));
    renameSync(`${this.control}.new`, this.control);
  }

  /** Waits until no answer of the gateway counts as live any longer. */
  async outlive(): Promise<void> {
    const left = () => this.lastAnswerAt + freshForMs + 50 - Date.now();
    while (left() > 0) await sleep(left());
  }

  async misbehave(fault: Fault): Promise<void> {
    if (fault === 'down') await this.stopListening();
    else if (this.fault === 'down') await this.listen();
    this.fault = fault;
  }

  /** For --mcp-config. */
  mcp(...flags: string[]): { command: string; args: string[] } {
    const script = join(repo, 'test/e2e/mcp-server.mjs');
    return { command: process.execPath, args: [script, this.control, this.logFile, ...flags] };
  }

  /** The calls that reached the MCP server. */
  calls(): Call[] {
    return this.log('call').map(({ name = '', arguments: args = {} }) => ({ name, arguments: args }));
  }

  log(event: Logged['event']): Logged[] {
    if (!existsSync(this.logFile)) return [];
    const lines = readFileSync(this.logFile, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Logged).filter((entry) => entry.event === event);
  }

  async close(): Promise<void> {
    if (this.fault !== 'down') await this.stopListening();
  }

  private answer(req: IncomingMessage, res: ServerResponse): void {
    if (this.fault === 'hang') return;
    if (req.method !== 'GET' || req.url !== '/api/tools/list') {
      this.counts.other += 1;
      res.writeHead(404).end();
      return;
    }
    this.lastAnswerAt = Date.now();
    if (this.fault === 'broken') {
      this.counts.other += 1;
      res.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Try again later</h1>');
    } else if (this.fault === 'garbage') {
      this.counts.other += 1;
      res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>It works!</h1>');
    } else if (req.headers['if-none-match'] === this.etag) {
      this.counts.notModified += 1;
      res.writeHead(304, { etag: this.etag }).end();
    } else {
      this.counts.full += 1;
      res.writeHead(200, { 'content-type': 'application/json', etag: this.etag }).end(this.body);
    }
  }

  private async listen(): Promise<void> {
    await new Promise<void>((done, failed) => {
      this.http.once('error', failed).listen(this.port, '127.0.0.1', done);
    });
    this.port = (this.http.address() as AddressInfo).port;
  }

  private stopListening(): Promise<void> {
    return new Promise((done) => {
      this.http.close(() => done());
      this.http.closeAllConnections();
    });
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
