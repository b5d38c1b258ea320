// Full tier: real servers.
// Other people's servers from npm: they show what the made-up servers of other tests cannot.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../scripts/contract/defined.ts';
import { sameJson } from '../scripts/contract/same.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { capture, writeCapture } from '../scripts/dev/corpus/capture.ts';
import { type Installed, installServer } from '../scripts/dev/corpus/install.ts';
import { endAll, processesLeft, processesOf } from '../scripts/dev/corpus/left.ts';
import { serve } from '../scripts/dev/corpus/serve.ts';
import type { Server } from '../scripts/servers/types.ts';
import { within } from '../scripts/sources/deadline.ts';
import { listOverMcp } from '../scripts/sources/mcp/list-over-mcp.ts';
import { mcpSource } from '../scripts/sources/mcp/mcp.ts';
import { askAgain } from '../scripts/sources/revalidate.ts';
import { remove } from '../scripts/state/in-use.ts';
import { isRunning } from './running.ts';
import { readJsonFile, shared } from './shared.ts';

const DEADLINE = 10_000;
const EVERYTHING = '@modelcontextprotocol/server-everything';
const MEMORY = '@modelcontextprotocol/server-memory';
const WANTED: [name: string, version: string][] = [
  [MEMORY, '2026.8.31'],
  [EVERYTHING, '2025.12.18'],
  [EVERYTHING, '2026.8.31'],
];

const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-real-'));
const installs = await Promise.allSettled(WANTED.map(([name, version]) => installServer(root, name, version)));
const installed = installs.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
// If some could not be installed, neither the tests nor their clean-up run.
if (installed.length < WANTED.length) remove(root);
const skip = installed.length < WANTED.length ? 'the packages of real servers cannot be installed here' : false;

const sourceOf = (url: string) => {
  const launch: Server['launch'] = { type: url.endsWith('/sse') ? 'sse' : 'http', url, headers: {} };
  const source = mcpSource(
    { name: 'x', scope: 'user', launch, configured: launch, unset: [], state: 'ready' },
    '/',
    false,
  );
  assert.ok('key' in source);
  return source;
};

const listening = (one: Installed, mode: 'streamableHttp' | 'sse') => serve(one, () => [mode]);

/** Ends neither with its input nor on request. */
const STUBBORN = `
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize')
      answer(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
    else if (method === 'tools/list')
      answer(id, { tools: [{ name: 'pid', description: String(process.pid), inputSchema: { type: 'object' } }] });
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
  });`;

describe('a program behind a wrapper', { skip: process.platform === 'win32' ? 'no POSIX shell' : false }, () => {
  it('is ended with the wrapper, even if it does not want to', async () => {
    // The second command keeps the shell from replacing itself with the program.
    const args = ['-c', '"$0" -e "$1"; true', process.execPath, STUBBORN];
    const reach = { type: 'stdio' as const, command: '/bin/sh', args, env: {}, cwd: '/' };
    const listed = await within(DEADLINE, (deadline) => listOverMcp(reach, ['tools'], deadline));
    assert.ok(listed.status === 'listed', JSON.stringify(listed));
    const pid = Number(listed.lists.tools?.[0]?.description);
    assert.ok(pid > 0);
    for (const end = Date.now() + 20_000; isRunning(pid) && Date.now() < end; ) await sleep(50);
    assert.ok(!isRunning(pid), 'it still runs');
  });

  it('is ended before the answer that there was none', async () => {
    const mark = join(root, 'mark');
    const args = ['-c', 'sleep 60; true', mark];
    const reach = { type: 'stdio' as const, command: '/bin/sh', args, env: { HOME: mark }, cwd: '/' };
    const listed = await within(500, (deadline) => listOverMcp(reach, ['tools'], deadline));
    assert.deepEqual(listed, { status: 'unreachable', why: 'no answer within 0.5 s' });
    assert.deepEqual(await processesOf(mark), []);
  });
});

describe('real servers', { skip }, () => {
  after(async () => {
    endAll(await processesLeft(root));
    remove(root);
  });

  for (const one of installed) {
    const what = `${one.name}@${one.version}`;

    it(`${what}: started by npx, asked as another asker asks it, and nothing of it is left`, async (test) => {
      const got = await capture(one, { name: one.name });
      assert.ok((got.offered.lists.tools ?? []).length > 5);
      assert.ok(got.ms < DEADLINE, `${got.ms} ms`);
      const written = JSON.parse(readFileSync(writeCapture(root, got), 'utf8')) as JsonObject;
      // Only some packages have an independent capture.
      const known = join(shared('corpus/captures').path, one.name.replaceAll('/', '__'), `${one.version}.json`);
      if (!existsSync(known)) return test.diagnostic('no capture by others to compare with');
      const theirs = readJsonFile(known) as JsonObject;
      for (const key of ['serverInfo', 'capabilities', 'tools']) {
        assert.ok(sameJson(written[key] as Json, theirs[key] as Json), `${key} is not what others captured`);
      }
    });

    if (one.name !== EVERYTHING) continue;

    it(`${what}: over streamable HTTP, first in full, then with as little as possible`, async (test) => {
      const server = await listening(one, 'streamableHttp');
      test.after(() => server.stop());
      const source = sourceOf(`${server.origin}/mcp`);
      const first = await source.ask(undefined, DEADLINE, true);
      assert.ok(first.status === 'answered', JSON.stringify(first));
      assert.ok(first.list.offers?.some(({ name }) => name.startsWith('prompt ')));
      const ask = (etag?: string) => {
        const repeat = source.repeat?.(defined({ mcp: first.mcp, etag }));
        assert.ok(repeat);
        return askAgain(repeat, DEADLINE);
      };
      const second = await ask();
      assert.ok(second.status === 'other', JSON.stringify(second));
      const { tools } = (JSON.parse(second.text) as { result: { tools: Contract[] } }).result;
      assert.deepEqual(
        tools.map(({ inputSchema }) => inputSchema),
        first.list.tools.map(({ inputSchema }) => inputSchema),
      );
      assert.deepEqual(await ask(second.etag), { status: 'same' });
      const count = (text: string): number => server.output().split(text).length - 1;
      const [begun, ended] = ['Session initialized', 'Received session termination request'];
      // Its log lines come a moment after its answers.
      for (const end = Date.now() + 20_000; count(begun) > count(ended) && Date.now() < end; ) await sleep(50);
      assert.equal(count(ended), count(begun), server.output());
    });

    it(`${what}: over SSE`, async (test) => {
      const server = await listening(one, 'sse');
      test.after(() => server.stop());
      const answer = await sourceOf(`${server.origin}/sse`).ask(undefined, DEADLINE, true);
      assert.ok(answer.status === 'answered', JSON.stringify(answer));
      assert.ok(answer.list.tools.length > 5);
    });
  }
});
