// Full tier: a thousand machines send to one collector, and some of their senders are killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { remove } from '../scripts/state/in-use.ts';
import { activityPath, telemetryPath } from '../scripts/state/paths.ts';
import { sendEvents } from '../scripts/telemetry/send.ts';
import { startCollector, type TakenRecord } from './collector.ts';
import { residentProcess } from './resident-client.ts';
import { sandbox, tool } from './sandbox.ts';
import { startWrapped } from './wrapped.ts';

const MACHINES = 1_000;
const CALLS = 100;
/** So many senders are processes that are killed while they send. */
const KILLED = 40;
const AT_ONCE = 16;
const VERDICTS = ['silence', 'silence', 'silence', 'notice', 'ask', 'deny', 'unchecked', 'not-covered', 'failed'];

/** Numbers that look random and are the same in each run. */
const numbers = (seed: number) => (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

describe('the resident guard', () => {
  it('sends when it is idle, and what is left when it ends', async (test) => {
    const collector = await startCollector();
    test.after(() => collector.close());
    const box = await sandbox(test, [tool('a', { x: { type: 'string' } })]);
    writeFileSync(
      join(box.state, 'config.json'),
      JSON.stringify({ freshFor: 0, telemetry: { endpoint: collector.url } }),
    );
    await box.start();
    const guard = await residentProcess(test, box.env);
    const ask = () => guard.hook(box.input('a', { x: 'y' }));
    await ask();
    box.release([tool('a', { z: { type: 'string' } }, { required: ['z'] })]);
    assert.match(JSON.stringify(await ask()), /"deny"/);
    assert.equal(collector.requests.length, 0);
    const taken = async (count: number): Promise<void> => {
      for (let waited = 0; waited < 20_000 && collector.records().length < count; waited += 50) await sleep(50);
      assert.equal(collector.records().length, count);
    };
    await taken(1);
    assert.match(JSON.stringify(await ask()), /"deny"/);
    // It is too early for the next one, but for the end.
    await sleep(3_000);
    assert.equal(collector.records().length, 1);
    assert.equal(await guard.end(), 0);
    await taken(2);
  });
});

describe('wrap', () => {
  it('sends its verdicts while its host is idle', async (test) => {
    const collector = await startCollector();
    test.after(() => collector.close());
    const wrapped = await startWrapped(test, [tool('book', { room: { type: 'string' } }, { required: ['room'] })]);
    writeFileSync(join(wrapped.state, 'config.json'), JSON.stringify({ telemetry: { endpoint: collector.url } }));
    await wrapped.list();
    await wrapped.call('book', { room: 'canary' });
    wrapped.release([tool('book', { place: { type: 'string' } }, { required: ['place'] })]);
    assert.equal((await wrapped.call('book', { room: 'canary' })).isError, true);
    for (let waited = 0; waited < 20_000 && collector.requests.length === 0; waited += 50) await sleep(50);
    const [record] = collector.records();
    assert.equal(record?.attributes['konnichiwagwan.client'], 'wrap');
    assert.equal(record?.attributes['konnichiwagwan.verdict'], 'deny');
    assert.match(String(record?.attributes['konnichiwagwan.rule']), /^input-/);
    assert.doesNotMatch(collector.requests.map(({ text }) => text).join(), /canary/);
  });
});

describe('a thousand machines', () => {
  it('lose no verdict and no count, and none counts twice by its id', async (test) => {
    const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-load-'));
    const random = numbers(7);
    let kill: (() => void) | undefined;
    const records: TakenRecord[] = [];
    const collector = await startCollector((response, request) => {
      const stop = kill;
      kill = undefined;
      const luck = random();
      // Where a sender is killed, or the connection breaks off, it may have been taken all the same.
      if (luck > 0.5 || (stop === undefined && luck > 0.15)) records.push(...request.records);
      if (stop !== undefined) {
        // Before the sender hears that all was taken, or just as it does.
        if (luck > 0.75) response.end();
        stop();
      } else if (luck < 0.05 || luck > 0.95) response.destroy();
      else if (luck < 0.15) response.writeHead(503).end();
      else response.end();
    });
    test.after(() => {
      collector.close();
      remove(root);
    });
    const config = JSON.stringify({ telemetry: { endpoint: collector.url } });
    const wanted = new Map<string, number>();
    const homes = Array.from({ length: MACHINES }, (_none, index) => {
      const home = join(root, String(index));
      // All calls of a machine within one hour that is over, of this day or the last one.
      const at = Date.now() - 3 * 3_600_000;
      const path = activityPath(home, new Date(at).toISOString().slice(0, 10));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(join(home, 'config.json'), config);
      const lines = Array.from({ length: CALLS }, (_one, nth) => {
        const verdict = VERDICTS[Math.floor(random() * VERDICTS.length)] ?? '';
        const key = `${index} ${verdict}`;
        wanted.set(key, (wanted.get(key) ?? 0) + 1);
        const call = { session: `s${nth % 3}`, server: 'demo', tool: `mcp__demo__t${nth % 5}`, verdict };
        return `${JSON.stringify({ at: new Date(at).toISOString(), ...call })}\n`;
      });
      writeFileSync(path, lines.join(''));
      return home;
    });

    let killed = 0;
    for (const home of homes.slice(0, KILLED)) {
      const child = spawn(process.execPath, [resolve('dist/send-events.cjs'), home, home], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      kill = () => child.kill('SIGKILL');
      const [, signal] = await ended;
      kill = undefined;
      if (signal === 'SIGKILL') killed += 1;
    }
    assert.ok(killed > KILLED / 2, `only ${killed} were killed`);

    /** Sends until nothing is left, without the pauses. */
    const deliver = async (home: string): Promise<void> => {
      for (let tries = 0; tries < 20; tries++) {
        await sendEvents(home, home, {});
        const path = telemetryPath(home, 'ledger.json');
        const { notBefore, ...ledger } = JSON.parse(readFileSync(path, 'utf8'));
        if (notBefore === undefined) return;
        writeFileSync(path, JSON.stringify(ledger));
      }
      assert.fail('it was not taken');
    };
    const left = [...homes];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let home = left.pop(); home !== undefined; home = left.pop()) await deliver(home);
      }),
    );

    const indexOf = new Map(
      homes.map((home, index) => [readFileSync(telemetryPath(home, 'machine'), 'utf8').trim(), index]),
    );
    const byId = new Map(records.map((record) => [record.attributes['konnichiwagwan.event.id'], record]));
    const found = new Map<string, number>();
    for (const { attributes: a } of byId.values()) {
      const key = `${indexOf.get(String(a['konnichiwagwan.machine']))} ${a['konnichiwagwan.verdict']}`;
      found.set(key, (found.get(key) ?? 0) + Number(a['konnichiwagwan.count'] ?? 1));
    }
    assert.ok(records.length > byId.size, 'nothing came twice: no sender was killed in time');
    assert.deepEqual([...found].sort(), [...wanted].sort());
    test.diagnostic(`${killed} killed, ${records.length} records, ${byId.size} by their ids`);
  });
});
