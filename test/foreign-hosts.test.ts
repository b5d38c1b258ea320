// Other programs read Claude Code's hook files, too. We do not judge their calls.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { drive, sandbox, tool } from './sandbox.ts';

const SEARCH = tool('search', { query: { type: 'string' } }, { required: ['query'] });
const CHANGED = tool('search', { text: { type: 'string' } }, { required: ['text'] });

const CALL = { tool_name: 'mcp__demo__search', tool_input: { query: 'x' } };
/** What each of them gives a hook before a tool call, from their documentation. */
const HOSTS: Record<string, object> = {
  Codex: {
    session_id: 's1',
    turn_id: 't1',
    cwd: '/',
    hook_event_name: 'PreToolUse',
    permission_mode: 'default',
    ...CALL,
  },
  Cursor: { session_id: 's1', cursor_version: '1.7.2', cwd: '/', hook_event_name: 'PreToolUse', ...CALL },
  'VS Code': { sessionId: 's1', hookEventName: 'PreToolUse', timestamp: '2026-11-22T10:00:00Z', cwd: '/', ...CALL },
  'VS Code, another tool': { sessionId: 's1', hookEventName: 'PreToolUse', tool_name: 'editFiles', tool_input: {} },
  'Copilot CLI': { session_id: 's1', hook_event_name: 'PreToolUse', timestamp: 1, cwd: '/', ...CALL },
  'Copilot CLI, its own form': { sessionId: 's1', toolName: 'demo-search', toolArgs: '{}', timestamp: 1, cwd: '/' },
};

describe('hooks that another program started', () => {
  for (const [host, input] of Object.entries(HOSTS))
    it(`say nothing, with exit code 0: ${host}`, async (test) => {
      const { start, release, env, state } = await sandbox(test, [SEARCH], { freshFor: 0, mode: 'strict' });
      await start();
      release([CHANGED]);
      for (const file of ['guard', 'offers', 'session-start', 'tool-failure']) {
        // Also started from a terminal inside of Claude Code, with inherited variables.
        for (const more of [{}, { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'theirs' }]) {
          const { stdout, stderr, code } = await drive(`${file}.cjs`, JSON.stringify(input), { ...env, ...more });
          assert.deepEqual([stdout, stderr, code], ['', '', 0], file);
        }
      }
      assert.equal(existsSync(join(state, 'activity')), false);
    });

  it('judge what Claude Code itself sends, whatever it adds one day', async (test) => {
    const { start, release, call } = await sandbox(test, [SEARCH]);
    await start();
    release([CHANGED]);
    const more = { turn_id: 't1', timestamp: 1, permission_mode: undefined };
    const { answer } = await call('search', { query: 'x' }, more as never, { CLAUDE_CODE_SESSION_ID: 's1' });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  });

  it('are not switched off by what a model or a server can write', async (test) => {
    const { start, release, call } = await sandbox(test, [SEARCH]);
    await start();
    release([CHANGED]);
    const { answer } = await call('search', { query: 'x', turn_id: 't', cursor_version: '1', timestamp: 1 });
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  });

  it('are named as such by explain', async (test) => {
    const { env } = await sandbox(test, [SEARCH]);
    const input = JSON.stringify(HOSTS.Codex);
    const { stderr, code } = await drive('cli.cjs', input, env, ['explain'], true);
    assert.equal(code, 2);
    assert.match(stderr, /another program/);
  });
});

describe('hooks/hooks.json', () => {
  it('has no description at its top, with which Codex takes the plugin for an incompatible one', () => {
    assert.deepEqual(Object.keys(JSON.parse(readFileSync('hooks/hooks.json', 'utf8'))), ['hooks']);
  });
});
