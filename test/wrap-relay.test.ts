// Full tier: a process between two others.
// wrap between two sides that are slow, broken or hostile: it behaves as if it were not there.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from './running.ts';
import { type Said, startHostProcess, startServerProcess } from './wrap-sides.ts';

const ECHO = [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'];
const LINUX = process.platform === 'linux' ? false : 'reads /proc';
const POSIX = process.platform === 'win32' ? 'no signals' : false;

const memoryOf = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Code for a server whose tool `note` changes after a call of `change`. */
const CHANGED = `tools.push({ name: 'change', inputSchema: { type: 'object' } });
  const change = () => { tools = tools.map((tool) => tool.name === 'note' ? { ...tool, inputSchema: schema('words') } : tool); };`;

describe('what passes', () => {
  it('is the same bytes, whatever they are', async (test) => {
    const host = startHostProcess(test, ECHO);
    const odd = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0" , "id":1,"method":"x","unknown":{"a":1.0e+2}}\r\n'),
      Buffer.from('no JSON at all\n\n   \n[]\n[1]\nnull\n"x"\n{"id":null}\n'),
      Buffer.from([0, 255, 254, 0x22, 0xc3, 0x28, 10, 0xe2, 0x82, 13, 10]),
      Buffer.from('{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"y"}\n'),
      Buffer.from(`{"id":"${'i'.repeat(100_000)}","method":"z"}\n`),
      Buffer.from(`${'['.repeat(100_000)}\n`),
      Buffer.from('{"method":"half a li'),
    ]);
    host.send(odd);
    host.child.stdin?.end();
    const { code, stdout } = await host.closed;
    assert.ok(stdout.equals(odd), stdout.toString('latin1').slice(0, 2_000));
    assert.equal(code, 0);
    assert.equal(host.stderr(), '');
  });

  it('is a line of 50 MB, both ways, in bounded memory', { skip: LINUX }, async (test) => {
    const host = startHostProcess(test, ECHO);
    const line = Buffer.alloc(50 * 1024 * 1024, 'x');
    line[line.length - 1] = 10;
    let most = 0;
    const timer = setInterval(() => {
      try {
        most = Math.max(most, memoryOf(host.child.pid) || 0);
      } catch {
        // It has ended.
      }
    }, 20);
    test.after(() => clearInterval(timer));
    host.send(line);
    host.send('{"behind":"it"}\n');
    host.child.stdin?.end();
    const { stdout } = await host.closed;
    clearInterval(timer);
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    assert.equal(digest(stdout), digest(Buffer.concat([line, Buffer.from('{"behind":"it"}\n')])));
    assert.ok(most > 0 && most < 170_000, `${most} kB`);
  });

  it('is a call without an end of its line, and what was asked before the host went', async (test) => {
    const host = startServerProcess(test, '');
    host.send({ id: 'a', method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } });
    host.send({ method: 'notifications/initialized' });
    host.send({ id: 'b', method: 'tools/list' });
    host.send('{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"note","arguments":{"text":"x"}}}');
    host.child.stdin?.end();
    const { code } = await host.closed;
    const ids = host.lines.map((line) => JSON.parse(line).id);
    assert.deepEqual(ids, ['a', 'b', 'c']);
    assert.equal(code, 0);
  });

  it('keeps its order while a call waits, and ids are the host’s own', async (test) => {
    const host = startServerProcess(
      test,
      `const heard = [];
       let slow = false;
       const listNow = list;
       list = (id) => setTimeout(() => listNow(id), slow ? 1_500 : 0);
       on = ({ id, method, params }) => {
         if (method !== 'tools/list') heard.push(method === 'tools/call' ? params.arguments.text : method);
         if (method === 'initialize') setTimeout(() => { slow = true; }, 200);
         if (method === 'heard') answer(id, { heard });
         return method === 'heard';
       };`,
    );
    await host.begin();
    await sleep(300);
    const before = performance.now();
    const call = (id: unknown, text: string) => ({
      id,
      method: 'tools/call',
      params: { name: 'note', arguments: { text } },
    });
    host.send(call(7, 'one'));
    await sleep(20);
    host.send({ id: 'p', method: 'ping' });
    host.send(call('7', 'two'));
    host.send(call(7, 'three'));
    const { result } = await host.ask('heard');
    assert.deepEqual(result.heard.slice(2), ['one', 'ping', 'two', 'three', 'heard']);
    // The waits for lists of consecutive calls do not add up: that would be 4.5 s.
    assert.ok(performance.now() - before < 4_000, `${performance.now() - before} ms`);
    const answers = host.lines.map((line) => JSON.parse(line)).filter(({ id }) => id === 7 || id === '7');
    assert.deepEqual(
      answers.map(({ id, result: { content } }) => [id, JSON.parse(content[0].text).text]),
      [
        [7, 'one'],
        ['7', 'two'],
        [7, 'three'],
      ],
    );
  });

  it('is an answer that the server needs before it can list its tools', async (test) => {
    const host = startServerProcess(
      test,
      `let count = 0;
       const listNow = list;
       const wanted = new Map();
       list = (id) => { if (count++ === 0) return listNow(id); wanted.set('q' + count, id); say({ id: 'q' + count, method: 'sampling/createMessage', params: {} }); };
       on = ({ id, method }) => { if (method === undefined && wanted.has(id)) listNow(wanted.get(id)); return method === undefined; };`,
    );
    await host.begin();
    const called = host.call('note', { text: 'x' });
    const { id } = await host.next(({ method }) => method === 'sampling/createMessage');
    host.send({ id: 99, method: 'ping' });
    host.send({ id, result: {} });
    assert.equal((await called).content[0].text, '{"text":"x"}');
  });

  it('has nothing of ours before the host has begun, and no id of ours reaches the host', async (test) => {
    const host = startServerProcess(
      test,
      `const heard = [];
       on = (message) => { heard.push(message); if (message.method === 'heard') answer(message.id, { heard }); return message.method === 'heard'; };`,
    );
    await host.begin();
    await host.call('note', { text: 'x' });
    const { heard } = (await host.ask('heard')).result;
    const methods = heard.map(({ method }: Said) => method);
    assert.deepEqual(methods, [
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/list',
      'tools/call',
      'heard',
    ]);
    assert.match(heard[3].id, /^konnichiwagwan-/);
    assert.doesNotMatch(host.lines.slice(0, -1).join('\n'), /konnichiwagwan/);
  });

  it('is a batch, without the calls in it that must not be sent', async (test) => {
    const host = startServerProcess(
      test,
      `${CHANGED}
       on = (message) => {
         if (!Array.isArray(message)) { if (message.method === 'go') { change(); answer(message.id, {}); return true; } return false; }
         say({ method: 'batch', params: { ids: message.map(({ id }) => id) } });
         return true;
       };`,
    );
    await host.begin();
    const call = (id: number, text: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"note","arguments":{"text":"${text}"}}}`;
    const ping = '{"jsonrpc":"2.0","id":52,"method":"ping"}';
    host.send(`[${call(51, 'a')}, ${ping}]\n`);
    await host.next(({ params }) => String(params?.ids) === '51,52');
    await host.ask('go');
    host.send(`[${call(61, 'a')}, ${ping}]\n`);
    await host.next(({ params }) => String(params?.ids) === '52');
    const refused = await host.next(({ id, result }) => id === 61 && result?.isError === true);
    assert.match(refused.result.content[0].text, /`note`/);
  });
});

describe('a call that is refused', () => {
  const changing = (test: Parameters<typeof startServerProcess>[0]) =>
    startServerProcess(
      test,
      `${CHANGED}
       on = ({ id, method }) => { if (method !== 'go') return false; change(); answer(id, {}); return true; };`,
    );

  it('is answered under the id that the host wrote, even one that JavaScript cannot hold', async (test) => {
    const host = changing(test);
    await host.begin();
    await host.ask('go');
    const id = '12345678901234567891';
    host.send(`{"id": ${id}, "method":"tools/call","params":{"name":"note","arguments":{"text":"x"}}}\n`);
    await host.next(({ result }) => result?.isError === true);
    assert.ok(host.lines.some((line) => line.includes(`"id":${id},`)));
  });

  it('says what kind of result it is where the protocol demands it', async (test) => {
    const host = changing(test);
    await host.begin();
    await host.ask('go');
    const params = { name: 'note', arguments: { text: 'x' } };
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', progressToken: 3 };
    const modern = await host.ask('tools/call', { ...params, _meta: meta });
    assert.equal(modern.result.resultType, 'complete');
    assert.equal(modern.result.isError, true);
    const older = await host.ask('tools/call', params);
    assert.deepEqual(Object.keys(older.result), ['content', 'isError']);
    const task = await host.ask('tools/call', { ...params, task: { ttl: 1_000 } });
    assert.equal(task.error.code, -32602);
    assert.match(task.error.message, /`note`/);
  });
});

describe('a server that is slow or wrong about its list', () => {
  it('is asked once in vain, for a while, and then for a moment', async (test) => {
    const host = startServerProcess(
      test,
      `let count = 0; const listNow = list; list = (id) => { if (count++ === 0) listNow(id); };`,
    );
    await host.begin();
    const before = performance.now();
    assert.equal((await host.call('note', { text: 'x' })).isError, undefined);
    const first = performance.now() - before;
    // On a busy machine the call itself takes its time, too.
    assert.ok(first > 4_500 && first < 9_500, `${first} ms`);
    await host.call('note', { text: 'x' });
    // Less than it waited at first.
    assert.ok(performance.now() - before - first < 4_000);
  });

  it('is waited for while it works on another call, and then still judged', async (test) => {
    const host = startServerProcess(
      test,
      `${CHANGED}
       on = ({ id, method, params }) => {
         if (method !== 'tools/call' || params.name !== 'change') return false;
         const end = Date.now() + 7_000;
         while (Date.now() < end);
         change();
         answer(id, { content: [] });
         return true;
       };`,
    );
    await host.begin();
    const long = host.call('change', {});
    await sleep(100);
    const stale = await host.ask('tools/call', { name: 'note', arguments: { text: 'x' } }, 30_000);
    assert.equal(stale.result.isError, true);
    await long;
  });

  it('may answer with an error, twice, late, or in parts of its own: the host hears none of it', async (test) => {
    const host = startServerProcess(
      test,
      `let count = 0;
       list = (id) => {
         count++;
         if (count === 1) return answer(id, { tools });
         if (count === 2) return say({ id, error: { code: -32603, message: 'no' } });
         answer(id, { tools }); answer(id, { tools }); answer(id, 'odd');
         say({ id: 'nobody', result: { tools: [] } });
       };`,
    );
    await host.begin();
    for (let at = 0; at < 3; at++) assert.equal((await host.call('note', { text: 'x' })).isError, undefined);
    await host.ask('ping');
    assert.doesNotMatch(host.lines.join('\n'), /konnichiwagwan-/);
    assert.equal(host.lines.filter((line) => line.includes('could not check')).length, 1);
    assert.equal(host.lines.filter((line) => line.includes('"nobody"')).length, 2);
  });

  it('may break off in the middle of it', async (test) => {
    const host = startServerProcess(
      test,
      `let count = 0; const listNow = list;
       list = (id) => { if (count++ === 0) return listNow(id); process.stdout.write('{"jsonrpc":"2.0","id":"' + id + '","resu', () => process.exit(3)); };`,
    );
    await host.begin();
    host.send({ id: 9, method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    const { code, stdout } = await host.closed;
    assert.equal(code, 3);
    assert.doesNotMatch(stdout.toString(), /konnichiwagwan/);
  });

  it('gets no call that the host took back meanwhile', async (test) => {
    const host = startServerProcess(
      test,
      `const heard = []; let count = 0; const listNow = list;
       list = (id) => setTimeout(() => listNow(id), count++ === 0 ? 0 : 300);
       on = ({ id, method, params }) => { heard.push(method); if (method === 'heard') answer(id, { heard }); return method === 'heard'; };`,
    );
    await host.begin();
    host.send({ id: 'gone', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    host.send({ id: 'too', method: 'prompts/list' });
    host.send({ method: 'notifications/cancelled', params: { requestId: 'gone' } });
    host.send({ method: 'notifications/cancelled', params: { requestId: 'too' } });
    const { heard } = (await host.ask('heard')).result;
    assert.deepEqual(heard.slice(3), ['tools/list', 'heard']);
    assert.ok(!host.lines.some((line) => /"gone"|"too"/.test(line)));
  });
});

describe('a flood', () => {
  it('of the server does not fill memory while the host reads nothing', { skip: LINUX }, async (test) => {
    const host = startServerProcess(
      test,
      `const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(1000) } }) + '\\n';
       let sent = 0;
       const go = () => { while (sent < 200_000 && process.stdout.write(line)) sent++; if (sent < 200_000) process.stdout.once('drain', go); };
       on = ({ method }) => { if (method === 'notifications/initialized') go(); return false; };`,
    );
    host.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } });
    await host.next(({ id }) => id === 1);
    host.child.stdout?.pause();
    host.send({ method: 'notifications/initialized' });
    await sleep(1_500);
    const memory = memoryOf(host.child.pid);
    assert.ok(memory < 100_000, `${memory} kB`);
    host.child.stdout?.resume();
    host.send({ id: 2, method: 'ping' });
    await host.next(({ id }) => id === 2, 120_000);
  });

  it('of a server that reads nothing meanwhile comes to its end', async (test) => {
    const host = startHostProcess(test, [
      process.execPath,
      '-e',
      `const fs = require('node:fs');
       const line = Buffer.from('{"method":"' + 'x'.repeat(1000) + '"}\\n');
       const write = (bytes) => { for (let at = 0; at < bytes.length; ) try { at += fs.writeSync(1, bytes, at); } catch (error) { if (error.code !== 'EAGAIN') throw error; } };
       for (let count = 0; count < 20_000; count++) write(line);
       process.stdin.resume().on('end', () => write(Buffer.from('{"end":true}\\n')));`,
    ]);
    const question = `{"id":1,"method":"ask","params":{"x":"${'y'.repeat(100_000)}"}}\n`;
    for (let count = 0; count < 50; count++) host.send(question);
    host.child.stdin?.end();
    const { stdout } = await host.closed;
    assert.ok(stdout.toString('latin1').endsWith('{"end":true}\n'));
    assert.ok(stdout.length > 20_000_000);
  });

  it('of calls behind one that waits does not fill memory, and ends with its answer', { skip: LINUX }, async (test) => {
    const host = startServerProcess(
      test,
      `let count = 0; const listNow = list; list = (id) => setTimeout(() => listNow(id), count++ === 0 ? 0 : 1000);`,
    );
    await host.begin();
    host.send({ id: 'c', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    for (let at = 0; at < 60; at++) host.send({ method: 'notifications/x', params: { x: 'y'.repeat(1_000_000) } });
    host.send({ id: 'p', method: 'ping' });
    await sleep(700);
    const memory = memoryOf(host.child.pid);
    assert.ok(memory < 150_000, `${memory} kB`);
    await host.next(({ id }) => id === 'c');
    await host.next(({ id }) => id === 'p', 120_000);
  });
});

describe('an end', { skip: POSIX }, () => {
  const goneWithin = async (pid: number, ms: number): Promise<boolean> => {
    for (const end = Date.now() + ms; isRunning(pid); await sleep(50)) if (Date.now() > end) return false;
    return true;
  };
  /** Prints its process ID and that of a child; ends neither with its input nor on request. */
  const STUBBORN = `
    process.on('SIGTERM', () => {});
    process.on('SIGINT', () => {});
    const inner = require('node:child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e3)'], { stdio: 'ignore' });
    setInterval(() => {}, 1_000);
    say({ method: 'pids', params: { pids: [process.pid, inner.pid] } });`;
  const pidsOf = async (host: ReturnType<typeof startServerProcess>): Promise<number[]> =>
    (await host.next(({ method }) => method === 'pids')).params.pids;

  for (const [what, code, expected] of [
    ['its exit code', 'process.exit(7)', { code: 7, signal: null }],
    ['its signal', 'process.kill(process.pid, "SIGKILL")', { code: null, signal: 'SIGKILL' }],
    ['its signal, too', 'process.kill(process.pid, "SIGTERM")', { code: null, signal: 'SIGTERM' }],
  ] as const) {
    it(`of the program: the host sees ${what}, after its last words`, async (test) => {
      const host = startServerProcess(test, `say({ method: 'last' }); process.stdout.write('', () => { ${code} });`);
      const { code: exit, signal, stdout } = await host.closed;
      assert.deepEqual({ code: exit, signal }, expected);
      assert.match(stdout.toString(), /"last"/);
    });
  }

  it('of a program that is not there is told, with the code that a shell gives', async (test) => {
    const host = startHostProcess(test, ['/no/such/program', 'x']);
    const { code, stdout } = await host.closed;
    assert.equal(code, 127);
    assert.equal(stdout.length, 0);
    assert.match(host.stderr(), /"\/no\/such\/program" cannot be started: there is no such program/);
  });

  it('of the host ends the program', async (test) => {
    const host = startServerProcess(test, "process.stdin.on('end', () => process.exit(5));");
    await host.begin();
    host.child.stdin?.end();
    assert.equal((await host.closed).code, 5);
  });

  it('of the host ends a program that does not want to end, and what that has started', async (test) => {
    const host = startServerProcess(test, STUBBORN);
    const pids = await pidsOf(host);
    host.child.stdin?.end();
    for (const pid of pids) assert.ok(await goneWithin(pid, 20_000), 'it still runs');
    await host.closed;
  });

  it('of the host ends it, too, if all that is open is what the host listens to', async (test) => {
    const host = startServerProcess(test, `on = ({ method }) => method === 'subscriptions/listen'; ${STUBBORN}`);
    const [pid = 0] = await pidsOf(host);
    host.send({ id: 'l', method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } });
    host.child.stdin?.end();
    assert.ok(await goneWithin(pid, 20_000), 'it still runs');
  });

  it('of wrap by SIGTERM is passed on', async (test) => {
    const host = startServerProcess(
      test,
      `process.on('SIGTERM', () => { say({ method: 'told' }); process.exit(9); });`,
    );
    await host.begin();
    host.child.kill('SIGTERM');
    const { code, stdout } = await host.closed;
    assert.equal(code, 9);
    assert.match(stdout.toString(), /"told"/);
  });

  it('of wrap by SIGKILL leaves nobody, not even who does not want to end', async (test) => {
    const host = startServerProcess(test, STUBBORN);
    const pids = await pidsOf(host);
    host.child.kill('SIGKILL');
    await host.closed;
    for (const pid of pids) assert.ok(await goneWithin(pid, 20_000), 'it still runs');
  });

  it('of a long call is waited for, where the host only closed what it writes', async (test) => {
    const host = startServerProcess(
      test,
      `on = ({ id, method }) => { if (method === 'tools/call') setTimeout(() => { answer(id, { content: [] }); process.exit(0); }, 4_000); return method === 'tools/call'; };
       setInterval(() => {}, 1_000);`,
    );
    await host.begin();
    host.send({ id: 'long', method: 'tools/call', params: { name: 'note', arguments: { text: 'x' } } });
    host.child.stdin?.end();
    await host.next(({ id }) => id === 'long');
    assert.equal((await host.closed).code, 0);
  });
});

describe('how it is started', () => {
  for (const [what, words, command, message] of [
    ['no command', ['--'], [], /the command of the server is missing/],
    ['an unknown option', ['--foo'], ['x'], /Unknown option '--foo'/],
    ['a program and a URL', ['--url', 'http://localhost/'], ['x'], /not both/],
    ['no URL', ['--url', 'x'], [], /no http or https URL/],
    [
      'a variable that is not set',
      ['--url', 'http://localhost/', '--header', 'A: $' + '{NO_SUCH}'],
      [],
      /NO_SUCH is not set/,
    ],
    ['a header that is none', ['--url', 'http://localhost/', '--header', 'nothing'], [], /'Name: value'/],
  ] as const) {
    it(`wrongly, with ${what}`, async (test) => {
      const host = startHostProcess(test, [...command], { words: [...words] });
      const { code } = await host.closed;
      assert.equal(code, 2);
      assert.match(host.stderr(), message);
    });
  }
});
