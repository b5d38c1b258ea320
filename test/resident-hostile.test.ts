// Full tier: the time and memory of a process.
// What one server may cost the calls of all others: time, memory, or their judgement.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { eventReader } from '../scripts/sources/events.ts';
import { Pieces } from '../scripts/sources/pieces.ts';
import { HttpServer } from './e2e/http-server.ts';
import { memoryOf } from './long-session.ts';
import { residentProcess } from './resident-client.ts';
import { sandbox, slownessOf, tool } from './sandbox.ts';

const old = tool('weather', { city: { type: 'string' } }, { required: ['city'] });
const renamed = tool('weather', { place: { type: 'string' } }, { required: ['place'] });

const serverOf = async (t: TestContext, tools: Contract[], announces: boolean) => {
  const server = await HttpServer.start({ era: 'session', tools: tools as never, announces });
  t.after(() => server.close());
  return server;
};

/** A resident guard in front of two servers: `hostile`, and `calm`, which has the tool `weather`. */
const world = async (t: TestContext, hostile: Json) => {
  const box = await sandbox(t, []);
  const calm = await serverOf(t, [old], false);
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { hostile, calm: calm.entry } }));
  const { GATEWAY_URL: _none, ...env } = box.env;
  box.env.GATEWAY_URL = undefined;
  await box.start();
  const guard = await residentProcess(t, env);
  let calls = 0;
  const event = (server: string, name: string, args: JsonObject, more: JsonObject) =>
    guard.hook({
      ...box.input(name, args, { tool_name: `mcp__${server}__${name}`, mcp_server: { name: server } }),
      ...more,
    });
  return {
    guard,
    calm,
    prompt: () => event('calm', '', {}, { hook_event_name: 'UserPromptSubmit', tool_name: '', tool_use_id: '' }),
    call: async (server: string, name: string, args: JsonObject) => {
      const tool_use_id = `toolu_${++calls}`;
      const answer = await event(server, name, args, { tool_use_id });
      await event(server, name, args, { tool_use_id, hook_event_name: 'PostToolUse' });
      return answer;
    },
    check: async () => {
      const at = performance.now();
      const answer = await event('calm', 'weather', { city: 'x' }, { tool_use_id: `toolu_${++calls}` });
      return { decision: answer?.hookSpecificOutput?.permissionDecision, ms: performance.now() - at };
    },
  };
};

const flooding = async (t: TestContext, how: string): Promise<Json> => {
  const child = spawn(process.execPath, ['test/flooding-server.mjs', how], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [port] = await once(child.stdout, 'data');
  return { type: 'http', url: `http://127.0.0.1:${String(port).trim()}/mcp` };
};

/** Tries up to three times, each in a fresh world: on a busy machine one call in a hundred may not get its time. */
const inBounds = async (t: TestContext, attempt: () => Promise<{ isIn: boolean; said: string }>): Promise<void> => {
  const said: string[] = [];
  for (let tries = 0; tries < 3; tries++) {
    const found = await attempt();
    said.push(found.said);
    t.diagnostic(found.said);
    if (found.isIn) return;
  }
  assert.fail(said.join('; '));
};

describe('a server that floods', () => {
  it('its stream, in chunks of one byte: calls of another server are judged, and in time', async (t) => {
    const { calm, call, check, guard } = await world(t, await flooding(t, 'stream'));
    await call('calm', 'weather', { city: 'x' });
    calm.set([renamed] as never);
    await call('hostile', 'weather', { city: 'x' });
    let longest = 0;
    const slowness = slownessOf();
    for (let at = 0; at < 10; at++) {
      await sleep(300);
      const { decision, ms } = await check();
      assert.equal(decision, 'deny');
      longest = Math.max(longest, ms);
    }
    assert.ok(longest < 1_000 * slowness(), `${Math.round(longest)} ms`);
    assert.ok((memoryOf(guard.pid())?.most ?? 0) < 200);
  });

  it('its answers, in chunks of one byte: that takes little memory, and SIGTERM ends the guard', async (t) => {
    await inBounds(t, async () => {
      const { guard, call, check } = await world(t, await flooding(t, 'answers'));
      await call('hostile', 'weather', { city: 'x' });
      let longest = 0;
      const slowness = slownessOf();
      for (let at = 0; at < 8; at++) {
        await sleep(500);
        longest = Math.max(longest, (await check()).ms);
      }
      const { most = 0 } = memoryOf(guard.pid()) ?? {};
      const at = Date.now();
      guard.signal('SIGTERM');
      await guard.tool('check', {});
      assert.ok(Date.now() - at < 3_000 * slowness());
      return {
        // 160 MB on a free machine; up to 375 if both cores are busy and garbage collection has to wait.
        isIn: most < 450 && longest < 1_000 * slowness(),
        said: `${Math.round(most)} MB, the longest ${Math.round(longest)} ms`,
      };
    });
  });
});

describe('a server whose many large tools change again and again', () => {
  it('calls of another server wait no longer than for a round trip', async (t) => {
    await inBounds(t, async () => {
      const { guard, call, check } = await world(t, await flooding(t, 'lists'));
      await call('calm', 'weather', { city: 'x' });
      await call('hostile', 'weather', { p0_0: 'x' });
      const times: number[] = [];
      const slowness = slownessOf();
      for (const end = Date.now() + 4_000; Date.now() < end || times.length < 60; ) {
        // Both at the same time: judging one takes milliseconds, the other half a second.
        const slow = call('hostile', 'weather', { p0_0: 'x' });
        for (let at = 0; at < 20; at++) {
          await sleep(10);
          times.push((await check()).ms);
        }
        await slow;
      }
      times.sort((one, other) => one - other);
      const [median = 0, longest = 0] = [times[times.length >> 1], times.at(-1)];
      const { most = 0 } = memoryOf(guard.pid()) ?? {};
      return {
        isIn: median < 50 * slowness() && longest < 300 * slowness() && most < 500,
        said: `${times.length} calls: ${median.toFixed(1)} ms, the longest ${longest.toFixed(0)} ms, ${Math.round(most)} MB`,
      };
    });
  });
});

describe('tools that are slow to compare', () => {
  const slow = (version: number): Contract[] =>
    Array.from({ length: 10 }, (_, at) =>
      tool(
        `t${at}`,
        { q: { type: 'string', pattern: '^(a+)+$', description: `v${version}` }, [`p${version}`]: { type: 'string' } },
        { required: ['q', `p${version}`] },
      ),
    );

  it('and that change: other calls do not wait for it, and what could not be compared is told', async (t) => {
    const hostile = await serverOf(t, slow(1), true);
    const { call, check, prompt } = await world(t, hostile.entry);
    const q = `${'a'.repeat(40)}!`;
    for (let at = 0; at < 10; at++) await call('hostile', `t${at}`, { q, p1: 'x' });
    await check();
    hostile.announce(slow(2) as never);
    await sleep(500);
    const times: number[] = [];
    const slowness = slownessOf();
    for (let at = 0; at < 5; at++) times.push((await check()).ms);
    assert.ok(Math.max(...times) < 1_000 * slowness(), times.map(Math.round).join());
    const told: string[] = [];
    for (let waited = 0; waited < 20_000 && new Set(told.join().match(/(?<![a-z])t\d\b/g)).size < 10; waited += 500) {
      await sleep(500);
      told.push(JSON.stringify((await prompt()) ?? {}));
    }
    assert.equal(new Set(told.join().match(/(?<![a-z])t\d\b/g)).size, 10, told.join('\n'));
  });
});

describe('events', () => {
  const read = (text: string, size: number, longest = 1_000): { data: string[]; isWhole: boolean } => {
    const data: string[] = [];
    const take = eventReader({ event: (event) => data.push(event.data.toString()), retry: () => {} }, longest);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size)
      if (!take(bytes.subarray(at, at + size))) return { data, isWhole: false };
    return { data, isWhole: true };
  };

  it('are the same in whatever pieces they come', () => {
    const text =
      ': c\r\n\r\ndata: a\ndata:b\rdata\n\nid: 1\ndata: \u00e4\r\n\r\nretry: 5\n\ndata: \n\nevent: x\ndata: z\n\n';
    const whole = read(text, 1_000).data;
    assert.deepEqual(whole, ['a b ', '\u00e4', '', 'z']);
    for (let size = 1; size < 20; size++) assert.deepEqual(read(text, size).data, whole, `pieces of ${size}`);
  });

  it('are too long by their own bytes, not by those that came with them', () => {
    const long = `data: ${'x'.repeat(900)}\n\n`;
    assert.deepEqual(read(long.repeat(5) + long.slice(0, 500), 4_000).isWhole, true);
    assert.deepEqual(read(`data: ${'x'.repeat(1_100)}`, 4_000).isWhole, false);
    assert.deepEqual(read('data:x\n'.repeat(200), 7).isWhole, false);
    // In later pieces, too, after an event that ended in the midst of one.
    assert.deepEqual(read(`${long}data: ${'x'.repeat(1_500)}`, 500).isWhole, false);
  });

  it('of very many pieces are joined', () => {
    const pieces = new Pieces();
    for (let at = 0; at < 5_000; at++) pieces.add(Buffer.from([at % 256]));
    assert.equal(pieces.length, 5_000);
    const all = pieces.take();
    assert.ok(all.length === 5_000 && all.every((byte, at) => byte === at % 256));
    assert.equal(pieces.length, 0);
  });
});
