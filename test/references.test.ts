import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { namesIn, pointer } from '../scripts/contract/json-pointer.ts';
import { asOneDocument, holdsDocuments, targetOf } from '../scripts/contract/references.ts';
import { type Contract, type Json, type JsonObject, own } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { remove } from '../scripts/state/in-use.ts';
import { compile, holds } from './ajv-judge.ts';
import { checkRandomly } from './random-runs.ts';
import { instance, random, rootSchema } from './random-schema.ts';
import { runProgram } from './sandbox.ts';

describe('a JSON Pointer', () => {
  it('gives back any names that it was made of', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (names) => {
        assert.deepEqual(namesIn(names.map(pointer).join('')), names);
      }),
    );
    assert.deepEqual(namesIn(['~1', 'a/b', '~0', ''].map(pointer).join('')), ['~1', 'a/b', '~0', '']);
    assert.equal(pointer('a/~1'), '/a~1~01');
  });
});

describe('a reference', () => {
  const node = (means: string): JsonObject => ({ const: means });
  const root: JsonObject = {
    $defs: {
      plain: node('plain'),
      'a/b': node('a slash'),
      'a~b': node('a tilde'),
      '~1': node('a tilde and a one'),
      'a b%': node('a space'),
      café: node('a letter'),
      '': node('no name'),
      a: { b: node('two steps') },
      list: { anyOf: [node('first'), node('second')] },
      named: { $anchor: 'here', ...node('an anchor') },
    },
  };
  const meant: Record<string, string | undefined> = {
    '#/$defs/plain': 'plain',
    '#/$defs/a~1b': 'a slash',
    '#/$defs/a%2Fb': 'a slash',
    '#/$defs/a%7E1b': 'a slash',
    '#/$defs/a~0b': 'a tilde',
    '#/$defs/~01': 'a tilde and a one',
    '#/$defs/a%20b%25': 'a space',
    '#/%24defs/caf%C3%A9': 'a letter',
    '#/$defs/': 'no name',
    '#/$defs/a/b': 'two steps',
    '#/$defs/list/anyOf/1': 'second',
    '#/$defs/list/anyOf/': undefined,
    '#/$defs/list/anyOf/01': undefined,
    '#/$defs/list/anyOf/2': undefined,
    '#/$defs/absent': undefined,
    '#/$defs/plain/const/deeper': undefined,
    '#/$defs/%zz': undefined,
    '#here': 'an anchor',
    'other#/$defs/plain': undefined,
    'https://example.com/': undefined,
  };

  for (const [reference, means] of Object.entries(meant)) {
    it(`${reference} is ${means ?? 'nothing'}, for us and for a validator`, () => {
      const found = targetOf(reference, root);
      assert.equal(own(found, 'const'), means);
      const validator = () => compile({ ...root, properties: { value: { $ref: reference } } });
      if (means === undefined) assert.throws(validator);
      else assert.deepEqual([validator()({ value: means }), validator()({ value: 'else' })], [true, false]);
    });
  }

  it('to the whole is the whole; to what nobody named, or what every object inherits, is nothing', () => {
    assert.equal(targetOf('#', root), root);
    for (const reference of ['', '#plain', '#/$defs/constructor']) assert.equal(targetOf(reference, root), undefined);
  });

  it('is not the place of a change: that is a JSON Pointer, which leads to what changed', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'kwg-references-'));
    test.after(() => remove(folder));
    const write = (file: string, reference: string, type: string): Contract => {
      const $defs = { 'a/b': { type: 'object', properties: { 'x~y': { type } } } };
      const contract = { name: 't', inputSchema: { type: 'object', properties: { at: { $ref: reference } }, $defs } };
      writeFileSync(join(folder, file), JSON.stringify([contract]));
      return contract;
    };
    for (const reference of ['#/$defs/a%2Fb', '#/$defs/a~1b', '#/$defs/a%7E1b']) {
      write('before.json', reference, 'string');
      const after = write('after.json', reference, 'integer');
      const args = [resolve('dist/cli.cjs'), 'diff', 'before.json', 'after.json', '--json'];
      const { stdout } = await runProgram(process.execPath, args, { cwd: folder, env: { HOME: folder } });
      const [change, ...more] = JSON.parse(stdout).data.changes;
      assert.deepEqual([change.rule, more], ['input-property-type-changed', []]);
      const found = namesIn(change.path).reduce((at: unknown, name) => own(at, name), after);
      assert.equal(found, 'integer', change.path);
    }
  });

  it('is the path to what it means, where embedded documents are read as one with the whole', (test) => {
    let tried = 0;
    checkRandomly(
      test,
      fc.property(fc.integer(), (seed) => {
        const source = random(seed);
        const schema = rootSchema(source);
        const one = asOneDocument(schema) as JsonObject;
        assert.equal(holdsDocuments(one), false);
        for (let count = 0; count < 5; count++) {
          const value = instance(source, schema, schema);
          const taken = holds(schema, value);
          if (taken === undefined) return;
          tried++;
          assert.equal(holds(one, value), taken, JSON.stringify({ seed, value, schema, one }));
        }
      }),
      { numRuns: 300, endOnFailure: true },
    );
    assert.ok(tried > 500, `${tried} values were tried`);
  });

  it('that leads nowhere in its own document does not lead to one of the same name outside', () => {
    const schema = {
      properties: { a: { $id: 'inner', properties: { b: { $ref: '#/$defs/a' }, c: { $ref: '#an' } } } },
      $defs: { a: { const: 1, $anchor: 'an' } },
    };
    const one = asOneDocument(schema) as JsonObject;
    const read = ['b', 'c'].map((name) => own(own(own(own(own(one, 'properties'), 'a'), 'properties'), name), '$ref'));
    assert.deepEqual(
      read.map((reference) => targetOf(reference as string, one)),
      [undefined, undefined],
    );
  });

  it('inside another document may mean something else', () => {
    const inner = { $id: 'inner', properties: { a: { $ref: '#/$defs/a' } } };
    const holding: Json[] = [
      { $defs: { inner } },
      { properties: { a: { items: [inner] } } },
      { not: { anyOf: [inner] } },
    ];
    for (const one of holding) assert.equal(holdsDocuments(one), true, JSON.stringify(one));
    const alone: Json[] = [
      { $id: 'root', ...root },
      { default: inner, enum: [inner] },
      { properties: { $id: {} } },
      true,
    ];
    for (const one of alone) assert.equal(holdsDocuments(one), false, JSON.stringify(one));
  });
});

describe('a reference of another dialect', () => {
  const limit = { type: 'integer', maximum: 100, default: 5, description: 'Seconds to wait' };
  const tool = (schema: JsonObject): Contract => ({ name: 'put', inputSchema: schema });
  const SPEC = 'https://json-schema.org/draft';
  type Dialect = (definition: JsonObject) => JsonObject;
  const plain: Dialect = (definition) => ({
    type: 'object',
    properties: { wait: { $ref: '#/$defs/limit' } },
    $defs: { limit: definition },
  });
  const dynamic: Dialect = (definition) => ({
    $schema: `${SPEC}/2020-12/schema`,
    type: 'object',
    properties: { wait: { $dynamicRef: '#limit' } },
    $defs: { limit: { $dynamicAnchor: 'limit', ...definition } },
  });
  const dialects: Record<string, Dialect> = {
    '$dynamicRef in 2020-12': dynamic,
    '$dynamicRef where no dialect is named': (definition) => {
      const { $schema: _dialect, ...schema } = dynamic(definition);
      return schema;
    },
    'the address of a definition in draft 4': (definition) => ({
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      properties: { wait: { $ref: 'limit.json' } },
      definitions: { limit: { id: 'limit.json', ...definition } },
    }),
    'the anchor of a definition in draft 4': (definition) => ({
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      properties: { wait: { $ref: '#limit' } },
      definitions: { limit: { id: '#limit', ...definition } },
    }),
  };
  const changes: [string, JsonObject][] = [
    ['words', { ...limit, description: 'Milliseconds to wait' }],
    ['a default', { ...limit, default: 6 }],
    ['a limit', { ...limit, maximum: 50 }],
    ['a type', { ...limit, type: 'string' }],
    ['nothing', limit],
  ];
  const found = (dialect: Dialect, definition: JsonObject) =>
    diffContract(tool(dialect(limit)), tool(dialect(definition))).map(({ rule, level, parameter }) => ({
      rule,
      level,
      parameter,
    }));

  for (const [name, dialect] of Object.entries(dialects))
    for (const [what, definition] of changes)
      it(`${name}: ${what} that changed is found as behind a path`, () => {
        const expected = found(plain, definition);
        assert.equal(expected.length > 0, what !== 'nothing');
        assert.deepEqual(found(dialect, definition), expected);
      });

  it('$recursiveRef in 2019-09: a definition around it that changed is found as behind a path', () => {
    const around =
      (reference: JsonObject): Dialect =>
      (definition) => ({
        $schema: `${SPEC}/2019-09/schema`,
        type: 'object',
        properties: { tree: { $ref: '#/$defs/node' } },
        $defs: { node: { type: 'object', properties: { child: reference, wait: definition } } },
      });
    for (const [what, definition] of changes)
      assert.deepEqual(
        found(around({ $recursiveRef: '#' }), definition),
        found(around({ $ref: '#' }), definition),
        what,
      );
  });

  it('where other documents are in the way, nothing is known of a definition that changed', () => {
    const schema = (definition: JsonObject): JsonObject => ({
      ...dynamic(definition),
      $defs: { limit: { $dynamicAnchor: 'limit', ...definition }, other: { $id: 'other.json', type: 'string' } },
    });
    for (const [what, definition] of changes) {
      const its = diffContract(tool(schema(limit)), tool(schema(definition)));
      assert.ok(
        its.every(({ level }) => level === 'unclassified'),
        what,
      );
      assert.equal(
        its.some(({ parameter }) => parameter?.[0] === 'wait'),
        what !== 'nothing',
        what,
      );
    }
  });

  it('is none where the dialect has no such keyword', () => {
    const schema = (definition: JsonObject): JsonObject => ({
      ...dynamic(definition),
      $schema: 'http://json-schema.org/draft-07/schema#',
    });
    assert.deepEqual(found(schema, { ...limit, description: 'Milliseconds to wait' }), []);
  });
});
