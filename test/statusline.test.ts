// The segment for a status line: its text for any input, and what it reads.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { startMcp } from './mcp-servers.ts';
import { drive, sandbox, tool } from './sandbox.ts';

const SEARCH = tool('search', { query: { type: 'string' } }, { required: ['query'] });
const CHANGED = tool('search', { text: { type: 'string' } }, { required: ['text'] });

const bench = async (test: TestContext, config?: JsonObject) => {
  const box = await sandbox(test, [SEARCH, tool('other', {})], config);
  const raw = (input: string, env: NodeJS.ProcessEnv = {}) =>
    drive('cli.cjs', input, { ...box.env, CLAUDE_PROJECT_DIR: undefined, ...env }, ['statusline'], true);
  const line = async (session = 's1', env: NodeJS.ProcessEnv = {}) => {
    const workspace = { current_dir: box.project, project_dir: box.project };
    const input = { session_id: session, transcript_path: box.transcript, cwd: box.project, workspace };
    const { stdout, stderr, code } = await raw(JSON.stringify(input), env);
    assert.deepEqual([stderr, code], ['', 0]);
    return stdout;
  };
  return { ...box, raw, line };
};

describe('the segment of a status line', () => {
  it('says fresh only where something was looked at', async (test) => {
    const { start, line } = await bench(test);
    assert.equal(await line(), 'kwg nothing checked yet\n');
    await start();
    assert.equal(await line(), 'kwg fresh\n');
    assert.equal(await line('another'), 'kwg nothing checked yet\n');
  });

  it('counts tools that changed, once each, until the server has what the session learned', async (test) => {
    const { start, line, release, call } = await bench(test);
    await start();
    assert.equal(await line(), 'kwg fresh\n');
    release([CHANGED]);
    // The server was not asked since.
    assert.equal(await line(), 'kwg fresh\n');
    assert.equal((await call('search', { query: 'x' })).answer?.hookSpecificOutput.permissionDecision, 'deny');
    assert.equal(await line(), 'kwg 2 changed\n');
    assert.equal(await line(), 'kwg 2 changed\n');
    release([SEARCH, tool('other', {})], '1');
    // The stop told the model of the other contract, so it is told that this one is back.
    const back = await call('search', { query: 'x' });
    assert.match(back.answer?.hookSpecificOutput.additionalContext, /From now on, call it like this: search\(query/);
    assert.equal(await line(), 'kwg 1 changed\n');
    assert.equal((await call('search', { query: 'x' })).stdout, '');
    assert.equal(await line(), 'kwg fresh\n');
  });

  it('looks at every source again, if one of them changed', async (test) => {
    const second = await startGateway('1', [tool('third', {})]);
    test.after(() => second.close());
    const { start, line, release, call } = await bench(test, {
      freshFor: 0,
      gateways: { second: { url: second.url } },
    });
    await start();
    assert.equal(await line(), 'kwg fresh\n');
    release([CHANGED]);
    await call('search', { query: 'x' });
    assert.equal(await line(), 'kwg 2 changed\n');
  });

  it('counts versions that changed alone', async (test) => {
    const { start, line, release, call, gateway } = await bench(test);
    await start();
    release([SEARCH, tool('other', {})], '2026-04-10');
    await call('other');
    assert.equal(await line(), 'kwg 1 new version\n');
    // A version that brings changes is told by these.
    release([CHANGED, tool('other', {})], '2026-04-11');
    await call('other');
    assert.equal(await line(), 'kwg 1 changed\n');
    release([SEARCH, tool('other', {})], '2026-04-10');
    await call('other');
    gateway.close();
    await call('other');
    assert.equal(await line(), 'kwg 1 bumped, 2 unchecked\n');
  });

  it('counts what could not be checked', async (test) => {
    const { start, line, gateway, call } = await bench(test);
    await start();
    gateway.close();
    await call('search', { query: 'x' });
    assert.match(await line(), /^kwg \d unchecked\n$/);
  });

  it('counts a source that did not answer when the session started', async (test) => {
    const gone = await startGateway('1', []);
    gone.close();
    const { start, line } = await bench(test, { freshFor: 0, gateways: { gone: { url: gone.url } } });
    await start();
    assert.equal(await line(), 'kwg 1 unchecked\n');
  });

  it('does not call a server fresh that no source speaks for', async (test) => {
    const { start, line, input, env } = await bench(test);
    await start();
    const strange = input(
      'search',
      {},
      { tool_name: 'mcp__nobody__x', mcp_server: { name: 'nobody', source: 'user' } },
    );
    await drive('guard.cjs', JSON.stringify(strange), env);
    assert.equal(await line(), 'kwg 1 unchecked\n');
  });

  it('goes by the last verdict on a tool, in a session that is older than the day', async (test) => {
    const { start, line, state } = await bench(test);
    await start();
    mkdirSync(join(state, 'activity'), { recursive: true });
    const judged = (daysAgo: number, one: object): void => {
      const at = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
      const call = { at, session: 's1', server: 'x', tool: 'mcp__x__late', ...one };
      appendFileSync(join(state, 'activity', `${at.slice(0, 10)}.jsonl`), `${JSON.stringify(call)}\n`);
    };
    judged(1, { verdict: 'unchecked' });
    assert.equal(await line(), 'kwg 1 unchecked\n');
    judged(0, { verdict: 'silence' });
    assert.equal(await line(), 'kwg fresh\n');
  });

  it('counts what a call found beyond the baseline, and its last verdict alone', async (test) => {
    const { start, line, state } = await bench(test);
    await start();
    const at = new Date().toISOString();
    const judged = (one: object) =>
      appendFileSync(
        join(state, 'activity', `${at.slice(0, 10)}.jsonl`),
        `${JSON.stringify({ at, session: 's1', server: 'x', ...one })}\n`,
      );
    mkdirSync(join(state, 'activity'), { recursive: true });
    judged({ tool: 'mcp__x__late', verdict: 'deny', level: 'breaking' });
    judged({ tool: 'mcp__x__wider', verdict: 'silence', level: 'compatible' });
    judged({ tool: 'mcp__x__theirs', verdict: 'deny', level: 'breaking', session: 's2' });
    assert.equal(await line(), 'kwg 1 changed\n');
    judged({ tool: 'mcp__x__late', verdict: 'silence' });
    assert.equal(await line(), 'kwg fresh\n');
  });

  it('counts the tools of two servers apart, though they have one name', async (test) => {
    const { start, line, state, home, project, env } = await bench(test);
    const [left, right] = [
      await startMcp('modern', { tools: [tool('find.all', { a: {} })] }),
      await startMcp('modern', { tools: [tool('find.all', { a: {} })] }),
    ];
    test.after(() => Promise.all([left.close(), right.close()]));
    const mcpServers = { 'left one': { type: 'http', url: left.url }, right: { type: 'http', url: right.url } };
    writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers }));
    await start();
    left.offer.tools = [tool('find.all', { b: {} })];
    await drive('cli.cjs', null, env, ['probe', '--session', 's1'], true, project);
    assert.equal(await line(), 'kwg 1 changed\n');
    const at = new Date().toISOString();
    mkdirSync(join(state, 'activity'), { recursive: true });
    const judged = (server: string) =>
      appendFileSync(
        join(state, 'activity', `${at.slice(0, 10)}.jsonl`),
        `${JSON.stringify({ at, session: 's1', server, tool: `mcp__${server}__find_all`, verdict: 'deny', level: 'breaking' })}\n`,
      );
    judged('left_one');
    assert.equal(await line(), 'kwg 1 changed\n');
    judged('right');
    assert.equal(await line(), 'kwg 2 changed\n');
  });

  it('has at most 30 characters', async (test) => {
    const { start, line, release, call, state } = await bench(test);
    release(Array.from({ length: 200 }, (_, at) => tool(`t${at}`, { a: {} })));
    await start();
    release(Array.from({ length: 200 }, (_, at) => tool(`t${at}`, { b: {} })));
    await call('t1', { a: 1 });
    const day = new Date().toISOString().slice(0, 10);
    const at = new Date().toISOString();
    const lines = Array.from({ length: 200 }, (_, one) =>
      JSON.stringify({ at, session: 's1', server: `s${one}`, tool: `mcp__s${one}__x`, verdict: 'unchecked' }),
    );
    mkdirSync(join(state, 'activity'), { recursive: true });
    writeFileSync(join(state, 'activity', `${day}.jsonl`), `${lines.join('\n')}\n{"session":"s1","tool":\n`);
    const said = await line();
    assert.equal(said, 'kwg 99+ changed, 99+ unchecked\n');
    assert.ok(said.trimEnd().length <= 30);
  });

  it('says one line and no more, whatever it is given', async (test) => {
    const { raw, start } = await bench(test);
    await start();
    for (const input of [
      '',
      'x',
      'null',
      '[]',
      '"s1"',
      '{"session_id":"../../s1"}',
      '{"session_id":["s1"]}',
      '{"session_id":"s1","cwd":7,"workspace":"x"}',
      '{"__proto__":{"session_id":"s1"}}',
      `{"session_id":"${'s'.repeat(200_000)}"}`,
      '{"session_id":"\\u001b[31ms1"}',
      `${'['.repeat(100_000)}`,
      '{"session_id":"s1","cwd":"/nowhere\\u0000","workspace":{"project_dir":"relative"}}',
    ]) {
      const { stdout, stderr, code } = await raw(input);
      assert.deepEqual([stderr, code], ['', 0], input.slice(0, 60));
      assert.match(stdout, /^kwg (cannot tell|nothing checked yet|fresh)\n$/, input.slice(0, 60));
      assert.equal(stdout.includes('fresh'), /^\{"session_id":"s1"/.test(input), input.slice(0, 60));
    }
  });

  it('says nothing of a damaged state folder that it does not know', async (test) => {
    const { line, start, state } = await bench(test);
    await start();
    assert.equal(await line(), 'kwg fresh\n');
    writeFileSync(join(state, 'sessions', 's1.json'), '{"sources":{"x":{"name":"x","tools":[]}}}');
    assert.equal(await line(), 'kwg nothing checked yet\n');
  });

  it('is not sent to another state folder by a repository', async (test) => {
    const { line, start, project, home } = await bench(test);
    await start();
    const theirs = join(home, 'theirs');
    mkdirSync(theirs);
    const settings = { env: { KONNICHIWAGWAN_HOME: theirs, KONNICHIWAGWAN: 'off' } };
    writeFileSync(join(project, '.claude/settings.json'), JSON.stringify(settings));
    // With the repository's variables set, as the client would start it.
    const said = await line('s1', { ...settings.env, CLAUDE_CONFIG_DIR: home });
    assert.notEqual(said, 'kwg off\n');
  });

  it('says off where the guard is off', async (test) => {
    const { line, start, state } = await bench(test);
    await start();
    assert.equal(await line('s1', { KONNICHIWAGWAN: 'off' }), 'kwg off\n');
    writeFileSync(join(state, 'config.json'), '{"mode":"off"}');
    assert.equal(await line(), 'kwg off\n');
  });

  it('brings no rule of the differ with it', () => {
    const { outputs } = JSON.parse(readFileSync('.build/metafile.json', 'utf8'));
    const inputs = Object.keys(outputs['dist/cli.cjs'].inputs);
    assert.deepEqual(
      inputs.filter((file) => /node_modules|scripts\/(diff|judge|proof|config)\//.test(file)),
      [],
    );
  });
});
