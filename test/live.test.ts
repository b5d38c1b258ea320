import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { askSource } from '../scripts/sources/live.ts';
import type { Source } from '../scripts/sources/source.ts';
import { remove } from '../scripts/state/in-use.ts';
import { tool } from './sandbox.ts';

const slowSource = (ms: number): Source => ({
  key: 'slow',
  name: 'slow',
  where: 'nowhere',
  covers: () => true,
  ask: async () => {
    await sleep(ms);
    return { status: 'answered', list: { tools: [tool('list', {})], advertised: new Map() } };
  },
});

describe('a live answer', () => {
  it('is as old as the question: what the server did while it was on its way is not in it', async (test) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    const asked = await askSource(home, slowSource(400), { freshFor: 0.3, deadline: 2_000 });
    assert.equal(asked.status, 'live');
    assert.ok(asked.head.freshUntil <= Date.now(), 'an answer that was under way for longer than freshFor is not live');
  });
});

describe('a source that fails', () => {
  it('is left alone twice as long each time, up to a limit, and is asked at once when it is forced', async (test) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-test-'));
    test.after(() => remove(home));
    const down: Source = { ...slowSource(0), ask: async () => ({ status: 'unreachable', why: 'ECONNREFUSED' }) };
    const waits: number[] = [];
    for (let times = 0; times < 8; times++) {
      const { head } = await askSource(home, down, {
        freshFor: 2,
        deadline: 1_000,
        force: true,
        since: { at: Date.now() + 1, up: Number.MAX_SAFE_INTEGER },
      });
      waits.push(head.freshUntil - head.checkedAt);
    }
    for (const [times, wait] of waits.entries()) {
      const base = Math.min(5_000 * 2 ** times, 15_000);
      assert.ok(wait >= base / 2 && wait <= base * 1.5, `${times}: ${wait} ms`);
    }
  });
});
