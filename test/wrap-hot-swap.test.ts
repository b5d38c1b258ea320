// wrap --hot-swap: a tool whose contract broke is offered under a new name, too.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { lockOf } from './lock-bench.ts';
import { tool } from './sandbox.ts';
import { announced, startWrapped, type Wrapped } from './wrapped.ts';

const text = { type: 'string' };
const taking = (name: string, parameter: string): Contract =>
  tool(name, { [parameter]: text }, { required: [parameter], additionalProperties: false });
const A = taking('search_reviews', 'film');
const B = taking('search_reviews', 'film_id');
const HOST = 'claude-code';
const SWAP = ['--name', 'demo', '--hot-swap'];

const names = async (wrapped: Wrapped): Promise<string[]> => (await wrapped.list()).map(({ name }) => name);
const stopped = async (wrapped: Wrapped, name: string, args: JsonObject): Promise<string> => {
  const told = await wrapped.call(name, args);
  assert.match(told.text, /^konnichiwagwan stopped this call/);
  return told.text;
};

describe('a new name that the server takes for a tool of its own', () => {
  const own = { ...taking('search_reviews_v2', 'film_id'), description: 'Deletes all reviews.' };
  const swapped = async (t: Parameters<typeof startWrapped>[0]): Promise<Wrapped> => {
    const wrapped = await startWrapped(t, [A], { words: SWAP, host: HOST });
    await wrapped.list();
    wrapped.release([B]);
    await stopped(wrapped, 'search_reviews', { film: 'x' });
    await wrapped.list();
    return wrapped;
  };

  for (const [what, theirs] of [
    ['another contract', own],
    ['the same contract', { ...B, name: 'search_reviews_v2' }],
  ] as const)
    for (const isListed of [true, false])
      it(`is the server's, which the model is told once: ${what}, ${isListed ? 'listed again' : 'not listed yet'}`, async (t) => {
        const wrapped = await swapped(t);
        wrapped.release([B, theirs]);
        if (isListed) assert.deepEqual(await wrapped.list(), [B, theirs]);
        const told = await stopped(wrapped, 'search_reviews_v2', { film_id: '1' });
        assert.match(told, /another name for `search_reviews`, and is a tool of the server's own now/);
        assert.deepEqual(wrapped.arrived(), []);
        await wrapped.list();
        for (let time = 0; wrapped.arrived().length === 0 && time < 2; time++)
          await wrapped.call('search_reviews_v2', { film_id: '1' });
        assert.deepEqual(wrapped.arrived(), [{ name: 'search_reviews_v2', arguments: { film_id: '1' } }]);
        // Once the server no longer has the tool, the new name is gone, too.
        wrapped.release([B]);
        assert.deepEqual(await names(wrapped), ['search_reviews']);
        await stopped(wrapped, 'search_reviews_v2', { film_id: '1' });
      });
});

describe('a tool whose contract broke', () => {
  it('is there under a new name, with the contract of now, and the call reaches the tool itself', async (t) => {
    const wrapped = await startWrapped(t, [A], { words: SWAP, host: HOST });
    await wrapped.list();
    wrapped.release([B]);
    const told = await stopped(wrapped, 'search_reviews', { film: 'x' });
    assert.match(told, /offered with its current contract as `search_reviews_v2`/);
    assert.equal(announced(wrapped), 1);
    assert.deepEqual(await wrapped.list(), [B, { ...B, name: 'search_reviews_v2' }]);
    assert.match((await wrapped.call('search_reviews_v2', { film_id: '1' })).text, /^served search_reviews /);
    assert.deepEqual(wrapped.arrived(), [{ name: 'search_reviews', arguments: { film_id: '1' } }]);
    // The old name explains the change, and accepts calls that are right now.
    assert.match(await stopped(wrapped, 'search_reviews', { film: 'x' }), /search_reviews_v2/);
    assert.match((await wrapped.call('search_reviews', { film_id: '2' })).text, /^served/);
  });

  it('is judged under its new name like any other tool, and gets the next name when it breaks again', async (t) => {
    const wrapped = await startWrapped(t, [A], { words: SWAP, host: HOST });
    await wrapped.list();
    for (const [at, parameter] of ['b', 'c', 'd', 'e', 'f'].entries()) {
      wrapped.release([taking('search_reviews', parameter)]);
      const told = await stopped(wrapped, at === 0 ? 'search_reviews' : 'search_reviews_v2', { film: 'x' });
      const offered = /current contract as `(\w+)`/.exec(told)?.[1];
      assert.equal(offered, at < 3 ? `search_reviews_v${at + 2}` : undefined);
      await wrapped.list();
    }
    const all = ['search_reviews', 'search_reviews_v2', 'search_reviews_v3', 'search_reviews_v4'];
    assert.deepEqual(await names(wrapped), all, 'no more than three');
    wrapped.release([]);
    assert.match(await stopped(wrapped, 'search_reviews_v3', { f: 'x' }), /is gone/);
    assert.deepEqual(await names(wrapped), []);
  });

  it('gets no new name where it is not asked for, or where its meaning alone changed', async (t) => {
    const off = await startWrapped(t, [A], { host: HOST });
    await off.list();
    off.release([B]);
    assert.doesNotMatch(await stopped(off, 'search_reviews', { film: 'x' }), /_v2/);
    assert.deepEqual(await names(off), ['search_reviews']);

    const [old, now] = ['a title', 'an id'].map((description) =>
      tool('search_reviews', { film: { ...text, description } }),
    ) as [Contract, Contract];
    const reworded = await startWrapped(t, [old], { words: SWAP, host: HOST });
    await reworded.list();
    reworded.release([now]);
    await stopped(reworded, 'search_reviews', { film: 'x' });
    assert.deepEqual(await names(reworded), ['search_reviews']);
  });

  it('gets it in other hosts once they go on calling the old one', async (t) => {
    const wrapped = await startWrapped(t, [A], { words: SWAP, host: 'another' });
    await wrapped.list();
    wrapped.release([B]);
    assert.doesNotMatch(await stopped(wrapped, 'search_reviews', { film: 'x' }), /_v2/);
    assert.match(await stopped(wrapped, 'search_reviews', { film: 'x' }), /search_reviews_v2/);
    assert.equal(announced(wrapped), 2);
  });

  it('gets a name that no tool has, and that fits in what hosts allow', async (t) => {
    const long = 'a_tool_whose_name_is_as_long_as_a_name_of_a_tool_may_be_xxxxxxx';
    const wrapped = await startWrapped(t, [A, taking('search_reviews_v2', 'of_the_server'), taking(long, 'film')], {
      words: SWAP,
      host: HOST,
    });
    await wrapped.list();
    wrapped.release([B, taking('search_reviews_v2', 'of_the_server'), taking(long, 'film_id')]);
    assert.match(await stopped(wrapped, 'search_reviews', { film: 'x' }), /as `search_reviews_v3`/);
    await stopped(wrapped, long, { film: 'x' });
    const [short] = (await names(wrapped)).filter((name) => name.startsWith('a_tool') && name !== long);
    assert.equal(`mcp__demo__${short}`.length, 64);
    assert.match((await wrapped.call(String(short), { film_id: '1' })).text, /^served a_tool/);
    assert.match((await wrapped.call('search_reviews_v2', { of_the_server: 'x' })).text, /^served search_reviews_v2 /);
  });
});

describe('with a lockfile, a new name', () => {
  const V2 = 'search_reviews_v2';
  const approve = ({ project }: Wrapped, ...tools: Contract[]): void =>
    writeFileSync(join(project, LOCKFILE), renderLock(lockOf({ demo: tools })));
  /** The tool changed to B, and is offered as V2; the lockfile holds these contracts. */
  const offered = async (t: Parameters<typeof startWrapped>[0], ...approved: Contract[]): Promise<Wrapped> => {
    const wrapped = await startWrapped(t, [A], { words: [...SWAP, '--lock', LOCKFILE], host: HOST });
    approve(wrapped, A);
    await wrapped.list();
    assert.match((await wrapped.call('search_reviews', { film: 'x' })).text, /^served/);
    wrapped.release([B]);
    approve(wrapped, ...approved);
    assert.match(await stopped(wrapped, 'search_reviews', { film: 'x' }), /as `search_reviews_v2`/);
    return wrapped;
  };
  const refused = async (wrapped: Wrapped, name: string, args: JsonObject): Promise<string> => {
    const before = wrapped.arrived().length;
    const told = await wrapped.call(name, args);
    assert.ok(told.isError, told.text);
    assert.equal(wrapped.arrived().length, before);
    return told.text;
  };

  for (const isListed of [true, false])
    it(`is served where the tool's contract is approved: ${isListed ? 'listed again' : 'not listed yet'}`, async (t) => {
      const wrapped = await offered(t, B);
      if (isListed) await wrapped.list();
      assert.match((await wrapped.call(V2, { film_id: '1' })).text, /served search_reviews /);
      assert.match((await wrapped.call('search_reviews', { film_id: '1' })).text, /^served search_reviews /);
      // Approval ends with the lockfile's.
      approve(wrapped, A);
      await refused(wrapped, V2, { film_id: '1' });
      approve(wrapped, B);
      assert.match((await wrapped.call(V2, { film_id: '2' })).text, /served search_reviews /);
    });

  it('is served after the tool broke and was approved again', async (t) => {
    const wrapped = await offered(t, B);
    await wrapped.list();
    const C = taking('search_reviews', 'id');
    wrapped.release([C]);
    approve(wrapped, C);
    assert.match(await stopped(wrapped, V2, { film_id: '1' }), /as `search_reviews_v3`/);
    await wrapped.list();
    for (const name of [V2, 'search_reviews_v3'])
      assert.match((await wrapped.call(name, { id: '1' })).text, /^served search_reviews /);
  });

  it('is refused where the contract is not approved, with the command for the tool itself', async (t) => {
    const other = { ...B, description: 'Finds.' };
    for (const approved of [
      [A],
      [],
      [taking('another', 'film_id')],
      [{ ...B, name: V2 }],
      [A, { ...B, name: V2 }],
      [other],
    ]) {
      const wrapped = await offered(t, ...approved);
      await wrapped.list();
      const told = await refused(wrapped, V2, { film_id: '1' });
      assert.match(told, /^konnichiwagwan: `search_reviews` /);
      if (approved.length > 0) assert.match(told, /konnichiwagwan approve demo\/search_reviews$/m);
      assert.doesNotMatch(told, /demo\/search_reviews_v2/);
    }
  });

  it('is refused where the tool is gone, or two tools have its name', async (t) => {
    const wrapped = await offered(t, B);
    await wrapped.list();
    wrapped.release([B, { ...B, description: 'Another.' }]);
    await refused(wrapped, V2, { film_id: '1' });
    wrapped.release([]);
    await refused(wrapped, V2, { film_id: '1' });
  });

  it('of a tool that the server took for its own is asked for itself', async (t) => {
    const own = { ...B, name: V2, description: 'Deletes all reviews.' };
    const wrapped = await offered(t, B);
    await wrapped.list();
    wrapped.release([B, own]);
    await wrapped.list();
    assert.match(await refused(wrapped, V2, { film_id: '1' }), /a tool of the server's own now/);
    for (const _ of [1, 2, 3]) await refused(wrapped, V2, { film_id: '1' });
    assert.match(await refused(wrapped, V2, { film_id: '1' }), /approve demo\/search_reviews_v2$/m);
    approve(wrapped, B, own);
    assert.match((await wrapped.call(V2, { film_id: '1' })).text, /^served search_reviews_v2 /);
  });
});
