// What the guard asks a wrap that stands before a server, and which of several wraps it takes for the one of its client.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Server } from '../scripts/servers/types.ts';
import { wrappedSource } from '../scripts/sources/wrapped.ts';
import { remove } from '../scripts/state/in-use.ts';
import { sessionsPath } from '../scripts/state/paths.ts';
import { listedDigest } from '../scripts/state/wraps.ts';
import { besideGuard } from '../scripts/wrap/beside-guard.ts';
import type { Message } from '../scripts/wrap/message.ts';
import type { Upstream } from '../scripts/wrap/relay.ts';
import { sandbox, tool } from './sandbox.ts';

const SEARCH = tool('search', { query: { type: 'string' } });
const FOUND = tool('search', { text: { type: 'string' } });
const WORDS = ['--name', 'demo', '--', 'node', 'server.mjs'];

const result = (value: object): Message => ({ params: {}, result: value });
const error = (code: number): Message => ({ params: {}, error: { code, message: 'no' } });

/** A wrap that runs, and the source that the guard makes of its entry. */
const world = async (test: TestContext, upstream: Partial<Upstream> = {}) => {
  const home = mkdtempSync(join(tmpdir(), 'kwg-'));
  const [state, project] = [join(home, 'state'), join(home, 'project')];
  mkdirSync(sessionsPath(state), { recursive: true });
  mkdirSync(project);
  const env = { HOME: home, KONNICHIWAGWAN_HOME: state };
  const link = besideGuard(
    WORDS,
    {
      look: async () => ({ tools: [SEARCH], result: {} }),
      served: async () => [JSON.stringify(FOUND)],
      request: async () => error(-32601),
      ...upstream,
    },
    async () => ({ pass: true }),
    {
      project,
      env,
      given: { ...env, CLAUDE_CODE_SESSION_ID: 's1', TENANT: 'a' },
      standsFor: () => ({ search_v2: 'search' }),
      unapproved: async () => undefined,
    },
  );
  test.after(() => {
    link?.close();
    remove(home);
  });
  const source = (more: NodeJS.ProcessEnv, variables: Record<string, string> = { TENANT: 'a' }, own = WORDS) => {
    const launch = { type: 'stdio' as const, command: 'kwg', args: ['wrap', ...own], env: variables };
    const server: Server = { name: 'demo', scope: 'user', launch, configured: launch, unset: [], state: 'ready' };
    return (
      wrappedSource(server, more.CLAUDE_PROJECT_DIR ?? project, { ...env, ...more }, false) ??
      assert.fail('the entry starts no wrap')
    );
  };
  const here = source({ CLAUDE_CODE_SESSION_ID: 's1' });
  await here.wrap?.appears(Date.now() + 20_000);
  return { here, source };
};

describe('a server behind wrap', () => {
  it('lists what it has now, with the digest of each tool as it sent it, and what new names stand for', async (test) => {
    const { here } = await world(test);
    const answer = await here.ask(undefined, 20_000);
    assert.ok(answer.status === 'answered', JSON.stringify(answer));
    assert.deepEqual(
      answer.list.tools.map(({ inputSchema }) => inputSchema),
      [SEARCH.inputSchema],
    );
    assert.deepEqual(answer.list.listed, { search: listedDigest(SEARCH) });
    assert.deepEqual(answer.list.standsFor, { search_v2: 'search' });
    assert.ok(Number(here.changedAt?.()) <= Date.now() + 1_000);
  });

  it('tells when it last saw another list before it is asked, and nothing where none runs', async (test) => {
    const { here, source } = await world(test);
    const seen = here.changedAt?.();
    assert.ok(seen !== undefined && Date.now() - seen < 60_000, `${seen}`);
    assert.ok(here.wrap?.about());
    const none = source({ CLAUDE_PID: '4194303', CLAUDE_CODE_SESSION_ID: 's2' });
    assert.deepEqual([none.changedAt?.(), none.wrap?.about()], [undefined, undefined]);
  });

  it('tells apart what the client was given last', async (test) => {
    const { here } = await world(test);
    const served = await here.wrap?.served(20_000);
    assert.deepEqual(
      served?.map(({ inputSchema }) => inputSchema),
      [FOUND.inputSchema],
    );
  });

  it('that failed to list its tools is unreachable, for that reason', async (test) => {
    const { here } = await world(test, { look: async () => ({ failed: 'no answer in time' }) });
    assert.deepEqual(await here.ask(undefined, 20_000), { status: 'unreachable', why: 'no answer in time' });
  });

  it('gives all pages of its prompts; a list of resources that it answers with an error is unread, and no other', async (test) => {
    const { here } = await world(test, {
      request: async (method, params) => {
        if (method === 'resources/list') return result({ resources: [{ uri: 'file:///a', name: 'a' }] });
        if (method === 'resources/templates/list') return error(-32000);
        const { cursor } = params as { cursor?: string };
        return result(
          cursor === undefined
            ? { prompts: [{ name: 'greet' }], nextCursor: 'more' }
            : { prompts: [{ name: `part ${cursor}` }] },
        );
      },
    });
    const prompts = await here.offered?.('prompts', 20_000);
    assert.ok(prompts?.status === 'offered', JSON.stringify(prompts));
    assert.deepEqual(
      prompts.offers.map(({ name }) => name),
      ['prompt greet', 'prompt part more'],
    );
    const resources = await here.offered?.('resources', 20_000);
    assert.equal(resources?.status, 'invalid');
    const answer = await here.ask(undefined, 20_000, true);
    assert.ok(answer.status === 'answered', JSON.stringify(answer));
    assert.deepEqual(Object.keys(answer.list.unread ?? {}), ['resources']);
    assert.deepEqual(answer.list.tools.length, 1);
  });

  it('has no such list where it knows of none', async (test) => {
    const { here } = await world(test);
    for (const kind of ['prompts', 'resources'] as const)
      assert.deepEqual(await here.offered?.(kind, 20_000), { status: 'offered', offers: [] });
  });

  it('whose list of prompts does not end is unread', async (test) => {
    const { here } = await world(test, { request: async () => result({ prompts: [], nextCursor: 'again' }) });
    const prompts = await here.offered?.('prompts', 20_000);
    assert.ok(prompts?.status === 'invalid', JSON.stringify(prompts));
    assert.match(prompts.why, /does not end/);
  });
});

it('a call that passed in silence is judged again once wrap saw another contract, however fresh the answer is', async (test) => {
  const box = await sandbox(test, [], { freshFor: 60 });
  mkdirSync(sessionsPath(box.state), { recursive: true });
  Object.assign(box.env, { GATEWAY_URL: undefined, CLAUDE_CODE_SESSION_ID: 's1' });
  const demo = { command: 'kwg', args: ['wrap', ...WORDS] };
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { demo } }));
  let listed = { tools: [SEARCH], result: {} };
  const upstream = {
    look: async () => listed,
    served: async () => [JSON.stringify(SEARCH)],
    request: async () => error(-32601),
  };
  const link = besideGuard(WORDS, upstream, async () => ({ pass: true }), {
    project: box.project,
    env: box.env,
    given: box.env,
    standsFor: () => ({}),
    unapproved: async () => undefined,
  });
  test.after(() => link?.close());
  await box.start();
  const call = async (id: string) => (await box.call('search', { query: 'x' }, { tool_use_id: id })).stdout;
  for (const id of ['toolu_1', 'toolu_2']) assert.equal(await call(id), '');
  listed = { tools: [tool('search', { text: { type: 'string' } }, { required: ['text'] })], result: {} };
  assert.equal(await call('toolu_3'), '', 'nothing has seen the change yet');
  const sent = { name: 'search', args: { query: 'x' }, served: [], listed, beside: () => new Set<string>() };
  assert.ok(await link?.judged(sent, 'toolu_3'));
  assert.match(await call('toolu_4'), /"permissionDecision":"deny"/);
});

describe('which wrap is asked', () => {
  const PARENT = String(process.ppid);
  const cases: [what: string, more: NodeJS.ProcessEnv, variables?: Record<string, string>, own?: string[]][] = [
    ['that of its client', { CLAUDE_PID: PARENT }],
    ['that of its client, after a /clear', { CLAUDE_PID: PARENT, CLAUDE_CODE_SESSION_ID: 's2' }],
    ['that of its session', { CLAUDE_PID: '4194303', CLAUDE_CODE_SESSION_ID: 's1' }],
    ['at a terminal that of the project', {}],
  ];
  for (const [what, more] of cases)
    it(what, async (test) => {
      const { source } = await world(test);
      assert.equal((await source(more).ask(undefined, 20_000)).status, 'answered');
    });

  const others: typeof cases = [
    ['not that of another session', { CLAUDE_PID: '4194303', CLAUDE_CODE_SESSION_ID: 's2' }],
    ['not that of another project', { CLAUDE_PROJECT_DIR: '/elsewhere' }],
    ['not one with other variables', { CLAUDE_PID: PARENT }, { TENANT: 'b' }],
    ['not one that lacks a variable', { CLAUDE_PID: PARENT }, { TENANT: 'a', KEY: 'x' }],
    ['not one with another command line', { CLAUDE_PID: PARENT }, { TENANT: 'a' }, [...WORDS, '--all']],
  ];
  for (const [what, more, variables, own] of others)
    it(what, async (test) => {
      const { source } = await world(test);
      const { status } = await source(more, variables, own).ask(undefined, 20_000);
      // Outside of a session, it is normal that none runs.
      const isInSession = more.CLAUDE_PID !== undefined;
      assert.equal(status, isInSession ? 'unreachable' : 'unaskable');
    });
});
