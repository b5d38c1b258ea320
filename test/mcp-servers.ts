// MCP servers on loopback, made with the official packages of both major versions, like the ones that probes meet.
import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { createMcpHandler, Server as ModernServer } from '@modelcontextprotocol/server';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { nodeHandler } from './node-handler.ts';

export type Era = 'modern' | 'stateless' | 'session' | 'sse';
export const ERAS: Era[] = ['modern', 'stateless', 'session', 'sse'];

/** What a server offers; read at every question, so that a test can change it by assignment. */
export interface Offer {
  tools: Contract[];
  prompts?: JsonObject[];
  resources?: JsonObject[];
  resourceTemplates?: JsonObject[];
  /** Tools of one page. */
  pageSize?: number;
  /** Answers cursors made before this number of questions with an error. */
  badCursors?: number;
  ttlMs?: number;
  /** What each page says about how long it may be kept, instead. */
  caching?: JsonObject[];
  /** Called before every list of tools is answered. */
  before?: (notify: () => Promise<void>) => Promise<void> | void;
}

const page = (offer: Offer, cursor: string | undefined): JsonObject => {
  const { tools, pageSize = tools.length || 1, ttlMs, caching } = offer;
  const from = Number(cursor ?? 0);
  const next = from + pageSize;
  return {
    tools: tools.slice(from, next) as unknown as JsonObject[],
    ...(next < tools.length ? { nextCursor: String(next) } : {}),
    ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' }),
    ...caching?.[from / pageSize],
  };
};

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true },
};
const INFO = { name: 'test-server', version: '1.0.0' };

/** Each server would make one of its own, though none of them checks anything with it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const legacyServer = (offer: Offer): LegacyServer => {
  const server = new LegacyServer(INFO, { capabilities: CAPABILITIES, jsonSchemaValidator });
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    await offer.before?.(() => server.sendToolListChanged());
    const cursor = params?.cursor;
    if (cursor !== undefined && (offer.badCursors ?? 0) > 0) {
      offer.badCursors = (offer.badCursors ?? 0) - 1;
      throw Object.assign(new Error('no such cursor'), { code: -32602 });
    }
    return page(offer, cursor) as never;
  });
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: (offer.prompts ?? []) as never[] }));
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: (offer.resources ?? []) as never[] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: (offer.resourceTemplates ?? []) as never[],
  }));
  return server;
};

const modernServer = (offer: Offer): ModernServer => {
  const server = new ModernServer(INFO, { capabilities: CAPABILITIES });
  server.setRequestHandler('tools/list', async ({ params }) => {
    await offer.before?.(async () => {});
    return page(offer, params?.cursor) as never;
  });
  server.setRequestHandler('prompts/list', async () => ({ prompts: (offer.prompts ?? []) as never[] }));
  server.setRequestHandler('resources/list', async () => ({ resources: (offer.resources ?? []) as never[] }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: (offer.resourceTemplates ?? []) as never[],
  }));
  return server;
};

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
};

/** One request that came in: `POST tools/list`, `GET`, `DELETE`. */
const nameOf = (method: string | undefined, body: unknown): string =>
  `${method}${(body as JsonObject | undefined)?.method ? ` ${(body as JsonObject).method}` : ''}`;

export interface McpOnLoopback {
  url: string;
  offer: Offer;
  /** Requests in order. */
  seen: string[];
  /** Headers of the last request. */
  headers: () => IncomingMessage['headers'];
  /** How many sessions are still open. */
  open: () => number;
  close: () => Promise<void>;
}

/** Starts a server of an era. `refuse` answers every request with that status. */
export const startMcp = async (era: Era, offer: Offer, refuse?: () => number | undefined): Promise<McpOnLoopback> => {
  const seen: string[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const streams = new Map<string, SSEServerTransport>();
  const modern = nodeHandler(createMcpHandler(() => modernServer(offer)));
  let headers: IncomingMessage['headers'] = {};
  const http: HttpServer = createServer(async (request, response) => {
    const body = await bodyOf(request);
    seen.push(nameOf(request.method, body));
    headers = request.headers;
    const status = refuse?.();
    if (status !== undefined) return void response.writeHead(status, { 'www-authenticate': 'Bearer' }).end();
    if (era === 'modern') return modern(request, response, body);
    if (era === 'sse') {
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/message', response);
        streams.set(transport.sessionId, transport);
        return legacyServer(offer).connect(transport);
      }
      const id = new URL(request.url ?? '', 'http://x').searchParams.get('sessionId') ?? '';
      const stream = streams.get(id);
      return stream ? stream.handlePostMessage(request, response, body) : void response.writeHead(404).end();
    }
    const id = request.headers['mcp-session-id']?.toString() ?? '';
    let transport = sessions.get(id);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        ...(era === 'stateless' ? {} : { sessionIdGenerator: () => randomUUID() }),
        onsessioninitialized: (session) => void sessions.set(session, transport as StreamableHTTPServerTransport),
        onsessionclosed: (session) => void sessions.delete(session),
      });
      await legacyServer(offer).connect(transport as never);
    }
    return transport.handleRequest(request, response, body);
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/${era === 'sse' ? 'sse' : 'mcp'}`,
    offer,
    seen,
    headers: () => headers,
    open: () => sessions.size,
    close: () =>
      new Promise((closed) => {
        http.close(() => closed());
        http.closeAllConnections();
      }),
  };
};
