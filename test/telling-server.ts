// An MCP server on loopback that announces changes while it is asked: in its own messages, or in the protocol's.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { nodeHandler } from './node-handler.ts';

/** What it lists; read at every question, so that a test can change it by assignment. */
export interface Lists {
  tools: JsonObject[];
  prompts: JsonObject[];
  resources: JsonObject[];
  resourceTemplates: JsonObject[];
}
export type Kind = 'tools' | 'prompts' | 'resources';

export interface TellingServer {
  url: string;
  lists: Lists;
  /** Methods in order. */
  seen: string[];
  /** If true, it breaks off every connection. */
  isDown: boolean;
  /**
   * Called before a list is answered. Its result is sent first, unchanged: whole messages, or texts that are not messages.
   * To answer with an error, throw an object with a code; for no answer, return a promise that stays pending.
   */
  beside: (method: string, by: 'client' | 'guard') => (Json | string)[] | Promise<(Json | string)[]>;
  /** Announces on all open streams that lists changed, with params that clients should not believe. */
  announce: (kinds: readonly Kind[], params?: Json) => void;
  close: () => void;
}

export const METHODS: Record<string, keyof Lists> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true },
};
const INFO = { name: 'files', version: '1.0.0' };

export const announcing = (kind: Kind, params?: Json): JsonObject => ({
  jsonrpc: '2.0',
  method: `notifications/${kind}/list_changed`,
  ...(params === undefined ? {} : { params }),
});

const kindIn = (message: unknown): Kind | undefined =>
  /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(
    String((message as JsonObject | undefined)?.method),
  )?.[1] as Kind | undefined;

/** Its other methods, for the real client. */
const USES: Record<string, (params: JsonObject, lists: Lists) => JsonObject> = {
  ping: () => ({}),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `served ${name}` }] }),
  'resources/read': ({ uri }, { resources }) => {
    if (!resources.some((one) => one.uri === uri)) throw { code: -32002, message: 'Resource not found' };
    return { contents: [{ uri: uri ?? '', mimeType: 'text/plain', text: `content of ${uri}` }] };
  },
  'prompts/get': ({ name, arguments: given }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `prompt ${name} ${JSON.stringify(given ?? {})}` } }],
  }),
};

/** `modern` is 2026-07-28, by the official package; `older` is 2025-11-25, written here, each answer a stream. */
export const startTelling = async (
  test: TestContext,
  era: 'modern' | 'older',
  given: Partial<Lists>,
): Promise<TellingServer> => {
  const streams = new Set<ServerResponse>();
  const lists: Lists = { tools: [], prompts: [], resources: [], resourceTemplates: [], ...given };
  const seen: string[] = [];
  const server: TellingServer = {
    url: '',
    lists,
    seen,
    isDown: false,
    beside: () => [],
    announce: () => {},
    close: () => {},
  };
  const official = createMcpHandler(() => {
    const made = new Server(INFO, { capabilities: CAPABILITIES });
    for (const [method, list] of Object.entries(METHODS)) {
      made.setRequestHandler(method as 'tools/list', async () => {
        const now = structuredClone(lists[list]);
        for (const message of await server.beside(method, 'guard')) {
          const kind = kindIn(message);
          if (kind !== undefined) official.notify[`${kind}Changed`]();
        }
        return { [list]: now } as never;
      });
    }
    return made;
  });
  const modern = nodeHandler(official);
  const http = createServer(async (request, response) => {
    if (server.isDown) return void request.destroy();
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    if (request.method === 'GET' && era === 'older') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return void streams.add(response);
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    // The guard uses the client's name, since some servers give unknown clients other lists, but not its user-agent.
    const by = /^claude-code\//.test(request.headers['user-agent'] ?? '') ? 'client' : 'guard';
    const message = JSON.parse(text) as JsonObject;
    const { id, method } = message;
    seen.push(String(method));
    if (era === 'modern') return void modern(request, response, message);
    if (id === undefined) return void response.writeHead(202).end();
    const list = METHODS[String(method)];
    const now = list === undefined ? undefined : structuredClone(lists[list]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // All in one write: Wine takes at most 1,024 at once.
    const send = (...messages: (Json | string)[]): unknown =>
      response.write(
        messages.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join(''),
      );
    try {
      if (method === 'initialize') {
        send({
          jsonrpc: '2.0',
          id,
          result: { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, serverInfo: INFO },
        });
      } else if (list !== undefined && now !== undefined) {
        send(...(await server.beside(String(method), by)), { jsonrpc: '2.0', id, result: { [list]: now } });
      } else if (method !== undefined && Object.hasOwn(USES, String(method))) {
        send({ jsonrpc: '2.0', id, result: USES[String(method)]?.(message.params as JsonObject, lists) ?? {} });
      } else throw { code: -32601, message: 'no such method' };
    } catch (error) {
      send({ jsonrpc: '2.0', id, error: error as JsonObject });
    }
    response.end();
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  server.announce = (kinds, params) => {
    for (const stream of streams)
      for (const kind of kinds) stream.write(`data: ${JSON.stringify(announcing(kind, params))}\n\n`);
  };
  server.close = () => {
    http.closeAllConnections();
    http.close();
  };
  test.after(server.close);
  return server;
};
