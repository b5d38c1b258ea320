// The first call after a release carries one line for the person, even if the release does not affect that call.
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { contractHash } from '../scripts/contract/canonical.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { makePin } from '../scripts/lock/seal.ts';
import { sandbox, tool } from './sandbox.ts';

const SEARCH = tool('search', { query: { type: 'string' } }, { required: ['query'] });
const WIDER = tool('search', { query: { type: 'string' }, lang: { type: 'string' } }, { required: ['query'] });
const OTHER = tool('other', { id: { type: 'integer' } });
const NARROWER = tool('other', { id: { type: 'integer', maximum: 9 } });
const DRIFT =
  /^⚠️ Tool schema drift detected — session started 1, gateway advertises 2\. Restart Claude Code to avoid silent field-strip bugs\.$/m;

const world = async (t: TestContext, config: JsonObject = {}) => {
  const box = await sandbox(t, [SEARCH, OTHER], { freshFor: 0, ...config });
  await box.start();
  box.show([SEARCH, OTHER], 'shape-1');
  const call = async (name: string, args: JsonObject, more: JsonObject = {}) =>
    (await box.call(name, args, more)).answer ?? {};
  return { ...box, call, untouched: (more: JsonObject = {}) => call('search', { query: 'x' }, more) };
};

describe('the first call after a release', () => {
  it('says nothing where there was none', async (t) => {
    const { untouched } = await world(t);
    assert.deepEqual([await untouched(), await untouched()], [{}, {}]);
  });

  const releases: [string, Contract[], string, RegExp[]][] = [
    ['another version and nothing else', [SEARCH, OTHER], '2', [DRIFT, /doesn't show/]],
    ['an empty version', [SEARCH, OTHER], '', [/session started 1, gateway advertises ""/]],
    ['another tool that got narrower', [SEARCH, NARROWER], '2', [DRIFT, /changed: `other`/]],
    ['the same under the old version', [SEARCH, NARROWER], '1', [/Silent tool schema drift/, /changed: `other`/]],
    ['an optional parameter of the called tool', [WIDER, OTHER], '2', [DRIFT, /changed: `search`/]],
    ['a tool that went', [SEARCH], '2', [DRIFT, /gone: `other`/]],
    ['a tool that came', [SEARCH, OTHER, tool('third', {})], '2', [DRIFT, /new: `third`/]],
  ];
  for (const [what, tools, version, lines] of releases) {
    it(`says it once, and the call goes through: ${what}`, async (t) => {
      const { untouched, gateway } = await world(t);
      assert.deepEqual(await untouched(), {});
      gateway.set(version, tools);
      const first = await untouched();
      for (const line of lines) assert.match(first.systemMessage, line);
      assert.equal(first.hookSpecificOutput?.permissionDecision, undefined);
      assert.deepEqual(await untouched(), {});
      assert.deepEqual(await untouched({ agent_id: 'a1', agent_type: 'x' }), {});
    });
  }

  it('is told of the next release, and of none when the server is back where it was', async (t) => {
    const { untouched, gateway } = await world(t);
    gateway.set('2', [SEARCH, OTHER]);
    assert.match((await untouched()).systemMessage, DRIFT);
    gateway.set('1', [SEARCH, OTHER]);
    assert.deepEqual(await untouched(), {});
    gateway.set('3', [SEARCH, OTHER]);
    assert.match((await untouched()).systemMessage, /gateway advertises 3/);
  });

  it('is told of what touches it as before, and not twice', async (t) => {
    const { call, untouched, gateway } = await world(t);
    gateway.set('1', [SEARCH, NARROWER]);
    const stopped = await call('other', { id: 12 });
    assert.equal(stopped.hookSpecificOutput.permissionDecision, 'deny');
    assert.doesNotMatch(stopped.systemMessage, /since this session started/);
    assert.deepEqual(await untouched(), {});
  });

  it('is told of the version alone where it is stopped: the stop says the rest', async (t) => {
    for (const [version, expected] of [
      ['2', /^⚠️ Tool schema drift detected.*\nkonnichiwagwan stopped a call: `other`/],
      ['1', /^⚠️ Silent tool schema drift.*\nkonnichiwagwan stopped a call: `other`/],
    ] as const) {
      const { call, gateway } = await world(t);
      gateway.set(version, [WIDER, NARROWER]);
      const stopped = await call('other', { id: 12 });
      assert.equal(stopped.hookSpecificOutput.permissionDecision, 'deny');
      assert.match(stopped.systemMessage, expected);
      assert.doesNotMatch(stopped.systemMessage, /`search`/);
    }
  });

  it('is told of all of it where it is stopped for something else: a contract that nobody approved', async (t) => {
    const box = await world(t);
    const mine = join(box.project, 'mcp-contracts.lock.json');
    const pins = new Map([['other', makePin('GATEWAY_URL', { ...OTHER, description: 'Something else.' })]]);
    writeFileSync(mine, renderLock(new Map([['GATEWAY_URL', pins]])));
    box.gateway.set('2', [WIDER, OTHER]);
    const asked = await box.call('other', { id: 12 });
    assert.equal(asked.hookSpecificOutput.permissionDecision, 'ask');
    assert.match(asked.systemMessage, DRIFT);
    assert.match(asked.systemMessage, /`search`/);
  });

  it('hears nothing of noise: keys in another order, and what libraries add', async (t) => {
    const { untouched, gateway } = await world(t);
    const { name, inputSchema } = SEARCH;
    gateway.set('1', [
      {
        inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', ...(inputSchema as JsonObject) },
        name,
      } as Contract,
      OTHER,
    ]);
    assert.deepEqual(await untouched(), {});
  });

  it('is asked about in mode strict until a person has said yes to one', async (t) => {
    const { untouched, gateway, transcript } = await world(t, { mode: 'strict' });
    assert.deepEqual(await untouched(), {});
    gateway.set('2', [SEARCH, OTHER]);
    for (const id of ['toolu_2', 'toolu_3']) {
      const { hookSpecificOutput } = await untouched({ tool_use_id: id });
      assert.equal(hookSpecificOutput.permissionDecision, 'ask');
      assert.match(hookSpecificOutput.permissionDecisionReason, DRIFT);
    }
    const block = { type: 'tool_result', tool_use_id: 'toolu_3', content: 'ok' };
    appendFileSync(transcript, `${JSON.stringify({ type: 'user', message: { role: 'user', content: [block] } })}\n`);
    assert.deepEqual(await untouched({ tool_use_id: 'toolu_4' }), {});
  });

  it('says it in mode warn, and nothing in mode off', async (t) => {
    for (const [mode, said] of [
      ['warn', true],
      ['off', false],
    ] as const) {
      const { untouched, gateway } = await world(t, { mode });
      gateway.set('2', [SEARCH, OTHER]);
      assert.equal((await untouched()).systemMessage !== undefined, said, mode);
    }
  });

  describe('advertised hashes', () => {
    const hashed = async (t: TestContext) => {
      let hash: string | undefined;
      const text = () =>
        JSON.stringify({ schema_version: '1', tools: [{ ...SEARCH, ...(hash === undefined ? {} : { hash }) }, OTHER] });
      const server = createServer((_, response) => response.end(text()));
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      t.after(() => server.close());
      const box = await sandbox(t, []);
      box.env.GATEWAY_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return {
        ...box,
        advertise: (now: string): void => {
          hash = now;
        },
      };
    };
    const WRONG = /advertises a hash that is not that of the contract it lists: `search`/;

    it('that are wrong are told of with the first call after they appear, under the same version', async (t) => {
      const { start, call, advertise } = await hashed(t);
      assert.equal((await start()).stdout, '');
      assert.equal((await call('search', { query: 'x' })).stdout, '');
      advertise('0'.repeat(64));
      assert.match((await call('search', { query: 'x' })).answer.systemMessage, WRONG);
      assert.equal((await call('search', { query: 'x' })).stdout, '');
      assert.equal((await call('other')).stdout, '');
    });

    it('that are wrong from the start are told of in the greeting, and not again; right ones are not', async (t) => {
      const { greet, call, advertise } = await hashed(t);
      advertise('0'.repeat(64));
      assert.match((await greet()).answer.systemMessage, WRONG);
      assert.equal((await call('search', { query: 'x' })).stdout, '');
      advertise(contractHash(SEARCH));
      assert.equal((await call('search', { query: 'x' })).stdout, '');
    });
  });
});
