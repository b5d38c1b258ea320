// What the resident guard knows beyond its files: which answers count, whose calls it tells of, and for how long it compares.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMcpHandler, Server as ModernServer } from '@modelcontextprotocol/server';
import { loadConfig } from '../scripts/config/config.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import type { ToolInput } from '../scripts/guard/input.ts';
import { isDirect } from '../scripts/resident/hook-fields.ts';
import { knownSources } from '../scripts/resident/knowledge.ts';
import { SentCalls } from '../scripts/resident/sent-calls.ts';
import { sentComparisons } from '../scripts/resident/sent-comparisons.ts';
import { tell } from '../scripts/resident/tell.ts';
import type { Threads } from '../scripts/resident/threads.ts';
import { doWork, type KnownToGuard, type Where } from '../scripts/resident/work.ts';
import { allSources } from '../scripts/sources/all.ts';
import { type Head, readHead, writeHead } from '../scripts/sources/head.ts';
import { askSource } from '../scripts/sources/live.ts';
import { thisMoment } from '../scripts/state/circumstances.ts';
import { remove } from '../scripts/state/in-use.ts';
import { startMcp } from './mcp-servers.ts';
import { nodeHandler } from './node-handler.ts';
import { sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const A = tool('weather', { city: text }, { required: ['city'], additionalProperties: false });
const B = tool('weather', { place: text }, { required: ['place'], additionalProperties: false });

const call = (more: Partial<ToolInput> = {}): ToolInput => ({
  session: 's1',
  transcript: '',
  cwd: '/',
  event: 'PreToolUse',
  toolName: 'mcp__demo__weather',
  arguments: { city: 'x' },
  toolUseId: 'toolu_1',
  server: 'demo',
  ...more,
});

const headNow = (more: Partial<Head> = {}): Head => {
  const { at, up } = thisMoment();
  return { name: 'demo', checkedAt: at, checkedUp: up, freshUntil: at + 1_000, digest: 'd', ...more };
};

describe('an answer counts for a tool that only reads', () => {
  const known = () => knownSources({} as Threads, () => {});

  it('if it was asked for since the conversation began to think, and for no other tool', async () => {
    const { knowledge, answered, prompted } = known();
    const before = headNow();
    answered({ session: 's1' }, [], true);
    const since = headNow();
    assert.equal(knowledge.counts('a', before, call(), true), undefined, 'it is from before');
    assert.equal(knowledge.counts('a', since, call(), true), true);
    assert.equal(knowledge.counts('a', since, call(), false), undefined, 'a tool that may write');
    await prompted({ session: 's1' });
    assert.equal(knowledge.counts('a', since, call(), true), undefined, 'it thinks about a new prompt');
    assert.equal(knowledge.counts('a', headNow(), call(), true), true);
  });

  it('in that conversation alone: neither for a subagent nor in another session', () => {
    const { knowledge, answered } = known();
    answered({ session: 's1' }, [], true);
    assert.equal(knowledge.counts('a', headNow(), call({ agent: 'a1' }), true), undefined);
    assert.equal(knowledge.counts('a', headNow(), call({ session: 's2' }), true), undefined);
    assert.equal(knowledge.counts('a', headNow({ session: 's2' }), call(), true), undefined, 'for other credentials');
    assert.equal(knowledge.counts('a', headNow({ session: 's1' }), call(), true), true);
  });

  it('not after a question that failed', () => {
    const { knowledge, answered } = known();
    answered({ session: 's1' }, [], true);
    const failure = { status: 'unreachable', why: 'ECONNREFUSED' } as const;
    assert.equal(knowledge.counts('a', headNow({ failure }), call(), true), undefined);
  });

  it('and a call that ran is known as that', () => {
    const { knowledge, known: handed, begun, succeeded } = known();
    succeeded('toolu_1');
    assert.deepEqual([knowledge.ran('toolu_1'), knowledge.ran('toolu_2')], [true, false]);
    assert.deepEqual(handed().ran, ['toolu_1']);
    // Another call under the same id.
    begun('toolu_1');
    assert.equal(knowledge.ran('toolu_1'), false);
  });
});

it('a hook names the call that it is about; a model that calls the tool itself names another one, or none', () => {
  const cause = (id: string) => ({ 'claudecode/toolUseId': id });
  assert.equal(isDirect({ tool_use_id: 'toolu_1' }, {}), false);
  assert.equal(isDirect({ tool_use_id: 'toolu_1' }, cause('toolu_1')), false);
  assert.equal(isDirect({ tool_use_id: 'toolu_1' }, cause('toolu_2')), true);
  assert.equal(isDirect({}, cause('toolu_2')), true);
});

describe('a server whose changed tools take long to compare', () => {
  it('gets five seconds a minute, and takes none from the others', async (test) => {
    let now = 1_000;
    test.mock.method(process, 'uptime', () => now);
    const limits: number[] = [];
    const slow = { demo: 3, other: 0.001 };
    const threads = {
      run: async (_of: string, { change }: { change: { server: keyof typeof slow } }, ms: number) => {
        limits.push(ms);
        now += slow[change.server];
      },
    } as unknown as Threads;
    const comparisons = sentComparisons(threads);
    const compare = (server: keyof typeof slow) => comparisons.compare({ server } as never, server);
    assert.deepEqual([await compare('demo'), await compare('demo')], [undefined, undefined]);
    assert.deepEqual(limits, [3_000, 2_000], 'what is left of its time');
    assert.equal(await compare('demo'), 'not compared');
    assert.equal(await compare('other'), undefined);
    now += 60;
    assert.equal(await compare('demo'), undefined, 'a minute later');
  });

  it('and fails, is told as not compared', async () => {
    const threads = { run: () => Promise.reject(new Error('it took longer')) } as unknown as Threads;
    assert.equal(await sentComparisons(threads).compare({} as never, 'demo'), 'not compared');
  });
});

describe('calls whose tools changed after they were sent', () => {
  const world = (test: Pick<TestContext, 'after'>, outcome: (id: string) => unknown = () => undefined) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-known-'));
    test.after(() => remove(home));
    const compared: string[] = [];
    const threads = {
      run: async (_of: string, { change }: { change: { input: ToolInput } }) => {
        compared.push(change.input.toolUseId);
        return outcome(change.input.toolUseId);
      },
    } as unknown as Threads;
    const calls = new SentCalls(threads, () => []);
    const sources = [{ key: 'a', digest: 'old' }];
    const send = (toolUseId: string, more: Partial<ToolInput> = {}, stopped = false): void =>
      calls.add(call({ toolUseId, ...more }), { sources, reads: false, stopped });
    const ask = (toolUseId: string): void =>
      calls.add(call({ toolUseId }), { sources, reads: false, stopped: false, asked: true });
    const answer = (more: Partial<Head> = {}): void => writeHead(home, 'a', headNow({ digest: 'new', ...more }));
    const messages = (agent?: string, current?: ToolInput, decision?: 'ask' | 'deny', isUnread?: () => boolean) =>
      calls.messages(
        { session: 's1', agent },
        { home, project: home, env: {}, since: thisMoment() },
        () => false,
        { current, decision },
        isUnread,
      );
    /** What is told with the answer of a call. */
    const withAnswer = (current: ToolInput) => calls.due({ session: 's1' }, home, { current });
    return { home, calls, compared, send, ask, answer, messages, withAnswer };
  };
  const told = (systemMessage: string, isOver = false) => ({
    answer: { systemMessage },
    isOver,
    about: { session: 's1', about: systemMessage },
  });

  it('are not those that were stopped, or that the client gave up', async (test) => {
    const { calls, compared, send, answer, messages } = world(test);
    send('toolu_1', {}, true);
    send('toolu_2', { toolName: 'mcp__demo__other' });
    calls.withdraw('s1', 'toolu_2');
    assert.equal(calls.noteOn('s1', 'toolu_2'), undefined);
    send('toolu_3', { toolName: 'mcp__demo__third' });
    answer();
    await messages();
    assert.deepEqual(compared, ['toolu_3']);
    // A client that sent it all the same gets its answer.
    calls.answered('s1', 'toolu_2');
    await messages();
    assert.deepEqual(compared, ['toolu_3', 'toolu_2']);
  });

  it('are not those that a person was asked about, until an answer shows that they were sent', async (test) => {
    const { calls, compared, send, ask, answer, messages } = world(test);
    for (const id of ['toolu_no', 'toolu_yes', 'call_0']) ask(id);
    assert.equal(calls.noteOn('s1', 'toolu_yes'), undefined);
    answer();
    await messages();
    assert.deepEqual(compared, []);
    calls.answered('s1', 'toolu_yes');
    assert.notEqual(calls.noteOn('s1', 'toolu_yes'), undefined);
    // The person refused the first call of this id.
    send('call_0', { toolName: 'mcp__demo__other' }, true);
    calls.answered('s1', 'call_0');
    await messages();
    assert.deepEqual(compared, ['toolu_yes']);
  });

  it('are told to a subagent if they are its own, and all of them to the main conversation', async (test) => {
    const { compared, send, answer, messages } = world(test);
    send('toolu_1');
    send('toolu_2', { agent: 'a1' });
    answer();
    await messages('a1');
    assert.deepEqual(compared, ['toolu_2']);
    await messages();
    assert.deepEqual(compared, ['toolu_2', 'toolu_1']);
  });

  it('are not those of a source that failed since: that tells nothing', async (test) => {
    const { compared, send, answer, messages } = world(test);
    send('toolu_1');
    answer({ failure: { status: 'unreachable', why: 'ECONNREFUSED' } });
    await messages();
    assert.deepEqual(compared, []);
    answer();
    await messages();
    assert.deepEqual(compared, ['toolu_1']);
  });

  it('are told once', async (test) => {
    const { send, answer, messages } = world(test, () => told('weather changed'));
    send('toolu_1');
    answer();
    assert.deepEqual(await messages(), { systemMessage: 'weather changed' });
    answer({ digest: 'newer' });
    assert.deepEqual(await messages(), {});
  });

  it('and that are over wait for the next prompt beside a call that is stopped; and are out of date once their tool is called', async (test) => {
    const over = { toolName: 'mcp__demo__other', toolUseId: 'toolu_9' };
    const first = world(test, () => told('weather changed', true));
    first.send('toolu_1');
    first.answer();
    assert.deepEqual(await first.messages(undefined, call(over), 'deny'), {});
    assert.deepEqual(await first.messages(undefined, call(over)), {}, 'beside another call, too');
    assert.deepEqual(await first.messages(), { systemMessage: 'weather changed' });
    const second = world(test, () => told('weather changed', true));
    second.send('toolu_1');
    second.answer();
    assert.deepEqual(await second.messages(undefined, call(over), 'deny'), {});
    assert.deepEqual(await second.messages(undefined, call({ toolUseId: 'toolu_9' })), {});
    assert.deepEqual(await second.messages(), {});
  });

  it('and that are found once their tool was called again are out of date, too', async (test) => {
    for (const isCalled of [false, true]) {
      let find = (_: unknown): void => {};
      const slow = new Promise((done) => {
        find = done;
      });
      const { send, answer, messages } = world(test, () => slow);
      send('toolu_1');
      answer();
      const elsewhere = call({ toolName: 'mcp__demo__other', toolUseId: 'toolu_8' });
      assert.deepEqual(await messages(undefined, elsewhere, 'deny'), {});
      if (isCalled) assert.deepEqual(await messages(undefined, call({ toolUseId: 'toolu_9' }), 'deny'), {});
      find(told('weather changed', true));
      await sleep(0);
      assert.deepEqual(await messages(), isCalled ? {} : { systemMessage: 'weather changed' });
    }
  });

  it('are not told with a question: after a no the model would read nothing of it', async (test) => {
    const changed = { systemMessage: 'weather changed' };
    const asked = call({ toolName: 'mcp__demo__other', toolUseId: 'toolu_9' });
    const refused = world(test, () => told('weather changed'));
    refused.send('toolu_1');
    refused.answer();
    assert.deepEqual(await refused.messages(undefined, asked, 'ask'), {});
    assert.deepEqual(await refused.messages(), changed);
    const granted = world(test, () => told('weather changed'));
    granted.send('toolu_1');
    granted.answer();
    assert.deepEqual(await granted.messages(undefined, asked, 'ask'), {});
    assert.deepEqual(granted.withAnswer(asked), changed);
    assert.deepEqual(await granted.messages(), {});
  });

  it('and about a tool that was asked about: told after a no, out of date after a yes', async (test) => {
    const asked = call({ toolUseId: 'toolu_9' });
    const question = async () => {
      const made = world(test, () => told('weather changed', true));
      made.send('toolu_1');
      made.answer();
      assert.deepEqual(await made.messages(undefined, asked, 'ask'), {});
      return made;
    };
    const refused = await question();
    assert.deepEqual(await refused.messages(), { systemMessage: 'weather changed' });
    const granted = await question();
    assert.deepEqual(granted.withAnswer(asked), {});
    assert.deepEqual(await granted.messages(), {});
  });

  it('wait where a person interrupts the model before it reads them', async (test) => {
    const { send, answer, messages } = world(test, () => told('weather changed'));
    send('toolu_1');
    answer();
    assert.deepEqual(await messages(undefined, call({ toolUseId: 'toolu_9' }), 'deny', () => true), {});
    assert.deepEqual(await messages(undefined, undefined, undefined, () => true), {});
    assert.deepEqual(await messages(), { systemMessage: 'weather changed' });
  });
});

describe('work that a thread does', () => {
  const world = async (test: TestContext, tools: Contract[]) => {
    const server = await startMcp('stateless', { tools });
    test.after(() => server.close());
    const box = await sandbox(test, [], { freshFor: 60 });
    box.env.GATEWAY_URL = undefined;
    const servers = { demo: { type: 'http', url: server.url } };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: servers, projects: {} }));
    await box.start();
    const where = (): Where => ({ home: box.state, project: box.project, env: box.env, since: thisMoment() });
    const config = loadConfig(box.state, box.project, box.env);
    const source = allSources(config, box.project, box.env).servers[0] ?? assert.fail('no source');
    const ask = () => askSource(box.state, source, { freshFor: 60, deadline: 20_000, force: true });
    const judge = async (known: Partial<KnownToGuard> = {}) => {
      server.seen.length = 0;
      const all: KnownToGuard = { subscribed: [], announced: [], ran: [], ...known };
      const work = { kind: 'judge', input: call({ cwd: box.project }), where: where(), asked: undefined } as const;
      const found = await doWork({ ...work, known: all }, async () => undefined);
      assert.ok(found !== undefined && 'answer' in found && 'judged' in found, JSON.stringify(found));
      return { ...found, questions: server.seen.filter((name) => name === 'POST tools/list').length };
    };
    return { ...box, server, source, where, ask, judge };
  };

  it('asks no server that announces its changes, and announced none', async (test) => {
    const { source, judge } = await world(test, [A]);
    const found = await judge({ subscribed: [source.key] });
    assert.deepEqual([found.answer, found.questions, found.asked], [{}, 0, []]);
    assert.deepEqual(
      found.judged?.sources.map(({ key }) => key),
      [source.key],
    );
  });

  it('asks it after it announced a change, however fresh its last answer is', async (test) => {
    const { server, source, judge } = await world(test, [A]);
    server.offer.tools = [B];
    const found = await judge({ announced: [[source.key, thisMoment()]] });
    assert.equal(found.answer.decision, 'deny');
    assert.ok(found.questions > 0);
    assert.deepEqual(found.asked.at(-1), [source.key, { status: 'live' }]);
    assert.equal(found.judged?.stopped, true);
  });

  it('stops no call by what is stored: before that it asks, although the server is said to announce changes', async (test) => {
    const { server, source, ask, judge } = await world(test, [A]);
    server.offer.tools = [B];
    await ask();
    server.offer.tools = [A];
    const found = await judge({ subscribed: [source.key] });
    assert.deepEqual([found.answer, found.questions > 0], [{}, true]);
  });

  it('cannot ask a source that the settings no longer name', async (test) => {
    const { where } = await world(test, [A]);
    const options = { freshFor: 60, deadline: 1_000 };
    const found = await doWork({ kind: 'ask', key: 'gone-0', where: where(), options }, async () => undefined);
    assert.deepEqual(found, { status: 'failed', kind: 'unaskable' });
  });

  it('tells of a tool that is gone as gone since the call, if this ran; otherwise it may have failed by that', async (test) => {
    const { server, ask, where } = await world(test, [A]);
    server.offer.tools = [];
    await ask();
    const change = { input: call(), isRecalled: false, isOver: false, age: 1_000, where: where() };
    const asSince = async (ran: string[], isOver = false) => (await tell({ ...change, isOver, ran }))?.isOver;
    assert.deepEqual([await asSince(['toolu_1']), await asSince([]), await asSince([], true)], [true, false, true]);
  });

  it('tells nothing of a call that a person refused before it was sent: no hook tells of that', async (test) => {
    const { home, server, ask, where } = await world(test, [A]);
    server.offer.tools = [B];
    await ask();
    const transcript = join(home, 'refused.jsonl');
    const result = (toolDenialBeforeRun?: boolean, tool_use_id = 'toolu_1'): string => {
      const content = [{ type: 'tool_result', tool_use_id, content: 'x', is_error: true }];
      return `${JSON.stringify({ type: 'user', message: { content }, toolDenialBeforeRun })}\n`;
    };
    const isTold = async (unanswered: number | undefined, ...results: string[]): Promise<boolean> => {
      writeFileSync(transcript, results.join(''));
      const change = {
        input: call({ transcript }),
        isRecalled: false,
        isOver: false,
        age: 1_000,
        where: where(),
        ran: [],
      };
      return (await tell({ ...change, ...(unanswered === undefined ? {} : { unanswered }) })) !== undefined;
    };
    assert.equal(await isTold(0, result(true)), false);
    assert.equal(await isTold(0), true, 'it still runs');
    assert.equal(await isTold(0, result()), true, 'a person interrupted it while it ran');
    assert.equal(await isTold(0, result(true, 'toolu_2')), true);
    assert.equal(await isTold(undefined, result(true)), true, 'a hook told of its end');
    const before = result(true);
    assert.equal(await isTold(before.length, before), true, 'an earlier call had its id');
  });

  it('tells nothing where the change does not concern the call, and nothing of a call whose arguments are gone', async (test) => {
    const { server, ask, where } = await world(test, [A]);
    const change = { input: call(), isRecalled: false, isOver: false, age: 1_000, where: where(), ran: [] };
    server.offer.tools = [A, B].map((one, at) => ({ ...one, name: at === 0 ? 'weather' : 'other' }));
    await ask();
    assert.equal(await tell(change), undefined);
    server.offer.tools = [B];
    await ask();
    assert.equal(await tell({ ...change, isRecalled: true }), undefined);
    assert.ok(await tell(change));
  });

  it('tells of a call that is only noted by the arguments that the transcript has of it', async (test) => {
    const page = (...names: string[]) =>
      tool('weather', Object.fromEntries(names.map((name) => [name, text])), { additionalProperties: false });
    const { home, server, ask, where } = await world(test, [page('city', 'style')]);
    server.offer.tools = [page('city')];
    await ask();
    const transcript = join(home, 'noted.jsonl');
    const isTold = async (input: JsonObject, id = 'toolu_1'): Promise<boolean> => {
      const content = [{ type: 'tool_use', id, name: 'mcp__demo__weather', input }];
      writeFileSync(transcript, `${JSON.stringify({ type: 'assistant', message: { content } })}\n`);
      const noted = call({ transcript, arguments: {} });
      const change = { input: noted, isRecalled: true, isOver: false, age: 1_000, where: where(), ran: [] };
      return (await tell(change)) !== undefined;
    };
    assert.equal(await isTold({ city: 'Rabat', style: 'short' }), true);
    assert.equal(await isTold({ city: 'Rabat' }), false);
    assert.equal(await isTold({ city: 'Rabat', style: 'short' }, 'toolu_2'), false, 'another call');
  });
});

describe('a server that announces what changes', () => {
  const until = async (isSo: () => boolean, why: string): Promise<void> => {
    for (const end = Date.now() + 20_000; !isSo(); await sleep(10)) assert.ok(Date.now() < end, why);
  };

  it('is not asked for calls of any tool until it does; what it answered before that counts no more', async (test) => {
    let tools = [A];
    let questions = 0;
    const official = createMcpHandler(() => {
      const made = new ModernServer({ name: 'x', version: '1' }, { capabilities: { tools: { listChanged: true } } });
      made.setRequestHandler('tools/list', async () => {
        questions += 1;
        return { tools } as never;
      });
      return made;
    });
    const http = createServer(nodeHandler(official));
    await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
    const box = await sandbox(test, [], { freshFor: 0 });
    box.env.GATEWAY_URL = undefined;
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const servers = { demo: { type: 'http', url } };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: servers, projects: {} }));
    await box.start();
    const where: Where = { home: box.state, project: box.project, env: box.env, since: thisMoment() };
    const config = loadConfig(box.state, box.project, box.env);
    const [source = assert.fail('no source')] = allSources(config, box.project, box.env).servers;
    let isHeld = false;
    const threads = {
      run: async (_of: string, work: Parameters<typeof doWork>[0]) => {
        await until(() => !isHeld, 'it is held');
        return doWork(work, async () => undefined);
      },
    } as unknown as Threads;
    const { knowledge, isSubscribed, asked, known, close } = knownSources(threads, () => {});
    test.after(async () => {
      await close();
      http.closeAllConnections();
      http.close();
    });
    asked([[source.key, { status: 'live' }]], where, 's1');
    await until(() => isSubscribed(source.key), 'it is not heard');
    const head = () => readHead(box.state, source.key) ?? assert.fail('no answer');
    const before = head();
    const asMany = questions;
    assert.equal(knowledge.counts(source.key, before, call(), false), true);
    assert.deepEqual(known().subscribed, [source.key]);
    assert.equal(questions, asMany);

    tools = [B];
    isHeld = true;
    official.notify.toolsChanged();
    await until(() => knowledge.counts(source.key, before, call(), false) !== true, 'its word was not heard');
    assert.equal(knowledge.counts(source.key, before, call(), true), false);
    assert.deepEqual([known().subscribed, known().announced.map(([key]) => key)], [[], [source.key]]);
    isHeld = false;
    await until(() => head().digest !== before.digest && isSubscribed(source.key), 'it was not asked then');
    assert.equal(knowledge.counts(source.key, head(), call(), false), true);
  });
});
