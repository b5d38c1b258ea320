// wrap in hosts other than Claude Code. KONNICHIWAGWAN_E2E_HOSTS names them ("codex,gemini", "all"); by default only Codex,
// since the six take 1.6 GB.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { remove } from '../../scripts/state/in-use.ts';
import { repo } from './client.ts';
import { FixtureServer, type Tool } from './fixture-server.ts';
import { OTHER_HOSTS, runOtherHost } from './other-hosts.ts';
import type { Json } from './stub-model.ts';

const text = { type: 'string' };
const bookRoom = (properties: Json): Tool => ({
  name: 'book_room',
  description: 'Books a room',
  // An open object, as with most servers: parameters that are no longer known are accepted and ignored.
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
});
const BEFORE = [bookRoom({ room: text })];
const AFTER = [bookRoom({ room_id: text, building: text })];
const STALE = { room: 'Blue' };
const RIGHT = { room_id: 'b1', building: 'x' };

/** Hosts that check a call against their stored schema before they send it: there, wrap cannot correct a call. */
const KEEPS_SCHEMA = ['Qwen Code'];
/** Hosts that list again after a notification, and show the model the new schema. */
const REFRESHES = ['Gemini CLI', 'OpenCode', 'Copilot CLI'];

const asked = (process.env.KONNICHIWAGWAN_E2E_HOSTS || 'codex').split(',');
const chosen = OTHER_HOSTS.filter(({ binary }) => asked.includes('all') || asked.includes(binary));
const skip = process.platform !== 'linux' || process.arch !== 'x64' ? 'tried on Linux on x64 alone' : false;

const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-hosts-'));
after(() => remove(root));

describe('other hosts', { skip }, () => {
  for (const host of chosen) {
    for (const announced of [false, true]) {
      const change = announced ? 'an announced' : 'a silent';
      it(`${host.name} ${host.version}: after ${change} change the stale call does not arrive`, async (test) => {
        const folder = mkdtempSync(join(root, `${host.binary}-`));
        const server = await FixtureServer.start(folder, BEFORE, '1');
        test.after(() => server.close());
        const { command, args } = server.mcp(...(announced ? ['--list-changed'] : []));
        const wrapped = [join(repo, 'dist/cli.cjs'), 'wrap', '--name', 'rooms', '--', command, ...args];
        const call = (input: Json, before?: () => unknown) => ({
          call: { ...host.named('book_room'), input },
          before,
        });
        const changed = (): Promise<void> => {
          server.set(AFTER, '2');
          // Hosts that refresh take up to half a second.
          return sleep(1_500);
        };
        const { code, requests } = await runOtherHost(host, folder, { command: process.execPath, args: wrapped }, [
          call(STALE),
          call(STALE, changed),
          call(RIGHT, () => sleep(1_500)),
        ]);
        assert.equal(code, 0);
        const arrived = server.calls().map((one) => ({ ...one.arguments, wait_for_previous: undefined }));
        const expected = KEEPS_SCHEMA.includes(host.name) ? [STALE] : [STALE, RIGHT];
        assert.deepEqual(
          arrived.map((one) => JSON.parse(JSON.stringify(one))),
          expected,
        );
        const last = JSON.stringify(requests.at(-1));
        // Gemini checks the call itself after it has listed again.
        const isTold = /konnichiwagwan stopped this call/.test(last) && last.includes('room_id: string');
        assert.ok(isTold || (announced && host.name === 'Gemini CLI'), 'the model is told what to do');
        // It listed again because wrap announced the change; the server did not.
        const shown = JSON.stringify(requests.at(-1)?.tools);
        if (REFRESHES.includes(host.name)) assert.ok(shown.includes('building'), 'the model is shown the new contract');
      });
    }
  }
});
