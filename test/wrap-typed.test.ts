// Typed tools instead of a generic invoker: `wrap --invoker`.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import type { Json } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { answersIn, innerToolsIn, serversIn } from '../scripts/wrap/typed/inner-tools.ts';
import { typedName } from '../scripts/wrap/typed/typed-tools.ts';
import { hostOfWrap } from './wrap-host.ts';
import { startServer } from './wrap-sides.ts';

const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-typed-'));
after(() => remove(root));

const text = { type: 'string' };
const closed = (properties: object, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const sendEmail = (to: string) => ({
  name: 'send_email',
  description: 'Sends an e-mail',
  inputSchema: closed({ [to]: { type: 'array', items: text }, subject: text }, [to, 'subject']),
  outputSchema: { type: 'object' },
});
const listAccounts = { name: 'list_accounts', inputSchema: closed({}, []) };
const servers = { 'calendar-mcp': [sendEmail('to'), listAccounts], files: [listAccounts] };
const TYPED = ['calendar-mcp__send_email', 'calendar-mcp__list_accounts', 'files__list_accounts'];

let count = 0;
const hubOf = (test: TestContext, hub: object, options: string[] = [], state = join(root, 'state')) => {
  const file = join(root, `hub-${count++}.json`);
  const set = (next: object): void => writeFileSync(file, JSON.stringify(next));
  set(hub);
  const words = ['--invoker', ...options, '--', process.execPath, resolve('test/wrap-hub.mjs'), file];
  const host = hostOfWrap(words, { HOME: root, KONNICHIWAGWAN_HOME: state });
  test.after(() => host.end());
  return { host, set };
};
const namesOf = (tools: { name: string }[]): string[] => tools.map(({ name }) => name);
const mail = { to: ['a@example.com'], subject: 'Hello' };

describe('the tools behind an invoker', () => {
  for (const form of ['all', 'each']) {
    it(`are tools of their own, and the invoker is none: a hub that lists ${form === 'all' ? 'all at once' : 'each server apart'}`, async (test) => {
      const { host } = hubOf(test, { servers, form });
      await host.begin();
      const tools = await host.tools();
      assert.deepEqual(namesOf(tools).slice(-3), TYPED);
      assert.ok(namesOf(tools).includes('hub_version') && !namesOf(tools).includes('mcp_invoke_tool'));
      const { name: _, outputSchema: __, ...listed } = sendEmail('to');
      assert.deepEqual(
        tools.find(({ name }) => name === TYPED[0]),
        { name: TYPED[0], ...listed },
      );
      assert.equal(
        await host.call('calendar-mcp__send_email', mail),
        `mcp_invoke_tool ${JSON.stringify({ server_name: 'calendar-mcp', tool_name: 'send_email', arguments: mail })}`,
      );
      assert.equal(await host.call('hub_version'), 'hub_version {}');
      // A prompt may know it by name.
      assert.match(
        await host.call('mcp_invoke_tool', { server_name: 'files', tool_name: 'x' }),
        /^konnichiwagwan could not check this call of `mcp_invoke_tool`.*\nmcp_invoke_tool /,
      );
    });
  }

  for (const isSwapped of [false, true])
    it(`are called with all digits of a number${isSwapped ? ', under a new name as well' : ''}`, async (test) => {
      const host = startServer(
        test,
        `const open = { type: 'object', properties: { tool_name: { type: 'string' }, arguments: { type: 'object' } }, required: ['tool_name', 'arguments'] };
         const about = (name) => ({ name: 'post', inputSchema: { type: 'object', properties: { [name]: { type: 'integer' } }, required: [name] } });
         tools = [{ name: 'call_tool', inputSchema: open }, { name: 'list_tools', inputSchema: schema() }, { ...about('old'), name: 'own' }];
         on = ({ id, method, params }) => {
           if (method === 'x/change') tools[2] = { ...about('thread'), name: 'own' };
           if (params?.name === 'list_tools') answer(id, { content: [{ type: 'text', text: JSON.stringify({ tools: [about('thread')] }) }] });
           return method === 'x/change' || params?.name === 'list_tools';
         };
         require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
           if (line.includes('"thread"')) say({ method: 'x/raw', params: { line } });
         });`,
        { words: ['--name', 'hub', ...(isSwapped ? ['--hot-swap'] : ['--invoker'])] },
      );
      await host.begin();
      if (isSwapped) {
        host.send({ method: 'x/change' });
        for (let time = 0; time < 2; time++) assert.equal((await host.call('own', { old: 1 })).isError, true);
        await host.ask('tools/list');
      }
      const args = '{ "thread": 1287654321098765433 }';
      const name = isSwapped ? 'own_v2' : 'post';
      const call = `{"id":"c","method":"tools/call","params":{"arguments":{"thread":1},"name":"${name}","arguments":${args}}}`;
      host.send(`${call}\n`);
      const { params } = await host.next(({ method }) => method === 'x/raw');
      assert.equal(JSON.parse(params.line).params.name, isSwapped ? 'own' : 'call_tool');
      assert.ok(params.line.includes(args), params.line);
    });

  it('are called with their arguments as text, where the invoker wants that', async (test) => {
    const { host } = hubOf(test, { servers, form: 'all', asText: true });
    await host.begin();
    await host.tools();
    const sent = { server_name: 'calendar-mcp', tool_name: 'send_email', arguments: JSON.stringify(mail) };
    assert.equal(await host.call('calendar-mcp__send_email', mail), `mcp_invoke_tool ${JSON.stringify(sent)}`);
  });

  for (const form of ['all', 'each'])
    it(`are not sent without what they require, though nothing changed: a hub that lists ${form}`, async (test) => {
      const { host } = hubOf(test, { servers, form });
      await host.begin();
      await host.tools();
      const noSubject = { to: ['a@example.com'] };
      const noList = { to: 'a@example.com', subject: 'Hello' };
      for (const [args, wrong] of [
        [{}, '`to` is required'],
        [noSubject, '`subject` is required'],
        [noList, '`to` must be array'],
        [{ ...mail, cc: [] }, '`cc` is not a parameter'],
        [{ ...mail, subject: '<fill in: string>' }, '`subject` is still a placeholder'],
      ] as const) {
        const told = await host.call('calendar-mcp__send_email', args);
        assert.match(
          told,
          /^!konnichiwagwan stopped this call: `calendar-mcp__send_email` does not take these arguments/,
        );
        assert.match(told, /^It takes: calendar-mcp__send_email\(to: string\[\], subject: string\)$/m);
        assert.ok(told.includes(wrong), `${JSON.stringify(args)}: ${told}`);
      }
      const params = { name: 'calendar-mcp__send_email' };
      assert.equal((await host.request('tools/call', params)).result.isError, true, 'no arguments at all');
      const asList = await host.request('tools/call', { ...params, arguments: ['a'] });
      assert.match(asList.result.content[0].text, /the arguments must be a JSON object/);
      assert.match(await host.call('calendar-mcp__send_email', mail), /^mcp_invoke_tool /, 'and what fits goes out');
      assert.match(await host.call('files__list_accounts'), /^mcp_invoke_tool /);
    });

  it('are judged where a prompt calls their invoker, too, and where they were never listed', async (test) => {
    const { host } = hubOf(test, { servers, form: 'each' });
    await host.begin();
    assert.match(await host.call('calendar-mcp__send_email', {}), /^!konnichiwagwan stopped this call/);
    const whole = { server_name: 'calendar-mcp', tool_name: 'send_email' };
    assert.match(
      await host.call('mcp_invoke_tool', whole),
      /^!konnichiwagwan stopped this call: `send_email` .*It takes: send_email\(to: string\[\], subject: string\)$/ms,
    );
  });

  it('pass with --off, and in mode warn with a word', async (test) => {
    const { host } = hubOf(test, { servers, form: 'all' }, ['--off']);
    await host.begin();
    assert.match(await host.call('calendar-mcp__send_email', {}), /^mcp_invoke_tool /);
    const state = join(root, 'warned');
    mkdirSync(state);
    writeFileSync(join(state, 'config.json'), '{"mode":"warn"}');
    const warned = hubOf(test, { servers, form: 'all' }, [], state).host;
    await warned.begin();
    await warned.tools();
    const told = await warned.call('calendar-mcp__send_email', {});
    assert.match(told, /^konnichiwagwan: .*does not take these arguments.*so it was sent\..*\nmcp_invoke_tool /s);
  });

  it('are judged like any other: a stale call is stopped, and the corrected one is sent', async (test) => {
    const { host, set } = hubOf(test, { servers, form: 'all' });
    await host.begin();
    await host.tools();
    set({ servers: { 'calendar-mcp': [sendEmail('recipients')] }, form: 'all' });
    const stopped = await host.call('calendar-mcp__send_email', mail);
    assert.match(
      stopped,
      /^!konnichiwagwan stopped this call.*calendar-mcp__send_email\(recipients: string\[\], subject: string\)/s,
    );
    const { to: recipients, subject } = mail;
    assert.match(await host.call('calendar-mcp__send_email', { recipients, subject }), /^mcp_invoke_tool /);
    assert.match(await host.call('files__list_accounts'), /^!konnichiwagwan stopped this call.*is gone/s);
  });

  it('come from a file, or from a gateway, where the hub lists none', async (test) => {
    const listing = Object.entries(servers).flatMap(([server, tools]) => tools.map((tool) => ({ server, ...tool })));
    const file = join(root, 'listing.json');
    writeFileSync(file, JSON.stringify({ tools: listing }));
    const gateway = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ schema_version: '1', tools: listing }));
    });
    await new Promise<void>((done) => gateway.listen(0, '127.0.0.1', done));
    test.after(() => gateway.close());
    const { port } = gateway.address() as { port: number };
    for (const from of [file, `http://127.0.0.1:${port}/api/tools/list`]) {
      const { host } = hubOf(test, { servers, form: 'none' }, ['--tools', from]);
      await host.begin();
      assert.deepEqual(namesOf(await host.tools()), ['hub_version', ...TYPED]);
    }
  });

  it('are not offered where nobody lists them: the invoker stays, and its calls pass', async (test) => {
    const { host } = hubOf(test, { servers, form: 'none' });
    await host.begin();
    assert.deepEqual(namesOf(await host.tools()), ['mcp_invoke_tool', 'hub_version']);
    assert.match(
      await host.call('mcp_invoke_tool', { server_name: 'files', tool_name: 'x' }),
      /could not check .* no server lists the tools behind its invoker.*\nmcp_invoke_tool /,
    );
  });

  it('are found in each form that hubs list them in', () => {
    const schema = { type: 'object' };
    const one = { name: 'a', description: 'Does it.', title: 'A', annotations: {}, icons: [], outputSchema: schema };
    const of = (answer: Json, server?: string, tool?: string): string[] =>
      innerToolsIn(answer, server, tool).map((found) => `${found.server ?? ''}.${found.name}`);
    for (const key of ['inputSchema', 'input_schema', 'parameters', 'schema', 'args_schema', 'argsSchema']) {
      const { outputSchema: _, ...kept } = one;
      assert.deepEqual(innerToolsIn([{ ...one, [key]: schema }]), [
        { name: 'a', listed: { ...kept, inputSchema: schema } },
      ]);
    }
    const a = { name: 'a', inputSchema: schema };
    for (const key of ['server', 'server_name', 'serverName', 'service', 'service_name', 'serviceName'])
      assert.deepEqual([of({ ...a, [key]: 's' }), of({ ...a, [key]: { name: 's' } })], [['s.a'], ['s.a']], key);
    for (const key of ['tools', 'servers', 'services', 'mcpServers', 'items', 'results']) {
      assert.deepEqual(of({ [key]: [a] }, 'asked'), ['asked.a'], key);
      assert.deepEqual(of({ [key]: { s: { tools: [a] }, b: { inputSchema: schema } } }), ['s.a', '.b'], key);
      assert.deepEqual(
        [serversIn({ [key]: ['s', { id: 't' }, ''] }), serversIn({ [key]: { s: {} } })],
        [['s', 't'], ['s']],
      );
    }
    for (const key of ['result', 'data', 'response', 'details', 'service', 'server'])
      for (const name of ['id', 'name']) assert.deepEqual(of({ [key]: { [name]: 's', tools: [a] } }), ['s.a'], key);
    assert.deepEqual(of(schema, 's', 'a'), ['s.a'], 'its schema alone');
    assert.deepEqual(of({ parameters: schema }, 's', 'a'), ['s.a'], 'all but its name');
    assert.deepEqual(
      [of(schema), of({ type: 'object', properties: 1 }, 's', 'a'), of([{ ...a, name: '' }])],
      [[], [], []],
    );
    const text = { type: 'text', text: '{"b":2}' };
    const answers = answersIn({ structuredContent: { a: 1 }, content: [text, { type: 'text', text: 'no' }] });
    assert.deepEqual([answers, answersIn({ isError: true, content: [text] })], [[{ a: 1 }, { b: 2 }], []]);
  });

  it('are not looked for without end in an answer that is nested without end', () => {
    assert.deepEqual(innerToolsIn(JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))), []);
  });

  it('--only offers those whose names match', async (test) => {
    const { host } = hubOf(test, { servers, form: 'all' }, ['--only', '*__list_*', '--only', 'nothing']);
    await host.begin();
    assert.deepEqual(namesOf(await host.tools()).slice(-2), TYPED.slice(1));
  });

  it('--search offers what was searched for, and says that the list changed', async (test) => {
    const { host } = hubOf(test, { servers, form: 'all' }, ['--search']);
    await host.begin();
    assert.deepEqual(namesOf(await host.tools()), ['list_tools', 'hub_version', 'find_tools']);
    assert.match(await host.call('find_tools', { words: 'no such' }), /^No tool/);
    const found = await host.call('find_tools', { words: 'Sends e-mail' });
    assert.match(found, /- calendar-mcp__send_email\(to: string\[\], subject: string\)$/);
    assert.equal(host.notes.at(-1)?.method, 'notifications/tools/list_changed');
    assert.deepEqual(namesOf(await host.tools()).at(-1), 'calendar-mcp__send_email');
    assert.match(await host.call('calendar-mcp__send_email', mail), /^mcp_invoke_tool /);
  });
});

describe('their names', () => {
  const free = () => false;
  const digested = /_[0-9a-f]{8}$/;
  const named = (server: string | undefined, name: string, before = 10): string =>
    typedName({ ...(server === undefined ? {} : { server }), name }, before, free);

  it('are the two names, whatever other tools there are', () => {
    assert.equal(named('calendar-mcp', 'send_email'), 'calendar-mcp__send_email');
    assert.equal(named(undefined, 'send_email'), 'send_email');
    assert.equal(named('a', 'b__c'), 'a__b__c');
  });

  it('end with a digest where they could be those of another tool', () => {
    const pairs: [string | undefined, string][] = [
      ['a__b', 'c'],
      ['a', '_b'],
      ['a_', 'b'],
      ['a b', 'c'],
      ['a.b', 'c'],
      ['a', 'é'],
      [undefined, 'a b'],
    ];
    const names = pairs.map(([server, name]) => named(server, name));
    for (const name of names) assert.match(name, digested);
    assert.equal(new Set([...names, 'a__b__c', 'a_b__c', 'a___b']).size, names.length + 3);
    assert.match(
      typedName({ server: 'a', name: 'b' }, 10, (name) => name === 'a__b'),
      digested,
    );
  });

  it('are at most 64 characters long with what the host puts before them', () => {
    for (const before of [0, 10, 40]) {
      const long = named('server'.repeat(8), 'tool'.repeat(12), before);
      assert.equal(long.length, 64 - before);
      assert.match(long, digested);
    }
    assert.equal(named('s'.repeat(20), 't'.repeat(32), 10).length, 54);
    assert.doesNotMatch(named('s'.repeat(20), 't'.repeat(32), 10), digested);
  });
});
