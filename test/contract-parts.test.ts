// Small parts of reading contracts, each with its cases: forms of lists, names, addresses, signatures, texts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearNames } from '../scripts/contract/near-name.ts';
import { safeUri, toOffers } from '../scripts/contract/offers.ts';
import { listsNames, ofOtherNames, takesAnyName } from '../scripts/contract/other-names.ts';
import { toRegExp } from '../scripts/contract/pattern.ts';
import { withoutProse } from '../scripts/contract/prose.ts';
import { LIMITS, NotAToolList, parseBounded, readListed, readToolList } from '../scripts/contract/read.ts';
import { excludesType } from '../scripts/contract/readable.ts';
import { asOneDocument, targetOf } from '../scripts/contract/references.ts';
import { signature } from '../scripts/contract/signature.ts';
import type { Json, JsonObject } from '../scripts/contract/types.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

describe('the forms of a list of tools', () => {
  const TOOL = { name: 'put', inputSchema: object({ a: true }) };
  const { inputSchema } = TOOL;
  const FORMS: [string, Json, string[]][] = [
    ['a result', { tools: [TOOL] }, ['put']],
    ['an empty one', { tools: [] }, []],
    ['an answer around it', { jsonrpc: '2.0', id: 1, result: { tools: [TOOL] } }, ['put']],
    ['an answer that has an empty error, too', { error: {}, result: { tools: [TOOL] } }, ['put']],
    ['a bare list', [TOOL], ['put']],
    ['one tool', TOOL, ['put']],
    ['one tool without a name', { inputSchema }, ['tool']],
    ['one tool that lists branches only', { name: 'put', branches: ['a'] }, ['put']],
    ['a map', { put: { inputSchema } }, ['put']],
    ['a map under its key', { tools: { put: { inputSchema } } }, ['put']],
    ['a map of tools that list branches only', { tools: { put: { branches: { a: {} } } } }, ['put']],
    [
      'other spellings',
      [
        { name: 'put', input_schema: inputSchema },
        { name: 'get', schema: inputSchema },
      ],
      ['put', 'get'],
    ],
    ['fields that are null', [{ ...TOOL, title: null, description: null }], ['put']],
  ];
  for (const [what, value, names] of FORMS)
    it(what, () => {
      const { tools } = readToolList(value);
      assert.deepEqual(
        tools.map(({ name }) => name),
        names,
      );
      for (const tool of tools) assert.ok(!('input_schema' in tool) && tool.title === undefined && !tool.extra);
    });
  for (const [what, value] of [
    ['nothing', {}],
    ['an empty map', { tools: {} }],
    ['a text', 'x'],
    ['an error', { error: { code: 1 } }],
    ['branches only, in a map without its key', { put: { branches: ['a'] } }],
    ['a tool twice', [TOOL, TOOL]],
    ['a map with something else in it', { put: { inputSchema }, get: 1 }],
    ['branches of no form', [{ ...TOOL, branches: 'a' }]],
    ['too many branches', [{ ...TOOL, branches: Array.from({ length: LIMITS.branches + 1 }, (_, at) => `${at}`) }]],
    ['a branch that is a number', [{ ...TOOL, branches: [1] }]],
    ['no name', [{ ...TOOL, name: '' }]],
  ] as [string, Json][])
    it(`is none: ${what}`, () => assert.throws(() => readToolList(value), NotAToolList));
  it('versions and times to live, in both spellings', () => {
    assert.equal(readToolList({ schemaVersion: 'v', tools: [TOOL] }).schemaVersion, 'v');
    assert.equal(readToolList({ schema_version: 'v', tools: [TOOL] }).schemaVersion, 'v');
    assert.equal(readToolList({ schema_version: null, tools: [TOOL] } as Json).schemaVersion, undefined);
    assert.throws(() => readToolList({ ttlMs: -1, tools: [TOOL] }), NotAToolList);
  });
  it('one tool that cannot be read spoils only itself', () => {
    const deep = `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`;
    const text = `{"tools":[${JSON.stringify(TOOL)},{"name":"deep","inputSchema":${deep}},{"name":"none"}]}`;
    const found = readListed(text).tools.map(({ name, defect }) => [name, defect !== undefined]);
    assert.deepEqual(found, [
      ['put', false],
      ['deep', true],
      ['none', true],
    ]);
    assert.throws(() => readListed('{"tools":[{"name":"none"}]}'), NotAToolList);
    const beside = `{"tools":[${JSON.stringify(TOOL)}],"more":${deep}}`;
    assert.throws(() => readListed(beside), NotAToolList);
    const twice = { tools: [TOOL, { ...TOOL }, { ...TOOL, title: 'other' }] };
    assert.equal(readListed(JSON.stringify(twice)).tools.length, 1);
    assert.match(String(readListed(JSON.stringify(twice)).tools[0]?.defect), /twice/);
    assert.equal(readListed(JSON.stringify({ tools: [TOOL, { ...TOOL }] })).tools[0]?.defect, undefined);
  });
  it('as large as allowed, and no larger', () => {
    assert.deepEqual(parseBounded('["é"]', { bytes: 6 }), ['é']);
    assert.throws(() => parseBounded('["é"]', { bytes: 5 }), NotAToolList);
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    assert.doesNotThrow(() => parseBounded(nested(LIMITS.depth)));
    assert.throws(() => parseBounded(nested(LIMITS.depth + 1)), NotAToolList);
    assert.doesNotThrow(() => parseBounded(JSON.stringify([`\\"${nested(500)}`, '[[\\'])));
  });
});

describe('the names that an unknown name is near to', () => {
  for (const [name, known, near] of [
    ['limt', ['limit', 'offset'], ['limit']],
    ['limti', ['limit', 'offset'], ['limit']],
    ['limitt', ['limit', 'offset'], ['limit']],
    ['lomit', ['limit', 'offset'], ['limit']],
    ['lomot', ['limit', 'offset'], []],
    ['pageSize', ['page_size', 'page'], ['page_size']],
    ['size_page', ['page_size', 'page'], ['page_size']],
    ['email', ['send_email', 'send_sms'], ['send_email']],
    ['send_mail', ['send_email', 'send_email_now'], ['send_email']],
    ['abc', ['abd', 'xyz'], []],
    ['limit', ['limit'], []],
    ['limits', ['limit', 'limita'], ['limit', 'limita']],
    ['other', ['limit', 'offset'], []],
    ['a'.repeat(65), ['a'.repeat(64)], []],
    ['a'.repeat(64), ['a'.repeat(65)], []],
    ['maximumresults', ['maximumresultsper', 'maximumresultspage'], ['maximumresultsper']],
    ['get_user_by_id', ['get_usr_by_id', 'get_user_by_ids'], ['get_usr_by_id', 'get_user_by_ids']],
  ] as [string, string[], string[]][])
    it(`${name.slice(0, 20)} among ${known.map((one) => one.slice(0, 20))}`, () =>
      assert.deepEqual(nearNames(name, known), near));
});

describe('what a schema says of names that it does not list', () => {
  for (const [schema, lists, others] of [
    [{}, false, true],
    [object({ a: true }), true, true],
    [object({}), true, true],
    [object({}, { additionalProperties: true }), false, true],
    [object({ a: true }, { additionalProperties: false }), true, false],
    [object({ a: true }, { additionalProperties: { not: {} } }), true, false],
    [object({ a: true }, { additionalProperties: {} }), true, true],
    [{ additionalProperties: { type: 'string' } }, false, { type: 'string' }],
    [{ unevaluatedProperties: { type: 'string' } }, false, { type: 'string' }],
    [{ additionalProperties: true, unevaluatedProperties: false }, false, true],
    [{ patternProperties: { '^.*$': { type: 'string' } } }, false, { type: 'string' }],
    [{ patternProperties: { '': { type: 'string' } } }, false, { type: 'string' }],
    [{ patternProperties: { '^[\\s\\S]*$': false } }, false, false],
    [{ patternProperties: { '^a': { type: 'string' } } }, true, true],
    [{ propertyNames: { enum: ['a'] } }, true, true],
    [{ propertyNames: { type: 'string', title: 'Name' } }, false, true],
    [{ propertyNames: { minLength: 1 } }, true, true],
    [{ propertyNames: true }, false, true],
  ] as [JsonObject, boolean, Json][])
    it(JSON.stringify(schema), () => {
      assert.deepEqual([listsNames(schema), ofOtherNames(schema)], [lists, others]);
      assert.equal(takesAnyName(schema), !lists && others !== false);
    });
  it('and which types it excludes', () => {
    for (const [type, expected] of [
      ['string', true],
      ['null', false],
      [['string', 'null'], false],
      [['string', 'number'], true],
      ['any', false],
      [['string', 'any'], false],
      [[], false],
    ] as [Json, boolean][])
      assert.equal(excludesType({ type }, 'null'), expected, JSON.stringify(type));
    assert.equal(excludesType({}, 'null'), false);
  });
});

describe('addresses in a schema', () => {
  const at = (dialect: string, definition: JsonObject, reference = 'limit.json'): JsonObject => ({
    $schema: dialect,
    properties: { wait: { $ref: reference } },
    definitions: { limit: definition },
  });
  const [DRAFT_4, DRAFT_7] = ['http://json-schema.org/draft-04/schema#', 'http://json-schema.org/draft-07/schema#'];
  const leadsTo = (schema: JsonObject): Json | undefined => {
    const one = asOneDocument(schema) as { properties: { wait: { $ref: string } } };
    return targetOf(one.properties.wait.$ref, one as unknown as Json);
  };
  it('are written as `id` in draft 4 alone', () => {
    assert.deepEqual(leadsTo(at(DRAFT_4, { id: 'limit.json', maximum: 9 })), { maximum: 9 });
    assert.equal(leadsTo(at(DRAFT_7, { id: 'limit.json', maximum: 9 })), undefined);
    assert.deepEqual(leadsTo(at(DRAFT_7, { $id: 'limit.json', maximum: 9 })), { maximum: 9 });
    // Beside `$id` it says nothing.
    assert.deepEqual(leadsTo(at(DRAFT_4, { id: 'other.json', $id: 'limit.json', maximum: 9 })), {
      id: 'other.json',
      maximum: 9,
    });
  });
  it('a property called `id` is none', () => {
    const schema = at(DRAFT_4, { properties: { id: { type: 'string' } } }, '#/definitions/limit');
    assert.equal(asOneDocument(schema), schema);
  });
  it('are read from the document around them', () => {
    const inner = { $id: 'inner/', properties: { a: { $ref: 'leaf.json' }, b: { $ref: '#/$defs/leaf' } } };
    const schema: JsonObject = {
      $id: 'https://example.com/root/',
      properties: {
        one: { ...inner, $defs: { leaf: { $id: 'leaf.json', maximum: 1 } } },
        two: { $ref: 'inner/leaf.json' },
      },
      $defs: { leaf: { maximum: 2 } },
    };
    const one = asOneDocument(schema) as unknown as {
      $id: string;
      properties: { one: { $id?: string; properties: Record<string, { $ref: string }> }; two: { $ref: string } };
    };
    assert.deepEqual([one.$id, one.properties.one.$id], ['https://example.com/root/', undefined]);
    for (const { $ref } of [...Object.values(one.properties.one.properties), one.properties.two])
      assert.equal($ref, '#/properties/one/%24defs/leaf');
  });
  it('two schemas of one address are none', () => {
    const schema = at(DRAFT_7, { $id: 'limit.json', maximum: 9, properties: { again: { $id: '/limit.json' } } });
    assert.equal(leadsTo(schema), undefined);
  });
});

describe('a signature', () => {
  const many = (length: number): JsonObject =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`p${at}`, { type: 'string' }]));
  for (const [what, schema, expected] of [
    [
      'required names first',
      object({ a: { type: 'integer' }, b: { type: 'string' } }, { required: ['b'] }),
      'b: string, a?: integer',
    ],
    ['several types', object({ a: { type: ['integer', 'null'] } }), 'a?: integer | null'],
    [
      'each known type',
      object({ a: { type: ['array', 'boolean', 'number', 'object'] } }),
      'a?: any[] | boolean | number | object',
    ],
    ['as many values as are shown', object({ a: { enum: [1, 2, 3, 4, 5, 6] } }), 'a?: 1 | 2 | 3 | 4 | 5 | 6'],
    ['more values', object({ a: { enum: [1, 2, 3, 4, 5, 6, 7] } }), 'a?: 1 | 2 | 3 | 4 | 5 | 6 | … 1 more'],
    [
      'what nothing fits',
      object({ a: { not: {} }, b: { enum: [] }, c: { not: { type: 'null' } } }),
      'a?: never, b?: never, c?: any',
    ],
    ['limits only', object({ a: { type: 'string', anyOf: [{ minLength: 1 }, { maxLength: 9 }] } }), 'a?: string'],
    [
      'a list of several',
      object({ a: { items: { type: ['string', 'null'] }, type: 'array' } }),
      'a?: (string | null)[]',
    ],
    [
      'a list of forms with fields',
      object({
        a: { type: 'array', items: { anyOf: [object({ b: { type: 'string' } }), { type: 'null' }] } },
        c: { type: 'array', items: { oneOf: [object({ d: { type: 'integer' } })] } },
      }),
      'a?: ({ b?: string } | null)[], c?: { d?: integer }[]',
    ],
    [
      'a form of itself',
      object({ a: { $ref: '#/$defs/F' } }, { $defs: { F: { anyOf: [{ $ref: '#/$defs/F' }, { type: 'null' }] } } }),
      'a?: any | null | null',
    ],
    ['a tuple', object({ a: { type: 'array', prefixItems: [{ type: 'string' }], items: false } }), 'a?: [string]'],
    ['an open tuple', object({ a: { type: 'array', prefixItems: [{ type: 'string' }] } }), 'a?: [string, …]'],
    [
      'any name',
      object({ a: { type: 'object', additionalProperties: { type: 'string' } } }),
      'a?: { [any name]?: string }',
    ],
    ['no name', object({ a: object({}) }), 'a?: {}'],
    [
      'as many parameters as are shown',
      object(many(30)),
      Object.keys(many(30))
        .map((name) => `${name}?: string`)
        .join(', '),
    ],
    [
      'one more',
      object(many(31)),
      `${Object.keys(many(30))
        .map((name) => `${name}?: string`)
        .join(', ')}, … 1 more`,
    ],
    ['a name that is only required', object({}, { required: ['a'] }), 'a: any'],
    [
      'a name that is only required, beside what others hold',
      object({ m: { required: ['a'], type: 'object', additionalProperties: { type: 'string' } } }),
      'm?: { a: string, [any name]?: string }',
    ],
    [
      'names that are forbidden',
      object({ a: false, m: { type: 'object', patternProperties: { '^x-': false } } }),
      'a?: never, m?: { ["^x-"]?: never }',
    ],
  ] as [string, Json, string][])
    it(what, () => assert.equal(signature({ name: 'f', inputSchema: schema }), `f(${expected})`));
});

describe('texts of others', () => {
  it('a schema without its prose keeps what a call needs', () => {
    const schema = object(
      {
        a: {
          type: 'string',
          description: 'Do this!',
          title: 'T',
          default: 'x',
          enum: ['x'],
          minLength: 1,
          uniqueItems: true,
        },
      },
      {
        required: ['a'],
        $ref: '#/$defs/b',
        $defs: { b: { const: 'y', $comment: 'no' } },
        anyOf: [{ examples: [1] }],
        not: {},
      },
    );
    assert.deepEqual(withoutProse(schema), {
      type: 'object',
      properties: { a: { type: 'string', enum: ['x'], minLength: 1, uniqueItems: true } },
      required: ['a'],
      $ref: '#/$defs/b',
      $defs: { b: { const: 'y' } },
      anyOf: [{}],
      not: {},
    });
    assert.deepEqual(withoutProse({ enum: ['x'.repeat(500), { a: 'prose' }] }), {
      enum: [(withoutProse({ const: 'x'.repeat(500) }) as { const: string }).const, {}],
    });
    assert.ok(JSON.stringify(withoutProse({ const: 'x'.repeat(500) })).length < 100);
    assert.equal(
      (withoutProse({ enum: Array.from({ length: 60 }, (_, at) => at) }) as { enum: Json[] }).enum.length,
      50,
    );
  });
  it('a pattern of another language is not read', () => {
    for (const [pattern, isRead] of [
      ['^a', true],
      ['[\\w\\-]+', true],
      ['\\_', true],
      ['^a\\Z', false],
      ['\\Aa', false],
      ['[[:alpha:]]\\-', false],
      ['(', false],
    ] as [string, boolean][])
      assert.equal(toRegExp(pattern) !== undefined, isRead, pattern);
  });
  it('offers, each with its words, without what may be secret in their names', () => {
    const found = toOffers({
      prompts: [
        {
          name: 'p',
          title: 'P',
          description: 'x',
          arguments: [{ name: 'a', required: true }, { name: 'b', description: 'y' }, 1],
        },
        { title: 'none' },
        5,
      ],
      resources: [
        { uri: 'file:///a', name: 'A', mimeType: 'text/plain' },
        { uri: 'file:///b', title: 'B', name: 'b' },
      ],
      resourceTemplates: [{ uriTemplate: 'file:///{x}' }],
    });
    assert.deepEqual(found, [
      {
        name: 'prompt p',
        title: 'P',
        description: 'x',
        inputSchema: object(
          { a: { type: 'string' }, b: { type: 'string', description: 'y' } },
          { required: ['a'], additionalProperties: false },
        ),
      },
      { name: 'resource file:///a', title: 'A', inputSchema: true, outputSchema: { contentMediaType: 'text/plain' } },
      { name: 'resource file:///b', title: 'B', inputSchema: true },
      { name: 'resource template file:///{x}', inputSchema: true },
    ]);
    assert.equal(toOffers({ prompts: [{ name: 'p' }, { name: 'q' }] }, 1).length, 1);
    for (const [name, shown] of [
      ['resource https://a.example/x', /^resource https:\/\/a\.example\/x$/],
      ['resource https://user:word@a.example/x?key=1#y', /^resource https:\/\/a\.example\/x\?… #[0-9a-f]{6}$/],
      ['resource template https://a.example/x{?name}', /^resource template https:\/\/a\.example\/x\{\?name\}$/],
      ['https://a.example/#x', /^https:\/\/a\.example\/\?… #[0-9a-f]{6}$/],
    ] as [string, RegExp][])
      assert.match(safeUri(name), shown);
  });
});
