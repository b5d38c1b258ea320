// A server that the client reaches through a proxy: we take the same way, as a hook and as a resident guard.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startLoopbackProxy } from '../loopback-proxy.ts';
import type { Tool } from './fixture-server.ts';
import { asInstalled, INSTALL, release, titleOf } from './forms.ts';
import { HttpServer } from './http-server.ts';
import { removeSandboxes, runHeadless, sandbox } from './run.ts';
import { type Answer, type Json, toolResults } from './stub-model.ts';

const takes = (parameter: string): Tool => ({
  name: 'weather',
  description: 'Weather.',
  inputSchema: {
    type: 'object',
    properties: { [parameter]: { type: 'string' } },
    required: [parameter],
    additionalProperties: false,
  },
});
const call = (input: Json, before?: () => unknown): Answer => ({
  tool: 'mcp__fx__weather',
  input,
  ...(before ? { before } : {}),
});

after(removeSandboxes);

describe('a server behind a proxy', () => {
  for (const one of asInstalled)
    it(`${titleOf(one)}: the stale call is stopped, the corrected one arrives`, async (test) => {
      const server = await HttpServer.start({ era: 'session', tools: [takes('city')] });
      test.after(() => server.close());
      const { url } = server.entry as unknown as { url: string };
      const proxy = await startLoopbackProxy(Number(new URL(url).port));
      test.after(() => proxy.close());
      const box = sandbox();
      INSTALL[one.form](box.home);
      const { hooks, requests } = await runHeadless({
        ...box,
        version: one.version,
        env: { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
        mcp: { fx: { ...server.entry, url: `http://mcp.test${new URL(url).pathname}` } } as never,
        steps: [
          call({ city: 'one' }),
          call({ city: 'stale' }, () => release(one, server, [takes('place')])),
          call({ place: 'two' }),
          { text: 'end' },
        ],
        settings: { permissions: { allow: ['mcp__fx', 'mcp__plugin_konnichiwagwan_guard'] } },
      });
      assert.deepEqual(
        server.calls.map((sent) => sent.arguments),
        [{ city: 'one' }, { place: 'two' }],
        JSON.stringify(hooks),
      );
      assert.match(toolResults(requests.at(-1)?.body)[1]?.text ?? '', /konnichiwagwan stopped this call/);
      assert.ok(server.seen.some(({ by }) => by === 'guard'));
      assert.ok(proxy.seen.every((way) => / http:\/\/mcp\.test\//.test(way)));
      assert.equal(proxy.seen.length, server.seen.length);
    });
});
