// A keyword that no validator can read does not switch off the rest: the built guard, against realistic schemas.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../scripts/contract/types.ts';
import { validateArguments } from '../scripts/contract/validate.ts';
import { judge } from '../scripts/judge/judge.ts';
import { type Run, sandbox, tool } from './sandbox.ts';

const text = { type: 'string' };
const decision = ({ answer }: Run): string | undefined => answer?.hookSpecificOutput?.permissionDecision;
const reason = ({ answer }: Run): string => answer?.hookSpecificOutput?.permissionDecisionReason ?? '';

/** A parameter's schema, a value for it, and whether the schema can be read after all. */
const WRITTEN: [string, JsonObject, string | number, boolean][] = [
  ['an escape that unicode mode refuses: \\-', { type: 'string', pattern: '^\\d{4}\\-\\d{2}$' }, '2024-01', true],
  ['an escape that unicode mode refuses: \\_', { type: 'string', pattern: '^a\\_b$' }, 'a_b', true],
  ['an escape that unicode mode refuses: \\@', { type: 'string', pattern: '^\\@\\w+$' }, '@x', true],
  ['a flag of Python', { type: 'string', pattern: '(?i)^abc$' }, 'ABC', false],
  ['a named group of Python', { type: 'string', pattern: '^(?P<year>\\d+)$' }, '2024', false],
  ['an end of Python', { type: 'string', pattern: '^a\\Z' }, 'a', false],
  ['a class of POSIX', { type: 'string', pattern: '^[[:alpha:]]+$' }, 'abc', false],
  ['a reference to nothing', { $ref: '#/$defs/none' }, 'x', false],
  ['a reference to another document', { $ref: 'https://example.com/x.json' }, 'x', false],
  ['an open bound of draft-04', { type: 'integer', minimum: 0, exclusiveMinimum: true }, 1, true],
  ['a choice of nothing', { enum: [] }, 'x', false],
  ['a type that there is not', { type: 'text' }, 'x', false],
  ['a length in words', { type: 'string', maxLength: '3' }, 'x', false],
  ['a null that is added to no type', { nullable: true }, 'x', true],
];

describe('a keyword that cannot be read', () => {
  for (const [what, d, value, isRead] of WRITTEN) {
    it(`does not hide what became required beside it: ${what}`, async (test) => {
      const before = tool('plan', { d });
      const box = await sandbox(test, [before]);
      await box.start();
      box.show([before], 'aaa1');
      box.release([tool('plan', { d, tz: text }, { required: ['tz'] })]);
      const stopped = await box.call('plan', { d: value });
      assert.equal(decision(stopped), 'deny');
      assert.match(reason(stopped), /required `tz`/);
      assert.doesNotMatch(reason(stopped), /does not match/);
      const said = /of `d` cannot be read, and was not checked/;
      const says = isRead ? assert.doesNotMatch : assert.match;
      says(reason(stopped), said);
      assert.equal((await box.call('plan', { d: value, tz: 'x' })).stdout, '', 'the repaired call');
      const other = await box.call('plan', { d: value, tz: 'x' }, { session_id: 's2' });
      assert.equal(decision(other), undefined);
      says(other.answer.systemMessage, said);
    });
  }

  it('is asked about where it is what changed and is used', async (test) => {
    const before = tool('plan', { d: { type: 'string', pattern: '^a' } });
    const box = await sandbox(test, [before]);
    await box.start();
    box.show([before], 'aaa1');
    box.release([tool('plan', { d: { type: 'string', pattern: '(?i)^b' } })]);
    assert.equal(decision(await box.call('plan', { d: 'a' })), 'ask');
    assert.equal(decision(await box.call('plan', {})), undefined);
  });

  it('is told once where its server is trusted, like every other question', async (test) => {
    const before = tool('plan', { d: { type: 'string', pattern: '^a' } });
    const box = await sandbox(test, [before], { freshFor: 0, servers: { demo: { trusted: true } } });
    await box.start();
    box.show([before], 'aaa1');
    box.release([tool('plan', { d: { type: 'string', pattern: '(?i)^b' } })]);
    assert.equal(decision(await box.call('plan', { d: 'a' })), 'deny');
    assert.equal(decision(await box.call('plan', { d: 'a' })), undefined);
  });

  const invalid: [string, JsonObject, JsonObject][] = [
    ['in a form of several', { oneOf: [{ type: 'string', pattern: '(?i)x' }, { type: 'integer' }] }, { d: true }],
    [
      'beside a closed object',
      { type: 'object', properties: { a: { $ref: '#/none' } }, additionalProperties: false },
      { d: { b: 1 } },
    ],
    ['in an element', { type: 'array', items: { type: 'string', pattern: '\\Z' } }, { d: [1] }],
    ['a draft-04 bound is heeded', { type: 'integer', minimum: 0, exclusiveMinimum: true }, { d: 0 }],
  ];
  for (const [what, d, args] of invalid) {
    it(`leaves what is wrong without it wrong: ${what}`, () =>
      assert.equal(validateArguments({ type: 'object', properties: { d } }, args).valid, false));
  }

  const notInvalid: [string, JsonObject, JsonObject][] = [
    ['a form that it belongs to', { oneOf: [{ type: 'string', pattern: '(?i)x' }, { type: 'string' }] }, { d: 'y' }],
    ['what is excluded', { not: { type: 'string', pattern: '(?i)x' } }, { d: 'y' }],
    ['what is excluded, through a definition', { not: { $ref: '#/$defs/bad' } }, { d: 'y' }],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ['a condition', { if: { pattern: '(?i)x' }, then: { maxLength: 0 } }, { d: 'y' }],
    [
      'what could have matched a name',
      { patternProperties: { '(?i)^x': {} }, additionalProperties: false },
      { d: { X: 1 } },
    ],
    ['what could have named it', { $ref: '#/none', unevaluatedProperties: false }, { d: { a: 1 } }],
    [
      'what could have matched a name that nothing else evaluates',
      { patternProperties: { '(?i)^x': {} }, unevaluatedProperties: false },
      { d: { X: 1 } },
    ],
    [
      'what could have named one that nothing else evaluates',
      { properties: ['a'], unevaluatedProperties: false },
      { d: { a: 1 } },
    ],
    ['what may be there at most', { contains: { pattern: '(?i)x' }, maxContains: 1 }, { d: ['a', 'b'] }],
  ];
  for (const [what, d, args] of notInvalid) {
    it(`makes nothing invalid that need not be, and nothing valid: ${what}`, () => {
      const schema = { type: 'object', properties: { d }, $defs: { bad: { type: 'string', pattern: '(?i)x' } } };
      const found = validateArguments(schema, args);
      assert.equal(found.valid, 'unknown');
      assert.ok('unread' in found && found.unread?.length === 1, JSON.stringify(found));
    });
  }

  it('at a reference that leads nowhere is all of its place, in a dialect that ignores what stands beside it', () => {
    const d = { $ref: '#/none', type: 'integer' };
    const read = ($schema: string) =>
      validateArguments({ $schema, type: 'object', properties: { d } }, { d: 'y' }).valid;
    assert.equal(read('http://json-schema.org/draft-07/schema#'), 'unknown');
    assert.equal(read('https://json-schema.org/draft/2020-12/schema'), false);
  });

  it('is none that only looks like one', () => {
    const d = { constructor: 1, toString: 2, pattern: '(?i)x' };
    const found = validateArguments({ type: 'object', properties: { d } }, { d: 'y' });
    assert.deepEqual('unread' in found && found.unread, ['/properties/d/pattern']);
  });

  it('says nothing of values of other types', () => {
    const d = { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '(?i)x' }] };
    assert.equal(validateArguments({ type: 'object', properties: { d } }, { d: 5 }).valid, true);
  });

  it('does not stop a call for another change that it does not touch, and does for one that it breaks', () => {
    const d = { type: 'string', pattern: '(?i)x' };
    const [believed, live] = [100, 50].map((maximum) => tool('plan', { d, limit: { type: 'integer', maximum } })) as [
      ReturnType<typeof tool>,
      ReturnType<typeof tool>,
    ];
    const decide = (args: JsonObject) =>
      judge({ believed, live, tools: [live], args, policy: { mode: 'guard', trusted: false }, settled: () => false });
    assert.equal(decide({ d: 'x', limit: 10 }).decision, 'notice');
    assert.equal(decide({ d: 'x', limit: 70 }).decision, 'deny');
  });
});
