// A hub with a generic invoker behind wrap, without --invoker: the calls inside are judged, too.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { hostOfWrap } from './wrap-host.ts';

const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-behind-'));
after(() => remove(root));

const text = { type: 'string' };
const sendBy = (to: string, description = 'a person') => ({
  name: 'send',
  description: 'Sends.',
  inputSchema: {
    type: 'object',
    properties: { [to]: { ...text, description } },
    required: [to],
    additionalProperties: false,
  },
});

let count = 0;
const hubOf = async (test: TestContext, form: string, config: object = {}, more: string[] = []) => {
  const state = join(root, `state-${count}`);
  mkdirSync(state);
  writeFileSync(join(state, 'config.json'), JSON.stringify(config));
  const file = join(root, `hub-${count++}.json`);
  const release = (servers: object, more: object = {}): void =>
    writeFileSync(file, JSON.stringify({ servers, form, ...more }));
  release({ mail: [sendBy('to')], other: [] });
  const words = ['--name', 'hub', ...more, '--', process.execPath, resolve('test/wrap-hub.mjs'), file];
  const host = hostOfWrap(words, { HOME: root, KONNICHIWAGWAN_HOME: state });
  test.after(() => host.end());
  await host.begin();
  await host.tools();
  const send = (args: unknown, tool = 'send') =>
    host.call('mcp_invoke_tool', { server_name: 'mail', tool_name: tool, arguments: args });
  return { host, release, send };
};
const SERVED = /^mcp_invoke_tool /;

describe('the call inside of a call of an invoker', () => {
  for (const form of ['all', 'each']) {
    it(`is stopped where its tool changed, and what is proposed passes: a hub that lists ${form}`, async (test) => {
      const { host, release, send } = await hubOf(test, form);
      if (form === 'all') await host.call('list_tools', {});
      assert.match(await send({ to: 'x' }), SERVED);
      release({ mail: [sendBy('recipient')], other: [] });
      const told = await send({ to: 'x' });
      assert.match(
        told,
        /^!konnichiwagwan stopped this call: `send` \(server `mail`, called through `mcp_invoke_tool`\) changed/,
      );
      const proposed = /mcp_invoke_tool (\{"server_name".*\})$/m.exec(told)?.[1];
      assert.deepEqual(JSON.parse(proposed ?? '{}').arguments, { recipient: 'x' });
      assert.match(await host.call('mcp_invoke_tool', JSON.parse(proposed as string)), SERVED);
      assert.match(await send({ to: 'x' }), /^!konnichiwagwan stopped/, 'as often as it comes');
    });
  }

  for (const form of ['all', 'each', 'wrapped', 'loose', 'tool', 'schema', 'beside'])
    it(`is stopped where the arguments are missing, in part or as a whole: a hub that lists ${form}`, async (test) => {
      const { host, send } = await hubOf(test, form);
      const whole = { server_name: 'mail', tool_name: 'send' };
      for (const told of [await host.call('mcp_invoke_tool', whole), await send({}), await send(null)]) {
        assert.match(told, /^!konnichiwagwan stopped this call: `send` .*does not take what `arguments` holds/);
        assert.match(told, /^- `to` is required$/m);
        assert.match(told, /^It takes: (?:mail\.)?send\(to: string\)$/m);
        assert.match(told, /"arguments":\{"to":"<fill in: string>"\}/);
      }
      assert.match(await send({ to: 'x' }), SERVED);
    });

  it('is stopped where only a gateway of the settings lists its tool, and told where that is down', async (test) => {
    const listed = [{ server: 'mail', ...sendBy('whom') }];
    const gateway = createServer((_, answer) => answer.end(JSON.stringify({ schema_version: '1', tools: listed })));
    await new Promise<void>((done) => gateway.listen(0, '127.0.0.1', done));
    const { port } = gateway.address() as AddressInfo;
    const gateways = { team: { url: `http://127.0.0.1:${port}`, servers: ['mail'] } };
    const { host, send } = await hubOf(test, 'none', { gateways });
    assert.match(await send({}), /^!konnichiwagwan stopped this call: .*It takes: send\(whom: string\)$/ms);
    assert.match(await send({ whom: 'x' }), SERVED);
    const other = { server_name: 'other', tool_name: 'send' };
    assert.match(await host.call('mcp_invoke_tool', other), /could not check this call/, 'not a server of the gateway');
    gateway.closeAllConnections();
    await new Promise((done) => gateway.close(done));
    const down = await hubOf(test, 'none', { gateways });
    assert.match(await down.send({}), /^konnichiwagwan could not check .*\nmcp_invoke_tool /s);
  });

  it('is not taken for one of the hub itself that has the name of another server’s tool', async (test) => {
    const { host } = await hubOf(test, 'beside');
    const call = { server_name: 'mail', tool_name: 'hub_version', arguments: { any: 1 } };
    assert.match(await host.call('mcp_invoke_tool', call), /^konnichiwagwan could not check/);
  });

  it('is sent in mode warn, and told', async (test) => {
    const { send } = await hubOf(test, 'each', { mode: 'warn' });
    const told = await send({});
    assert.match(told, /^konnichiwagwan: .*does not take .* The mode is warn, so it was sent\..*\nmcp_invoke_tool /s);
    assert.match(told, /`to` is required/);
  });

  it('is stopped where its tool never took it, and once where words changed that it relies on', async (test) => {
    const { release, send } = await hubOf(test, 'all');
    assert.match(
      await send({ whom: 'x' }),
      /^!konnichiwagwan stopped this call: .*does not take what `arguments` holds/,
    );
    assert.match(await send({ to: 'x' }), SERVED);
    release({ mail: [sendBy('to', 'the id of a list: all on it are deleted')], other: [] });
    assert.match(await send({ to: 'x' }), /^!konnichiwagwan stopped this call/);
    assert.match(await send({ to: 'x' }), SERVED);
  });

  it('is stopped where its tool changed, also where it names no server', async (test) => {
    const { host, release } = await hubOf(test, 'all');
    const send = (args: object) => host.call('mcp_invoke_tool', { tool_name: 'send', arguments: args });
    assert.match(await send({ to: 'x' }), SERVED);
    release({ mail: [sendBy('to', 'a group')], other: [] });
    assert.match(await send({ to: 'x' }), /^!konnichiwagwan stopped this call: `send` .*changed/);
  });

  for (const [form, listing, asked] of [
    ['named', 'describe_tool', { name: 'send' }],
    ['search', 'search_tools', { query: 'sen' }],
    ['search', 'search_tools', {}],
  ] as const)
    it(`is stopped where its tool changed since the model read of it, without its server: ${JSON.stringify(asked)}`, async (test) => {
      for (const server of [{ server_name: 'mail' }, {}]) {
        const { host, release } = await hubOf(test, form);
        await host.call(listing, asked);
        const call = { ...server, tool_name: 'send', arguments: { to: 'x' } };
        release({ mail: [sendBy('to', 'a group')], other: [] });
        assert.match(await host.call('mcp_invoke_tool', call), /^!konnichiwagwan stopped this call: `send` .*changed/);
        release({ mail: [sendBy('recipient')], other: [] });
        for (const _again of [1, 2])
          assert.match(
            await host.call('mcp_invoke_tool', call),
            /^!konnichiwagwan stopped this call: `send` .*changed/,
          );
      }
    });

  it('is stopped where its tool is gone', async (test) => {
    const { release, send } = await hubOf(test, 'all');
    assert.match(await send({ to: 'x' }), SERVED);
    release({ mail: [], other: [sendBy('to')] });
    assert.match(await send({ to: 'x' }), /^!konnichiwagwan stopped this call: .*is gone/);
  });

  it('is known from what the model was shown, also where it was never called', async (test) => {
    const { host, release, send } = await hubOf(test, 'each');
    await host.call('mcp_get_service_details', { service_name: 'mail' });
    const loose = { ...sendBy('to'), inputSchema: { type: 'object', properties: { recipient: text } } };
    release({ mail: [loose], other: [] });
    // The call is valid, but the server now ignores what it says.
    assert.match(await send({ to: 'x' }), /^!konnichiwagwan stopped this call/);
  });

  it('is told to be unchecked where nobody lists its tool, once; in mode strict it is refused', async (test) => {
    const { send } = await hubOf(test, 'none');
    assert.match(await send({ to: 'x' }), /^konnichiwagwan could not check this call of `send`.*\nmcp_invoke_tool /);
    assert.match(await send({ to: 'x' }), SERVED);
    const strict = await hubOf(test, 'none', { mode: 'strict' });
    assert.match(await strict.send({ to: 'x' }), /^!konnichiwagwan could not check/);
  });

  it('is none where the user says that the tool is no invoker, or the mode is off', async (test) => {
    for (const config of [{ invokers: { mcp__hub__mcp_invoke_tool: false } }, { mode: 'off' }]) {
      const { send } = await hubOf(test, 'all', config);
      assert.match(await send({ whom: 'x' }), SERVED);
    }
  });

  it('may have its arguments as text', async (test) => {
    const { release, send } = await hubOf(test, 'all');
    release({ mail: [sendBy('to')], other: [] }, { asText: true });
    assert.match(await send('{"whom":'), /^!konnichiwagwan/);
    assert.match(await send('{"whom":"x"}'), /^!konnichiwagwan/);
    release({ mail: [sendBy('to')], other: [] });
    assert.match(await send({ to: 'x' }), SERVED);
  });
});

describe('the call inside of a call of an invoker that --hot-swap offers under a new name', () => {
  const hub = { mail: [sendBy('to')], other: [] };
  const V2 = 'mcp_invoke_tool_v2';
  const swapped = async (test: TestContext, config: object = {}) => {
    const { host, release, send } = await hubOf(test, 'all', config, ['--hot-swap']);
    await host.call('list_tools', {});
    release(hub, { holder: 'params' });
    await send({ to: 'x' });
    assert.match(await send({ to: 'x' }), /as `mcp_invoke_tool_v2`/);
    await host.tools();
    const call = (params: unknown) => host.call(V2, { server_name: 'mail', tool_name: 'send', params });
    return { host, release, call };
  };

  it('is stopped where it does not fit, or its tool changed; the proposed call passes under that name', async (test) => {
    const { host, release, call } = await swapped(test);
    assert.match(await call({ to: 'x' }), SERVED);
    assert.match(await call({ whom: 'x' }), /^!konnichiwagwan stopped this call: .*does not take what `params` holds/);
    release({ mail: [sendBy('recipient')], other: [] }, { holder: 'params' });
    const told = await call({ to: 'x' });
    assert.match(told, /^!konnichiwagwan stopped this call: `send` .*called through `mcp_invoke_tool_v2`\) changed/);
    const proposed = /mcp_invoke_tool_v2 (\{"server_name".*\})$/m.exec(told)?.[1];
    assert.deepEqual(JSON.parse(proposed ?? '{}').params, { recipient: 'x' });
    assert.match(await host.call(V2, JSON.parse(proposed as string)), SERVED);
  });

  it('is judged as the settings say of the tool itself', async (test) => {
    const { call } = await swapped(test, { invokers: { mcp__hub__mcp_invoke_tool: false } });
    assert.match(await call({ whom: 'x' }), SERVED);
  });

  it('is known from a list of tools that has a new name, too', async (test) => {
    const { host, release } = await hubOf(test, 'all', {}, ['--hot-swap']);
    release(hub, { wanted: 'server' });
    for (const _ of [1, 2]) await host.call('list_tools', {});
    await host.tools();
    assert.match(await host.call('list_tools_v2', { server: 'mail' }), /"send"/);
    const loose = { ...sendBy('to'), inputSchema: { type: 'object', properties: { recipient: text } } };
    release({ mail: [loose], other: [] }, { wanted: 'server' });
    const call = { server_name: 'mail', tool_name: 'send', arguments: { to: 'x' } };
    assert.match(await host.call('mcp_invoke_tool', call), /^!konnichiwagwan stopped this call/);
  });
});
