import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Source } from '../scripts/sources/source.ts';
import { askSource } from '../scripts/state/live.ts';
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
    test.after(() => rmSync(home, { recursive: true, force: true }));
    const asked = await askSource(home, slowSource(400), { freshFor: 0.3, deadline: 2_000 });
    assert.equal(asked.status, 'live');
    assert.ok(asked.head.freshUntil <= Date.now(), 'an answer that was under way for longer than freshFor is not live');
  });
});
