// Batches, from an old revision of MCP: every call in them is judged, and a cancellation only affects its own ID.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Host, startServer } from './wrap-sides.ts';

/** A server that changes its tool at `go`, reports which messages reach it, and lists its tools after `late` ms. */
const SERVER = `
  let late = 0;
  list = (id) => setTimeout(() => answer(id, { tools }), late);
  const one = (message) => {
    if (message?.method === undefined) return;
    say({ method: 'got', params: { what: message.method, id: message.id } });
    if (message.id !== undefined && message.method === 'tools/call') answer(message.id, { content: [{ type: 'text', text: 'SERVED' }] });
    else if (message.method === 'ping') answer(message.id, {});
  };
  on = (message) => {
    if (message.method === 'go') { tools = [{ name: 'note', inputSchema: schema('body') }]; late = message.params.late ?? 0; answer(message.id, {}); return true; }
    if (Array.isArray(message)) { message.forEach(one); return true; }
    if (message.method === 'tools/call' || message.method === 'notifications/cancelled') { one(message); return true; }
    return false;
  };`;

const call = (id: unknown, text = 'stale', name = 'note') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { text } },
});
const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

const begin = async (test: TestContext, late = 0): Promise<Host> => {
  const host = startServer(test, SERVER);
  await host.begin();
  await host.ask('go', { late });
  return host;
};
const send = (host: Host, batch: unknown): void => host.send(`${JSON.stringify(batch)}\n`);
/** What reached the server, by id or method. */
const got = (host: Host): unknown[] =>
  host.lines
    .map((line) => JSON.parse(line))
    .filter(({ method }) => method === 'got')
    .map(({ params }) => params.id ?? params.what);
const answered = (host: Host, id: unknown) =>
  host.lines.map((line) => JSON.parse(line)).filter((one) => one.id === id && one.method === undefined);

describe('a batch with a stale call', () => {
  for (const [what, batch] of [
    ['behind a cancellation of something else', [cancel(99), call('b')]],
    ['before one', [call('b'), cancel(99)]],
    [
      'behind an answer and a notification',
      [{ jsonrpc: '2.0', id: 1, result: {} }, { jsonrpc: '2.0', method: 'x' }, call('b')],
    ],
    ['alone', [call('b')]],
    ['behind a ping with an odd form', [ping('p'), 7, null, [], call('b')]],
  ] as const)
    it(`does not reach the server with it: ${what}`, async (test) => {
      const host = await begin(test);
      send(host, batch);
      await host.next(({ id, result }) => id === 'b' && result?.isError === true);
      await host.ask('ping');
      assert.ok(!got(host).includes('b'), host.lines.join('\n'));
      assert.equal(answered(host, 'b').length, 1);
    });

  it('has all other bytes as they came', async (test) => {
    const host = startServer(
      test,
      `process.stdin.removeAllListeners('data');
       let text = '';
       process.stdin.on('data', (part) => {
         const lines = (text + part).split('\\n'); text = lines.pop();
         for (const line of lines) { if (line.startsWith('[')) say({ method: 'raw', params: { line } }); else hear(JSON.parse(line)); }
       });
       on = ({ id, method }) => { if (method !== 'go') return false; tools = [{ name: 'note', inputSchema: schema('body') }]; answer(id, {}); return true; };`,
    );
    await host.begin();
    await host.ask('go');
    host.send(
      `[ {"id": 1.0e2 ,"method":"x","params":{"n":12345678901234567890}} , ${JSON.stringify(call('b'))},{"method":"y\\/z"}  ]\n`,
    );
    const raw = await host.next(({ method }) => method === 'raw');
    assert.equal(
      raw.params.line,
      '[{"id": 1.0e2 ,"method":"x","params":{"n":12345678901234567890}},{"method":"y\\/z"}]',
    );
  });
});

describe('a cancellation', () => {
  it('takes back the call of its id, in a batch that waits too, and nobody answers that', async (test) => {
    const host = await begin(test, 400);
    send(host, [call('gone'), ping('stays'), call('judged')]);
    send(host, cancel('gone'));
    await host.next(({ id, result }) => id === 'judged' && result?.isError === true);
    await host.ask('ping');
    assert.deepEqual(got(host), ['stays']);
    assert.equal(answered(host, 'gone').length, 0);
  });

  it('in a batch takes back what waits, and what it has beside it is judged', async (test) => {
    const host = await begin(test, 400);
    host.send(call('gone'));
    send(host, [cancel('gone'), call('b')]);
    await host.next(({ id, result }) => id === 'b' && result?.isError === true);
    await host.ask('ping');
    assert.ok(!got(host).includes('gone') && !got(host).includes('b'));
    assert.equal(answered(host, 'gone').length, 0);
  });

  it('is for one id, however it is spelled, and not for its neighbour that JavaScript takes for the same', async (test) => {
    const host = await begin(test, 400);
    const body = '"method":"tools/call","params":{"name":"note","arguments":{"text":"x"}}';
    const [one, two] = ['12345678901234567891', '12345678901234567892'];
    for (const id of [one, two, '"a/b"']) host.send(`{"id":${id},${body}}\n`);
    for (const id of [one, '"a\\/b"']) host.send(`{"method":"notifications/cancelled","params":{"requestId":${id}}}\n`);
    await host.next(() => host.lines.some((line) => line.includes(`"id":${two},`)));
    await host.ask('ping');
    for (const id of [one, '"a/b"']) assert.ok(!host.lines.some((line) => line.includes(`"id":${id},`)), id);
  });
});
