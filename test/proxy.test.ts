// Servers that are reached through a proxy: which one, and that all our ways of asking take it, as Claude Code does.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { fetchThrough, proxyFor } from '../scripts/sources/proxy.ts';
import { type LoopbackProxy, startLoopbackProxy } from './loopback-proxy.ts';
import { startMcp } from './mcp-servers.ts';
import { sandbox, tool } from './sandbox.ts';
import { hostOf, startRemote, until } from './wrap-remote-server.ts';

const weather = tool('weather', { city: { type: 'string' } }, { required: ['city'], additionalProperties: false });
const renamed = tool('weather', { place: { type: 'string' } }, { required: ['place'], additionalProperties: false });

describe('the proxy for a URL', () => {
  const P = 'http://proxy.test:3128';
  const of = (url: string, env: NodeJS.ProcessEnv): string | undefined => proxyFor(new URL(url), env)?.origin;

  it('is named by one of six variables, for both kinds of URL; the lower case comes first', () => {
    for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'])
      for (const url of ['http://mcp.test/', 'https://mcp.test/', 'http://10.0.0.1:80/'])
        assert.equal(of(url, { [name]: P }), P, name);
    assert.equal(of('http://mcp.test/', { HTTPS_PROXY: 'http://other.test', https_proxy: P }), P);
    assert.equal(of('http://mcp.test/', { HTTPS_PROXY: P, http_proxy: 'http://other.test' }), P);
    assert.equal(of('http://mcp.test/', { HTTPS_PROXY: '', http_proxy: P }), P);
    assert.equal(of('http://mcp.test/', {}), undefined);
    for (const odd of ['proxy.test:3128', 'socks5://proxy.test', 'http://', 'x'])
      assert.equal(of('http://mcp.test/', { HTTP_PROXY: odd }), undefined, odd);
  });

  for (const [exempt, hosts, others] of [
    ['mcp.test', ['mcp.test', 'a.mcp.test', 'MCP.test'], ['xmcp.test', 'test', 'mcp.test.evil']],
    ['.mcp.test', ['mcp.test', 'a.mcp.test'], ['xmcp.test']],
    ['*.mcp.test', ['a.mcp.test'], ['xmcp.test']],
    ['MCP.TEST:80', ['mcp.test', 'mcp.test:80'], ['mcp.test:81']],
    ['a.test, mcp.test  b.test', ['a.test', 'mcp.test', 'b.test'], ['c.test']],
    ['*', ['mcp.test', '10.0.0.1'], []],
    ['10.0.0.1,other', ['10.0.0.1', 'other'], ['10.0.0.11', 'mcp.test']],
    ['fe80::1', ['[fe80::1]', '[fe80::1]:81'], ['[fe80::11]', '[fe80::2]']],
    ['[fe80::1]:80', ['[fe80::1]'], ['[fe80::1]:81', '[fe80::2]']],
    ['', [], ['mcp.test']],
    ['.', [], ['mcp.test']],
  ] as const)
    it(`is not for what NO_PROXY names: ${JSON.stringify(exempt)}`, () => {
      const env = { HTTP_PROXY: P, NO_PROXY: exempt };
      for (const host of hosts) assert.equal(of(`http://${host}/`, env), undefined, host);
      for (const host of others) assert.equal(of(`http://${host}/`, env), P, host);
    });

  it('is not for this machine: no other one could reach that', () => {
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', 'a.localhost', '[::1]', '127.0.0.1:8080'])
      assert.equal(of(`http://${host}/`, { HTTP_PROXY: P }), undefined, host);
    for (const host of ['xlocalhost', 'localhost.test', '128.0.0.1', '[::2]'])
      assert.equal(of(`http://${host}/`, { HTTP_PROXY: P }), P, host);
  });

  it('is not for what `no_proxy` names, whatever NO_PROXY says', () => {
    assert.equal(of('http://mcp.test/', { HTTP_PROXY: P, NO_PROXY: 'x', no_proxy: 'mcp.test' }), undefined);
    assert.equal(of('http://mcp.test/', { HTTP_PROXY: P, NO_PROXY: 'mcp.test', no_proxy: 'x' }), P);
  });
});

const startProxy = async (test: TestContext, port: number): Promise<LoopbackProxy> => {
  const proxy = await startLoopbackProxy(port);
  test.after(() => proxy.close());
  return proxy;
};

for (const era of ['modern', 'session', 'stateless', 'sse'] as const)
  describe(`a server that is reached through a proxy, ${era}`, () => {
    const world = async (test: TestContext) => {
      const server = await startMcp(era, { tools: [weather] });
      test.after(() => server.close());
      const proxy = await startProxy(test, Number(new URL(server.url).port));
      const box = await sandbox(test, [], { freshFor: 0 });
      Object.assign(box.env, { GATEWAY_URL: undefined, HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost' });
      const configure = (url: string): void => {
        const servers = { demo: { type: era === 'sse' ? 'sse' : 'http', url } };
        writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: servers, projects: {} }));
      };
      configure(`http://mcp.test${new URL(server.url).pathname}`);
      box.show([weather], 'aaa1');
      return { ...box, server, proxy, configure };
    };

    it('is asked as any other, at the start and before calls', async (test) => {
      const box = await world(test);
      await box.start();
      for (const _call of [1, 2, 3]) {
        assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
      }
      box.server.offer.tools = [renamed];
      const { answer } = await box.call('weather', { city: 'x' });
      assert.equal(answer.hookSpecificOutput?.permissionDecision, 'deny', JSON.stringify(answer));
      assert.ok(box.proxy.seen.length >= 5);
      assert.ok(
        box.proxy.seen.every((one) => /^(GET|POST|DELETE) http:\/\/mcp\.test\//.test(one)),
        box.proxy.seen.join(),
      );
      const login = `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`;
      assert.deepEqual([...new Set(box.proxy.logins)], [login]);
    });

    it('is reached directly on this machine', async (test) => {
      const box = await world(test);
      box.configure(box.server.url);
      await box.start();
      assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
      assert.ok(box.server.seen.length > 0);
      assert.deepEqual(box.proxy.seen, []);
    });
  });

it('a gateway that is reached through a proxy is asked as any other', async (test) => {
  const box = await sandbox(test, [weather], { freshFor: 0 });
  const url = new URL(box.env.GATEWAY_URL ?? '');
  const proxy = await startProxy(test, Number(url.port));
  Object.assign(box.env, { GATEWAY_URL: `http://gateway.test${url.pathname}`, https_proxy: proxy.url });
  await box.start();
  assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
  box.release([renamed]);
  const { answer } = await box.call('weather', { city: 'x' });
  assert.equal(answer.hookSpecificOutput?.permissionDecision, 'deny', JSON.stringify(answer));
  assert.ok(proxy.seen.length > 2);
  assert.ok(proxy.seen.every((one) => one.startsWith('GET http://gateway.test/')));
});

describe('an answer that makes no sense', () => {
  for (const [name, head] of [
    ['a place that is no URL', '307 Moved\r\nlocation: http://['],
    ['a status above all', '777 Odd'],
  ])
    it(`${name} fails the request`, { timeout: 30_000 }, async (test) => {
      const proxy = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(`HTTP/1.1 ${head}\r\ncontent-length: 0\r\n\r\n`));
      });
      await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
      test.after(() => proxy.close());
      const before = process.env.HTTP_PROXY;
      process.env.HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      try {
        await assert.rejects(fetchThrough(new URL('http://mcp.test/'), {}), /Invalid URL|status/);
      } finally {
        if (before === undefined) delete process.env.HTTP_PROXY;
        else process.env.HTTP_PROXY = before;
      }
    });
});

describe('wrap --url, through a proxy', () => {
  it('says nothing without TLS to a proxy that takes TLS', async (test) => {
    let said = '';
    const listener = createServer((socket) => socket.on('data', (part) => (said += part)));
    await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready));
    test.after(() => listener.close());
    const proxy = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const host = hostOf(test, 'http://mcp.test/mcp', ['--header', 'X-Key: secret'], { HTTPS_PROXY: proxy });
    const { error } = await host.ask('x/do');
    assert.match(
      error.message,
      /it cannot be asked \(a proxy with an https:\/\/ address is for https servers alone\)$/,
    );
    assert.equal(said, '');
  });

  it('takes the one that the user named', async (test) => {
    const remote = await startRemote(test);
    const proxy = await startProxy(test, Number(new URL(remote.url).port));
    const host = hostOf(test, `http://mcp.test${new URL(remote.url).pathname}`, [], { HTTPS_PROXY: proxy.url });
    await host.begin();
    assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
    await until(() => remote.seen.includes('GET'));
    assert.equal(await host.end(), 0);
    assert.equal(remote.sessions.size, 0);
    assert.equal(proxy.seen.length, remote.seen.length);
  });

  it('and none that a file of the folder may have named, which is said', async (test) => {
    const remote = await startRemote(test);
    const proxy = await startProxy(test, Number(new URL(remote.url).port));
    const { project } = await sandbox(test, []);
    writeFileSync(join(project, '.env'), `HTTP_PROXY=${proxy.url}\n`);
    const host = hostOf(test, remote.url, [], { HTTP_PROXY: proxy.url, NO_PROXY: '', CLAUDE_PROJECT_DIR: project });
    await host.begin();
    assert.equal((await host.call('note', { text: 'x' })).content[0].text, '{"text":"x"}');
    assert.deepEqual(proxy.seen, []);
    assert.match(host.stderr(), /HTTP_PROXY is ignored: .*\.env"? sets it, and that file is not yours/);
  });
});

describe('a project whose settings name a proxy', () => {
  it('does not lead us through it, nor away from the user’s', async (test) => {
    const server = await startMcp('modern', { tools: [weather] });
    test.after(() => server.close());
    const [users, theirs] = [1, 2].map(() => startProxy(test, Number(new URL(server.url).port)));
    const [mine, evil] = [await users, await theirs] as [LoopbackProxy, LoopbackProxy];
    const box = await sandbox(test, [], { freshFor: 0 });
    const url = `http://mcp.test${new URL(server.url).pathname}`;
    const servers = { demo: { type: 'http', url } };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: servers, projects: {} }));
    mkdirSync(join(box.home, '.claude'), { recursive: true });
    writeFileSync(join(box.home, '.claude/settings.json'), JSON.stringify({ env: { HTTPS_PROXY: mine.url } }));
    const set = { HTTPS_PROXY: evil.url, NO_PROXY: 'mcp.test' };
    mkdirSync(join(box.project, '.claude'), { recursive: true });
    writeFileSync(join(box.project, '.claude/settings.json'), JSON.stringify({ env: set }));
    // As the client hands them on.
    Object.assign(box.env, { GATEWAY_URL: undefined, CLAUDE_PID: String(process.pid), ...set });
    box.show([weather], 'aaa1');
    await box.start();
    assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
    assert.ok(mine.seen.length > 1);
    assert.deepEqual(evil.seen, []);
  });
});

const noOpenssl = spawnSync('openssl', ['version']).status !== 0 && 'there is no openssl to make a certificate with';

describe('a server that is reached through a tunnel (https)', { skip: noOpenssl }, () => {
  /** Takes encrypted connections for a server of this machine. */
  const encrypted = async (test: TestContext, home: string, port: number): Promise<number> => {
    const [key, cert] = [join(home, 'key.pem'), join(home, 'cert.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
      ...['-subj', '/CN=mcp.test', '-keyout', key, '-out', cert],
    ]);
    assert.equal(made.status, 0, String(made.stderr));
    const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
      const on = connect(port, '127.0.0.1');
      socket.pipe(on).pipe(socket);
      socket.on('error', () => on.destroy());
      on.on('error', () => socket.destroy());
    });
    await new Promise<void>((ready) => tls.listen(0, '127.0.0.1', ready));
    test.after(() => tls.close());
    return (tls.address() as AddressInfo).port;
  };

  for (const era of ['modern', 'session'] as const)
    it(`is asked as any other, and the proxy reads nothing: ${era}`, async (test) => {
      const server = await startMcp(era, { tools: [weather] });
      test.after(() => server.close());
      const box = await sandbox(test, [], { freshFor: 0 });
      const port = await encrypted(test, box.home, Number(new URL(server.url).port));
      const proxy = await startProxy(test, port);
      Object.assign(box.env, {
        GATEWAY_URL: undefined,
        HTTP_PROXY: proxy.url,
        NO_PROXY: 'localhost',
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_NO_WARNINGS: '1',
      });
      const servers = { demo: { type: 'http', url: 'https://mcp.test/mcp' } };
      writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: servers, projects: {} }));
      box.show([weather], 'aaa1');
      await box.start();
      for (const _call of [1, 2, 3]) assert.equal((await box.call('weather', { city: 'x' })).stdout, '');
      server.offer.tools = [renamed];
      const { answer } = await box.call('weather', { city: 'x' });
      assert.equal(answer.hookSpecificOutput?.permissionDecision, 'deny', JSON.stringify(answer));
      assert.ok(proxy.seen.length > 3);
      assert.deepEqual([...new Set(proxy.seen)], ['CONNECT mcp.test:443']);
      proxy.refuse = 407;
      const refused = await box.call('weather', { city: 'x' });
      assert.match(refused.answer.systemMessage, /could not check calls of server `demo`/);
    });
});
