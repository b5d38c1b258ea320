// Full tier: the memory of a process.
// How much memory the resident guard uses in a session with many servers and many calls.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { longSession, memoryOf } from './long-session.ts';

const CALLS = Number(process.env.KONNICHIWAGWAN_SOAK ?? 500);
/**
 * In MB more than an idle Node, with two busy threads. Measured on Node 20: 70, and 84 in the first session after an
 * installation, which compiles the programs. From Node 22 on, an additional compiler runs.
 */
const MOST = Number(process.versions.node.split('.')[0]) < 22 ? 95 : 125;
/** Growth in the second half of the calls, in MB. */
const MOST_GROWTH = 10;
/** Of so many looks the least counts: when the garbage is collected depends on how busy the machine is. */
const LOOKS = 40;

/** The memory of an idle Node, in MB. */
const bareNode = async (t: TestContext): Promise<number> => {
  const child = spawn(process.execPath, ['-e', 'console.log(0);setInterval(() => {}, 60_000)'], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => child.kill());
  await new Promise((ready) => child.stdout.once('data', ready));
  await sleep(200);
  return memoryOf(child.pid ?? 0)?.now ?? Number.NaN;
};

it(`${CALLS} calls with twenty servers and a thousand tools`, {
  skip: memoryOf(process.pid) === undefined && 'the system does not tell',
}, async (t) => {
  const bare = await bareNode(t);
  let [early, late, last, most] = [1 / 0, 1 / 0, 0, 0];
  await longSession(t, CALLS, (call, pid) => {
    const isBefore = (end: number): boolean => call > end - LOOKS && call <= end;
    if (!isBefore(CALLS >> 1) && !isBefore(CALLS)) return;
    const memory = memoryOf(pid) ?? assert.fail('it does not run');
    [last, most] = [memory.now, memory.most];
    if (isBefore(CALLS)) late = Math.min(late, memory.now);
    else early = Math.min(early, memory.now);
  });
  const held = `${early.toFixed(0)} MB half way, ${last.toFixed(0)} MB at the end, ${most.toFixed(0)} MB at the most; a bare Node ${bare.toFixed(0)} MB`;
  t.diagnostic(held);
  assert.ok(last - bare < MOST, held);
  assert.ok(late - early < MOST_GROWTH, held);
});
