// Each hook of an installation starts without a shell, on a machine with only Node: no Git Bash, no PowerShell, no `sh`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { repository } from './install-home.ts';

describe('each hook, as Claude Code starts it: without a shell', () => {
  it('runs with Node alone on the PATH, from a folder with blanks, quotes and umlauts', () => {
    const root = mkdtempSync(join(tmpdir(), 'kwg-hooks-'));
    try {
      const home = join(root, `größe's & père's %PATH%`);
      mkdirSync(home);
      const { SystemRoot, NODE_OPTIONS } = process.env;
      const env = {
        HOME: home,
        USERPROFILE: home,
        PATH: dirname(process.execPath),
        ...(SystemRoot === undefined ? {} : { SystemRoot }),
        ...(NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS }),
      };
      const run = (command: string, args: string[], input = '') =>
        spawnSync(command, args, { cwd: home, env, input, encoding: 'utf8' });
      const installed = run(process.execPath, [join(repository, 'dist/cli.cjs'), 'install']);
      assert.equal(installed.status, 0, installed.stderr);
      const { hooks } = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8')) as {
        hooks: Record<string, { hooks: { command: string; args: string[] }[] }[]>;
      };
      const all = Object.entries(hooks).flatMap(([event, groups]) =>
        groups.flatMap((group) => group.hooks.map((hook) => ({ event, ...hook }))),
      );
      assert.equal(all.length, 7);
      for (const { event, command, args } of all) {
        const call = { tool_name: 'mcp__a__b', tool_input: {}, tool_use_id: 't' };
        const input = { session_id: 's', cwd: home, transcript_path: join(home, 'none.jsonl'), hook_event_name: event };
        const { error, status, stderr } = run(command, args, JSON.stringify({ ...input, ...call }));
        assert.deepEqual([event, error, status, stderr], [event, undefined, 0, '']);
      }
      assert.ok(existsSync(join(home, '.claude/konnichiwagwan')));
    } finally {
      remove(root);
    }
  });
});
