// How long the start of a session waits for servers that do not answer.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { writeBaseline } from '../scripts/baseline/baseline.ts';
import { readBaseline } from '../scripts/baseline/sessions.ts';
import { startSession } from '../scripts/session/start.ts';
import { writeHead } from '../scripts/sources/head.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { sessionPath, sessionsPath } from '../scripts/state/paths.ts';
import { startMcp } from './mcp-servers.ts';
import { drive, sandbox, tool } from './sandbox.ts';

/** Servers that answer, and one that accepts connections and never answers. */
const world = async (test: TestContext, wells = ['well']) => {
  const box = await sandbox(test, []);
  const { GATEWAY_URL: _none, ...env } = box.env;
  const well = await startMcp('modern', { tools: [tool('a', {})] });
  const open = new Set<Socket>();
  const hanging = createServer((socket) => open.add(socket.on('error', () => {}).resume()));
  await new Promise<void>((ready) => hanging.listen(0, '127.0.0.1', ready));
  test.after(() => {
    hanging.close();
    for (const socket of open) socket.destroy();
    return well.close();
  });
  const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/mcp`;
  const answering = wells.map((name) => [name, { type: 'http', url: well.url }] as const);
  const mcpServers = { ill: { type: 'http', url }, ...Object.fromEntries(answering) };
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
  const start = { home: box.state, project: box.project, env, session: 's1', source: 'startup', cwd: box.project };
  const started = async (budget: number, deadline: number) => {
    const began = performance.now();
    const found = await startSession({ ...start, client: 0 }, budget, deadline);
    const names = Object.values(found.baseline.sources).map(({ name }) => name);
    return { took: performance.now() - began, names, pending: found.pending };
  };
  /** The baseline of a session that began without any answer. `finishing`: that start completes it, else a later one. */
  const completed = async (finishing: boolean) => {
    const first = await startSession({ ...start, client: 0 }, 0, 30_000);
    writeBaseline(box.state, { ...first.baseline, sources: {} });
    return (await startSession({ ...start, client: 0, finishing }, 3_000, 3_000)).baseline;
  };
  return { ...box, started, completed };
};

describe('the start of the first session', () => {
  for (const [what, args, isShown] of [
    ['a server behind wrap', ['wrap', '--', 'npx', 'disk'], true],
    ['another program', ['disk'], false],
  ] as const)
    it(`${what}: ${isShown ? 'it can see that there is a guard' : 'nothing is made for it'}`, async (test) => {
      const { state: home, project, ...box } = await sandbox(test, []);
      const { GATEWAY_URL: _none, ...env } = box.env;
      const mcpServers = { disk: { command: 'konnichiwagwan', args } };
      writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));
      assert.equal(existsSync(sessionsPath(home)), false);
      // A wrap registers only if this folder is there, and is asked before the baseline is written to it.
      await startSession({ home, project, env, session: 's1', source: 'startup', cwd: project, client: 0 }, 0, 1);
      assert.equal(existsSync(sessionsPath(home)), isShown);
    });
});

describe('the start of a session, where a server hangs', () => {
  it('waits as long as it may, and not again for one that gave no answer the last time', async (test) => {
    const { state, started } = await world(test);
    const first = await started(3_000, 30_000);
    assert.ok(first.took >= 2_990, `${first.took}`);
    assert.deepEqual(first.names, ['well']);
    const [ill] = first.pending;
    assert.ok(ill !== undefined && first.pending.length === 1, first.pending.join());
    const { at, up } = thisMoment();
    const failure = { status: 'unreachable', why: 'no answer within 20 s', times: 1 } as const;
    writeHead(state, ill, { name: 'ill', checkedAt: at, checkedUp: up, freshUntil: at, digest: '', failure });
    const second = await started(25_000, 30_000);
    assert.ok(second.took < 20_000, `${second.took}`);
    assert.deepEqual(second.names, ['well']);
    assert.deepEqual(second.pending, [ill]);
  });

  it('what it completes later is no late baseline; what another start adds is one', async (test) => {
    const { state, completed } = await world(test);
    const late = async (finishing: boolean) => {
      const { sources } = await completed(finishing);
      return Object.values(sources).map(({ name, late }) => [name, late === true]);
    };
    assert.deepEqual(await late(true), [['well', false]]);
    remove(sessionPath(state, 's1'));
    assert.deepEqual(await late(false), [['well', true]]);
  });

  it('gives it as long again as most servers took, and not all of the time', async (test) => {
    const { started } = await world(test, ['one', 'two', 'three']);
    const { took, names, pending } = await started(25_000, 30_000);
    assert.ok(took >= 410 && took < 20_000, `${took}`);
    assert.deepEqual([names.sort(), pending.length], [['one', 'three', 'two'], 1]);
  });

  it('waits for it to the end where a person, or the process that completes the baseline, waits for all', async (test) => {
    const { state, started } = await world(test);
    const [ill] = (await started(300, 30_000)).pending;
    const { at, up } = thisMoment();
    const failure = { status: 'unreachable', why: 'no answer within 20 s', times: 1 } as const;
    writeHead(state, ill ?? '', { name: 'ill', checkedAt: at, checkedUp: up, freshUntil: at, digest: '', failure });
    const all = await started(2_000, 2_000);
    assert.ok(all.took >= 1_500, `${all.took}`);
  });
});

describe('what another process records of a source while it is asked', () => {
  const then = tool('weather', { city: { type: 'string' } });
  const now = tool('weather', { place: { type: 'string' } });

  /** A session whose start got no answer of a server; the process that completes it has one, when the server is asked again. */
  const recordedMeanwhile = async (test: TestContext) => {
    const box = await sandbox(test, []);
    const server = await startMcp('modern', { tools: [then] });
    test.after(() => server.close());
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ mcpServers: { slow: { type: 'http', url: server.url } } }),
    );
    await box.start({ session_id: 's1' });
    const complete = readBaseline(box.state, 's1');
    const [key] = Object.entries(complete?.sources ?? {}).find(([, { name }]) => name === 'slow') ?? [];
    assert.ok(complete !== undefined && key !== undefined);
    const { [key]: _unknown, ...sources } = complete.sources;
    writeBaseline(box.state, { ...complete, sources });
    server.offer.tools = [now];
    server.offer.before = async () => {
      writeBaseline(box.state, complete, true);
    };
    return { ...box, kept: () => readBaseline(box.state, 's1')?.sources[key] };
  };

  it('is kept by a probe, which compares with it', async (test) => {
    const { env, kept } = await recordedMeanwhile(test);
    const { code, answer } = await drive('cli.cjs', null, env, ['probe', '--json', '--session', 's1']);
    assert.equal(code, 1);
    assert.ok(
      answer.data.sources.some(
        ({ name, state }: { name: string; state: string }) => name === 'slow' && state === 'drift',
      ),
    );
    assert.deepEqual([kept()?.late, kept()?.tools], [false, [then]]);
  });

  it('is kept by another start of the session', async (test) => {
    const { start, kept } = await recordedMeanwhile(test);
    await start({ session_id: 's1', source: 'compact' });
    assert.deepEqual([kept()?.late, kept()?.tools], [false, [then]]);
  });
});
