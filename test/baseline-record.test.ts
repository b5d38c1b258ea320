// `baseline --record`: only a person may replace a session's baseline.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { startMcp } from './mcp-servers.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const BEFORE = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const AFTER = tool('weather', { place: { type: 'string' } }, { required: ['place'] });

const world = async (test: TestContext) => {
  const box = await sandbox(test, []);
  const [server, second] = [
    await startMcp('modern', { tools: [BEFORE] }),
    await startMcp('modern', { tools: [BEFORE] }),
  ];
  test.after(() => {
    server.close();
    second.close();
  });
  box.env.GATEWAY_URL = undefined;
  const configure = (urls: Record<string, string>): void =>
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({
        mcpServers: Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { type: 'http', url }])),
      }),
    );
  configure({ demo: server.url });
  await box.start();
  const record = (env: NodeJS.ProcessEnv = {}) =>
    drive('cli.cjs', null, { ...box.env, ...env }, ['baseline', '--record', '--session', 's1'], true);
  /** The recorded baseline, without its time. */
  const stored = () => {
    const {
      at: _at,
      up: _up,
      checksum: _sum,
      ...kept
    } = JSON.parse(readFileSync(join(box.state, 'sessions/s1.json'), 'utf8'));
    return JSON.stringify(kept);
  };
  const verdict = async (): Promise<string | undefined> =>
    (await box.call('weather', { city: 'Rabat' })).answer?.hookSpecificOutput?.permissionDecision;
  return { ...box, server, second, configure, record, stored, verdict };
};

describe('baseline --record', { concurrency: 3 }, () => {
  it('does not take a stop away: nobody sits there', async (test) => {
    const box = await world(test);
    box.server.offer.tools = [AFTER];
    assert.equal(await box.verdict(), 'deny');
    const before = box.stored();
    for (const env of [{}, { CLAUDECODE: '1' }]) {
      const { code, stderr } = await box.record(env);
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^konnichiwagwan: only a person can replace what a session started with, at a terminal of their own: /,
      );
    }
    assert.equal(box.stored(), before);
    for (const _again of [1, 2]) assert.equal(await box.verdict(), 'deny');
  });

  it('adds what was not recorded, and leaves the rest', async (test) => {
    const box = await world(test);
    box.configure({ demo: box.server.url, second: box.second.url });
    const { code, stdout } = await box.record();
    assert.equal(code, 0);
    assert.match(stdout, /demo .*1 tool[\s\S]*second .*1 tool/);
    const [one = {}, two = {}] = Object.values(JSON.parse(box.stored()).sources) as { name?: string }[];
    assert.deepEqual([one.name, two.name].sort(), ['demo', 'second']);
    box.server.offer.tools = [AFTER];
    assert.equal(await box.verdict(), 'deny');
  });

  it('records a session that has none', async (test) => {
    const box = await world(test);
    const ran = await drive('cli.cjs', null, box.env, ['baseline', '--record', '--session', 's9'], true);
    assert.equal(ran.code, 0, ran.stderr);
  });

  it('replaces it for a person, who types the digits', { skip: whyNoPerson }, async (test) => {
    const box = await world(test);
    box.server.offer.tools = [AFTER];
    const { code, screen } = await atTerminal(box.env, ['baseline', '--record', '--session', 's1'], []);
    assert.equal(code, 0, screen);
    assert.match(screen, /Type \d{4}/);
    assert.match(box.stored(), /"place"/);
  });
});
