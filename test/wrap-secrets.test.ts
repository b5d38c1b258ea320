// If a server echoes its secrets, they appear in none of wrap's files.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Redactor, secretsOfRemote } from '../scripts/servers/secrets.ts';
import { remove } from '../scripts/state/in-use.ts';
import { startHost } from './wrap-sides.ts';

const SECRETS = {
  header: 'tok_9f8e7d6c5b4a3f2e1d0c',
  query: 'q_5c4b3a2f1e0d9c8b7a6f',
  path: 'p4th0f1e2d3c4b5a6978',
  password: 'correct-horse-battery',
  variable: 'v_0a1b2c3d4e5f60718293',
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

/** A server that puts its secrets everywhere into its contracts. */
const echoing = async (test: TestContext) => {
  let round = 0;
  const said = Object.values(SECRETS).join(' ');
  const tools = () => [
    {
      name: 'weather',
      title: said,
      description: `Weather ${said} ${round}`,
      inputSchema: {
        type: 'object',
        properties: {
          city: { type: 'string', default: SECRETS.query },
          [SECRETS.header]: { enum: [SECRETS.password] },
        },
        ...(round > 0 ? { required: ['city'] } : {}),
      },
    },
    { name: `x_${SECRETS.variable}`, description: String(round), inputSchema: { type: 'object' } },
  ];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { id, method } = request.method === 'POST' ? JSON.parse(body) : {};
      if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
      const result =
        method === 'initialize'
          ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
          : method === 'tools/list'
            ? { tools: tools() }
            : { content: [] };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://user:${SECRETS.password}@127.0.0.1:${port}/${SECRETS.path}/mcp?key=${SECRETS.query}`,
    change: () => {
      round++;
    },
  };
};

describe('a secret that a server puts into its contracts', () => {
  it('stands in no file that wrap writes: contracts, records, the log of calls', async (test) => {
    const { url, change } = await echoing(test);
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-secrets-'));
    test.after(() => remove(folder));
    const record = join(folder, 'record.jsonl');
    const host = startHost(test, [], {
      words: ['--name', 'sx', '--record', record, '--url-env', 'WHERE', '--header-env', 'Authorization=KWG_HEADER_1'],
      env: {
        KONNICHIWAGWAN_HOME: join(folder, 'state'),
        WHERE: url,
        KWG_HEADER_1: `Bearer ${SECRETS.header}`,
        MY_API_KEY: SECRETS.variable,
      },
    });
    await host.begin();
    await host.call('weather', { city: 'x' });
    change();
    await host.call('weather', {});
    await host.call(`x_${SECRETS.variable}`, {});
    await host.ask('tools/list');
    const files = filesIn(folder);
    assert.ok(files.some((file) => file.includes('activity')) && files.includes(record));
    for (const file of files)
      for (const [what, secret] of Object.entries(SECRETS))
        assert.ok(!readFileSync(file, 'utf8').includes(secret), `${file} holds the ${what}`);
    assert.match(readFileSync(record, 'utf8'), /Weather \[redacted\]/);
  });
});

describe('what is taken out', () => {
  it('is found in any form in which it stands in JSON or an address, the longest first', () => {
    const odd = 'pass"word\\with/é';
    const redactor = new Redactor([odd, 'abcdefgh', 'abcdefghijkl']);
    const value = { 'k abcdefgh': [`${odd}!`, encodeURIComponent(odd), 'abcdefghijkl', 7, null] };
    assert.deepEqual(redactor.value(value), { 'k [redacted]': ['[redacted]!', '[redacted]', '[redacted]', 7, null] });
    assert.equal(redactor.text(JSON.stringify(odd)), '"[redacted]"');
    const same = { a: ['plain'] };
    assert.equal(redactor.value(same), same);
  });

  it('is the secret part of headers and addresses, and no word that stands anywhere', () => {
    const basic = Buffer.from(`user:${SECRETS.password}`).toString('base64');
    const found = secretsOfRemote('https://mcp.example/v1/mcp?tenant=acme&key=a%20b%20c%20d%20e', {
      authorization: `Basic ${basic}`,
      accept: 'application/json',
    });
    for (const one of [basic, SECRETS.password, 'a b c d e', 'a%20b%20c%20d%20e']) assert.ok(found.includes(one), one);
    const redactor = new Redactor(found);
    for (const plain of ['acme', 'application/json', 'mcp', 'https://mcp.example/v1/mcp'])
      assert.equal(redactor.text(plain), plain);
  });
});
