// `$schema` alone is noise, unless the dialect makes something else of the keywords below it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { defined } from '../scripts/contract/defined.ts';
import { dialectOf } from '../scripts/contract/dialect.ts';
import { meaningHash } from '../scripts/contract/meaning.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { validateArguments } from '../scripts/contract/validate.ts';
import { viewHash } from '../scripts/contract/view.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { isSame } from '../scripts/lock/compare.ts';
import { drive, sandbox } from './sandbox.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const SINCE_2019 = 'https://json-schema.org/draft/2019-09/schema';
const SINCE_2020 = 'https://json-schema.org/draft/2020-12/schema';

const inDialect = (dialect: string | undefined, rest: JsonObject): Contract => ({
  name: 'weather',
  inputSchema: { ...defined({ $schema: dialect }), type: 'object', ...rest },
});

const beside = (more: JsonObject): JsonObject => ({
  definitions: { mode: { type: 'string' } },
  properties: { mode: { $ref: '#/definitions/mode', ...more } },
});
const SIBLING = beside({ enum: ['a', 'b'] });
const TUPLE: JsonObject = { properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } } };
const DEPENDENT: JsonObject = {
  properties: { from: { type: 'string' }, to: { type: 'string' } },
  dependentRequired: { from: ['to'] },
};

/** The content of both sides, their dialects, and the worst level of the findings; undefined for noise. */
const CHANGED: [string, JsonObject, string | undefined, string | undefined, string | undefined][] = [
  ['what stands beside a reference begins to count', SIBLING, DRAFT_07, SINCE_2020, 'breaking'],
  ['… for draft 2019-09', SIBLING, DRAFT_07, SINCE_2019, 'breaking'],
  ['… where the dialect is no longer named', SIBLING, DRAFT_07, undefined, 'breaking'],
  ['what stands beside a reference counts no longer', SIBLING, SINCE_2020, DRAFT_07, 'compatible'],
  ['it counts in both', SIBLING, undefined, SINCE_2020, undefined],
  ['words beside a reference are read in each', beside({ description: 'how' }), DRAFT_07, SINCE_2020, undefined],
  ['a reference alone', beside({}), DRAFT_07, SINCE_2020, undefined],
  ['a keyword that is nobody’s', beside({ 'x-order': 1 }), DRAFT_07, SINCE_2020, undefined],
  ['a keyword that is new begins to count', DEPENDENT, DRAFT_07, SINCE_2020, 'breaking'],
  ['a keyword that is new counts no longer', DEPENDENT, SINCE_2020, DRAFT_07, 'compatible'],
  ['a list of items that is none any more', TUPLE, DRAFT_07, SINCE_2020, 'compatible'],
  ['a list of items in two drafts that know it', TUPLE, DRAFT_07, SINCE_2019, undefined],
  ['dependencies, which all of them know', { dependencies: { a: ['b'] } }, DRAFT_07, SINCE_2020, undefined],
  ['nothing that any of them reads in its own way', { properties: { a: true } }, DRAFT_07, SINCE_2020, undefined],
];

const box = (test: TestContext, contract: Contract) => sandbox(test, [contract]);

it('each draft counts among those that validators read alike', () => {
  const named = (at: string) => dialectOf({ $schema: `https://json-schema.org/${at}/schema` });
  const drafts = ['03', '04', '05', '06', '07'].map((draft) => named(`draft-${draft}`));
  assert.deepEqual(new Set(drafts), new Set(['legacy']));
  assert.deepEqual(['draft/2019-09', 'draft/2020-12'].map(named), ['2019-09', '2020-12']);
  assert.deepEqual(
    [named('draft-02'), named('draft-08'), dialectOf({ $schema: 7 }), dialectOf(true)],
    Array(4).fill('unnamed'),
  );
});

describe('a change of `$schema`', () => {
  for (const [name, schema, before, after, level] of CHANGED) {
    it(`${name}: ${level ?? 'noise'}`, async (test) => {
      const [old, now] = [inDialect(before, schema), inDialect(after, schema)];
      assert.equal(meaningHash(old) === meaningHash(now), level === undefined);
      assert.equal(viewHash(old) === viewHash(now), level === undefined);
      assert.equal(isSame(old, now), level === undefined);
      assert.equal(diffContract(old, now)[0]?.level, level);
      const { home } = await box(test, old);
      const files = [old, now].map((contract, index) => {
        const file = join(home, `${index}.json`);
        writeFileSync(file, JSON.stringify({ tools: [contract] }));
        return file;
      });
      const { answer, code } = await drive('cli.cjs', null, {}, ['diff', ...files, '--json']);
      const changes = answer.data.changes as { level: string }[];
      assert.deepEqual([changes[0]?.level, code], [level, level === undefined ? 0 : 1]);
    });
  }

  it('a change of what the dialect ignores is a change: some validators heed it', () => {
    const narrowed = diffContract(inDialect(DRAFT_07, SIBLING), inDialect(DRAFT_07, beside({ enum: ['a'] })));
    const widened = diffContract(inDialect(DRAFT_07, SIBLING), inDialect(DRAFT_07, beside({ enum: ['a', 'b', 'c'] })));
    assert.deepEqual([narrowed[0]?.level, widened[0]?.level], ['unclassified', 'compatible']);
  });

  it('arguments are validated by the dialect of the contract', () => {
    const valid = (dialect: string | undefined, schema: JsonObject, args: JsonObject) =>
      validateArguments(inDialect(dialect, schema).inputSchema, args).valid;
    const dialects = [DRAFT_07, SINCE_2019, SINCE_2020, undefined];
    assert.deepEqual(
      dialects.map((dialect) => valid(dialect, SIBLING, { mode: 'z' })),
      [true, false, false, false],
    );
    assert.deepEqual(
      dialects.map((dialect) => valid(dialect, DEPENDENT, { from: 'a' })),
      [true, false, false, false],
    );
    assert.deepEqual(
      dialects.map((dialect) => valid(dialect, TUPLE, { pair: [1, 1] })),
      [false, false, 'unknown', false],
    );
  });

  it('a call that only the old dialect allows is stopped, and one that both allow is not', async (test) => {
    const { start, show, release, call } = await box(test, inDialect(DRAFT_07, SIBLING));
    await start();
    show([inDialect(DRAFT_07, SIBLING)], 'aaa1');
    assert.equal((await call('weather', { mode: 'z' })).stdout, '');
    release([inDialect(SINCE_2020, SIBLING)]);
    const stopped = await call('weather', { mode: 'z' });
    assert.equal(stopped.answer.hookSpecificOutput.permissionDecision, 'deny');
    assert.match(stopped.answer.hookSpecificOutput.permissionDecisionReason, /`mode`/);
  });

  it('that means nothing, nobody hears of', async (test) => {
    const { start, show, release, call } = await box(test, inDialect(DRAFT_07, beside({ description: 'how' })));
    await start();
    show([inDialect(DRAFT_07, beside({ description: 'how' }))], 'aaa1');
    release([inDialect(SINCE_2020, beside({ description: 'how' }))], '1');
    assert.equal((await call('weather', { mode: 'z' })).stdout, '');
  });
});

describe('an open bound', () => {
  const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
  const OTHER = 'https://acme.test/schema';
  const above = (dialect: string | undefined, bound: JsonObject, beside: JsonObject = {}): Contract =>
    inDialect(dialect, { properties: { n: { type: 'number', ...bound }, ...beside } });
  const old: JsonObject = { minimum: 5, exclusiveMinimum: true };
  const later: JsonObject = { exclusiveMinimum: 5 };
  const below: JsonObject = { m: { type: 'number', exclusiveMaximum: 9 } };
  const table: [string, Contract, Contract, string | undefined][] = [
    ['of draft-04, as later drafts write it', above(DRAFT_04, old), above(SINCE_2020, later), undefined],
    ['… the other way round', above(SINCE_2020, later), above(DRAFT_04, old), undefined],
    ['… where no draft is named', above(undefined, old), above(undefined, later), undefined],
    [
      'of the top',
      above(DRAFT_04, { maximum: 5, exclusiveMaximum: true }),
      above(undefined, { exclusiveMaximum: 5 }),
      undefined,
    ],
    [
      'that is not open',
      above(DRAFT_04, { minimum: 5, exclusiveMinimum: false }),
      above(SINCE_2020, { minimum: 5 }),
      undefined,
    ],
    ['that is higher', above(DRAFT_04, old), above(SINCE_2020, { exclusiveMinimum: 6 }), 'breaking'],
    ['that is lower', above(DRAFT_04, old), above(SINCE_2020, { exclusiveMinimum: 4 }), 'compatible'],
    ['that is closed', above(DRAFT_04, old), above(SINCE_2020, { minimum: 5 }), 'compatible'],
    ['that was closed', above(DRAFT_04, { minimum: 5 }), above(DRAFT_04, old), 'breaking'],
    ['in a draft that does not know it', above(DRAFT_07, old), above(SINCE_2020, later), 'breaking'],
    ['in another dialect', above(OTHER, old), above(SINCE_2020, later), 'breaking'],
    [
      'beside one that draft-04 does not know',
      above(undefined, old, below),
      above(undefined, later, below),
      'breaking',
    ],
    ['that draft-04 does not know', above(DRAFT_04, later), above(SINCE_2020, later), 'breaking'],
    ['of nothing', above(DRAFT_04, { exclusiveMinimum: true }), above(SINCE_2020, later), 'breaking'],
  ];
  for (const [name, before, after, level] of table)
    it(`${name}: ${level ?? 'noise'}`, () => {
      assert.equal(diffContract(before, after)[0]?.level, level);
      assert.equal(meaningHash(before) === meaningHash(after), level === undefined);
    });

  it('of draft-04 stays one beside a reference, where draft-04 ignores it', () => {
    const beside = (bound: JsonObject): Contract =>
      inDialect(DRAFT_04, {
        definitions: { n: { type: 'number' } },
        properties: { n: { $ref: '#/definitions/n', ...bound } },
      });
    assert.equal(diffContract(beside(old), beside({ minimum: 5 }))[0]?.level, 'compatible');
    assert.equal(diffContract(beside({ minimum: 5 }), beside(old))[0]?.level, 'unclassified');
  });
});

describe('arguments behind a dynamic reference', () => {
  const limit: JsonObject = { $dynamicAnchor: 'limit', type: 'integer', maximum: 9 };
  for (const dialect of [SINCE_2020, undefined])
    it(`are checked by the definition it leads to, not by the whole schema (${dialect ?? 'no dialect is named'})`, () => {
      const schema: JsonObject = {
        ...defined({ $schema: dialect }),
        type: 'object',
        properties: { wait: { $dynamicRef: '#limit' } },
        $defs: { limit },
      };
      assert.deepEqual(
        [5, 12, {}].map((wait) => validateArguments(schema, { wait }).valid),
        [true, false, false],
      );
    });
});
