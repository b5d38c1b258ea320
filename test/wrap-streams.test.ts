// The streams of a wrapped connection: what waits for a verdict, lines that are longer than what is usually held, our own
// answers, and answers that come in several streams.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { readLines, Tap } from '../scripts/wrap/lines.ts';
import { type Message, readMessages, toLine } from '../scripts/wrap/message.ts';
import { ownAnswer } from '../scripts/wrap/own-answer.ts';
import { relay } from '../scripts/wrap/relay.ts';
import { readAnswers } from '../scripts/wrap/remote/answer-stream.ts';
import { toSending } from '../scripts/wrap/sending.ts';
import type { HeldCall, Side } from '../scripts/wrap/types.ts';
import { type SentBytes, Waiting } from '../scripts/wrap/waiting.ts';

describe('what waits behind a call without a verdict', () => {
  const world = () => {
    const output = new PassThrough().resume();
    const passed: string[] = [];
    const waiting = new Waiting({
      from: new Tap(output),
      pass: ({ bytes }) => void passed.push(bytes.toString('utf8', 0, 20)),
      empty: () => void passed.push('empty'),
    });
    const sent = (bytes: string | Buffer, isHeld = false): SentBytes => {
      const one = { bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes, last: true, isHeld };
      waiting.add(one);
      return one;
    };
    return { output, passed, waiting, sent };
  };

  it('passes in its order, and no call before its own verdict', async () => {
    const { passed, waiting, sent } = world();
    sent('before');
    const [one, , two] = [sent('one', true), sent('between'), sent('two', true)];
    sent('behind');
    let isTurn = false;
    const turnOfTwo = waiting.turnOf(two).then(() => {
      isTurn = true;
    });
    await waiting.turnOf(one);
    assert.deepEqual([passed, isTurn], [['before'], false]);
    waiting.release(one, Buffer.from('judged'));
    await turnOfTwo;
    assert.deepEqual(passed, ['before', 'judged', 'between']);
    waiting.release(two, two.bytes);
    assert.deepEqual(passed, ['before', 'judged', 'between', 'two', 'behind', 'empty']);
  });

  it('does not pass with the verdict on a later call', () => {
    const { passed, waiting, sent } = world();
    const [one, two] = [sent('one', true), sent('two', true)];
    waiting.release(two, two.bytes);
    assert.deepEqual(passed, []);
    waiting.release(one, one.bytes);
    assert.deepEqual(passed, ['one', 'two', 'empty']);
  });

  it('is 8 MB at most: beyond that, the host is not read on until there is room', () => {
    const { output, waiting, sent } = world();
    const large = Buffer.alloc(1024 * 1024);
    const calls = Array.from({ length: 9 }, () => sent(large, true));
    assert.equal(output.isPaused(), true);
    waiting.release(calls[0] as SentBytes, large);
    assert.equal(output.isPaused(), false);
  });

  it('is counted without calls that were refused, or became another one', () => {
    const { output, waiting, sent } = world();
    const large = Buffer.alloc(1024 * 1024);
    for (let calls = 0; calls < 20; calls++) {
      waiting.release(sent(large, true), Buffer.from(calls % 2 === 0 ? '' : 'x'));
      assert.equal(output.isPaused(), false, `after ${calls} calls`);
    }
    for (let calls = 0; calls < 20; calls++) waiting.release(sent('x', true), large);
    Array.from({ length: 9 }, () => sent(large, true));
    assert.equal(output.isPaused(), true);
  });
});

describe('a list of more than 1 MB', () => {
  /** A host and a server that lists `tools`; `judged` are the calls that wrap was not sure of. */
  const world = (tools: object[]) => {
    const side = (): Side & { output: PassThrough; input: PassThrough } => ({
      output: new PassThrough(),
      input: new PassThrough(),
    });
    const [host, server] = [side(), side()];
    const judged: HeldCall[] = [];
    let heard = (_length: number): void => {};
    let length = 0;
    const listed = { tools };
    readLines(server.input, {
      line: (line) => {
        const { id, method } = JSON.parse(line.toString());
        const result = method === 'tools/list' ? { tools: listed.tools } : { content: [] };
        const answer = toLine({ id, result });
        for (const part of [answer.subarray(0, -1), answer.subarray(-1)]) server.output.write(part);
      },
      piece: () => {},
    });
    host.input.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (chunk.at(-1) === 10) heard(length);
    });
    relay({
      host,
      server,
      judge: async (call) => {
        judged.push(call);
        return { pass: true };
      },
      patience: { usual: 20_000, short: 20_000, longest: 20_000 },
    });
    let ids = 0;
    /** @returns how long the answer is */
    const ask = (method: string, params: object = {}): Promise<number> =>
      new Promise((done) => {
        [length, heard] = [0, done];
        host.output.write(toLine({ id: ++ids, method, params }));
      });
    return { ask, judged, listed };
  };
  const large = (name: string) => ({ name, description: 'x'.repeat(1_050_000), inputSchema: { type: 'object' } });

  it('is known as given to the host, and as what the server has now', { timeout: 60_000 }, async () => {
    const { ask, judged, listed } = world([large('note')]);
    assert.ok((await ask('tools/list')) > 1_050_000, 'the host gets all of it');
    listed.tools = [{ ...large('note'), title: 'changed' }];
    await ask('tools/call', { name: 'note', arguments: {} });
    assert.deepEqual(
      judged.map((one) => [one.served.length, one.listed.failed, JSON.stringify(one.listed).includes('changed')]),
      [[1, undefined, true]],
    );
  });
});

describe('our own answer to a call', () => {
  const answered = (params: object, isError = true): unknown => {
    const call: Message = { id: 7, idText: '7', idSpelled: '7.0', method: 'tools/call', params: { ...params } };
    const answer = ownAnswer(call, 'not sent', isError)?.toString() ?? '';
    assert.match(answer, /"id":7\.0,.*\n$/);
    const { jsonrpc: _, id: __, ...rest } = JSON.parse(answer);
    return rest;
  };
  const content = [{ type: 'text', text: 'not sent' }];

  it('is a result of the form that the host’s revision knows', () => {
    const revision = (text: unknown) => ({ _meta: { 'io.modelcontextprotocol/protocolVersion': text } });
    assert.deepEqual(answered({}), { result: { content, isError: true } });
    assert.deepEqual(answered({}, false), { result: { content } });
    for (const text of ['2025-11-25', 7, undefined])
      assert.deepEqual(answered(revision(text)), { result: { content, isError: true } });
    assert.deepEqual(answered(revision('2026-07-28')), {
      result: { resultType: 'complete', content, isError: true },
    });
  });

  it('is an error with that text where a task was asked for, and none where there is no id', () => {
    assert.deepEqual(answered({ task: { ttl: 1 } }), { error: { code: -32602, message: 'not sent' } });
    assert.deepEqual(answered({ task: null }), { result: { content, isError: true } });
    assert.equal(ownAnswer({ params: {} }, 'not sent', true), undefined);
  });
});

describe('an answer over HTTP whose stream ends before it', () => {
  /** The pauses of one answer. Other tests in this process wait as long as they ask for. */
  const pausesOf = new AsyncLocalStorage<number[]>();
  const wait = globalThis.setTimeout;
  /** Streams with these texts, one after the other; no server is reached for `undefined`. */
  const resumed = (test: TestContext, texts: (string | undefined)[]) =>
    new Promise<{ pauses: number[]; after: unknown[]; why?: string }>((done) => {
      const [pauses, after]: [number[], unknown[]] = [[], []];
      test.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number, ...more: []) => {
        const own = pausesOf.getStore();
        if (own === undefined) return wait(work, ms, ...more);
        own.push(ms);
        setImmediate(work);
        return { unref() {} };
      });
      const streamOf = (text: string) => {
        const stream = Object.assign(new PassThrough(), {
          statusCode: 200,
          headers: { 'content-type': 'text/event-stream' },
        });
        stream.end(text);
        return stream as unknown as IncomingMessage;
      };
      const [first = '', ...others] = texts;
      const ask = (last: string | undefined): ClientRequest => {
        after.push(last);
        const text = others.shift();
        const request = Object.assign(new EventEmitter(), {
          end: () => (text === undefined ? request.emit('close') : request.emit('response', streamOf(text))),
        });
        return request as unknown as ClientRequest;
      };
      const call = toLine({ id: 1, method: 'tools/call' });
      const fail = (_: unknown, why: string): void => done({ pauses, after, why });
      const isOver = (): boolean => {
        if (others.length === 0 && after.length === texts.length - 1) done({ pauses, after });
        return others.length === 0;
      };
      void pausesOf.run(pauses, () =>
        readAnswers(streamOf(first), toSending(call, readMessages(call)), { ask, take: () => {}, fail, isOver }),
      );
    });

  it('goes on after its last event, with pauses that double up to 5 s while streams end at once', async (test) => {
    const texts = ['id: 7\nretry: 10\ndata: \n\n', ...Array(10).fill('retry: 10\n\n')];
    const { pauses, after } = await resumed(test, texts);
    assert.deepEqual(pauses.slice(0, 9), [10, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    assert.deepEqual([...new Set(after)], ['7']);
  });

  it('waits for as long as the server asks, up to a minute', async (test) => {
    const texts = ['id: 7\nretry: 20000\ndata: \n\n', 'retry: 600000\n\n', '', ''];
    assert.deepEqual((await resumed(test, texts)).pauses, [20_000, 60_000, 1_000]);
  });

  it('fails if no event had an id, or if no server is reached four times in a row', async (test) => {
    const why = 'its stream ended before its answer';
    assert.deepEqual(await resumed(test, ['data: \n\n', '']), { pauses: [], after: [], why });
    const lost = Array(9).fill(undefined);
    const found = await resumed(test, ['id: 7\nretry: 10\ndata: \n\n', ...lost]);
    assert.deepEqual(found, { pauses: [10, 1_000, 1_000, 1_000], after: ['7', '7', '7', '7'], why });
  });
});
