// mcp-validate as a user, a program or a workflow meets it: the built file, its output, its exit code.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Draft7 from 'ajv';
import Ajv from 'ajv/dist/2020.js';
import { defined } from '../scripts/contract/defined.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { startGateway } from '../scripts/demo/loopback.ts';
import { FORMATS } from '../scripts/reports/formats.ts';
import { compare } from '../scripts/validate/compare.ts';
import { readManifest } from '../scripts/validate/read-manifest.ts';
import { splitCommand } from '../scripts/validate/split-command.ts';
import type { DriftEntry } from '../scripts/validate/types.ts';
import { WIRE_SCHEMA } from '../scripts/validate/wire-schema.ts';
import { startMcp } from './mcp-servers.ts';
import { type Ran, runProgram, stopwatch } from './sandbox.ts';

const CLI = resolve('dist/cli.cjs');
const isWire = new Ajv({ strict: true, strictTypes: false }).compile(WIRE_SCHEMA);

let base: string;
let count = 0;
before(() => {
  base = mkdtempSync(join(tmpdir(), 'kwg-validate-'));
});
after(() => rmSync(base, { recursive: true, force: true }));

const write = (content: unknown, name = `file-${++count}.json`): string => {
  const path = join(base, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

const run = (args: string[], { input, env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Ran> =>
  runProgram(process.execPath, [CLI, 'mcp-validate', ...args], {
    input,
    cwd: base,
    env: { HOME: base, KONNICHIWAGWAN_HOME: join(base, 'state'), ...env },
    timeout: 60_000,
  });

interface Answer {
  code: number | null;
  ok: boolean;
  data: { drift: Record<'added' | 'removed' | 'changed', DriftEntry[]> & { missing_from_mcp: string[] } };
  error: null | { code: string; message: string; hint: string };
  warnings: string[];
  // biome-ignore lint/suspicious/noExplicitAny: what stands beside the wire form
  meta: any;
}

/** Runs it with --json, and holds every answer against the schema of the wire form. */
const json = async (args: string[], options?: Parameters<typeof run>[1]): Promise<Answer> => {
  const { code, stdout, stderr } = await run([...args, '--json'], options);
  assert.equal(stderr, '');
  const answer = JSON.parse(stdout);
  assert.ok(isWire(answer), JSON.stringify(isWire.errors?.slice(0, 3)));
  assert.deepEqual(Object.keys(answer), ['ok', 'data', 'error', 'warnings', 'meta']);
  assert.equal(code, answer.error !== null ? 2 : answer.ok ? 0 : 1);
  return { code, ...answer };
};

const against = (manifest: unknown, tools: unknown, ...args: string[]): Promise<Answer> =>
  json(['--manifest', write(manifest), '--mcp-schema-file', write({ tools }), ...args]);

const command = (flags: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  description: 'Does it.',
  flags,
  exit_codes: { 0: { name: 'SUCCESS', description: 'Done', retryable: false, side_effects: 'complete' } },
  ...more,
});
const flag = (type: string, more: JsonObject = {}): JsonObject => ({
  type,
  required: false,
  description: 'A flag.',
  ...more,
});
const tool = (name: string, properties: object = {}, required: string[] = [], more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties: properties as JsonObject, ...(required.length > 0 ? { required } : {}) },
  ...more,
});

const output = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

/** The CLI and the wrapper of the requirement's own example. */
const EXAMPLE_CLI = {
  commands: {
    deploy: command(
      { target: flag('string', { required: true }) },
      { output_schema: output({ url: { type: 'string' } }) },
    ),
    delete: command(),
  },
};
const EXAMPLE_MCP = [
  tool('deploy', { target: { type: 'string' } }, ['target'], { outputSchema: output({ url: { type: 'null' } }) }),
];
const NO_DRIFT = { added: [], removed: [], changed: [], missing_from_mcp: [] };

describe('the wire form', () => {
  it('is that of the requirement, with drift', async () => {
    const { code, ok, data, error, warnings } = await against(EXAMPLE_CLI, EXAMPLE_MCP);
    assert.deepEqual([code, ok, error, warnings], [1, false, null, []]);
    assert.deepEqual(data, {
      drift: {
        added: [],
        removed: [],
        changed: [{ command: 'deploy', field: 'data.url', cli_type: 'string', mcp_type: 'null' }],
        missing_from_mcp: ['delete'],
      },
    });
  });

  it('is that of the requirement, without drift', async () => {
    const tools = [
      tool('deploy', { target: { type: 'string' } }, ['target'], { outputSchema: output({ url: { type: 'string' } }) }),
      tool('delete'),
    ];
    const { code, ok, data, error } = await against(EXAMPLE_CLI, tools);
    assert.deepEqual([code, ok, error, data], [0, true, null, { drift: NO_DRIFT }]);
  });

  it('tells what only one side has', async () => {
    const cli = { commands: { push: command({ force: flag('boolean'), remote: flag('string', { required: true }) }) } };
    const { data } = await against(cli, [
      tool('push', { remote: { type: 'string' }, depth: { type: 'integer' } }, ['remote']),
      tool('pull'),
    ]);
    assert.deepEqual(data.drift, {
      added: [{ command: 'push', field: 'force', cli_type: 'boolean', mcp_type: null }],
      removed: [
        { command: 'push', field: 'depth', cli_type: null, mcp_type: 'integer' },
        { command: 'pull', field: null, cli_type: null, mcp_type: 'tool' },
      ],
      changed: [],
      missing_from_mcp: [],
    });
  });

  it('the schema can fail', () => {
    const good = { ok: true, data: { drift: NO_DRIFT }, error: null, warnings: [], meta: { duration_ms: 1 } };
    assert.ok(isWire(good));
    for (const bad of [
      { ...good, ok: false },
      { ...good, data: { drift: { ...NO_DRIFT, missing_from_mcp: ['x'] } } },
      { ...good, data: { drift: NO_DRIFT, more: 1 } },
      { ...good, ok: false, data: null },
      {
        ...good,
        ok: false,
        data: { drift: { ...NO_DRIFT, added: [{ command: 'x', field: 'y', cli_type: 'string' }] } },
      },
    ]) {
      assert.ok(!isWire(bad), JSON.stringify(bad));
    }
  });
});

/** One flag beside one parameter, and what is said of it; with --strict, too, where that says something else. */
type Case = [
  what: string,
  flag: JsonObject,
  property: Json,
  required: boolean,
  says?: string | undefined,
  strictly?: string,
];
const CASES: Case[] = [
  ['the same type', flag('string'), { type: 'string' }, false],
  ['another type', flag('string'), { type: 'integer' }, false, 'string/integer'],
  ['a number for an integer', flag('integer'), { type: 'number' }, false, undefined, 'integer/number'],
  ['an integer for a number', flag('number'), { type: 'integer' }, false, 'number/integer'],
  ['text for a boolean', flag('boolean'), { type: 'string' }, false, 'boolean/string'],
  ['null for what is optional', flag('string'), { type: ['string', 'null'] }, false, undefined, 'string/string | null'],
  [
    'anyOf with null',
    flag('integer'),
    { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    false,
    undefined,
    'integer/integer | null',
  ],
  [
    'null for what is required',
    flag('string', { required: true }),
    { type: ['string', 'null'] },
    true,
    'string/string | null',
  ],
  [
    'nullable, as OpenAPI says it',
    flag('string'),
    { type: 'string', nullable: true },
    false,
    undefined,
    'string/string | null',
  ],
  [
    'one type more',
    flag('integer'),
    { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    false,
    undefined,
    'integer/integer | string',
  ],
  ['anything', flag('integer'), {}, false, undefined, 'integer/any'],
  ['an array without items', flag('array'), { type: 'array', items: { type: 'string' } }, false],
  [
    'an array of other items',
    flag('array', { schema: { type: 'string' } }),
    { type: 'array', items: { type: 'integer' } },
    false,
    'string/integer',
  ],
  [
    'a list of values of an array',
    flag('array', { enum_values: ['a', 'b'] }),
    { type: 'array', items: { enum: ['b', 'a'] } },
    false,
  ],
  ['text for an array', flag('array'), { type: 'string' }, false, 'array/string'],
  [
    'the same values in another order',
    flag('enum', { enum_values: ['a', 'b'] }),
    { type: 'string', enum: ['b', 'a'] },
    false,
  ],
  ['a value more', flag('enum', { enum_values: ['a'] }), { enum: ['a', 'b'] }, false, 'enum("a")/enum("a", "b")'],
  [
    'values as constants',
    flag('enum', { enum_values: ['a', 'b'] }),
    { oneOf: [{ const: 'a' }, { const: 'b' }] },
    false,
  ],
  [
    'values with null',
    flag('enum', { enum_values: ['a'] }),
    { type: ['string', 'null'], enum: ['a', null] },
    false,
    undefined,
    'enum/enum | null',
  ],
  [
    'values that only the CLI lists',
    flag('enum', { enum_values: ['a'] }),
    { type: 'string' },
    false,
    'enum("a")/string',
  ],
  ['values that only the wrapper lists', flag('string'), { enum: ['a'] }, false, 'string/enum("a")'],
  ['numbers as values', flag('integer', { enum_values: [1, 2] }), { type: 'integer', enum: [2, 1] }, false],
  ['required on both sides', flag('string', { required: true }), { type: 'string' }, true],
  [
    'required in the CLI alone',
    flag('string', { required: true }),
    { type: 'string' },
    false,
    'string, required/string, optional',
  ],
  [
    'required in the CLI, given by the wrapper',
    flag('string', { required: true }),
    { type: 'string', default: 'x' },
    false,
    undefined,
    'string, required, no default/string, optional, default "x"',
  ],
  ['required in the wrapper alone', flag('string'), { type: 'string' }, true, 'string, optional/string, required'],
  [
    'required and nullable, as strict clients want it',
    flag('string'),
    { type: ['string', 'null'] },
    true,
    undefined,
    'string, optional/string | null, required',
  ],
  [
    'required with a default, as some libraries print it',
    flag('integer', { default: 5 }),
    { type: 'integer', default: 5 },
    true,
    undefined,
    'integer, optional/integer, required',
  ],
  ['the same default', flag('integer', { default: 300 }), { type: 'integer', default: 300 }, false],
  [
    'the same default as text',
    flag('integer', { default: '300' }),
    { type: 'integer', default: 300 },
    false,
    undefined,
    'integer, default "300"/integer, default 300',
  ],
  [
    'another default',
    flag('integer', { default: 300 }),
    { type: 'integer', default: 60 },
    false,
    'integer, default 300/integer, default 60',
  ],
  [
    'a default that the wrapper keeps quiet about',
    flag('integer', { default: 300 }),
    { type: 'integer' },
    false,
    undefined,
    'integer, default 300/integer, no default',
  ],
  [
    'a default that the CLI does not have',
    flag('integer'),
    { type: 'integer', default: 7 },
    false,
    'integer, no default/integer, default 7',
  ],
  [
    'a default that says nothing',
    flag('boolean'),
    { type: 'boolean', default: false },
    false,
    undefined,
    'boolean, no default/boolean, default false',
  ],
  ['a type behind a reference', flag('string'), { $ref: '#/$defs/name' }, false],
  ['another type behind a reference', flag('boolean'), { allOf: [{ $ref: '#/$defs/name' }] }, false, 'boolean/string'],
  ['a type that nobody knows', flag('duration'), { type: 'string' }, false],
  ['other words for types', flag('bool'), { type: 'boolean' }, false],
];

describe('one field', () => {
  const manifest = {
    commands: Object.fromEntries(CASES.map(([, one], index) => [`c${index}`, command({ 'the-flag': one })])),
  };
  const tools = CASES.map(([, , property, required], index) =>
    tool(`c${index}`, { the_flag: property }, required ? ['the_flag'] : [], {}),
  ).map((one) => ({
    ...one,
    inputSchema: { ...(one.inputSchema as JsonObject), $defs: { name: { type: 'string' } } },
  }));
  const said: Map<string, string>[] = [];
  before(async () => {
    for (const strict of [[], ['--strict']]) {
      const { data } = await against(manifest, tools as Json, ...strict);
      assert.deepEqual([data.drift.added, data.drift.removed, data.drift.missing_from_mcp], [[], [], []]);
      said.push(
        new Map(data.drift.changed.map(({ command: name, cli_type, mcp_type }) => [name, `${cli_type}/${mcp_type}`])),
      );
    }
  });
  for (const [index, [what, , , , says, strictly = says]] of CASES.entries()) {
    it(what, () => {
      assert.deepEqual([said[0]?.get(`c${index}`), said[1]?.get(`c${index}`)], [says, strictly]);
    });
  }
});

describe('what a command prints', () => {
  const drift = async (cli: Json, mcp: Json | undefined, ...args: string[]) => {
    const tools = [tool('get', {}, [], defined({ outputSchema: mcp }))];
    return (await against({ commands: { get: command({}, { output_schema: cli }) } }, tools, ...args)).data.drift;
  };
  const page = { type: 'object', properties: { items: { type: 'array', items: output({ id: { type: 'integer' } }) } } };

  it('is compared within the envelope, where the tool promises the envelope', async () => {
    const envelope = output({ ok: { type: 'boolean' }, data: page, error: {}, meta: { type: 'object' } });
    assert.deepEqual(await drift(page, envelope), NO_DRIFT);
    assert.deepEqual(await drift(page, page), NO_DRIFT);
    assert.deepEqual(await drift(envelope, page), NO_DRIFT);
  });
  it('within arrays, too, and fields that came or went', async () => {
    const other = {
      type: 'object',
      properties: {
        items: { type: 'array', items: output({ id: { type: 'string' }, 'a.b': {} }) },
        next: { type: 'string' },
      },
    };
    const { added, removed, changed } = await drift(page, other);
    assert.deepEqual(added, []);
    assert.deepEqual(
      removed.map(({ field }) => field),
      ['data.next', 'data.items[]["a.b"]'],
    );
    assert.deepEqual(changed, [{ command: 'get', field: 'data.items[].id', cli_type: 'integer', mcp_type: 'string' }]);
  });
  it('is passed on: another spelling of a name is another field', async () => {
    const { added, removed } = await drift(
      output({ job_id: { type: 'string' } }),
      output({ jobId: { type: 'string' } }),
    );
    assert.deepEqual([added[0]?.field, removed[0]?.field], ['data.job_id', 'data.jobId']);
  });
  it('may be promised more loosely than it is, and not more tightly', async () => {
    const tight = { type: 'object', properties: { a: { enum: ['x'] }, b: { type: 'integer' } }, required: ['a', 'b'] };
    const loose = {
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, b: { type: 'number' } },
      required: ['a'],
    };
    assert.deepEqual(await drift(tight, loose), NO_DRIFT);
    assert.deepEqual(
      (await drift(loose, tight)).changed.map(({ field }) => field),
      ['data.a', 'data.b'],
    );
  });
  it('that a tool promises nothing is no drift', async () => {
    assert.deepEqual(await drift(page, undefined), NO_DRIFT);
  });
  it('what is no object stands in an object of its own', async () => {
    const list = { type: 'array', items: { type: 'string' } };
    assert.deepEqual(await drift(list, output({ result: list })), NO_DRIFT);
  });
  it('schemas that refer to each other in every way are no reason to give up', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `kind${index}`);
    const all = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const web = (leaf: string) => ({
      $ref: '#/$defs/kind0',
      $defs: Object.fromEntries(names.map((name) => [name, output({ ...all, leaf: { type: leaf } })])),
    });
    assert.deepEqual(await drift(web('string'), web('string')), NO_DRIFT);
    assert.equal((await drift(web('string'), web('integer'))).changed.length, 12, 'one for each definition');
  });
  it('a schema that contains itself ends', async () => {
    const node = (id: Json) => ({
      $ref: '#/$defs/node',
      $defs: { node: output({ id: { type: id }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }) },
    });
    assert.deepEqual(await drift(node('string'), node('string')), NO_DRIFT);
    assert.deepEqual((await drift(node('string'), node('integer'))).changed[0]?.field, 'data.id');
  });
});

describe('names', () => {
  const names = async (commands: JsonObject, tools: string[], ...args: string[]) => {
    const { data, meta } = await against(
      { commands },
      tools.map((name) => tool(name)),
      ...args,
    );
    return {
      missing: data.drift.missing_from_mcp,
      extra: data.drift.removed.map(({ command: name }) => name),
      compared: meta.compared,
    };
  };
  const TWO = { 'deploy.rollback': command(), deploy: command() };

  for (const spelling of [
    'deploy_rollback',
    'deploy-rollback',
    'deploy.rollback',
    'deployRollback',
    'deploy/rollback',
    'Deploy_Rollback',
  ]) {
    it(`deploy.rollback is ${spelling}`, async () => {
      assert.deepEqual(await names(TWO, ['deploy', spelling]), { missing: [], extra: [], compared: 2 });
    });
  }
  it('behind a prefix, found out or given', async () => {
    const all = { missing: [], extra: [], compared: 2 };
    assert.deepEqual(await names(TWO, ['mycli_deploy', 'mycli_deploy_rollback']), all);
    assert.deepEqual(await names(TWO, ['mcp__my-cli__deploy', 'mcp__my-cli__deploy_rollback']), all);
    const given = await names({ status: command() }, ['git_status', 'docker_status'], '--prefix', 'git');
    assert.deepEqual(given, { missing: [], extra: ['docker_status'], compared: 1 });
    const open = await names({ status: command() }, ['git_status', 'docker_status']);
    assert.deepEqual(open, { missing: ['status'], extra: ['git_status', 'docker_status'], compared: 0 });
  });
  it('by an alias', async () => {
    const commands = { 'deploy.rollback': command({}, { aliases: ['undo', 'revert'] }) };
    assert.equal((await names(commands, ['deploy_undo'])).compared, 1);
    assert.equal((await names(commands, ['revert'])).compared, 1);
  });
  it('by a map; null has no tool on purpose', async () => {
    const map = write({ 'deploy.rollback': 'undo', deploy: null });
    assert.deepEqual(await names(TWO, ['undo'], '--map', map), { missing: [], extra: [], compared: 1 });
    const wrong = await against(
      { commands: TWO },
      [tool('deploy')],
      '--map',
      write({ 'deploy.rollback': 'gone', nobody: 'deploy' }),
    );
    assert.deepEqual(wrong.data.drift.missing_from_mcp, ['deploy.rollback']);
    assert.equal(wrong.warnings.length, 2);
  });
  it('two that are spelled alike are told apart by their own names', async () => {
    const commands = { 'a.b': command(), 'a-b': command() };
    assert.deepEqual(await names(commands, ['a.b', 'a-b']), { missing: [], extra: [], compared: 2 });
    assert.deepEqual(await names(commands, ['a_b']), { missing: ['a.b', 'a-b'], extra: ['a_b'], compared: 0 });
  });
  it('what only holds other commands needs no tool', async () => {
    const commands = { deploy: command({}, { subcommands: ['deploy.rollback'] }), 'deploy.rollback': command() };
    assert.deepEqual(await names(commands, ['deploy_rollback']), { missing: [], extra: [], compared: 1 });
  });
  it('built-in commands are left out on request, by name or as the manifest says', async () => {
    const builtins = ['help', 'version', 'completion.bash', 'manifest', 'mcp-validate'];
    const commands = Object.fromEntries([...builtins, 'deploy'].map((name) => [name, command()]));
    assert.deepEqual((await names(commands, ['deploy'])).missing, builtins);
    assert.deepEqual(await names(commands, ['deploy', 'help'], '--ignore-builtins'), {
      missing: [],
      extra: [],
      compared: 1,
    });
    const said = { doctor: command({}, { builtin: true }), version: command({}, { builtin: false }) };
    assert.deepEqual((await names(said, [], '--ignore-builtins')).missing, ['version']);
  });
  it('a command that must not be a tool is told where it is one, and only there', async () => {
    const commands = {
      approve: command({}, { mcp: false, requires_person: true, interactive: true }),
      'mcp.serve': command({}, { stdout: 'protocol', protocol: 'mcp-stdio' }),
    };
    assert.deepEqual(await names(commands, []), { missing: [], extra: [], compared: 0 });
    assert.deepEqual(await names(commands, ['approve']), { missing: [], extra: ['approve'], compared: 0 });
  });
  it('flags in any spelling, by letter, as arguments, or for the whole CLI', async () => {
    const cli = {
      flags: { format: flag('enum', { enum_values: ['json'] }), 'no-color': flag('boolean') },
      commands: {
        cp: command(
          {
            'dry-run': flag('boolean'),
            'replica-count': flag('integer'),
            'max-age': flag('integer', { short: 'm' }),
            help: flag('boolean'),
          },
          { positionals: [{ name: 'files', type: 'string', required: true, description: 'Files', variadic: true }] },
        ),
      },
    };
    const properties = {
      dryRun: { type: 'boolean' },
      replica_count: { type: 'integer' },
      m: { type: 'integer' },
      files: { type: 'array', items: { type: 'string' } },
      format: { type: 'string', enum: ['json'] },
    };
    const { data } = await against(cli, [tool('cp', properties, ['files'])], '--ignore-builtins');
    assert.deepEqual(data.drift, NO_DRIFT);
    const all = await against(
      cli,
      [tool('cp', { ...properties, verbose: { type: 'boolean' } }, ['files'])],
      '--ignore-flag',
      'verbose',
    );
    assert.deepEqual(
      all.data.drift.added.map(({ field }) => field),
      ['help'],
    );
  });
  it('commands and flags as lists, and schemas instead of flags', async () => {
    const cli = {
      commands: [
        { name: 'a', flags: [{ name: '--long-name', type: 'string', required: true }] },
        { name: 'b', input_schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
        { path: 'c', parameters: { x: { type: 'string', required: false } } },
      ],
    };
    const tools = [
      tool('a', { long_name: { type: 'string' } }, ['long_name']),
      tool('b', { n: { type: 'string' } }, ['n']),
      tool('c'),
    ];
    const { drift } = (await against(cli, tools)).data;
    assert.deepEqual(drift.changed, [{ command: 'b', field: 'n', cli_type: 'integer', mcp_type: 'string' }]);
    assert.deepEqual(drift.added, [{ command: 'c', field: 'x', cli_type: 'string', mcp_type: null }]);
  });
  it('nothing fits: it asks whether that is the right wrapper', async () => {
    const { warnings } = await against({ commands: { a: command() } }, [tool('b')]);
    assert.match(warnings.join(), /no command matches any tool/);
  });
  it('--ignore-tool leaves one out', async () => {
    assert.deepEqual((await names({ a: command() }, ['a', 'b'], '--ignore-tool', 'b')).extra, []);
  });
});

describe('where the manifest comes from', () => {
  const envelope = { ok: true, data: EXAMPLE_CLI, error: null, warnings: [], meta: { duration_ms: 1 } };
  const mcp = () => write({ tools: EXAMPLE_MCP });
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
      for (let waited = 0; alive && waited < 3_000; waited += 50) {
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

describe('reports', () => {
  const sarif = createRequire(resolve('package.json')).resolve(
    '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
  );
  const { $schema: _dialect, id: _id, $id: _newId, ...rest } = JSON.parse(readFileSync(sarif, 'utf8'));
  const isSarif = new Draft7({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(rest);
  const files = () => [
    '--manifest',
    write(EXAMPLE_CLI, 'cli.json'),
    '--mcp-schema-file',
    write(JSON.stringify({ tools: EXAMPLE_MCP }, null, 2), 'mcp.json'),
  ];
  const FOUND: Record<keyof typeof FORMATS, RegExp> = {
    text: /2 commands, 1 tool: 1 compared\n\ndeploy\n {2}breaking {2}`data\.url`: string in the CLI, null in the tool\ndelete\n {2}silent {4}no tool for the command `delete`/,
    markdown: /^### .*1 breaking, 1 silent[\s\S]*`data\.url`: string in the CLI, null in the tool/,
    sarif: /"ruleId": "mcp-type-differs"/,
    github: /^::error file=mcp\.json,line=(\d+),.*::`data\.url`: string in the CLI/,
    junit: /<testcase name="deploy"[\s\S]*data\.url[\s\S]*<testcase name="delete"/,
    html: /<code>data\.url<\/code>: string in the CLI, null in the tool/,
  };
  for (const format of Object.keys(FORMATS) as (keyof typeof FORMATS)[]) {
    it(format, async () => {
      const { code, stdout, stderr } = await run([...files(), '--format', format]);
      assert.deepEqual([code, stderr], [1, '']);
      assert.match(stdout, FOUND[format]);
      const target = join(base, `report.${format}`);
      const written = await run([...files(), '--format', format, '--output', target]);
      assert.equal(written.code, 1);
      assert.equal(readFileSync(target, 'utf8'), stdout);
      if (format === 'sarif') {
        assert.equal(JSON.parse(stdout).runs[0].results.length, 2);
        assert.ok(isSarif(JSON.parse(stdout)), JSON.stringify(isSarif.errors?.slice(0, 3)));
      }
    });
  }
  it('annotations stand at the line of the wrapper', async () => {
    const { stdout } = await run([...files(), '--format', 'github']);
    const line = Number(/line=(\d+)/.exec(stdout)?.[1]);
    const lines = readFileSync(join(base, 'mcp.json'), 'utf8').split('\n');
    assert.match(lines[line - 1] ?? '', /"url"/);
  });
  it('nothing found is one line', async () => {
    const { code, stdout } = await run([
      '--manifest',
      write({ commands: { a: command() } }),
      '--mcp-schema-file',
      write([tool('a')]),
    ]);
    assert.deepEqual([code, stdout], [0, '1 command, 1 tool: 1 compared: no drift\n']);
  });
  it('with --json and --output both', async () => {
    const target = join(base, 'both.md');
    const { data } = await json([...files(), '--format', 'markdown', '--output', target]);
    assert.equal(data.drift.changed.length, 1);
    assert.match(readFileSync(target, 'utf8'), /^### /);
  });
});

describe('hostile input', () => {
  const TRICK = '\u001b]0;x\u0007\u202e<script>alert(1)</script>|`@everyone`\n::error::x ##vso[x]';

  it('names that every object has', async () => {
    const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const text = `{"commands": {${odd.map((name) => `"${name}": {"flags": {${odd.map((one) => `"${one}": {"type": "string"}`).join()}}}`).join()}}}`;
    const schema = `{"type": "object", "properties": {${odd.map((one) => `"${one}": {"type": "string"}`).join()}}}`;
    const tools = `{"tools": [${odd.map((name) => `{"name": "${name}", "inputSchema": ${schema}}`).join()}]}`;
    const same = await json(['--manifest', write(text), '--mcp-schema-file', write(tools)]);
    assert.deepEqual([same.data.drift, same.meta.compared], [NO_DRIFT, 4]);
    const none = await json([
      '--manifest',
      write(text),
      '--mcp-schema-file',
      write({ tools: odd.map((name) => tool(name)) }),
    ]);
    assert.equal(none.data.drift.added.length, 16);
    assert.equal(
      (
        await json([
          '--manifest',
          write(text),
          '--mcp-schema-file',
          write(tools),
          '--map',
          write('{"__proto__": null}'),
        ])
      ).meta.compared,
      3,
    );
    assert.equal(
      (await json(['--manifest', write('{"__proto__": {"commands": {}}}'), '--mcp-schema-file', write(tools)])).code,
      2,
    );
  });

  it('nested 10,000 deep, on either side and in the map', async () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    const [cli, mcp] = [write(EXAMPLE_CLI), write({ tools: EXAMPLE_MCP })];
    for (const args of [
      ['--manifest', write(`{"commands": ${deep}}`), '--mcp-schema-file', mcp],
      ['--manifest', cli, '--mcp-schema-file', write(`{"tools": [{"name": "x", "inputSchema": ${deep}}]}`)],
      ['--manifest', cli, '--mcp-schema-file', mcp, '--map', write(deep)],
    ]) {
      const { code, error } = await json(args);
      assert.equal(code, 2);
      assert.match(error?.message ?? '', /nested deeper than 100 levels/);
    }
  });

  it('texts of 10 MB: as a name, a type, a value', async () => {
    const huge = 'x'.repeat(10_000_000);
    const short = write([tool('a', { f: { type: 'string' }, e: { enum: ['y'] } })]);
    for (const [cli, code] of [
      [{ commands: { [huge]: command(), a: command() } }, 1],
      [{ commands: { a: command({ f: flag(huge), e: flag('enum', { enum_values: ['y'] }) }) } }, 0],
      [{ commands: { a: command({ f: flag('string'), e: flag('enum', { enum_values: [huge] }) }) } }, 1],
      [
        { commands: { a: command({ f: flag('string', { default: huge }), [huge.slice(9_000_000)]: flag('string') }) } },
        1,
      ],
    ] as const) {
      const ran = await run(['--manifest', write(cli), '--mcp-schema-file', short]);
      assert.equal(ran.code, code);
      assert.ok(ran.stdout.length < 5_000, `${ran.stdout.length} characters`);
    }
    const more = write(`{"commands": {"${'x'.repeat(17_000_000)}": {}}}`);
    assert.equal((await json(['--manifest', more, '--mcp-schema-file', write([tool('a')])])).error?.code, 'too-large');
  });

  it('references that stand for more than anybody has', async () => {
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    );
    const bomb = {
      name: 'a',
      inputSchema: {
        type: 'object',
        properties: { f: { $ref: '#/$defs/d0' } },
        $defs: { ...defs, d40: { type: 'string' } },
      },
    };
    const started = performance.now();
    const { error } = await json([
      '--manifest',
      write({ commands: { a: command({ f: flag('string') }) } }),
      '--mcp-schema-file',
      write([bomb]),
    ]);
    assert.equal(error?.code, 'too-large');
    assert.ok(performance.now() - started < 15_000);
    const chain = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
    );
    const long = {
      name: 'a',
      inputSchema: { type: 'object', properties: { f: { $ref: '#/$defs/d0' } }, $defs: chain },
    };
    assert.equal((await against({ commands: { a: command({ f: flag('string') }) } }, [long])).code, 0);
    const circle = { name: 'a', inputSchema: { $ref: '#' } };
    assert.equal((await against({ commands: { a: command() } }, [circle])).code, 0);
  });

  it('names that steer a terminal, a log or a page', async () => {
    const cli = {
      commands: {
        [TRICK]: command(),
        a: command({ [TRICK]: flag('enum', { enum_values: [TRICK], required: true }), b: flag(TRICK) }),
      },
    };
    const mcp = [tool('a', { [`${TRICK}!`]: { type: TRICK }, b: { enum: [TRICK] } }), tool(`${TRICK} tool`)];
    const args = ['--manifest', write(cli), '--mcp-schema-file', write({ tools: mcp })];
    for (const format of Object.keys(FORMATS)) {
      const { code, stdout, stderr } = await run([...args, '--format', format]);
      assert.equal(code, 1);
      for (const bad of ['\u001b', '\u0007', '\u202e']) assert.ok(!(stdout + stderr).includes(bad), format);
      assert.ok(!/^::error::x/m.test(stdout), format);
      if (format === 'html' || format === 'junit') assert.ok(!stdout.includes('<script>'), format);
      if (format === 'text') assert.ok(!`${stdout}${stderr}`.includes('##vso['), format);
    }
    const { data } = await json(args);
    assert.ok(data.drift.missing_from_mcp.includes(TRICK), 'machines get the name as it is');
  });

  it('schemas that are none', async () => {
    const odd: Json[] = [
      true,
      false,
      { type: 5 },
      { properties: [] },
      { anyOf: [] },
      { anyOf: 'x' },
      { $ref: 5 },
      { $ref: '#/%zz' },
      { enum: 'x' },
      { required: 'x', properties: { f: null } },
      { items: true },
    ];
    for (const [index, schema] of odd.entries()) {
      const properties = { f: schema };
      const { code } = await against(
        { commands: { a: command({ f: flag('string') }, { output_schema: { properties } }) } },
        [tool('a', properties, [], { outputSchema: { properties } })],
      );
      assert.ok(code === 0 || code === 1, `schema ${index}`);
    }
  });
});

describe('the workflow of the documentation', { skip: process.platform === 'win32' }, () => {
  interface Step {
    run: string;
    onFailure: boolean;
  }
  /** The `run:` lines of the one job: as much of YAML as the file uses. */
  const steps = (): Step[] => {
    const text = readFileSync('docs/workflows/mcp-validate.yml', 'utf8');
    return text
      .slice(text.indexOf('    steps:'))
      .split(/^ {6}- /m)
      .flatMap((part) => {
        const [, block, line] = /^ *run: (?:\|\n((?: {10}.*\n?)+)|(.+))$/m.exec(part) ?? [];
        const script = block?.replace(/^ {10}/gm, '') ?? line;
        return script === undefined ? [] : [{ run: script, onFailure: /^ *if: failure\(\)$/m.test(part) }];
      });
  };
  /** A repository with a CLI of its own and the built konnichiwagwan; npm installs both from folders. */
  const repository = (tools: Json): { folder: string; runner: string } => {
    const folder = mkdtempSync(join(base, 'repository-'));
    const runner = mkdtempSync(join(base, 'runner-'));
    const bin = (name: string, file: string) => JSON.stringify({ name, version: '1.0.0', bin: { [name]: file } });
    mkdirSync(join(folder, 'cli'));
    const script = `#!/usr/bin/env node\nif (process.argv[2] === 'manifest') console.log(${JSON.stringify(JSON.stringify({ ok: true, data: EXAMPLE_CLI, error: null, warnings: [], meta: {} }))});\n`;
    writeFileSync(join(folder, 'cli/mycli.cjs'), script);
    writeFileSync(join(folder, 'cli/package.json'), bin('mycli', 'mycli.cjs'));
    mkdirSync(join(folder, 'kwg'));
    writeFileSync(join(folder, 'kwg/package.json'), bin('konnichiwagwan', 'dist/cli.cjs'));
    cpSync(resolve('dist'), join(folder, 'kwg/dist'), { recursive: true });
    chmodSync(join(folder, 'kwg/dist/cli.cjs'), 0o755);
    chmodSync(join(folder, 'cli/mycli.cjs'), 0o755);
    const dependencies = { mycli: 'file:cli', konnichiwagwan: 'file:kwg' };
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'project', version: '1.0.0', private: true, devDependencies: dependencies }),
    );
    writeFileSync(join(folder, 'mcp-schema.json'), JSON.stringify({ tools }, null, 2));
    execFileSync('npm', ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      env: environment(runner),
      stdio: 'pipe',
    });
    return { folder, runner };
  };
  const environment = (runner: string): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    HOME: runner,
    RUNNER_TEMP: runner,
    GITHUB_STEP_SUMMARY: join(runner, 'summary.md'),
    npm_config_cache: join(base, 'npm'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  });
  /** As a runner does it: `bash -e`, one step after the other; after a failure only what waits for one. */
  const runJob = async ({ folder, runner }: { folder: string; runner: string }) => {
    let failed = false;
    const logs: string[] = [];
    for (const { run: script, onFailure } of steps()) {
      if (onFailure !== failed) continue;
      const file = join(runner, 'step.sh');
      writeFileSync(file, script);
      const { code, log } = await new Promise<{ code: number | null; log: string }>((done) => {
        const child = spawn('bash', ['-e', file], {
          cwd: folder,
          env: { ...environment(runner), GITHUB_WORKSPACE: folder },
          timeout: 120_000,
        });
        let text = '';
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (chunk) => {
            text += chunk;
          });
        }
        child.on('close', (status) => done({ code: status, log: text }));
      });
      logs.push(log);
      failed ||= code !== 0;
    }
    return { failed, logs };
  };

  it('npm can start the command by its name', () => {
    assert.ok(readFileSync(CLI, 'utf8').startsWith('#!/usr/bin/env node\n'));
  });
  it('has the steps that it is read for', () => {
    assert.deepEqual(
      steps().map(({ onFailure }) => onFailure),
      [false, false, false, true],
    );
  });
  it('passes where the wrapper is up to date', async () => {
    const tools = [tool('deploy', { target: { type: 'string' } }, ['target']), tool('delete')];
    const { failed, logs } = await runJob(repository(tools));
    assert.equal(failed, false, logs.join('\n'));
    assert.equal(logs.length, 3);
  });
  it('fails where it is not, with annotations and a summary', async () => {
    const made = repository(EXAMPLE_MCP);
    const { failed, logs } = await runJob(made);
    assert.equal(failed, true);
    assert.match(logs[2] ?? '', /^::error file=mcp-schema\.json,line=\d+,.*data\.url/m);
    assert.match(readFileSync(join(made.runner, 'summary.md'), 'utf8'), /no tool for the command `delete`/);
  });
});

describe('size', () => {
  it('1,000 commands and tools are compared in well under a second', (test) => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => index);
    const flags = Object.fromEntries(
      numbers
        .slice(0, 12)
        .map((n) => [
          `flag-${n}`,
          flag(n % 2 ? 'integer' : 'enum', n % 2 ? { default: n } : { enum_values: ['a', 'b'] }),
        ]),
    );
    const properties = Object.fromEntries(
      numbers.slice(0, 12).map((n) => [`flag_${n}`, n % 2 ? { type: 'integer', default: n } : { enum: ['b', 'a'] }]),
    );
    const shape = output(Object.fromEntries(numbers.slice(0, 10).map((n) => [`field_${n}`, { type: 'string' }])));
    const cli = {
      commands: Object.fromEntries(
        numbers.map((n) => [`group${n % 20}.command-${n}`, command(flags, { output_schema: shape })]),
      ),
    };
    const tools = numbers.map((n) =>
      tool(`my_group${n % 20}_command_${n}`, properties, [], { outputSchema: n % 10 ? shape : output({}) }),
    );
    const started = stopwatch();
    const { found, pairs } = compare(readManifest(cli), tools as never);
    const took = started();
    test.diagnostic(`1,000 commands and tools: ${took.toFixed(0)} ms`);
    assert.deepEqual([pairs.length, found.length], [1_000, 1_000]);
    assert.ok(took < 3_000, `${took} ms`);
  });
});

describe('the documentation', () => {
  it('names every option of the command, and the workflow', async () => {
    const page = readFileSync('docs/mcp-validate.md', 'utf8');
    const { stdout } = await run(['--help']);
    for (const option of new Set(stdout.match(/--[a-z][a-z-]+/g))) assert.ok(page.includes(option), option);
    assert.ok(page.includes('workflows/mcp-validate.yml'));
  });
  it('its examples are what is printed', async () => {
    const page = readFileSync('docs/mcp-validate.md', 'utf8');
    const blocks = [...page.matchAll(/```json (\S+)\n([\s\S]*?)```/g)].map(([, name, text]) => [name, text] as const);
    assert.deepEqual(
      blocks.map(([name]) => name),
      ['manifest.json', 'mcp.json', 'answer.json'],
    );
    const [cli, mcp, answer] = blocks.map(([, text]) => JSON.parse(text as string));
    const { data, ok, error } = await json(['--manifest', write(cli), '--mcp-schema-file', write(mcp)]);
    assert.deepEqual({ ok, data, error }, { ok: answer.ok, data: answer.data, error: answer.error });
  });
});
