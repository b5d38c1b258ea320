// Our own code checks answers, because compiling a schema takes longer than checking one answer. These tests compare it with
// ajv.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { NotAToolList, readToolList } from '../scripts/contract/read.ts';
import type { Json } from '../scripts/contract/types.ts';
import { checkRandomly } from './random-runs.ts';

const schema = { type: ['object', 'boolean'] };
const judge = new Ajv2020({ ownProperties: true, strict: false }).compile({
  type: 'object',
  required: ['tools'],
  properties: {
    schema_version: { type: 'string', maxLength: 256 },
    ttlMs: { type: 'number', minimum: 0 },
    tools: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'inputSchema'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 256 },
          title: { type: 'string' },
          description: { type: 'string' },
          inputSchema: schema,
          outputSchema: schema,
          annotations: { type: 'object' },
          hash: { type: 'string' },
        },
      },
    },
  },
});

const namesDiffer = (tools: { name: string }[]): boolean =>
  new Set(tools.map(({ name }) => name)).size === tools.length;

const scrap = fc.oneof(
  fc.constant(undefined),
  fc.constant(true),
  fc.constant(0),
  fc.constant(-1),
  fc.constant('text'),
  fc.constant(''),
  fc.constant('x'.repeat(257)),
  fc.constant([]),
  fc.constant({}),
);
const field = (usual: unknown) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: scrap });
const tool = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      name: fc.oneof({ weight: 9, arbitrary: fc.uuid() }, { weight: 1, arbitrary: scrap }),
      title: field(undefined),
      description: field('words'),
      inputSchema: field({ type: 'object' }),
      outputSchema: field(undefined),
      annotations: field({ readOnlyHint: true }),
      hash: field(undefined),
    }),
  },
  { weight: 1, arbitrary: scrap },
);
const answer = fc.record({
  schema_version: field('2026-04-10'),
  ttlMs: field(undefined),
  tools: fc.oneof({ weight: 9, arbitrary: fc.array(tool, { maxLength: 4 }) }, { weight: 1, arbitrary: scrap }),
});

describe('reading an answer', () => {
  it('accepts and refuses what ajv does, by a schema of the answer', (test) => {
    let refused = 0;
    checkRandomly(
      test,
      fc.property(answer, (made) => {
        const value = JSON.parse(JSON.stringify(made)) as { tools?: Json; ttlMs?: Json };
        // Other forms than an object with a list of tools have their own tests. Skips null, and a ttlMs of another type.
        fc.pre(Array.isArray(value.tools) && (value.ttlMs === undefined || typeof value.ttlMs === 'number'));
        let thrown: unknown;
        try {
          readToolList(value as Json);
        } catch (error) {
          thrown = error;
        }
        // A schema cannot say that no two tools share a name.
        const valid = (judge(value) as boolean) && namesDiffer(value.tools as { name: string }[]);
        if (!valid) refused++;
        assert.equal(thrown === undefined, valid, `${JSON.stringify(value)} ${thrown} ${JSON.stringify(judge.errors)}`);
        assert.ok(thrown === undefined || thrown instanceof NotAToolList, String(thrown));
      }),
      { numRuns: 20_000 },
    );
    assert.ok(refused > 1_000, `only ${refused} were refused`);
  });
});
