// Full tier: parallel starts.
// Several commands write the lockfile at once: none undoes another's changes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { projectKey } from '../scripts/lock/record.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { updateLock } from '../scripts/lock/update.ts';
import { atTerminal } from './at-terminal.ts';
import { lockOf, parsed } from './lock-bench.ts';
import { runBuilt, sandbox, tool } from './sandbox.ts';
import { whyNoTerminal } from './terminal.ts';

const A = tool('a', {});

const bench = async (test: TestContext, count: number) => {
  const started = await Promise.all(Array.from({ length: count }, () => startGateway('1', [A])));
  test.after(() => {
    for (const gateway of started) gateway.close();
  });
  const gateways = Object.fromEntries(started.map(({ url }, index) => [`g${index}`, { url }])) as JsonObject;
  const box = await sandbox(test, [A], { freshFor: 0, gateways });
  box.env.GATEWAY_URL = undefined;
  const pin = (...names: string[]) => runBuilt('cli.cjs', null, box.env, ['pin', ...names], true);
  const pinned = (): string[] =>
    Object.keys(JSON.parse(readFileSync(join(box.project, LOCKFILE), 'utf8')).servers).sort();
  const claim = join(box.state, 'live', `lock-${projectKey(box.project)}.asking`);
  return { ...box, gateways: started, pin, pinned, claim };
};

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `g${index}`).sort();

describe('at once', { timeout: 600_000 }, () => {
  it('20 pins of 20 servers', async (test) => {
    const box = await bench(test, 20);
    const runs = await Promise.all(names(20).map((name) => box.pin(name)));
    for (const { code, stderr } of runs) assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(box.pinned(), names(20));
    assert.deepEqual(readdirSync(box.project).sort(), ['.claude', LOCKFILE]);
  });

  it('20 pins of the same servers', async (test) => {
    const box = await bench(test, 2);
    const runs = await Promise.all(Array.from({ length: 20 }, () => box.pin()));
    for (const { code, stderr } of runs) assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(box.pinned(), names(2));
  });

  it('after one that was killed', async (test) => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    for (let round = 0; round < 5; round++) {
      const box = await bench(test, 6);
      mkdirSync(join(box.state, 'live'), { recursive: true });
      writeFileSync(box.claim, `${pid} ${hostname()} x`);
      const runs = await Promise.all(names(6).map((name) => box.pin(name)));
      for (const { code, stderr } of runs) assert.deepEqual([code, stderr], [0, '']);
      assert.deepEqual(box.pinned(), names(6));
      assert.equal(existsSync(box.claim), false);
    }
  });

  it('an approval and a pin', { skip: whyNoTerminal }, async (test) => {
    const box = await bench(test, 2);
    assert.equal((await box.pin('g0')).code, 0);
    box.gateways[0]?.set('2', [{ ...A, description: 'New.' }, tool('b', {})]);
    let answered = 0;
    // Another server is pinned between the list of pending approvals and the yes.
    const approving = atTerminal(box.env, ['approve', 'g0'], ['y\r', 'y\r'], async () => {
      if (answered++ === 0) assert.equal((await box.pin('g1')).code, 0);
    });
    const { code, screen } = await approving;
    assert.equal(code, 0, screen);
    assert.deepEqual(box.pinned(), ['g0', 'g1']);
    const { tools } = JSON.parse(readFileSync(join(box.project, LOCKFILE), 'utf8')).servers.g0;
    assert.deepEqual([Object.keys(tools), tools.a.contract.description], [['a', 'b'], 'New.']);
  });
});

describe('a change of the lockfile', () => {
  it('is made when it is said to be, though another command had its turn first', async (test) => {
    const { state: home, project, claim } = await bench(test, 0);
    const path = join(project, LOCKFILE);
    mkdirSync(join(home, 'live'), { recursive: true });
    writeFileSync(claim, `${process.pid} ${hostname()} x`);
    let done = false;
    const changing = updateLock({ home, project }, (found) => {
      // Unchanged since the other command.
      assert.deepEqual(found.status === 'lock' && [...found.lock.keys()], ['theirs']);
      return lockOf({ ours: [A], theirs: [A] });
    }).then(() => {
      done = true;
    });
    await sleep(150);
    assert.deepEqual([done, existsSync(path)], [false, false], 'it waits');
    await updateLock({ home: join(home, 'other'), project }, () => lockOf({ theirs: [A] }));
    rmSync(claim);
    await changing;
    assert.deepEqual([...parsed(readFileSync(path, 'utf8')).keys()], ['ours', 'theirs']);
  });

  it('that fails is no success', async (test) => {
    const { state: home, project } = await bench(test, 0);
    const failing = updateLock({ home, project }, () => {
      throw new Error('not this one');
    });
    await assert.rejects(failing, /not this one/);
    assert.equal(existsSync(join(project, LOCKFILE)), false);
  });
});
