// User and password in the URL of a server or gateway: they are sent as a header, and taken out of the URL.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { takeCredentials } from '../scripts/sources/credentials.ts';

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
