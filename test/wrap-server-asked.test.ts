// The requests that wrap itself makes to a server, on the connection of its host, which must hear nothing of them.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../scripts/contract/types.ts';
import { readLines } from '../scripts/wrap/lines.ts';
import { OwnRequests, type OwnSettings, ownMeta } from '../scripts/wrap/own-requests.ts';

interface Asked {
  id: string;
  method: string;
  params: JsonObject;
}

const line = (message: unknown): Buffer => Buffer.from(`${JSON.stringify(message)}\n`);
const result = (id: unknown, value: unknown): JsonObject => ({ jsonrpc: '2.0', id, result: value }) as JsonObject;

/** @param answer what the server answers at once; undefined: nothing yet */
const world = (
  answer: (asked: Asked, own: OwnRequests) => unknown = () => undefined,
  more: Partial<OwnSettings> = {},
) => {
  const sent: Asked[] = [];
  const own: OwnRequests = new OwnRequests({
    patience: { usual: 150, short: 5, longest: 400 },
    send: (bytes) => {
      const asked = JSON.parse(bytes.toString()) as Asked;
      sent.push(asked);
      const said = answer(asked, own);
      if (said !== undefined) queueMicrotask(() => void own.take(line(said)));
    },
    ...more,
  });
  return { own, sent };
};
const named = (...names: string[]) => names.map((name) => ({ name }));

describe('the list of a server', () => {
  const pages = (second: string[]) => (asked: Asked) =>
    asked.params.cursor === undefined
      ? result(asked.id, { tools: named('a'), nextCursor: 'p2', ttlMs: 5_000, note: 'x' })
      : result(asked.id, { tools: named(...second), ttlMs: 1_000, note: 'y' });

  it('is that of all its pages, with what the first one says besides; it may be kept as long as each of them says', async () => {
    const { own, sent } = world(pages(['b', 'c']));
    const listed = await own.list(undefined);
    assert.ok(listed.failed === undefined);
    assert.deepEqual(listed.tools, named('a', 'b', 'c'));
    assert.deepEqual([listed.result.note, listed.result.ttlMs, listed.result.nextCursor], ['x', 1_000, undefined]);
    assert.deepEqual(
      sent.map(({ params }) => params),
      [{}, { cursor: 'p2' }],
    );
  });

  it('is the very same one while the server answers the same, and another one if any page differs', async () => {
    let second = ['b'];
    const { own } = world((asked) => pages(second)(asked));
    const first = await own.list(undefined);
    assert.equal(await own.list(undefined), first);
    second = ['c'];
    const changed = await own.list(undefined);
    assert.notEqual(changed, first);
    assert.deepEqual(changed.failed === undefined && changed.tools, named('a', 'c'));
  });

  it('is asked for as the host would: with who it is, and nothing else that it says', async () => {
    const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'host' }, progressToken: 7 };
    assert.deepEqual(ownMeta(meta), { _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'host' } } });
    const { own, sent } = world(pages([]));
    await own.list(meta);
    assert.deepEqual(sent[0]?.params, ownMeta(meta));
  });

  for (const [what, answer, why] of [
    ['an error', ({ id }: Asked) => ({ id, error: { code: -32603, message: 'no' } }), 'it answered with an error'],
    ['no list', ({ id }: Asked) => result(id, { tools: 'none' }), 'it did not list its tools'],
    ['no end', ({ id }: Asked) => result(id, { tools: [], nextCursor: id }), 'its list of tools does not end'],
  ] as const)
    it(`is not known if it answers with ${what}`, async () => {
      const { own } = world(answer);
      assert.deepEqual(await own.list(undefined), { failed: why });
    });
});

describe('an answer', () => {
  it('to the host is the host’s; of a batch, only ours is taken out', async () => {
    const { own, sent } = world();
    const asking = own.request('prompts/list', {});
    assert.equal(own.take(line(result(1, {}))), undefined);
    const [theirs, ours] = [result(1, { a: 1 }), result(sent[0]?.id, { b: 2 })];
    const { rest } = own.take(line([theirs, ours])) ?? assert.fail('it was not taken');
    assert.deepEqual(JSON.parse(String(rest)), [theirs]);
    assert.deepEqual((await asking).result, { b: 2 });
    assert.equal(own.isWaiting, false);
  });

  it('that quotes an id of ours, or breaks off, is not taken for one', async () => {
    const { own, sent } = world();
    const asking = own.request('prompts/list', {});
    const id = sent[0]?.id;
    assert.equal(own.take(line(result(1, { quoted: id }))), undefined);
    assert.equal(own.take(line({ jsonrpc: '2.0', id, method: 'ping' })), undefined, 'a request of the server');
    assert.equal(own.take(Buffer.from(`{"id":"${id}","result":\n`)), undefined, 'the host shall see that it is broken');
    assert.equal(own.take(Buffer.from('{"id":31,"result":{"to')), undefined, 'an answer to the host that breaks off');
    assert.deepEqual(own.take(Buffer.from(`{"id":"${id}","result":`)), {}, 'the end of all output');
    own.end();
    assert.equal((await asking).result, undefined);
  });

  it('that comes too late is not the host’s either, and gives the next one more time', async () => {
    let wait = 200;
    const { own, sent } = world(({ id }, own) => {
      setTimeout(() => void own.take(line(result(id, { tools: [] }))), wait);
      return undefined;
    });
    assert.deepEqual(await own.list(undefined), { failed: 'it did not list its tools' });
    assert.equal(own.isWaiting, true, 'its answer may still come');
    wait = 40;
    assert.deepEqual(await own.list(undefined), { failed: 'it did not list its tools' }, 'it gets a moment only');
    await sleep(300);
    assert.deepEqual(own.take(line(result(sent[0]?.id, {}))), {});
    assert.equal(own.isWaiting, false);
    assert.equal((await own.list(undefined)).failed, undefined);
  });

  it('is waited for while the server works for the host, once it has answered at all', async () => {
    let isBusy = true;
    let wait = 0;
    const { own } = world(
      ({ id }, own) => {
        setTimeout(() => void own.take(line(result(id, { tools: [] }))), wait);
        return undefined;
      },
      { isBusy: () => isBusy },
    );
    await own.list(undefined);
    wait = 400;
    assert.equal((await own.list(undefined)).failed, undefined);
    isBusy = false;
    assert.notEqual((await own.list(undefined)).failed, undefined);
  });

  it('is not waited for once the server is gone, and nothing is sent to it any more', async () => {
    const { own, sent } = world(() => undefined, { patience: { usual: 60_000, short: 60_000, longest: 60_000 } });
    const asking = own.list(undefined);
    own.end();
    assert.notEqual((await asking).failed, undefined);
    assert.notEqual((await own.list(undefined)).failed, undefined);
    assert.equal(sent.length, 1);
  });
});

describe('a line', () => {
  const MB = 1024 * 1024;
  const read = async (chunks: Buffer[], limit?: number) => {
    const stream = new PassThrough();
    const heard: string[] = [];
    const ended = new Promise<void>((end) =>
      readLines(stream, {
        line: (bytes) => void heard.push(`line ${bytes.length}`),
        piece: (bytes, last) => void heard.push(`${last ? 'last' : 'piece'} ${bytes.length}`),
        ...(limit === undefined ? {} : { limit: () => limit }),
        end,
      }),
    );
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
    await ended;
    return heard;
  };
  const of = (length: number): Buffer => Buffer.alloc(length, 'x');
  const END = Buffer.from('\n');

  it('is heard as one, also the last one without its end', async () => {
    assert.deepEqual(await read([Buffer.from('ab\ncd'), Buffer.from('e\nf')]), ['line 3', 'line 4', 'line 1']);
    assert.deepEqual(await read([Buffer.from('ab\n')]), ['line 3']);
  });

  it('of more than 1 MB is heard in pieces, and the next one as a line again', async () => {
    const heard = await read([of(MB), of(1), of(5), END, Buffer.from('ab\n')]);
    assert.deepEqual(heard, [`piece ${MB + 1}`, 'piece 5', 'last 1', 'line 3']);
    assert.deepEqual(await read([of(MB + 1), of(2)]), [`piece ${MB + 1}`, 'piece 2', 'last 0']);
  });

  it('is held as long as is asked for at the moment', async () => {
    assert.deepEqual(await read([of(MB), of(MB), END], 3 * MB), [`line ${2 * MB + 1}`]);
    assert.deepEqual(await read([of(MB), of(MB), END], MB + 5), [`piece ${2 * MB}`, 'last 1']);
  });
});
