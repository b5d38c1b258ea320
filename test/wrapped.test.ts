// Which entries start a server through `konnichiwagwan wrap`, and which server that is.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GUARD_ENTRY, GUARD_SERVER, isGuardServer } from '../scripts/servers/own-guard.ts';
import type { Launch } from '../scripts/servers/types.ts';
import { startsOurs, unwrapped } from '../scripts/servers/wrapped.ts';

const program = (words: string[], env: Record<string, string> = {}): Launch => {
  const [command = '', ...args] = words;
  return { type: 'stdio', command, args, env };
};
const PROGRAM = ['npx', '-y', '@scope/server', '--', 'wrap', '--url', 'x'];

/** Each way in which our program is started. */
const WAYS = [
  ['konnichiwagwan'],
  ['kwg'],
  ['/home/ann/.local/bin/konnichiwagwan'],
  ['C:\\tools\\konnichiwagwan.cmd'],
  ['C:\\tools\\kwg.ps1'],
  ['kwg.bat'],
  ['node', '/home/ann/.claude/skills/konnichiwagwan/dist/cli.cjs'],
  ['/usr/bin/node', '--max-old-space-size=64', '.claude/skills/konnichiwagwan/program/cli.cjs'],
  ['node.exe', 'C:\\npm\\node_modules\\konnichiwagwan\\dist\\cli.cjs'],
  ['node', '/plugins/cache/konnichiwagwan/0.1.0/dist/cli.cjs'],
  ['node', 'node_modules/.bin/kwg'],
  ['npx', 'konnichiwagwan'],
  ['npx', '-y', 'konnichiwagwan@0.1.0'],
  ['npx', '--yes', '--package', 'konnichiwagwan@0.1.0', 'kwg'],
  ['npx', '-y', '--package=konnichiwagwan', '--', 'kwg'],
  ['npm', 'exec', '-y', '--', 'konnichiwagwan@latest'],
  ['npm', 'x', 'konnichiwagwan'],
  ['pnpm', 'dlx', 'konnichiwagwan'],
  ['yarn', 'dlx', 'konnichiwagwan'],
  ['bunx', 'konnichiwagwan'],
  ['cmd', '/c', 'npx', '-y', 'konnichiwagwan@0.1.0'],
];

describe('an entry that is wrapped', () => {
  for (const way of WAYS)
    it(`${way.join(' ')} wrap`, () => {
      assert.deepEqual(
        unwrapped(program([...way, 'wrap', '--', ...PROGRAM], { A: '1' })),
        program(PROGRAM, { A: '1' }),
      );
      assert.deepEqual(
        unwrapped(program([...way, 'wrap', '--hot-swap', '--only', 'a*', '--', ...PROGRAM])),
        program(PROGRAM),
      );
      assert.deepEqual(unwrapped(program([...way, 'wrap', '--url', 'https://mcp.test/mcp'])), {
        type: 'http',
        url: 'https://mcp.test/mcp',
        headers: {},
      });
      // Our program, but it wraps nothing.
      for (const other of [['probe', '--', 'x'], ['wrap'], ['wrap', '--'], ['wrap', '--list'], []]) {
        assert.equal(unwrapped(program([...way, ...other])), undefined);
        assert.equal(startsOurs([...way, ...other]), true);
      }
    });

  it('keeps the folder and the variables of a program', () => {
    const launch = { ...program(['kwg', 'wrap', '--', 'server'], { KEY: `\${KEY}` }), cwd: '/p' } as Launch;
    assert.deepEqual(unwrapped(launch), {
      type: 'stdio',
      command: 'server',
      args: [],
      env: { KEY: `\${KEY}` },
      cwd: '/p',
    });
  });

  it('resolves what the entry itself holds in variables, and nothing else', () => {
    const words = ['kwg', 'wrap', '--url-env', 'KWG_URL', '--header', `X-A: \${HERE} \${THERE:-no} \${GONE}`];
    const more = ['--header-env=Authorization=KWG_HEADER_1', '--header-env', 'X-B=TOKEN', '--was', 'type=sse'];
    const env = { KWG_URL: 'https://mcp.test/s?key=1', KWG_HEADER_1: `Bearer \${TOKEN}`, HERE: 'here' };
    assert.deepEqual(unwrapped(program([...words, ...more], env)), {
      type: 'sse',
      url: 'https://mcp.test/s?key=1',
      headers: { 'X-A': `here no \${GONE}`, Authorization: `Bearer \${TOKEN}`, 'X-B': `\${TOKEN}` },
    });
  });
});

describe('an entry that is not wrapped', () => {
  for (const words of [
    ['npx', '-y', '@scope/server'],
    ['npx', '-y', 'other', 'konnichiwagwan', 'wrap', '--', 'x'],
    ['npx', '-y', 'konnichiwagwan-helper', 'wrap', '--', 'x'],
    ['npx', '-y', '@evil/konnichiwagwan', 'wrap', '--', 'x'],
    ['npx', '--package', 'konnichiwagwan', 'other', 'wrap', '--', 'x'],
    ['node', '/srv/other/dist/cli.cjs', 'wrap', '--', 'x'],
    ['node', 'konnichiwagwan/dist/other.cjs', 'wrap', '--', 'x'],
    ['node', '-e', 'konnichiwagwan/dist/cli.cjs', 'wrap', '--', 'x'],
    ['konnichiwagwan-wrap', 'wrap', '--', 'x'],
    ['sh', '-c', 'konnichiwagwan wrap -- x'],
    ['', 'wrap', '--', 'x'],
  ])
    it(words.join(' '), () => {
      assert.equal(unwrapped(program(words)), undefined);
      assert.equal(startsOurs(words), false);
    });

  it('a server behind a URL', () => {
    assert.equal(unwrapped({ type: 'http', url: 'https://konnichiwagwan/wrap', headers: {} }), undefined);
    assert.equal(unwrapped({ type: 'other', what: 'sdk' }), undefined);
  });
});

describe('the resident guard of a project', () => {
  it('is known by its name and its program: a repository can give its name to any program', () => {
    assert.equal(isGuardServer(GUARD_SERVER, { type: 'stdio', ...GUARD_ENTRY }), true);
    for (const [name, entry] of [
      ['guard', GUARD_ENTRY],
      [GUARD_SERVER, { ...GUARD_ENTRY, command: 'sh' }],
      [GUARD_SERVER, { ...GUARD_ENTRY, args: ['other.cjs'] }],
      [GUARD_SERVER, { ...GUARD_ENTRY, args: [...GUARD_ENTRY.args, 'other.cjs'] }],
      [GUARD_SERVER, { command: 'node' }],
      [GUARD_SERVER, null],
    ] as const)
      assert.equal(isGuardServer(name, entry), false, JSON.stringify([name, entry]));
  });
});
