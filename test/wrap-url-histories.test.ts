// Random histories of calls to a hostile server over HTTP: no call is carried out twice, no call that wrap could see to be
// stale reaches the server, and each request is answered once.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { relay } from '../scripts/wrap/relay.ts';
import { reachRemote } from '../scripts/wrap/remote/remote.ts';
import { inThread, LONGEST_PLAY, played } from './in-thread.ts';
import { seedOf } from './random-runs.ts';
import type { Said } from './wrap-sides.ts';
import { HostileServer, listen, randomOf } from './wrap-url-histories.ts';

/** A history takes longer here than over pipes, so fewer are played. */
const HISTORIES = Math.ceil(Number(process.env.KONNICHIWAGWAN_HISTORIES ?? 1_500) / 3);
const AT_ONCE = 100;
/** How long a request may take to be answered, in ms: a hundred histories at once share what a busy machine leaves. */
const LONGEST = 60_000;
const PATIENCE = { usual: 2_000, short: 500, longest: 2_000 };

const servers = new Map<string, HostileServer>();

/** Plays one history against a server at `url`. Throws if something is wrong. */
const play = async (url: string, seed: number): Promise<void> => {
  const path = `/${seed}`;
  const server = new HostileServer(seed);
  servers.set(path, server);
  const random = randomOf(seed ^ 0x5eed);
  const side = reachRemote({ url: new URL(url + path), headers: {} }, {});
  const [output, input] = [new PassThrough(), new PassThrough()];
  const answers = new Map<unknown, number>();
  /** Marks of calls for which the server could not be asked. */
  const unasked = new Set<unknown>();
  let given = -1;
  let heard = 0;
  let hear = (): void => {};
  let rest = '';
  input.on('data', (part: Buffer) => {
    const lines = (rest + part.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, method, result } = [JSON.parse(line) as Said].flat()[0];
      if (method !== undefined) heard++;
      if (method !== undefined) continue;
      answers.set(id, (answers.get(id) ?? 0) + 1);
      const named = Object.keys(result?.tools?.[0]?.inputSchema.properties ?? {})[1];
      if (named !== undefined) given = Number(named.slice(1));
      hear();
    }
  });
  relay({
    host: { output, input },
    server: side,
    patience: PATIENCE,
    soonest: 0,
    // If the server could not be asked, the call passes with a notice.
    judge: async ({ listed, args }) => {
      if (listed.failed === undefined) return { pass: false, text: 'stale' };
      unasked.add(args.mark);
      return { pass: true, told: '-' };
    },
  });
  let ids = 0;
  const send = (message: object): void => void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answered = async (id: number): Promise<void> => {
    const end = Date.now() + LONGEST;
    while (!answers.has(id)) {
      assert.ok(Date.now() < end, `request ${id} has no answer`);
      await Promise.race([sleep(200), new Promise<void>((done) => (hear = done))]);
    }
  };
  const ask = async (method: string, params: object = {}): Promise<void> => {
    const id = ++ids;
    send({ id, method, params });
    await answered(id);
  };
  const cancelled = new Set<number>();
  try {
    await ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'h', version: '1' },
    });
    send({ method: 'notifications/initialized' });
    await ask('tools/list');
    await sleep(random() * 20);
    server.harm = random() < 0.2 ? 0 : random() * 0.6;
    for (let mark = 0; mark < 6; mark++) {
      const event = random();
      const before = heard;
      let isAnnounced = false;
      if (event < 0.25) isAnnounced = server.change();
      else if (event < 0.35) server.forget();
      else if (event < 0.45) server.dropStreams();
      else if (event < 0.55) await ask('tools/list');
      await sleep(10);
      // Waits for an announcement: a call sent before it arrives may pass.
      for (let at = 0; isAnnounced && server.isHeard && heard === before && at < 3_000; at++) await sleep(10);
      const [version, known] = [server.version, given];
      const id = ++ids;
      send({ id, method: 'tools/call', params: { name: 'note', arguments: { mark, [`v${known}`]: true } } });
      if (random() < 0.1) {
        await sleep(random() * 5);
        cancelled.add(id);
        send({ method: 'notifications/cancelled', params: { requestId: id } });
      } else await answered(id);
      const isStale = known !== version && server.doneAt.get(mark) === version;
      assert.ok(!isStale || unasked.has(mark), `call ${mark} was stale, and wrap could see that`);
    }
    await ask('ping');
    await sleep(10);
    for (const [mark, times] of server.done) assert.equal(times, 1, `call ${mark} was carried out ${times} times`);
    for (const [mark, times] of server.arrived) assert.ok(times <= 2, `call ${mark} was sent ${times} times`);
    for (let id = 1; id <= ids; id++) {
      const times = answers.get(id) ?? 0;
      assert.ok(times === 1 || (times === 0 && cancelled.has(id)), `request ${id} has ${times} answers`);
    }
  } finally {
    side.end();
    await side.ended;
    servers.delete(path);
  }
};

const playAll = async (): Promise<void> => {
  const first = seedOf();
  const { http, url } = await listen(servers);
  const until = performance.now() + LONGEST_PLAY;
  let next = 0;
  const player = async (): Promise<void> => {
    while (next < HISTORIES && performance.now() < until) {
      const seed = first + next++;
      await play(url, seed).catch((error: Error) => {
        throw new Error(`KONNICHIWAGWAN_SEED=${seed} KONNICHIWAGWAN_HISTORIES=1 plays it again: ${error.message}`);
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, HISTORIES) }, player));
  } finally {
    http.closeAllConnections();
    http.close();
  }
  played(next);
};

if (!isMainThread) await playAll();
else
  it('histories of calls to a hostile server', async (t) => {
    const before = process.cpuUsage();
    const count = await inThread(import.meta.url);
    t.diagnostic(`seed ${seedOf()}, ${count} of ${HISTORIES} histories`);
    assert.ok(count > 0);
    const { user, system } = process.cpuUsage(before);
    t.diagnostic(`${Math.round((user + system) / 1_000)} ms of processor time`);
    assert.ok(process.memoryUsage().rss < 600 * 1024 * 1024);
  });
