// The new names that a tool gets, without a server: how many there may be, and what they stand for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HotSwap } from '../scripts/wrap/hot-swap.ts';
import { tool } from './sandbox.ts';

/** The contract of a tool after it broke that many times. */
const contract = (name: string, times: number) => tool(name, { [`id${times}`]: { type: 'string' } });

/** Stops a stale call in a host that goes on showing old contracts. */
const stop = (swap: HotSwap, name: string, ...tools: object[]): string | undefined =>
  swap.nameFor(
    { name, args: {}, served: [], listed: { tools, result: {} }, host: 'claude-code', beside: () => new Set() },
    { pass: false, text: '', isStale: true },
  );

describe('new names of tools whose contracts broke', () => {
  it('one tool gets three', () => {
    const swap = new HotSwap('demo');
    const given = [1, 2, 3, 4].map((times) => stop(swap, 'search', contract('search', times)));
    assert.deepEqual(given, ['search_v2', 'search_v3', 'search_v4', undefined]);
    assert.equal(stop(swap, 'search', contract('search', 2)), 'search_v3');
    assert.equal(stop(swap, 'find', contract('find', 1)), 'find_v2');
  });

  it('a name that the server took counts as one of them, and is not given again', async () => {
    const swap = new HotSwap('demo');
    assert.equal(stop(swap, 'search', contract('search', 1)), 'search_v2');
    const theirs = [contract('search', 2), contract('search_v2', 0)];
    assert.deepEqual(await swap.list(theirs, undefined as never, undefined), theirs);
    const given = [2, 3, 4].map((times) => stop(swap, 'search', contract('search', times)));
    assert.deepEqual(given, ['search_v3', 'search_v4', undefined]);
    assert.equal(swap.standsFor()?.search_v2, undefined);
    assert.equal(swap.call('search_v2'), undefined);
    const [stopped, cancelled] = [swap.renamed('search_v2', 1), swap.renamed('search_v2', 2)];
    assert.match((stopped?.pass === false && stopped.text) || '', /`search`/);
    assert.equal(stopped?.pass === false && stopped.isOffered, true, 'the host is told to list again');
    assert.equal(cancelled?.pass, false, 'the model was not told yet');
    stopped?.delivered?.(2);
    assert.equal(swap.renamed('search_v2', 2)?.pass, false, 'it was under way when the model was told');
    assert.equal(swap.renamed('search_v2', 3), undefined);
  });

  it('in a host that may heed what was announced, a tool gets one only for a call after its stop was told', () => {
    const swap = new HotSwap('demo');
    const verdict = { pass: false, text: '', isStale: true } as const;
    const call = (order: number) => ({
      ...{ name: 'search', args: {}, served: [], beside: () => new Set<string>(), order },
      listed: { tools: [contract('search', 1)], result: {} },
    });
    const given = (order: number): string | undefined => swap.nameFor(call(order), verdict);
    assert.deepEqual([given(1), given(2)], [undefined, undefined]);
    for (const order of [1, 2]) swap.stopped(call(order), verdict, 2);
    assert.deepEqual([given(2), given(3)], [undefined, 'search_v2']);
  });

  it('one is no name that the server lists, nor the new name of another tool', () => {
    const swap = new HotSwap('demo');
    const beside = [contract('search_v2', 0), contract('search_v3', 0)];
    assert.equal(stop(swap, 'search', contract('search', 1), ...beside), 'search_v4');
    // Cut to what hosts allow, the names of both begin alike.
    const [one, two] = [1, 2].map((at) => `${'long'.repeat(20)}${at}`) as [string, string];
    const given = [one, two].map((name) => stop(swap, name, contract(name, 1)) ?? '');
    assert.equal(new Set(given).size, 2);
    assert.deepEqual([swap.ownName(given[0] as string), swap.ownName(given[1] as string)], [one, two]);
  });

  it('all tools together get twenty', () => {
    const swap = new HotSwap('demo');
    const names = Array.from({ length: 21 }, (_, at) => `tool${at}`);
    const given = names.map((name) => stop(swap, name, contract(name, 1)));
    assert.equal(given.filter((name) => name !== undefined).length, 20);
    assert.equal(given[20], undefined);
  });

  it('a list that could not be read gives none', () => {
    const swap = new HotSwap('demo');
    const held = { name: 'search', args: {}, served: [], host: 'claude-code', beside: () => new Set<string>() };
    const verdict = { pass: false, text: '', isStale: true } as const;
    assert.equal(swap.nameFor({ ...held, listed: { failed: 'no answer in time' } }, verdict), undefined);
    assert.equal(swap.isActive(), false);
  });
});
