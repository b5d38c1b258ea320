// What the demo, doctor and the benchmark share: a session of the built hooks, in a folder of its own.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sandbox, startSession } from '../scripts/demo/hooks.ts';
import { remove } from '../scripts/state/in-use.ts';

it('hooks that are tried get the options of Node that the client passes on, and nothing else of the user', () => {
  const passed = { PATH: '/bin', SystemRoot: 'C:\\Windows', NODE_OPTIONS: '--require /a/proxy.cjs' };
  const users = { HOME: '/users', GATEWAY_URL: 'https://real.example', KONNICHIWAGWAN: 'off', API_KEY: 'secret' };
  assert.deepEqual(sandbox({ ...passed, ...users }, '/apart', 'http://127.0.0.1:1'), {
    ...passed,
    HOME: '/apart',
    CLAUDE_PROJECT_DIR: '/apart',
    KONNICHIWAGWAN_HOME: '/apart/state',
    GATEWAY_URL: 'http://127.0.0.1:1',
  });
});

it('a session has started when its baseline is there, and not before, though its hook has answered', async (test) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-demo-'));
  test.after(() => remove(home));
  const answered = join(home, 'answered');
  writeFileSync(
    join(home, 'session-start.cjs'),
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(answered)}, ''));`,
  );
  let isRecorded = false;
  const begun = startSession(home, 's1', home, process.env).then(() => isRecorded);
  while (!existsSync(answered)) await sleep(10);
  await sleep(200);
  isRecorded = true;
  mkdirSync(join(home, 'state/sessions'), { recursive: true });
  writeFileSync(join(home, 'state/sessions/s1.json'), '{"sources":{"a":{}}}');
  assert.equal(await begun, true);
});
