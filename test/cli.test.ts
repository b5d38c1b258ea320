// The commands as a user or a program meets them: their output and their exit codes.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { COMMANDS as LISTED } from '../scripts/cli/commands.ts';
import { checkState } from '../scripts/cli/doctor/state.ts';
import type { JsonObject } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { LOCKFILE } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { lockOf } from './lock-bench.ts';
import { noLinks, noShell } from './posix.ts';
import { copyPrograms } from './run-program.ts';
import { drive, type Ran, runProgram, sandbox, tool } from './sandbox.ts';

const CLI = resolve('dist/cli.cjs');
const COMMANDS = [
  'status',
  'probe',
  'baseline',
  'diff',
  'hash',
  'pin',
  'preflight',
  'verify',
  'approve',
  'mcp-validate',
  'lint',
  'scan',
  'usage',
  'explain',
  'doctor',
  'demo',
  'install',
  'uninstall',
  'logs',
  'statusline',
  'wrap',
];

const COLOUR = new RegExp(String.fromCharCode(27));

let base: string;
let count = 0;

before(() => {
  base = mkdtempSync(join(tmpdir(), 'kwg-cli-'));
});
after(() => remove(base));

type Ended = Pick<Ran, 'code' | 'stdout' | 'stderr'>;

type Around = { input?: string; env?: NodeJS.ProcessEnv; cwd?: string };

/** Each run gets a separate HOME. */
const withHome = (env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  const home = join(base, `home ${++count}`);
  return { HOME: home, KONNICHIWAGWAN_HOME: join(home, 'state'), ...env };
};

const spawned = async (file: string, args: string[], { input, env, cwd = base }: Around = {}): Promise<Ended> => {
  const { code, stdout, stderr } = await runProgram(file, args, { input, cwd, env: withHome(env) });
  return { code, stdout, stderr };
};

const cli = async (args: string[], { input, env, cwd = base }: Around = {}): Promise<Ended> => {
  const { code, stdout, stderr } = await drive('cli.cjs', input ?? null, withHome(env), args, true, cwd);
  return { code, stdout, stderr };
};

const envelope = async (args: string[], options?: Parameters<typeof spawned>[2]) => {
  const { code, stdout, stderr } = await cli([...args, '--json'], options);
  assert.equal(stderr, '');
  const parsed = JSON.parse(stdout);
  assert.deepEqual(Object.keys(parsed), ['ok', 'data', 'error', 'warnings', 'meta']);
  assert.equal(parsed.ok, code === 0);
  assert.ok(Array.isArray(parsed.warnings));
  assert.ok(parsed.meta.duration_ms >= 0);
  if (parsed.error !== null) {
    assert.deepEqual(Object.keys(parsed.error), ['code', 'message', 'hint']);
    assert.equal(parsed.data, null);
  }
  return { code, ...parsed };
};

const assertFailed = ({ code, stdout, stderr }: Ended, says: RegExp): void => {
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^konnichiwagwan: .+\n {2}.+\n$/, 'one line what, one line what to do');
  assert.match(stderr, says);
};

/** Writes to a separate folder: cases that run at once use the same file names. */
const write = (name: string, content: string | object): string => {
  const path = join(mkdtempSync(join(base, 'files-')), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

describe('help', { concurrency: 3 }, () => {
  for (const name of COMMANDS) {
    it(`of ${name}`, async () => {
      const [long, short] = await Promise.all([cli([name, '--help']), cli([name, '-h'])]);
      assert.deepEqual([long.code, long.stderr], [0, '']);
      assert.deepEqual(short, long);
      const [first, second, ...rest] = long.stdout.split('\n');
      assert.match(first ?? '', new RegExp(`^konnichiwagwan ${name}( |$)`));
      assert.equal(second, '');
      assert.ok(rest.join('\n').length > 60, 'it says what the command does');
    });
  }

  it('of everything names every command, and the exit codes', async () => {
    assert.deepEqual(Object.keys(LISTED).sort(), [...COMMANDS].sort());
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await cli(args);
      assert.deepEqual([code, stderr], [0, '']);
      for (const name of COMMANDS) assert.match(stdout, new RegExp(`^  ${name} +\\S`, 'm'));
      assert.match(stdout, /0 nothing found, 1 found, 2 could not check or wrong use, 70/);
    }
  });

  it('nothing at all is no success', async () => {
    assert.equal((await cli([])).code, 2);
  });
});

describe('logs', () => {
  it('says, also by its exit code, that a part of the log could not be read', async (test) => {
    const box = await sandbox(test, [tool('search', {})]);
    await box.start();
    await box.call('search', {});
    const logs = () => drive('cli.cjs', null, box.env, ['logs'], true);
    const whole = await logs();
    assert.deepEqual([whole.code, whole.stderr], [0, '']);
    const [day = ''] = readdirSync(join(box.state, 'activity'));
    const yesterday = new Date(Date.parse(day.slice(0, 10)) - 86_400_000).toISOString().slice(0, 10);
    mkdirSync(join(box.state, 'activity', `${yesterday}.jsonl`));
    const part = await logs();
    assert.deepEqual([part.code, part.stdout], [2, whole.stdout]);
    assert.match(part.stderr, /1 file of the log could not be read/);
  });
});

describe('usage', { concurrency: 3 }, () => {
  for (const [what, args, says] of [
    ['an unknown command', ['nope'], /there is no command "nope"/],
    ['a name that every object has', ['constructor'], /there is no command "constructor"/],
    ['__proto__', ['__proto__'], /there is no command "__proto__"/],
    ['an option for a command', ['--session'], /there is no command "--session"/],
    ['an unknown option', ['probe', '--nope'], /--nope/],
    ['an option without its value', ['probe', '--session'], /--session/],
    ['a value for a switch', ['baseline', '--record=yes'], /--record/],
    ['an id that is none', ['probe', '--session', '../../etc'], /not the id of a session/],
    ['one file for two', ['diff', 'one.json'], /diff needs two files/],
    ['no file', ['hash'], /hash needs a file/],
  ] as const) {
    it(what, async () => {
      assertFailed(await cli([...args]), says);
      const { code, error } = await envelope([...args]);
      assert.deepEqual([code, error.code], [2, 'usage']);
      assert.match(error.message, says);
    });
  }

  it('says what steers a terminal, and what looks like nothing, in letters', async () => {
    // Names of files come from repositories.
    const { stderr } = await cli(['hash', '\u001b]0;x\u3164']);
    assert.match(stderr, /^konnichiwagwan: \\u\{1b\}\]0;x\\u\{3164\} cannot be read/);
    assert.match((await cli(['nope\u001b[2J'])).stderr, /"nope\\u\{1b\}\[2J"/);
  });
});

const SEARCH = {
  name: 'search',
  description: 'Finds things.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};
const { name: _name, inputSchema, ...unnamed } = SEARCH;
const FORMS: Record<string, object> = {
  'a tools/list result': { tools: [SEARCH] },
  'a JSON-RPC answer': { jsonrpc: '2.0', id: 1, result: { tools: [SEARCH], nextCursor: 'x' } },
  'an array': [SEARCH],
  'a single tool': SEARCH,
  'a gateway answer': { schema_version: '2026-04-10', tools: [SEARCH], more: 1 },
  'a gateway answer in the other spelling': {
    schemaVersion: '2026-04-10',
    tools: [{ name: 'search', ...unnamed, input_schema: inputSchema }],
  },
  'a map from name to tool': { search: { ...unnamed, schema: inputSchema } },
};

describe('tool lists', { concurrency: 3 }, () => {
  it('of every form have the same hash, and no difference', async () => {
    const files = Object.entries(FORMS).map(
      ([what, form]) => [what, write(`${what.replace('/', ' ')}.json`, form)] as const,
    );
    const [first] = files as [readonly [string, string], ...(readonly [string, string])[]];
    const { data } = await envelope(['hash', first[1]]);
    assert.deepEqual(Object.keys(data.hashes[0]), ['tool', 'hash', 'meaning']);
    for (const [what, file] of files) {
      const hashed = await envelope(['hash', file]);
      assert.deepEqual([what, hashed.code, hashed.data], [what, 0, data]);
      const text = await cli(['hash', file]);
      assert.equal(text.stdout, `${data.hashes[0].hash}  search\n`);
      const same = await envelope(['diff', first[1], file]);
      assert.deepEqual([what, same.code, same.data.changes, same.data.summary], [what, 0, [], {}]);
    }
  });

  it('the name of a form that does not matter still counts: another tool is another tool', async () => {
    const one = write('one.json', [SEARCH]);
    const two = write('two.json', [{ ...SEARCH, name: 'lookup', description: 'Other.' }]);
    const { code, ok, error, data } = await envelope(['diff', one, two]);
    assert.deepEqual([code, ok, error], [1, false, null]);
    assert.deepEqual(data.changes, [
      { tool: 'search', path: '', rule: 'tool-removed', level: 'breaking', message: 'the tool is gone' },
      { tool: 'lookup', path: '', rule: 'tool-added', level: 'compatible', message: 'the tool is new' },
    ]);
    assert.deepEqual(data.summary, { breaking: 1, compatible: 1 });
    const text = await cli(['diff', one, two]);
    assert.equal(text.code, 1);
    assert.match(text.stdout, /1 breaking, 1 compatible\n$/);
  });

  it('a reference that nobody can read is unclear in its place alone', async () => {
    const file = (name: string, type: string | string[]) =>
      write(name, [{ name: 'a', inputSchema: { properties: { odd: { $ref: '#/$defs/%zz' }, plain: { type } } } }]);
    const { data } = await envelope(['diff', file('a.json', 'string'), file('b.json', ['string', 'null'])]);
    assert.deepEqual(
      data.changes.map(({ path, level }: { path: string; level: string }) => [path, level]),
      [
        ['/inputSchema/properties/odd', 'unclassified'],
        ['/inputSchema/properties/plain/type', 'compatible'],
      ],
    );
  });

  it('from standard input', async () => {
    const file = write('stdin.json', [SEARCH]);
    const piped = await cli(['hash', '-'], { input: JSON.stringify(SEARCH) });
    assert.deepEqual(piped, await cli(['hash', file]));
    assert.equal((await cli(['diff', '-', file], { input: JSON.stringify([SEARCH]) })).stdout, 'no changes\n');
    assert.equal((await cli(['diff', file, '-'], { input: JSON.stringify([SEARCH]) })).stdout, 'no changes\n');
  });

  it('of which one is a page of a longer list: that is said, on standard error or among the warnings', async () => {
    const whole = write('whole.json', { tools: [SEARCH, { ...SEARCH, name: 'lookup' }] });
    const page = write('page.json', { tools: [SEARCH], nextCursor: 'MTA=' });
    const says = (stderr: string) =>
      assert.match(stderr, /^warning: \S*page\.json" is one page of a longer list, .*: pass all pages as one list\n$/);
    for (const args of [
      ['hash', page],
      ['diff', whole, page],
      ['diff', page, whole],
      ['diff', page, page],
    ]) {
      const { stderr, code } = await cli(args);
      says(stderr);
      const answer = await envelope(args);
      assert.deepEqual(
        Object.keys(answer.data),
        args[0] === 'hash' ? ['canonical', 'hashes'] : ['changes', 'summary', 'ignored'],
      );
      assert.equal(answer.code, code);
      says(`warning: ${answer.warnings.join()}\n`);
    }
    for (const args of [
      ['hash', whole],
      ['diff', whole, whole],
    ])
      assert.deepEqual([(await cli(args)).stderr, (await envelope(args)).warnings], ['', []]);
    assert.match((await cli(['diff', whole, page, '--format', 'markdown'])).stdout, /one page of a longer list/);
  });

  it('that begin with a byte order mark are read without it', async () => {
    const text = JSON.stringify({ tools: [SEARCH] });
    const [plain, marked] = [write('plain.json', text), write('marked.json', `\ufeff${text}`)];
    for (const form of [[], ['--canonical', 'python-json']])
      assert.deepEqual(await cli(['hash', marked, ...form]), await cli(['hash', plain, ...form]));
    assert.deepEqual(await cli(['hash', '-'], { input: `\ufeff${text}` }), await cli(['hash', plain]));
    assert.equal((await cli(['diff', plain, marked])).stdout, 'no changes\n');
    const lines = write('marked.jsonl', `\ufeff${text}\n${text}\n`);
    assert.deepEqual(await cli(['hash', `${lines}@1`]), await cli(['hash', plain]));
    // One mark alone: a second one is part of the text.
    assertFailed(await cli(['hash', write('twice.json', `\ufeff\ufeff${text}`)]), /not JSON/);
    const other = write('other.json', `\ufeff${JSON.stringify([{ ...SEARCH, description: 'Other.' }], null, 2)}`);
    const { stdout } = await cli(['diff', plain, other, '--format', 'github']);
    assert.match(stdout, /line=4,/);
  });

  for (const [what, content, says] of [
    ['not JSON', '{"tools": [', /not JSON/],
    ['nothing', '', /is empty/],
    ['another JSON', '{"a": 1}', /has no .*tools/],
    ['a number', '7', /an object or an array is expected/],
    ['null', 'null', /an object or an array is expected/],
    ['a tool that is null', '{"tools": [null]}', /\/tools\/0/],
    ['a tool without a schema', '[{"name": "a"}]', /\/tools\/0/],
    ['a list in a list', '[[]]', /\/tools\/0/],
    ['an error', '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x"}}', /JSON-RPC error/],
    ['two tools of one name', JSON.stringify([SEARCH, SEARCH]), /\/tools\/1\/name/],
    ['ten thousand brackets', '['.repeat(10_000), /deeper than/],
    ['bytes', '\u0000\u001b[31m\ufffd', /not JSON/],
    ['UTF-16, as PowerShell writes it', '\ufffd\ufffd[\0]\0', /it is UTF-16/],
    ['UTF-16 without a mark', '{\0}\0', /UTF-16/],
    ['white space', '\r\n', /is empty/],
  ] as const) {
    it(`a file that holds ${what}`, async () => {
      const file = write(`bad ${what}.json`, content);
      assertFailed(await cli(['hash', file]), says);
      const good = write('good.json', [SEARCH]);
      const { code, error } = await envelope(['diff', good, file]);
      assert.deepEqual([code, error.code], [2, 'not-a-tool-list']);
      assert.match(error.message, says);
      assert.doesNotMatch(error.message, /\p{Cc}/u);
    });
  }

  it('standard input is called by its name', async () => {
    assertFailed(await cli(['hash', '-'], { input: '' }), /standard input is not a tool list: it is empty/);
  });

  it('a file that cannot be read', async () => {
    assertFailed(await cli(['hash', join(base, 'absent.json')]), /cannot be read \(ENOENT\)/);
    assertFailed(await cli(['hash', base]), /cannot be read \(EISDIR\)/);
    const { error } = await envelope(['diff', write('good.json', [SEARCH]), join(base, 'absent.json')]);
    assert.equal(error.code, 'unreadable');
  });
});

describe('explain', { concurrency: 3 }, () => {
  const words = (description: string): JsonObject => ({ type: 'string', description });
  const old = [
    tool('same', { a: words('A.') }),
    tool('renamed', { a: words('A.') }),
    tool('reworded', { a: words('first page') }),
    tool('wider', { a: words('A.') }),
  ];
  const now = [
    tool('same', { a: words('A.') }),
    tool('renamed', { b: words('A.') }),
    tool('reworded', { a: words('last page') }),
    tool('wider', { a: words('A.'), b: { type: 'boolean', default: true } }),
  ];

  for (const [name, verdict, exit, says] of [
    ['same', 'silence', 0, /silence: nothing changed/],
    ['renamed', 'deny', 1, /deny: the call is stopped/],
    ['reworded', 'ask', 1, /ask: a person is asked/],
    ['wider', 'notice', 1, /notice: the call goes through/],
    ['unknown', 'not-covered', 2, /not covered: no source knows this tool/],
  ] as const) {
    it(verdict, async (test) => {
      const box = await sandbox(test, old);
      await box.start();
      box.show(old, 'shape1');
      box.release(now, '2');
      const options = { input: JSON.stringify(box.input(name, { a: 'x' })), env: box.env };
      const { code, ok, error, data } = await envelope(['explain'], options);
      assert.deepEqual([code, ok, error, data.verdict], [exit, exit === 0, null, verdict]);
      const text = await cli(['explain'], options);
      assert.deepEqual([text.code, text.stderr], [exit, '']);
      for (const step of ['call:', 'source:', 'verdict:', 'unless:'])
        assert.match(text.stdout, new RegExp(`^${step}`, 'm'));
      assert.match(text.stdout, says);
      if (verdict === 'not-covered') return;
      assert.deepEqual([data.model_view, data.believed.from], [true, 'model view']);
      for (const step of ['believed:', 'live:', 'changes:']) assert.match(text.stdout, new RegExp(`^${step}`, 'm'));
      assert.equal(data.changes.length, verdict === 'silence' ? 0 : 1);
    });
  }

  it('unchecked', async (test) => {
    const box = await sandbox(test, old);
    await box.start();
    box.gateway.close();
    const options = { input: JSON.stringify(box.input('same', { a: 'x' })), env: box.env };
    const { code, data } = await envelope(['explain'], options);
    assert.deepEqual([code, data.verdict], [2, 'unchecked']);
    assert.match((await cli(['explain'], options)).stdout, /could not check: the call goes through unchecked/);
  });

  it('in mode strict, a person is asked about what could not be checked', async (test) => {
    for (const [name, says] of [
      ['unknown', /verdict: +not covered: .* strict, so a person is asked/],
      ['same', /verdict: +could not check: .* strict, so a person is asked/],
    ] as const) {
      const box = await sandbox(test, old, { mode: 'strict', freshFor: 0 });
      await box.start();
      if (name === 'same') box.gateway.close();
      const options = { input: JSON.stringify(box.input(name, { a: 'x' })), env: box.env };
      assert.match((await cli(['explain'], options)).stdout, says);
    }
  });

  it('off', async (test) => {
    const box = await sandbox(test, old, { mode: 'off' });
    const options = { input: JSON.stringify(box.input('same', { a: 'x' })), env: box.env };
    const { code, data } = await envelope(['explain'], options);
    assert.deepEqual([code, data.verdict], [0, 'off']);
  });

  it('of an input with a byte order mark, as an editor on Windows saves one', async (test) => {
    const box = await sandbox(test, old);
    const options = { input: `\ufeff${JSON.stringify(box.input('same', { a: 'x' }))}`, env: box.env };
    assert.equal((await envelope(['explain'], options)).error, null);
  });

  it('decides nothing and remembers nothing: the guard speaks after it as before', async (test) => {
    const box = await sandbox(test, old);
    await box.start();
    box.release(now, '2');
    const options = { input: JSON.stringify(box.input('wider', { a: 'x' })), env: box.env };
    assert.equal((await envelope(['explain'], options)).data.verdict, 'notice');
    assert.equal((await envelope(['explain'], options)).data.verdict, 'notice');
    assert.match((await box.call('wider', { a: 'x' })).answer.systemMessage, /changed after this conversation/);
  });

  for (const [what, input] of [
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    [
      'a tool that is none of MCP',
      '{"session_id":"a","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}',
    ],
    ['a number for a session', '{"session_id":7,"hook_event_name":"PreToolUse","tool_name":"mcp__a__b"}'],
  ] as const) {
    it(`of ${what} is bad input`, async () => {
      assertFailed(await cli(['explain'], { input }), /hook input/);
      assert.equal((await envelope(['explain'], { input })).error.code, 'bad-input');
    });
  }
});

describe('doctor', { concurrency: 3 }, () => {
  const installed = async (test: Parameters<typeof sandbox>[0]) => {
    const box = await sandbox(test, [tool('same', {})]);
    const done = await cli(['install'], { env: box.env, cwd: box.project });
    assert.equal(done.code, 0, done.stderr);
    return { ...box, hooks: join(box.home, '.claude/skills/konnichiwagwan/dist') };
  };
  const states = (checks: { name: string; state: string }[]) =>
    Object.fromEntries(checks.map(({ name, state }) => [name, state]));

  it('all is well', async (test) => {
    const box = await installed(test);
    const { code, data } = await envelope(['doctor'], { env: box.env, cwd: box.project });
    assert.equal(code, 0, JSON.stringify(data));
    for (const check of data.checks) assert.ok(['ok', 'note'].includes(check.state), JSON.stringify(check));
    const found = states(data.checks);
    for (const name of [
      'hook session-start',
      'hook guard',
      'hook tool-failure',
      'hook offers, PreToolUse',
      'hook offers, PostToolUse',
      'hook offers, UserPromptExpansion',
      'guard, fresh call',
      'guard, stale call',
    ]) {
      assert.equal(found[name], 'ok', name);
    }
  });

  for (const [file, wrong] of [
    ['guard.cjs', ['hook guard']],
    ['judge-call.cjs', ['guard, stale call']],
  ] as const) {
    it(`${file} is missing: exit 1`, async (test) => {
      const box = await installed(test);
      rmSync(join(box.hooks, file));
      const { code, ok, error, data } = await envelope(['doctor'], { env: box.env, cwd: box.project });
      assert.deepEqual([code, ok, error], [1, false, null]);
      for (const name of wrong) assert.equal(states(data.checks)[name], 'wrong', JSON.stringify(data.checks));
    });
  }

  it('a guard that does nothing is found', async (test) => {
    const box = await installed(test);
    writeFileSync(join(box.hooks, 'guard.cjs'), '');
    const { code, stdout } = await cli(['doctor'], { env: box.env, cwd: box.project });
    assert.equal(code, 1);
    assert.match(stdout, /✘ guard, stale call +is not stopped/);
    assert.match(stdout, /\n1 problem\n$/);
  });

  it('the state folder: whether it can be written, or made', () => {
    const folder = join(base, 'doctor-state');
    mkdirSync(folder);
    assert.deepEqual(checkState(join(folder, 'a/b')), {
      name: 'state',
      state: 'note',
      detail: `${join(folder, 'a/b')} does not exist yet: the first session creates it`,
    });
    assert.deepEqual(readdirSync(folder), [], 'nothing was made');
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const [home, detail] of [
      [file, /file cannot be written \(E[A-Z]+\)$/],
      [join(file, 'a'), /a cannot be made \(E[A-Z]+\)$/],
      [join(file, 'a/b'), /b cannot be made \(E[A-Z]+\)$/],
    ] as const) {
      const found = checkState(home);
      assert.equal(found.state, 'wrong');
      assert.match(found.detail, detail);
    }
  });

  it('the lockfile: how much it pins, or why it cannot be read', async (test) => {
    const box = await sandbox(test, [tool('same', {})]);
    const told = async (text: string) => {
      writeFileSync(join(box.project, LOCKFILE), text);
      const { data } = await envelope(['doctor'], { env: box.env, cwd: box.project });
      const found = (data.checks as { name: string; state: string; detail: string }[]).find(
        ({ name }) => name === 'lockfile',
      );
      return `${found?.state} ${found?.detail}`;
    };
    assert.equal(await told('{"version":'), `wrong ${LOCKFILE} is not JSON: it approves nothing`);
    const good = renderLock(lockOf({ trips: [tool('same', {})] }));
    assert.equal(await told(good), `ok ${LOCKFILE}: 1 tool of 1 server`);
  });

  it('nothing is installed', async (test) => {
    const box = await sandbox(test, [tool('same', {})]);
    const { code, data } = await envelope(['doctor'], { env: box.env, cwd: box.project });
    assert.equal(code, 1);
    assert.equal(states(data.checks).hooks, 'wrong');
  });
});

describe('demo', { concurrency: 2 }, () => {
  it('three are silently wrong, four are caught, and nothing is left behind', async () => {
    const folder = join(base, 'demo');
    mkdirSync(folder);
    const { code, ok, data, warnings } = await envelope(['demo'], {
      cwd: folder,
      env: { HOME: folder, KONNICHIWAGWAN_HOME: join(folder, 'state'), TMPDIR: folder },
    });
    assert.deepEqual([code, ok, warnings], [0, true, []]);
    assert.deepEqual([data.silently_wrong, data.caught, data.calls.length], [3, 4, 5]);
    assert.deepEqual(
      data.calls.map(({ verdict }: { verdict: string }) => verdict).filter((verdict: string) => verdict === 'silence')
        .length,
      1,
    );
    assert.equal(data.corrected, '50 reviews for "noise cancelling"');
    assert.deepEqual(readdirSync(folder), []);
  });

  // It judges its calls by real processes, so one run has to do for both.
  let once: ReturnType<typeof cli> | undefined;
  const printed = () => {
    once ??= cli(['demo'], { env: { FORCE_COLOR: '' } });
    return once;
  };

  it('as text, without colours where it is not a terminal', async () => {
    const { code, stdout } = await printed();
    assert.equal(code, 0);
    assert.match(stdout, /3 silently wrong/);
    assert.match(stdout, /4 caught/);
    assert.doesNotMatch(stdout, COLOUR);
  });

  it('fits a terminal of 80 × 24, with one whole denial, and ends with the next command', async () => {
    const { stdout } = await printed();
    const lines = stdout.trimEnd().split('\n');
    // One line is left for the prompt that follows.
    assert.ok(lines.length <= 23, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter((line) => line.length > 79),
      [],
    );
    assert.match(
      stdout.replace(/\n +/g, ' '),
      /konnichiwagwan stopped this call: `search_reviews`.*Call it like this now: search_reviews\(q\?: string.*Nothing was sent, and the tool is not broken\..*no restart is needed\./s,
    );
    assert.match(lines.at(-1) ?? '', /^Next: konnichiwagwan install$/);
    // The README's picture of it.
    const drawn = [...readFileSync('docs/demo.svg', 'utf8').matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, line]) =>
      (line ?? '')
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&')
        .trimEnd(),
    );
    assert.deepEqual(drawn, lines);
  });
});

describe('output', { concurrency: 3 }, () => {
  const big = () =>
    write(
      'big.json',
      Array.from({ length: 2_500 }, (_, index) => ({ ...SEARCH, name: `tool_${index}` })),
    );

  it('into a reader that goes away', { skip: noShell }, async () => {
    const file = big();
    const none = write('none.json', { tools: [] });
    for (const [args, first] of [
      [`hash '${file}'`, /^[0-9a-f]{64} {2}tool_0\n$/],
      [`hash '${file}' --json`, /^\{\n$/],
      [`diff '${none}' '${file}'`, /^.+\n$/],
    ] as const) {
      const { code, stdout, stderr } = await spawned('/bin/sh', [
        '-c',
        `'${process.execPath}' '${CLI}' ${args} | head -1`,
      ]);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, first);
    }
  });

  it('all of it into a slow pipe', { skip: noShell }, async () => {
    const { code, stdout } = await spawned('/bin/sh', [
      '-c',
      `'${process.execPath}' '${CLI}' hash '${big()}' --json | (sleep 0.3; cat)`,
    ]);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).data.hashes.length, 2_500);
  });

  it('in no colour where it is piped, and in colour on a terminal without NO_COLOR', {
    skip: noShell,
  }, async (test) => {
    const [one, two] = [write('c1.json', [SEARCH]), write('c2.json', [{ ...SEARCH, description: 'Other.' }])];
    const command = `'${process.execPath}' '${CLI}' diff '${one}' '${two}'`;
    assert.doesNotMatch((await spawned('/bin/sh', ['-c', command])).stdout, COLOUR);
    const onTerminal = (env: NodeJS.ProcessEnv) =>
      spawned('script', ['-qec', command, '/dev/null'], { input: '', env: { TERM: 'xterm', ...env } });
    const { code } = await spawned('/bin/sh', ['-c', 'command -v script']);
    if (code !== 0) return test.skip('there is no script(1) to make a terminal');
    assert.match((await onTerminal({})).stdout, COLOUR);
    assert.doesNotMatch((await onTerminal({ NO_COLOR: '1' })).stdout, COLOUR);
  });
});

describe('exit 70 is for bugs: no input reaches it', { concurrency: 3 }, () => {
  const odd = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });
  it('odd tool lists', async () => {
    const lists: [string, unknown, unknown][] = [
      ['names of methods', [odd('toString'), odd('__proto__')], [odd('constructor'), odd('valueOf')]],
      [
        'a type that is an object',
        [{ name: 'a', inputSchema: { type: 'x' } }],
        [{ name: 'a', inputSchema: { type: { toString: 1 } } }],
      ],
      [
        'a type of objects',
        [{ name: 'a', inputSchema: {} }],
        [{ name: 'a', inputSchema: { type: [{ toString: 1, valueOf: 1 }] } }],
      ],
      [
        'properties that are a list',
        [{ name: 'a', inputSchema: { properties: [1] } }],
        [{ name: 'a', inputSchema: { properties: {} } }],
      ],
      [
        'required that is a text',
        [{ name: 'a', inputSchema: { required: 'a' } }],
        [{ name: 'a', inputSchema: { required: { a: 1 } } }],
      ],
      [
        'properties that are null',
        [{ name: 'a', inputSchema: { properties: { b: null } } }],
        [{ name: 'a', inputSchema: { properties: { b: {}, c: null } } }],
      ],
      [
        'an enum of objects',
        [{ name: 'a', inputSchema: { enum: [{ a: 1 }] } }],
        [{ name: 'a', inputSchema: { enum: { a: 1 } } }],
      ],
      [
        'items that are a list',
        [{ name: 'a', inputSchema: { items: [{}] } }],
        [{ name: 'a', inputSchema: { items: [null, 1] } }],
      ],
      ['schemas that are booleans', [{ name: 'a', inputSchema: true }], [{ name: 'a', inputSchema: false }]],
      [
        'annotations that are methods',
        [{ ...odd('a'), annotations: { toString: 1 } }],
        [{ ...odd('a'), annotations: { constructor: null } }],
      ],
      ['a lone surrogate', [odd('\ud800')], [odd('\udfff')]],
      ['an empty list', [], []],
    ];
    const wrong: unknown[] = [];
    for (const [what, one, two] of lists) {
      const files = [write(`odd 1 ${what}.json`, one as object), write(`odd 2 ${what}.json`, two as object)];
      const { code, stderr } = await cli(['diff', ...files]);
      if (![0, 1, 2].includes(code ?? -1) || /\n\s+at /.test(stderr)) wrong.push([what, code, stderr]);
    }
    assert.deepEqual(wrong, []);
  });

  it('a contract with 150,000 parameters', async () => {
    const properties = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`p${index}`, true]));
    const full = write('full.json', [{ name: 'a', inputSchema: { properties } }]);
    const empty = write('empty.json', [{ name: 'a', inputSchema: { properties: {} } }]);
    const { code, stderr } = await cli(['diff', full, empty]);
    assert.deepEqual([code, stderr], [1, '']);
  });

  it('a state folder that cannot be made', async (test) => {
    const box = await sandbox(test, [tool('same', {})]);
    const env = { ...box.env, KONNICHIWAGWAN_HOME: join(write('a file', ''), 'state') };
    const wrong: unknown[] = [];
    for (const args of [['probe'], ['status'], ['baseline', '--record']]) {
      const { code, stderr } = await cli(args, { env, cwd: box.project });
      if (![0, 1, 2].includes(code ?? -1)) wrong.push([args.join(' '), code, stderr]);
    }
    assert.deepEqual(wrong, []);
  });

  it('state that somebody else wrote', async (test) => {
    const wrong: unknown[] = [];
    for (const content of [
      '{"sources":{"a":null},"failed":{}}',
      '{"sources":{"a":{}},"failed":{"b":null}}',
      '[]',
      '{',
    ]) {
      const box = await sandbox(test, [tool('same', {})]);
      mkdirSync(join(box.state, 'sessions'), { recursive: true });
      writeFileSync(join(box.state, 'sessions/s1.json'), content);
      writeFileSync(join(box.state, 'session_schema.json'), '{"session_id":"s1"}');
      for (const args of [['status'], ['baseline'], ['probe']]) {
        const { code, stderr } = await cli(args, { env: box.env, cwd: box.project });
        if (![0, 1, 2].includes(code ?? -1)) wrong.push([content, args.join(' '), code, stderr]);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('a folder that is gone', { skip: noShell }, async () => {
    const gone = join(base, 'gone');
    mkdirSync(gone);
    const { stdout } = await spawned('/bin/sh', [
      '-c',
      `cd '${gone}' && rmdir '${gone}' && '${process.execPath}' '${CLI}' probe >/dev/null 2>&1; echo $?`,
    ]);
    assert.match(stdout, /^[012]\n$/);
  });

  it('through a link, from a folder with spaces', { skip: noLinks }, async () => {
    const folder = join(base, 'a b');
    mkdirSync(folder);
    copyPrograms(join(folder, 'dist'));
    symlinkSync(join(folder, 'dist/cli.cjs'), join(folder, 'kwg'));
    const { code, stdout } = await spawned(process.execPath, [join(folder, 'kwg'), 'probe', '--json']);
    assert.deepEqual([code, JSON.parse(stdout).data.sources[0].state], [0, 'not-configured']);
  });
});
