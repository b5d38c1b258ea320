// Full tier: processes that are killed and hang.
// The resident guard under faults that no test of its parts covers: clocks jump, machines sleep, files are replaced under
// it, and several conversations call at once. Nothing passes unnoticed, and the guard recovers.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { HttpServer } from './e2e/http-server.ts';
import { residentProcess } from './resident-client.ts';
import { copyPrograms } from './run-program.ts';
import { ageAnswers, sandbox, tool } from './sandbox.ts';

const HOUR = 3_600_000;
const ARGUMENTS = { city: 'a' };
const exact = (...required: string[]): JsonObject => ({ required, additionalProperties: false });
const old = tool('weather', { city: { type: 'string' } }, exact('city'));
const renamed = tool('weather', { location: { type: 'string' } }, exact('location'));

// biome-ignore lint/suspicious/noExplicitAny: what a hook got is what the tests are about
const decisionOf = (answer: any): string | undefined => answer?.hookSpecificOutput?.permissionDecision;

/** Moves the wall clock of every process with this environment; the monotonic clock goes on unchanged. */
const movedClock = (folder: string) => {
  const [program, offset] = [join(folder, 'clock.cjs'), join(folder, 'clock')];
  writeFileSync(offset, '0');
  writeFileSync(
    program,
    `const { readFileSync } = require('node:fs');
    const Real = Date;
    const now = () => Real.now() + Number(readFileSync(${JSON.stringify(offset)}, 'utf8'));
    globalThis.Date = class extends Real {
      constructor(...given) { super(...(given.length > 0 ? given : [now()])); }
      static now() { return now(); }
    };`,
  );
  return {
    env: { NODE_OPTIONS: `--require ${program}` },
    set: (ms: number): void => {
      writeFileSync(`${offset}.new`, String(ms));
      renameSync(`${offset}.new`, offset);
    },
  };
};

/** A connection that can go dead without being closed: no more data arrives, and it does not end. */
const line = async (test: TestContext, port: number) => {
  const sockets = new Set<Socket>();
  let isDead = false;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (from.isPaused() || to.write(bytes)));
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      if (isDead) from.pause();
    }
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** All open connections are dead from now on; with `alsoNew`, new ones, too. */
    die: (alsoNew = false): void => {
      isDead = alsoNew;
      for (const socket of sockets) socket.pause();
    },
    heal: (): void => {
      isDead = false;
    },
  };
};

/** A session with one MCP server behind such a connection, and a guard with its own clock. */
const world = async (test: TestContext, announces: boolean, config: JsonObject) => {
  const box = await sandbox(test, [], config);
  const server = await HttpServer.start({ era: 'session', tools: [old] as never, announces });
  test.after(() => server.close());
  const wire = await line(test, Number(new URL(server.url).port));
  const url = `http://127.0.0.1:${wire.port}/mcp`;
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { demo: { type: 'http', url } } }));
  const { GATEWAY_URL: _none, ...env } = box.env;
  box.env.GATEWAY_URL = undefined;
  await box.start();
  const clock = movedClock(box.home);
  const guard = await residentProcess(test, { ...env, ...clock.env });
  let calls = 0;
  const call = async (args: JsonObject = ARGUMENTS) => {
    calls += 1;
    const input = box.input('weather', args, { tool_use_id: `toolu_${calls}` });
    const answer = await guard.hook(input);
    if (decisionOf(answer) === undefined) await guard.hook({ ...input, hook_event_name: 'PostToolUse' });
    return answer;
  };
  const asked = (): number => server.by('guard').filter((what) => what === 'POST tools/list').length;
  /** Waits until a call needs no question, because the server announces changes. */
  const subscribed = async (): Promise<void> => {
    for (let tries = 0; ; tries++) {
      assert.ok(tries < 150, 'it does not find back to listening');
      const before = asked();
      assert.equal(decisionOf(await call()), undefined);
      if (asked() === before) return;
      await sleep(200);
    }
  };
  return { box, server, wire, clock, guard, call, asked, subscribed };
};

describe('the clock on the wall is set', () => {
  const jumps = [
    ['forth', HOUR],
    ['back', -HOUR],
  ] as const;
  for (const [where, by] of jumps) {
    it(`${where}: an answer that would have counted is asked for again`, async (t) => {
      const { server, clock, call, asked } = await world(t, false, { freshFor: 60 });
      assert.equal(await call(), undefined);
      const before = asked();
      assert.equal(await call(), undefined);
      assert.equal(asked(), before, 'it counts, or this test shows nothing');
      clock.set(by);
      server.set([renamed] as never);
      assert.equal(decisionOf(await call()), 'deny');
      // The clock is set right again.
      clock.set(0);
      server.set([old] as never);
      assert.equal(decisionOf(await call()), undefined);
      await call();
      const settled = asked();
      assert.equal(await call(), undefined);
      assert.equal(asked(), settled, 'it counts again');
    });

    it(`${where}: what a server told before does not count until it was asked`, async (t) => {
      const { clock, call, asked, subscribed } = await world(t, true, { freshFor: 0 });
      await subscribed();
      const before = asked();
      clock.set(by);
      assert.equal(await call(), undefined);
      assert.ok(asked() > before, 'its silence counts although time did not go on as it should');
      await subscribed();
    });
  }
});

describe('the machine sleeps, and its connections are dead without having been closed', () => {
  for (const [when, wait] of [
    ['at once', 0],
    ['two seconds later', 2_000],
  ] as const)
    it(`a call ${when} is judged by what its server says now`, async (t) => {
      const { server, wire, clock, call, subscribed } = await world(t, true, { freshFor: 0 });
      await subscribed();
      wire.die();
      clock.set(HOUR);
      // The server announces it on a dead stream.
      server.announce([renamed] as never);
      await sleep(wait);
      const start = Date.now();
      assert.equal(decisionOf(await call()), 'deny');
      // The client gives up a hook after 10 s.
      assert.ok(Date.now() - start < 8_000, `${Date.now() - start} ms`);
    });

  it('as long as nothing answers, a call is said to be unchecked; then it is judged', async (t) => {
    const { server, wire, clock, call, subscribed } = await world(t, true, { freshFor: 0 });
    await subscribed();
    wire.die(true);
    clock.set(HOUR);
    server.set([renamed] as never);
    const start = Date.now();
    const answer = await call();
    assert.match(answer?.systemMessage ?? 'silence', /could not check/);
    // Sooner than the thread is ended that judges too long.
    assert.ok(Date.now() - start < 7_500, `${Date.now() - start} ms`);
    wire.heal();
    // A source that failed is not asked again for a while.
    for (let tries = 0; decisionOf(await call()) !== 'deny'; tries++) {
      assert.ok(tries < 120, 'it is never asked again');
      await sleep(250);
    }
  });
});

describe('the state folder is deleted', () => {
  it('while a server tells what changes: it is asked, and what it told is not believed', async (t) => {
    const { box, server, call, asked, subscribed } = await world(t, true, { freshFor: 0 });
    await subscribed();
    for (const now of [old, renamed]) {
      const before = asked();
      server.set([now] as never);
      remove(box.state);
      const wanted = now === old ? undefined : 'deny';
      let answer = await call();
      // On a busy machine its server may not answer in time: the guard says so, and asks again after a while.
      const isUnchecked = /could not check/.test(answer?.systemMessage ?? '');
      for (let tries = 0; isUnchecked && tries < 120; tries++) {
        if (asked() > before && decisionOf(answer) === wanted) break;
        await sleep(250);
        answer = await call();
      }
      assert.equal(decisionOf(answer), wanted);
      assert.ok(asked() > before, JSON.stringify(answer));
    }
  });
});

/** Descriptions of different lengths, so that no two transcripts have the same length. */
const worded = (description: string): Contract =>
  tool('weather', { city: { type: 'string', description } }, exact('city'));
const before = worded('Name of the city');
const now = worded('Postal code, quokka style');

/** A session whose guard judges by what the model sees; the server has gone from `before` to `now`. */
const seeing = async (test: TestContext) => {
  const box = await sandbox(test, [before]);
  await box.start();
  const guard = await residentProcess(test, box.env);
  let calls = 0;
  const call = (more: JsonObject = {}) => {
    calls += 1;
    return guard.hook(box.input('weather', ARGUMENTS, { tool_use_id: `toolu_${calls}`, ...more }));
  };
  return { box, guard, call };
};

describe('the transcript is replaced', () => {
  const filler = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'x'.repeat(500) } })}\n`.repeat(
    20,
  );
  const ways: Record<string, (path: string, write: (path: string) => void) => void> = {
    'in place, by a shorter one': (path, write) => {
      writeFileSync(path, '');
      write(path);
    },
    'by another file, a shorter one': (path, write) => {
      write(`${path}.new`);
      renameSync(`${path}.new`, path);
    },
    'by another file, a longer one': (path, write) => {
      write(`${path}.new`);
      writeFileSync(`${path}.new`, filler + filler, { flag: 'a' });
      renameSync(`${path}.new`, path);
    },
  };
  for (const [way, replace] of Object.entries(ways)) {
    it(`${way}: what the model sees is read again`, async (t) => {
      const { box, call } = await seeing(t);
      box.release([now]);
      writeFileSync(box.transcript, filler);
      box.show([now], 'b');
      ageAnswers(box.state);
      assert.equal(await call(), undefined, 'it sees what is live');
      ageAnswers(box.state);
      assert.equal(await call(), undefined);
      // The conversation was rewound, or is another one: it sees the earlier contract.
      replace(box.transcript, (path) => box.show([before], 'a', path));
      assert.equal(decisionOf(await call()), 'ask');
      replace(box.transcript, (path) => box.show([now], 'bb', path));
      assert.equal(await call(), undefined);
    });
  }
});

describe('several conversations call at once', () => {
  it('of one session: each is judged by what it sees itself', async (t) => {
    const { box, call } = await seeing(t);
    const agents = { one: before, two: now, three: before, four: now };
    box.show([now], 'main');
    for (const [agent, sees] of Object.entries(agents)) {
      const path = join(dirname(box.transcript), 's1', 'subagents', `agent-${agent}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      box.show([sees], agent, path);
    }
    box.release([now]);
    for (let turn = 0; turn < 3; turn++) {
      ageAnswers(box.state);
      const judged = await Promise.all([
        call(),
        ...Object.keys(agents).flatMap((agent) => [call({ agent_id: agent }), call({ agent_id: agent })]),
      ]);
      assert.deepEqual(judged.map(decisionOf), [
        undefined,
        ...Object.values(agents).flatMap((sees) => {
          const decision = sees === now ? undefined : 'ask';
          return [decision, decision];
        }),
      ]);
    }
  });

  it('of two sessions with a guard each: one has learned the new contract, the other one has not', async (t) => {
    const { box, guard, call } = await seeing(t);
    const second = await residentProcess(t, box.env);
    box.release([now]);
    const transcript_path = join(box.home, 'second.jsonl');
    const session = { session_id: 's2', transcript_path };
    await box.start(session);
    box.show([before], 'a');
    box.show([now], 'b', transcript_path);
    assert.notEqual(guard.pid(), second.pid());
    for (let turn = 0; turn < 3; turn++) {
      ageAnswers(box.state);
      const judged = await Promise.all(
        [1, 2, 3].flatMap((one) => [
          call(),
          second.hook(box.input('weather', ARGUMENTS, { ...session, tool_use_id: `toolu_${turn}_${one}_second` })),
        ]),
      );
      assert.deepEqual(judged.map(decisionOf), ['ask', undefined, 'ask', undefined, 'ask', undefined]);
    }
  });
});

describe('the thread that judges does not come to its end', () => {
  const faults = {
    'it ends at once': ['process.exit(1)', /its thread/],
    'it does not begin well': ['throw new Error("secret words")', /its thread/],
    'it takes all the memory there is': [
      `const { parentPort } = require('node:worker_threads');
       parentPort.on('message', () => { const all = []; for (;;) all.push(new Array(1e6).fill({})); });
       parentPort.postMessage('ready');`,
      /its thread|longer than/,
    ],
    'it goes on for ever': [
      `const { parentPort } = require('node:worker_threads');
       parentPort.on('message', () => { for (;;); });
       parentPort.postMessage('ready');`,
      /longer than 8 seconds/,
    ],
    'it fails': [
      `const { parentPort } = require('node:worker_threads');
       parentPort.on('message', ({ id }) => parentPort.postMessage({ id, failed: { name: 'TypeError', code: 'EBAD', stack: 'secret words' } }));
       parentPort.postMessage('ready');`,
      /TypeError EBAD/,
    ],
  } as const;
  for (const [what, [program, why]] of Object.entries(faults))
    it(`${what}: the call is said to be unchecked, and in mode strict it is not sent`, async (t) => {
      const box = await sandbox(t, [old]);
      await box.start();
      const root = join(box.home, 'plugin');
      copyPrograms(join(root, 'dist'));
      writeFileSync(join(root, 'dist/worker.cjs'), program);
      const guard = await residentProcess(t, box.env, root);
      const call = (id: string) => guard.hook(box.input('weather', ARGUMENTS, { tool_use_id: id }));
      const [told, again] = await Promise.all([call('toolu_1'), call('toolu_2')]);
      for (const answer of [told, again]) {
        assert.equal(decisionOf(answer), undefined);
        assert.match(answer?.systemMessage, /could not check.*went through unchecked/s);
        assert.match(answer.systemMessage, why);
        assert.doesNotMatch(answer.systemMessage, /secret/);
      }
      writeFileSync(join(box.state, 'config.json'), JSON.stringify({ mode: 'strict' }));
      assert.equal(decisionOf(await call('toolu_3')), 'deny');
    });
});
