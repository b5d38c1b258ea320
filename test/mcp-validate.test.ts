// mcp-validate as programs use it: what the built file compares, and what it answers.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { defined } from '../scripts/contract/defined.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';
import { compare } from '../scripts/validate/compare.ts';
import { readManifest } from '../scripts/validate/read-manifest.ts';
import {
  against,
  command,
  EXAMPLE_CLI,
  EXAMPLE_MCP,
  flag,
  isWire,
  NO_DRIFT,
  output,
  run,
  tool,
  write,
} from './mcp-validate-run.ts';
import { stopwatch } from './sandbox.ts';

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

  it('lets a tool leave out flags of the whole CLI, unless they are required', async () => {
    const cli = {
      flags: { verbose: flag('boolean'), tenant: flag('string', { required: true }) },
      commands: { push: command({}) },
    };
    const lacking = await against(cli, [tool('push')]);
    const tenant = { command: 'push', field: 'tenant', cli_type: 'string', mcp_type: null };
    assert.deepEqual([lacking.code, lacking.data.drift], [1, { ...NO_DRIFT, added: [tenant] }]);
    const taking = await against(cli, [tool('push', { tenant: { type: 'string' } }, ['tenant'])]);
    assert.deepEqual([taking.code, taking.data.drift], [0, NO_DRIFT]);
  });

  it('takes a flag of objects, of which nothing more is told, for any object', () => {
    const cli = readManifest({ commands: { push: command({ labels: flag('object') }) } });
    const drifts = (labels: JsonObject) => compare(cli, [tool('push', { labels })] as never).found.length;
    assert.deepEqual([drifts({ type: 'object' }), drifts({ type: 'string' })], [0, 1]);
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

/** One flag, one parameter, and the expected result; also with --strict if that differs. */
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
  ['a number for an integer', flag('integer'), { type: 'number' }, false, 'integer/number'],
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
    'null in one part, and only words in the other',
    flag('string', { required: true }),
    { allOf: [{ type: ['string', 'null'] }, { description: 'd' }] },
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
    'integer/integer | string',
  ],
  ['anything', flag('integer'), {}, false, 'integer/any'],
  ['anything, as a schema of one word', flag('string'), true, false, 'string/any'],
  ['two types in one word', flag('boolean'), { type: ['boolean', 'string'] }, false, 'boolean/boolean | string'],
  [
    'a number, and an integer besides',
    flag('number'),
    { type: ['integer', 'number'] },
    false,
    undefined,
    'number/integer | number',
  ],
  ['a type that the manifest does not say', { description: 'd' }, { type: 'string' }, false],
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
  ['fractions as values', flag('enum', { enum_values: [0.25, 1.75] }), { type: 'number', enum: [0.25, 1.75] }, false],
  ['values of several types', flag('enum', { enum_values: ['all', 3, false] }), { enum: [3, false, 'all'] }, false],
  ['values without a type', { enum_values: [1, 0.5] }, { type: 'number', enum: [0.5, 1] }, false],
  [
    'whole numbers as values of a number',
    flag('enum', { enum_values: [4, 5] }),
    { type: 'number', enum: [4, 5] },
    false,
    undefined,
    'integer/number',
  ],
  [
    'numbers as values, and as texts in the wrapper',
    flag('enum', { enum_values: [4.5, true] }),
    { type: 'string', enum: ['4.5', 'true'] },
    false,
    undefined,
    'boolean | number/enum',
  ],
  [
    'other fractions as values',
    flag('enum', { enum_values: [0.25] }),
    { type: 'number', enum: [0.5] },
    false,
    'number(0.25)/number(0.5)',
  ],
  [
    'a number for values that are none',
    flag('enum', { enum_values: ['all', 3] }),
    { type: 'number' },
    false,
    'integer | enum/number',
  ],
  [
    'fractions as values of a list',
    flag('array', { enum_values: [0.25] }),
    { type: 'array', items: { type: 'number', enum: [0.25] } },
    false,
  ],
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
    'the same default, said in one of two forms',
    flag('integer', { default: 300 }),
    { anyOf: [{ type: 'integer' }, { type: 'integer', default: 300 }] },
    false,
  ],
  [
    'the same default, said in one of two parts',
    flag('integer', { default: 300 }),
    { allOf: [{ type: 'integer' }, { default: 300 }] },
    false,
  ],
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
  [
    'null as the default of what the CLI has another for',
    flag('integer', { default: 20 }),
    { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    false,
    undefined,
    'integer/integer | null',
  ],
  [
    'null as the default, and no other for what the CLI requires',
    flag('number', { required: true }),
    { type: 'number', default: null },
    false,
    'number, required/number, optional',
    'number, required, no default/number, optional, default null',
  ],
  [
    'null for what is required, and has a default',
    flag('boolean', { required: true, default: true }),
    { type: ['boolean', 'null'], default: null },
    false,
    undefined,
    'boolean, required/boolean | null, optional',
  ],
  ['a type behind a reference', flag('string'), { $ref: '#/$defs/name' }, false],
  ['another type behind a reference', flag('boolean'), { allOf: [{ $ref: '#/$defs/name' }] }, false, 'boolean/string'],
  ['other words for types', flag('bool'), { type: 'boolean' }, false],
  ['both values of a boolean, listed by the wrapper', flag('boolean'), { enum: [true, false] }, false],
  ['values of what the manifest gives no type', { description: 'd' }, { enum: ['a'] }, false],
  [
    'values with a branch for null',
    flag('enum', { enum_values: ['a'] }),
    { anyOf: [{ type: 'null' }, { enum: ['b'] }] },
    false,
    'enum("a")/enum | null("b")',
    'enum/enum | null',
  ],
  [
    'values with a branch that takes nothing',
    flag('enum', { enum_values: ['a'] }),
    { anyOf: [{ enum: ['b'] }, false] },
    false,
    'enum("a")/enum("b")',
  ],
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

describe('a parameter that only some branches require', () => {
  const text: JsonObject = { type: 'string' };
  const pushing = (required: boolean) => ({
    commands: { push: command({ branch: flag('string', { required }), tag: flag('string', { required }) }) },
  });
  const branches: JsonObject[] = [
    { properties: { branch: text, tag: text }, required: ['branch'] },
    { properties: { tag: text }, required: ['tag'] },
  ];
  for (const keyword of ['anyOf', 'oneOf']) {
    it(`${keyword}: is optional`, async () => {
      const wrapper = [{ name: 'push', inputSchema: { type: 'object', [keyword]: branches } }];
      assert.deepEqual((await against(pushing(false), wrapper)).data.drift, NO_DRIFT);
      const { changed } = (await against(pushing(true), wrapper)).data.drift;
      assert.deepEqual(
        changed.map(({ field, mcp_type }) => [field, mcp_type]),
        [
          ['branch', 'string, optional'],
          ['tag', 'string, optional'],
        ],
      );
    });
  }
});

describe('a type that is wider than the CLI’s', () => {
  const cli = {
    commands: { scale: command({ replicas: flag('integer'), name: flag('string'), any: flag('string') }) },
  };
  const wrapper = [tool('scale', { replicas: { type: 'number' }, name: { type: ['string', 'integer'] }, any: {} })];

  it('is drift, in each format; with --lenient it is a warning for each', async () => {
    const { code, data, warnings } = await against(cli, wrapper);
    assert.equal(code, 1);
    assert.deepEqual(
      data.drift.changed.map(({ field, cli_type, mcp_type }) => [field, cli_type, mcp_type]),
      [
        ['replicas', 'integer', 'number'],
        ['name', 'string', 'integer | string'],
        ['any', 'string', 'any'],
      ],
    );
    assert.deepEqual(warnings, []);
    const lenient = await against(cli, wrapper, '--lenient');
    assert.deepEqual([lenient.code, lenient.ok, lenient.data.drift], [0, true, NO_DRIFT]);
    assert.deepEqual(lenient.warnings, [
      'tolerated: `scale`: `replicas`: integer in the CLI, number in the tool',
      'tolerated: `scale`: `name`: string in the CLI, integer | string in the tool',
      'tolerated: `scale`: `any`: string in the CLI, any in the tool',
    ]);
    assert.equal((await against(cli, wrapper, '--lenient', '--strict')).code, 2);
  });

  it('differs from what is narrower than the CLI’s, which is drift with --lenient, too', async () => {
    const narrow = [
      tool('scale', { replicas: { type: 'string' }, name: { type: 'string' }, any: { type: 'integer' } }),
    ];
    assert.equal((await against(cli, narrow, '--lenient')).data.drift.changed.length, 2);
  });

  it('counts in lists, in objects, and where the CLI itself takes anything', async () => {
    const schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } }, free: {} } };
    const looser = { list: { type: 'array', items: { type: 'number' } }, free: { type: 'string' } };
    const { data } = await against({ commands: { a: { input_schema: schema } } }, [tool('a', looser)]);
    assert.deepEqual(
      data.drift.changed.map(({ field, cli_type, mcp_type }) => [field, cli_type, mcp_type]),
      [
        ['list[]', 'integer', 'number'],
        ['free', 'any', 'string'],
      ],
    );
  });
});

describe('the items of an array', () => {
  const integer = { type: 'integer' };
  const text = { type: 'string' };
  const list = (items: Json) => ({ type: 'array', items });
  const bare = { type: 'array' };
  const tuple = (...prefixItems: Json[]) => ({ type: 'array', prefixItems });
  const both = list({ type: ['integer', 'string'] });
  type Pair = [what: string, cli: Json, mcp: Json, says?: string];
  const PAIRS: Pair[] = [
    ['lost', list(integer), bare, '[]: integer/any'],
    ['lost, as the values of a list', list({ enum: ['a', 'b'] }), bare, '[]: enum/any'],
    ['lost, and any in so many words', list(integer), list({}), '[]: integer/any'],
    ['lost, and any in one word', list(integer), list(true), '[]: integer/any'],
    ['lost, with bounds', list(text), { type: 'array', minItems: 1, uniqueItems: true }, '[]: string/any'],
    ['lost within a list', list(list(integer)), list(bare), '[][]: integer/any'],
    ['lost within an object', output({ a: list(integer) }), output({ a: bare }), '.a[]: integer/any'],
    [
      'lost where null is allowed',
      { type: ['array', 'null'], items: integer },
      { anyOf: [bare, { type: 'null' }] },
      '[]: integer/any',
    ],
    ['lost in one of two branches', list(integer), { anyOf: [list(integer), bare] }, '[]: integer/any'],
    ['lost behind a reference', list(integer), { $ref: '#/$defs/bare' }, '[]: integer/any'],
    ['lost of objects', list(output({ a: text })), bare, '[]: object/any'],
    ['not known to the CLI', bare, list(text), '[]: any/string'],
    ['another one first', list(integer), tuple(text), '[]: integer/string'],
    ['others first', list(integer), tuple(text, { type: 'boolean' }), '[]: integer/boolean | string'],
    ['one more first', list(integer), tuple(integer, text), '[]: integer/integer | string'],
    [
      'first ones, and others after',
      tuple(integer),
      { ...tuple(integer), items: text },
      '[]: integer/integer | string',
    ],
    ['first ones, and any after', list(integer), { ...tuple(integer), items: true }, '[]: integer/any'],
    ['first ones, as older drafts say it', list(integer), list([text]), '[]: integer/string'],
    [
      'after the first, as older drafts say it',
      list(integer),
      { ...list([integer]), additionalItems: text },
      '[]: integer/integer | string',
    ],
    ['first ones, unlike those of the CLI', tuple(integer), tuple(text), '[]: integer/string'],
    ['first ones where the wrapper lost them', tuple(integer, text), bare, '[]: integer | string/any'],
    ['objects first', tuple(output({ a: text })), tuple(output({ a: integer })), '[].a: string/integer'],
    // No drift.
    ['any on both sides', bare, bare],
    ['any on both sides, in other words', bare, list({})],
    ['any on both sides, in other words of the CLI', list(true), bare],
    ['those of a reference', list(integer), { type: 'array', $ref: '#/$defs/list' }],
    ['those of a part', list(integer), { type: 'array', allOf: [list(integer)] }],
    [
      'those of all branches',
      list(integer),
      { type: 'array', anyOf: [list(integer), { ...list(integer), minItems: 1 }] },
    ],
    ['those of a part, the type in another', list(integer), { allOf: [bare, { items: integer }] }],
    ['those of branches', both, { type: 'array', oneOf: [list(integer), list(text)] }],
    ['of a list or a text', { anyOf: [list(integer), text] }, { anyOf: [text, list(integer)] }],
    ['the same first', tuple(integer, text), tuple(integer, text)],
    ['the same first, and no more', tuple(integer), { ...tuple(integer), items: false, maxItems: 1 }],
    ['the same first, as older drafts say it', tuple(integer, text), list([integer, text])],
    ['the same first and after', list(integer), { ...tuple(integer, integer), items: integer }],
    ['all that come first', both, tuple(integer, text)],
    ['of a list of values', { type: 'array', enum: [[1], [2]] }, { type: 'array', enum: [[2], [1]] }],
    ['of a fixed list', { const: [1, 2] }, { ...list(integer), const: [1, 2] }],
    ['none at all', { type: 'array', maxItems: 0, items: false }, { type: 'array', maxItems: 0, items: false }],
  ];
  const told = async (pairs: readonly Pair[], part: 'input' | 'output', ...args: string[]) => {
    const $defs = { bare, list: list(integer) };
    const whole = (schema: Json) => ({ ...output({ f: schema }), $defs });
    const commands = pairs.map(([, cli], at) => [`c${at}`, { [`${part}_schema`]: whole(cli) }]);
    const tools = pairs.map(([, , mcp], at) => ({
      name: `c${at}`,
      inputSchema: output({}),
      [`${part}Schema`]: whole(mcp),
    }));
    const { data, warnings } = await against({ commands: Object.fromEntries(commands) }, tools, ...args);
    const said = data.drift.changed.map((one) => `${one.command} ${one.field}: ${one.cli_type}/${one.mcp_type}`);
    return { said: said.map((one) => one.replace(/ (?:data\.)?f/, ' ')), warnings };
  };
  const expected = PAIRS.flatMap(([, , , says], at) => (says === undefined ? [] : [`c${at} ${says}`]));

  for (const part of ['input', 'output'] as const)
    for (const args of [[], ['--strict']])
      it(`are compared: ${[part, ...args].join(', ')}`, async () => {
        const { said } = await told(PAIRS, part, ...args);
        const named = (all: string[]) => all.map((one) => `${PAIRS[Number(/\d+/.exec(one)?.[0])]?.[0]}: ${one}`);
        assert.deepEqual(named(said), named(expected));
      });

  it('lost are a warning with --lenient, unless others are wanted', async () => {
    const { said, warnings } = await told(PAIRS, 'input', '--lenient');
    const isWider = (one: string): boolean => /any|integer\/integer \|/.test(one);
    assert.deepEqual(
      said,
      expected.filter((one) => !isWider(one)),
    );
    assert.equal(warnings.length, expected.filter(isWider).length);
  });

  it('of which the manifest says nothing are compared with nothing, and those that it says are', async () => {
    const flags = {
      plain: flag('array'),
      list: flag('list'),
      made: flag('array', { schema: { type: 'integer' } }),
      listed: flag('array', { enum_values: ['a'] }),
      many: flag('integer', { variadic: true }),
      untold: { description: 'd', variadic: true },
    };
    const drift = async (property: Json) => {
      const properties = Object.fromEntries(Object.keys(flags).map((name) => [name, property]));
      const { data } = await against({ commands: { a: command(flags) } }, [tool('a', properties)]);
      return data.drift.changed.map(({ field, cli_type, mcp_type }) => `${field}: ${cli_type}/${mcp_type}`);
    };
    assert.deepEqual(await drift(bare), ['made[]: integer/any', 'listed[]: enum/any', 'many[]: integer/any']);
    assert.deepEqual(await drift(tuple(integer)), ['listed[]: enum/integer']);
    assert.deepEqual(await drift(list(integer)), ['listed[]: enum/integer']);
  });

  it('that nobody knows cannot be checked where the wrapper lost them, either', async () => {
    const manifest = { commands: { a: command({ f: flag('path', { variadic: true }) }) } };
    assert.equal((await against(manifest, [tool('a', { f: bare })])).error?.code, 'unknown-type');
  });

  it('of a list of any are shown as none', async () => {
    for (const any of [bare, list({})]) {
      const { data } = await against({ commands: { a: command({ f: flag('string') }) } }, [tool('a', { f: any })]);
      assert.equal(data.drift.changed[0]?.mcp_type, 'array');
    }
  });
});

describe('a schema', () => {
  const text: JsonObject = { type: 'string' };
  const integer: JsonObject = { type: 'integer' };
  const map = (values: Json): JsonObject => ({ type: 'object', additionalProperties: values });
  const $defs: JsonObject = {
    text,
    pair: output({ x: text, y: integer }),
    needy: { ...output({ x: text }), required: ['x'] },
    tree: output({ name: text, kids: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
  };
  type Properties = Record<string, Json>;
  const whole = (properties: Properties, more: JsonObject = {}): JsonObject => ({
    ...output(properties),
    $defs,
    ...more,
  });
  const told = async (cli: JsonObject, mcp: JsonObject, ...args: string[]) => {
    const commands = { a: command({}, { input_schema: cli }) };
    const { data, error, warnings } = await against({ commands }, [{ name: 'a', inputSchema: mcp }], ...args);
    const lists = data === null ? [] : [...data.drift.added, ...data.drift.removed, ...data.drift.changed];
    return { said: lists.map((one) => `${one.field}: ${one.cli_type}/${one.mcp_type}`), error, warnings };
  };

  it('that cannot be read cannot be checked, wherever it is; with --lenient it is a warning', async () => {
    const gone = { $ref: '#/$defs/absent' };
    for (const [cli, mcp, place] of [
      [text, gone, 'f'],
      [text, { ...text, ...gone }, 'f'],
      [text, { anyOf: [text, gone] }, 'f'],
      [text, { $ref: 'https://schemas.example/text.json' }, 'f'],
      [text, null, 'f'],
      [{ type: 'array', items: text }, { type: 'array', items: gone }, 'f[]'],
      [output({ x: text }), output({ x: gone }), 'f.x'],
      [map(text), map(gone), 'f{}'],
      [{ type: 'object' }, map(gone), 'f{}'],
      [gone, text, 'f'],
    ] as [Json, Json, string][]) {
      const { error } = await told(whole({ f: cli }), whole({ f: mcp }));
      assert.equal(error?.code, 'unread-schema', JSON.stringify(mcp));
      const [, named] = /compared: ["`](.+)["`] of `a`: /.exec(error?.message ?? '') ?? [];
      assert.equal(named, place);
    }
    assert.equal((await told(output({}), { type: 'object', ...gone })).error?.code, 'unread-schema');
    for (const mcp of [gone, { anyOf: [{ type: 'integer' }, gone] }]) {
      const { said, warnings } = await told(whole({ f: text }), whole({ f: mcp }), '--lenient');
      assert.deepEqual(said, []);
      const reason = /`f` of `a`: the reference "#\/\$defs\/absent" leads nowhere; compared with nothing/;
      assert.match(warnings.join(), reason);
    }
  });

  it('that takes nothing is as good as none', async () => {
    for (const nothing of [
      false,
      { not: {} },
      { allOf: [text, integer] },
      { type: 'string', enum: [3], allOf: [{}, text] },
    ] as Json[]) {
      assert.deepEqual(
        (await told(whole({ f: text }), whole({ f: nothing }))).said,
        ['f: string/null'],
        JSON.stringify(nothing),
      );
      assert.deepEqual((await told(whole({}), whole({ f: nothing }))).said, []);
    }
  });

  it('requires what it requires beside its parts, and beside a reference', async () => {
    const part = output({ x: text });
    for (const mcp of [
      { allOf: [part, output({})], required: ['x'] },
      { $ref: '#/$defs/pair', required: ['x'] },
      { allOf: [part, { required: ['x'] }] },
      { ...part, anyOf: [{ required: ['x'] }, { required: ['x', 'y'] }] },
    ]) {
      const pair = '$ref' in mcp || 'anyOf' in mcp ? whole({ x: text, y: integer }) : whole({ x: text });
      const { said } = await told(pair, { type: 'object', properties: {}, $defs, ...mcp });
      assert.ok(said.includes('x: string, optional/string, required'), JSON.stringify([mcp, said]));
    }
    const some = whole({ x: text, y: text }, { anyOf: [{ required: ['x'] }, {}] });
    assert.deepEqual((await told(whole({ x: text, y: text }), some)).said, []);
    assert.deepEqual((await told(whole({}), whole({}, { required: ['z'] }))).said, ['z: null/any']);
  });

  it('of a map is compared by the values', async () => {
    for (const [cli, mcp, says] of [
      [map(text), map(integer), 'f{}: string/integer'],
      [map(map(text)), map(map(integer)), 'f{}{}: string/integer'],
      [map(text), { type: 'object' }, 'f{}: string/any'],
      [map(text), map(false), 'f{}: string/never'],
      [map(text), { ...output({}), patternProperties: { '^.*$': integer } }, 'f{}: string/integer'],
      [map(text), { anyOf: [map(integer), map(text)] }, 'f{}: string/integer | string'],
      [map(text), { type: 'object', allOf: [map(integer)] }, 'f{}: string/integer'],
      [{ anyOf: [text, map(text)] }, { anyOf: [text, map(integer)] }, 'f{}: string/integer'],
      [map(text), map({ $ref: '#/$defs/text' })],
      [map(text), { type: 'object', allOf: [map(text)] }],
      [map(true), map(false)],
      [{ type: 'object' }, map({})],
    ] as const)
      assert.deepEqual(
        (await told(whole({ f: cli as Json }), whole({ f: mcp as Json }))).said,
        says === undefined ? [] : [says],
      );
  });

  it('of several lists of values allows what is in all of them', async () => {
    const values = { enum: ['b', 'c'] };
    for (const mcp of [
      { allOf: [{ enum: ['a', 'b', 'c'] }, { enum: ['c', 'b', 'd'] }] },
      { enum: ['b', 'c', 'd'], allOf: [{ enum: ['a', 'b', 'c'] }] },
      { type: 'string', allOf: [{ enum: [1, 'c', 'b'] }] },
      { allOf: [{ enum: ['a', 'b', 'c'] }, { enum: ['a', 'b', 'c', 'd'] }, { enum: ['b', 'c', 'd'] }] },
    ])
      assert.deepEqual((await told(whole({ f: values }), whole({ f: mcp }))).said, []);
    const all = { allOf: [{ enum: ['b', 'c'] }, { enum: ['c', 'd'] }] };
    assert.deepEqual((await told(whole({ f: values }), whole({ f: all }))).said, ['f: enum("b", "c")/enum("c")']);
    const number = { allOf: [{ type: 'number' }, integer] };
    assert.deepEqual((await told(whole({ f: integer }), whole({ f: number }))).said, []);
  });

  it('is compared with what stands beside a reference that was followed before', async () => {
    const pair = { $ref: '#/$defs/pair' };
    const more = { ...pair, properties: { z: text } };
    const cli = whole({ one: pair, two: pair, three: more });
    const mcp = whole({ one: pair, two: more, three: { ...pair, properties: { z: integer } } });
    assert.deepEqual((await told(cli, mcp)).said, ['two.z: null/string', 'three.z: string/integer']);
    const words = { ...pair, description: 'Two.', default: {} };
    const other = { ...$defs, pair: output({ x: integer, y: integer }) };
    const { said } = await told(whole({ one: pair, two: words }), whole({ one: pair, two: words }, { $defs: other }));
    assert.deepEqual(said, ['one.x: string/integer'], 'once for the definition');
  });

  it('within a parameter has names of its own: another spelling is another field', async () => {
    const { said } = await told(whole({ f: output({ job_id: text }) }), whole({ f: output({ jobId: text }) }));
    assert.deepEqual(said, ['f.job_id: string/null', 'f.jobId: null/string']);
  });

  it('that contains itself is compared with one that does not', async () => {
    const tree = { $ref: '#/$defs/tree' };
    const flat = output({ name: text, kids: { type: 'array', items: integer } });
    const deep = output({
      name: text,
      kids: { type: 'array', items: output({ name: integer, kids: { type: 'array' } }) },
    });
    assert.deepEqual((await told(whole({ f: flat }), whole({ f: tree }))).said, ['f.kids[]: integer/object']);
    assert.deepEqual((await told(whole({ f: deep }), whole({ f: tree }))).said, [
      'f.kids[].name: integer/string',
      'f.kids[].kids[]: any/object',
    ]);
    assert.deepEqual((await told(whole({ f: tree }), whole({ f: { allOf: [tree] } }))).said, []);
    const [one, two] = [{ $ref: '#/$defs/one' }, { $ref: '#/$defs/two' }];
    const tuple = (...prefixItems: Json[]): Json => ({ type: 'array', prefixItems });
    const both = { $defs: { one: tuple(one, two), two: tuple(two, one) } };
    assert.deepEqual((await told(whole({ f: one }, both), whole({ f: two }, both))).said, []);
    const json = { anyOf: [text, { type: 'array', items: { $ref: '#' } }, map({ $ref: '#' })] };
    const commands = { a: command({}, { output_schema: json }) };
    const copy = { anyOf: [...json.anyOf].reverse() };
    assert.deepEqual((await against({ commands }, [tool('a', {}, [], { outputSchema: copy })])).data.drift, NO_DRIFT);
  });
});

describe('a type that nobody knows', () => {
  const wrapper = [tool('a', { f: { type: 'string' } })];
  const cli = { commands: { a: command({ f: flag('duration') }) } };

  it('cannot be checked: exit 2, with what it is of; with --lenient it is compared with nothing, and said', async () => {
    const { code, ok, data, error } = await against(cli, wrapper);
    assert.deepEqual([code, ok, data, error?.code], [2, false, null, 'unknown-type']);
    assert.match(error?.message ?? '', /"duration" \(of `f` of `a`\)/);
    assert.match(error?.hint ?? '', /--lenient/);
    const lenient = await against(cli, wrapper, '--lenient');
    assert.deepEqual([lenient.code, lenient.data.drift], [0, NO_DRIFT]);
    assert.match(lenient.warnings.join(), /"duration" \(of `f` of `a`\) is unknown, and compared with nothing/);
  });

  it('of a positional argument and of an option of the whole CLI, likewise', async () => {
    for (const manifest of [
      { commands: { a: { flags: {}, positionals: [{ name: 'f', type: 'uuid' }] } } },
      { commands: { a: command({}) }, flags: { f: flag('url') } },
    ])
      assert.equal((await against(manifest, wrapper)).error?.code, 'unknown-type');
  });

  it('of the items of a list, likewise', async () => {
    const lists = [tool('a', { f: { type: 'array', items: { type: 'string' } } })];
    const manifest = { commands: { a: command({ f: flag('path', { variadic: true }) }) } };
    assert.equal((await against(manifest, lists)).error?.code, 'unknown-type');
  });

  it('is nobody’s business where the flag is compared with nothing', async () => {
    for (const [manifest, args] of [
      [cli, ['--ignore-flag', 'f']],
      [
        { commands: { ...cli.commands, login: { ...command({ x: flag('uuid') }), mcp: false } } },
        ['--ignore-flag', 'f'],
      ],
    ] as const)
      assert.equal((await against(manifest, wrapper, ...args)).code, 0);
    const missing = { commands: { a: command({ f: flag('string') }), b: command({ x: flag('uuid') }) } };
    assert.deepEqual((await against(missing, wrapper)).data.drift.missing_from_mcp, ['b']);
  });
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
  it('is no envelope only because it has data, and something beside them', async () => {
    for (const beside of ['meta', 'warnings', 'error']) {
      const listed = (next: string) => output({ data: page, [beside]: output({ next: { type: next } }) });
      const [changed, ...others] = (await drift(listed('string'), listed('integer'))).changed;
      assert.deepEqual([changed?.field, changed?.cli_type, others], [`data.${beside}.next`, 'string', []]);
      assert.deepEqual(await drift(listed('string'), listed('string')), NO_DRIFT);
      const envelope = output({ ok: { type: 'boolean' }, data: listed('string'), meta: {} });
      assert.deepEqual(await drift(envelope, listed('string')), NO_DRIFT);
      assert.deepEqual(await drift(page, listed('string')), NO_DRIFT);
    }
    const only = output({ ok: { type: 'boolean' }, data: page });
    assert.deepEqual(await drift(page, only), NO_DRIFT);
    const { removed } = await drift(only, output({ ok: { type: 'boolean' }, data: page, more: {} }));
    assert.deepEqual(
      removed.map(({ field }) => field),
      ['data.more'],
    );
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
    const [wider] = (await drift(tight, loose)).changed;
    assert.deepEqual([wider?.field, wider?.cli_type, wider?.mcp_type], ['data.b', 'integer', 'number']);
    assert.deepEqual(await drift(tight, loose, '--lenient'), NO_DRIFT);
    assert.deepEqual(
      (await drift(loose, tight)).changed.map(({ field }) => field),
      ['data.a', 'data.b'],
    );
  });
  it('that a tool promises nothing is no drift, and said in the summary', async () => {
    assert.deepEqual(await drift(page, undefined), NO_DRIFT);
    const commands = {
      get: command({}, { output_schema: page }),
      put: command(),
      list: command({}, { output_schema: page }),
    };
    const tools = [tool('get'), tool('put'), tool('list', {}, [], { outputSchema: page })];
    const { code, meta } = await against({ commands }, tools);
    assert.deepEqual([code, meta.outputs], [0, { compared: 1, not_compared: ['get'] }]);
    const args = ['--manifest', write({ commands }), '--mcp-schema-file', write(tools)];
    for (const words of [[], ['--format', 'markdown'], ['--format', 'html']])
      assert.match(
        (await run([...args, ...words])).stdout,
        /1 compared, 1 not compared \(one side has no output schema\)/,
      );
    const other = await against({ commands: { get: command() } }, [tool('get', {}, [], { outputSchema: page })]);
    assert.deepEqual(other.meta.outputs, { compared: 0, not_compared: ['get'] });
  });
  it('what is no object stands in an object of its own', async () => {
    const list = { type: 'array', items: { type: 'string' } };
    for (const name of ['result', 'data']) assert.deepEqual(await drift(list, output({ [name]: list })), NO_DRIFT);
    for (const [cli, mcp] of [
      [list, output({ result: list, next: { type: 'string' } })],
      [list, output({ lines: list })],
      [page, output({ result: page })],
      [{}, output({ result: page })],
    ] as const)
      assert.notDeepEqual(await drift(cli, mcp), NO_DRIFT, JSON.stringify(mcp));
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
  it('behind a prefix that a single tool has only where no tool is named like a command', async () => {
    const commands = { deploy: command(), status: command(), create: command() };
    const [all, extra] = [['deploy', 'status'], ['user_create']];
    assert.deepEqual(await names(commands, [...all, ...extra]), { missing: ['create'], extra, compared: 2 });
    const given = await names(commands, [...all, ...extra], '--prefix', 'user');
    assert.deepEqual(given, { missing: [], extra: [], compared: 3 });
    const two = await names({ ...commands, drop: command() }, [...all, ...extra, 'user_drop']);
    assert.deepEqual(two, { missing: [], extra: [], compared: 4 });
    const map = write({ deploy: 'ship', status: null });
    assert.equal((await names(commands, ['ship', ...extra], '--map', map)).compared, 2);
  });
  it('by an alias', async () => {
    const commands = { 'deploy.rollback': command({}, { aliases: ['undo', 'revert'] }) };
    assert.equal((await names(commands, ['deploy_undo'])).compared, 1);
    assert.equal((await names(commands, ['revert'])).compared, 1);
    const deep = { 'cluster.node.drain': command({}, { aliases: ['evict'] }) };
    assert.equal((await names(deep, ['cluster_node_evict'])).compared, 1);
    assert.equal((await names(deep, ['cluster_evict'])).compared, 0);
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
      sign: command({}, { requires_person: true }),
    };
    assert.deepEqual(await names(commands, []), { missing: [], extra: [], compared: 0 });
    for (const name of Object.keys(commands))
      assert.deepEqual(await names(commands, [name]), { missing: [], extra: [name], compared: 0 });
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
  it('a flag of the whole CLI gives way to one of the command, in any spelling', async () => {
    const cli = {
      flags: { 'read-only': flag('boolean', { required: true }) },
      commands: { sync: command({ readOnly: flag('boolean') }), stat: command() },
    };
    const { data } = await against(cli, [tool('sync', { read_only: { type: 'boolean' } }), tool('stat')]);
    const added = [{ command: 'stat', field: 'read-only', cli_type: 'boolean', mcp_type: null }];
    assert.deepEqual(data.drift, { ...NO_DRIFT, added });
  });
  it('a twin of a tool that wraps a command needs no command', async () => {
    const cli = { commands: { 'note.add': command({ text: flag('string') }), purge: command({}, { mcp: false }) } };
    const payload = { payload: { type: 'string' } };
    const [wrapper, twin] = [
      tool('note_add', { text: { type: 'string' } }),
      tool('note_add_raw', payload, ['payload']),
    ];
    assert.deepEqual((await against(cli, [wrapper, twin])).data.drift, NO_DRIFT);
    for (const [tools, extra] of [
      [[wrapper, tool('other_raw', payload, ['payload'])], ['other_raw']],
      [[wrapper, tool('note_add_raw', { ...payload, more: {} })], ['note_add_raw']],
      [[wrapper, tool('note_add_raw', { payload: { type: 'object' } })], ['note_add_raw']],
      [
        [wrapper, tool('purge'), tool('purge_raw', payload)],
        ['purge', 'purge_raw'],
      ],
    ] as const) {
      const { removed } = (await against(cli, tools)).data.drift;
      assert.deepEqual(
        removed.map(({ command: name }) => name),
        extra,
      );
    }
    const raw = { commands: { get: command(), 'get.raw': command({ payload: flag('integer') }) } };
    const { changed } = (await against(raw, [tool('get'), tool('get_raw', payload)])).data.drift;
    assert.deepEqual([changed[0]?.command, changed[0]?.field], ['get.raw', 'payload'], 'a command of that name');
  });
  it('a flag that is on, by the name that turns it off', async () => {
    const cli = {
      commands: {
        fetch: command({ 'follow-links': flag('boolean', { default: true }), size: flag('integer', { default: 1 }) }),
      },
    };
    const drift = async (properties: object) =>
      (await against(cli, [tool('fetch', { size: { type: 'integer' }, ...properties })])).data.drift;
    for (const name of ['noFollowLinks', 'no_follow_links', 'no-follow-links'])
      for (const preset of [{}, { default: false }])
        assert.deepEqual(await drift({ [name]: { type: 'boolean', ...preset } }), NO_DRIFT, name);
    const on = await drift({ noFollowLinks: { type: 'boolean', default: true } });
    assert.deepEqual(on.changed, [
      {
        command: 'fetch',
        field: 'no-follow-links',
        cli_type: 'boolean, default false',
        mcp_type: 'boolean, default true',
      },
    ]);
    const both = await drift({
      followLinks: { type: 'boolean' },
      noFollowLinks: { type: 'boolean' },
      noSize: { type: 'boolean' },
    });
    assert.deepEqual(
      both.removed.map(({ field }) => field),
      ['noFollowLinks', 'noSize'],
    );
    const off = { commands: { fetch: command({ deep: flag('boolean', { default: false }) }) } };
    const { added, removed } = (await against(off, [tool('fetch', { noDeep: { type: 'boolean' } })])).data.drift;
    assert.deepEqual([added.length, removed.length], [1, 1]);
  });
  it('a command that takes anything has a tool that takes anything, and still needs one', async () => {
    const cli = {
      commands: {
        plug: { input_schema: true, subcommands: ['plug.in'], output_schema: output({ at: { type: 'string' } }) },
      },
    };
    const plug = tool('plug', { any: { type: 'string' } }, ['any'], {
      outputSchema: output({ at: { type: 'integer' } }),
    });
    const { drift } = (await against(cli, [plug])).data;
    assert.deepEqual([drift.added, drift.removed, drift.changed.map(({ field }) => field)], [[], [], ['data.at']]);
    const alone = { commands: { plug: { input_schema: true, subcommands: ['plug.in'] } } };
    assert.deepEqual((await against(alone, [])).data.drift.missing_from_mcp, ['plug']);
    const more = { commands: { plug: { input_schema: true, flags: { x: {} } } } };
    assert.equal((await against(more, [tool('plug')])).data.drift.added.length, 1);
  });
  it('commands within commands, however deep', async () => {
    const needed = flag('string', { required: true });
    const cli = {
      commands: {
        db: command({}, { subcommands: [{ name: 'migrate', flags: { to: needed } }, 'seed', { name: 'db dump' }] }),
        'db.seed': command(),
        user: command({}, { commands: { key: { aliases: ['k'], subcommands: { add: { flags: [{ name: '-x' }] } } } } }),
      },
    };
    const none = (await against(cli, [])).data.drift;
    assert.deepEqual(none.missing_from_mcp, ['db.migrate', 'db dump', 'db.seed', 'user.key.add']);
    const tools = ['db_migrate', 'db_dump', 'db_seed', 'user_key_add'].map((name) => tool(name));
    const { added, missing_from_mcp } = (await against(cli, tools)).data.drift;
    assert.deepEqual(missing_from_mcp, []);
    assert.deepEqual(
      added.map(({ command: name, field }) => [name, field]),
      [
        ['db.migrate', 'to'],
        ['user.key.add', 'x'],
      ],
    );
  });
  it('flags and arguments by their other names, and one of each with the same name', async () => {
    const needed = { type: 'string', required: true };
    for (const [part, given] of [
      ['options', { file: needed }],
      ['arguments', [{ name: 'file', ...needed }]],
      ['args', { file: needed }],
      ['parameters', { file: needed }],
    ] as const) {
      const { added } = (await against({ commands: { a: { flags: {}, [part]: given } } }, [tool('a')])).data.drift;
      assert.deepEqual(added, [{ command: 'a', field: 'file', cli_type: 'string', mcp_type: null }], part);
    }
    const both = { commands: { a: { positionals: [{ name: 'file', ...needed }], flags: { '--file': needed } } } };
    const { added } = (await against(both, [tool('a', { file: { type: 'string' } }, ['file'])])).data.drift;
    assert.deepEqual(added, [{ command: 'a', field: 'file', cli_type: 'string', mcp_type: null }]);
  });
  it('nothing fits: it asks whether that is the right wrapper', async () => {
    const { warnings } = await against({ commands: { a: command() } }, [tool('b')]);
    assert.match(warnings.join(), /no command matches any tool/);
    assert.deepEqual((await against({ commands: { a: command() } }, [])).warnings, []);
    assert.deepEqual((await against({ commands: {} }, [tool('b')])).warnings, []);
  });
  it('--ignore-tool leaves one out', async () => {
    assert.deepEqual((await names({ a: command() }, ['a', 'b'], '--ignore-tool', 'b')).extra, []);
    const { warnings } = await against({ commands: { a: command() } }, [tool('a')], '--ignore-tool', 'c');
    assert.deepEqual(warnings, ['--ignore-tool\'s "c" is unknown']);
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
