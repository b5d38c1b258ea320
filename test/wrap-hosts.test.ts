// Full tier: a process for each host.
// The built `wrap --add`, `--remove` and `--list`, with the configuration of each host.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { runProgram } from './sandbox.ts';
import { whyNoTerminal } from './terminal.ts';

/** How an entry of `s` starts. `KWG` stands for our program, which has another name in shared files. */
const START = ['KWG', 'wrap', '--name', 's'];
const startOf = ({ launcher }: Place, scope: string): string => (scope === 'project' ? 'konnichiwagwan' : launcher);
/** An agent must not remove wrap: only people can run such tests. */
const skip = typeof whyNoTerminal === 'string' && whyNoTerminal.startsWith('it runs') ? whyNoTerminal : false;

/** An empty HOME, and a project. */
const place = (test: TestContext) => {
  // realpath: on macOS the temporary folder is behind a link, and paths are compared as text.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'kwg-hosts-')));
  test.after(() => remove(root));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  mkdirSync(home);
  mkdirSync(join(project, '.git'), { recursive: true });
  // As after an installation: entries start the installed program.
  const skill = join(home, '.claude/skills/konnichiwagwan');
  const launcher = join(home, '.local/bin/konnichiwagwan');
  mkdirSync(skill, { recursive: true });
  symlinkSync(resolve('dist'), join(skill, 'dist'));
  mkdirSync(dirname(launcher), { recursive: true });
  writeFileSync(
    launcher,
    `#!/bin/sh\n# Written by \`konnichiwagwan install\`, and removed by \`konnichiwagwan uninstall\`.\nexec node ${join(skill, 'dist/cli.cjs')} "$@"\n`,
    { mode: 0o755 },
  );
  const env = { HOME: home };
  const run = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
    const ran = await runProgram(process.execPath, [resolve('dist/cli.cjs'), 'wrap', ...args], {
      env: { ...env, ...more },
      cwd: project,
    });
    assert.doesNotMatch(ran.stderr, /\n\s+at /, 'a stack trace');
    return ran;
  };
  return {
    root,
    home,
    project,
    skill,
    launcher,
    env,
    run,
    ok: async (args: string[]) => {
      const { code, stdout, stderr } = await run(args);
      assert.equal(code, 0, stdout + stderr);
      return stdout;
    },
    fails: async (args: string[], more: NodeJS.ProcessEnv = {}) => {
      const { code, stdout, stderr } = await run(args, more);
      assert.deepEqual([code, stdout], [2, '']);
      return stderr;
    },
    write: (file: string, text: string): string => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
  };
};
type Place = ReturnType<typeof place>;

const PROGRAM = { command: 'npx', args: ['-y', 'server'] };
const entries = (key: string, entry: object): string => `${JSON.stringify({ [key]: { s: entry } }, null, 2)}\n`;

/** For each file of each host: the words that select it, its place, its text, and the entry after `--add s`. */
const FILES: [string, string[], (at: Place) => string, string, object][] = [
  [
    'Claude Code, user',
    ['claude', 'user'],
    ({ home }) => join(home, '.claude.json'),
    entries('mcpServers', { type: 'stdio', ...PROGRAM, env: { A: '1' } }),
    { type: 'stdio', command: 'KWG', args: [...START.slice(1), '--', 'npx', '-y', 'server'], env: { A: '1' } },
  ],
  [
    'Claude Code, project',
    ['claude', 'project'],
    ({ project }) => join(project, '.mcp.json'),
    entries('mcpServers', {
      type: 'http',
      url: 'https://mcp.test/mcp',
      headers: { Authorization: `Bearer \${TOKEN}` },
    }),
    {
      type: 'stdio',
      command: 'KWG',
      args: [
        ...START.slice(1),
        ...['--was', 'type=http', '--url', 'https://mcp.test/mcp'],
        ...['--header-env', 'Authorization=KWG_HEADER_1'],
      ],
      env: { KWG_HEADER_1: `Bearer \${TOKEN}` },
    },
  ],
  [
    'Cursor, user',
    ['cursor', 'user'],
    ({ home }) => join(home, '.cursor/mcp.json'),
    entries('mcpServers', { url: 'https://mcp.test/s?key=1' }),
    {
      command: 'KWG',
      args: [...START.slice(1), '--was', 'no-headers', '--url-env', 'KWG_URL'],
      env: { KWG_URL: 'https://mcp.test/s?key=1' },
    },
  ],
  [
    'Cursor, project',
    ['cursor', 'project'],
    ({ project }) => join(project, '.cursor/mcp.json'),
    entries('mcpServers', { command: 'server' }),
    { command: 'KWG', args: [...START.slice(1), '--was', 'no-args', '--', 'server'] },
  ],
  [
    'VS Code, user',
    ['vscode', 'user'],
    ({ home }) =>
      join(home, process.platform === 'darwin' ? 'Library/Application Support' : '.config', 'Code/User/mcp.json'),
    '{\n\t// mine\n\t"servers": {\n\t\t"s": {\n\t\t\t"type": "http", // by URL\n\t\t\t"url": "https://mcp.test/mcp",\n\t\t},\n\t},\n}',
    { type: 'stdio', command: 'KWG', args: [...START.slice(1), '--was', 'type=http', '--url', 'https://mcp.test/mcp'] },
  ],
  [
    'VS Code, project',
    ['vscode', 'project'],
    ({ project }) => join(project, '.vscode/mcp.json'),
    `{"inputs":[],"servers":{"s":{"command":"npx","args":["-y","server"],"envFile":"\${workspaceFolder}/.env"}}}`,
    {
      command: 'KWG',
      args: [...START.slice(1), '--', 'npx', '-y', 'server'],
      envFile: `\${workspaceFolder}/.env`,
    },
  ],
  [
    'Gemini CLI, user',
    ['gemini', 'user'],
    ({ home }) => join(home, '.gemini/settings.json'),
    entries('mcpServers', { httpUrl: 'https://mcp.test/mcp', headers: {}, trust: false }),
    { command: 'KWG', args: [...START.slice(1), '--url', 'https://mcp.test/mcp'], env: {}, trust: false },
  ],
  [
    'Gemini CLI, project',
    ['gemini', 'project'],
    ({ project }) => join(project, '.gemini/settings.json'),
    entries('mcpServers', { url: 'https://mcp.test/sse', timeout: 5 }),
    { command: 'KWG', args: [...START.slice(1), '--was', 'url=url', '--url', 'https://mcp.test/sse'], timeout: 5 },
  ],
  [
    'Copilot CLI',
    ['copilot', 'user'],
    ({ home }) => join(home, '.copilot/mcp-config.json'),
    entries('mcpServers', { type: 'http', url: 'https://mcp.test/mcp', tools: ['*'] }),
    {
      type: 'local',
      command: 'KWG',
      args: [...START.slice(1), '--was', 'type=http', '--url', 'https://mcp.test/mcp'],
      tools: ['*'],
    },
  ],
  [
    'Qwen Code, user',
    ['qwen', 'user'],
    ({ home }) => join(home, '.qwen/settings.json'),
    entries('mcpServers', PROGRAM),
    { command: 'KWG', args: [...START.slice(1), '--', 'npx', '-y', 'server'] },
  ],
  [
    'Qwen Code, project',
    ['qwen', 'project'],
    ({ project }) => join(project, '.qwen/settings.json'),
    entries('mcpServers', PROGRAM),
    { command: 'KWG', args: [...START.slice(1), '--', 'npx', '-y', 'server'] },
  ],
  [
    'OpenCode, user',
    ['opencode', 'user'],
    ({ home }) => join(home, '.config/opencode/opencode.json'),
    entries('mcp', { type: 'local', command: ['npx', '-y', 'server'], environment: { A: '{env:A}' }, enabled: true }),
    { type: 'local', command: [...START, '--', 'npx', '-y', 'server'], environment: { A: '{env:A}' }, enabled: true },
  ],
  [
    'OpenCode, project',
    ['opencode', 'project'],
    ({ project }) => join(project, 'opencode.jsonc'),
    '{\r\n  "$schema": "https://opencode.ai/config.json",\r\n  /* ours */ "mcp": {\r\n    "s": {\r\n      "type": "remote",\r\n      "url": "https://mcp.test/mcp",\r\n      "headers": { "Authorization": "Bearer {env:TOKEN}", },\r\n    }\r\n  }\r\n}\r\n',
    {
      type: 'local',
      command: [
        ...START,
        ...['--was', 'type=remote', '--url', 'https://mcp.test/mcp'],
        ...['--header-env', 'Authorization=KWG_HEADER_1'],
      ],
      environment: { KWG_HEADER_1: 'Bearer {env:TOKEN}' },
    },
  ],
  [
    'Cline',
    ['cline', 'user'],
    ({ home }) => join(home, '.cline/data/settings/cline_mcp_settings.json'),
    entries('mcpServers', { type: 'streamableHttp', url: 'https://mcp.test/mcp', disabled: false, autoApprove: [] }),
    {
      type: 'stdio',
      command: 'KWG',
      args: [...START.slice(1), '--was', 'type=streamableHttp', '--url', 'https://mcp.test/mcp'],
      disabled: false,
      autoApprove: [],
    },
  ],
];

/** The entry `s` in a text that may hold comments. */
const entryIn = (text: string): unknown => {
  const plain = text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*.*?\*\//gs, (_all, string = '') => string)
    .replace(/,(\s*[}\]])/g, '$1');
  const value = JSON.parse(plain);
  return (value.mcpServers ?? value.servers ?? value.mcp).s;
};

describe('wrap --add and --remove, in the files of', { skip }, () => {
  for (const [name, [host = '', scope = ''], fileOf, text, expected] of FILES)
    it(name, async (test) => {
      const at = place(test);
      const file = at.write(fileOf(at), text);
      chmodSync(file, 0o640);
      const { data } = JSON.parse(await at.ok(['--list', '--json']));
      assert.deepEqual(data.servers, [{ name: 's', host, scope, file, wrapped: false }]);

      const preview = await at.ok(['--add', 's', '--dry-run']);
      assert.match(preview, /^ +\+.*konnichiwagwan"/m);
      assert.match(preview, /\nNothing was written\.\n$/);
      assert.equal(readFileSync(file, 'utf8'), text);

      await at.ok(['--add', 's', '--yes']);
      const start = JSON.stringify(startOf(at, scope));
      assert.deepEqual(
        entryIn(readFileSync(file, 'utf8')),
        JSON.parse(JSON.stringify(expected).replaceAll('"KWG"', start)),
      );
      assert.equal(statSync(file).mode & 0o777, 0o640);
      assert.match(await at.ok(['--list']), /^ {2}wrapped {2}s /);
      assert.match(await at.fails(['--add', 's', '--yes']), /`s` is wrapped already/);

      await at.ok(['--remove', 's', '--yes']);
      assert.equal(readFileSync(file, 'utf8'), text);
      assert.match(await at.fails(['--remove', 's', '--yes']), /`s` is not wrapped/);
    });

  it('Claude Code, local: this folder alone', async (test) => {
    const at = place(test);
    const text = JSON.stringify({
      projects: {
        '/elsewhere': { mcpServers: { s: { command: 'other' } } },
        [at.project]: { allowedTools: [], mcpServers: { s: { command: 'a', args: [] } } },
      },
    });
    const file = at.write(join(at.home, '.claude.json'), text);
    assert.doesNotMatch(await at.ok(['--list']), /elsewhere/);
    await at.ok(['--add', 's', '--yes', '--scope', 'local']);
    assert.match(await at.ok(['--list']), /^ {2}wrapped {2}s {2}Claude Code, local \(.*project\): .*\.claude\.json\n$/);
    const { projects } = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual(projects['/elsewhere'].mcpServers.s, { command: 'other' });
    assert.deepEqual(projects[at.project].mcpServers.s.args, [...START.slice(1), '--', 'a']);
    await at.ok(['--remove', 's', '--yes']);
    assert.equal(readFileSync(file, 'utf8'), text);
  });
});

/** Layouts that people and programs leave behind; each holds the same entry. */
const LAYOUTS: Record<string, string> = {
  compact: '{"mcpServers":{"s":{"command":"npx","args":["-y","server"]}}}',
  tabs: '{\n\t"mcpServers": {\n\t\t"s": {\n\t\t\t"command": "npx",\n\t\t\t"args": [\n\t\t\t\t"-y",\n\t\t\t\t"server"\n\t\t\t]\n\t\t}\n\t}\n}\n',
  'CRLF, and no line feed at the end':
    '{\r\n    "mcpServers": {\r\n        "s": {\r\n            "command": "npx",\r\n            "args": ["-y", "server"]\r\n        }\r\n    }\r\n}',
  'a byte order mark': '\ufeff{ "mcpServers": { "s": { "command": "npx", "args": ["-y", "server"] } } }\n',
  'comments and commas':
    '// a\n{ /* b */ "mcpServers": { "s": { "args": [ // c\n  "-y", /* d */ "server", // e\n], "command": /* f */ "npx", }, } }\n// g',
  'unicode escapes':
    '{"mcpServers":{"\\u0073":{"c\\u006fmmand":"n\\u0070x","args":["\\u002dy","s\\u0065rver"],"env":{"A":"\\ud83d\\ude42"}}}}',
  'args first, keys on one line':
    '{ "mcpServers":\n  { "s": { "args": ["-y","server"], "command": "npx" }\n  , "t": {} } }\n',
  'the same key twice':
    '{"mcpServers":{"s":{"command":"old"},"s":{"command":"older","command":"npx","args":["-y","server"]}}}',
};

describe('the very bytes come back', { skip }, () => {
  for (const [name, text] of Object.entries(LAYOUTS))
    it(name, async (test) => {
      const at = place(test);
      const file = at.write(join(at.project, '.mcp.json'), text);
      await at.ok(['--add', 's', '--yes']);
      const wrapped = readFileSync(file, 'utf8');
      assert.notEqual(wrapped, text);
      assert.match(await at.ok(['--list']), /wrapped {2}s/);
      // In another place, without this HOME.
      const other = place(test);
      const copy = other.write(join(other.project, '.mcp.json'), wrapped);
      for (const [one, path] of [
        [at, file],
        [other, copy],
      ] as const) {
        await one.ok(['--remove', 's', '--yes']);
        assert.equal(readFileSync(path, 'utf8'), text);
      }
    });

  it('through a link, which stays', async (test) => {
    const at = place(test);
    const text = entries('mcpServers', PROGRAM);
    const target = at.write(join(at.root, 'dotfiles/cursor.json'), text);
    mkdirSync(join(at.home, '.cursor'));
    symlinkSync(target, join(at.home, '.cursor/mcp.json'));
    await at.ok(['--add', 's', '--yes']);
    assert.match(readFileSync(target, 'utf8'), /konnichiwagwan/);
    await at.ok(['--remove', 's', '--yes']);
    assert.equal(readFileSync(target, 'utf8'), text);
    assert.ok(lstatSync(join(at.home, '.cursor/mcp.json')).isSymbolicLink());
  });

  it('what people wrap by hand is put back as the same value', async (test) => {
    const at = place(test);
    const headers = { Authorization: `Bearer \${TOKEN}` };
    const file = at.write(
      join(at.project, '.mcp.json'),
      entries('mcpServers', {
        type: 'stdio',
        command: 'kwg',
        args: ['wrap', '--url=https://mcp.test/mcp', '--header', `Authorization: \${H:-none}`],
        env: {},
      }),
    );
    await at.ok(['--remove', 's', '--yes']);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')).mcpServers.s, {
      type: 'http',
      url: 'https://mcp.test/mcp',
      headers: { Authorization: `\${H:-none}` },
    });
    at.write(
      file,
      entries('mcpServers', { command: 'kwg', args: ['wrap', '--hot-swap', '--', 'a', 'b'], env: headers }),
    );
    await at.ok(['--remove', 's', '--yes']);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')).mcpServers.s, { command: 'a', args: ['b'], env: headers });
  });
});

describe('what is written', () => {
  it('no header, and no part of an address that may be a secret, is shown or put into a command line', async (test) => {
    const at = place(test);
    const file = at.write(
      join(at.home, '.claude.json'),
      entries('mcpServers', {
        type: 'http',
        url: 'https://mcp.test/s/sk0123456789abcdef0123/mcp',
        headers: { Authorization: 'Bearer hunter2', 'X-Key': 'hunter3' },
      }),
    );
    const shown = (await at.ok(['--add', 's', '--dry-run'])) + (await at.ok(['--add', 's', '--dry-run', '--json']));
    assert.doesNotMatch(shown, /hunter|sk0123/);
    assert.doesNotMatch(await at.ok(['--add', 's', '--yes']), /hunter|sk0123/);
    const { command, args, env } = JSON.parse(readFileSync(file, 'utf8')).mcpServers.s;
    assert.doesNotMatch(JSON.stringify([command, args]), /hunter|sk0123/);
    assert.deepEqual(env, {
      KWG_URL: 'https://mcp.test/s/sk0123456789abcdef0123/mcp',
      KWG_HEADER_1: 'Bearer hunter2',
      KWG_HEADER_2: 'hunter3',
    });
  });

  it('an address that is a variable, which is shown: its name is no secret', async (test) => {
    const at = place(test);
    at.write(join(at.project, '.mcp.json'), entries('mcpServers', { type: 'http', url: `\${TEAM_MCP}` }));
    const { data } = JSON.parse(await at.ok(['--add', 's', '--dry-run', '--json']));
    assert.ok(data.diff.includes(`-      "url": "\${TEAM_MCP}"`), data.diff.join('\n'));
    assert.ok(data.diff.includes(`+      "env": {"KWG_URL": "\${TEAM_MCP}"}`), data.diff.join('\n'));
  });

  it('an entry that reaches its server, with the headers that it had', async (test) => {
    const at = place(test);
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers);
      request.setEncoding('utf8').on('data', (body) => {
        const { id, params } = JSON.parse(body);
        const serverInfo = { name: 'far', version: '1' };
        const result = { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
      request.resume();
    }).listen(0, '127.0.0.1');
    test.after(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?key=hunter1`;
    const headers = { 'X-Key': 'hunter2', Authorization: `Bearer \${TOKEN}` };
    const file = at.write(join(at.project, '.mcp.json'), entries('mcpServers', { type: 'http', url, headers }));
    await at.ok(['--add', 's', '--yes']);
    const { args, env } = JSON.parse(readFileSync(file, 'utf8')).mcpServers.s;
    // As Claude Code starts it, but with our own build instead of the installed one.
    const variables = { ...env, KWG_HEADER_2: env.KWG_HEADER_2.replace(`\${TOKEN}`, 'hunter3') };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const ran = await runProgram(process.execPath, [resolve('dist/cli.cjs'), ...args.slice(args.indexOf('wrap'))], {
      env: { ...at.env, ...variables },
      input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
    });
    assert.equal(JSON.parse(ran.stdout).result.serverInfo.name, 'far', ran.stderr);
    assert.deepEqual([seen[0]?.['x-key'], seen[0]?.authorization], ['hunter2', 'Bearer hunter3']);
  });

  it('what wrap itself is told', async (test) => {
    const at = place(test);
    const text = entries('mcpServers', PROGRAM).replace('"s"', '"--s"');
    const file = at.write(join(at.project, '.mcp.json'), text);
    await at.ok(['--add=--s', '--yes', '--invoker', '--only', 'a*', '--only', 'b*', '--trust']);
    const own = ['--name=--s', '--trust', '--invoker', '--only=a*', '--only=b*'];
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')).mcpServers['--s'].args, [
      'wrap',
      ...own,
      ...['--', 'npx', '-y', 'server'],
    ]);
    assert.match(await at.fails(['--remove=--s', '--yes', '--trust']), /--trust is for --add/);
    if (!skip) await at.ok(['--remove=--s', '--yes']);
    if (!skip) assert.equal(readFileSync(file, 'utf8'), text);
    assert.match(await at.fails(['--add=--s', '--yes', '--search']), /--search say how --invoker works/);
  });

  it('with --json, what changed', async (test) => {
    const at = place(test);
    const file = at.write(join(at.project, '.mcp.json'), entries('mcpServers', PROGRAM));
    const { ok, data } = JSON.parse(await at.ok(['--add', 's', '--yes', '--json']));
    assert.equal(ok, true);
    const { diff, ...rest } = data;
    assert.deepEqual(rest, {
      action: 'add',
      name: 's',
      host: 'claude',
      scope: 'project',
      file,
      dry_run: false,
      changed: true,
      toml: null,
    });
    assert.ok(diff.includes('+        "wrap",'), diff.join('\n'));
  });

  it('an installed command for this machine, and its name for what is shared', async (test) => {
    const at = place(test);
    const mine = at.write(join(at.home, '.claude.json'), entries('mcpServers', PROGRAM));
    const ours = at.write(join(at.project, '.mcp.json'), entries('mcpServers', PROGRAM));
    await at.ok(['--add', 's', '--yes', '--scope', 'user']);
    const said = await at.ok(['--add', 's', '--yes', '--scope', 'project']);
    assert.match(said, /Other people who use this file need konnichiwagwan installed/);
    assert.equal(JSON.parse(readFileSync(mine, 'utf8')).mcpServers.s.command, at.launcher);
    assert.equal(JSON.parse(readFileSync(ours, 'utf8')).mcpServers.s.command, 'konnichiwagwan');
    // The written command starts the program.
    const { command, args } = JSON.parse(readFileSync(mine, 'utf8')).mcpServers.s;
    assert.deepEqual(args, ['wrap', '--name', 's', '--', 'npx', '-y', 'server']);
    const ran = await runProgram(command, ['wrap', '--', 'true'], { env: at.env });
    assert.deepEqual([ran.code, ran.stderr], [0, '']);
  });

  it('nothing is installed: no entry is written that nobody could start', async (test) => {
    const at = place(test);
    rmSync(at.skill, { recursive: true });
    const text = entries('mcpServers', PROGRAM);
    const file = at.write(join(at.home, '.claude.json'), text);
    assert.match(await at.fails(['--add', 's', '--yes']), /is not installed.*\n.*install/);
    assert.equal(readFileSync(file, 'utf8'), text);
  });
});

describe('what is refused, with the file as it was', () => {
  for (const [why, entry, words] of [
    ['ours', { command: 'npx', args: ['-y', 'konnichiwagwan', 'demo'] }, /`s` is konnichiwagwan itself/],
    ['disabled', { ...PROGRAM, disabled: true }, /`s` is disabled/],
    ['a type', { type: 'ws', url: 'wss://mcp.test' }, /has the type "ws"/],
    ['no command', { args: ['x'] }, /has neither a command with texts as arguments nor a URL/],
    ['args', { command: 'x', args: [1] }, /has neither a command/],
    ['a helper', { type: 'http', url: 'https://mcp.test', headersHelper: 'x' }, /prints its headers with a program/],
    [
      'a sign-in',
      { type: 'http', url: 'https://mcp.test', oauth: {} },
      /signs in \(oauth\): wrap `npx mcp-remote URL`/,
    ],
    ['a socket', { type: 'http', url: 'unix:///run/x' }, /neither http: nor https:/],
    [
      'a kept variable',
      { type: 'http', url: 'https://mcp.test', headers: { A: `\${NPM_TOKEN}` } },
      /names `NPM_TOKEN`, which Claude Code keeps from servers/,
    ],
    ['SSE', { type: 'sse', url: 'https://mcp.test/sse' }, /by HTTP with SSE, which wrap does not speak: .* sse-only`/],
    ['a header', { type: 'http', url: 'https://mcp.test', headers: { 'A=B': 'x' } }, /which is no name of a header/],
    ['no object', 'npx server', /is not an object/],
  ] as [string, object, RegExp][])
    it(why, async (test) => {
      const at = place(test);
      const text = entries('mcpServers', entry);
      const file = at.write(join(at.project, '.mcp.json'), text);
      const said = await at.fails(['--add', 's', '--yes']);
      assert.match(said, words);
      assert.match(said, /Nothing was changed/);
      assert.equal(readFileSync(file, 'utf8'), text);
    });

  it('a URL that a host reads as SSE, without a type that says so', async (test) => {
    const at = place(test);
    at.write(join(at.home, '.qwen/settings.json'), entries('mcpServers', { url: 'https://mcp.test' }));
    at.write(
      join(at.home, '.cline/data/settings/cline_mcp_settings.json'),
      entries('mcpServers', { url: 'https://mcp.test' }),
    );
    for (const host of ['qwen', 'cline'])
      assert.match(await at.fails(['--add', 's', '--yes', '--host', host]), /is reached by HTTP with SSE/);
  });

  it('a server that Claude Code has disabled', async (test) => {
    const at = place(test);
    at.write(
      join(at.home, '.claude.json'),
      JSON.stringify({ mcpServers: { s: PROGRAM }, projects: { [at.project]: { disabledMcpServers: ['s'] } } }),
    );
    assert.match(await at.fails(['--add', 's', '--yes']), /`s` is disabled/);
  });

  it('to put back what somebody has added to', { skip }, async (test) => {
    const at = place(test);
    const file = at.write(
      join(at.project, '.mcp.json'),
      entries('mcpServers', { type: 'http', url: 'https://mcp.test' }),
    );
    await at.ok(['--add', 's', '--yes']);
    const text = readFileSync(file, 'utf8').replace('"command"', '"env": { "DEBUG": "1" }, "command"');
    writeFileSync(file, text);
    assert.match(await at.fails(['--remove', 's', '--yes']), /cannot be put back: its env also holds DEBUG/);
    assert.equal(readFileSync(file, 'utf8'), text);
  });

  it('a name that nobody has, or that several have', async (test) => {
    const at = place(test);
    assert.match(
      await at.fails(['--add', 'github', '--yes']),
      /no configuration has a server "github"\n {2}no server is/,
    );
    at.write(join(at.home, '.cursor/mcp.json'), entries('mcpServers', PROGRAM).replace('"s"', '"github"'));
    at.write(join(at.project, '.mcp.json'), entries('mcpServers', PROGRAM).replace('"s"', '"github"'));
    assert.match(await at.fails(['--add', 'githib', '--yes']), /did you mean `github`\?/);
    assert.match(await at.fails(['--add', 'x', '--yes']), /there are: `github`/);
    const said = await at.fails(['--add', 'github', '--yes']);
    assert.match(said, /--host claude --scope project: .*\.mcp\.json\n/);
    assert.match(said, /--host cursor --scope user: .*mcp\.json\n {2}Say which/);
    await at.ok(['--add', 'github', '--yes', '--host', 'cursor']);
    // Only one of them is wrapped, so the command means that one.
    if (!skip) await at.ok(['--remove', 'github', '--yes']);
    assert.match(await at.fails(['--add', 'github', '--host', 'curser']), /--host is one of claude, cursor/);
  });

  it('a file that is not JSON, with the place', async (test) => {
    const at = place(test);
    at.write(join(at.project, '.mcp.json'), '{\n  "mcpServers": {]\n}');
    assert.match(await at.fails(['--add', 's', '--yes']), /not read: .*\.mcp\.json, line 2, column 18: not valid JSON/);
    const { stderr } = await at.run(['--list']);
    assert.match(stderr, /^warning: .*line 2, column 18/);
  });

  it('taking wrap away, where an agent runs it; putting it in is no less guarded', async (test) => {
    const at = place(test);
    const file = at.write(join(at.project, '.mcp.json'), entries('mcpServers', PROGRAM));
    const added = await at.run(['--add', 's', '--yes'], { CLAUDECODE: '1' });
    assert.equal(added.code, 0, added.stderr);
    const wrapped = readFileSync(file, 'utf8');
    const said = await at.fails(['--remove', 's', '--yes'], { CLAUDECODE: '1' });
    assert.match(said, /an agent cannot take wrap away from a server: it runs under Claude Code/);
    assert.equal(readFileSync(file, 'utf8'), wrapped);
  });

  it('without --yes, where nobody can be asked', async (test) => {
    const at = place(test);
    const text = entries('mcpServers', PROGRAM);
    const file = at.write(join(at.project, '.mcp.json'), text);
    assert.match(await at.fails(['--add', 's']), /there is no terminal to ask at/);
    assert.equal(readFileSync(file, 'utf8'), text);
    assert.match(await at.fails(['--add', 's', '--list']), /give one of --add NAME/);
    assert.match(await at.fails([]), /give one of --add NAME/);
  });
});

describe('at a terminal', { skip: whyNoPerson }, () => {
  it('the change is shown and asked about, and made after a yes', async (test) => {
    const at = place(test);
    const file = at.write(join(at.home, '.cursor/mcp.json'), entries('mcpServers', PROGRAM));
    const no = await atTerminal(at.env, ['wrap', '--add', 's'], ['n\r']);
    assert.match(no.screen, /\+ +"wrap",.*Change it\? \[y\/N\].*Nothing was written\./s);
    assert.equal(readFileSync(file, 'utf8'), entries('mcpServers', PROGRAM));
    const yes = await atTerminal(at.env, ['wrap', '--add', 's'], ['y\r']);
    assert.match(yes.screen, /`s` starts through wrap now/);
    assert.match(readFileSync(file, 'utf8'), /"wrap"/);
  });

  it('a file that changes meanwhile is left alone', async (test) => {
    const at = place(test);
    const file = at.write(join(at.home, '.cursor/mcp.json'), entries('mcpServers', PROGRAM));
    const changed = entries('mcpServers', { command: 'another' });
    const ran = await atTerminal(at.env, ['wrap', '--add', 's'], ['y\r'], async () => writeFileSync(file, changed));
    assert.match(ran.screen, /another program changed .* just now/);
    assert.equal(readFileSync(file, 'utf8'), changed);
  });
});

describe('Codex', () => {
  const toml = (table: string): string => `model = "o"\n\n[mcp_servers."my server"]\n${table}\n[other]\nx = 1\n`;
  const lines = async (at: Place, table: string, args: string[]) => {
    const file = at.write(join(at.home, '.codex/config.toml'), toml(table));
    const { data } = JSON.parse(await at.ok([...args, 'my server', '--json']));
    assert.equal(data.changed, false);
    assert.equal(readFileSync(file, 'utf8'), toml(table));
    return data.toml;
  };

  it('TOML is not rewritten: the lines to change are printed', async (test) => {
    const at = place(test);
    const program = 'command = "npx"\nargs = [ "-y", "server" ]\n';
    const wrapped = `command = "${at.launcher}"\nargs = [ "wrap", "--name", "my server", "--", "npx", "-y", "server" ]\n`;
    const found = await lines(at, program, ['--add']);
    assert.deepEqual(found, {
      table: '[mcp_servers."my server"]',
      take_out: program.trim().split('\n'),
      put_in: wrapped.trim().split('\n'),
    });
    if (skip) return;
    const back = await lines(at, wrapped, ['--remove']);
    assert.deepEqual([back.take_out, back.put_in], [found.put_in, found.take_out]);
    const said = await at.ok(['--remove', 'my server']);
    assert.match(
      said,
      /TOML is not rewritten. In the table \[mcp_servers."my server"\]\ntake out:\n {4}command = ".*\/konnichiwagwan"\n/,
    );
  });

  it('a server behind a URL: headers by the names of their variables', async (test) => {
    const at = place(test);
    const remote =
      'url = "https://mcp.test/mcp"\nhttp_headers = { X-Key = "hunter2" }\nenv_http_headers = { X-Org = "ORG" }\nbearer_token_env_var = "TOKEN"\n';
    const found = await lines(at, remote, ['--add']);
    assert.deepEqual(found.take_out, remote.replace('hunter2', '…').trim().split('\n'));
    const wrapped = [
      `command = "${at.launcher}"`,
      `args = [ "wrap", "--name", "my server", "--url", "https://mcp.test/mcp", "--header-env", "X-Key=KWG_HEADER_1", "--header-env", "X-Org=ORG", "--header", "Authorization: Bearer \${TOKEN}" ]`,
      'env = { KWG_HEADER_1 = "…" }',
      'env_vars = [ "ORG", "TOKEN" ]',
    ];
    assert.deepEqual(found.put_in, wrapped);
    if (skip) return;
    const back = await lines(at, `${wrapped.join('\n')}\n`, ['--remove']);
    assert.deepEqual(back.put_in, found.take_out);
    assert.deepEqual(back.take_out, wrapped);
  });
});
