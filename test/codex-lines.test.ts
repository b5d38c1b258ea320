// The lines that a person changes in Codex's TOML, and what they do not show.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { codexAdd, codexRemove, type TomlChange } from '../scripts/wrap-hosts/codex.ts';
import type { HostEntry } from '../scripts/wrap-hosts/entries.ts';

const entry = (value: object): HostEntry =>
  ({ name: 'docs', value, place: { form: { isList: false, urls: ['url'] } } }) as unknown as HostEntry;
const shown = ({ takeOut, putIn }: TomlChange): string => [...takeOut, ...putIn].join('\n');

it('values of headers and of a URL may be secrets: the lines name them without their values', () => {
  const added = codexAdd(
    entry({
      url: 'https://user:hunter2@mcp.test/mcp?key=hunter3',
      http_headers: { 'X-Key': 'hunter4' },
      env_http_headers: { 'X-Org': 'ORG' },
      bearer_token_env_var: 'TOKEN',
    }),
    ['kwg', 'wrap', '--name', 'docs'],
  );
  assert.doesNotMatch(shown(added), /hunter/);
  for (const name of ['X-Key', 'X-Org', 'ORG', 'TOKEN']) assert.match(shown(added), new RegExp(name));
});

it('taking wrap out shows none of them either', () => {
  const args = ['wrap', '--name', 'docs', '--url-env', 'KWG_URL', '--header-env', 'X-Key=KWG_HEADER_1'];
  const env = { KWG_URL: 'https://mcp.test/mcp?key=hunter3', KWG_HEADER_1: 'hunter4' };
  const removed = codexRemove(entry({ command: 'konnichiwagwan', args, env }));
  assert.doesNotMatch(shown(removed), /hunter/);
  assert.match(shown(removed), /X-Key/);
});
