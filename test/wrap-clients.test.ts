// The official MCP clients of both generations, in front of wrap.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { remove } from '../scripts/state/in-use.ts';

/** A server that speaks every revision; its tool changes when it is called with `change`. */
const SERVER = `
  import { Server } from ${JSON.stringify(pathToFileURL(resolve('node_modules/@modelcontextprotocol/server/dist/index.mjs')).href)};
  import { serveStdio } from ${JSON.stringify(pathToFileURL(resolve('node_modules/@modelcontextprotocol/server/dist/stdio.mjs')).href)};
  let name = 'text';
  serveStdio(() => {
    const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler('tools/list', async () => ({
      tools: [{ name: 'note', inputSchema: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name], additionalProperties: false } }],
    }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      if (params.arguments.text === 'change') name = 'words';
      return { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] };
    });
    return server;
  });`;

const about = { name: 'test', version: '1' };

describe('an official client in front of wrap', () => {
  const commandOf = (test: TestContext) => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-clients-'));
    test.after(() => remove(folder));
    const server = join(folder, 'server.mjs');
    writeFileSync(server, SERVER);
    const env = { PATH: process.env.PATH ?? '', HOME: folder, KONNICHIWAGWAN_HOME: join(folder, 'state') };
    return { command: process.execPath, args: [resolve('dist/cli.cjs'), 'wrap', '--', process.execPath, server], env };
  };

  const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

  for (const mode of ['auto', 'legacy'] as const) {
    it(`2.x, ${mode}: calls, and reads why a call was not sent`, async (test) => {
      const client = new ModernClient(about, { versionNegotiation: { mode } });
      await client.connect(new ModernTransport(commandOf(test)));
      test.after(() => client.close());
      assert.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25');
      assert.equal((await client.listTools()).tools.length, 1);
      const call = (args: Record<string, unknown>) => client.callTool({ name: 'note', arguments: args });
      assert.equal(textOf(await call({ text: 'change' })), '{"text":"change"}');
      const refused = await call({ text: 'x' });
      assert.equal(refused.isError, true);
      assert.match(textOf(refused), /`words`|words: string/);
      assert.equal(textOf(await call({ words: 'x' })), '{"words":"x"}');
    });
  }

  it('1.x: calls, and reads why a call was not sent, also one that it made as a task', async (test) => {
    const client = new OlderClient(about);
    await client.connect(new OlderTransport(commandOf(test)));
    test.after(() => client.close());
    assert.equal((await client.listTools()).tools.length, 1);
    const call = (args: Record<string, unknown>) => client.callTool({ name: 'note', arguments: args });
    assert.equal(textOf(await call({ text: 'change' })), '{"text":"change"}');
    const refused = await call({ text: 'x' });
    assert.equal(refused.isError, true);
    assert.match(textOf(refused), /words: string/);
    const params = { name: 'note', arguments: { text: 'x' }, task: { ttl: 1_000 } };
    const stream = client.experimental.tasks.requestStream({ method: 'tools/call', params } as never, {} as never);
    const messages: unknown[] = [];
    for await (const message of stream) messages.push(message);
    assert.match(JSON.stringify(messages), /"type":"error"/);
    assert.equal(textOf(await call({ words: 'x' })), '{"words":"x"}');
  });
});
