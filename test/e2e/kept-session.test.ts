// In the real client: one request per call to a server that requires sessions, and our session ends with the client.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { versions } from './client.ts';
import { HttpServer } from './http-server.ts';
import { editSettings, installHooks, removeSandboxes, runHeadless, sandbox } from './run.ts';
import type { Answer } from './stub-model.ts';

after(removeSandboxes);

const weather = {
  name: 'weather',
  description: 'Says the weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('our session with a server', () => {
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
      const counts: number[] = [];
      const before = async () => {
        counts.push(server.by('guard').length);
        // Longer than an answer counts as live.
        await sleep(2_100);
      };
      const call: Answer = { tool: 'mcp__sw__weather', input: { city: 'x' }, before };
      const { home, cwd } = box;
      const run = await runHeadless({ version, home, cwd, steps: [call, call, call, { text: 'the end', before }] });
      assert.equal(run.code, 0, run.stderr);
      assert.equal(server.calls.length, 3);
      const asked = server.by('guard');
      const [started = 0, ...after] = counts;
      assert.equal(after.length, 3);
      assert.deepEqual(asked.slice(started), [...Array(3).fill('POST tools/list'), 'DELETE'], asked.join(', '));
      // On a busy machine, the start hook leaves the rest to a process of its own, which may have to open a session, too.
      const sessions = join(home, '.claude/konnichiwagwan/sessions');
      const isLate = readdirSync(sessions, { recursive: true }).some((path) => `${path}`.endsWith('finishing.json'));
      const opened = asked.filter((what) => what === 'POST initialize').length;
      assert.ok(opened === 1 || (opened === 2 && isLate), asked.join(', '));
    });
  }
});
