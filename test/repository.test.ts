// The files of a repository may make things stricter, but never crash, loosen or redirect anything.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { loadConfig, policyFor } from '../scripts/config/config.ts';
import { MODES } from '../scripts/config/settings.ts';
import type { JsonObject } from '../scripts/contract/types.ts';
import { forgetRepository, withoutRepository } from '../scripts/servers/environment.ts';
import { parseObject } from '../scripts/servers/read.ts';
import { shellWord } from '../scripts/text/shell-word.ts';
import { noGit } from './git.ts';
import { startLoopbackProxy } from './loopback-proxy.ts';
import { runBuilt, runProgram, sandbox, tool } from './sandbox.ts';

const OLD = tool('search', { query: { type: 'string' } });
const NOW = tool('search', { text: { type: 'string' } }, { required: ['text'] });
const STALE = { query: 'x' };

type Box = Awaited<ReturnType<typeof sandbox>>;

/** A session that began under the old contract; the server runs the new one. */
const stale = async (test: TestContext, config: JsonObject = { freshFor: 0 }): Promise<Box> => {
  const box = await sandbox(test, [OLD], config);
  await box.start();
  box.release([NOW]);
  return box;
};

const decision = ({ answer }: { answer?: { hookSpecificOutput?: { permissionDecision?: string } } | undefined }) =>
  answer?.hookSpecificOutput?.permissionDecision;

const projectFile = (box: Box, text: string): void =>
  writeFileSync(join(box.project, '.claude', 'konnichiwagwan.json'), text);

const junk = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`junk${index}`, 1]));
const called = 'mcp__demo__search';

describe('the settings of a project', { concurrency: 2 }, () => {
  const deep = (levels: number): string => `{"mode": ${'['.repeat(levels)}${']'.repeat(levels)}}`;

  for (const [what, text] of [
    ['one mistake', JSON.stringify({ invokers: { [called]: null } })],
    ['many mistakes, and one that matters', JSON.stringify({ ...junk(101), invokers: { [called]: null } })],
    ['many of one kind', JSON.stringify({ invokers: { ...junk(5_000), [called]: { tool: 5, arguments: {} } } })],
    ['many, and a mode that is none', JSON.stringify({ ...junk(300), mode: { off: true }, servers: 5 })],
    ['many, and what would loosen', JSON.stringify({ ...junk(300), mode: 'off', servers: { demo: { mode: 'off' } } })],
    [
      'names of every object',
      '{"__proto__": {"mode": "off"}, "servers": {"__proto__": {"mode": "off"}, "constructor": 1}}',
    ],
    ['very deep', deep(100_000)],
    ['a very long name', JSON.stringify({ ['x'.repeat(500_000)]: 1, servers: { ['y'.repeat(400_000)]: 5 } })],
    ['nothing but a list', '[]'],
    ['not JSON', '{"mode": "strict",}'],
  ] as const) {
    it(`with ${what}: the guard stops what is stale, and says in few words what is wrong`, async (test) => {
      const box = await stale(test);
      projectFile(box, text);
      assert.equal(decision(await box.call('search', STALE)), 'deny');
      const { code, answer } = await box.start({ session_id: 's2' });
      assert.equal(code, 0);
      assert.match(answer.systemMessage, /\.claude\/konnichiwagwan\.json: /);
      assert.ok(answer.systemMessage.length < 2_500, `${answer.systemMessage.length} characters`);
    });
  }

  it('that hold more mistakes than are told say how many more there are', async (test) => {
    const box = await sandbox(test, [OLD]);
    projectFile(box, JSON.stringify(junk(50)));
    const { problems } = loadConfig(box.state, box.project, {});
    assert.equal(problems.length, 9);
    assert.match(problems.at(-1) ?? '', /and 42 more/);
  });

  it('that are no valid JSON are said to be that, and may have asked for the strictest mode', async (test) => {
    const box = await sandbox(test, [OLD]);
    projectFile(box, '{"mode": "warn",}');
    const config = loadConfig(box.state, box.project, {});
    assert.deepEqual(config.problems, [
      '.claude/konnichiwagwan.json: is not valid JSON: a comma too many in line 1; mode strict applies until it is valid',
    ]);
    assert.deepEqual(policyFor(config, 'files'), { mode: 'strict', trusted: false });
  });

  it('that name a mode that there is not, for one server or all, have the strictest one', async (test) => {
    const box = await sandbox(test, [OLD]);
    projectFile(box, '{"mode": "Strict"}');
    const all = loadConfig(box.state, box.project, {});
    assert.deepEqual(all.problems, [
      '.claude/konnichiwagwan.json: "mode" must be one of off, warn, guard, strict; mode strict applies',
    ]);
    assert.equal(policyFor(all, 'files').mode, 'strict');
    projectFile(box, '{"servers": {"files": {"mode": true}}}');
    const one = loadConfig(box.state, box.project, {});
    assert.deepEqual([policyFor(one, 'files').mode, policyFor(one, 'mail').mode], ['strict', 'guard']);
  });

  it('that a merge leaves unreadable in mid-session stay as strict', async (test) => {
    const box = await sandbox(test, [OLD], { freshFor: 0 });
    projectFile(box, '{"mode": "strict"}');
    await box.start();
    box.gateway.close();
    const conflict = '{\n<<<<<<< ours\n"mode": "strict"\n=======\n"mode": "guard"\n>>>>>>> theirs\n}';
    for (const [text, expected] of [
      ['{"mode": "strict"}', 'ask'],
      [conflict, 'ask'],
      ['{"mode": "guard"}', undefined],
    ] as const) {
      projectFile(box, text);
      assert.equal(decision(await box.call('search', STALE)), expected, text);
    }
  });

  it('that hold an open text of quotes or of any length are said to be no JSON, in a moment', async (test) => {
    const box = await sandbox(test, [OLD]);
    projectFile(box, `{"${'\\"'.repeat(40_000)}`);
    const began = Date.now();
    assert.match(loadConfig(box.state, box.project, {}).problems.join(), /is not valid JSON/);
    assert.equal(parseObject(`{"${'a\\n'.repeat(5_200_000)}`).status, 'bad');
    assert.ok(Date.now() - began < 10_000, `${Date.now() - began} ms`);
    for (const [text, line] of [
      ['{\n"a": ",]",\n}', 2],
      ['{\n"a": "\\"",\n"b": [1,]\n}', 3],
      ['{\n"a,]": "\n, ],\n}', 3],
    ] as const) {
      const read = parseObject(text);
      assert.match('why' in read ? read.why : '', new RegExp(`a comma too many in line ${line}$`), text);
    }
  });
});

// Separate: random runs keep the process busy, and gateways of parallel tests would not answer in time.
describe('the settings of a project, whatever they hold', () => {
  const words = [
    ...[
      '__proto__',
      'constructor',
      'toString',
      'mode',
      'servers',
      'invokers',
      'ignore',
      'lint',
      'gateways',
      'freshFor',
    ],
    ...['demo', called, 'tool', 'arguments', 'server', 'url', 'headers', 'timeout', 'trusted', '', 'a.b', '\u001b[2J'],
  ];
  const leaf = fc.constantFrom(...MODES, ...words, null, true, false, 0, -1, 61, 1e308, 'http://127.0.0.1:9/');
  const { value: anything } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(fc.constantFrom(...words), tie('value')), { maxLength: 6 })
        .map((all) => Object.fromEntries(all)),
    ),
  }));
  const shaped = fc
    .record(
      {
        mode: anything,
        freshFor: anything,
        servers: fc.dictionary(fc.constantFrom('demo', '__proto__', 'x'), anything),
        gateways: fc.dictionary(fc.constantFrom('one', 'constructor'), anything),
        trace: fc.oneof(fc.boolean(), anything),
        invokers: fc.dictionary(fc.constantFrom(called, 'mcp__a__b'), anything),
        ignore: anything,
        lint: anything,
      },
      { requiredKeys: [] },
    )
    .chain((known) => fc.integer({ min: 0, max: 200 }).map((count) => ({ ...junk(count), ...known })));
  const file = fc.oneof(anything, shaped);

  /** The possible results of reading any file, stated independently of the code that reads it. */
  const strings = { type: 'object', additionalProperties: { type: 'string' } };
  const full = { type: 'string', minLength: 1 };
  const mode = { enum: MODES };
  const invoker = {
    type: 'object',
    required: ['tool', 'arguments'],
    properties: { server: full, tool: full, arguments: full },
    additionalProperties: false,
  };
  const server = (properties: object) => ({
    type: 'object',
    additionalProperties: { type: 'object', properties, additionalProperties: false },
  });
  const gateway = (more: object) => ({
    type: 'object',
    additionalProperties: {
      type: 'object',
      required: ['url'],
      properties: {
        url: full,
        servers: { type: 'array', items: { type: 'string' } },
        timeout: { type: 'number', exclusiveMinimum: 0, maximum: 60 },
        ...more,
      },
      additionalProperties: false,
    },
  });
  const loaded = new Ajv({ ownProperties: true }).compile({
    type: 'object',
    properties: {
      user: {
        type: 'object',
        required: ['mode', 'freshFor', 'servers', 'gateways', 'invokers'],
        properties: {
          mode,
          freshFor: { type: 'number', minimum: 0, maximum: 60 },
          servers: server({ mode, trusted: { type: 'boolean' } }),
          gateways: gateway({ headers: strings }),
          invokers: { type: 'object', additionalProperties: { anyOf: [invoker, { const: false }] } },
          trace: { type: 'boolean' },
        },
        additionalProperties: false,
      },
      project: {
        type: 'object',
        properties: {
          mode: { enum: [...MODES, null] },
          servers: server({ mode }),
          invokers: { type: 'object', additionalProperties: invoker },
          // Without headers: a project must not decide what we send in the user's name.
          gateways: gateway({}),
          ignore: { type: 'array' },
        },
        additionalProperties: false,
      },
      problems: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 400 } },
    },
  });

  it('only what is valid is used, and nothing gets looser by it', async (test) => {
    const box = await sandbox(test, [OLD]);
    const config = join(box.state, 'config.json');
    fc.assert(
      fc.property(file, file, (users, theirs) => {
        writeFileSync(config, JSON.stringify(users) ?? '');
        rmSync(join(box.project, '.claude', 'konnichiwagwan.json'), { force: true });
        const alone = loadConfig(box.state, box.project, {});
        projectFile(box, JSON.stringify(theirs) ?? '');
        const both = loadConfig(box.state, box.project, {});
        const plain = JSON.parse(
          JSON.stringify({ ...both, project: { ...both.project, mode: both.project.mode ?? null } }),
        );
        assert.ok(loaded(plain), JSON.stringify(loaded.errors));
        assert.deepEqual(both.user, alone.user);
        for (const name of ['demo', '__proto__', 'constructor', 'other']) {
          const [before, after] = [policyFor(alone, name), policyFor(both, name)];
          assert.ok(MODES.indexOf(after.mode) >= MODES.indexOf(before.mode), `${name}: ${before.mode} → ${after.mode}`);
          assert.equal(after.trusted, before.trusted);
        }
      }),
      { numRuns: 1_500, seed: 11 },
    );
  });

  it('the built guard stops what is stale and the built start of a session goes on', async (test) => {
    const box = await stale(test);
    for (const [index, theirs] of fc.sample(file, { numRuns: 24, seed: 5 }).entries()) {
      projectFile(box, JSON.stringify(theirs) ?? '');
      assert.equal(decision(await box.call('search', STALE)), 'deny', JSON.stringify(theirs));
      if (index % 6 === 0) assert.equal((await box.start({ session_id: `f${index}` })).code, 0, JSON.stringify(theirs));
    }
  });
});

describe('variables that the settings of a project set', { concurrency: 2 }, () => {
  const settings = (box: Box, env: JsonObject, file = 'settings.json'): void =>
    writeFileSync(join(box.project, '.claude', file), JSON.stringify({ env }));

  /** A gateway that records the headers of each request. */
  const listener = async (test: TestContext) => {
    const heard: string[] = [];
    const server = createServer((request, response) => {
      heard.push(JSON.stringify(request.headers));
      response.end(JSON.stringify({ schema_version: '1', tools: [OLD] }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    test.after(() => server.close());
    return { heard, port: (server.address() as AddressInfo).port };
  };

  /** Runs a hook under a process with the client's name: the project's variables override those it was started with. */
  const throughClient = (
    box: Box,
    started: NodeJS.ProcessEnv,
    theirs: NodeJS.ProcessEnv,
    file: string,
    input: JsonObject,
  ): Promise<{
    stdout: string;
    answer?: { systemMessage?: string; hookSpecificOutput?: { permissionDecision?: string } };
  }> =>
    new Promise((done) => {
      const client = join(box.home, 'claude');
      // A shell: it starts in a fraction of the time of Node. It stays until the hook has ended, since that is not its last command.
      if (!existsSync(client)) symlinkSync('/bin/sh', client);
      const set = Object.entries(theirs).map(([name, value]) => `${name}=${shellWord(String(value))}`);
      const hook = [...set, 'CLAUDE_PID=$$', shellWord(process.execPath), shellWord(resolve('dist', file))].join(' ');
      const child = spawn(client, ['-c', `${hook}; :`], {
        env: { PATH: process.env.PATH, ...started },
        timeout: 20_000,
      });
      let stdout = '';
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      child.stdin.end(JSON.stringify(input));
      child.on('close', () => done({ stdout, ...(stdout === '' ? {} : { answer: JSON.parse(stdout) }) }));
    });
  const linux = { skip: process.platform !== 'linux' && 'what a process was started with can be seen on Linux alone' };

  for (const file of ['settings.json', 'settings.local.json']) {
    it(`do not switch the guard off: ${file}`, async (test) => {
      const box = await stale(test);
      settings(box, { KONNICHIWAGWAN: 'off' }, file);
      assert.equal(decision(await box.call('search', STALE, {}, { KONNICHIWAGWAN: 'off' })), 'deny');
    });
  }

  it('do not switch it off for a folder below either, where the client reads the local ones of the root', async (test) => {
    const box = await stale(test);
    const below = join(box.project, 'a/b');
    for (const folder of ['.git', 'a/b']) mkdirSync(join(box.project, folder), { recursive: true });
    settings(box, { KONNICHIWAGWAN: 'off' }, 'settings.local.json');
    const call = await box.call('search', STALE, {}, { KONNICHIWAGWAN: 'off', CLAUDE_PROJECT_DIR: below });
    assert.equal(decision(call), 'deny');
  });

  it("do not fill the user's settings for a linked tree, where the client reads those of the main one", {
    skip: noGit,
  }, async (test) => {
    const box = await sandbox(test, [OLD]);
    const linked = join(box.home, 'linked');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.email=a@example.invalid', '-c', 'user.name=a', ...args], {
        cwd: box.project,
        stdio: 'pipe',
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', linked);
    settings(box, { MY_PORT: '1', GATEWAY_URL: 'http://127.0.0.1:1' }, 'settings.local.json');
    const env = { HOME: box.home, MY_PORT: '1', GATEWAY_URL: 'http://127.0.0.1:1', MINE: 'x' };
    assert.deepEqual(withoutRepository(env, linked), { HOME: box.home, MINE: 'x' });
    const { user, problems } = loadConfig(box.state, linked, env);
    assert.deepEqual(user.gateways, {});
    assert.match(problems.join(), /GATEWAY_URL may not be set by a project/);
  });

  it('do not switch it off in the other encoding that the client reads', async (test) => {
    const box = await stale(test);
    const text = JSON.stringify({ env: { KONNICHIWAGWAN: 'off' } });
    writeFileSync(join(box.project, '.claude', 'settings.json'), Buffer.from(`\ufeff${text}`, 'utf16le'));
    assert.equal(decision(await box.call('search', STALE, {}, { KONNICHIWAGWAN: 'off' })), 'deny');
  });

  const padded = (box: Box, megabytes: number): void =>
    writeFileSync(
      join(box.project, '.claude', 'settings.json'),
      JSON.stringify({ env: { KONNICHIWAGWAN: 'off' }, padding: ' '.repeat(megabytes * 1_000_000) }),
    );

  it('do not switch it off in a file of 3 MB', async (test) => {
    const box = await stale(test);
    padded(box, 3);
    assert.equal(decision(await box.call('search', STALE, {}, { KONNICHIWAGWAN: 'off' })), 'deny');
  });

  it('do not switch it off in a file that is too large to be read: what the user alone sets does not count', async (test) => {
    const box = await stale(test);
    padded(box, 20);
    // The folder of KONNICHIWAGWAN_HOME does not count either.
    const state = join(box.home, '.claude/konnichiwagwan');
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'config.json'), JSON.stringify({ mode: 'strict' }));
    assert.notEqual(decision(await box.call('search', STALE, {}, { KONNICHIWAGWAN: 'off' })), undefined);
  });

  it('may be anything: a file that is no settings file changes nothing', linux, async (test) => {
    const box = await stale(test);
    for (const text of ['[]', '{"env": {', '{"env": {"HOME": {"toString": ""}, "KONNICHIWAGWAN": {"toString": 1}}}']) {
      writeFileSync(join(box.project, '.claude', 'settings.json'), text);
      assert.equal(
        decision(await throughClient(box, box.env, {}, 'guard.cjs', box.input('search', STALE))),
        'deny',
        text,
      );
    }
  });

  it('the user may switch it off, in a home folder that is the project too', async (test) => {
    const box = await stale(test);
    const off = { KONNICHIWAGWAN: 'off' };
    assert.equal((await box.call('search', STALE, {}, off)).stdout, '');
    mkdirSync(join(box.home, '.claude'));
    writeFileSync(join(box.home, '.claude', 'settings.json'), JSON.stringify({ env: off }));
    const home = { ...off, CLAUDE_PROJECT_DIR: box.home };
    assert.equal((await box.call('search', STALE, {}, home)).stdout, '');
    rmSync(join(box.home, '.claude', 'settings.json'));
    // A repository that claims to be the home is not one.
    settings(box, { ...off, CLAUDE_CONFIG_DIR: join(box.project, '.claude') });
    const called = { ...off, CLAUDE_CONFIG_DIR: join(box.project, '.claude') };
    assert.notEqual((await box.call('search', STALE, {}, called)).stdout, '');
  });

  it('do not move state and settings into the repository, nor send what the user keeps secret', async (test) => {
    const box = await sandbox(test, [OLD]);
    const evil = await listener(test);
    const folder = join(box.project, '.claude', 'state');
    mkdirSync(folder);
    const stolen = { g: { url: `http://127.0.0.1:${evil.port}`, headers: { 'x-stolen': `\${SECRET}` } } };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ mode: 'off', gateways: stolen }));
    settings(box, { KONNICHIWAGWAN_HOME: folder });
    Object.assign(box.env, { KONNICHIWAGWAN_HOME: folder, SECRET: 'secret' });
    const { answer } = await box.start();
    assert.match(answer.systemMessage, /\.claude\/settings\.json: KONNICHIWAGWAN_HOME may not be set by a project/);
    assert.ok(existsSync(join(box.home, '.claude', 'konnichiwagwan', 'sessions', 's1.json')));
    assert.ok(!existsSync(join(folder, 'sessions')));
    box.release([NOW]);
    // The default of freshFor.
    await new Promise((wait) => setTimeout(wait, 2_050));
    assert.equal(decision(await box.call('search', STALE)), 'deny');
    assert.deepEqual(evil.heard, []);
  });

  it('do not fill the user’s settings: these keep the values that the user gave', async (test) => {
    const box = await sandbox(test, []);
    const theirs = { REGION: 'theirs.example', KONNICHIWAGWAN: 'off' };
    settings(box, theirs);
    const [mine, env] = [
      { HOME: box.home, MINE: 'x' },
      { HOME: box.home, MINE: 'x', ...theirs },
    ];
    assert.deepEqual(withoutRepository(env, box.project), mine);
    mkdirSync(join(box.home, '.claude'), { recursive: true });
    writeFileSync(join(box.home, '.claude/settings.json'), JSON.stringify({ env: { REGION: 'mine.example' } }));
    assert.deepEqual(withoutRepository(env, box.project), { ...mine, REGION: 'mine.example' });
  });

  it('do not say where the user’s settings are, where an older client lets them', async (test) => {
    const box = await sandbox(test, []);
    const theirs = join(box.project, 'theirs');
    for (const name of ['HOME', 'USERPROFILE', 'CLAUDE_CONFIG_DIR']) {
      settings(box, { [name]: theirs });
      const env: NodeJS.ProcessEnv = { HOME: box.home, [name]: theirs };
      forgetRepository(env, box.project);
      assert.notEqual(env[name], theirs, name);
      const kept: NodeJS.ProcessEnv = { HOME: box.home, [name]: box.home };
      forgetRepository(kept, box.project);
      assert.equal(kept[name], box.home, `${name}, which the client set itself`);
    }
  });

  it('do not name a gateway: it would speak for the tools of the user', async (test) => {
    const box = await sandbox(test, [OLD]);
    const theirs = await listener(test);
    const url = `http://127.0.0.1:${theirs.port}`;
    settings(box, { GATEWAY_URL: url });
    box.env.GATEWAY_URL = url;
    assert.match((await box.start()).answer.systemMessage, /GATEWAY_URL may not be set by a project/);
    await box.call('search', STALE);
    assert.deepEqual(theirs.heard, []);
  });

  it('do not choose a proxy, although it stays set once the file is gone', linux, async (test) => {
    const box = await sandbox(test, [OLD]);
    const port = Number(new URL(box.gateway.url).port);
    const [mine, evil] = [await startLoopbackProxy(port), await startLoopbackProxy(port)];
    for (const one of [mine, evil]) test.after(() => one.close());
    Object.assign(box.env, { GATEWAY_URL: 'http://gateway.test', HTTPS_PROXY: mine.url });
    await box.start();
    box.release([NOW]);
    const theirs = { https_proxy: evil.url, HTTPS_PROXY: evil.url, NO_PROXY: 'gateway.test' };
    const call = await throughClient(box, box.env, theirs, 'guard.cjs', box.input('search', STALE));
    assert.equal(decision(call), 'deny');
    assert.deepEqual(evil.seen, []);
  });

  it("do not lead a gateway of the user's to another place", async (test) => {
    const evil = await listener(test);
    const box = await sandbox(test, [OLD], {
      freshFor: 0,
      gateways: { mine: { url: `http://127.0.0.1:\${MY_PORT}`, headers: { authorization: `\${MY_TOKEN}` } } },
    });
    const mine = { ...box.env, GATEWAY_URL: '', MY_PORT: new URL(box.gateway.url).port, MY_TOKEN: 'token' };
    const led = { MY_PORT: String(evil.port) };
    const begin = { session_id: 's1', transcript_path: '', cwd: box.project, hook_event_name: 'SessionStart' };
    settings(box, led);
    const { answer } = await runBuilt('session-start.cjs', JSON.stringify(begin), { ...mine, ...led });
    assert.match(answer.systemMessage, /gateway `mine` cannot be asked: .*MY_PORT is not set by you/);
    assert.deepEqual(evil.heard, []);
    if (process.platform !== 'linux') return;
    // If the client's original environment is visible, the user's own value counts.
    await throughClient(box, mine, led, 'session-start.cjs', begin);
    box.release([NOW]);
    const call = await throughClient(box, mine, led, 'guard.cjs', box.input('search', STALE));
    assert.equal(decision(call), 'deny', call.stdout);
    assert.deepEqual(evil.heard, []);
  });

  it("do not hide stricter settings of the user's", linux, async (test) => {
    const box = await sandbox(test, [OLD], { freshFor: 0, mode: 'strict' });
    const folder = join(box.project, '.claude', 'state');
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.json'), '{"mode": "off"}');
    const theirs = { KONNICHIWAGWAN_HOME: folder, HOME: box.project, CLAUDE_CONFIG_DIR: folder };
    await box.start();
    settings(box, theirs);
    // In strict mode every change stops a call, even one that no call would notice.
    box.release([tool('search', { query: { type: 'string' }, more: { type: 'string' } })]);
    const { answer } = await throughClient(box, box.env, theirs, 'guard.cjs', box.input('search', STALE));
    assert.equal(decision({ answer }), 'deny');
    assert.ok(!existsSync(join(folder, 'sessions')));
  });

  it("give way to the user's own settings", async (test) => {
    const box = await stale(test);
    mkdirSync(join(box.home, '.claude'));
    const users = { KONNICHIWAGWAN_HOME: box.state };
    writeFileSync(join(box.home, '.claude', 'settings.json'), JSON.stringify({ env: users }));
    const theirs = { KONNICHIWAGWAN_HOME: join(box.project, '.claude', 'state') };
    settings(box, theirs);
    const { answer } = await box.call('search', STALE, {}, theirs);
    assert.equal(decision({ answer }), 'deny');
    assert.ok(
      readFileSync(join(box.state, 'activity', `${new Date().toISOString().slice(0, 10)}.jsonl`), 'utf8').includes(
        'deny',
      ),
    );
  });

  it('do not count once they are taken out again, though the client keeps them', linux, async (test) => {
    const box = await stale(test);
    const off = { KONNICHIWAGWAN: 'off' };
    const input = box.input('search', STALE);
    assert.equal(decision(await throughClient(box, box.env, off, 'guard.cjs', input)), 'deny');
    assert.equal((await throughClient(box, { ...box.env, ...off }, {}, 'guard.cjs', input)).stdout, '');
  });

  it('do not mislead the commands that the client runs, in folders below either', async (test) => {
    const box = await stale(test);
    const folder = join(box.project, '.claude', 'state');
    const below = join(box.project, 'a', 'b');
    for (const each of [folder, below]) mkdirSync(each, { recursive: true });
    writeFileSync(join(folder, 'config.json'), '{"mode": "off"}');
    const theirs = { KONNICHIWAGWAN_HOME: folder, CLAUDE_PROJECT_DIR: box.home };
    settings(box, theirs);
    const env = { ...box.env, ...theirs };
    const input = JSON.stringify(box.input('search', STALE));
    const where = async (more: NodeJS.ProcessEnv): Promise<string> => {
      const args = [resolve('dist/cli.cjs'), 'explain', '--json'];
      const { stdout } = await runProgram(process.execPath, args, { cwd: below, env: { ...env, ...more }, input });
      return JSON.parse(stdout).data.mode;
    };
    assert.equal(await where({ CLAUDECODE: '1' }), 'guard');
    // At a terminal, only the user sets variables.
    assert.equal(await where({}), 'off');
  });

  it('may stand in a file that never ends', linux, async (test) => {
    const box = await stale(test);
    execFileSync('mkfifo', [join(box.project, '.claude', 'settings.json')]);
    const call = await throughClient(box, box.env, { KONNICHIWAGWAN: 'off' }, 'guard.cjs', box.input('search', STALE));
    assert.equal(decision(call), 'deny', call.stdout);
  });
});
