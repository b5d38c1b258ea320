// The gateway kit: its endpoint under our own probe, its twins on servers of both majors, and what hostile callers send.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { McpServer as McpServer2, Server as Server2 } from '@modelcontextprotocol/server';
// All three come with the SDKs.
import fc from 'fast-check';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { contractHash } from '../scripts/contract/canonical.ts';
import { readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { wrongWith } from '../scripts/gateway-kit/describe-twin.ts';
import {
  createTwin,
  DefinitionError,
  describeTwin,
  PayloadError,
  parsePayload,
  rawTwin,
  toolsList,
} from '../scripts/gateway-kit/entry.ts';
import type { Definitions, Forward, ToolDefinition, ToolResult } from '../scripts/gateway-kit/gateway.d.ts';
import { requiresTwin } from '../scripts/lint/criteria.ts';
import { rawTwinDescription } from '../scripts/lint/rules/raw-twin-description.ts';
import { rawTwinExample } from '../scripts/lint/rules/raw-twin-example.ts';
import { rawTwinInput } from '../scripts/lint/rules/raw-twin-input.ts';
import { type Major, RELEASES, startNotes } from './gateway-kit-server.ts';
import { checkRandomly } from './random-runs.ts';
import { random, rootSchema } from './random-schema.ts';
import { drive, sandbox } from './sandbox.ts';
import { readJsonFile, shared } from './shared.ts';

const captures = shared('corpus/captures');

// express comes without types.
const express = createRequire(import.meta.url)('express');

const PATH = '/api/tools/list';
const NOTE: ToolDefinition = {
  name: 'write_note',
  description: 'Writes a note down.',
  inputSchema: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'What it is\nabout' },
      pages: { type: 'integer', minimum: 2 },
      content: {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'text' }, body: { type: 'string' } },
            required: ['kind', 'body'],
          },
          { type: 'object', properties: { kind: { const: 'link' }, url: { type: 'string' } }, required: ['kind'] },
        ],
      },
    },
    required: ['title', 'content'],
    additionalProperties: false,
  },
  annotations: { destructiveHint: true },
};
const ASK: ToolDefinition = { name: 'ask', inputSchema: { type: 'object' }, validated: true };
const NOW: Definitions = { schemaVersion: '2026-04-10', tools: [NOTE, ASK] };

const listen = async (answer: RequestListener) => {
  const server = createServer(answer);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

const fails = (path: string, why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof DefinitionError);
  assert.equal(error.path, path);
  assert.match(error.message, why);
  return true;
};

describe('what the endpoint says', () => {
  it('is the same bytes, whatever the order of tools and of their fields', async () => {
    const { body, etag } = await toolsList(NOW).answer();
    const turned = { ...ASK, validated: undefined, ...Object.fromEntries(Object.entries(ASK).reverse()) };
    assert.deepEqual(await toolsList({ tools: [turned, NOTE], schemaVersion: '2026-04-10' }).answer(), { body, etag });
    const { schema_version, tools } = JSON.parse(body);
    assert.equal(schema_version, '2026-04-10');
    assert.deepEqual(
      tools.map(({ name, validated }: JsonObject) => [name, validated]),
      [
        ['ask', true],
        ['write_note', undefined],
      ],
    );
    // A signature keeps the author's order of parameters.
    assert.deepEqual(Object.keys(tools[1].inputSchema.properties), ['title', 'pages', 'content']);
    assert.match(etag, /^"[0-9a-f]{64}"$/);
  });

  it('says what the lint reads of a tool, which no contract shows', async () => {
    const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };
    const about = { name: 'move', inputSchema, annotations: { readOnlyHint: false }, validated: true };
    const read = async (tool: ToolDefinition) => {
      const { tools } = readToolList(JSON.parse((await toolsList({ ...NOW, tools: [tool] }).answer()).body));
      return requiresTwin(tools[0] as Contract, { tools: new Map(tools.map((one) => [one.name, one])) });
    };
    const [simple, evolving, inUrl]: ToolDefinition[] = [
      about,
      { ...about, evolving: true },
      { ...about, evolving: true, url_only: true },
    ];
    assert.deepEqual(await Promise.all([simple, evolving, inUrl].map((tool) => read(tool as ToolDefinition))), [
      false,
      true,
      false,
    ]);
  });

  it('every tool has the hash that its reader finds', async () => {
    const { body } = await toolsList({ ...NOW, ttlMs: 2_000 }).answer();
    const { tools, advertised, ttlMs } = readToolList(JSON.parse(body));
    assert.equal(ttlMs, 2_000);
    assert.equal(tools.length, 2);
    for (const tool of tools) assert.equal(advertised.get(tool.name), contractHash(tool));
  });

  it('schemas of Zod 4 and Zod 3 are said, input and output', async () => {
    const said = async (tool: ToolDefinition, options = {}) =>
      JSON.parse((await toolsList({ ...NOW, tools: [tool] }, options).answer()).body).tools[0];
    const four = await said({
      name: 'four',
      inputSchema: z.object({ a: z.string().default('x') }),
      outputSchema: z.object({ a: z.string().default('x') }),
    });
    assert.deepEqual([four.inputSchema.required, four.outputSchema.required], [undefined, ['a']]);
    const old = { name: 'three', inputSchema: z3.object({ a: z3.number().optional(), b: z3.string() }) };
    const three = await said(old, { toJsonSchema: zodToJsonSchema });
    assert.deepEqual([three.inputSchema.required, three.inputSchema.properties.a], [['b'], { type: 'number' }]);
    assert.throws(
      () => toolsList({ ...NOW, tools: [old] }),
      fails('/tools/0/inputSchema', /give the option toJsonSchema/),
    );
    // Zod 4.0 and 4.1 have neither a method nor Standard JSON Schema.
    const bare = { _zod: {}, '~standard': { vendor: 'zod', version: 1 } };
    const early = await said({ name: 'early', inputSchema: bare }, { toJsonSchema: () => ({ type: 'object' }) });
    assert.deepEqual(early.inputSchema, { type: 'object' });
    const method = { _zod: {}, toJSONSchema: ({ io }: { io: string }) => ({ title: io }) };
    assert.deepEqual((await said({ name: 'method', inputSchema: method })).inputSchema, { title: 'input' });
  });

  it('what no client could read is refused, with the place', () => {
    const given = (more: object) => () => toolsList({ ...NOW, ...more } as Definitions);
    const tools = (...list: unknown[]) => given({ tools: list });
    assert.throws(given({ schemaVersion: 'v2' }), fails('/schemaVersion', /ISO date/));
    assert.throws(given({ schemaVersion: '2026-02-30' }), fails('/schemaVersion', /ISO date/));
    assert.doesNotThrow(given({ schemaVersion: '2026-04-10T08:30:00Z' }));
    assert.throws(given({ ttlMs: -1 }), fails('/ttlMs', />= 0/));
    assert.throws(given({ ttlMs: Number.NaN }), fails('/ttlMs', />= 0/));
    assert.throws(given({ tools: {} }), fails('/tools', /array/));
    assert.throws(tools(null), fails('/tools/0', /object/));
    assert.throws(tools({ name: 'a' }), fails('/tools/0', /inputSchema/));
    assert.throws(tools({ name: '', inputSchema: {} }), fails('/tools/0/name', /fewer/));
    assert.throws(tools(ASK, ASK), fails('/tools/1/name', /earlier/));
    // A library may have only the common interface, as Valibot does; Zod 3's schemas and Zod's smaller ones lack it.
    for (const a of [z.string(), z3.string(), { '~standard': {} }, { _def: {} }, { _zod: {} }, { toJSONSchema() {} }])
      assert.throws(tools({ name: 'a', inputSchema: { a } }), fails('/tools/0/inputSchema', /z\.object/));
    assert.throws(tools({ name: 'a', inputSchema: z.object({ a: z.date() }) }), fails('/tools/0/inputSchema', /Date/));
    assert.throws(tools({ name: 'a', inputSchema: { default: 1n } }), fails('/tools/0/inputSchema', /not JSON/));
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    assert.throws(tools({ name: 'a', inputSchema: circle }), fails('/tools/0/inputSchema', /not JSON/));
    const deep = JSON.parse(`${'{"not":'.repeat(500)}{}${'}'.repeat(500)}`);
    assert.throws(tools({ name: 'a', inputSchema: deep }), fails('', /deeper/));
  });
});

describe('the endpoint', () => {
  const list = toolsList(NOW);
  const app = express();
  app.use(list.node);
  app.use('/mounted', list.node);
  app.all('/mounted/too/api/tools/list', list.node);
  app.use((_request: unknown, response: ServerResponse) => void response.writeHead(418).end());
  const kinds: Record<string, (path: string, init?: RequestInit) => Promise<Response>> = {
    fetch: (path, init) => list.fetch(new Request(`http://a.example${path}`, init)),
  };
  const open: { close(): void }[] = [];
  before(async () => {
    const node = await listen((request, response) => void list.node(request, response));
    const routed = await listen(app);
    open.push(node, routed);
    kinds.node = (path, init) => fetch(node.url + path, init);
    kinds.express = (path, init) => fetch(routed.url + path, init);
  });
  after(() => {
    for (const { close } of open) close();
  });

  for (const kind of ['node', 'express', 'fetch']) {
    const ask = (path: string, init?: RequestInit) => (kinds[kind] as NonNullable<(typeof kinds)[string]>)(path, init);

    it(`${kind}: GET, HEAD and what is known already`, async () => {
      const { body, etag } = await list.answer();
      const got = await ask(PATH);
      assert.deepEqual([got.status, await got.text(), got.headers.get('etag')], [200, body, etag]);
      assert.match(got.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(got.headers.get('cache-control'), 'no-cache');
      const head = await ask(PATH, { method: 'HEAD' });
      assert.deepEqual([head.status, await head.text(), head.headers.get('etag')], [200, '', etag]);
      assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(body)));
      for (const known of [etag, `W/${etag}`, `"other", W/"more" ,${etag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const same = await ask(PATH, { method, headers: { 'if-none-match': known } });
          assert.deepEqual([same.status, await same.text(), same.headers.get('etag')], [304, '', etag], known);
        }
      }
      for (const other of ['"other"', etag.slice(1, -1), `x${etag}`]) {
        assert.equal((await ask(PATH, { headers: { 'if-none-match': other } })).status, 200, other);
      }
    });

    it(`${kind}: other methods, other paths`, async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const refused = await ask(PATH, { method });
        assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], method);
        assert.equal(typeof ((await refused.json()) as { error: string }).error, 'string');
      }
      for (const path of [`${PATH}?a=/`, `${PATH}/`, `/v1${PATH}`, `/mounted${PATH}`, `/mounted/too${PATH}`]) {
        assert.equal((await ask(path)).status, 200, path);
      }
      for (const path of ['/', '/api/tools', '/api/tools/lists', `/?${PATH}`]) {
        assert.equal((await ask(path)).status, kind === 'express' ? 418 : 404, path);
      }
    });
  }

  it('an address of slashes is answered at once', async () => {
    const { fetch } = toolsList(NOW);
    const at = async (path: string): Promise<number> => (await fetch(new Request(`http://gateway.test${path}`))).status;
    const began = Date.now();
    const slashes = '/'.repeat(60_000);
    assert.deepEqual(await Promise.all([`${slashes}x`, `${slashes.slice(1)}${PATH}${slashes}`].map(at)), [404, 200]);
    assert.ok(Date.now() - began < 3_000, `${Date.now() - began} ms`);
  });

  it('definitions of a function are read at every request', async () => {
    let now = NOW;
    const changing = toolsList(async () => now);
    const first = await changing.answer();
    assert.deepEqual(await changing.answer(), first);
    now = { ...NOW, tools: [ASK] };
    const second = await changing.fetch(new Request(`http://a${PATH}`, { headers: { 'if-none-match': first.etag } }));
    assert.equal(second.status, 200);
    assert.equal(((await second.json()) as { tools: unknown[] }).tools.length, 1);
  });

  it('what is wrong with definitions is said, any other error only to the server', async () => {
    const errors: unknown[] = [];
    const broken = (definitions: () => Definitions) =>
      toolsList(definitions, { onError: (error) => errors.push(error) }).fetch(new Request(`http://a${PATH}`));
    const wrong = await broken(() => ({ ...NOW, schemaVersion: 'x' }));
    assert.deepEqual([wrong.status, wrong.headers.get('etag')], [500, null]);
    assert.match(((await wrong.json()) as { error: string }).error, /^\/schemaVersion: /);
    const failed = await broken(() => {
      throw new Error('password=1');
    });
    assert.deepEqual([failed.status, await failed.json()], [500, { error: 'the definitions could not be read' }]);
    assert.equal((errors[1] as Error).message, 'password=1');
  });
});

describe('the endpoint under our probe', () => {
  const OTHER = { ...NOTE, description: 'Writes two notes down.' };
  const CASES: [state: string, now: Definitions, exit: number][] = [
    ['fresh', NOW, 0],
    ['drift', { schemaVersion: '2026-04-11', tools: [OTHER, ASK] }, 1],
    ['silent-drift', { schemaVersion: '2026-04-10', tools: [OTHER, ASK] }, 1],
    ['version-only', { ...NOW, schemaVersion: '2026-04-11' }, 1],
    // Not part of the contract.
    ['fresh', { ...NOW, tools: [{ ...NOTE, validated: true }, ASK] }, 0],
  ];
  for (const [state, later, exit] of CASES) {
    it(`${state}`, async (test) => {
      let now = NOW;
      const seen: number[] = [];
      const list = toolsList(() => now);
      const { url, close } = await listen((request, response) => {
        response.on('finish', () => seen.push(response.statusCode));
        void list.node(request, response);
      });
      test.after(close);
      const box = await sandbox(test, []);
      box.env.GATEWAY_URL = url;
      await box.start();
      now = later;
      const { answer, code, stderr } = await drive('cli.cjs', null, box.env, ['probe', '--json']);
      assert.equal(stderr, '');
      assert.deepEqual([answer.data.sources[0].state, code, answer.warnings], [state, exit, []]);
      if (later === NOW) assert.equal(seen.at(-1), 304);
    });
  }
});

const exampleOf = (description: string): string => /^Example payload: (.*)$/m.exec(description)?.[1] ?? '';

describe('the description of a twin', () => {
  it('names what is required, what is optional, the branches, and shows an example', () => {
    assert.deepEqual(describeTwin(NOTE), {
      name: 'write_note_raw',
      description: [
        'The same as `write_note`, with all its arguments as the JSON text of one object, payload. Every field in it ' +
          'reaches the server, newer ones too, and the server checks them.',
        'Example payload: {"title":"text","content":{"kind":"text","body":"text"}}',
        'Required:',
        '- title: string — What it is about',
        '- content: { kind: "text", body: string } | { kind: "link", url?: string }',
        'Optional:',
        '- pages: integer',
        'Branch `kind` = "text" of content:',
        '  Required:',
        '  - kind: "text"',
        '  - body: string',
        'Branch `kind` = "link" of content:',
        '  Required:',
        '  - kind: "link"',
        '  Optional:',
        '  - url: string',
      ].join('\n'),
      inputSchema: {
        type: 'object',
        properties: { payload: { type: 'string' } },
        required: ['payload'],
        additionalProperties: false,
      },
      annotations: { destructiveHint: true },
    });
  });

  it('an example of any schema is valid under it', () => {
    const schemas: Record<string, Json> = {
      nothing: {},
      everything: true,
      'a reference': { $ref: '#/$defs/a', $defs: { a: { required: ['b'], properties: { b: { type: 'boolean' } } } } },
      itself: { $ref: '#/$defs/a', $defs: { a: { properties: { b: { $ref: '#/$defs/a' } }, required: [] } } },
      'all of': { allOf: [{ required: ['a'] }, { properties: { a: { type: 'integer' } } }] },
      'branches at the root': {
        type: 'object',
        anyOf: [
          { properties: { a: false }, required: ['a'] },
          { properties: { b: { type: 'null' } }, required: ['b'] },
        ],
      },
      formats: z.toJSONSchema(
        z.object({
          a: z.email(),
          b: z.uuid(),
          c: z.iso.datetime(),
          d: z.url(),
          e: z.iso.time(),
          f: z.nanoid(),
          g: z.e164(),
        }),
      ) as Json,
      numbers: {
        properties: {
          a: { type: 'integer', exclusiveMinimum: 5, multipleOf: 4 },
          b: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
          c: { type: 'integer', maximum: -3 },
          d: { type: 'number', minimum: 7, maximum: 7 },
        },
        required: ['a', 'b', 'c', 'd'],
      },
      texts: {
        properties: {
          a: { type: 'string', minLength: 12 },
          b: { type: 'string', maxLength: 2 },
          c: { type: 'string', pattern: '^[A-Z]{3,}$' },
          d: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
        },
        required: ['a', 'b', 'c', 'd'],
      },
      lists: {
        properties: {
          a: { type: 'array', items: { type: 'string' }, minItems: 3, uniqueItems: true },
          b: { type: 'array', items: { enum: [1, 2] }, minItems: 2, uniqueItems: true },
          c: { type: 'array', prefixItems: [{ type: 'null' }, { type: 'boolean' }], items: false },
          d: { type: 'array', maxItems: 0 },
          e: { type: 'array', prefixItems: [{ type: 'null' }], items: { type: 'string' }, minItems: 3, maxItems: 3 },
          f: { type: 'array', items: { type: 'integer' }, minItems: 2, uniqueItems: true },
        },
        required: ['a', 'b', 'c', 'd', 'e', 'f'],
      },
      'names of Object': { properties: { constructor: { type: 'integer' } }, required: ['constructor', 'toString'] },
      'all or none': { properties: { a: {}, b: {} }, dependentRequired: { a: ['b'] } },
      'its own example': { properties: { a: { pattern: '^zz9$' } }, required: ['a'], examples: [{ a: 'zz9' }] },
    };
    for (const [what, inputSchema] of Object.entries(schemas)) {
      const { description } = describeTwin({ name: what, inputSchema: inputSchema as object });
      assert.equal(wrongWith(exampleOf(description), inputSchema), undefined, description);
    }
  });

  it('of random schemas: valid, or refused in words', (test) => {
    let made = 0;
    checkRandomly(
      test,
      fc.property(fc.integer(), (seed) => {
        const inputSchema = rootSchema(random(seed));
        let description: string;
        try {
          const tool = { name: 'a', inputSchema: inputSchema as object };
          ({ description } = createTwin({ tool, forward: () => undefined }).definition);
        } catch (error) {
          assert.ok(error instanceof DefinitionError, String(error));
          return;
        }
        assert.equal(wrongWith(exampleOf(description), inputSchema), undefined, description);
        made++;
      }),
      { numRuns: 300, endOnFailure: true },
    );
    assert.ok(made > 100, `${made} of 300 have an example`);
    test.diagnostic(`${made} of 300 have an example`);
  });

  it('the lint has nothing to say about twins of real servers', { skip: captures.skip }, (test) => {
    const rules = [rawTwinDescription, rawTwinExample, rawTwinInput];
    const folders = readdirSync(captures.path).map((folder) => join(captures.path, folder));
    // The newest capture of each.
    const files = folders.map((folder) => join(folder, readdirSync(folder).sort().at(-1) as string));
    const tools = files.flatMap((file) => readToolList(readJsonFile(file) as Json).tools);
    for (const tool of tools) {
      const sibling = { ...tool, annotations: { readOnlyHint: false }, extra: { validated: true } };
      const twin = describeTwin(sibling as ToolDefinition) as unknown as Contract;
      const list = { tools: new Map([sibling, twin].map((one) => [one.name, one as Contract])) };
      const said = rules.flatMap(({ find }) => [...find(twin, list)]);
      assert.deepEqual(said, [], twin.description);
    }
    test.diagnostic(`${tools.length} tools`);
  });

  it('an example that is given has to be valid, and registering asks for one where none could be made', () => {
    const text = { type: 'string', pattern: '^(?=zz)zz9$' };
    const inputSchema = { type: 'object', properties: { a: text }, required: ['a'] };
    const tool = { name: 'a', inputSchema };
    const forward = () => undefined;
    assert.throws(() => createTwin({ tool, forward }), fails('/example', /give one/));
    const unreadable = { ...tool, inputSchema: { ...inputSchema, properties: { a: { $ref: '#/$defs/%zz' } } } };
    assert.throws(() => createTwin({ tool: unreadable, forward }), fails('/example', /give one/));
    for (const describe of [
      describeTwin,
      (one: ToolDefinition, more?: object) => createTwin({ tool: one, forward, ...more }).definition,
    ]) {
      assert.throws(() => describe(tool, { example: { b: 1 } }), fails('/example', /`a` is required/));
      assert.equal(exampleOf(describe(tool, { example: { a: 'zz9' } }).description), '{"a":"zz9"}');
    }
  });

  it('the list goes on where no example can be made, without one', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    let now: ToolDefinition = { name: 'save', inputSchema };
    const list = toolsList(() => ({ ...NOW, tools: [now, describeTwin(now), ASK] }));
    const before = await list.answer();
    now = { ...now, inputSchema: { ...inputSchema, properties: { a: { type: 'string', pattern: '(?<!b)\\1' } } } };
    const answer = await list.fetch(new Request(`http://a${PATH}`));
    assert.equal(answer.status, 200);
    const { tools } = JSON.parse(await answer.text()) as { tools: { name: string; description: string }[] };
    const [first, twin] = [JSON.parse(before.body).tools, tools].map((all) =>
      all.find(({ name }: { name: string }) => name === 'save_raw'),
    );
    assert.equal(exampleOf(first.description), '{"a":"text"}');
    assert.equal(twin.description, first.description.replace(/^Example payload: .*\n/m, ''));
  });

  it('an example is written from a pattern, of the length that is wanted', () => {
    for (const [pattern, example, more] of [
      ['^[A-Z]{3}-\\d{4}$', 'AAA-1111'],
      ['^v\\d+\\.\\d+$', 'v1.1'],
      ['^proj_', 'proj_a'],
      ['^/', '/a'],
      ['\\.json$', 'a.json'],
      ['^[a-z]{2}-[A-Z]{2}$', 'aa-AA'],
      ['^(feat|fix)/', 'feat/a'],
      ['^[^/]+@[^/]+$', 'user@example.com'],
      ['^sha256:[0-9a-f]{64}$', `sha256:${'a'.repeat(64)}`],
      ['^\\d+(\\.\\d+)?(ms|s)$', '1.1ms'],
      ['^[0-9A-HJKMNP-TV-Z]{26}$', 'A'.repeat(26)],
      ['^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$', 'AA:AA:AA:AA:AA:AA'],
      ['^((25[0-5]|1?\\d)\\.){3}(25[0-5]|1?\\d)/\\d{1,2}$', '251.251.251.251/1'],
      ['^usr_[a-z]+$', `usr_${'a'.repeat(8)}`, { minLength: 12 }],
      ['^#[!-/]*$', '#', { maxLength: 1 }],
    ] as const) {
      const text = { type: 'string', pattern, ...more };
      const inputSchema = { type: 'object', properties: { x: text }, required: ['x'] };
      const { description } = createTwin({ tool: { name: 'a', inputSchema }, forward: () => undefined }).definition;
      assert.deepEqual(JSON.parse(exampleOf(description)), { x: example }, pattern);
    }
    const endless = { type: 'string', pattern: '^((z{999}){999}){999}$' };
    const inputSchema = { type: 'object', properties: { x: endless }, required: ['x'] };
    assert.equal(exampleOf(describeTwin({ name: 'a', inputSchema }).description), '');
  });

  it('an example of what contains itself ends', () => {
    const kids = { type: 'array', items: { $ref: '#/$defs/tree' } };
    const tree = { type: 'object', properties: { v: { type: 'integer' }, kids }, required: ['v', 'kids'] };
    const inputSchema = {
      type: 'object',
      $defs: { tree },
      properties: { at: { $ref: '#/$defs/tree' } },
      required: ['at'],
    };
    const { description } = createTwin({ tool: { name: 'a', inputSchema }, forward: () => undefined }).definition;
    assert.deepEqual(JSON.parse(exampleOf(description)), { at: { v: 1, kids: [{ v: 1, kids: [] }] } });
  });

  it('a long one gives up what the tool says about fields, and no field', () => {
    const names = Array.from({ length: 80 }, (_, index) => `field_${index}`);
    const words = { type: 'string', description: 'words '.repeat(60) };
    const properties = Object.fromEntries(names.map((name) => [name, words]));
    const { description } = describeTwin({ name: 'a', inputSchema: { type: 'object', properties } });
    assert.ok(description.length <= 4_096, `${description.length}`);
    for (const name of names) assert.match(description, new RegExp(`^- ${name}: string$`, 'm'));
  });

  it('hundreds of fields are all named, beyond what the client shows, and the example stands before them', () => {
    const names = Array.from({ length: 300 }, (_, index) => `field_${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const { description } = describeTwin({ name: 'a', inputSchema: { type: 'object', properties } });
    assert.ok(description.length > 4_096, `${description.length}`);
    assert.ok(description.indexOf('Example payload:') < description.indexOf('field_0'));
    assert.ok(description.endsWith(names.map((name) => `- ${name}: string`).join('\n')));
  });

  it('is the same from a schema of Zod', () => {
    const zod = z.object({
      a: z.discriminatedUnion('k', [z.object({ k: z.literal('x') }), z.object({ k: z.literal('y') })]),
    });
    assert.deepEqual(
      describeTwin({ name: 'a', inputSchema: zod }),
      describeTwin({ name: 'a', inputSchema: z.toJSONSchema(zod) }),
    );
    assert.match(describeTwin({ name: 'a', inputSchema: zod }).description, /Branch `k` = "y" of a:/);
  });
});

describe('a payload', () => {
  const refused = (text: string, why: RegExp, limits?: object) =>
    assert.throws(
      () => parsePayload(text, limits),
      (error) => {
        assert.ok(error instanceof PayloadError, String(error));
        assert.match(error.message, why);
        assert.ok(error.message.length < 300 && !error.message.includes('\n'), error.message);
        return true;
      },
    );

  it('that is an object comes out as it went in', (test) => {
    const plain = fc
      .object({ withNullPrototype: false, maxDepth: 5 })
      .map((value) => JSON.parse(JSON.stringify(value)));
    const clean = plain.filter((value) => !/"(__proto__|prototype)":/.test(JSON.stringify(value)));
    checkRandomly(
      test,
      fc.property(clean, (value) => assert.deepEqual(parsePayload(JSON.stringify(value, null, 1)), value)),
    );
  });

  it('that JSON.parse refuses is refused', (test) => {
    let refusals = 0;
    checkRandomly(
      test,
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ a1\n') }), (text) => {
        try {
          JSON.parse(text);
        } catch {
          refusals++;
          assert.throws(() => parsePayload(text), PayloadError);
        }
      }),
      { numRuns: 2_000 },
    );
    assert.ok(refusals > 500, `${refusals} texts are no JSON`);
  });

  it('that is hostile is refused in a few words', () => {
    refused(JSON.stringify({ a: 'x'.repeat(10 * 1024 * 1024) }), /larger than 4194304 bytes/);
    refused(JSON.stringify({ a: 'é'.repeat(60) }), /larger than 100 bytes/, { maxBytes: 100 });
    refused(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /nested deeper than 100/);
    refused(`{"a":${'['.repeat(10_000)}`, /nested deeper than 100/);
    refused('{"__proto__":{"admin":true}}', /__proto__/);
    refused('{"a":[{"\\u005f_proto__":1}]}', /__proto__/);
    refused('{"constructor":{"prototype":{"admin":true}}}', /prototype/);
    refused('{"a":1,"b":2,"\\u0061":3}', /`a` twice/);
    refused('{"a":{"b":1,"b":1}}', /`b` twice/);
    refused(`{"${'x'.repeat(100_000)}":1,"${'x'.repeat(100_000)}":1}`, /twice/);
    refused('', /not JSON/);
    refused('{"a":1', /not JSON/);
    refused("{'a': 1}", /not JSON/);
    refused(`{"a": ${'x'.repeat(100_000)}}`, /not JSON/);
    refused('{"a\u001b[31m', /not JSON/);
    refused('null', /not of null/);
    refused('[{"a":1}]', /not of an array/);
    refused('12', /not of a number/);
    refused(JSON.stringify(JSON.stringify({ a: 1 })), /encoded twice/);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  it('that only looks so is not', () => {
    for (const value of [
      { constructor: 'a person' },
      { constructor: { name: 'x' } },
      { prototype: 1 },
      { a: { b: 1 }, b: { b: 1 } },
      { a: '"a":1,"a":2' },
      [1, { a: '{"__proto__":1}' }],
    ]) {
      assert.deepEqual(parsePayload(JSON.stringify({ value })), { value });
    }
  });
});

/** Sends one request after the other, as a client of 2025 does; gives the raw answers. */
const connect = async (server: { connect(transport: never): Promise<void> }) => {
  const waiting = new Map<number, (answer: JsonObject) => void>();
  const transport = {
    onmessage: (_message: object) => {},
    start: async () => {},
    close: async () => {},
    send: async (message: { id: number }) => waiting.get(message.id)?.(message as unknown as JsonObject),
  };
  await server.connect(transport as never);
  let id = 0;
  const ask = (method: string, params: object = {}) =>
    new Promise<JsonObject>((done) => {
      id += 1;
      waiting.set(id, done);
      transport.onmessage({ jsonrpc: '2.0', id, method, params });
    });
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } });
  transport.onmessage({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = async (name: string, args: unknown) =>
    (await ask('tools/call', { name, arguments: args })) as JsonObject;
  return {
    list: async () => ((await ask('tools/list')).result as unknown as { tools: Contract[] }).tools,
    call,
    result: async (name: string, args: unknown) => (await call(name, args)).result as unknown as ToolResult,
  };
};

const textOf = ({ content }: ToolResult): string => content.map((block) => (block as { text: string }).text).join('\n');

const INFO = { name: 'a', version: '1' };
const CAPABILITIES = { capabilities: { tools: {} } };
const LISTED = [{ name: 'write_note', inputSchema: { type: 'object' as const } }];
const served = (name: string) => ({ content: [{ type: 'text' as const, text: `served ${name}` }] });

type Register = (server: Parameters<typeof rawTwin>[0]) => unknown;
const SERVERS: Record<string, (register: Register) => { connect(transport: never): Promise<void> }> = {
  'McpServer 1.x': (register) => {
    const server = new McpServer1(INFO);
    server.registerTool('write_note', { inputSchema: { title: z.string() } }, () => served('write_note'));
    register(server);
    return server;
  },
  'McpServer 1.x with Zod 3': (register) => {
    const server = new McpServer1(INFO);
    register(server);
    server.registerTool('write_note', { inputSchema: { title: z3.string() } }, () => served('write_note'));
    return server;
  },
  'McpServer 2.x': (register) => {
    const server = new McpServer2(INFO);
    server.registerTool('write_note', { inputSchema: z.object({ title: z.string() }) }, () => served('write_note'));
    register(server);
    return server;
  },
  'Server 1.x, handlers before': (register) => {
    const server = new Server1(INFO, CAPABILITIES);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => served(params.name));
    register(server);
    return server;
  },
  'Server 1.x, handlers after': (register) => {
    const server = new Server1(INFO, CAPABILITIES);
    register(server);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => served(params.name));
    return server;
  },
  'Server 2.x, handlers before': (register) => {
    const server = new Server2(INFO, CAPABILITIES);
    server.setRequestHandler('tools/list', () => ({ tools: LISTED }));
    server.setRequestHandler('tools/call', ({ params }) => served(params.name));
    register(server);
    return server;
  },
  'Server 2.x, handlers after': (register) => {
    const server = new Server2(INFO, CAPABILITIES);
    register(server);
    server.setRequestHandler('tools/list', () => ({ tools: LISTED }));
    server.setRequestHandler('tools/call', ({ params }) => served(params.name));
    return server;
  },
};

for (const [kind, start] of Object.entries(SERVERS)) {
  describe(`a twin on ${kind}`, () => {
    const got: { body: JsonObject; text: string; extra: unknown }[] = [];
    let forward: Forward = () => 'saved';
    const open = () =>
      connect(
        start((server) =>
          rawTwin(server, {
            tool: NOTE,
            forward: (body, context) => {
              got.push({ body, ...context });
              return forward(body, context);
            },
          }),
        ),
      );

    it('is listed beside its tool, with exactly one text', async () => {
      const tools = await (await open()).list();
      assert.deepEqual(tools.map(({ name }) => name).sort(), ['write_note', 'write_note_raw']);
      const { name, description, inputSchema, annotations } = tools.find(({ name }) =>
        name.endsWith('_raw'),
      ) as Contract;
      const { $schema, ...schema } = inputSchema as JsonObject;
      assert.deepEqual({ name, description, inputSchema: schema, annotations }, describeTwin(NOTE));
    });

    it('forwards every field as it came, and its tool still answers', async () => {
      const { result } = await open();
      const payload = '{ "title": "a", "new": {"deep": [1, null]}, "constructor": "b", "id": 9007199254740993 }';
      got.length = 0;
      assert.deepEqual(textOf(await result('write_note_raw', { payload })), 'saved');
      assert.equal(got.length, 1);
      assert.equal(got[0]?.text, payload);
      assert.deepEqual(got[0]?.body, JSON.parse(payload));
      assert.notEqual(got[0]?.extra, undefined);
      assert.equal(textOf(await result('write_note', { title: 'a' })), 'served write_note');
    });

    it('refuses in words what is no payload, and forwards nothing of it', async () => {
      const { result } = await open();
      got.length = 0;
      const wrong: [args: unknown, why: RegExp][] = [
        [{}, /payload must be a string/],
        [{ payload: { title: 'a' } }, /payload must be a string, .*not the arguments/],
        [{ payload: '{}', title: 'a' }, /`title` is not a parameter/],
        [{ payload: 'title' }, /not JSON/],
        [{ payload: '{"__proto__":{"admin":true}}' }, /__proto__/],
        [{ payload: `${'['.repeat(10_000)}` }, /deeper/],
        [{ payload: `{"a":"${'x'.repeat(10 * 1024 * 1024)}"}` }, /larger/],
      ];
      for (const [args, why] of wrong) {
        const refused = await result('write_note_raw', args);
        assert.equal(refused.isError, true);
        assert.match(textOf(refused), why);
        assert.ok(textOf(refused).length < 300);
      }
      assert.deepEqual(got, []);
      assert.equal(({} as { admin?: boolean }).admin, undefined);
    });

    it("passes the server's own answer on whole", async () => {
      const { result, call } = await open();
      const answer = async (given: Forward) => {
        forward = given;
        const { content, isError } = await result('write_note_raw', { payload: '{}' });
        return { texts: content.map((block) => (block as { text: string }).text), isError: isError === true };
      };
      const issues = Array.from({ length: 500 }, (_, index) => ({ path: ['a', index], message: `wrong: ${index}` }));
      const body = JSON.stringify({ issues });
      const refusal = () => new Response(body, { status: 422 });
      assert.deepEqual(await answer(refusal), { texts: ['HTTP 422', body], isError: true });
      assert.deepEqual(await answer(() => new Response('fine')), { texts: ['fine'], isError: false });
      assert.deepEqual(await answer(() => ({ id: 1 })), { texts: ['{"id":1}'], isError: false });
      assert.deepEqual(await answer(() => undefined), { texts: [], isError: false });
      assert.deepEqual(await answer(() => served('it')), { texts: ['served it'], isError: false });
      const zod = await answer((given) => void RELEASES['2026-04-10'].parse(given));
      const found = RELEASES['2026-04-10'].safeParse({}).error?.issues;
      assert.deepEqual([JSON.parse(zod.texts[0] ?? ''), zod.isError], [found, true]);
      const thrown = () => {
        throw new Error('disk\nfull');
      };
      assert.deepEqual(await answer(thrown), { texts: ['disk\nfull'], isError: true });
      forward = () => {
        throw Object.assign(new Error('no such note'), { code: -32602 });
      };
      assert.match(JSON.stringify(await call('write_note_raw', { payload: '{}' })), /no such note/);
    });

    it('is registered once', () => {
      start((server) => {
        rawTwin(server, { tool: NOTE, forward });
        rawTwin(server, { tool: ASK, forward });
        assert.throws(() => rawTwin(server, { tool: ASK, forward }), /already registered/);
      });
    });
  });
}

describe('twins without an SDK', () => {
  it('answer calls by themselves', async () => {
    const { definition, call } = createTwin({ tool: NOTE, forward: (body) => ({ body }), maxDepth: 2 });
    assert.deepEqual(definition, describeTwin(NOTE));
    assert.deepEqual(await call({ payload: '{"a":{}}' }), { content: [{ type: 'text', text: '{"body":{"a":{}}}' }] });
    assert.equal((await call({ payload: '{"a":{"b":{}}}' })).isError, true);
    for (const args of [undefined, null, 'payload', []]) assert.equal((await call(args)).isError, true);
  });

  it('what is no server of the SDK is said to be none', () => {
    const server = { setRequestHandler: () => {} };
    assert.throws(() => rawTwin(server, { tool: NOTE, forward: () => {} }), /official SDK/);
  });

  it('are on the last page of a list, however many there are and whatever is set later', async () => {
    const server = new Server1(INFO, CAPABILITIES);
    const forward = () => 'saved';
    rawTwin(server, { tool: NOTE, forward });
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => served(params.name));
    rawTwin(server, { tool: ASK, forward });
    let nextCursor: string | undefined = '2';
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED, nextCursor }));
    const { list, result } = await connect(server);
    const names = async () => (await list()).map(({ name }) => name);
    assert.deepEqual(await names(), ['write_note']);
    nextCursor = undefined;
    assert.deepEqual(await names(), ['write_note', 'write_note_raw', 'ask_raw']);
    assert.equal(textOf(await result('ask_raw', { payload: '{}' })), 'saved');
    assert.equal(textOf(await result('ask', {})), 'served ask');
  });
});

describe('the example server', () => {
  const rpc = async (url: string, method: string, params: object) => {
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await answer.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result;
  };
  const started = async (test: TestContext, major: Major) => {
    const server = await startNotes(major);
    test.after(server.close);
    return server;
  };

  for (const major of ['1.x', '2.x'] as const) {
    it(`${major}: a field that is new arrives through the twin, and its absence is refused in the server's words`, async (test) => {
      const { url, release, notes } = await started(test, major);
      const send = (args: object) =>
        rpc(url, 'tools/call', { name: 'write_note_raw', arguments: { payload: JSON.stringify(args) } });
      assert.equal((await send({ title: 'a' })).isError, undefined);
      release('2026-04-10');
      const refused = await send({ title: 'b' });
      assert.equal(refused.isError, true);
      assert.deepEqual(JSON.parse(refused.content[1].text).issues[0].path, ['tags']);
      await send({ title: 'c', tags: ['new'] });
      assert.deepEqual(notes, [{ title: 'a' }, { title: 'c', tags: ['new'] }]);
    });

    it(`${major}: the endpoint and MCP agree about the tools`, async (test) => {
      const { url } = await started(test, major);
      const advertised = readToolList((await (await fetch(url + PATH)).json()) as Json).tools;
      const listed = (await rpc(url, 'tools/list', {})).tools as Contract[];
      const bare = ({ name, description, inputSchema }: Contract) => {
        const { $schema, ...schema } = inputSchema as JsonObject;
        return { name, description, schema };
      };
      const sorted = listed.map(bare).sort((one, other) => (one.name < other.name ? -1 : 1));
      assert.deepEqual(sorted, advertised.map(bare));
    });
  }
});
