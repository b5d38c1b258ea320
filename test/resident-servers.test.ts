// Full tier: long sessions of a process.
// The resident guard and servers that it asks without a gateway: what it asks, and what it knows without asking.
import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { readHead, writeHead } from '../scripts/sources/head.ts';
import { type HttpOptions, HttpServer } from './e2e/http-server.ts';
import { noSignals } from './posix.ts';
import { residentProcess } from './resident-client.ts';
import { sandbox, tool } from './sandbox.ts';

const exact = (...required: string[]): JsonObject => ({ required, additionalProperties: false });
const old = tool('weather', { city: { type: 'string' } }, exact('city'));
const renamed = tool('weather', { location: { type: 'string' } }, exact('location'));
const other = tool('other', {});
const reads = (one: Contract): Contract => ({ ...one, annotations: { readOnlyHint: true } });
const ARGUMENTS = { city: 'a' };

/** A session with one server, and a resident guard that has judged a first call of each tool. */
const world = async (t: TestContext, tools: Contract[], options: Partial<HttpOptions> = {}, freshFor = 0) => {
  const box = await sandbox(t, [], { freshFor });
  const server = await HttpServer.start({ era: 'session', tools: tools as never, ...options });
  t.after(() => server.close());
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { demo: server.entry } }));
  const { GATEWAY_URL: _none, ...env } = box.env;
  box.env.GATEWAY_URL = undefined;
  await box.start();
  const guard = await residentProcess(t, env);
  let calls = 0;
  const event = (hook_event_name: string, more: JsonObject) =>
    guard.hook({ ...box.input('', {}), hook_event_name, tool_name: '', tool_use_id: '', tool_input: '', ...more });
  const before = (name: string, args: JsonObject = {}, more: JsonObject = {}) => {
    calls += 1;
    return guard.hook(box.input(name, args, { tool_use_id: `toolu_${calls}`, ...more }));
  };
  const after = (name: string, more: JsonObject = {}) =>
    event('PostToolUse', { tool_name: `mcp__demo__${name}`, tool_use_id: `toolu_${calls}`, ...more });
  const prompt = () => event('UserPromptSubmit', {});
  await prompt();
  for (const [name, args] of [
    ['weather', ARGUMENTS],
    ['other', {}],
  ] as const) {
    await before(name, args);
    await after(name);
  }
  /** How many requests the guard made, without its streams. */
  const asked = (): number => server.by('guard').filter((what) => !what.startsWith('GET')).length;
  const until = async (what: () => boolean, why: string): Promise<void> => {
    for (let waited = 0; !what(); waited += 20) {
      assert.ok(waited < 30_000, why);
      await sleep(20);
    }
  };
  /**
   * Waits until nothing is in transit any longer: on a busy machine the guard comes to its own questions as much later as to
   * a request.
   */
  const quiet = async (): Promise<void> => {
    for (let before = -1; before !== asked(); ) {
      before = asked();
      const since = performance.now();
      await guard.ask('ping');
      await sleep(150 + 20 * (performance.now() - since));
    }
  };
  /** Waits until the guard would hear an announcement, and has asked once more since then. */
  const listening = async (): Promise<void> => {
    const listed = () => {
      const all = server.by('guard');
      const at = all.findIndex((what) => /^GET|listen/.test(what));
      return at >= 0 && all.slice(at).some((what) => what.endsWith('tools/list'));
    };
    await until(listed, 'nobody listens');
    await quiet();
  };
  await quiet();
  const head = () => {
    const [file = ''] = readdirSync(join(box.state, 'live')).filter((name) => name.endsWith('.head.json'));
    const key = file.replace(/\.head\.json$/, '');
    const found = readHead(box.state, key);
    assert.ok(found);
    return { key, found };
  };
  return { box, server, guard, before, after, prompt, asked, until, quiet, listening, head };
};

/** The next call is judged anew. */
const forgetVerdicts = (state: string): void => {
  const memos = readdirSync(join(state, 'sessions'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    basename(name).startsWith('main@'),
  );
  assert.ok(memos.length > 0);
  for (const memo of memos) rmSync(join(state, 'sessions', memo));
};

const denied = (answer: { hookSpecificOutput?: { permissionDecision?: string } } | undefined): boolean =>
  answer?.hookSpecificOutput?.permissionDecision === 'deny';

for (const era of ['session', 'modern'] as const) {
  describe(`a server that announces what changes (${era})`, () => {
    it('is not asked for a call, and its change is known at the next one', async (t) => {
      const { server, before, after, asked, until, listening } = await world(t, [old, other], { era });
      await listening();
      // On a busy machine it may once more be asked for its own sake.
      let [start, unasked] = [asked(), 0];
      for (let call = 0; call < 20 && unasked < 5; call++) {
        assert.equal(await before('weather', ARGUMENTS), undefined);
        await after('weather');
        unasked = asked() === start ? unasked + 1 : 0;
        start = asked();
      }
      assert.equal(unasked, 5, 'no call asks');
      server.announce([renamed, other] as never);
      await until(() => asked() > start, 'the announcement was not heard');
      await sleep(100);
      assert.ok(denied(await before('weather', ARGUMENTS)));
    });

    it('its announcement counts for a call that the guard hears at the same moment', {
      skip: noSignals,
    }, async (t) => {
      const { guard, server, before, listening } = await world(t, [old, other], { era }, 30);
      await listening();
      guard.signal('SIGSTOP');
      server.announce([renamed, other] as never);
      await sleep(100);
      const answer = before('weather', ARGUMENTS);
      await sleep(50);
      guard.signal('SIGCONT');
      assert.ok(denied(await answer));
    });

    for (const [title, now, isJudged] of [
      ['a tool that writes', old, true],
      ['a tool that only reads', reads(old), true],
      ['a tool that was never judged', old, false],
    ] as const)
      it(`an answer of just now does not count after an announcement: ${title}`, async (t) => {
        const { box, server, before, after, until, listening } = await world(t, [now, other], { era }, 30);
        await listening();
        assert.equal(await before('weather', ARGUMENTS), undefined);
        await after('weather');
        if (!isJudged) forgetVerdicts(box.state);
        let asked = 0;
        // The guard hears the announcement, and is still waiting for the new list when the call comes.
        server.hold = ({ by, what }) => {
          if (by !== 'guard' || !what.endsWith('tools/list')) return undefined;
          asked += 1;
          return sleep(asked === 1 ? 400 : 0);
        };
        server.announce([renamed, other] as never);
        await until(() => asked > 0, 'the announcement was not heard');
        assert.ok(denied(await before('weather', ARGUMENTS)));
      });

    for (const [later, word] of [
      [0, /the answer may already come from the new contract/],
      // A server that announces changes has done so by then.
      [1_300, /the same call would be stopped now/],
    ] as const)
      it(`its change is told with the prompt, once: ${later} ms after the answer to a call`, async (t) => {
        const { server, before, after, asked, until, quiet, listening, prompt } = await world(t, [old, other], { era });
        await listening();
        await before('weather', ARGUMENTS);
        await after('weather');
        await sleep(later);
        const start = asked();
        server.announce([renamed, other] as never);
        await until(() => asked() > start, 'the announcement was not heard');
        await quiet();
        assert.match((await prompt()).systemMessage, word);
        assert.equal(await prompt(), undefined);
      });
  });
}

describe('a server that announces nothing', () => {
  const silent = { announces: false };

  it('is asked once for a call of a tool that writes', async (t) => {
    const { before, after, asked, quiet } = await world(t, [old, other], silent);
    const start = asked();
    for (let call = 0; call < 5; call++) {
      assert.equal(await before('weather', ARGUMENTS), undefined);
      await after('weather');
    }
    await quiet();
    assert.equal(asked() - start, 5);
  });

  it('is asked while the model thinks, for a tool that only reads', async (t) => {
    const { before, after, asked, quiet } = await world(t, [reads(old), other], silent);
    // The last answer was another tool's, and nothing was asked before it.
    await before('weather', ARGUMENTS);
    await after('weather');
    await quiet();
    const start = asked();
    for (let call = 0; call < 5; call++) {
      const now = asked();
      assert.equal(await before('weather', ARGUMENTS), undefined);
      assert.equal(asked(), now, 'the call waited for an answer');
      await after('weather');
      await quiet();
    }
    assert.ok(asked() - start <= 5, `${asked() - start} requests for 5 calls`);
  });

  it('is asked once for each call, however many follow a prompt, and no call waits', async (t) => {
    const { before, after, asked, quiet, prompt } = await world(t, [reads(old), other], silent);
    let start = asked();
    let made = 0;
    let waited = 0;
    const turn = async (calls: number) => {
      await prompt();
      for (let call = 0; call < calls; call++) {
        const now = asked();
        assert.equal(await before('weather', ARGUMENTS), undefined);
        waited += asked() - now;
        await after('weather');
        await quiet();
      }
      made += calls;
    };
    // As many calls as before, one conversation of each kind.
    for (const calls of [1, 3]) {
      await turn(calls);
      [start, made, waited] = [asked(), 0, 0];
      for (let turns = 0; turns < 4; turns++) await turn(calls);
      assert.equal(asked() - start, made, `${calls} calls after each prompt`);
      assert.equal(waited, 0, 'a call waited for an answer');
    }
    // More calls than before: the guard expects further calls.
    await turn(6);
    assert.ok(waited <= 1, `${waited} calls waited`);
  });

  it('tells after the call what changed while the model thought', async (t) => {
    const { server, before, after, quiet } = await world(t, [reads(old), other], silent);
    await before('weather', ARGUMENTS);
    await after('weather');
    await quiet();
    server.set([reads(renamed), other] as never);
    assert.equal(await before('weather', ARGUMENTS), undefined, 'it counts as live for a tool that only reads');
    await after('weather');
    await quiet();
    const told = await before('other');
    assert.match(told.hookSpecificOutput.additionalContext, /may come from another contract/);
    assert.ok(denied(await before('weather', ARGUMENTS)));
  });

  it('tells with the prompt what changed since the last answer', async (t) => {
    const { server, before, after, quiet, prompt } = await world(t, [reads(old), other], silent);
    await before('weather', ARGUMENTS);
    await after('weather');
    await quiet();
    server.set([reads(renamed), other] as never);
    assert.match((await prompt()).systemMessage, /the same call would be stopped now/);
  });

  it('counts for the conversation that thinks, and for no other', async (t) => {
    const { before, after, asked, quiet } = await world(t, [reads(old), other], silent);
    await quiet();
    const agent = { agent_id: 'agent1' };
    const start = asked();
    await before('weather', ARGUMENTS, agent);
    assert.ok(asked() > start, 'nobody knows since when this subagent thinks');
    await after('weather', agent);
    await quiet();
    const now = asked();
    assert.equal(await before('weather', ARGUMENTS, agent), undefined);
    assert.equal(asked(), now);
  });

  it('an answer from the future, before a clock was set back, does not count', async (t) => {
    const { box, before, asked, head } = await world(t, [reads(old), other], silent);
    for (const ahead of [{ checkedAt: 3_600_000 }, { checkedUp: 3_600_000 }]) {
      const { key, found } = head();
      const moved = { ...found };
      for (const [clock, by] of Object.entries(ahead)) moved[clock as 'checkedAt'] += by;
      writeHead(box.state, key, moved);
      const start = asked();
      assert.equal(await before('weather', ARGUMENTS), undefined);
      assert.ok(asked() > start, JSON.stringify(ahead));
    }
  });
});

describe('the end of a session', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'input'] as const) {
    it(`by ${signal}: it ends what it kept open`, async (t) => {
      const { server, guard, until } = await world(t, [old, other]);
      await until(() => server.by('guard').some((what) => what.startsWith('GET')), 'nobody listens');
      if (signal !== 'input') guard.signal(signal);
      assert.equal(await guard.end(), 0);
      assert.equal(server.by('guard').at(-1), 'DELETE');
      assert.equal(guard.stderr, '');
    });
  }
});
