// An MCP server over Streamable HTTP, and a host that reaches it through `wrap --url`.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Said, startHost } from './wrap-sides.ts';

export const schema = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
  additionalProperties: false,
});

export interface Remote {
  url: string;
  /** The requests that it got: `POST tools/list` and the like. */
  seen: string[];
  headers: IncomingMessage['headers'][];
  tools: Said[];
  listChanged: boolean;
  /** Sessions that it knows. */
  sessions: Set<string>;
  /** The open streams for the server's own messages. */
  streams: Set<ServerResponse>;
  /** Answers a request in a special way; false: answer as usual. */
  on: (
    request: { method: string; message: Said; headers: IncomingMessage['headers'] },
    response: ServerResponse,
  ) => boolean;
  announce(): void;
  count(what: string): number;
}

/** A server with sessions and a stream, as the revisions up to 2025-11-25 have them. */
export const startRemote = async (test: Pick<TestContext, 'after'>): Promise<Remote> => {
  let count = 0;
  const remote: Remote = {
    url: '',
    seen: [],
    headers: [],
    tools: [{ name: 'note', inputSchema: schema('text') }],
    listChanged: false,
    sessions: new Set(),
    streams: new Set(),
    on: () => false,
    announce: () => {
      for (const stream of remote.streams)
        stream.write('id: a1\r\ndata: {"jsonrpc":"2.0",\r\ndata: "method":"notifications/tools/list_changed"}\r\n\r\n');
    },
    count: (what) => remote.seen.filter((one) => one === what).length,
  };
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    const { headers } = request;
    remote.seen.push([request.method, message?.method ?? (message && 'answer')].filter(Boolean).join(' '));
    remote.headers.push(headers);
    if (remote.on({ method: request.method ?? '', message, headers }, response)) return;
    const json = (body: object, more = {}) =>
      response.writeHead(200, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body, null, 2));
    const session = String(headers['mcp-session-id']);
    if (message?.method === 'initialize') {
      const made = `session-${count++}`;
      remote.sessions.add(made);
      const capabilities = { tools: { listChanged: remote.listChanged } };
      const result = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'r', version: '1' } };
      return json({ jsonrpc: '2.0', id: message.id, result }, { 'mcp-session-id': made });
    }
    if (!remote.sessions.has(session)) return response.writeHead(404).end();
    if (request.method === 'DELETE') {
      remote.sessions.delete(session);
      return response.writeHead(204).end();
    }
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      remote.streams.add(response);
      return response.on('close', () => remote.streams.delete(response));
    }
    if (message.method === undefined || message.id === undefined) return response.writeHead(202).end();
    const answers: Record<string, () => object> = {
      'tools/list': () => ({ tools: remote.tools }),
      'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify(message.params.arguments) }] }),
    };
    const answer = answers[message.method];
    return json({
      jsonrpc: '2.0',
      id: message.id,
      ...(answer ? { result: answer() } : { error: { code: -32601, message: 'no' } }),
    });
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  remote.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  test.after(() => {
    http.close();
    http.closeAllConnections();
  });
  return remote;
};

export const hostOf = (test: Pick<TestContext, 'after'>, url: string, words: string[] = [], env = {}) =>
  startHost(test, [], { words: ['--url', url, ...words], env });

export const until = async (isSo: () => boolean): Promise<void> => {
  for (const end = Date.now() + 30_000; !isSo(); await sleep(20)) assert.ok(Date.now() < end, 'it did not come to it');
};

export const events = (response: ServerResponse, text: string, end = true): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(text);
  if (end) response.end();
};
