// mcp-validate: where the manifest and the wrapper come from.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from '../scripts/demo/loopback.ts';
import { splitCommand } from '../scripts/validate/split-command.ts';
import { startMcp } from './mcp-servers.ts';
import { against, base, command, EXAMPLE_CLI, EXAMPLE_MCP, json, NO_DRIFT, write } from './mcp-validate-run.ts';

describe('where the manifest comes from', () => {
  const envelope = { ok: true, data: EXAMPLE_CLI, error: null, warnings: [], meta: { duration_ms: 1 } };
  const mcp = () => write({ tools: EXAMPLE_MCP });
  let count = 0;
  const printer = (source: string): string => {
    const path = write(source, `print ${++count}.cjs`);
    return `"${process.execPath}" '${path}'`;
  };

  it('a file, standard input, a command; bare or in an envelope: all the same', async () => {
    const file = mcp();
    const answers = [
      await json(['--manifest', write(EXAMPLE_CLI), '--mcp-schema-file', file]),
      await json(['--manifest', write(envelope), '--mcp-schema-file', file]),
      await json(['--manifest', '-', '--mcp-schema-file', file], { input: JSON.stringify(envelope) }),
      await json([
        '--manifest-command',
        `${printer(`console.log(${JSON.stringify(JSON.stringify(envelope))})`)} manifest`,
        '--mcp-schema-file',
        file,
      ]),
      await json(['--manifest', write(EXAMPLE_CLI), '--mcp-schema-file', '-'], { input: JSON.stringify(EXAMPLE_MCP) }),
    ];
    for (const { data, error } of answers) assert.deepEqual([data, error], [answers[0]?.data, null]);
  });

  for (const [what, content, says] of [
    ['no JSON', 'nope', /is not JSON/],
    ['no object', [1], /must be an object/],
    ['no commands', { tools: [] }, /required property 'commands'/],
    [
      'the error of the CLI',
      { ok: false, data: null, error: { code: 'AUTH_REQUIRED', message: 'x' } },
      /AUTH_REQUIRED/,
    ],
    ['not modified', { ok: true, data: null, error: null, meta: { not_modified: true } }, /has not changed/],
    ['commands that are none', { commands: { a: 1 } }, /"\/commands\/a" must be object/],
    [
      'flags that are none',
      { commands: { a: { flags: { b: 'string' } } } },
      /"\/commands\/a\/flags\/b" must be object/,
    ],
    ['a type that is no text', { commands: { a: { flags: { b: { type: 5 } } } } }, /\/type" must be string/],
    ['one command twice', { commands: [{ name: 'a' }, { name: 'a' }] }, /`a` twice/],
    [
      'one command twice, once within another',
      { commands: { a: { subcommands: { b: {} } }, 'a.b': {} } },
      /`a.b` twice/,
    ],
    ['commands that are null', { commands: null }, /"\/commands" must be object or array/],
    ['commands that are null, in an envelope', { ok: true, data: { commands: null } }, /"\/commands" must be/],
    [
      'two lists of flags',
      { commands: { a: { flags: { b: {} }, options: [{ name: 'c' }] } } },
      /both `flags` and `options`/,
    ],
    [
      'two lists of arguments',
      { commands: { a: { args: [{ name: 'b' }], positionals: [{ name: 'c' }] } } },
      /NOT have both/,
    ],
    [
      'one flag twice',
      { commands: { a: { flags: [{ name: 'b' }, { name: '--b' }] } } },
      /"\/commands\/a\/flags" has `b` twice/,
    ],
    ['arguments that are only words', { commands: { a: { args: ['b'] } } }, /"\/commands\/a\/args\/0" must have/],
    [
      'subcommands that are none',
      { commands: { a: { subcommands: { b: 1 } } } },
      /\/a\/subcommands\/b" must be object/,
    ],
  ] as const) {
    it(`${what}: could not be checked`, async () => {
      const { code, error } = await json(['--manifest', write(content), '--mcp-schema-file', mcp()]);
      assert.equal(code, 2);
      assert.match(error?.message ?? '', says);
    });
  }

  for (const [what, args, says] of [
    ['no CLI', ['--mcp-schema-file', 'x'], /needs the CLI/],
    ['no wrapper', ['--manifest', 'x'], /needs the MCP wrapper/],
    ['two CLIs', ['--manifest', 'x', '--manifest-command', 'y', '--mcp-server', 'z'], /both name the CLI/],
    ['standard input twice', ['--manifest', '-', '--mcp-schema-file', '-'], /cannot be read twice/],
    ['a format that is none', ['--manifest', 'x', '--mcp-server', 'z', '--format', 'pdf'], /--format is one of/],
    [
      '--output json and a format besides',
      ['--manifest', 'x', '--mcp-server', 'z', '--output', 'json', '--format', 'html'],
      /both name a format/,
    ],
    ['a file that is not there', ['--manifest', 'not there', '--mcp-server', 'z'], /cannot be read \(ENOENT\)/],
    ['no time', ['--manifest', 'x', '--mcp-server', 'z', '--timeout', '0'], /--timeout/],
  ] as const) {
    it(`usage: ${what}`, async () => {
      const { code, error } = await json([...args]);
      assert.equal(code, 2);
      assert.match(error?.message ?? '', says);
    });
  }

  it('a map that is none', async () => {
    for (const map of [[], { a: 1 }, { a: '' }, { a: 'x', b: 'x' }]) {
      const { error } = await against(EXAMPLE_CLI, EXAMPLE_MCP, '--map', write(map));
      assert.equal(error?.code, 'not-a-map');
    }
  });

  it('one page of a longer list is not taken for the list', async () => {
    const page = write({ tools: EXAMPLE_MCP, nextCursor: '2' });
    assert.equal((await json(['--manifest', write(EXAMPLE_CLI), '--mcp-schema-file', page])).error?.code, 'incomplete');
  });

  it('a command line is split as a shell would, and nothing else of a shell happens', () => {
    for (const [text, words] of [
      ['mycli manifest', ['mycli', 'manifest']],
      ['  a   "b c"\td\'e f\'g ', ['a', 'b c', 'de fg']],
      ['a "" \'\'', ['a', '', '']],
      ['a\\ b "c\\"d" \'e\\f\' "g\\h"', ['a b', 'c"d', 'e\\f', 'g\\h']],
      ["a '$HOME|;'", ['a', '$HOME|;']],
    ] as const) {
      assert.deepEqual(splitCommand(text, true), words);
    }
    assert.deepEqual(splitCommand('C:\\bin\\mycli.exe manifest', false), ['C:\\bin\\mycli.exe', 'manifest']);
    for (const text of [
      'a | b',
      'a; b',
      'a && b',
      'a > b',
      'a $HOME',
      'a "$(b)"',
      'a `b`',
      'a "b',
      "a 'b",
      'a \\',
      '',
      ' ',
      '""',
      'a\nb',
      'a\0',
    ]) {
      assert.throws(() => splitCommand(text, true), { code: 'usage' }, JSON.stringify(text));
    }
  });

  it('a command that fails, is not there, or prints too much', async () => {
    for (const [line, code, says] of [
      [
        printer("console.error('\\u001b[31mno config\\u202e'); process.exit(3)"),
        'manifest-command',
        /ended with 3: ".*no config/,
      ],
      ['konnichiwagwan-no-such-program', 'unrunnable', /cannot be started \(ENOENT\)/],
      [
        printer(
          "const s = 'x'.repeat(1 << 20); const go = () => { while (process.stdout.write(s)); process.stdout.once('drain', go) }; go()",
        ),
        'too-large',
        /printed more than/,
      ],
      ['mycli manifest | jq .data', 'usage', /which only a shell understands/],
    ] as const) {
      const { error } = await json(['--manifest-command', line, '--mcp-schema-file', mcp()]);
      assert.equal(error?.code, code);
      assert.match(error?.message ?? '', says);
      assert.ok(!(error?.message ?? '').includes('\u001b'));
    }
  });

  it('a command that does not end is ended, with what it started', { skip: process.platform === 'win32' }, async () => {
    const pids = join(base, 'pids');
    const source = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: 'inherit' });
      require('node:fs').writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid);
      setInterval(() => {}, 1000);`;
    const { error } = await json(['--manifest-command', printer(source), '--mcp-schema-file', mcp(), '--timeout', '4']);
    assert.match(error?.message ?? '', /did not end within 4 s/);
    for (const pid of readFileSync(pids, 'utf8').split(' ').map(Number)) {
      let alive = true;
      for (let waited = 0; alive && waited < 20_000; waited += 50) {
        try {
          process.kill(pid, 0);
          await sleep(50);
        } catch {
          alive = false;
        }
      }
      assert.equal(alive, false, `${pid} is left behind`);
    }
  });
});

describe('where the wrapper comes from', () => {
  const contract = EXAMPLE_MCP as never;
  const cli = () => write(EXAMPLE_CLI);

  for (const era of ['modern', 'session', 'sse'] as const) {
    it(`a server of the kind ${era}`, async (test) => {
      const server = await startMcp(era, { tools: contract });
      test.after(server.close);
      const { data, error } = await json(['--manifest', cli(), '--mcp-server-url', server.url]);
      assert.deepEqual([error, data?.drift.missing_from_mcp, data?.drift.changed.length], [null, ['delete'], 1]);
      assert.equal(server.open(), 0);
    });
  }

  it('a gateway, by its own address or by the one that its tools are below', async (test) => {
    const gateway = await startGateway('1', contract);
    test.after(gateway.close);
    for (const url of [`${gateway.url}/api/tools/list`, gateway.url]) {
      const { data, error } = await json(['--manifest', cli(), '--mcp-server-url', url]);
      assert.deepEqual([error, data?.drift.missing_from_mcp], [null, ['delete']]);
    }
  });

  it('headers go along, from the environment, and are shown to nobody', async (test) => {
    let refuse: number | undefined;
    const server = await startMcp('modern', { tools: contract }, () => refuse);
    test.after(server.close);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is expanded by the command
    const args = ['--manifest', cli(), '--mcp-server-url', server.url, '--header', 'Authorization: Bearer ${MY_TOKEN}'];
    assert.equal((await json(args)).error?.code, 'usage', 'the variable is not set');
    const env = { MY_TOKEN: 's3cr3t' };
    assert.equal((await json(args, { env })).code, 1);
    assert.equal(server.headers().authorization, 'Bearer s3cr3t');
    refuse = 401;
    const { error } = await json(args, { env });
    assert.equal(error?.code, 'unreachable');
    assert.ok(!JSON.stringify(error).includes('s3cr3t'));
    const bare = (await json(args.slice(0, -2))).error;
    assert.match(bare?.message ?? '', /could not be asked: it wants a sign-in$/);
    assert.match(bare?.hint ?? '', /--header "Authorization: Bearer /);
  });

  it('nobody there, or no URL', async () => {
    const down = await json(['--manifest', cli(), '--mcp-server-url', 'http://user:s3cr3t@127.0.0.1:9/mcp']);
    assert.deepEqual([down.code, down.error?.code], [2, 'unreachable']);
    assert.ok(!JSON.stringify(down).includes('s3cr3t'));
    for (const url of ['nope', 'file:///etc/passwd', 'javascript:alert(1)']) {
      assert.equal((await json(['--manifest', cli(), '--mcp-server-url', url])).error?.code, 'usage');
    }
  });

  it('a server of the configuration by its name; a program only with --spawn', async () => {
    const home = mkdtempSync(join(base, 'home-'));
    const program = { command: process.execPath, args: [resolve('test/stdio-server.mjs')] };
    writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers: { mine: program } }));
    const env = { HOME: home, CLAUDE_PROJECT_DIR: home };
    const manifest = write({ commands: { pid: command() } });
    const args = ['--manifest', manifest, '--mcp-server', 'mine'];
    const asked = await json(args, { env });
    assert.deepEqual([asked.code, asked.error?.code], [2, 'unreachable']);
    assert.match(asked.error?.message ?? '', /--spawn/);
    assert.deepEqual((await json([...args, '--spawn'], { env })).data.drift, NO_DRIFT);
    assert.match(
      (await json(['--manifest', manifest, '--mcp-server', 'nobody'], { env })).error?.message ?? '',
      /not configured/,
    );
  });
});
