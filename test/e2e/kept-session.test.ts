// In the real client: one request a call to a server that requires sessions, and the session ends with the client.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { versions } from './client.ts';
import { HttpServer } from './http-server.ts';
import { editSettings, installHooks, removeSandboxes, runHeadless, sandbox } from './run.ts';

after(removeSandboxes);

const weather = {
  name: 'weather',
  description: 'Says the weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('the session with a server', () => {
  for (const version of versions) {
    it(`${version}: one request a call, and it ends with the client`, async (test) => {
      const server = await HttpServer.start({ era: 'session', tools: [weather] });
      test.after(() => server.close());
      const box = sandbox();
      installHooks(box.home);
      editSettings(box.home, (settings) => {
        settings.permissions = { allow: ['mcp__sw'] };
      });
      const state = { projects: { [box.cwd]: { hasTrustDialogAccepted: true } }, mcpServers: { sw: server.entry } };
      writeFileSync(join(box.home, '.claude.json'), JSON.stringify(state));
      const asked: string[][] = [];
      const step = async () => {
        const from = server.by('guard').length;
        asked.push(server.by('guard').slice(0, from));
        // For so long an answer counts as live.
        await sleep(2_100);
        return { tools: [{ name: 'mcp__sw__weather', input: { city: 'x' } }] };
      };
      const run = await runHeadless({
        version,
        home: box.home,
        cwd: box.cwd,
        steps: [step, step, step, async () => ({ text: 'the end' })] as never,
      });
      console.log(version, server.by('guard'), run.hooks.map(({ event }) => event));
      assert.equal(run.code, 0);
    });
  }
});
