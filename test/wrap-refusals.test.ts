// Which entries of a host's configuration are not wrapped, and why.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { SettingsFile } from '../scripts/install/settings-file.ts';
import { remove } from '../scripts/state/in-use.ts';
import type { HostPlace } from '../scripts/wrap-hosts/hosts.ts';
import { mayNeedSignIn } from '../scripts/wrap-hosts/plan.ts';
import { isDisabled, whyNotWrapped } from '../scripts/wrap-hosts/refusal.ts';

const form = { env: 'env', isList: false, program: 'stdio', urls: ['url'] } as const;
const entry = (
  value: unknown,
  { host = 'claude', whole = {} }: { host?: HostPlace['host']; whole?: unknown } = {},
) => ({
  place: {
    host,
    title: host,
    scope: 'user',
    file: '/x.json',
    path: ['mcpServers'],
    form: host === 'opencode' ? { ...form, env: 'environment', isList: true } : form,
  } as HostPlace,
  name: 'files',
  value,
  file: {} as SettingsFile,
  whole,
});
const url = 'https://mcp.example.com/v1';
/** A variable, as configurations name it. */
const variable = (name: string): string => `\${${name}}`;

describe('an entry is not wrapped', () => {
  for (const [value, why, host] of [
    ['text', /^is not an object$/],
    [{ command: 'konnichiwagwan', args: ['wrap', '--', 'node', 'x'] }, /^is wrapped already$/],
    [{ command: 'node', args: ['x'], disabled: true }, /^is disabled$/],
    [{ command: 'node', args: ['x'], enabled: false }, /^is disabled$/],
    [{ command: 'node', args: ['x'], type: 'websocket' }, /^has the type .*websocket/],
    [{ command: 'node', args: [1] }, /^has neither a command with texts as arguments nor a URL$/],
    [{ command: '' }, /^has neither/],
    [{ url, type: 'sse' }, /^is reached by HTTP with SSE.*sse-only/],
    [{ url }, /^is reached by HTTP with SSE/, 'qwen'],
    [{ url }, /^is reached by HTTP with SSE/, 'cline'],
    [{ url, transportType: 'sse' }, /^is reached by HTTP with SSE/],
    [{ url, transportType: 'http' }, /^has a transportType/],
    [{ url, type: 'ws' }, /^has the type .*ws/],
    [{ url: 'ftp://mcp.example.com' }, /neither http: nor https:$/],
    [{ url, command: 'node' }, /^has both a command and a URL$/],
    [{ url, env: { A: 'b' } }, /^has both a URL and env/],
    [{ url, headersHelper: 'x' }, /prints its headers with a program/],
    [{ url, http_headers_helper: 'x' }, /prints its headers with a program/],
    [{ url, oauth: {} }, /^signs in \(oauth\).*mcp-remote/],
    [{ url, authProviderType: 'x' }, /^signs in \(authProviderType\)/],
    [{ url, auth: 'x' }, /^signs in \(auth\)/],
    [{ url, headers: { a: 1 } }, /^has headers that are not texts$/],
    [{ url, headers: [] }, /^has headers that are not texts$/],
    [{ url, headers: { 'a b': 'x' } }, /^has a header .*a b/],
    [{ url, headers: { a: variable('AWS_SECRET_ACCESS_KEY') } }, /AWS_SECRET_ACCESS_KEY.*keeps from servers/],
    [{ url: `https://mcp.example.com/${variable('NPM_TOKEN')}` }, /NPM_TOKEN/],
  ] as [unknown, RegExp, HostPlace['host']?][])
    it(`${host ?? 'claude'}: ${JSON.stringify(value)}`, () =>
      assert.match(whyNotWrapped(entry(value, host ? { host } : {}), '/project') ?? '', why));
});

describe('an entry is wrapped', () => {
  for (const [value, host] of [
    [{ command: 'node', args: ['x'] }],
    [{ command: 'node' }],
    [{ command: 'node', type: 'stdio', disabled: false, enabled: true }],
    [{ command: ['node', 'x'], type: 'local' }, 'opencode'],
    [{ url }],
    [{ url, type: 'streamable-http', headers: { 'X-Key': variable('KEY') } }],
    // Only Claude Code keeps variables from servers.
    [{ url: `https://mcp.example.com/${variable('NPM_TOKEN')}` }, 'cursor'],
    [{ url: variable('MCP_URL') }],
  ] as [unknown, HostPlace['host']?][])
    it(`${host ?? 'claude'}: ${JSON.stringify(value)}`, () =>
      assert.equal(whyNotWrapped(entry(value, host ? { host } : {}), '/project'), undefined));
});

it('Claude Code disables servers for each project, and other hosts know nothing of that', () => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-refusals-'));
  after(() => remove(folder));
  for (const list of ['disabledMcpServers', 'disabledMcpjsonServers'])
    for (const [host, names, expected] of [
      ['claude', ['files'], true],
      ['claude', ['other'], false],
      ['cursor', ['files'], false],
    ] as const) {
      const whole = { projects: { [folder]: { [list]: names } } };
      assert.equal(
        isDisabled(entry({ command: 'node' }, { host, whole }), folder),
        expected,
        `${list} ${host} ${names}`,
      );
      assert.equal(isDisabled(entry({ command: 'node' }, { host, whole }), join(folder, 'other')), false);
    }
});

it('a host may have signed in to a server behind a URL for which its entry tells nothing', () => {
  const value = { url, timeout: 5 };
  for (const [told, more] of [
    [false, {}],
    [false, { headers: {}, http_headers: null }],
    [true, { headers: { Authorization: 'x' } }],
    [true, { http_headers: { Authorization: 'x' } }],
    [true, { env_http_headers: { Authorization: 'TOKEN' } }],
    [true, { bearer_token_env_var: 'TOKEN' }],
  ] as const)
    assert.equal(mayNeedSignIn(entry({ ...value, ...more })), !told, JSON.stringify(more));
  assert.equal(mayNeedSignIn(entry({ command: 'node' })), false, 'a program');
});
