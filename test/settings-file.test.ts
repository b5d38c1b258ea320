// Settings files are written only if they are still what was read.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { registrations } from '../scripts/install/hooks.ts';
import { isRegistered, register, unregister } from '../scripts/install/settings.ts';
import { readSettings, writeSettings } from '../scripts/install/settings-file.ts';
import { GUARD_SERVER } from '../scripts/servers/own-guard.ts';
import { freshHome } from './install-home.ts';

describe('settings that somebody else changes between reading and writing', () => {
  const read = '{"model":"a"}';
  const odd: [string, string | null, (file: string) => void][] = [
    ['into as many other bytes', read, (file) => writeFileSync(file, '{"model":"b"}')],
    ['into more', read, (file) => writeFileSync(file, `${read}\n`)],
    ['by taking them away', read, (file) => rmSync(file)],
    ['by making them', null, (file) => writeFileSync(file, read)],
    [
      'into a link to the same bytes',
      read,
      (file) => {
        renameSync(file, `${file}.moved`);
        symlinkSync(`${file}.moved`, file);
      },
    ],
  ];
  for (const [what, before, change] of odd) {
    it(`${what}: nothing is written`, { skip: process.platform === 'win32' && 'links need rights there' }, async () => {
      const { settings } = freshHome();
      mkdirSync(dirname(settings), { recursive: true });
      if (before !== null) writeFileSync(settings, before);
      const found = readSettings(settings);
      change(settings);
      const there = existsSync(settings) ? readFileSync(settings, 'utf8') : null;
      assert.throws(() => writeSettings(found, '{}'), /another program changed .* just now/);
      assert.equal(existsSync(settings) ? readFileSync(settings, 'utf8') : null, there);
    });
  }

  it('are written where nobody did', async () => {
    const { settings } = freshHome();
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, read);
    writeSettings(readSettings(settings), '{}');
    assert.equal(readFileSync(settings, 'utf8'), '{}');
  });
});

describe('our hooks in settings', () => {
  const all = registrations('/home/me/.claude/skills/konnichiwagwan/dist');
  const theirs = '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "date" }] }]\n  }\n}\n';
  const resident = registrations('/home/me/.claude/skills/konnichiwagwan/dist', false, GUARD_SERVER);
  /** Hooks that ask another server, or run another script. */
  const others = JSON.stringify({
    hooks: {
      PreToolUse: [
        {
          hooks: [
            { type: 'mcp_tool', server: 'audit', tool: 'check' },
            { type: 'command', command: 'node', args: ['/home/me/.claude/skills/konnichiwagwan-audit/dist/guard.cjs'] },
            { type: 'command', command: 'node /home/me/.claude/skills/konnichiwagwan/dist/my-guard.cjs' },
          ],
        },
      ],
    },
  });
  for (const [count, wanted] of [
    ['one', all.slice(0, 1)],
    ['all', all],
    ['those of the resident guard', resident],
  ] as const)
    it(`${count} of them: taken out, and what was there is left as it was`, () => {
      for (const text of [theirs, others, '{}\n']) {
        assert.equal(isRegistered(text), false);
        const { text: added, made } = register(text, wanted);
        assert.equal(isRegistered(added), true);
        assert.equal(unregister(added, made), text);
      }
    });
});
