// Wrapping and restoring an entry gives exactly the original bytes, whatever the layout of its file.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { PUBLISHED } from '../scripts/command/published.ts';
import { type JsonNode, lenientValueAt, memberOf, readJsonText } from '../scripts/install/json-text.ts';
import { readEntry } from '../scripts/servers/entry.ts';
import { unwrapped } from '../scripts/servers/wrapped.ts';
import { remove } from '../scripts/state/in-use.ts';
import { unwrapEntry, wrapEntry } from '../scripts/wrap-hosts/entry-text.ts';
import type { EntryForm } from '../scripts/wrap-hosts/hosts.ts';
import { applyPlan, planAdd, planRemove } from '../scripts/wrap-hosts/plan.ts';
import { checkRandomly } from './random-runs.ts';
import { type Random, random } from './random-schema.ts';

const CLAUDE: EntryForm = { env: 'env', isList: false, program: 'stdio', remote: 'http', urls: ['url'] };
const GEMINI: EntryForm = { ...CLAUDE, urls: ['httpUrl', 'url'] };
const OPENCODE: EntryForm = { env: 'environment', isList: true, program: 'local', remote: 'remote', urls: ['url'] };
const STARTS = [
  ['/home/ann/.local/bin/konnichiwagwan', 'wrap'],
  ['npx', '-y', 'konnichiwagwan@1.2.3', 'wrap'],
  ['node', 'C:\\Users\\Jörg\\.claude\\skills\\konnichiwagwan\\dist\\cli.cjs', 'wrap'],
];

const nodeOf = (text: string): JsonNode =>
  ['servers', 's'].reduce<JsonNode | undefined>(memberOf, readJsonText(text, true)) as JsonNode;
const entryOf = (text: string): Record<string, unknown> =>
  lenientValueAt(text, nodeOf(text)) as Record<string, unknown>;

/** JSON for this value in a random layout: white space, comments, escapes, a trailing comma. */
const laidOut = (value: unknown, { chance, pick: pickOf }: Random): string => {
  const pick = (...some: string[]): string => pickOf(some);
  const eol = pick('\n', '\r\n');
  const gap = (): string =>
    chance(0.6)
      ? pick('', ' ', eol + pick('', '  ', '\t', '    '))
      : pick(`/* "${pick('}', ',', 'args')}": */`, ` // ["wrap", "--"]${eol}  `, '\t', `${eol}${eol}  `);
  const string = (text: string): string =>
    `"${[...text]
      .map((char) => {
        const raw = JSON.stringify(char).slice(1, -1);
        if (!chance(0.04) || char.length > 1) return raw;
        return char === '/' ? '\\/' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
      })
      .join('')}"`;
  const between = (items: string[], open: string, close: string): string =>
    `${open}${gap()}${items.join(`${gap()},${gap()}`)}${items.length > 0 && chance(0.2) ? `${gap()},` : ''}${gap()}${close}`;
  const write = (one: unknown): string => {
    if (typeof one === 'string') return string(one);
    if (Array.isArray(one)) return between(one.map(write), '[', ']');
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    return between(
      Object.entries(one).map(([key, inner]) => `${string(key)}${gap()}:${gap()}${write(inner)}`),
      '{',
      '}',
    );
  };
  return gap() + write(value) + pick('', eol, eol + eol);
};

const word = fc.oneof(
  fc.constantFrom('--', 'wrap', '-y', '--url', 'npx', 'konnichiwagwan', '', `\${TOKEN}`, 'a"b', 'ü\u2028', '🙂'),
  fc.string({ maxLength: 12 }),
);
const program = (isList: boolean) =>
  fc
    .tuple(
      fc.constantFrom('npx', 'docker', '/usr/bin/my server', 'cmd', 'C:\\x\\y.exe'),
      fc.option(fc.array(word, { maxLength: 5 }), { nil: undefined }),
    )
    .map(([command, args]) =>
      isList ? { command: [command, ...(args ?? [])] } : { command, ...(args === undefined ? {} : { args }) },
    );
const remote = (key: string, type: fc.Arbitrary<string | undefined>) =>
  fc
    .record(
      {
        type,
        [key]: fc.constantFrom(
          'https://mcp.test/mcp',
          'http://localhost:1234',
          'https://mcp.test/s?key=secret',
          'https://mcp.test/s/0123456789abcdef0123/mcp',
          `https://\${HOST}/mcp`,
          'https://user:pass@mcp.test/mcp',
        ),
        headers: fc.dictionary(
          fc.stringMatching(/^[A-Za-z][\w-]{0,12}$/),
          fc.oneof(word, fc.constant(`Bearer \${TOKEN:-none}`)),
          { maxKeys: 4, noNullPrototype: true },
        ),
      },
      { requiredKeys: [key] },
    )
    .map((entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)));
const others = fc.dictionary(
  fc.constantFrom('timeout', 'tools', 'trust', 'alwaysAllow', 'gallery'),
  fc.oneof(fc.integer(), fc.boolean(), fc.array(word, { maxLength: 3 }), fc.constant({ 'a/b': null })),
);

const CASES: [string, EntryForm, fc.Arbitrary<object>][] = [
  ['a program', CLAUDE, program(false)],
  ['a program in one list', OPENCODE, program(true)],
  ['a server behind a URL', CLAUDE, remote('url', fc.constantFrom('http', 'sse', 'streamable-http'))],
  ['a server behind a URL without a type', CLAUDE, remote('url', fc.constant(undefined))],
  ['a server behind an httpUrl', GEMINI, remote('httpUrl', fc.constant(undefined))],
  ['a server behind another URL', GEMINI, remote('url', fc.constantFrom('http', undefined))],
  ['a server behind a URL, in a host with lists', OPENCODE, remote('url', fc.constant('remote'))],
];

describe('wrapped and put back, laid out by chance', () => {
  for (const [what, form, entries] of CASES)
    it(what, (test) => {
      checkRandomly(
        test,
        fc.property(entries, others, fc.constantFrom(...STARTS), fc.integer(), (entry, more, start, seed) => {
          const source = random(seed);
          const env = 'command' in entry && source.chance(0.5) ? { [form.env]: { KEY: `\${KEY}`, PLAIN: 'x' } } : {};
          const members = Object.entries({ ...entry, ...more, ...env }).sort(() => source.below(3) - 1);
          const before: Record<string, unknown> = JSON.parse(JSON.stringify(Object.fromEntries(members)));
          const value = { before: 1, servers: { r: {}, s: before, t: [] }, after: { s: 0 } };
          const text = laidOut(value, source);
          const node = nodeOf(text);
          const wrapped = wrapEntry(text, node, form, start);
          // The text around it stays.
          assert.ok(wrapped.startsWith(text.slice(0, node.start)) && wrapped.endsWith(text.slice(node.end)));
          // It starts through wrap, followed by the original command line.
          const wrappedNode = nodeOf(wrapped);
          const now = lenientValueAt(wrapped, wrappedNode) as Record<string, unknown>;
          const words = form.isList ? (now.command as string[]) : [now.command as string, ...(now.args as string[])];
          assert.deepEqual(words.slice(0, start.length), start);
          const launch = { type: 'stdio' as const, command: words[0] as string, args: words.slice(1) };
          const variables = (now[form.env] ?? {}) as Record<string, string>;
          const server = unwrapped({ ...launch, env: variables });
          if ('command' in before) {
            const original = form.isList
              ? (before.command as string[])
              : [before.command, ...((before.args as string[]) ?? [])];
            assert.ok(server?.type === 'stdio');
            assert.deepEqual([server.command, ...server.args], original);
            assert.deepEqual(now[form.env], before[form.env]);
          } else {
            const url = before.url ?? before.httpUrl;
            const headers = before.headers ?? {};
            const type = before.type === 'sse' ? 'sse' : 'http';
            assert.deepEqual(server, readEntry({ type, url, headers }));
            // Possible secrets are not in the command line, which all processes can read.
            const shown = words.slice(start.length).join(' ');
            assert.doesNotMatch(shown, /Bearer|secret|pass@|0123456789abcdef|\$\{/);
          }
          const back = unwrapEntry(wrapped, wrappedNode, form);
          assert.deepEqual(back, { text });
          // If the file was reformatted in between, its value is still the same.
          const again = JSON.stringify(lenientValueAt(wrapped, readJsonText(wrapped, true)), null, 2);
          const same = unwrapEntry(again, nodeOf(again), form);
          assert.ok('text' in same);
          assert.deepEqual(JSON.parse(same.text), value);
        }),
        { numRuns: 300 },
      );
    });
});

it('arguments that people add to a wrapped program without any stay with it', () => {
  const text = '{"servers": {"s": {"command": "tides"}}}';
  const wrapped = wrapEntry(text, nodeOf(text), CLAUDE, STARTS[0] as string[]);
  const longer = wrapped.replace('"tides"', '"tides", "--port", "8080"');
  assert.notEqual(longer, wrapped);
  const back = unwrapEntry(longer, nodeOf(longer), CLAUDE);
  assert.ok('text' in back);
  assert.deepEqual(entryOf(back.text), { command: 'tides', args: ['--port', '8080'] });
});

describe('docs/wrap-details.md', () => {
  const blocks = (language: string): string[] =>
    [
      ...readFileSync('docs/wrap-details.md', 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 'gs')),
    ].map(([, text = '']) => text);

  it('shows what is written', () => {
    const shown = blocks('diff');
    assert.equal(shown.length, 2);
    for (const block of shown) {
      const side = (sign: string): string =>
        block
          .split('\n')
          .filter((line) => !line.startsWith(sign))
          .map((line) => line.slice(1))
          .join('\n');
      const name = /^ "(\w+)"/.exec(block)?.[1] as string;
      const whole = (entry: string): string => `{ "servers": {\n${entry.replace(`"${name}"`, '"s"')}\n} }`;
      const text = whole(side('+'));
      const start = ['/home/me/.local/bin/konnichiwagwan', 'wrap', '--name', name];
      assert.equal(wrapEntry(text, nodeOf(text), CLAUDE, start), whole(side('-')));
    }
  });

  it('shows an entry that starts mcp-remote through wrap', () => {
    const [block = ''] = blocks('json');
    const configured = readEntry(JSON.parse(block).mcpServers.linear);
    assert.ok(typeof configured !== 'string');
    assert.deepEqual(unwrapped(configured), {
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'mcp-remote', 'https://mcp.linear.app/mcp'],
      env: {},
    });
  });
});

describe('an entry with a URL that a person wrapped by hand is put back as a value', () => {
  const back = (entry: object, layout?: number, form = CLAUDE) => {
    const text = JSON.stringify({ servers: { s: entry } }, null, layout);
    return { text, found: unwrapEntry(text, nodeOf(text), form) };
  };
  const args = [
    'wrap',
    '--url',
    'https://mcp.test/mcp',
    '--header',
    'X-Team: a: b',
    '--header-env',
    'Authorization=TOKEN',
    '--header-env',
    'X-Key=OUTER',
  ];

  for (const layout of [undefined, 2])
    it(`its headers, those of variables too, and what else it holds: indented by ${layout ?? 'nothing'}`, () => {
      const { found } = back({ command: 'kwg', args, env: { TOKEN: 'Bearer t' }, timeout: 5 }, layout);
      assert.ok('text' in found, JSON.stringify(found));
      assert.deepEqual(entryOf(found.text), {
        type: 'http',
        url: 'https://mcp.test/mcp',
        headers: { 'X-Team': 'a: b', Authorization: 'Bearer t', 'X-Key': `\${OUTER}` },
        timeout: 5,
      });
      assert.equal(found.text.split('\n').length > 1, layout !== undefined);
    });

  for (const [what, options, env, expected] of [
    [
      'a header of its command line',
      ['--url', 'https://a.test', '--header', 'X-Team: a'],
      undefined,
      { 'X-Team': 'a' },
    ],
    ['an address that the shell knows', ['--url-env', 'ADDRESS'], undefined, undefined],
    ['its address behind other variables', ['--url-env', 'A', '--header-env', 'X=B'], { B: 'b', A: 'a' }, { X: 'b' }],
    ['one variable for both', ['--url-env', 'A', '--header-env', 'X=A'], { A: 'a' }, { X: 'a' }],
    [
      'one variable for two headers',
      ['--url', 'https://a.test', '--header-env', 'X=B', '--header-env', 'Y=B'],
      { B: 'b' },
      { X: 'b', Y: 'b' },
    ],
  ] as const)
    it(`with ${what}`, () => {
      const { found } = back({ command: 'kwg', args: ['wrap', ...options], ...(env ? { env } : {}) });
      assert.ok('text' in found, JSON.stringify(found));
      const url = options[0] === '--url' ? options[1] : (env?.A ?? `\${ADDRESS}`);
      assert.deepEqual(entryOf(found.text), { type: 'http', url, ...(expected ? { headers: expected } : {}) });
    });

  it('not with a variable that no header takes', () => {
    const { found } = back({ command: 'kwg', args, env: { TOKEN: 't', DEBUG: '1' } });
    assert.deepEqual(found, { why: 'its env also holds DEBUG, which an entry with a URL cannot hold' });
  });

  it('not what starts no wrap', () => {
    const { found } = back({ command: 'kwg', args: ['status'] });
    assert.deepEqual(found, { why: 'it does not start through wrap' });
  });
});

describe('the entry that is meant', () => {
  const how = { version: '1.2.3', options: [], start: ['kwg'] };
  /** A person with a server `sea` in two hosts, and in a project of one; `far` is in one place alone. */
  const places = (test: TestContext) => {
    const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-meant-'));
    test.after(() => remove(home));
    const project = join(home, 'project');
    for (const folder of [join(home, '.gemini'), project]) mkdirSync(folder);
    const write = (file: string, servers: object): void => writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    const sea = { command: 'npx', args: ['sea'] };
    write(join(home, '.claude.json'), { sea, far: sea });
    write(join(home, '.gemini/settings.json'), { sea });
    write(join(project, '.mcp.json'), { sea });
    return { env: { HOME: home }, cwd: project };
  };

  it('is told by its host and its scope; of several none is taken', (test) => {
    const io = places(test);
    const found = (more: object): string => {
      const { host, scope } = planAdd(io, { name: 'sea', ...more }, how).entry.place;
      return `${host} ${scope}`;
    };
    assert.equal(found({ host: 'gemini' }), 'gemini user');
    assert.equal(found({ scope: 'project' }), 'claude project');
    assert.equal(found({ host: 'claude', scope: 'user' }), 'claude user');
    for (const more of [{}, { host: 'claude' }, { scope: 'user' }])
      assert.throws(() => found(more), { code: 'several-servers' });
    assert.throws(() => found({ host: 'cursor' }), { code: 'no-such-server' });
    assert.throws(() => found({ host: 'gemini', scope: 'project' }), { code: 'no-such-server' });
  });

  it('is the wrapped one where wrap is taken out; where none is wrapped, that is said', (test) => {
    const io = places(test);
    assert.throws(() => planRemove(io, { name: 'far' }), { code: 'not-wrapped', message: /is not wrapped/ });
    assert.throws(() => planRemove(io, { name: 'sea' }), { code: 'several-servers' });
    applyPlan(planAdd(io, { name: 'sea', host: 'gemini' }, how), io);
    assert.equal(planRemove(io, { name: 'sea' }).entry.place.host, 'gemini');
  });

  it('is written as its host reads it', (test) => {
    const io = places(test);
    const home = io.env.HOME;
    const url = 'https://sea.test';
    const words = (name: string): string[] => ['wrap', '--name', name];
    for (const [host, file, member, entry, expected] of [
      [
        'opencode',
        'project/opencode.json',
        'mcp',
        { type: 'local', command: ['npx', 'sea'] },
        { type: 'local', command: ['kwg', ...words('opencode'), '--', 'npx', 'sea'] },
      ],
      [
        'opencode',
        '.config/opencode/opencode.jsonc',
        'mcp',
        { type: 'remote', url },
        { type: 'local', command: ['kwg', ...words('opencode'), '--was', 'type=remote', '--url', url] },
      ],
      [
        'copilot',
        '.copilot/mcp-config.json',
        'mcpServers',
        { type: 'http', url },
        { type: 'local', command: 'kwg', args: [...words('copilot'), '--was', 'type=http', '--url', url] },
      ],
      [
        'qwen',
        '.qwen/settings.json',
        'mcpServers',
        { httpUrl: url },
        { command: 'kwg', args: [...words('qwen'), '--url', url] },
      ],
      [
        'vscode',
        'project/.vscode/mcp.json',
        'servers',
        { type: 'http', url },
        { type: 'stdio', command: 'kwg', args: [...words('vscode'), '--was', 'type=http', '--url', url] },
      ],
    ] as const) {
      const path = join(home, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify({ [member]: { [host]: entry } }));
      const { text = '' } = planAdd(io, { name: host, host }, how);
      assert.deepEqual(JSON.parse(text)[member][host], expected, file);
      remove(path);
    }
  });

  it('is wrapped only if something is installed that can start it', { skip: process.platform === 'win32' }, (test) => {
    const io = places(test);
    const { start: _, ...installed } = how;
    if (PUBLISHED === undefined)
      assert.throws(() => planAdd(io, { name: 'far' }, installed), { code: 'not-installed' });
    assert.ok(planAdd(io, { name: 'sea', scope: 'project' }, installed).text, 'others have it by its name');
  });
});

it('a preview shows no value of a header or variable, whatever its name, and no other value is left out', (test) => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-preview-'));
  test.after(() => remove(home));
  const servers = {
    far: { type: 'http', url: 'https://sea.test/mcp', headers: { 'X-Team': 'v_1', Zone: `\${ZONE}` }, timeout: 41 },
    near: { command: 'npx', args: ['sea'], env: { REGION: 'v_2', PLACE: `\${HERE}` }, timeout: 42 },
  };
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers: servers }, null, 2));
  const shown = (name: string): string => {
    const how = { version: '1.2.3', options: [], start: ['kwg'] };
    return planAdd({ env: { HOME: home }, cwd: home }, { name }, how).diff.join('\n');
  };
  for (const [name, kept] of [
    ['far', [`"\${ZONE}"`, '"X-Team": "…"', '41']],
    ['near', [`"\${HERE}"`, '"REGION": "…"', '42']],
  ] as const) {
    assert.doesNotMatch(shown(name), /v_[12]/);
    for (const one of kept) assert.ok(shown(name).includes(one), `${one}: ${shown(name)}`);
  }
});
