// `pin` as the built file runs it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { editedPins } from './edited-pins.ts';
import { DRAFT, FETCH, NAMES, parsed, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { startMcp } from './mcp-servers.ts';
import { tool } from './sandbox.ts';

describe('pin', { concurrency: 3 }, () => {
  it('writes what is not pinned yet, and nothing else ever', async (test) => {
    const bench = await workbench(test);
    const first = await bench.run(['pin']);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.match(first.stdout, /: pinned 2 tools\nWritten: mcp-contracts\.lock\.json\. Look at it, and commit it\.\n$/);
    const text = bench.lockText();
    assert.doesNotMatch(text, /127\.0\.0\.1|http:/, 'no URL');
    assert.deepEqual(editedPins(parsed(text)), []);

    // Noise and another order do not count as a change.
    const noisy = {
      ...SEARCH,
      inputSchema: { $schema: DRAFT, additionalProperties: true, ...(SEARCH.inputSchema as JsonObject) },
      execution: {},
    };
    bench.release([FETCH, noisy as Contract]);
    const again = await bench.envelope(['pin']);
    assert.deepEqual([again.code, again.data.written, again.data.servers[0].state], [0, false, 'as-pinned']);
    assert.equal(bench.lockText(), text);

    bench.release([RENAMED, tool('extra', {})]);
    const differs = await bench.envelope(['pin']);
    assert.deepEqual([differs.code, differs.data.written], [1, false]);
    assert.deepEqual([differs.data.servers[0].state, differs.data.servers[0].differing], ['differs', 3]);
    assert.match((await bench.run(['pin'])).stdout, /pinned before, and 3 tools differ: run konnichiwagwan approve /);
    assert.equal(bench.lockText(), text);
  });

  it('gives the same bytes to whoever pins', async (test) => {
    const [one, two] = [await workbench(test), await workbench(test, [FETCH, SEARCH])];
    await Promise.all([one.pinned(), two.pinned()]);
    assert.equal(one.lockText(), two.lockText());
  });

  it('writes nothing of a server that has two tools of one name: it is unclear which one a pin is for', async (test) => {
    const bench = await workbench(test, [SEARCH, { ...SEARCH, description: 'Another one' }]);
    const { code, data } = await bench.envelope(['pin']);
    assert.deepEqual([code, data.written, existsSync(bench.path)], [2, false, false]);
    assert.match(
      (await bench.run(['pin'])).stdout,
      /could not be checked: its tool .* could not be read: it is listed twice, differently$/m,
    );
  });

  it('refuses a lockfile that it cannot read, and leaves it alone', async (test) => {
    const bench = await workbench(test);
    for (const text of ['', '<<<<<<< HEAD\n', '{"lockfileVersion": 2}', '{}']) {
      writeFileSync(bench.path, text);
      const { code, error } = await bench.envelope(['pin']);
      assert.deepEqual([code, error.code], [2, 'unreadable-lockfile']);
      assert.equal(bench.lockText(), text);
    }
  });

  it('says what it could not check, and writes the rest', async (test) => {
    const down = await startGateway('1', []);
    down.close();
    const bench = await workbench(test, [SEARCH], { freshFor: 0, gateways: { down: { url: down.url } } });
    const { code, data } = await bench.envelope(['pin']);
    assert.deepEqual([code, data.written], [2, true]);
    assert.deepEqual(data.servers.map(({ state }: { state: string }) => state).sort(), ['not-checked', 'pinned']);
    assert.match((await bench.run(['pin'])).stdout, /down: could not be checked: /);
    assert.equal((await bench.run(['verify'])).code, 0, 'a server that is neither pinned nor heard is a warning');
    assert.match((await bench.run(['verify'])).stderr, /^warning: down is not pinned, and could not be checked/);
    const named = await bench.envelope(['verify', 'down']);
    assert.deepEqual([named.code, named.data.servers[0].state], [2, 'not-checked']);
  });

  it('has no servers, or not these', async (test) => {
    const bench = await workbench(test);
    const none = await bench.envelope(['pin'], { GATEWAY_URL: '' });
    assert.deepEqual([none.code, none.error.code], [2, 'no-servers']);
    const { code, data } = await bench.envelope(['pin', 'nope']);
    assert.deepEqual([code, data.servers[0].why], [2, 'it is not configured here']);
    for (const name of ['a/b', '']) {
      const word = await bench.envelope(['pin', name]);
      assert.deepEqual([word.code, word.error?.code], [2, 'usage'], name);
    }
    assert.equal(existsSync(bench.path), false);
  });

  it('takes the servers of the project, and those of one person by name or with --all alone', async (test) => {
    const bench = await workbench(test);
    bench.env.GATEWAY_URL = '';
    const program = join(bench.home, 'server.mjs');
    writeFileSync(
      program,
      `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'tools/list' ? { tools: [${JSON.stringify(SEARCH)}] }
    : { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'initialize' || method === 'tools/list' ? { result } : { error: { code: -32601, message: 'no' } }) }));
});`,
    );
    const server = { command: process.execPath, args: [program] };
    const mine = { mcpServers: { mine: server, other: server } };
    writeFileSync(join(bench.home, '.claude.json'), JSON.stringify(mine));
    const none = await bench.envelope(['pin', '--spawn']);
    assert.deepEqual([none.code, none.error.code], [2, 'no-servers']);
    assert.match(none.error.hint, /--all/);
    writeFileSync(join(bench.project, '.mcp.json'), JSON.stringify({ mcpServers: { ours: server } }));
    const approved = {
      projects: { [realpathSync(bench.project)]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['ours'] } },
    };
    writeFileSync(join(bench.home, '.claude.json'), JSON.stringify({ ...mine, ...approved }));
    const pinned = (data: { servers: { server: string; state: string }[] }) =>
      data.servers.map(({ server, state }) => `${server} ${state}`);
    const first = await bench.envelope(['pin', '--spawn']);
    assert.deepEqual([first.code, pinned(first.data)], [0, ['ours pinned']]);
    assert.deepEqual(pinned((await bench.envelope(['pin', 'mine', '--spawn'])).data), ['mine pinned']);
    const again = await bench.envelope(['pin', '--spawn']);
    assert.deepEqual(pinned(again.data), ['mine as-pinned', 'ours as-pinned'], 'what is pinned is looked at');
    const all = await bench.envelope(['pin', '--all', '--spawn']);
    assert.deepEqual(pinned(all.data), ['mine as-pinned', 'other pinned', 'ours as-pinned']);
  });

  it('writes into no folder that is nobody’s project', async (test) => {
    const bench = await workbench(test);
    const plain = join(bench.home, 'plain');
    mkdirSync(plain);
    for (const folder of [bench.home, '/', plain]) {
      const { code, error } = await bench.envelope(['pin'], { CLAUDE_PROJECT_DIR: folder });
      assert.deepEqual([code, error.code], [2, 'not-a-project'], folder);
      assert.equal(existsSync(join(folder, LOCKFILE)), false);
    }
    writeFileSync(join(plain, '.mcp.json'), '{}');
    assert.equal((await bench.envelope(['pin'], { CLAUDE_PROJECT_DIR: plain })).code, 0);
  });

  it('writes no secret that a server gives away', async (test) => {
    const bench = await workbench(test, [tool('t', {}, {}, { description: 'Signed in with s3cret-value.' })]);
    const { code, data } = await bench.envelope(['pin'], { MY_TOKEN: 's3cret-value' });
    assert.deepEqual([code, data.written, data.servers[0].state], [2, false, 'not-checked']);
    assert.match(data.servers[0].why, /`?t`? gives away the value of MY_TOKEN/);
  });

  it('nor one that its server is asked with, whatever the variable is called', async (test) => {
    for (const description of ['It is in-a-header-1.', 'It is in-a-variable-2.']) {
      const { url, close } = await startMcp('stateless', { tools: [tool('t', {}, {}, { description })] });
      test.after(close);
      const bench = await workbench(test, []);
      const headers = { 'X-Api-Key': 'in-a-header-1', Authorization: `\${MINE}` };
      writeFileSync(
        join(bench.home, '.claude.json'),
        JSON.stringify({ mcpServers: { mine: { type: 'http', url, headers } } }),
      );
      const { code, data } = await bench.envelope(['pin', 'mine'], { MINE: 'in-a-variable-2' });
      assert.deepEqual([code, data.written, data.servers[0].state], [2, false, 'not-checked']);
      assert.match(data.servers[0].why, /`?t`? gives away the value of a header in the settings/);
      assert.doesNotMatch(data.servers[0].why, /in-a-/);
    }
  });

  it('hostile names stand in it, and are quoted everywhere else', async (test) => {
    const hostile = NAMES.filter((one) => one !== '\ud800').map((one) => tool(one, { [one]: { type: 'string' } }));
    const bench = await workbench(test, hostile);
    const server = await bench.pinned();
    assert.deepEqual(
      [...(parsed(bench.lockText()).get(server)?.keys() ?? [])].sort(),
      hostile.map((one) => one.name).sort(),
    );
    assert.equal((await bench.run(['verify'])).code, 0);
    bench.release(hostile.map((one) => ({ ...one, description: '\u001b[31m##[error]' })));
    for (const format of ['text', 'markdown', 'sarif', 'github', 'junit', 'html']) {
      const { code, stdout } = await bench.run(['verify', '--format', format]);
      assert.equal(code, 1);
      assert.doesNotMatch(stdout, /[^\P{C}\n]/u, format);
    }
  });
});
