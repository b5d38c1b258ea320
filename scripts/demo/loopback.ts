import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Contract, JsonObject } from '../contract/types.ts';

type RequestHandler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** A server on the loopback interface, at a port that the system chose. */
export interface Loopback {
  url: string;
  close(): void;
}

const listen = (handle: RequestHandler): Promise<Loopback> => {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, Buffer.concat(chunks).toString('utf8'), response));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () => {
          server.closeAllConnections();
          server.close();
        },
      });
    });
  });
};

/** Starts a gateway whose tools can be replaced with `set` while it runs. `ttlMs` goes into its answers. */
export const startGateway = async (version: string, tools: Contract[], ttlMs?: number) => {
  let answer = '';
  let etag = '';
  const set = (schemaVersion: string, now: Contract[]): void => {
    answer = JSON.stringify({ schema_version: schemaVersion, ttlMs, tools: now });
    etag = `"${createHash('sha256').update(answer).digest('hex').slice(0, 16)}"`;
  };
  set(version, tools);
  const loopback = await listen((request, _body, response) => {
    response.setHeader('etag', etag);
    if (request.url !== '/api/tools/list') response.writeHead(404).end();
    else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  return { ...loopback, set };
};

/** Starts an HTTP server that knows only `tools/call`. If `serve` gives null, it answers with error -32602. */
export const startMcpServer = (serve: (name: string, args: JsonObject) => string | null): Promise<Loopback> =>
  listen((_request, body, response) => {
    const { id, params } = JSON.parse(body) as { id: number; params: { name: string; arguments: JsonObject } };
    const text = serve(params.name, params.arguments);
    const outcome =
      text === null
        ? { error: { code: -32602, message: 'Invalid params' } }
        : { result: { content: [{ type: 'text', text }] } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  });

/** Sends one `tools/call`, and gives the text of the result; null if the server refuses the arguments. */
export const callTool = async (url: string, name: string, args: JsonObject): Promise<string | null> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result } = (await answer.json()) as { result?: { content: { text: string }[] } };
  return result?.content[0]?.text ?? null;
};
