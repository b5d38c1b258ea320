// First contact in the real client: in a project's first session, the person is offered to pin; the model is not.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { versions } from './client.ts';
import { FixtureServer } from './fixture-server.ts';
import { closeTerminals, hasTmux, Interactive } from './interactive.ts';
import { installHooks, removeSandboxes, runHeadless, sandbox } from './run.ts';

after(async () => {
  closeTerminals();
  await removeSandboxes();
});

const OFFER = /your team can agree[\s\S]*kwg pin/;

for (const version of versions) {
  describe(`Claude Code ${version}`, () => {
    test('a person reads the offer once, at the screen; a headless run says nothing', async (t) => {
      if (!hasTmux) return t.skip('there is no tmux');
      const box = sandbox();
      const tool = { name: 'weather', description: 'Weather.', inputSchema: { type: 'object' } };
      const server = await FixtureServer.start(box.dir, [tool], '2026-04-09');
      t.after(() => server.close());
      installHooks(box.home);
      mkdirSync(join(box.cwd, '.git'), { recursive: true });
      writeFileSync(join(box.cwd, '.git/config'), '[remote "origin"]\n\turl = ../there\n');
      const env = { GATEWAY_URL: server.url };
      const common = {
        version,
        home: box.home,
        cwd: box.cwd,
        mcp: { fx: server.mcp() },
        steps: [{ text: 'the end' }],
        env,
      };
      const told = join(box.home, '.claude/konnichiwagwan/told');

      const headless = await runHeadless(common);
      assert.equal(existsSync(told), false);
      assert.doesNotMatch(JSON.stringify(headless.messages), OFFER);

      const first = await Interactive.start(common);
      try {
        await first.waitFor(OFFER);
        await first.type('hello');
        await first.waitFor(/the end/);
        assert.doesNotMatch(JSON.stringify(first.requests), OFFER, 'it is not for the model');
      } finally {
        await first.kill();
      }
      assert.equal(readdirSync(told).length, 1);

      const second = await Interactive.start(common);
      try {
        await second.type('hello');
        await second.waitFor(/the end/);
        assert.doesNotMatch(second.screen(), OFFER);
      } finally {
        await second.kill();
      }
    });
  });
}
