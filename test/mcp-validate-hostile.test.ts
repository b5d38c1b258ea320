// mcp-validate: manifests and wrappers that mean harm.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../scripts/contract/types.ts';
import { FORMATS } from '../scripts/reports/formats.ts';
import { mcpValidate } from '../scripts/validate/kit/mcp-validate.ts';
import type { ManifestFlag } from '../scripts/validate/kit/validate.d.ts';
import {
  against,
  command,
  EXAMPLE_CLI,
  EXAMPLE_MCP,
  flag,
  json,
  NO_DRIFT,
  run,
  tool,
  write,
} from './mcp-validate-run.ts';
import { stopwatch } from './sandbox.ts';

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

  it('thousands of branches, of items, or of spellings of one name: no more work than they are', () => {
    const many = <T>(of: (nth: number) => T): T[] => Array.from({ length: 4_000 }, (_, nth) => of(nth));
    const text = { type: 'string' };
    const object = { type: 'object', properties: { a: text } };
    const marks = [...'-_.:/+*,'];
    const spelled = (nth: number): string => `${[...nth.toString(8)].map((digit) => marks[Number(digit)]).join('')}a`;
    const list = { type: 'array', schema: text };
    const elapsed = stopwatch();
    for (const [flag, inputSchema] of [
      [text, { type: 'object', properties: { a: { anyOf: many(() => ({ ...text })) } } }],
      [text, { anyOf: many(() => ({ ...object })) }],
      [text, { type: 'object', properties: Object.fromEntries(many((nth) => [spelled(nth), text])) }],
      [list, { type: 'object', properties: { a: { type: 'array', prefixItems: many(() => ({ ...text })) } } }],
    ]) {
      const commands = { go: { flags: { a: flag as ManifestFlag } } };
      const { error, data } = mcpValidate({ commands, mcp: { tools: [{ name: 'go', inputSchema }] } });
      assert.equal(error, null);
      assert.deepEqual([data?.drift.added, data?.drift.changed], [[], []]);
    }
    assert.ok(elapsed() < 1_700, `${elapsed()} ms`);
  });

  it('texts of 10 MB: as a name, a type, a value', async () => {
    const huge = 'x'.repeat(10_000_000);
    const short = write([tool('a', { f: { type: 'string' }, e: { enum: ['y'] } })]);
    for (const [cli, code] of [
      [{ commands: { [huge]: command(), a: command() } }, 1],
      [{ commands: { a: command({ f: flag(huge), e: flag('enum', { enum_values: ['y'] }) }) } }, 2],
      [{ commands: { a: command({ f: flag('string'), e: flag('enum', { enum_values: [huge] }) }) } }, 1],
      [
        { commands: { a: command({ f: flag('string', { default: huge }), [huge.slice(9_000_000)]: flag('string') }) } },
        1,
      ],
    ] as const) {
      const ran = await run(['--manifest', write(cli), '--mcp-schema-file', short]);
      assert.equal(ran.code, code);
      assert.ok(ran.stdout.length + ran.stderr.length < 5_000, `${ran.stdout.length} characters`);
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
    const far = await against({ commands: { a: command({ f: flag('string') }) } }, [long]);
    assert.deepEqual([far.code, far.error?.code], [2, 'unread-schema']);
    const circle = { name: 'a', inputSchema: { $ref: '#' } };
    const round = await against({ commands: { a: command() } }, [circle]);
    assert.match(round.error?.message ?? '', /`inputSchema` of `a`: the reference "#" leads back to itself/);
  });

  it('names that steer a terminal, a log or a page', async () => {
    const cli = {
      commands: {
        [TRICK]: command(),
        a: command({ [TRICK]: flag('enum', { enum_values: [TRICK], required: true }), b: flag(TRICK) }),
      },
    };
    const mcp = [tool('a', { [`${TRICK}!`]: { type: TRICK }, b: { enum: [TRICK] } }), tool(`${TRICK} tool`)];
    const args = ['--manifest', write(cli), '--mcp-schema-file', write({ tools: mcp }), '--lenient'];
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
    const refused = await run(args.slice(0, -1));
    assert.equal(refused.code, 2);
    for (const bad of ['\u001b', '\u0007', '\u202e', '##vso[']) assert.ok(!refused.stderr.includes(bad));
  });

  it('schemas that are none', async () => {
    const unread: Json[] = [
      { $ref: '#/%zz' },
      { $ref: 'other.json#/x' },
      7,
      [{}],
      { required: 'x', properties: { f: null } },
    ];
    const odd: Json[] = [
      true,
      false,
      { type: 5 },
      { properties: [] },
      { anyOf: [] },
      { anyOf: 'x' },
      { $ref: 5 },
      { required: [7], properties: { f: {} } },
      { enum: 'x' },
      { items: true },
    ];
    for (const schema of [...odd, ...unread]) {
      const properties = { f: schema };
      const { code, error } = await against(
        { commands: { a: command({ f: flag('string') }, { output_schema: { properties } }) } },
        [tool('a', properties, [], { outputSchema: { properties } })],
      );
      const isRead = code === 0 || code === 1;
      assert.ok(unread.includes(schema) ? error?.code === 'unread-schema' : isRead, JSON.stringify(schema));
    }
  });
});
