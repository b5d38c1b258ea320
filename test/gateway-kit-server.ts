// A tiny server made with the gateway kit, as its users would make one: a REST route that checks its input with Zod, MCP
// tools that forward to it, and the endpoint that lists them. It gets new releases while clients use it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server';
// Zod comes with both SDKs.
import { z } from 'zod';
import { describeTwin, rawTwin, toolsList } from '../scripts/gateway-kit/entry.ts';
import type { JsonObject, ToolDefinition } from '../scripts/gateway-kit/gateway.d.ts';
import { nodeHandler } from './node-handler.ts';

export type Major = '1.x' | '2.x';

export const RELEASES = {
  '2026-04-09': z.strictObject({ title: z.string() }),
  /** With a field that older conversations do not know. */
  '2026-04-10': z.strictObject({ title: z.string(), tags: z.array(z.string()) }),
};
export type Release = keyof typeof RELEASES;

const INFO = { name: 'notes', version: '1.0.0' };

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

export const startNotes = async (major: Major) => {
  let release: Release = '2026-04-09';
  const notes: unknown[] = [];
  const calls: string[] = [];
  const description = 'Writes a note down.';
  const tool = (): ToolDefinition => ({
    name: 'write_note',
    description,
    inputSchema: RELEASES[release],
    annotations: { readOnlyHint: false },
    validated: true,
  });

  const save = (body: string): Promise<Response> => fetch(`${url}/api/notes`, { method: 'POST', body });
  const forward = (_body: JsonObject, { text }: { text: string }) => save(text);
  const flat = async (args: object) => {
    const answer = await save(JSON.stringify(args));
    return { content: [{ type: 'text' as const, text: await answer.text() }], isError: !answer.ok };
  };
  const register = {
    '1.x': () => {
      const server = new McpServer1(INFO);
      server.registerTool('write_note', { description, inputSchema: RELEASES[release] }, flat);
      rawTwin(server, { tool: tool(), forward });
      return server;
    },
    '2.x': () => {
      const server = new McpServer2(INFO);
      server.registerTool('write_note', { description, inputSchema: RELEASES[release] }, flat);
      rawTwin(server, { tool: tool(), forward });
      return server;
    },
  };
  const modern = nodeHandler(createMcpHandler(register['2.x']));
  const mcp = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await textOf(request);
    const body = text === '' ? undefined : JSON.parse(text);
    if (body?.method === 'tools/call') calls.push(body.params.name);
    if (major === '2.x') return modern(request, response, body);
    const transport = new StreamableHTTPServerTransport();
    await register['1.x']().connect(transport as never);
    return transport.handleRequest(request, response, body);
  };

  const rest = async (request: IncomingMessage, response: ServerResponse) => {
    const { success, data, error } = RELEASES[release].safeParse(JSON.parse(await textOf(request)));
    if (success) notes.push(data);
    response.writeHead(success ? 201 : 422, { 'content-type': 'application/json' });
    response.end(JSON.stringify(success ? { saved: data } : { issues: error.issues }));
  };

  const list = toolsList(() => ({ schemaVersion: release, tools: [tool(), describeTwin(tool())] }));
  const http = createServer((request, response) => {
    if (request.url === '/mcp') return void mcp(request, response);
    if (request.url === '/api/notes') return void rest(request, response);
    void list.node(request, response);
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    /** The saved notes. */
    notes,
    /** The tools that were called over MCP. */
    calls,
    release: (to: Release) => {
      release = to;
    },
    close: () =>
      new Promise<void>((closed) => {
        http.close(() => closed());
        http.closeAllConnections();
      }),
  };
};
