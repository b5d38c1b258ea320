// Which entries of a host's configuration are not wrapped, and why; and the lists that a wrapped one keeps with --record.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, mock } from 'node:test';
import { isObject } from '../scripts/contract/types.ts';
import type { SettingsFile } from '../scripts/install/settings-file.ts';
import { remove } from '../scripts/state/in-use.ts';
import { ListRecord } from '../scripts/wrap/record.ts';
import type { HostPlace } from '../scripts/wrap-hosts/hosts.ts';
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
    [{ url, headers: { a: `\${${'AWS_SECRET_ACCESS_KEY'}}` } }, /AWS_SECRET_ACCESS_KEY.*keeps from servers/],
    [{ url: `https://mcp.example.com/\${${'NPM_TOKEN'}}` }, /NPM_TOKEN/],
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
    [{ url, type: 'streamable-http', headers: { 'X-Key': `\${${'KEY'}}` } }],
    // Only Claude Code keeps variables from servers.
    [{ url: `https://mcp.example.com/\${${'NPM_TOKEN'}}` }, 'cursor'],
    [{ url: `\${${'MCP_URL'}}` }],
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

describe('a record of lists', () => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-record-'));
  after(() => remove(folder));
  const list = (...names: string[]) => names.map((name) => ({ name, inputSchema: { type: 'object' } }));
  const linesIn = (path: string): Record<string, unknown>[] =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('has a line for each list that differs from the one before, also of an earlier process', () => {
    const path = join(folder, 'a.jsonl');
    const first = new ListRecord(path, 'files');
    for (const tools of [list('a'), list('a'), list('a', 'b'), list('a')]) first.add(tools);
    const second = new ListRecord(path, undefined);
    for (const tools of [list('a'), list('b')]) second.add(tools);
    const lines = linesIn(path);
    assert.deepEqual(
      lines.map(({ server, tools }) => [server, (tools as { name: string }[]).map(({ name }) => name).join()]),
      [
        ['files', 'a'],
        ['files', 'a,b'],
        ['files', 'a'],
        [undefined, 'b'],
      ],
    );
    assert.ok(lines.every(({ at }) => Math.abs(Date.parse(String(at)) - Date.now()) < 60_000));
  });

  it('loses its older half where it gets too large', () => {
    const path = join(folder, 'b.jsonl');
    const line = (index: number): string =>
      `${JSON.stringify({ at: '2026-01-01T00:00:00.000Z', tools: [{ name: `t${index}`, description: 'x'.repeat(1_600_000) }] })}\n`;
    writeFileSync(path, [1, 2, 3, 4, 5].map(line).join(''));
    new ListRecord(path, undefined).add([{ name: 't6', description: 'y'.repeat(500_000) }]);
    assert.deepEqual(
      linesIn(path).map(({ tools }) => (tools as { name: string }[])[0]?.name),
      ['t4', 't5', 't6'],
    );
  });

  it('that cannot be written says so once, and its owner goes on', () => {
    const path = join(folder, 'c.jsonl');
    mkdirSync(path);
    const said: string[] = [];
    const write = mock.method(process.stderr, 'write', (text: string) => said.push(text) > 0);
    try {
      const record = new ListRecord(path, 'files');
      for (const name of ['a', 'b']) record.add(list(name));
      const other = new ListRecord(join(folder, 'd.jsonl'), 'files');
      other.add([{ name: 'large', description: 'x'.repeat(9_000_000) }]);
      other.add(list('a'));
    } finally {
      write.mock.restore();
    }
    assert.equal(said.length, 2, said.join(''));
    assert.match(said[0] ?? '', /^konnichiwagwan: what is served cannot be recorded: it is no file\n$/);
    assert.match(said[1] ?? '', /the list is too large/);
    assert.ok(linesIn(join(folder, 'd.jsonl')).every((line) => isObject(line) && Array.isArray(line.tools)));
  });
});
