// A stale call never passes unnoticed, and a right one is not stopped because of outdated facts: the built hooks, with
// servers on loopback that change under them.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { writeBaseline } from '../scripts/baseline/baseline.ts';
import { readBaseline, type SessionBaseline } from '../scripts/baseline/sessions.ts';
import { defined } from '../scripts/contract/defined.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { onError } from '../scripts/guard/run-hook.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { keepBaseline } from '../scripts/session/keep-baseline.ts';
import { startSession } from '../scripts/session/start.ts';
import { keep } from '../scripts/state/circumstances.ts';
import { tryLock } from '../scripts/state/exclusive.ts';
import { remove } from '../scripts/state/in-use.ts';
import { askingPath } from '../scripts/state/paths.ts';
import { lockOf } from './lock-bench.ts';
import { type McpOnLoopback, startMcp } from './mcp-servers.ts';
import { drive, inTime, type Run, renewAnswers, runBuilt, sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const takes = (name: string, parameter: string, more: Partial<Contract> = {}): Contract =>
  tool(name, { [parameter]: text }, { required: [parameter], additionalProperties: false }, more);
const A = takes('weather', 'city');
const B = takes('weather', 'place');
const other = tool('other', {});
/** A process ID that no process has. */
const ENDED = 4_194_303;

const serve = async (
  test: TestContext,
  tools: Contract[],
  refuse?: () => number | undefined,
): Promise<McpOnLoopback> => {
  const server = await startMcp('stateless', { tools }, refuse);
  test.after(() => server.close());
  return server;
};

/** A HOME with servers and without a gateway. Transcripts and inputs name a server. */
const world = async (
  test: TestContext,
  servers: { [name: string]: McpOnLoopback },
  config: JsonObject = { freshFor: 0 },
) => {
  const box = await sandbox(test, [], config);
  box.env.GATEWAY_URL = undefined;
  const entries = Object.entries(servers).map(([name, { url }]) => [name, { type: 'http', url }]);
  const configure = (named: JsonObject): void =>
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: named, projects: {} }));
  configure(Object.fromEntries(entries));
  let shapes = 0;
  const show = (shown: { [server: string]: Contract[] }): void => {
    const shapeHash = `shape${++shapes}`;
    const tools = Object.entries(shown).flatMap(([server, own]) =>
      own.map(({ name, description, inputSchema }) => ({
        name: `mcp__${server.replace(/\W/g, '_')}__${name}`,
        ...defined({ description }),
        input_schema: inputSchema,
      })),
    );
    appendFileSync(
      box.transcript,
      [
        { type: 'api-request-shape', shapeHash, shape: { system: [], tools } },
        { type: 'api-request', querySource: 'sdk', shapeHash },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  };
  const call = (server: string, name: string, args: JsonObject, more: JsonObject = {}): Promise<Run> =>
    box.call(name, args, {
      tool_name: `mcp__${server.replace(/\W/g, '_')}__${name}`,
      mcp_server: { name: server, source: 'user' },
      ...more,
    });
  return { ...box, configure, show, call };
};

const decision = ({ answer }: Run): string | undefined => answer?.hookSpecificOutput?.permissionDecision;
const reason = ({ answer }: Run): string => answer?.hookSpecificOutput?.permissionDecisionReason ?? '';
const message = ({ answer }: Run): string => answer?.systemMessage ?? '';

describe('a stop for one reason', () => {
  const euros = { type: 'integer', description: 'Amount in euros.' };
  const cents = { type: 'integer', description: 'Amount in cents.' };
  const before = tool('pay', { amount: euros }, { required: ['amount'] }, { annotations: { readOnlyHint: true } });
  const after = tool(
    'pay',
    { amount: cents, to: text },
    { required: ['amount', 'to'] },
    { annotations: { readOnlyHint: false } },
  );
  const start = async (test: TestContext, config: JsonObject) => {
    const server = await serve(test, [before]);
    const box = await world(test, { bank: server }, config);
    await box.start();
    box.show({ bank: [before] });
    await box.call('bank', 'pay', { amount: 5 });
    server.offer.tools = [after];
    assert.equal(decision(await box.call('bank', 'pay', { amount: 5 })), 'deny');
    return box;
  };

  it('does not answer the questions beside it: the repaired call is asked about, every time until a yes', async (test) => {
    const box = await start(test, { freshFor: 0 });
    for (const _time of [1, 2]) {
      const repaired = await box.call('bank', 'pay', { amount: 5, to: 'x' });
      assert.equal(decision(repaired), 'ask');
      assert.match(reason(repaired), /readOnlyHint/);
    }
  });

  it('does so where the user trusts the server: the model read the new words and decides', async (test) => {
    const box = await start(test, { freshFor: 0, servers: { bank: { trusted: true } } });
    assert.equal(decision(await box.call('bank', 'pay', { amount: 5, to: 'x' })), undefined);
    const subagent = await box.call('bank', 'pay', { amount: 5, to: 'x' }, { agent_id: 'a1', agent_type: 'x' });
    assert.equal(decision(subagent), 'deny', 'a subagent was told nothing');
  });
});

describe('a parameter with a new name and another unit', () => {
  const wait = (name: string, unit: string): Contract =>
    tool('wait', { [name]: { type: 'number', description: `Time in ${unit}.` } }, { required: [name] });

  it('is not only renamed: the call that has the new name is asked about, or a trusted server’s words are told', async (test) => {
    for (const trusted of [false, true]) {
      const server = await serve(test, [wait('timeout', 'seconds')]);
      const box = await world(test, { bank: server }, { freshFor: 0, servers: { bank: { trusted } } });
      await box.start();
      box.show({ bank: [wait('timeout', 'seconds')] });
      server.offer.tools = [wait('timeout_ms', 'milliseconds')];
      const stopped = await box.call('bank', 'wait', { timeout: 5 });
      assert.equal(decision(stopped), 'deny');
      assert.match(message(stopped), /"Time in seconds\." → "Time in milliseconds\."/);
      assert.equal(/milliseconds/.test(reason(stopped)), trusted);
      assert.doesNotMatch(reason(stopped), /with its new names/);
      assert.equal(decision(await box.call('bank', 'wait', { timeout_ms: 5 })), trusted ? undefined : 'ask');
    }
  });
});

describe('calls of one turn, of which the first was stopped and told the new words', () => {
  const dollars = tool('pay', { amount: { type: 'integer', description: 'Amount in dollars.' } });
  const cents = tool('pay', { amount: { type: 'integer', description: 'Amount in cents.' } });

  it('are all stopped; those of the next turn are not', async (test) => {
    const server = await serve(test, [dollars]);
    const box = await world(test, { bank: server }, { freshFor: 0, servers: { bank: { trusted: true } } });
    await box.start();
    box.show({ bank: [dollars] });
    const inTurn = (amount: number): Promise<Run> =>
      drive(
        'guard.cjs',
        JSON.stringify(
          box.input('pay', { amount }, { tool_name: 'mcp__bank__pay', mcp_server: { name: 'bank', source: 'user' } }),
        ),
        box.env,
      );
    server.offer.tools = [cents];
    for (const amount of [1, 2]) assert.equal(decision(await inTurn(amount)), 'deny');
    for (const run of await Promise.all([3, 4].map(inTurn))) assert.match(reason(run), /dollars." → "Amount in cents/);
    box.show({ bank: [dollars] });
    for (const amount of [1, 2]) assert.equal((await inTurn(amount)).stdout, '');
  });
});

describe('a tool that appears in mid-session', () => {
  for (const mode of ['guard', 'strict'])
    it(`is asked about like any other: mode ${mode}`, async (test) => {
      const server = await serve(test, [other]);
      const box = await world(test, { demo: server }, { freshFor: 0, mode });
      await box.start();
      box.show({ demo: [other] });
      server.offer.tools = [other, A];
      box.show({ demo: [other, A] });
      assert.equal((await box.call('demo', 'weather', { city: 'x' })).stdout, '');
      server.offer.tools = [other, B];
      assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'deny');
    });

  it('of a gateway, too, where the transcript shows it', async (test) => {
    const box = await sandbox(test, [other]);
    await box.start();
    box.show([other], 'aaa1');
    await box.call('other');
    box.release([other, A]);
    box.show([other, A], 'bbb1');
    assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
    box.release([other, B]);
    assert.equal(decision(await box.call('weather', { city: 'x' })), 'deny');
  });

  it('is told of as unchecked, and stopped after the next change, where the client shows no transcript', async (test) => {
    const server = await serve(test, [other]);
    const box = await world(test, { demo: server });
    await box.start();
    server.offer.tools = [other, A];
    assert.match(message(await box.call('demo', 'weather', { city: 'x' })), /could not check/);
    server.offer.tools = [other, B];
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'deny');
  });

  it('is never called fresh where the server does not list it to us', async (test) => {
    const box = await world(test, { demo: await serve(test, [other]) });
    await box.start();
    box.show({ demo: [other, A] });
    assert.match(message(await box.call('demo', 'weather', { city: 'x' })), /could not check.*does not have this one/);
    box.env.KONNICHIWAGWAN = '';
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 0, mode: 'strict' }));
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'ask');
  });
});

describe('a client that writes no shapes', () => {
  it('shows the model a tool by an attachment: the next call is judged by that', async (test) => {
    const server = await serve(test, [B]);
    const box = await world(test, { demo: server }, { freshFor: 60 });
    appendFileSync(box.transcript, '{"type":"user"}\n');
    await box.start();
    assert.equal((await box.call('demo', 'weather', { place: 'x' })).stdout, '');
    const entries = [{ name: 'mcp__demo__weather', input_schema: A.inputSchema }];
    const record = { type: 'attachment', attachment: { type: 'deferred_tools_record', entries } };
    appendFileSync(box.transcript, `${JSON.stringify(record)}\n`);
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'deny');
  });
});

describe('what the guard itself told the model, once the server goes on', { concurrency: 2 }, () => {
  const limit = { type: 'integer', description: 'how many' };
  const OLD = tool('search', { query: text, limit }, { required: ['query'] }, { description: 'Searches.' });
  const NEW = tool('search', { query: text, max: limit }, { required: ['query'] }, { description: 'Searches.' });
  const page = (description: string) => tool('page', { n: { type: 'integer', description } }, { required: ['n'] });
  const [ONE, ZERO] = [page('the first is 1'), page('the first is 0')];

  /** A session that saw a contract; `run` calls the tool while the server runs another one. */
  const session = async (test: TestContext, seen: Contract, config: JsonObject = {}) => {
    const server = await serve(test, [seen]);
    const box = await world(test, { demo: server }, { freshFor: 0, ...config });
    await box.start();
    box.show({ demo: [seen] });
    const run = (now: Contract, args: JsonObject, more: JsonObject = {}): Promise<Run> => {
      server.offer.tools = [now];
      return box.call('demo', seen.name, args, more);
    };
    return { box, run };
  };

  for (const mode of ['guard', 'strict'])
    it(`is stale where it goes back, in mode ${mode}; a call as the client shows it goes through`, async (test) => {
      const { run } = await session(test, OLD, { mode });
      assert.equal(decision(await run(NEW, { query: 'x', limit: 5 })), 'deny');
      const back = await run(OLD, { query: 'x', max: 5 });
      assert.equal(decision(back), 'deny');
      assert.match(
        reason(back),
        /renamed: `max` → `limit`[\s\S]*Call it like this now: search\(query: string, limit\?/,
      );
      for (const _time of [1, 2]) assert.equal((await run(OLD, { query: 'x', limit: 5 })).stdout, '');
      // What was told again is over, too.
      assert.equal(decision(await run(NEW, { query: 'x', limit: 5 })), 'deny');
    });

  it('is stale where another contract follows', async (test) => {
    const { run } = await session(test, OLD);
    await run(NEW, { query: 'x', limit: 5 });
    const third = tool('search', { query: text, count: limit }, { required: ['query'] }, { description: 'Searches.' });
    const stopped = await run(third, { query: 'x', max: 5 });
    assert.equal(decision(stopped), 'deny');
    assert.match(reason(stopped), /renamed: `max` → `count`/);
    assert.equal(decision(await run(third, { query: 'x', count: 5 })), undefined);
  });

  it('holds for words of a trusted server, each time that they change', async (test) => {
    const { run } = await session(test, ONE, { servers: { demo: { trusted: true } } });
    for (const now of [ZERO, ONE, ZERO, ONE]) {
      const first = await run(now, { n: 1 });
      assert.equal(decision(first), 'deny', JSON.stringify(now));
      assert.match(reason(first), now === ZERO ? /1" → "the first is 0"/ : /0" → "the first is 1"/);
      assert.equal((await run(now, { n: 1 })).stdout, '');
    }
  });

  it('is not known where the model may not read the words: a person was asked, and nothing was told', async (test) => {
    const { run } = await session(test, ONE);
    assert.equal(decision(await run(ZERO, { n: 1 })), 'ask');
    assert.equal((await run(ONE, { n: 1 })).stdout, '');
  });

  it('counts after a notice, which is given again if the server goes back and forth, but not for ever', async (test) => {
    const more = tool(
      'search',
      { query: text, limit, dry_run: { type: 'boolean' } },
      { required: ['query'] },
      {
        description: 'Searches and archives.',
      },
    );
    const { run } = await session(test, OLD);
    assert.match((await run(more, { query: 'x' })).stdout, /From now on, call it like this: .*dry_run/);
    assert.equal(decision(await run(OLD, { query: 'x', dry_run: true })), 'deny');
    const said: boolean[] = [];
    for (let times = 0; times < 5; times++)
      for (const now of [more, OLD]) said.push((await run(now, { query: 'x' })).stdout !== '');
    assert.ok(said.slice(0, 2).some(Boolean) && !said.at(-1), JSON.stringify(said));
    assert.equal(decision(await run(OLD, { query: 'x', dry_run: true })), 'deny');
  });

  it('is told once for each further contract, however many calls follow', async (test) => {
    const wider = (...names: string[]) =>
      tool(
        'search',
        { query: text, limit, ...Object.fromEntries(names.map((name) => [name, { type: 'boolean' }])) },
        { required: ['query'] },
      );
    const { run } = await session(test, OLD);
    for (const now of [wider('one'), wider('one', 'two'), wider('three')]) {
      const said: boolean[] = [];
      for (let times = 0; times < 3; times++) said.push((await run(now, { query: 'x' })).stdout !== '');
      assert.deepEqual(said, [true, false, false], JSON.stringify(now));
    }
  });

  it('counts for the conversation that was told, and until its client shows another contract', async (test) => {
    const { box, run } = await session(test, OLD);
    await run(NEW, { query: 'x', limit: 5 });
    const subagent = { agent_id: 'a1', agent_type: 'x' };
    assert.equal((await run(OLD, { query: 'x', max: 5 }, subagent)).stdout, '');
    box.show({ demo: [NEW] });
    box.show({ demo: [tool('search', { query: text, limit, from: text }, { required: ['query'] })] });
    const shown = await run(tool('search', { query: text, limit, from: text }, { required: ['query'] }), {
      query: 'x',
      limit: 5,
    });
    assert.equal(shown.stdout, '');
  });

  it('is told with an error that looks like drift, too', async (test) => {
    const { box, run } = await session(test, OLD);
    assert.equal(decision(await run(NEW, { query: 'x' })), undefined);
    const { answer } = await box.fail('search', { query: 'x', limit: 5 }, 'unknown parameter: limit');
    assert.match(answer.hookSpecificOutput.additionalContext, /search\(query: string, max/);
    assert.equal(decision(await run(OLD, { query: 'x', max: 5 })), 'deny');
  });
});

describe('what a person granted', () => {
  it('holds for that tool of that server', async (test) => {
    const wipe = (name: string, readOnlyHint: boolean): Contract =>
      tool(name, { id: text }, {}, { description: 'Removes things.', annotations: { readOnlyHint } });
    const [staging, prod] = [
      await serve(test, [wipe('wipe', true), wipe('purge', true)]),
      await serve(test, [wipe('wipe', true)]),
    ];
    const box = await world(test, { staging, prod });
    await box.start();
    box.show({ staging: [wipe('wipe', true), wipe('purge', true)], prod: [wipe('wipe', true)] });
    staging.offer.tools = [wipe('wipe', false), wipe('purge', false)];
    prod.offer.tools = [wipe('wipe', false)];
    const asked = await box.call('staging', 'wipe', { id: '1' }, { tool_use_id: 'toolu_yes' });
    assert.equal(decision(asked), 'ask');
    const content = [{ type: 'tool_result', tool_use_id: 'toolu_yes', content: 'done' }];
    appendFileSync(box.transcript, `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    assert.equal(decision(await box.call('staging', 'wipe', { id: '2' })), undefined, 'granted');
    assert.equal(decision(await box.call('prod', 'wipe', { id: '1' })), 'ask', 'another server');
    assert.equal(decision(await box.call('staging', 'purge', { id: '1' })), 'ask', 'another tool');
  });
});

describe('a name that can be read in two ways', () => {
  const nameless = { mcp_server: null };
  const named = (name: string, contract: Contract): Contract => ({ ...contract, name });
  const start = async (test: TestContext, first: { outer?: Contract[]; inner?: Contract[] } = {}) => {
    const outer = await serve(test, first.outer ?? [named('b__c', A)]);
    const inner = await serve(test, first.inner ?? [named('c', A)]);
    const box = await world(test, { a: outer, a__b: inner });
    await box.start();
    const call = () => box.call('a', 'b__c', { city: 'x' }, nameless);
    return { ...box, call, outer, inner, change: { outer: [named('b__c', B)], inner: [named('c', B)] } };
  };

  it('is silent where both readings are fresh', async (test) => {
    const { call } = await start(test);
    assert.equal((await call()).stdout, '');
  });

  for (const one of ['outer', 'inner'] as const)
    it(`is not called fresh where one of them is not: the ${one} one`, async (test) => {
      const box = await start(test);
      box[one].offer.tools = box.change[one];
      const run = await box.call();
      assert.equal(decision(run), undefined, 'the other one may be meant');
      assert.match(message(run), /could not check.*spelled alike/);
    });

  for (const one of ['outer', 'inner'] as const)
    it(`is not called fresh where a silent call came before the change: of the ${one} one`, async (test) => {
      const box = await start(test);
      for (const _time of [1, 2]) assert.equal((await box.call()).stdout, '');
      box[one].offer.tools = box.change[one];
      assert.match(message(await box.call()), /could not check.*spelled alike/);
    });

  for (const [without, other] of [
    ['outer', 'inner'],
    ['inner', 'outer'],
  ] as const)
    it(`is judged by the one that lists the tool, where the other one never did: the ${without} one`, async (test) => {
      const box = await start(test, { [without]: [named('d', A)] });
      assert.equal((await box.call()).stdout, '');
      box[other].offer.tools = box.change[other];
      assert.equal(decision(await box.call()), 'deny');
    });

  it('is stopped where neither is', async (test) => {
    const box = await start(test);
    box.outer.offer.tools = box.change.outer;
    box.inner.offer.tools = box.change.inner;
    assert.equal(decision(await box.call()), 'deny');
  });

  for (const [what, outer, inner] of [
    ['outer', B, A],
    ['inner', A, B],
  ] as const)
    it(`is asked about where a person approved another contract of one of them: the ${what} one`, async (test) => {
      const { call, project } = await start(test);
      const pins = { a: [{ ...outer, name: 'b__c' }], a__b: [{ ...inner, name: 'c' }] };
      writeFileSync(join(project, LOCKFILE), renderLock(lockOf(pins)));
      const asked = await call();
      assert.equal(decision(asked), 'ask');
      assert.match(reason(asked), what === 'outer' ? /approve a\/b__c/ : /approve a__b\/c/);
    });

  it('is asked about where one of them is stale, and the other is not what a person approved', async (test) => {
    const box = await start(test);
    writeFileSync(join(box.project, LOCKFILE), renderLock(lockOf({ a: box.change.outer, a__b: box.change.inner })));
    box.outer.offer.tools = box.change.outer;
    const asked = await box.call();
    assert.equal(decision(asked), 'ask');
    assert.match(reason(asked), /approve a__b\/c/);
  });

  it('means the very server that the client names, whatever is spelled like it', async (test) => {
    const [dot, underscore] = [await serve(test, [A]), await serve(test, [A])];
    const box = await world(test, { a_b: underscore, 'a.b': dot });
    await box.start();
    box.show({ 'a.b': [A] });
    dot.offer.tools = [B];
    assert.equal(decision(await box.call('a.b', 'weather', { city: 'x' })), 'deny');
    assert.equal((await box.call('a_b', 'weather', { city: 'x' })).stdout, '');
  });
});

describe('a gateway that failed, and answers again', () => {
  it('is not the reason to ask about a tool that it does not list, in mode strict', async (test) => {
    let isDown = true;
    const http = createServer((_request, response) => {
      if (isDown) response.writeHead(503).end();
      else response.end(JSON.stringify({ schema_version: '3', tools: [other] }));
    });
    await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
    test.after(() => http.close());
    const box = await world(test, {}, { freshFor: 0, mode: 'strict' });
    box.env.GATEWAY_URL = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    assert.match(reason(await box.call('local', 'weather', { city: 'x' })), /answered HTTP 503/);
    isDown = false;
    // The failure is so young that it still counts. No stop rests on it, so the gateway is asked once more.
    renewAnswers(box.state);
    assert.match(reason(await box.call('local', 'weather', { city: 'x' })), /no source lists this tool/);
  });
});

describe('a gateway beside the server, which says of no server that it speaks for it', () => {
  const zip = takes('weather', 'zip');
  const start = async (test: TestContext, listed: Contract[], isShown = true) => {
    const server = await serve(test, [A]);
    const box = await world(test, { demo: server });
    box.env.GATEWAY_URL = box.gateway.url;
    box.release(listed);
    await box.start();
    if (isShown) box.show({ demo: [A] });
    const call = () => inTime(() => box.call('demo', 'weather', { city: 'x' }));
    assert.equal((await call()).stdout, '');
    return { ...box, server, call };
  };

  it('is no reason why nothing is known, where the server itself does not answer', async (test) => {
    const box = await start(test, [zip]);
    await box.server.close();
    assert.match(message(await box.call()), /could not check calls of server `demo`: http:\S+ cannot be reached/);
  });

  for (const [what, isShown] of [
    ['the transcript tells', true],
    ['the transcript tells nothing', false],
  ] as const)
    it(`is no word on a tool of the same name with another contract: the server itself is asked, where ${what}`, async (test) => {
      const box = await start(test, [zip], isShown);
      box.release([takes('weather', 'code')]);
      assert.equal((await box.call()).stdout, '', 'the tool of another server changed');
      box.server.offer.tools = [B];
      assert.equal(decision(await box.call()), 'deny');
    });

  it('is named by probe where it does not list what changed on the server, and nothing is promised of calls', async (test) => {
    for (const [listed, passes] of [
      [A, true],
      [zip, false],
    ] as const) {
      const box = await start(test, [listed]);
      box.server.offer.tools = [B];
      const { stdout } = await drive('cli.cjs', null, box.env, ['probe', '--session', 's1'], true);
      assert.equal(/gateway `GATEWAY_URL` does not list that.*a stale one may pass/.test(stdout), passes, stdout);
      assert.equal(/A call that relies on what changed is stopped/.test(stdout), !passes, stdout);
      assert.equal(/is sent without that/.test(stdout), !passes, stdout);
      assert.equal(decision(await box.call()), passes ? undefined : 'deny');
    }
  });

  it('is not named by probe where the settings say which other gateway speaks for the server', async (test) => {
    const [server, named] = [await serve(test, [A]), await startGateway('1', [A])];
    test.after(() => named.close());
    const gateways = { named: { url: named.url, servers: ['demo'] } };
    const box = await world(test, { demo: server }, { freshFor: 0, gateways });
    box.env.GATEWAY_URL = box.gateway.url;
    box.release([A]);
    await box.start();
    box.show({ demo: [A] });
    server.offer.tools = [B];
    named.set('1', [B]);
    const { stdout } = await drive('cli.cjs', null, box.env, ['probe', '--session', 's1'], true);
    assert.doesNotMatch(stdout, /a stale one may pass/);
    assert.match(stdout, /A call that relies on what changed is stopped/);
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'deny');
  });

  it('speaks for the tool where it lists the very contract', async (test) => {
    const box = await start(test, [A]);
    box.release([B]);
    assert.equal(decision(await box.call()), 'deny');
  });

  it('speaks for the tool where it listed what the model sees before this session', async (test) => {
    const server = await serve(test, [A]);
    const box = await world(test, { demo: server });
    box.env.GATEWAY_URL = box.gateway.url;
    for (const [session, listed] of [
      ['s1', A],
      ['s2', B],
    ] as const) {
      box.release([listed]);
      await box.start({ session_id: session });
    }
    box.show({ demo: [A] });
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' }, { session_id: 's2' })), 'deny');
  });

  it('speaks for it although it dropped the tool, where the model sees what it listed once', async (test) => {
    const box = await start(test, [A]);
    box.release([other]);
    box.server.offer.tools = [other];
    assert.equal(decision(await box.call()), 'deny');
  });

  it('is no proof that a tool is gone: the server that it had one of that name of may be another', async (test) => {
    const box = await start(test, [zip]);
    box.release([other]);
    await box.server.close();
    const run = await box.call();
    assert.equal(decision(run), undefined);
    assert.match(message(run), /could not check/);
  });
});

describe('a server whose entry is gone while its client goes on calling it', () => {
  for (const mode of ['guard', 'strict'])
    for (const [what, entries] of [
      ['removed', () => '{"mcpServers":{}}'],
      ['renamed', (url: string) => JSON.stringify({ mcpServers: { demo2: { type: 'http', url } } })],
      ['a program now', () => '{"mcpServers":{"demo":{"command":"true"}}}'],
      [
        'of a kind that only the client can ask',
        () => '{"mcpServers":{"demo":{"type":"ws","url":"ws://127.0.0.1:1"}}}',
      ],
      ['unreadable by one comma', (url: string) => `{"mcpServers":{"demo":{"type":"http","url":"${url}",}}}`],
    ] as const)
      it(`is told of as unchecked, or stopped: ${what}, mode ${mode}`, async (test) => {
        const server = await serve(test, [A]);
        const box = await world(test, { demo: server }, { freshFor: 0, mode });
        await box.start();
        box.show({ demo: [A] });
        const call = () => box.call('demo', 'weather', { city: 'x' });
        assert.equal((await call()).stdout, '');
        writeFileSync(join(box.home, '.claude.json'), entries(server.url));
        server.offer.tools = [B];
        const { answer } = await call();
        assert.match(JSON.stringify(answer), /entry in the settings is gone, or cannot be read/);
        assert.equal(answer?.hookSpecificOutput?.permissionDecision, mode === 'strict' ? 'ask' : undefined);
      });

  it('is told of as unchecked if the server did not answer when the session started', async (test) => {
    const [server, other] = [await serve(test, [A]), await serve(test, [A])];
    const box = await world(test, { demo: server, other }, { freshFor: 0 });
    await server.close();
    await box.start();
    writeFileSync(
      join(box.home, '.claude.json'),
      JSON.stringify({ mcpServers: { other: { type: 'http', url: other.url } } }),
    );
    const { answer } = await box.call('demo', 'weather', { city: 'x' });
    assert.match(answer?.systemMessage ?? '', /entry in the settings is gone, or cannot be read/);
  });
});

describe('an entry that names another address while its client stays connected', () => {
  const explained = (box: Awaited<ReturnType<typeof world>>) =>
    box.input(
      'weather',
      { city: 'x' },
      { tool_name: 'mcp__demo__weather', mcp_server: { name: 'demo', source: 'user' } },
    );

  for (const mode of ['guard', 'strict'])
    it(`is told of as unchecked, or stopped, until there is a new client: mode ${mode}`, async (test) => {
      const [connected, named] = [await serve(test, [A]), await serve(test, [A])];
      const box = await world(test, { demo: connected, other: named }, { freshFor: 60, mode });
      box.env.CLAUDE_PID = String(process.pid);
      await box.start();
      box.show({ demo: [A], other: [A] });
      const call = (name = 'demo') => box.call(name, 'weather', { city: 'x' });
      for (const name of ['demo', 'other']) assert.equal((await call(name)).stdout, '');
      box.configure({ demo: { type: 'http', url: named.url }, other: { type: 'http', url: named.url } });
      connected.offer.tools = [B];
      named.seen.length = 0;
      for (const source of [undefined, 'compact', 'clear']) {
        if (source) await box.start({ source, session_id: source === 'clear' ? 's2' : 's1' });
        const run = await box.call('demo', 'weather', { city: 'x' }, source === 'clear' ? { session_id: 's2' } : {});
        assert.equal(decision(run), mode === 'strict' ? 'ask' : undefined);
        if (source !== 'compact') assert.match(run.stdout, /entry in the settings changed since this session started/);
      }
      assert.equal((await call('other')).stdout, '');
      // A new client connects to what the settings name.
      box.env.CLAUDE_PID = String(process.ppid);
      await box.start({ source: 'resume' });
      assert.equal((await call()).stdout, '');
      // That changes nothing for one in which the same session goes on.
      box.env.CLAUDE_PID = String(process.pid);
      assert.equal(decision(await call()), mode === 'strict' ? 'ask' : undefined);
      const { stdout } = await drive('cli.cjs', JSON.stringify(explained(box)), box.env, ['explain'], true);
      assert.match(stdout, /entry in the settings changed since this session started/);
    });
});

describe('an entry that names other headers while its client stays connected', () => {
  const entry = (url: string) => ({ type: 'http', url, headers: { 'x-tenant': 'a', 'x-account': `\${ACCOUNT}` } });
  const changes: [what: string, change: (entry: JsonObject, env: NodeJS.ProcessEnv) => JsonObject, said: RegExp][] = [
    ['a header', (one) => ({ ...one, headers: { 'x-tenant': 'b' } }), /entry in the settings changed/],
    ['a helper', (one) => ({ ...one, headersHelper: 'echo {}' }), /entry in the settings changed/],
    [
      'a variable',
      (one, env) => Object.assign(env, { ACCOUNT: 'b' }) && one,
      /a variable that it names has another value/,
    ],
    ['a variable that is gone', (one, env) => Object.assign(env, { ACCOUNT: undefined }) && one, /ACCOUNT is not set/],
  ];
  for (const [what, change, said] of changes)
    it(`is told of as unchecked: ${what}`, async (test) => {
      const server = await serve(test, [A]);
      const box = await world(test, {});
      Object.assign(box.env, { CLAUDE_PID: String(process.pid), ACCOUNT: 'a' });
      box.configure({ demo: entry(server.url) });
      await box.start();
      box.show({ demo: [A] });
      const call = () => box.call('demo', 'weather', { city: 'x' });
      for (const _time of [1, 2]) assert.equal((await call()).stdout, '');
      box.configure({ demo: change(entry(server.url), box.env) });
      server.seen.length = 0;
      assert.match(message(await call()), said);
      assert.deepEqual(server.seen, [], 'what another tenant is listed says nothing');
    });
});

describe('an entry that names another address than when another client of the session started', () => {
  const CHANGED = /entry in the settings changed since this session started/;
  /** A session that one client has started, and whose entry can be edited. */
  const started = async (test: TestContext, client: number) => {
    const [before, after] = [await serve(test, [A]), await serve(test, [A])];
    const box = await world(test, { demo: before });
    box.env.CLAUDE_PID = String(client);
    await box.start();
    box.show({ demo: [A] });
    const edit = () => box.configure({ demo: { type: 'http', url: after.url } });
    const said = async (as: number) => {
      box.env.CLAUDE_PID = String(as);
      return (await box.call('demo', 'weather', { city: 'x' })).stdout;
    };
    return { ...box, edit, said };
  };

  it('is unchecked for a client whose start was not recorded, as long as the other one runs', async (test) => {
    const { edit, said } = await started(test, process.pid);
    assert.equal(await said(process.ppid), '');
    edit();
    assert.match(await said(process.ppid), CHANGED);
  });

  it('is unchecked in a session that a client resumes while it runs another one', async (test) => {
    const { begin, edit, said } = await started(test, ENDED);
    // The client begins a session of its own, and resumes the first one after the edit.
    await begin({ session_id: 's2' }, { CLAUDE_PID: String(process.pid) });
    edit();
    assert.equal(await said(process.ppid), '', 'another client connects to what the settings name now');
    await begin({ source: 'resume' }, { CLAUDE_PID: String(process.pid) });
    assert.match(await said(process.pid), CHANGED);
  });

  it('is asked there if that one has ended, as one that gives no process ID seems to have', async (test) => {
    const { edit, said } = await started(test, ENDED);
    edit();
    assert.equal(await said(process.ppid), '');
  });

  it('is known for each of two clients that start at once', async (test) => {
    const { begin, state } = await started(test, ENDED);
    const clients = [process.pid, process.ppid];
    await Promise.all(clients.map((one) => begin({ source: 'resume' }, { CLAUDE_PID: String(one) })));
    assert.deepEqual(new Set(Object.keys(readBaseline(state, 's1')?.addresses ?? {})), new Set(clients.map(String)));
  });

  it('is known for both, too, where one writes while the other one waits to', async (test) => {
    const { home, project, state, env } = await started(test, ENDED);
    const start = { home: state, project, env, session: 's1', source: 'resume', cwd: home, client: process.pid };
    const recorded = readBaseline(state, 's1') as SessionBaseline;
    const of = (client: number) => ({ ...recorded, addresses: { [client]: { demo: 'http://127.0.0.1:1' } } });
    const lock = askingPath(state, 'baseline-s1');
    // The process that the session's start left behind may still write.
    let held = tryLock(lock);
    for (const end = Date.now() + 10_000; held === undefined && Date.now() < end; held = tryLock(lock))
      await new Promise((wait) => setTimeout(wait, 20));
    assert.ok(held, 'another process kept the lock');
    const written = keepBaseline(start, of(process.pid));
    // Long enough to write, if it did not wait.
    await new Promise((wait) => setTimeout(wait, 50));
    writeBaseline(state, of(process.ppid));
    held.release();
    assert.equal(await written, undefined);
    assert.deepEqual(
      Object.keys(readBaseline(state, 's1')?.addresses ?? {}).sort(),
      [process.pid, process.ppid].map(String).sort(),
    );
    assert.ok(tryLock(lock), 'it is given up');
  });

  it('is unchecked after the servers were asked again for the baseline', async (test) => {
    const { home, project, state, env, edit } = await started(test, process.pid);
    edit();
    const start = { home: state, project, env, session: 's1', source: 'startup', cwd: home, client: process.pid };
    const [kept, again] = [readBaseline(state, 's1'), await startSession({ ...start, again: true }, 2_000, 2_000)];
    assert.notEqual(kept?.addresses, undefined);
    assert.deepEqual(again.baseline.addresses, kept?.addresses);
  });
});

describe('a call while a nearer entry of the same name appeared', () => {
  const sent = async (test: TestContext, source: string | undefined, isNearer = true) => {
    const [mine, nearer] = [await serve(test, [A]), await serve(test, [A])];
    const box = await world(test, { demo: mine });
    await box.start();
    box.show({ demo: [A] });
    const entry = ({ url }: McpOnLoopback) => ({ demo: { type: 'http', url } });
    const projects = isNearer ? { [box.project]: { mcpServers: entry(nearer) } } : {};
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: entry(mine), projects }));
    const server = { name: 'demo', ...defined({ source }) };
    const { answer } = await box.call('demo', 'weather', { city: 'x' }, { mcp_server: server });
    return { said: JSON.stringify(answer ?? ''), seen: nearer.seen.length };
  };

  it('is unchecked if it goes to the one that the client connected to, and the nearer one is not asked', async (test) => {
    const { said, seen } = await sent(test, 'user');
    assert.match(said, /could not check .*scope .*user.*restart Claude Code/);
    assert.equal(seen, 0);
  });

  it('is judged by the nearer one if it goes there', async (test) => {
    assert.ok((await sent(test, 'local')).seen > 0);
  });

  for (const source of ['user', 'plugin', 'x', '', undefined])
    it(`is judged by the only entry, also with the scope ${source}`, async (test) => {
      assert.equal((await sent(test, source, false)).said, '""');
    });
});

describe('a server that moved', () => {
  it('from a program to an address is asked there by a new client', async (test) => {
    const server = await serve(test, [B]);
    const box = await world(test, {});
    const program = join(box.home, 'program.js');
    writeFileSync(program, '');
    box.configure({ demo: { command: 'node', args: [program] } });
    box.env.CLAUDE_PID = String(process.pid);
    await box.start();
    box.show({ demo: [A] });
    for (const _time of [1, 2]) assert.equal((await box.call('demo', 'weather', { city: 'x' })).stdout, '');
    box.configure({ demo: { type: 'http', url: server.url } });
    // The client stays with the program that it started.
    const unchecked = await box.call('demo', 'weather', { city: 'x' });
    assert.match(message(unchecked), /entry in the settings changed since this session started.*go through unchecked/);
    box.env.CLAUDE_PID = String(process.ppid);
    await box.start({ source: 'resume' });
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'deny');
  });
});

describe('a server that was nowhere', () => {
  it('is asked from the moment that the settings name it', async (test) => {
    const server = await serve(test, [B]);
    const box = await world(test, {});
    await box.start();
    box.show({ demo: [A] });
    assert.match(message(await box.call('demo', 'weather', { city: 'x' })), /from scope `user`, where it is not found/);
    assert.equal((await box.call('demo', 'weather', { city: 'x' })).stdout, '');
    box.configure({ demo: { type: 'http', url: server.url } });
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'deny');
  });
});

describe('a gateway that answers each tenant in its own way', () => {
  const start = async (test: TestContext, config: JsonObject) => {
    const http = createServer(({ url, headers }, response) => {
      const isOther = url?.includes('tenant=b') || headers.authorization === 'Bearer b';
      response.end(JSON.stringify({ ttlMs: 60_000, tools: [isOther ? B : A] }));
    });
    await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
    test.after(() => http.close());
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const box = await sandbox(test, [], { freshFor: 60, ...config });
    return { box, url };
  };
  /** The model sees what tenant a runs; an answer for a does not show whether the same holds for tenant b. */
  const assertApart = async (box: Awaited<ReturnType<typeof sandbox>>, env: (tenant: string) => NodeJS.ProcessEnv) => {
    box.show([A], 'aaa1');
    const callAs = async (tenant: string): Promise<Run> => {
      Object.assign(box.env, env(tenant));
      await box.start({ session_id: tenant });
      return box.call('weather', { city: 'x' }, { session_id: tenant });
    };
    assert.equal((await callAs('a')).stdout, '');
    assert.match(message(await callAs('b')), /could not check/);
  };

  it('is another source with another query', async (test) => {
    const { box, url } = await start(test, {});
    await assertApart(box, (tenant) => ({ GATEWAY_URL: `${url}/?tenant=${tenant}` }));
  });

  it('is another source with another token', async (test) => {
    const { box, url } = await start(test, {});
    const gateways = { g: { url, headers: { authorization: `Bearer \${TENANT}` } } };
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ freshFor: 60, gateways }));
    await assertApart(box, (TENANT) => ({ GATEWAY_URL: undefined, TENANT }));
  });
});

describe('an answer from before', () => {
  /** During this test, every answer counts as live. */
  const long = { freshFor: 60 };

  it('stops no call: after a rollback the source is asked once more', async (test) => {
    const server = await serve(test, [A]);
    const box = await world(test, { demo: server }, long);
    await box.start();
    box.show({ demo: [A] });
    server.offer.tools = [B];
    await box.start({ session_id: 's2' });
    server.offer.tools = [A];
    assert.equal((await box.call('demo', 'weather', { city: 'x' })).stdout, '', 'the right call goes through');
  });

  it('is no baseline: a session that starts asks by itself, a gateway too', async (test) => {
    const server = await serve(test, [A]);
    const box = await world(test, { demo: server }, long);
    const gateway = await sandbox(test, [A], long);
    for (const [one, change] of [
      [box, (tools: Contract[]) => (server.offer.tools = tools)],
      [gateway, (tools: Contract[]) => gateway.release(tools)],
    ] as const) {
      await one.start();
      change([B]);
      await one.start({ session_id: 's2' });
      const baseline = readFileSync(join(one.state, 'sessions', 's2.json'), 'utf8');
      assert.match(baseline, /"place"/);
      assert.doesNotMatch(baseline, /"city"/);
    }
  });

  it('stays the baseline of its conversation, whoever says again that the conversation starts', async (test) => {
    const server = await serve(test, [A]);
    const box = await world(test, { demo: server });
    await box.start();
    server.offer.tools = [B];
    for (const source of ['startup', 'clear', 'resume']) await box.start({ source });
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'deny');
  });
});

describe('what could not be checked', () => {
  it('is told again after a recovery', async (test) => {
    let down = false;
    const server = await serve(test, [A], () => (down ? 503 : undefined));
    const box = await world(test, { demo: server });
    await box.start();
    box.show({ demo: [A] });
    const said: string[] = [];
    for (const state of ['up', 'down', 'down', 'up', 'down']) {
      down = state === 'down';
      // A source that just failed is not asked again for some seconds; this skips that pause.
      for (const file of existsSync(join(box.state, 'live')) ? readdirSync(join(box.state, 'live')) : [])
        if (file.endsWith('.head.json') && readFileSync(join(box.state, 'live', file), 'utf8').includes('"failure"'))
          writeFileSync(join(box.state, 'live', file), '');
      const run = await box.call('demo', 'weather', { city: 'x' });
      said.push(/could not check/.test(message(run)) ? 'told' : run.stdout);
    }
    assert.deepEqual(said, ['', 'told', '', '', 'told']);
  });

  it('is stopped in strict mode where the hook itself fails', async (test) => {
    const box = await world(test, {}, { servers: { careful: { mode: 'strict' } } });
    const broken = { tool_input: 'no object' };
    assert.equal(decision(await box.call('careful', 'weather', {}, broken)), 'deny');
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ servers: { careful: { mode: 'guard' } } }));
    const elsewhere = await box.call('careful', 'weather', {}, broken);
    assert.equal(decision(elsewhere), undefined);
    assert.match(message(elsewhere), /could not check: "tool_input".*went through unchecked/);
    // What asks for a mode that there is not, or cannot be read, may have asked for this one.
    for (const written of ['{"servers": {"careful": {"mode": "Strict"}}}', '{"mode": 1}', '{"mode": "guard",}']) {
      writeFileSync(join(box.state, 'config.json'), written);
      assert.equal(decision(await box.call('careful', 'weather', {}, broken)), 'deny', written);
    }
    // As some Windows editors write it.
    const settings = JSON.stringify({ servers: { careful: { mode: 'strict' } } });
    for (const written of [`\ufeff${settings}`, Buffer.from(`\ufeff${settings}`, 'utf16le')]) {
      writeFileSync(join(box.state, 'config.json'), written);
      assert.equal(decision(await box.call('careful', 'weather', {}, broken)), 'deny');
    }
  });

  it('is stopped where a hook fails later, if strict is the mode of its own server', async (test) => {
    const { env, state } = await world(
      test,
      {},
      { servers: { careful: { mode: 'strict' }, 'b.c': { mode: 'strict' } } },
    );
    const failed = (tool?: string, event = 'PreToolUse') => onError(event, new Error('odd'), tool, { ...env });
    assert.ok(existsSync(join(state, 'config.json')));
    for (const tool of ['mcp__careful__a', 'mcp__b_c__a', undefined]) assert.equal(failed(tool).decision, 'deny', tool);
    for (const tool of ['mcp__other__a', 'mcp__careful_too__a', 'mcp__x__mcp__careful__a']) {
      const { decision, systemMessage } = failed(tool);
      assert.equal(decision, undefined, tool);
      assert.match(systemMessage ?? '', /The call went through unchecked/);
    }
    assert.equal(failed(undefined, 'UserPromptExpansion').decision, 'deny');
    // A failure after the call stops nothing, and says nothing of a call.
    const { decision, systemMessage } = failed('mcp__careful__a', 'PostToolUse');
    assert.equal(decision, undefined);
    assert.match(systemMessage ?? '', /could not check.*Nothing else is affected/);
  });
});

describe('a baseline that is still on its way', () => {
  it('is no excuse any more once the process that fetches it is gone', async (test) => {
    const server = await serve(test, [A]);
    let slow = true;
    // Never for the questions of before: on a busy machine that process might get its answer first.
    server.offer.before = () => (slow ? new Promise(() => {}) : undefined);
    const box = await world(test, { demo: server });
    const start = {
      session_id: 's1',
      transcript_path: box.transcript,
      cwd: box.project,
      hook_event_name: 'SessionStart',
    };
    await runBuilt('session-start.cjs', JSON.stringify({ ...start, source: 'startup' }), box.env);
    const noted = JSON.parse(readFileSync(join(box.state, 'sessions/s1/finishing.json'), 'utf8')) as { pid: number };
    // Started by the hook that this test ran.
    process.kill(noted.pid, 'SIGKILL');
    slow = false;
    assert.match(message(await box.call('demo', 'weather', { city: 'x' })), /could not check/);
  });

  it('is not thrown away while its client runs, however many sessions come after it', async (test) => {
    const server = await serve(test, [A]);
    const box = await world(test, { demo: server });
    // This session's client is the process that starts the hooks: this one. The clients of the others have ended.
    await box.start({ session_id: 'long' });
    const short = Array.from({ length: 60 }, (_, index) => `short${index}`);
    for (const session of short) {
      const baseline = { session_id: session, client: ENDED, sources: {}, failed: {} };
      keep(join(box.state, 'sessions', `${session}.json`), { session }, baseline);
    }
    await box.start({ session_id: 'last' });
    const left = readdirSync(join(box.state, 'sessions')).filter((file) => file.startsWith('short'));
    assert.ok(left.length < short.length, 'what is over is thrown away');
    server.offer.tools = [B];
    assert.equal(decision(await box.call('demo', 'weather', { city: 'x' }, { session_id: 'long' })), 'deny');
  });
});

describe('a probe without a baseline', () => {
  it('records every source, and is fresh the next time', async (test) => {
    const box = await world(test, { one: await serve(test, [A]), two: await serve(test, [B]) });
    const probe = async () => (await drive('cli.cjs', null, box.env, ['probe', '--json'])).answer.data;
    const states = (data: { sources: { state: string }[] }): string[] => data.sources.map(({ state }) => state);
    assert.deepEqual(states(await probe()), ['no-baseline', 'no-baseline']);
    assert.deepEqual(states(await probe()), ['fresh', 'fresh']);
  });
});

describe('a state folder that cannot be used', {
  skip: process.platform === 'win32' && 'links need rights there',
}, () => {
  const kinds: [string, (state: string) => void][] = [
    ['it is gone', () => {}],
    ['it is a file', (state) => writeFileSync(state, 'x')],
    ['it is a link to itself', (state) => symlinkSync(state, state)],
    ['it is a device', (state) => symlinkSync('/dev/null', state)],
    ['it is a link to nowhere', (state) => symlinkSync(`${state}-nowhere`, state)],
    ...['live', 'sessions', 'activity'].map((part): [string, (state: string) => void] => [
      `${part} is a file`,
      (state) => {
        mkdirSync(state);
        writeFileSync(join(state, part), '');
      },
    ]),
  ];
  for (const [what, make] of kinds)
    it(`hides no stale call from the transcript: ${what}`, async (test) => {
      const server = await serve(test, [A]);
      const box = await world(test, { demo: server });
      await box.start();
      box.show({ demo: [A] });
      assert.equal((await box.call('demo', 'weather', { city: 'x' })).stdout, '');
      remove(box.state);
      make(box.state);
      server.offer.tools = [B];
      for (const _time of [1, 2])
        assert.equal(decision(await inTime(() => box.call('demo', 'weather', { city: 'x' }))), 'deny');
    });
});

describe('a claim to ask that nobody gives up', () => {
  const kinds: [string, (path: string) => void][] = [
    ['of a process that runs', (path) => writeFileSync(path, String(process.pid))],
    ['that is empty', (path) => writeFileSync(path, '')],
    ['that is a folder', (path) => mkdirSync(path)],
  ];
  for (const [what, make] of kinds)
    it(`keeps no call waiting for long: ${what}`, async (test) => {
      const server = await serve(test, [A]);
      const box = await world(test, { demo: server });
      await box.start();
      box.show({ demo: [A] });
      for (const _time of [1, 2]) assert.equal((await box.call('demo', 'weather', { city: 'x' })).stdout, '');
      const live = join(box.state, 'live');
      const heads = readdirSync(live).filter((name) => name.endsWith('.head.json'));
      assert.ok(heads.length > 0);
      for (const name of heads) make(join(live, name.replace('.head.json', '.asking')));
      server.offer.tools = [B];
      const start = performance.now();
      assert.equal(decision(await box.call('demo', 'weather', { city: 'x' })), 'deny');
      // Claude Code ends a hook after 10 s.
      assert.ok(performance.now() - start < 9_000, `${Math.round(performance.now() - start)} ms`);
    });
});

describe('state that was damaged', { concurrency: 2 }, () => {
  /** The file with each of its fields, in turn, replaced by another value. */
  const damaged = (file: string): string[] => {
    const value = JSON.parse(file) as JsonObject;
    const wrong = [null, 5, 'x', [], {}, [null], true];
    return [
      ...Object.keys(value).map((key, index) => JSON.stringify({ ...value, [key]: wrong[index % wrong.length] })),
      ...Object.keys(value)
        .filter((_key, index) => index % 3 === 0)
        .map((key) => JSON.stringify({ ...value, [key]: undefined })),
      file.slice(0, file.length / 2),
      file.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
      '[]',
      '',
    ];
  };
  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  for (const kind of ['live/', 'sessions/s1.json', 'sessions/s1/'])
    it(`hides no stale call: ${kind}`, async (test) => {
      const server = await serve(test, [A]);
      const box = await world(test, { demo: server });
      await box.start();
      box.show({ demo: [A] });
      for (const _time of [1, 2]) assert.equal((await box.call('demo', 'weather', { city: 'x' })).stdout, '');
      server.offer.tools = [B];
      const files = filesIn(box.state).filter((file) => file.startsWith(join(box.state, kind)));
      assert.ok(files.length > 0);
      const whole = new Map(filesIn(box.state).map((file) => [file, readFileSync(file)]));
      for (const file of files) {
        for (const [index, bad] of damaged(readFileSync(file, 'utf8')).entries()) {
          const run = await inTime(() => {
            // Nor does it remember what it said of the call before.
            for (const path of filesIn(box.state)) if (!whole.has(path)) remove(path);
            for (const [path, content] of whole) {
              mkdirSync(dirname(path), { recursive: true });
              writeFileSync(path, content);
            }
            writeFileSync(file, bad);
            return box.call('demo', 'weather', { city: 'x' });
          });
          assert.equal(
            decision(run),
            'deny',
            `${file.slice(box.state.length)}, damage ${index}: ${run.stdout}${run.stderr}`,
          );
        }
      }
    });
});
