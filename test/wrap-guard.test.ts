// Full tier: processes beside each other.
// The guard and wrap in the path of one call: the built files, with a test host between them.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { lockOf } from './lock-bench.ts';
import { runBuilt, sandbox, tool, untilRecorded } from './sandbox.ts';
import { hostOfProgram, type ProcessHost } from './wrap-host.ts';

const text = { type: 'string' };
const closed = { additionalProperties: false };
const old = tool('weather', { city: text }, { required: ['city'], ...closed });
const now = tool('weather', { location: text }, { required: ['location'], ...closed });

/** Starts the rest of its command line, as npx does. */
const BETWEEN = `require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })
  .on('exit', (code) => process.exit(code ?? 1))`;

/** A session in which `demo` is configured behind wrap. This process is the client. */
const world = async (test: TestContext, tools: Contract[], config: JsonObject = {}) => {
  const box = await sandbox(test, [], { freshFor: 0, ...config });
  const { home, state } = box;
  const { GATEWAY_URL: _none, ...env } = box.env;
  // The guard recognises our program by its folder.
  symlinkSync(resolve('.'), join(home, 'konnichiwagwan'), 'junction');
  const [control, log] = [join(home, 'control.json'), join(home, 'log.jsonl')];
  const release = (...released: Contract[]): void => {
    writeFileSync(`${control}.new`, JSON.stringify({ tools: released }));
    renameSync(`${control}.new`, control);
  };
  release(...tools);
  const words = ['--', process.execPath, resolve('test/e2e/mcp-server.mjs'), control, log];
  const args = [join(home, 'konnichiwagwan/dist/cli.cjs'), 'wrap', ...words];
  const configure = (servers: JsonObject): void =>
    writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers: servers }));
  configure({ demo: { command: process.execPath, args } });
  // Done by the guard's first hook otherwise.
  mkdirSync(join(state, 'sessions'), { mode: 0o700 });
  const begun = { PATH: process.env.PATH, ...env, CLAUDE_CODE_SESSION_ID: 's1' };
  const folder = (pid: number | undefined): string => join(state, 'wrap', String(pid));
  const startWrap = async (
    more: NodeJS.ProcessEnv = {},
    isPublished = true,
    before: string[] = [],
    words: string[] = [],
  ): Promise<ProcessHost> => {
    const [cli = '', wrap = '', ...rest] = args;
    const host = hostOfProgram(process.execPath, [...before, cli, wrap, ...words, ...rest], { ...begun, ...more });
    test.after(() => host.child.kill('SIGKILL'));
    await host.begin();
    await host.tools();
    for (let waited = 0; isPublished && !existsSync(join(folder(host.child.pid), 'about.json')); waited += 20) {
      assert.ok(waited < 10_000, 'wrap does not say where it is');
      await sleep(20);
    }
    return host;
  };
  const call = async (args: JsonObject, id: string, more: NodeJS.ProcessEnv = {}) =>
    (await runBuilt('guard.cjs', JSON.stringify(box.input('weather', args, { tool_use_id: id })), { ...env, ...more }))
      .answer;
  const send = async (host: ProcessHost, args: JsonObject, id?: string): Promise<string> => {
    const meta = id === undefined ? {} : { _meta: { 'claudecode/toolUseId': id } };
    await host.read();
    const { result } = await host.request('tools/call', { name: 'weather', arguments: args, ...meta });
    return `${result.isError ? '!' : ''}${result.content[0].text}`;
  };
  const start = async (more: NodeJS.ProcessEnv = {}): Promise<void> => {
    const input = { session_id: 's1', transcript_path: box.transcript, cwd: box.project, source: 'startup' };
    await runBuilt('session-start.cjs', JSON.stringify({ ...input, hook_event_name: 'SessionStart' }), {
      ...env,
      ...more,
    });
  };
  const cli = (...words: string[]) => runBuilt('cli.cjs', null, env, words, true);
  const lists = (): number =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"list"')).length;
  return { ...box, env, args, release, configure, startWrap, call, send, start, cli, lists, folder };
};

const decision = (answer: { hookSpecificOutput?: { permissionDecision?: string } } | undefined): string | undefined =>
  answer?.hookSpecificOutput?.permissionDecision;

describe('a server behind wrap, as a source of the guard', () => {
  it('has a baseline, is judged, and is asked by nobody else while nothing changes', async (test) => {
    const { startWrap, start, call, send, lists, state } = await world(test, [old]);
    const host = await startWrap();
    await start();
    assert.equal(await call({ city: 'one' }, 'toolu_1'), undefined);
    assert.equal(await send(host, { city: 'one' }, 'toolu_1'), 'served weather {"city":"one"}');
    const before = lists();
    assert.equal(await call({ city: 'two' }, 'toolu_2'), undefined);
    assert.equal(lists(), before, 'the guard has asked');
    assert.equal(await send(host, { city: 'two' }, 'toolu_2'), 'served weather {"city":"two"}');
    assert.equal(lists(), before + 1);
    const days = readdirSync(join(state, 'activity')).map((day) => readFileSync(join(state, 'activity', day), 'utf8'));
    assert.deepEqual(
      days
        .join('')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).verdict),
      ['silence', 'silence'],
    );
  });

  it('is stopped by the guard after a change that it has seen, and the right call passes both', async (test) => {
    const { startWrap, start, call, send, release } = await world(test, [old]);
    const host = await startWrap();
    await start();
    release(now);
    assert.equal(decision(await call({ city: 'stale' }, 'toolu_1')), 'deny');
    assert.notEqual(decision(await call({ location: 'right' }, 'toolu_2')), 'deny');
    assert.equal(await send(host, { location: 'right' }, 'toolu_2'), 'served weather {"location":"right"}');
  });

  it('is asked again once wrap has seen a change, however fresh its last answer is; each call is counted once', async (test) => {
    const { startWrap, start, call, send, release, state, cli } = await world(test, [old], { freshFor: 60 });
    const host = await startWrap();
    await start();
    assert.equal(await call({ city: 'one' }, 'toolu_1'), undefined);
    await send(host, { city: 'one' }, 'toolu_1');
    release(now);
    assert.equal(await call({ city: 'stale' }, 'toolu_2'), undefined, 'the guard does not know of the change yet');
    assert.match(await send(host, { city: 'stale' }, 'toolu_2'), /^!/);
    assert.match(JSON.stringify(await call({ location: 'right' }, 'toolu_3')), /renamed.*city.*location/);
    assert.match(await send(host, { location: 'right' }, 'toolu_3'), /^served weather/);
    const log = readdirSync(join(state, 'activity')).map((day) => readFileSync(join(state, 'activity', day), 'utf8'));
    const lines = log
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ session, verdict, again }) => [session, verdict, again ?? false]),
      [
        ['s1', 'silence', false],
        ['s1', 'silence', false],
        ['s1', 'deny', true],
        ['s1', 'notice', false],
      ],
    );
    const { data: usage } = JSON.parse((await cli('usage', '--json')).stdout);
    assert.deepEqual([usage.calls, usage.sessions], [3, 1], JSON.stringify(usage));
    const { data: status } = JSON.parse((await cli('status', '--session', 's1', '--json')).stdout);
    assert.deepEqual(status.verdicts, { silence: 1, deny: 1, notice: 1 });
  });

  it('has as its baseline what the client was given, however late it is asked', async (test) => {
    const { startWrap, start, call, release } = await world(test, [old]);
    await startWrap();
    release(now);
    await start();
    assert.equal(decision(await call({ city: 'stale' }, 'toolu_1')), 'deny');
  });

  it('completes the baseline where it starts more slowly than the session', async (test) => {
    const { startWrap, start, call, release, state } = await world(test, [old]);
    const starting = start();
    await sleep(1_500);
    await startWrap();
    await starting;
    await untilRecorded(state, 's1');
    release(now);
    assert.equal(decision(await call({ city: 'stale' }, 'toolu_1')), 'deny');
  });

  it('lets a call pass that a person was asked about, and said yes to', async (test) => {
    const first = tool('weather', { city: text, unit: { enum: ['C', 'F'], default: 'C' } }, { required: ['city'] });
    const other = tool('weather', { city: text, unit: { enum: ['C', 'F'], default: 'F' } }, { required: ['city'] });
    const { startWrap, start, call, send, release } = await world(test, [first]);
    const host = await startWrap();
    await start();
    release(other);
    assert.equal(decision(await call({ city: 'one' }, 'toolu_1')), 'ask');
    assert.equal(await send(host, { city: 'one' }, 'toolu_1'), 'served weather {"city":"one"}');
    // The same call without a message of the guard.
    assert.match(await send(host, { city: 'one' }, 'toolu_2'), /^!konnichiwagwan/);
  });

  for (const [mode, isSent] of [
    ['guard', false],
    ['warn', true],
    ['off', true],
  ] as const) {
    it(`is looked at once more by wrap when the call is sent: mode ${mode}`, async (test) => {
      const { startWrap, start, call, send, release, folder } = await world(test, [old], { mode });
      const host = await startWrap();
      await start();
      assert.equal(await call({ city: 'one' }, 'toolu_1'), undefined);
      release(now);
      const answer = await send(host, { city: 'one' }, 'toolu_1');
      assert.equal(answer.startsWith('served'), isSent, answer);
      assert.ok(!existsSync(join(folder(host.child.pid), 'toolu_1.handoff')), 'a handoff counts once');
    });
  }

  it('is not explained a second time when a call fails that wrap has stopped', async (test) => {
    const { startWrap, start, call, send, release, env, input } = await world(test, [old]);
    const host = await startWrap();
    await start();
    await call({ city: 'one' }, 'toolu_1');
    release(now);
    const error = `MCP error -32602: ${await send(host, { city: 'one' }, 'toolu_1')}`;
    const failed = (id: string) =>
      runBuilt(
        'tool-failure.cjs',
        JSON.stringify(
          input('weather', { city: 'one' }, { hook_event_name: 'PostToolUseFailure', error, tool_use_id: id }),
        ),
        env,
      );
    assert.equal((await failed('toolu_1')).answer, undefined);
    assert.ok((await failed('toolu_other')).answer, 'another failure is explained');
  });

  it('is told from another one with the same command line by its variables', async (test) => {
    const { startWrap, start, call, send, configure, args, folder } = await world(test, [old]);
    const entry = (account: string): JsonObject => ({ command: process.execPath, args, env: { ACCOUNT: account } });
    configure({ demo: entry('one'), other: entry('two') });
    const one = await startWrap({ ACCOUNT: 'one' });
    const two = await startWrap({ ACCOUNT: 'two' });
    await start();
    // The newer one lacks its variables.
    for (const id of ['toolu_1', 'toolu_2']) {
      await call({ city: 'one' }, id);
      const left = (host: ProcessHost) => existsSync(join(folder(host.child.pid), `${id}.handoff`));
      assert.ok(left(one) && !left(two));
      await send(one, { city: 'one' }, id);
      assert.ok(!left(one));
    }
  });

  it('is not asked of another one that differs in its variables', async (test) => {
    const { startWrap, start, call, configure, args, release } = await world(test, [old]);
    configure({ demo: { command: process.execPath, args, env: { ACCOUNT: 'one' } } });
    const one = await startWrap({ ACCOUNT: 'one' });
    await startWrap({ ACCOUNT: 'two' });
    await start();
    one.child.kill('SIGKILL');
    await new Promise((done) => one.child.once('exit', done));
    release(now);
    const answer = await call({ city: 'one' }, 'toolu_1');
    assert.match(JSON.stringify(answer), /could not check/);
  });

  it('is found where a program stands between, also after a /clear', async (test) => {
    const { startWrap, start, call, send, release } = await world(test, [old]);
    const host = await startWrap({}, false, ['-e', BETWEEN]);
    await start();
    release(now);
    const inSession = (id: string) => ({ CLAUDE_CODE_SESSION_ID: id });
    assert.equal(decision(await call({ city: 'stale' }, 'toolu_1', inSession('s1'))), 'deny');
    // Its baseline is of another session, but its client is the same.
    const cleared = await call({ location: 'right' }, 'toolu_2', inSession('s2'));
    assert.doesNotMatch(JSON.stringify(cleared ?? {}), /could not check/);
    assert.equal(await send(host, { location: 'right' }, 'toolu_2'), 'served weather {"location":"right"}');
    // A session of another client is unknown here.
    const elsewhere = await call({ location: 'right' }, 'toolu_3', { ...inSession('s3'), CLAUDE_PID: '1' });
    assert.match(JSON.stringify(elsewhere), /could not check/);
  });

  it('is judged by wrap as well where a gateway speaks for it', async (test) => {
    const { startWrap, start, call, send, release, gateway } = await world(test, [old]);
    gateway.set('1', [old]);
    const host = await startWrap();
    const throughGateway = { GATEWAY_URL: gateway.url };
    await start(throughGateway);
    assert.equal(await call({ city: 'one' }, 'toolu_1', throughGateway), undefined);
    assert.equal(await send(host, { city: 'one' }, 'toolu_1'), 'served weather {"city":"one"}');
    release(now);
    // The gateway does not know about it.
    assert.equal(await call({ city: 'one' }, 'toolu_2', throughGateway), undefined);
    assert.match(await send(host, { city: 'one' }, 'toolu_2'), /^!konnichiwagwan stopped this call/);
  });

  it('has new names of --hot-swap, each approved as the tool that it stands for', async (test) => {
    const { startWrap, start, send, release, configure, args, env, project, input } = await world(test, [old]);
    const [cli = '', wrap = '', ...rest] = args;
    configure({ demo: { command: process.execPath, args: [cli, wrap, '--hot-swap', ...rest] } });
    const approve = (tool: Contract): void =>
      writeFileSync(join(project, LOCKFILE), renderLock(lockOf({ demo: [tool] })));
    const guard = async (id: string) => {
      const called = input('weather_v2', { location: 'x' }, { tool_use_id: id });
      return (await runBuilt('guard.cjs', JSON.stringify(called), env)).answer;
    };
    approve(old);
    const host = await startWrap({}, true, [], ['--hot-swap']);
    await start();
    await send(host, { city: 'x' });
    release(now);
    for (const _stop of [1, 2]) assert.match(await send(host, { city: 'x' }), /^!/);
    assert.deepEqual(
      (await host.tools()).map(({ name }) => name),
      ['weather', 'weather_v2'],
    );
    const told = JSON.stringify(await guard('toolu_1'));
    assert.match(told, /"ask"/);
    assert.match(told, /weather_v2.*is not the contract that is pinned[\s\S]*approve demo\/weather(?!_)/);
    approve(now);
    assert.equal(decision(await guard('toolu_2')), undefined);
  });

  for (const mode of ['guard', 'strict', 'warn'])
    it(`is stopped by wrap where nobody approved what it lists since the guard looked: mode ${mode}`, async (test) => {
      const { startWrap, start, call, send, release, project } = await world(test, [old], { mode, freshFor: 60 });
      writeFileSync(join(project, LOCKFILE), renderLock(lockOf({ demo: [old] })));
      const host = await startWrap();
      await start();
      for (const id of ['toolu_1', 'toolu_2']) {
        assert.equal(await call({ city: 'x' }, id), undefined);
        assert.match(await send(host, { city: 'x' }, id), /^served/);
      }
      // Every old call is as right as before, and nobody approved this.
      release(tool('weather', { city: text, units: text }, { required: ['city'], ...closed }));
      assert.equal(await call({ city: 'x' }, 'toolu_3'), undefined, 'the guard does not know of the change yet');
      const sent = await send(host, { city: 'x' }, 'toolu_3');
      if (mode === 'warn') return void assert.match(sent, /^served/);
      assert.match(sent, /^!.*the new one is not known to be approved\. Nothing was sent\. Call it again/);
      assert.equal(decision(await call({ city: 'x' }, 'toolu_4')), mode === 'strict' ? 'deny' : 'ask');
    });

  it('is judged by the handoff that was left for a wrap which was killed', async (test) => {
    const { startWrap, start, call, send, release } = await world(test, [old]);
    const first = await startWrap();
    await start();
    await call({ city: 'one' }, 'toolu_1');
    first.child.kill('SIGKILL');
    await new Promise((done) => first.child.once('exit', done));
    release(now);
    // The host of this second wrap gets tools that the model has not seen.
    const second = await startWrap();
    assert.match(await send(second, { city: 'one' }, 'toolu_1'), /^!konnichiwagwan stopped this call/);
  });
});

describe('what wrap leaves in the state folder', () => {
  it('is gone when it ends, and what a killed one left is gone with the next session', async (test) => {
    const { startWrap, start, folder, state } = await world(test, [old]);
    const [ended, killed] = [await startWrap(), await startWrap()];
    assert.equal(await ended.end(), 0);
    assert.ok(!existsSync(folder(ended.child.pid)));
    killed.child.kill('SIGKILL');
    await new Promise((done) => killed.child.once('exit', done));
    assert.ok(existsSync(folder(killed.child.pid)));
    await start();
    assert.deepEqual(readdirSync(join(state, 'wrap')), []);
  });

  it('is nothing where it is switched off; then it judges nothing, either', async (test) => {
    const { startWrap, send, release, state } = await world(test, [old]);
    const host = await startWrap({}, false, [], ['--off']);
    release(now);
    assert.equal(await send(host, { city: 'one' }, 'toolu_1'), 'served weather {"city":"one"}');
    assert.ok(!existsSync(join(state, 'wrap')));
  });

  it('is nothing under another host, and where the guard was never at work', async (test) => {
    const { startWrap, send, release, state } = await world(test, [old]);
    const other = await startWrap({ CLAUDE_CODE_SESSION_ID: undefined }, false);
    remove(join(state, 'sessions'));
    const alone = await startWrap({}, false);
    release(now);
    for (const host of [other, alone])
      assert.match(await send(host, { city: 'one' }, 'toolu_1'), /^!konnichiwagwan stopped this call/);
    assert.ok(!existsSync(join(state, 'wrap')));
  });

  it('is not made again after an uninstallation', async (test) => {
    const { startWrap, start, call, send, release, state } = await world(test, [old]);
    const host = await startWrap();
    await start();
    await call({ city: 'one' }, 'toolu_1');
    remove(join(state, 'wrap'));
    remove(join(state, 'sessions'));
    release(now);
    assert.match(await send(host, { city: 'one' }, 'toolu_1'), /^!konnichiwagwan stopped this call/);
    assert.ok(!existsSync(join(state, 'wrap')));
  });
});

describe('a server behind wrap, in what people are shown', () => {
  it('is asked by probe, status, doctor and explain', async (test) => {
    const { startWrap, start, cli, release, input, env } = await world(test, [old]);
    await startWrap();
    await start();
    const through = /its own program, through wrap/;
    const [fresh] = JSON.parse((await cli('probe', '--json')).stdout).data.sources;
    assert.equal(fresh.state, 'fresh', JSON.stringify(fresh));
    release(now);
    const [drifted] = JSON.parse((await cli('probe', '--json')).stdout).data.sources;
    assert.equal(drifted.state, 'drift', JSON.stringify(drifted));
    assert.match((await cli('doctor')).stdout, through);
    const status = (await cli('status')).stdout;
    assert.match(status, /Phase B[\s\S]*reachable: demo[\s\S]*Phase C/);
    const explained = await runBuilt(
      'cli.cjs',
      JSON.stringify(input('weather', { city: 'one' })),
      env,
      ['explain'],
      true,
    );
    assert.match(explained.stdout, through);
    assert.match(explained.stdout, /deny/);
  });

  it('is said not to run where no client has started it', async (test) => {
    const { cli } = await world(test, [old]);
    const probe = async (...words: string[]) =>
      JSON.parse((await cli('probe', '--json', ...words)).stdout).data.sources[0];
    const { state, note } = await probe();
    assert.equal(state, 'unaskable');
    assert.match(note, /not running now; konnichiwagwan probe --spawn starts a copy/);
    const status = (await cli('status')).stdout;
    assert.match(
      status,
      /1 of 1 server guarded, and each call is checked when it is made\. Nothing was compared now: demo not asked \(/,
    );
    // With this flag, a copy of the program is started, as for one without wrap.
    assert.equal((await probe('--spawn')).state, 'no-baseline');
  });
});
