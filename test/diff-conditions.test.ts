// What is asked for only under a condition: told in words, and judged by what the call holds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { judgedCall } from './judged-call.ts';

const TEXT = { type: 'string' };
const PROPERTIES = { mode: TEXT, reason: TEXT, ticket: TEXT, host: TEXT };
const object = (more: JsonObject = {}): JsonObject => ({ type: 'object', properties: PROPERTIES, ...more });
const asTool = (inputSchema: JsonObject): Contract => ({ name: 'set', inputSchema });
const where = (said: JsonObject, required: string[] = ['mode']): JsonObject => ({
  properties: { mode: said },
  ...(required.length > 0 ? { required } : {}),
});
const SAFE = where({ const: 'safe' });
const REASON = { required: ['reason'] };
const when = (condition: JsonObject, asked: JsonObject, other?: JsonObject): JsonObject => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: asked,
  ...(other === undefined ? {} : { else: other }),
});

const told = (before: JsonObject, after: JsonObject): string[] =>
  diffContract(asTool(before), asTool(after)).map(({ level, message }) => `${level} ${message}`);

const decided = (before: JsonObject, after: JsonObject, args: JsonObject): string => {
  return judgedCall(asTool(before), asTool(after), args).decision;
};

const NESTED = (more: JsonObject = {}): JsonObject => ({ type: 'object', properties: { o: object(more) } });

describe('a condition', () => {
  const cases: [what: string, before: JsonObject, after: JsonObject, line: string][] = [
    ['one value', object(), object(when(SAFE, REASON)), 'breaking now `reason` required where `mode` is "safe"'],
    [
      'one value, or none given',
      object(),
      object(when(where({ const: 'safe' }, []), REASON)),
      'breaking now `reason` required where `mode` is "safe" or left out',
    ],
    [
      'several values',
      object(),
      object(when(where({ enum: ['safe', 'slow'] }), REASON)),
      'breaking now `reason` required where `mode` is one of "safe", "slow"',
    ],
    [
      'with what holds elsewhere',
      object(),
      object(when(SAFE, REASON, { required: ['host'] })),
      'breaking now `reason` required where `mode` is "safe", and `host` required elsewhere',
    ],
    [
      'what holds elsewhere alone',
      object(when(SAFE, REASON)),
      object(when(SAFE, REASON, { required: ['host'] })),
      'breaking now `host` required unless `mode` is "safe"',
    ],
    [
      'a parameter that is given, and limits',
      object(),
      object(when({ required: ['ticket'] }, { required: ['reason'], properties: { host: { minLength: 3 } } })),
      'breaking now `reason` required and `host` limited where `ticket` is given',
    ],
    [
      'one of several conditions',
      object(),
      object({ allOf: [when(SAFE, REASON), when(where({ const: 'fast' }), { required: ['host'] })] }),
      'breaking has to meet more conditions now: `reason` required where `mode` is "safe", `host` required where `mode` is "fast"',
    ],
    [
      'beside a parameter',
      object(),
      object({ dependentSchemas: { ticket: REASON } }),
      'breaking now `reason` required where `ticket` is given',
    ],
    [
      'names beside a parameter',
      object(),
      object({ dependentRequired: { ticket: ['reason'] } }),
      'breaking now `reason` required beside `ticket`',
    ],
    [
      'one that went',
      object(when(SAFE, REASON)),
      object(),
      'compatible no longer `reason` required where `mode` is "safe"',
    ],
    [
      'all names, in any part',
      object(),
      object({ unevaluatedProperties: false }),
      'breaking unknown parameters are refused now',
    ],
  ];
  for (const [what, before, after, line] of cases)
    it(`is told: ${what}`, () => assert.deepEqual(told(before, after), [line]));

  it('is not told where it takes more than a few words', () => {
    const two = { properties: { mode: { const: 'safe' }, host: { const: 'a' } }, required: ['mode', 'host'] };
    for (const after of [
      object(when(two, REASON)),
      object(when(where({ pattern: '^s' }), REASON)),
      object(when(where({ enum: ['safe', 'slow'], pattern: '^s' }), REASON)),
      object(when(SAFE, { not: REASON })),
      object({ dependentSchemas: { ticket: { minProperties: 3 } } }),
      object(when(SAFE, { properties: { host: { format: 'hostname' } } })),
    ])
      assert.match(told(object(), after).join('\n'), /cannot be told/, JSON.stringify(after));
  });

  it('is no reason to ask: a call meets it or not, also inside an object', () => {
    for (const [more, kept, missed] of [
      [when(SAFE, REASON), { mode: 'fast' }, { mode: 'safe' }],
      [{ dependentSchemas: { ticket: REASON } }, { mode: 'safe' }, { ticket: '1' }],
      [{ unevaluatedProperties: false }, { mode: 'safe' }, { other: 1 }],
    ] as [JsonObject, JsonObject, JsonObject][]) {
      assert.match(decided(NESTED(), NESTED(more), { o: kept }), /^(?:notice|silence)$/);
      assert.equal(decided(NESTED(), NESTED(more), { o: missed }), 'deny');
    }
  });

  it('is asked about where it asks for a format, which is not checked', () => {
    for (const host of [{ format: 'hostname' }, { allOf: [{ format: 'hostname' }] }, { $ref: '#/$defs/host' }]) {
      const after = { ...NESTED(when(SAFE, { properties: { host } })), $defs: { host: { format: 'hostname' } } };
      assert.equal(decided(NESTED(), after, { o: { mode: 'safe', host: 'x' } }), 'ask', JSON.stringify(host));
    }
  });
});
