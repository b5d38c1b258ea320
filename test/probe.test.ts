// Phase F from outside: every state with its exit code, through the command and through the script with the older name.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { startMcp } from './mcp-servers.ts';
import { noShell } from './posix.ts';
import { runsHere } from './programs-here.ts';
import { ageAnswers, drive, renewAnswers, runProgram, sandbox, tool } from './sandbox.ts';

type Box = Awaited<ReturnType<typeof sandbox>>;

const OLD = tool('search', { query: { type: 'string', description: 'words' } });
const NEW = tool('search', { q: { type: 'string', description: 'words' } });
const DAY = '2026-04-09';
const NEXT_DAY = '2026-04-10';

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** A server on loopback that counts its requests. */
const listen = async (test: TestContext, answer: RequestListener) => {
  const requests: { url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
};

const list = (tools: Contract[], more: JsonObject = {}): RequestListener => {
  const text = JSON.stringify({ schema_version: '1', ...more, tools });
  return (request, response) => {
    const etag = `"${text.length}"`;
    response.setHeader('etag', etag);
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.end(text);
  };
};

const cli = (box: Box, args: string[], more: NodeJS.ProcessEnv = {}) =>
  drive('cli.cjs', null, { ...box.env, ...more }, args).catch((error) => assert.fail(`${args}: ${error}`));

/** For commands whose output is text. */
const print = (box: Box, file: string, args: string[], more: NodeJS.ProcessEnv = {}) =>
  runProgram(file, args, { cwd: box.project, env: { ...box.env, ...more } });
const text = (box: Box, args: string[], more: NodeJS.ProcessEnv = {}) =>
  drive('cli.cjs', null, { ...box.env, ...more }, args, true, box.project);

const SCRIPT = resolve('skills/konnichiwagwan/scripts/check_tool_freshness.sh');

const probed = async (box: Box, more: NodeJS.ProcessEnv = {}) => {
  const { answer, code, stderr } = await cli(box, ['probe', '--json'], more);
  assert.equal(stderr, '');
  assert.deepEqual(Object.keys(answer), ['ok', 'data', 'error', 'warnings', 'meta']);
  assert.equal(answer.error, null);
  assert.equal(answer.ok, code === 0);
  assert.equal(typeof answer.meta.duration_ms, 'number');
  return { code, sources: answer.data.sources, warnings: answer.warnings as string[] };
};

const WARNING = `⚠️ Tool schema drift detected — session started ${DAY}, gateway advertises ${NEXT_DAY}. Restart Claude Code to avoid silent field-strip bugs.`;

interface Case {
  state: string;
  /** What Phase F says about the version. */
  version?: string;
  exit: 0 | 1 | 2;
  /** Runs between the session's start and the probe. */
  meanwhile?(box: Box, test: TestContext): void | Promise<void>;
  /** No session starts. */
  unstarted?: boolean;
  note: RegExp;
  completion: RegExp;
}

const answerWith = (answer: RequestListener) => async (box: Box, test: TestContext) => {
  const { url } = await listen(test, answer);
  box.env.GATEWAY_URL = url;
};

const CASES: Case[] = [
  {
    state: 'fresh',
    version: `SCHEMA_VERSION: ${DAY}; the session started with ${DAY}`,
    exit: 0,
    note: /^1 tool as this session learned them$/,
    completion: /^✅ konnichiwagwan: fresh — 1 tool/,
  },
  {
    state: 'drift',
    version: `SCHEMA_VERSION: ${NEXT_DAY}; the session started with ${DAY}`,
    exit: 1,
    meanwhile: (box) => box.release([NEW], NEXT_DAY),
    note: new RegExp(`^${WARNING}$`),
    completion: new RegExp(`^${WARNING}$`),
  },
  {
    state: 'silent-drift',
    version: `SCHEMA_VERSION: ${DAY}; the session started with ${DAY}`,
    exit: 1,
    meanwhile: (box) => box.release([NEW], DAY),
    note: /contracts changed and the gateway still advertises 2026-04-09/,
    completion: /SCHEMA_VERSION was not bumped/,
  },
  {
    state: 'version-only',
    version: `SCHEMA_VERSION: ${NEXT_DAY}; the session started with ${DAY}`,
    exit: 1,
    meanwhile: (box) => box.release([OLD], NEXT_DAY),
    note: new RegExp(`^${WARNING}$`),
    completion: new RegExp(`^${WARNING}$`),
  },
  {
    state: 'no-baseline',
    version: `SCHEMA_VERSION: ${DAY}, recorded now`,
    exit: 0,
    unstarted: true,
    note: /^no baseline yet: recorded now \(1 tool\)$/,
    completion: /^✅ konnichiwagwan: baseline recorded now \(1 tool\)/,
  },
  {
    state: 'unreachable',
    version: `SCHEMA_VERSION: not known now; the session started with ${DAY}`,
    exit: 2,
    meanwhile: (box) => box.gateway.close(),
    note: /ECONNREFUSED/,
    completion: /^❌ konnichiwagwan could not check: GATEWAY_URL unreachable .* Nothing is known to be fresh\.$/,
  },
  {
    state: 'invalid',
    version: 'SCHEMA_VERSION: not known now; the session started with none that is known',
    exit: 2,
    unstarted: true,
    meanwhile: answerWith((_request, response) => response.end('{"tools":[{"name":"a","inputSchema":7}]}')),
    note: /^\/tools\/0\/inputSchema: must be object,boolean$/,
    completion: /^❌ konnichiwagwan could not check: GATEWAY_URL invalid .* Nothing is known to be fresh\.$/,
  },
  {
    state: 'not-configured',
    exit: 0,
    unstarted: true,
    meanwhile: (box) => {
      delete box.env.GATEWAY_URL;
    },
    note: /^no gateway and no MCP server: set GATEWAY_URL/,
    completion: /^konnichiwagwan is not configured: /,
  },
];

describe('a baseline that cannot be used', () => {
  it('is named by status, whether or not another one is recorded now', async (test) => {
    const box = await sandbox(test, [OLD], {});
    await box.start();
    const path = join(box.state, 'sessions', 's1.json');
    for (const url of [box.env.GATEWAY_URL, undefined]) {
      writeFileSync(path, '{broken');
      const { stdout } = await drive(
        'cli.cjs',
        '',
        { ...box.env, GATEWAY_URL: url, COLUMNS: '999' },
        ['status', '--session', 's1'],
        true,
      );
      assert.match(stdout, /^ {2}.*s1\.json cannot be used: what this session started with is not known$/m);
    }
  });
});

describe('a source that gave no list', () => {
  for (const [what, meanwhile, todo] of [
    ['unreachable', (box: Box) => box.gateway.close(), 'start it, or correct its address'],
    [
      'invalid',
      answerWith((_request, response) => response.end('{"tools": 5}')),
      'its address may be that of something else',
    ],
  ] as const)
    it(`is told with what to do: ${what}`, async (test) => {
      const box = await sandbox(test, [OLD], {});
      await meanwhile(box, test);
      const { stdout } = await drive('cli.cjs', '', box.env, ['probe'], true);
      const lines = stdout.split('\n');
      assert.match(lines[0] ?? '', new RegExp(`: ${what} — `));
      assert.ok(lines.includes(`  ${todo}; until it answers with a list of tools, its calls are not checked`), stdout);
    });
});

describe('every state', { concurrency: 3 }, () => {
  for (const { state, version, exit, meanwhile, unstarted, note, completion } of CASES) {
    it(`${state}: exit ${exit}`, async (test) => {
      const make = async () => {
        const box = await sandbox(test, [OLD], {});
        box.release([OLD], DAY);
        if (!unstarted) await box.start();
        await meanwhile?.(box, test);
        return box;
      };
      const box = await make();
      const { code, sources } = await probed(box);
      assert.equal(code, exit);
      assert.equal(sources.length, 1);
      assert.equal(sources[0].state, state);
      assert.match(sources[0].note, note);

      // A probe without a baseline records one, so each gets a separate world.
      const other = unstarted ? await make() : box;
      if (!noShell) {
        // The script starts the command, so one process shows that; with the built files, each is one.
        const isScript = state === 'drift' || !runsHere(other.env, []);
        const script = await (isScript ? print(other, '/bin/sh', [SCRIPT]) : text(other, ['probe']));
        assert.deepEqual([script.code, script.stderr], [exit, '']);
        assert.match(script.stdout, new RegExp(`(^|: )${state} — `, 'm'));
        if (state === 'drift') assert.equal(script.stdout.split('\n')[0], WARNING);
        if (version !== undefined) assert.ok(script.stdout.includes(`\n  ${version}`), script.stdout);
      }

      const third = unstarted ? await make() : box;
      const status = await text(third, ['status']);
      assert.deepEqual([status.code, status.stderr], [exit, '']);
      if (version !== undefined) assert.ok(status.stdout.includes(`\n  GATEWAY_URL: ${version}\n`), status.stdout);
      const lines = status.stdout.trimEnd().split('\n');
      assert.deepEqual(
        lines.filter((line) => line.startsWith('Phase ')),
        ['A · baseline', 'B · servers', 'C · contracts', 'D · discipline', 'E · verdicts', 'F · freshness'].map(
          (title) => `Phase ${title}`,
        ),
      );
      assert.deepEqual([lines.at(-2), completion.test(lines.at(-1) ?? '')], ['', true], lines.at(-1));
    });
  }

  it('fields of a source, and a hash that is not that of its contract', async (test) => {
    const box = await sandbox(test, [OLD], {});
    const { url } = await listen(test, (_request, response) =>
      response.end(JSON.stringify({ schema_version: DAY, tools: [{ ...OLD, hash: '0'.repeat(64) }] })),
    );
    box.env.GATEWAY_URL = url;
    assert.equal((await probed(box)).code, 0);
    assert.deepEqual((await probed(box)).sources, [
      {
        state: 'fresh',
        name: 'GATEWAY_URL',
        where: `${url}/api/tools/list`,
        before: DAY,
        after: DAY,
        changes: [],
        hash_mismatches: ['search'],
        note: `1 tool as recorded on ${new Date().toISOString().slice(0, 10)}`,
        lists: { tools: 'current' },
      },
    ]);
  });

  it('drift that was found counts before what could not be checked', async (test) => {
    const box = await sandbox(test, [OLD], {});
    await box.start();
    box.release([NEW], '2');
    writeFileSync(
      join(box.state, 'config.json'),
      JSON.stringify({ gateways: { gone: { url: 'http://127.0.0.1:9' } } }),
    );
    const { code, sources } = await probed(box);
    assert.deepEqual(sources.map(({ state }: { state: string }) => state).sort(), ['drift', 'unreachable']);
    assert.equal(code, 1);
  });

  it('a session is compared with its own baseline, another one with its own', async (test) => {
    const box = await sandbox(test, [OLD], {});
    await box.start({ session_id: 'old' });
    box.release([NEW], '2');
    await pause(2_050);
    await box.start({ session_id: 'new' });
    const states = await Promise.all(
      [['--session', 'old'], ['--session', 'new'], []].map(
        async (args) => (await cli(box, ['probe', '--json', ...args])).code,
      ),
    );
    assert.deepEqual(states, [1, 0, 0]);
    const { code } = await cli(box, ['probe', '--json'], { CLAUDE_CODE_SESSION_ID: 'old' });
    assert.equal(code, 1);
  });
});

it('a session that was never started hides no drift of the one that was', async (test) => {
  const box = await sandbox(test, [OLD], {});
  await box.start({ session_id: 'right' });
  box.release([NEW], '2');
  await pause(2_050);
  const code = async (...args: string[]) => (await cli(box, ['probe', '--json', ...args])).code;
  assert.deepEqual([await code(), await code('--session', 'rihgt'), await code()], [1, 0, 1]);
  const { answer } = await cli(box, ['baseline', '--json']);
  assert.equal(answer.data.session_id, 'right');
});

it('finds the drift of a session also from a folder below: a shell may stand anywhere', async (test) => {
  const box = await sandbox(test, []);
  box.env.GATEWAY_URL = undefined;
  const server = await startMcp('modern', { tools: [OLD] });
  test.after(() => server.close());
  const near = { type: 'http', url: server.url };
  const below = join(box.project, 'packages/app');
  for (const folder of ['.git', 'packages/app']) mkdirSync(join(box.project, folder), { recursive: true });
  writeFileSync(
    join(box.home, '.claude.json'),
    JSON.stringify({ projects: { [box.project]: { mcpServers: { near } } } }),
  );
  await box.start();
  server.offer.tools = [NEW];
  const env = { ...box.env, CLAUDE_PROJECT_DIR: undefined };
  const probe = (...args: string[]) => drive('cli.cjs', null, env, ['probe', ...args], true, below);
  for (const args of [['--session', 's1'], []]) {
    const { stdout, code } = await probe(...args);
    assert.match(stdout, /^near .*: drift/m, args.join(' '));
    assert.equal(code, 1);
  }
  const { stdout } = await drive('cli.cjs', null, env, ['explain', 'mcp__near__search', '{"query":"x"}'], true, below);
  assert.match(stdout, /deny/, stdout);
});

describe('session_schema.json', () => {
  it('is the answer of the gateway, and when and by whom it was recorded', async (test) => {
    const full = {
      ...OLD,
      title: 'Search',
      description: 'Finds.',
      annotations: { readOnlyHint: true },
      execution: { a: 1 },
    };
    const box = await sandbox(test, [full as Contract], {});
    box.release([full as Contract], DAY);
    await box.start();
    const schema = JSON.parse(readFileSync(join(box.state, 'session_schema.json'), 'utf8'));
    assert.deepEqual(Object.keys(schema), ['schema_version', 'recorded_at', 'session_id', 'tools']);
    assert.equal(schema.schema_version, DAY);
    assert.equal(schema.session_id, 's1');
    assert.match(schema.recorded_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(schema.tools, [full]);
  });

  it('stays that of the newest session, where a probe completes the baseline of an older one', async (test) => {
    const box = await sandbox(test, [OLD], {});
    for (const session_id of ['old', 'new']) await box.start({ session_id });
    const { url } = await listen(test, list([NEW]));
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ gateways: { second: { url } } }));
    await cli(box, ['probe', '--json', '--session', 'old']);
    const completed = JSON.parse(readFileSync(join(box.state, 'sessions/old.json'), 'utf8'));
    assert.equal(Object.keys(completed.sources).length, 2);
    const schema = JSON.parse(readFileSync(join(box.state, 'session_schema.json'), 'utf8'));
    assert.equal(schema.session_id, 'new');
  });

  it('has no version where the gateway has none', async (test) => {
    const box = await sandbox(test, [OLD], {});
    const { url } = await listen(test, (_request, response) => response.end(JSON.stringify({ tools: [OLD] })));
    box.env.GATEWAY_URL = url;
    await box.start();
    const schema = JSON.parse(readFileSync(join(box.state, 'session_schema.json'), 'utf8'));
    assert.deepEqual(Object.keys(schema), ['recorded_at', 'session_id', 'tools']);
  });
});

describe('versions that tell little', { concurrency: 3 }, () => {
  const [NO, SAME] = [undefined, new Date().toISOString().slice(0, 10)];
  const gateway = async (test: TestContext, first: string | undefined) => {
    let answer: object = { ...(first === undefined ? {} : { schema_version: first }), tools: [OLD] };
    const box = await sandbox(test, [OLD], { freshFor: 0 });
    const { url } = await listen(test, (_request, response) => response.end(JSON.stringify(answer)));
    box.env.GATEWAY_URL = url;
    await box.start();
    const after = async (version: string | undefined, tools: Contract[]) => {
      answer = { ...(version === undefined ? {} : { schema_version: version }), tools };
      const { code, sources } = await probed(box);
      return { code, ...sources[0], text: (await text(box, ['probe'])).stdout };
    };
    return after;
  };

  it('none: contracts that change are silent drift, and the hashes tell them apart', async (test) => {
    const after = await gateway(test, NO);
    assert.deepEqual(await after(NO, [OLD]).then(({ code, state }) => [code, state]), [0, 'fresh']);
    const { code, state, note, text, contracts } = await after(NO, [NEW]);
    assert.deepEqual([code, state], [1, 'silent-drift']);
    assert.match(note, /the gateway advertises no SCHEMA_VERSION/);
    assert.match(
      text,
      /SCHEMA_VERSION: none \(contracts [0-9a-f]{8}\); the session started with none \(contracts [0-9a-f]{8}\)/,
    );
    assert.notEqual(contracts.before, contracts.after);
  });

  it('one that went away is told', async (test) => {
    const after = await gateway(test, DAY);
    for (const [tools, state] of [
      [[NEW], 'drift'],
      [[OLD], 'version-only'],
    ] as const) {
      const found = await after(NO, [...tools]);
      assert.deepEqual([found.code, found.state], [1, state]);
      assert.match(found.note, new RegExp(`session started ${DAY}, gateway advertises no version\\.`));
    }
  });

  it('the first one on the day of the recording: the hash stands beside the day', async (test) => {
    const after = await gateway(test, NO);
    const { note } = await after(SAME, [NEW]);
    assert.match(
      note,
      new RegExp(
        `session started ${SAME} \\(contracts [0-9a-f]{8}\\), gateway advertises ${SAME} \\(contracts [0-9a-f]{8}\\)`,
      ),
    );
  });
});

describe('session_schema.json that was written by hand', { concurrency: 3 }, () => {
  const byHand = async (test: TestContext, file: object | string) => {
    const box = await sandbox(test, [NEW], { freshFor: 0 });
    box.release([NEW], NEXT_DAY);
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    writeFileSync(join(box.state, 'session_schema.json'), text);
    return box;
  };

  it('is the baseline where no session of the folder was recorded', async (test) => {
    for (const more of [{}, { recorded_at: '2026-04-09T08:00:00Z' }, { session_id: 'gone' }]) {
      const box = await byHand(test, { schema_version: DAY, tools: [OLD], ...more });
      const { code, sources } = await probed(box);
      assert.deepEqual([code, sources[0].state, sources[0].note], [1, 'drift', WARNING], JSON.stringify(more));
      assert.equal((await text(box, ['probe'])).code, 1, 'the next time, too');
    }
    const same = await byHand(test, { schema_version: NEXT_DAY, tools: [NEW] });
    assert.deepEqual((await probed(same)).sources[0].state, 'fresh');
  });

  it('is none where a session was recorded, and where it is no list', async (test) => {
    const box = await byHand(test, { schema_version: DAY, tools: [OLD] });
    await box.start();
    assert.equal((await probed(box)).sources[0].state, 'fresh');
    for (const file of [
      '',
      '{',
      '[]',
      '{"tools": 1}',
      `{"tools": ${'['.repeat(5_000)}`,
      '{"gateways": [{"name": "x"}]}',
    ])
      assert.equal((await probed(await byHand(test, file))).sources[0].state, 'no-baseline', file.slice(0, 30));
  });

  it('holds every gateway, and says of each by its name', async (test) => {
    const one = await listen(test, list([OLD]));
    const two = await listen(test, list([tool('other', {})]));
    const gateways = { one: { url: one.url }, two: { url: two.url } };
    const box = await sandbox(test, [], { freshFor: 0, gateways });
    delete box.env.GATEWAY_URL;
    await box.start();
    const written = JSON.parse(readFileSync(join(box.state, 'session_schema.json'), 'utf8'));
    assert.deepEqual(
      written.gateways.map(({ name, tools }: { name: string; tools: Contract[] }) => [
        name,
        tools.map((each) => each.name),
      ]),
      [
        ['one', ['search']],
        ['two', ['other']],
      ],
    );
    remove(join(box.state, 'sessions'));
    written.gateways[1].tools = [tool('other', { x: { type: 'string' } })];
    writeFileSync(join(box.state, 'session_schema.json'), JSON.stringify(written));
    const states = (await probed(box)).sources.map(({ name, state }: { name: string; state: string }) => [name, state]);
    assert.deepEqual(states, [
      ['one', 'fresh'],
      ['two', 'silent-drift'],
    ]);
  });
});

/** Every byte that a test's state folder holds. */
const allState = (box: Box): string =>
  readdirSync(box.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'config.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

describe('several gateways', { concurrency: 3 }, () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: expanded by konnichiwagwan
  const header = { Authorization: 'Bearer ${KWG_TOKEN}', 'X-Team': '${KWG_TEAM:-blue}' };

  it('headers arrive expanded, and their values are written nowhere', async (test) => {
    const one = await listen(test, list([OLD]));
    const two = await listen(test, list([tool('other', {})]));
    const box = await sandbox(test, [], {
      gateways: { one: { url: one.url, headers: header }, two: { url: `${two.url}/`, servers: ['elsewhere'] } },
    });
    delete box.env.GATEWAY_URL;
    box.env.KWG_TOKEN = 'secret-0123456789';
    await box.start();
    assert.equal((await box.call('search', { query: 'x' })).stdout, '');
    assert.equal((await box.call('search', { query: 'x' })).stdout, '');
    const { code, sources } = await probed(box);
    assert.equal(code, 0);
    assert.deepEqual(
      sources.map(({ name, state }: { name: string; state: string }) => [name, state]),
      [
        ['one', 'fresh'],
        ['two', 'fresh'],
      ],
    );
    for (const { headers } of one.requests) {
      assert.deepEqual([headers.authorization, headers['x-team']], ['Bearer secret-0123456789', 'blue']);
    }
    assert.ok(one.requests.length > 0 && two.requests.length > 0);
    for (const { url, headers } of two.requests) {
      assert.deepEqual([url, headers.authorization], ['/api/tools/list', undefined]);
    }
    assert.ok(allState(box).includes('mcp__demo__search'), 'there is something to look at');
    assert.ok(!allState(box).includes('secret-0123456789'));
  });

  it('credentials in a URL arrive, and are written nowhere', async (test) => {
    const gateway = await listen(test, list([OLD]));
    const box = await sandbox(test, [], {});
    box.env.GATEWAY_URL = gateway.url.replace('//', '//user:pass-9876@').concat('?key=query-5432');
    await box.start();
    for (const _look of [1, 2]) assert.equal((await box.call('search', { query: 'x' })).stdout, '');
    const { sources } = await probed(box);
    assert.equal(sources[0].state, 'fresh');
    const basic = Buffer.from('user:pass-9876').toString('base64');
    for (const { url, headers } of gateway.requests) {
      assert.deepEqual([url, headers.authorization], ['/api/tools/list?key=query-5432', `Basic ${basic}`]);
    }
    const state = allState(box);
    for (const secret of ['pass-9876', 'query-5432', basic]) assert.ok(!state.includes(secret), secret);
    assert.ok(!JSON.stringify(sources).includes('pass-9876'));
  });

  it('a variable that is not set is named, and nobody is asked', async (test) => {
    const gateway = await listen(test, list([OLD]));
    const box = await sandbox(test, [OLD], { gateways: { one: { url: gateway.url, headers: header } } });
    const greeting = await box.start();
    assert.match(greeting.answer?.systemMessage ?? '', /gateway `one` cannot be asked: .*KWG_TOKEN is not set by you/);
    const { code, sources } = await probed(box);
    assert.equal(code, 2);
    assert.deepEqual(
      sources.map(({ name, state }: { name: string; state: string }) => [name, state]),
      [
        ['one', 'invalid'],
        ['GATEWAY_URL', 'fresh'],
      ],
    );
    assert.match(sources[0].note, /KWG_TOKEN/);
    assert.deepEqual(gateway.requests, []);
  });

  for (const [what, url] of [
    ['no URL', 'gateway'],
    ['another protocol', 'file:///etc/passwd'],
    ['a password with a bare percent sign', 'http://user:50%off@127.0.0.1:9'],
  ] as const) {
    it(`GATEWAY_URL is ${what}: told, and never a crash`, async (test) => {
      const box = await sandbox(test, [OLD], {});
      box.env.GATEWAY_URL = url;
      const { answer, code } = await cli(box, ['probe', '--json']);
      assert.equal(code, 2);
      assert.match(answer.data?.sources?.[0]?.state ?? JSON.stringify(answer.error), /^(invalid|unreachable)$/);
      const call = await box.call('search', { query: 'x' });
      assert.deepEqual([call.code, call.stderr], [0, '']);
      assert.match(call.answer.systemMessage, /could not check calls of server `demo`/);
    });
  }

  for (const [what, path] of [
    ['as it is', ''],
    ['with a slash', '/'],
    ['with the path', '/api/tools/list'],
    ['with the path and a slash', '/api/tools/list/'],
    ['below another path', '/gateway/'],
  ] as const) {
    it(`the URL ${what}`, async (test) => {
      const gateway = await listen(test, list([OLD], { ttlMs: 0 }));
      const box = await sandbox(test, [], {});
      box.env.GATEWAY_URL = gateway.url + path;
      await box.start();
      for (const _look of [1, 2]) assert.equal((await box.call('search', { query: 'x' })).stdout, '');
      const wanted = path.startsWith('/gateway') ? '/gateway/api/tools/list' : '/api/tools/list';
      assert.deepEqual(new Set(gateway.requests.map(({ url }) => url)), new Set([wanted]));
    });
  }

  it('names that are alike are two gateways', async (test) => {
    const dotted = await listen(test, list([OLD], { ttlMs: 1_000 }));
    const lined = await listen(test, list([tool('other', {})], { ttlMs: 1_000 }));
    const box = await sandbox(test, [], { gateways: { 'a.b': { url: dotted.url }, a_b: { url: lined.url } } });
    delete box.env.GATEWAY_URL;
    await box.start();
    assert.equal((await box.call('search', { query: 'x' })).stdout, '');
    await pause(1_050);
    assert.equal((await box.call('search', { query: 'x' })).stdout, '');
    assert.deepEqual(
      (await probed(box)).sources.map(({ state }: { state: string }) => state),
      ['fresh', 'fresh'],
    );
  });
});

describe('settings that are wrong', { concurrency: 3 }, () => {
  for (const [what, config, says] of [
    ['not JSON', '{"mode": "strict"', /config\.json: .*JSON/],
    ['null', 'null', /config\.json: .*JSON/],
    ['a list', '[]', /config\.json: .*JSON/],
    ['a key that nobody knows', '{"mod": 1, "mode": "strict"}', /config\.json: "mod" is not a setting/],
    ['a mode that nobody knows', '{"mode": "loud"}', /config\.json: "mode" .*off, warn, guard, strict/],
    [
      'a wrong key of a server',
      '{"mode": "strict", "servers": {"demo": {"trust": true}}}',
      /config\.json: "servers\.demo\.trust" is not a setting/,
    ],
    ['a number that is too large', '{"freshFor": 61, "mode": "strict"}', /config\.json: "freshFor"/],
    [
      'a gateway without a url',
      '{"gateways": {"one": {"headers": {}}}, "mode": "strict"}',
      /config\.json: "gateways\.one" .*url/,
    ],
  ] as const) {
    it(`${what}: told with the key, and the rest applies`, async (test) => {
      const box = await sandbox(test, [OLD], {});
      writeFileSync(join(box.state, 'config.json'), config);
      const greeting = await box.start();
      assert.match(greeting.answer?.systemMessage ?? '', says);
      const { code, sources, warnings } = await probed(box);
      assert.deepEqual([code, sources[0].state], [0, 'fresh']);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', says);
      const explained = await drive('cli.cjs', JSON.stringify(box.input('search', {})), box.env, ['explain', '--json']);
      // What cannot be read may have asked for it.
      assert.equal(explained.answer.data.mode, 'strict');
    });
  }
});

describe('how often a gateway is asked', { concurrency: 3 }, () => {
  const conditions = (requests: { headers: IncomingMessage['headers'] }[]) =>
    requests.map(({ headers }) => (headers['if-none-match'] === undefined ? 'plain' : 'conditional'));
  const look = async (box: Box) => assert.equal((await box.call('search', { query: 'x' })).stdout, '');

  /** Resets the count: on a busy machine the process that goes on after the hook asks once more. */
  const start = async (box: Box, { url, requests }: Awaited<ReturnType<typeof listen>>) => {
    box.env.GATEWAY_URL = url;
    await box.start();
    assert.equal(conditions(requests)[0], 'plain');
    requests.length = 0;
  };

  it('within freshFor not at all, after it once, with the tag', async (test) => {
    const gateway = await listen(test, list([OLD]));
    const box = await sandbox(test, [], { freshFor: 60 });
    await start(box, gateway);
    await look(box);
    await look(box);
    assert.deepEqual(gateway.requests, []);
    ageAnswers(box.state);
    await look(box);
    assert.deepEqual(conditions(gateway.requests), ['conditional']);
    await look(box);
    assert.deepEqual(conditions(gateway.requests), ['conditional'], 'the 304 counts for as long');
  });

  it('ttlMs of the gateway goes before freshFor', async (test) => {
    const gateway = await listen(test, list([OLD], { ttlMs: 60_000 }));
    const box = await sandbox(test, [], { freshFor: 0 });
    await start(box, gateway);
    for (const _look of [1, 2, 3]) await look(box);
    assert.deepEqual(gateway.requests, []);
  });

  it('ttlMs counts for a minute at most', async (test) => {
    const gateway = await listen(test, list([OLD], { ttlMs: 86_400_000 }));
    const box = await sandbox(test, [], {});
    await start(box, gateway);
    const [file] = readdirSync(join(box.state, 'live')).filter((name) => name.endsWith('.head.json'));
    const head = JSON.parse(readFileSync(join(box.state, 'live', file as string), 'utf8'));
    assert.equal(head.freshUntil - head.checkedAt, 60_000);
  });

  it('freshFor 0: once for each call, on the long way and on the short one', async (test) => {
    const gateway = await listen(test, list([OLD]));
    const box = await sandbox(test, [], { freshFor: 0 });
    await start(box, gateway);
    for (const _look of [1, 2, 3]) await look(box);
    assert.deepEqual(conditions(gateway.requests), ['conditional', 'conditional', 'conditional']);
  });

  it('a change costs one request, too', async (test) => {
    let answer = list([OLD]);
    const gateway = await listen(test, (request, response) => answer(request, response));
    const box = await sandbox(test, [], { freshFor: 0 });
    await start(box, gateway);
    await look(box);
    const before = gateway.requests.length;
    answer = list([NEW]);
    assert.equal((await box.call('search', { query: 'x' })).answer.hookSpecificOutput.permissionDecision, 'deny');
    assert.equal(gateway.requests.length - before, 1);
  });

  it('without a tag every question is a plain one', async (test) => {
    const gateway = await listen(test, (_request, response) => response.end(JSON.stringify({ tools: [OLD] })));
    const box = await sandbox(test, [], { freshFor: 0 });
    await start(box, gateway);
    for (const _look of [1, 2]) await look(box);
    assert.deepEqual(conditions(gateway.requests), ['plain', 'plain']);
  });

  it('a gateway that failed is left alone for a moment', async (test) => {
    const gateway = await listen(test, (_request, response) => response.writeHead(503).end());
    const box = await sandbox(test, [], { freshFor: 0 });
    await start(box, gateway);
    for (const _look of [1, 2]) {
      renewAnswers(box.state);
      await box.call('search', { query: 'x' });
    }
    assert.deepEqual(gateway.requests, []);
  });
});

it('of servers that changed, the summary says once what becomes of their calls', async (test) => {
  const box = await sandbox(test, []);
  box.env.GATEWAY_URL = undefined;
  const server = await startMcp('modern', { tools: [OLD] });
  test.after(() => server.close());
  const [near, far] = ['near', 'far'].map((path) => ({ type: 'http', url: `${server.url}?${path}` }));
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers: { near, far } }));
  await box.start();
  server.offer.tools = [NEW];
  const { stdout } = await text(box, ['status']);
  assert.match(stdout, /\n⚠️ 2 tools of `near`, `far` changed [^\n]* stopped, or asked about first\.\n$/);
  assert.match(stdout, /sent without that/);
  assert.equal(stdout.match(/⚠️ 2 tools of/g)?.length, 1, stdout);
  server.offer.tools = [tool('search', { query: { type: 'string', description: 'a regular expression' } })];
  const reworded = await text(box, ['status']);
  assert.match(reworded.stdout, /⚠️ 2 tools of `near`, `far` changed/);
  assert.doesNotMatch(reworded.stdout, /sent without that/, 'a person is asked about a call in any form');
});

it('asks the servers that only the command line of the session’s client names, also at a terminal', {
  skip: process.platform !== 'linux' && 'other systems do not tell the words of a process',
}, async (test) => {
  const box = await sandbox(test, [OLD]);
  const server = await startMcp('modern', { tools: [OLD] });
  test.after(() => server.close());
  const program = join(box.home, 'claude.mjs');
  writeFileSync(program, 'setInterval(() => {}, 1_000); console.log("runs");');
  const words = ['--mcp-config', JSON.stringify({ mcpServers: { named: { type: 'http', url: server.url } } })];
  const client = spawn(process.execPath, [program, ...words], { env: box.env, stdio: ['ignore', 'pipe', 'ignore'] });
  test.after(() => client.kill());
  await new Promise((ready) => client.stdout.once('data', ready));
  const names = async (session: string): Promise<string[]> => {
    const { answer } = await cli(box, ['probe', '--json', '--session', session], { CLAUDE_PID: undefined });
    return answer.data.sources.map(({ name }: { name: string }) => name);
  };
  box.env.CLAUDE_PID = String(client.pid);
  await box.start();
  assert.ok((await names('s1')).includes('named'));
  const { stdout } = await text(box, ['probe'], { CLAUDE_PID: undefined });
  assert.doesNotMatch(stdout, /entry in the settings is gone/, 'the session has it, whether it is named or not');
  assert.ok(!(await names('s2')).includes('named'));
});
