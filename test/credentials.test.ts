// User and password in the URL of a server or gateway: they are sent as a header, and taken out of the URL. Other
// credentials are another source.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { takeCredentials } from '../scripts/sources/credentials.ts';
import { gatewaySource } from '../scripts/sources/gateway.ts';

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

for (const [url, header, left] of [
  ['https://host.test/a?b#c', undefined, 'https://host.test/a?b#c'],
  ['https://user:pass@host.test/a', basic('user:pass'), 'https://host.test/a'],
  ['https://token@host.test/', basic('token:'), 'https://host.test/'],
  ['https://:pass@host.test/', basic(':pass'), 'https://host.test/'],
  ['https://m%C3%BCller:p%3A%40ss@host.test/', basic('müller:p:@ss'), 'https://host.test/'],
  // Malformed, and out of the URL all the same.
  ['https://user:%ff@host.test/', null, 'https://host.test/'],
] as const)
  it(`of ${url}`, () => {
    const parsed = new URL(url);
    assert.equal(takeCredentials(parsed), header);
    assert.equal(parsed.href, left);
  });

it('a gateway with other credentials, or at another address, is another source', () => {
  const keyOf = (url: string, header: string, env: NodeJS.ProcessEnv = {}, name = 'main'): string => {
    const source = gatewaySource(name, { url, headers: { 'X-Tenant': header } }, { TENANT: 'a', ...env });
    return 'key' in source ? source.key : assert.fail(source.why);
  };
  const [url, header] = [`https://host.test/api?of=\${TENANT}`, `\${TENANT}`];
  const first = keyOf(url, header);
  assert.equal(keyOf(url, 'a'), first, 'the same value counts, wherever it comes from');
  const others = {
    'another value of the variable': keyOf(url, header, { TENANT: 'b' }),
    'another header': keyOf(url, 'b'),
    'another query': keyOf('https://host.test/api?of=b', header),
    'another path': keyOf(`https://host.test/api2?of=\${TENANT}`, header),
    'a user and password': keyOf(`https://u:p@host.test/api?of=\${TENANT}`, header),
    'another password': keyOf(`https://u:q@host.test/api?of=\${TENANT}`, header),
    'another name': keyOf(url, header, {}, 'second'),
  };
  assert.equal(new Set([first, ...Object.values(others)]).size, 8, JSON.stringify(others));
});
