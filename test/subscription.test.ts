// Whether a server that ended its stream of announcements, or never began one, is asked for it again.
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Subscription } from '../scripts/sources/warm/subscription.ts';

type Answer = (response: ServerResponse) => unknown;

/** What becomes of a subscription whose server answers so. */
const after = async (test: TestContext, answer: Answer, session?: string) => {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  test.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  // The pause before the next attempt is random, and at most 1.5 s.
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const ended = test.mock.method(Subscription.prototype, 'close');
  const timers = test.mock.method(globalThis, 'setTimeout');
  let asked = 0;
  const unknown: string[] = [];
  const subscription = new Subscription({
    way: () => {
      asked++;
      return { request: { url, headers: {} }, tells: ['tools'], ...(session === undefined ? {} : { session }) };
    },
    begun: () => {},
    announced: () => {},
    asked: () => {},
    unknown: (its) => unknown.push(its),
  });
  subscription.attempt();
  // One timer belongs to the request.
  const isSettled = (): boolean => ended.mock.callCount() > 0 || timers.mock.callCount() > 1;
  for (const start = performance.now(); !isSettled() && performance.now() - start < 10_000; ) await setImmediate();
  test.mock.timers.tick(1_500);
  const isAskedAgain = asked > 1;
  subscription.close();
  return { isAskedAgain, unknown };
};

const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end();

describe('a server is asked for announcements again', () => {
  for (const [what, answer, isAskedAgain] of [
    [
      'after a stream that ended',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      true,
    ],
    ['where it is overloaded', status(429), true],
    ['where it fails', status(500), true],
    ['where it breaks the connection', (response) => response.destroy(), true],
    ['never if it has no such stream', status(405), false],
    ['never if it does not know the address', status(404), false],
    ['never if it answers with something else', (response) => response.end('{}'), false],
  ] as [string, Answer, boolean][])
    it(what, async (test) => {
      assert.deepEqual(await after(test, answer), { isAskedAgain, unknown: [] });
    });

  it('in a new session, where it has forgotten this one', async (test) => {
    assert.deepEqual(await after(test, status(404), 's1'), { isAskedAgain: true, unknown: ['s1'] });
  });
});
