// Full tier: a process between two others.
// Calls that wrap cannot judge: the answer says so, the next call is judged again, and mode strict refuses calls as long as
// the problem lasts.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { remove } from '../scripts/state/in-use.ts';
import { slownessOf } from './sandbox.ts';
import { type HostedProcess, type Said, startServerProcess } from './wrap-sides.ts';

/**
 * `x/set` sets how long the server takes to list its tools, in ms (-1: never), and changes its tool. A list that comes late is
 * followed by a message, `x/listed`.
 */
const SERVER = `
  let late = 0;
  list = (id) => {
    const isLate = late > 0;
    if (late >= 0) setTimeout(() => { answer(id, { tools }); if (isLate) say({ method: 'x/listed' }); }, late);
  };
  on = ({ id, method, params }) => {
    if (method === 'tools/call') { answer(id, { content: [{ type: 'text', text: 'SERVED' }] }); return true; }
    if (method !== 'x/set') return false;
    late = params.late ?? late;
    if (params.change) tools = [{ name: 'note', inputSchema: schema('body') }];
    answer(id, {});
    return true;
  };`;
const TOLD = /^konnichiwagwan could not check this call of `note`.*\nSERVED$/s;
const STOPPED = /^!konnichiwagwan stopped this call/;

const start = async (test: TestContext, mode = 'guard', code = SERVER): Promise<HostedProcess> => {
  const state = mkdtempSync(join(tmpdir(), 'konnichiwagwan-state-'));
  test.after(() => remove(state));
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'config.json'), JSON.stringify({ mode }));
  const host = startServerProcess(test, code, { env: { KONNICHIWAGWAN_HOME: state } });
  await host.begin();
  return host;
};

const textOf = ({ result, error }: Said): string =>
  error === undefined
    ? `${result.isError ? '!' : ''}${result.content.map((part: Said) => part.text).join('\n')}`
    : `!${error.message}`;
const note = async (host: HostedProcess, text: string): Promise<string> =>
  textOf(await host.ask('tools/call', { name: 'note', arguments: { text } }, 20_000));
const answerTo = async (host: HostedProcess, id: string): Promise<string> => {
  const isIt = (line: string) => line.includes(`"id":${id}`) && !line.includes('"method"');
  await host.next(() => host.lines.some(isIt), 20_000);
  return host.lines.find(isIt) as string;
};

describe('a list that comes late', { concurrency: true }, () => {
  it('once: the call is told to be unchecked, and the next one is judged', async (test) => {
    const host = await start(test);
    // The list is waited for 5 s. Much later: on a busy machine both moments may come late.
    await host.ask('x/set', { late: 8_000 });
    assert.match(await note(host, 'right'), TOLD);
    await host.ask('x/set', { late: 600, change: true });
    await host.next(({ method }) => method === 'x/listed');
    for (let time = 0; time < 3; time++) assert.match(await note(host, 'stale'), STOPPED);
  });

  it('never, for one request: each call until then is told, and the first that can be judged is', async (test) => {
    const host = await start(test);
    await host.ask('x/set', { late: -1 });
    for (let time = 0; time < 2; time++) assert.match(await note(host, 'right'), TOLD);
    await host.ask('x/set', { late: 0, change: true });
    assert.match(await note(host, 'stale'), STOPPED);
  });

  it('in mode strict: refused, and no longer than that', async (test) => {
    const host = await start(test, 'strict');
    await host.ask('x/set', { late: 8_000 });
    assert.match(await note(host, 'right'), /^!konnichiwagwan could not check .*strict, so nothing was sent/);
    await host.ask('x/set', { late: 600 });
    await host.next(({ method }) => method === 'x/listed');
    for (let time = 0; time < 3; time++) assert.equal(await note(host, 'right'), 'SERVED');
  });
});

describe('a call that cannot be read', () => {
  const odd: [what: string, line: (id: string) => string][] = [
    [
      'numbers that JSON has not',
      (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"note","arguments":{"text":NaN}}}\n`,
    ],
    [
      'a comma too many, and an escaped slash',
      (id) =>
        `{"jsonrpc":"2.0","id":${id},"params":{"name":"note","arguments":{"text":"x",}},"method":"tools\\/call"}\n`,
    ],
    [
      'arguments as a text',
      (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"note","arguments":"{}"}}\n`,
    ],
    [
      '17 MB of arguments',
      (id) =>
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"note","arguments":{"text":"${'x'.repeat(17e6)}"}}}\n`,
    ],
    [
      '17 MB of arguments, and what it is at the end',
      (id) =>
        `{"params":{"arguments":{"text":"${'x'.repeat(17e6)}"},"name":"note"},"method":"tools\\u002fcall","id":${id},"jsonrpc":"2.0"}\n`,
    ],
  ];
  // This server accepts any JSON, and much that is not JSON.
  const LENIENT = `${SERVER}
    const heard = hear;
    process.stdin.removeAllListeners('data');
    let text = '';
    process.stdin.on('data', (part) => {
      text += part;
      // Splitting a long line at each of its parts would take seconds.
      if (!String(part).includes('\\n')) return;
      const lines = text.split('\\n');
      text = lines.pop();
      for (const line of lines) if (line !== '') heard(eval('(' + line + ')'));
    });`;

  for (const [what, line] of odd)
    it(`is told of, and refused in mode strict: ${what}`, async (test) => {
      for (const mode of ['guard', 'strict']) {
        const host = await start(test, mode, LENIENT);
        await host.ask('x/set', { change: true });
        host.send(line('"odd"'));
        const answer = await answerTo(host, '"odd"');
        if (mode === 'guard') assert.match(answer, /could not check this call.*SERVED/);
        else assert.match(answer, /could not check this call.*The mode is strict, so nothing was sent/);
        if (mode === 'guard') assert.match(host.stderr(), /could not check/);
        assert.equal(await note(host, 'x').then((said) => said.startsWith('!konnichiwagwan')), true);
      }
    });

  it('and is another message passes', async (test) => {
    const host = await start(test, 'strict');
    host.send(`{"jsonrpc":"2.0","id":"long","method":"ping","params":{"x":"${'tools/call'.repeat(2e6)}"}}\n`);
    assert.match(await answerTo(host, '"long"'), /"result":\{\}/);
    host.send(`{"jsonrpc":"2.0","id":77,"result":{"text":"${'y'.repeat(17e6)}"}}\n`);
    assert.equal(await note(host, 'x'), 'SERVED');
  });

  it('is judged with a mark of byte order before it, and with names that are escaped', async (test) => {
    const host = await start(test);
    await host.ask('x/set', { change: true });
    const call = (id: number, name: string) =>
      `{"id":${id},"method":"tools\\/call","params":{"n\\u0061me":"${name}","arguments":{"te\\u0078t":"x"}}}\n`;
    host.send(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(call(901, 'note'))]));
    host.send(call(902, 'not\\u0065'));
    for (const id of ['901', '902']) assert.match(await answerTo(host, id), /konnichiwagwan stopped this call/);
  });

  it('without an id, or with one that is none, is judged as well', async (test) => {
    const host = await start(
      test,
      'guard',
      `${SERVER} const was = on; on = (m) => { if (m.method === 'tools/call') say({ method: 'got', params: m.params }); return was(m); };`,
    );
    await host.ask('x/set', { change: true });
    const params = { name: 'note', arguments: { text: 'stale' } };
    host.send({ method: 'tools/call', params });
    host.send({ id: null, method: 'tools/call', params });
    host.send({ id: {}, method: 'tools/call', params } as object);
    await host.ask('ping');
    assert.ok(!host.lines.some((line) => line.includes('"got"')), host.lines.join('\n'));
    // It comes through another pipe than the answer.
    for (let waited = 0; host.stderr() === '' && waited < 20_000; waited += 20) await sleep(20);
    assert.match(host.stderr(), /konnichiwagwan stopped this call/);
  });
});

describe('what is told with an answer', () => {
  const SAYS = (answer: string) => `
    list = (id) => (tools === undefined ? say({ id, error: { code: 1, message: 'no' } }) : answer(id, { tools }));
    on = ({ id, method }) => {
      if (method === 'x/hide') { tools = undefined; answer(id, {}); return true; }
      if (method !== 'tools/call') return false;
      process.stdout.write(${answer});
      return true;
    };`;
  const told = async (test: TestContext, answer: string): Promise<string> => {
    const host = await start(test, 'guard', SAYS(answer));
    await host.ask('x/hide');
    host.send({ id: 'it', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    return answerTo(host, '"it"');
  };

  it('leaves all other bytes as they are', async (test) => {
    const line = await told(
      test,
      `'{"jsonrpc" : "2.0","id":"it", "result":{"n":1.0e+2,"content":[ {"type":"text","text":"\\\\u00e9\\\\/"}],"x":12345678901234567890}}\\n'`,
    );
    const [before, ours, behind] =
      /^(.*\[)(\{"type":"text","text":"konnichiwagwan[^"]*"\},)(.*)$/.exec(line)?.slice(1) ?? [];
    assert.ok(ours, line);
    assert.equal(
      `${before}${behind}`,
      '{"jsonrpc" : "2.0","id":"it", "result":{"n":1.0e+2,"content":[ {"type":"text","text":"\\u00e9\\/"}],"x":12345678901234567890}}',
    );
  });

  it('stands in an answer without any content, and in an error', async (test) => {
    const empty = JSON.parse(await told(test, `'{"jsonrpc":"2.0","id":"it","result":{"content":[ ]}}\\n'`));
    assert.match(empty.result.content[0].text, /could not check/);
    assert.equal(empty.result.content.length, 1);
    const { error } = JSON.parse(
      await told(test, `'{"jsonrpc":"2.0","id":"it","error":{"message":"no \\\\"x\\\\"","code":-1}}\\n'`),
    );
    assert.match(error.message, /^no "x"\nkonnichiwagwan could not check/);
    assert.equal(error.code, -1);
  });

  it('is told with the next answer where one has no place for it', async (test) => {
    const host = await start(
      test,
      'guard',
      SAYS(`JSON.stringify({ jsonrpc: '2.0', id, result: id === 'task' ? { task: {} } : { content: [] } }) + '\\n'`),
    );
    await host.ask('x/hide');
    for (const id of ['task', 'next'])
      host.send({ id, method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    await answerTo(host, '"task"');
    assert.equal((await answerTo(host, '"next"')).split('could not check').length, 3);
  });
});

describe('an id', () => {
  it('that a host which begins again gives to another call brings that one no text of the call before', async (test) => {
    const host = await start(
      test,
      'guard',
      `let isBroken = false;
       list = (id) => (isBroken ? say({ id, error: { code: 1, message: 'no' } }) : answer(id, { tools }));
       on = ({ method, params }) => {
         if (method === 'x/break') isBroken = true;
         if (params?.arguments?.text !== 'never') return false;
         isBroken = false;
         say({ method: 'x/called' });
         return true;
       };`,
    );
    host.send({ method: 'x/break' });
    const call = (text: string) =>
      host.send({ id: 7, method: 'tools/call', params: { name: 'note', arguments: { text } } });
    call('never');
    await host.next(({ method }) => method === 'x/called');
    const clientInfo = { name: 'test', version: '2' };
    await host.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    call('x');
    assert.equal(textOf(await host.next(({ id }) => id === 7)), '{"text":"x"}');
  });

  it('comes back as it was written, whatever JavaScript would make of it', async (test) => {
    const host = await start(test);
    await host.ask('x/set', { change: true });
    const ids = ['"a\\/b\\u00e9"', '1e3', '-0.0', '12345678901234567891', '12345678901234567892', '1.50', '"\\u0000"'];
    const params = '"params":{"name":"note","arguments":{"text":"x"}}';
    for (const id of ids) host.send(`{"id" :${id},"method":"tools/call",${params}}\n`);
    host.send(`[${ids.map((id) => `{"method":"tools/call","id": ${id} ,${params}}`).join(' , ')}]\n`);
    await host.ask('ping');
    for (const id of ids)
      assert.equal(host.lines.filter((line) => line.startsWith(`{"jsonrpc":"2.0","id":${id},`)).length, 2, id);
  });

  it('that JavaScript cannot hold costs no more than another: 40,000 of them, while a list is waited for', async (test) => {
    const host = startServerProcess(
      test,
      `on = ({ id, method }) => {
         if (method !== 'tools/list') return false;
         const all = [];
         for (let at = 0; at < 40_000; at++) all.push('{"jsonrpc":"2.0","id":' + (99999999999900000000n + BigInt(at) * 100000n) + ',"result":{}}');
         process.stdout.write('[' + all.join(',') + ']\\n');
         answer(id, { tools });
         return true;
       };`,
    );
    const slowness = slownessOf();
    const before = performance.now();
    await host.begin();
    const took = performance.now() - before;
    assert.ok(took < 4_000 * slowness(), `${took} ms`);
    host.child.kill('SIGTERM');
    assert.equal((await host.closed).signal, 'SIGTERM');
  });
});
