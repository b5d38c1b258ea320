// The greeting of a session: the drift line, and a client that does not start the guard.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tellLeftOut } from '../scripts/session/left-out.ts';
import { sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const FIND = tool('find', { words: text });
const WIDER = tool('find', { words: text, page: { type: 'integer' } });
const LINE =
  '⚠️ Tool schema drift detected — session started 2031-01-05, gateway advertises 2031-02-06. Restart Claude Code to avoid silent field-strip bugs.';

describe('the greeting tells of a new version', () => {
  for (const [what, after, more] of [
    ['with contracts', WIDER, /1 tool of `GATEWAY_URL` changed since this session began/],
    ['alone', FIND, /its list doesn't show/],
  ] as const) {
    it(`${what}, since this session began, and the first call does not repeat it`, async (test) => {
      const box = await sandbox(test, [FIND], { freshFor: 0 });
      box.release([FIND], '2031-01-05');
      await box.start();
      box.release([after], '2031-02-06');
      const { answer } = await box.greet({ source: 'resume' });
      assert.ok(answer.systemMessage.includes(LINE), answer.systemMessage);
      assert.match(answer.systemMessage, more);
      const called = await box.call('find', { words: 'x' });
      assert.doesNotMatch(called.answer?.systemMessage ?? '', /Tool schema drift/);
      box.release([after], '2031-03-07');
      const next = await box.call('find', { words: 'x' }, { tool_use_id: 'toolu_2' });
      assert.match(next.answer.systemMessage, /session started 2031-01-05, gateway advertises 2031-03-07/);
    });

    it(`${what}, since the last session`, async (test) => {
      const box = await sandbox(test, [FIND]);
      box.release([FIND], '2031-01-05');
      await box.start();
      box.release([after], '2031-02-06');
      const { answer } = await box.greet({ session_id: 'another' });
      assert.ok(answer.systemMessage.includes(`since the last session: ${LINE}`), answer.systemMessage);
    });
  }

  it('and says nothing of one that is the same', async (test) => {
    const box = await sandbox(test, [FIND]);
    box.release([FIND], '2031-01-05');
    await box.start();
    const { answer } = await box.greet({ session_id: 'another' });
    assert.doesNotMatch(answer?.systemMessage ?? '', /drift/);
  });
});

describe('a client that starts only the servers of its command line', () => {
  const root = "/home/o'hara/.claude/skills/konnichiwagwan";
  const told = (words: string[], env: NodeJS.ProcessEnv = { HOME: '/none', CLAUDE_PLUGIN_ROOT: root }) =>
    tellLeftOut({ project: '/none', env, client: 7 }, { managed: '/none', commandLine: () => ['claude', ...words] });

  it('is given the guard by what the greeting names', () => {
    const said = told(['-p', '--strict-mcp-config', '--mcp-config', '{"mcpServers":{"demo":{"command":"x"}}}']) ?? '';
    assert.match(said, /--strict-mcp-config keeps Claude Code from starting the guard.*no MCP call is sent/);
    const [, quoted = ''] = /--mcp-config ('.*')$/.exec(said) ?? [];
    const option = quoted.slice(1, -1).replaceAll("'\\''", "'");
    const { command, args } = JSON.parse(option).mcpServers['plugin:konnichiwagwan:guard'];
    assert.deepEqual([command, args], ['node', [`${root}/dist/resident.cjs`]]);
    assert.equal(told(['--strict-mcp-config', '--mcp-config', option]), undefined);
  });

  it('is not spoken of where the guard starts, or no hook of ours asks it', () => {
    assert.equal(told(['-p']), undefined);
    assert.equal(told(['--append-system-prompt', '--strict-mcp-config']), undefined);
    assert.equal(told(['--strict-mcp-config'], { HOME: '/none' }), undefined);
  });

  const skip = process.platform !== 'linux' && 'the words of another process are read from a file';
  it('is spoken of to the person and to the model', { skip }, async (test) => {
    const box = await sandbox(test, [FIND]);
    const program = join(box.home, 'claude.cjs');
    writeFileSync(program, 'setInterval(() => {}, 1000)');
    const client = spawn(process.execPath, [program, '--strict-mcp-config']);
    test.after(() => client.kill());
    const { answer } = await box.begin({}, { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PID: String(client.pid) });
    for (const text of [answer.systemMessage, answer.hookSpecificOutput.additionalContext])
      assert.match(text, /--strict-mcp-config keeps Claude Code from starting the guard/);
  });
});
